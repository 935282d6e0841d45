"""Programs of torch.export that tests/exported makes, once for all cases."""

from pathlib import Path

from harness import INTO, TESTS, made_by

FOLDER = TESTS / "exported"
BESIDE = ("program.py", "modes.py", "plain_programs.py", "transformer_programs.py", "../support/eager_steps.py")


def files(name: str, program: str) -> Path:
    """The folder of a program of a set, as make_programs.py writes it."""
    sources = (FOLDER / "make_programs.py", FOLDER / f"{name}.py", *(FOLDER / beside for beside in BESIDE))
    return made_by(sources, INTO, name) / program
