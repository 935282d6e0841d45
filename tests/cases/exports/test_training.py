"""--eval: files that were saved in training mode are exported as those of eval()."""

from pathlib import Path

import numpy

import numbers_check
from harness import (EXIT_OK, EXIT_UNSUPPORTED, INTO, case, case_for_each, export, made_by, run,
                     scratch)

MAKER = Path(__file__).resolve().parents[2] / "custom" / "training.py"
SAME = ("block-traced", "block-scripted", "dropouts-traced", "dropouts-scripted", "norms-traced",
        "norms-scripted", "shared-traced", "shared-scripted",
        "recurrent-traced", "recurrent-scripted", "branches-scripted")
LIKE = ("attention-traced", "literal-traced")  # eval() traces to other operators
WORDS = "it is in training mode: save it after eval(), or export TorchScript with --eval"


def made(name: str) -> Path:
    return made_by((MAKER,), INTO) / name


def flags_of(name: str) -> tuple:
    """Both files get the same inputs, since a scripted one records none."""
    x = arrays(name)["x"]
    return "--input", f":float32[batch={','.join(map(str, x.shape))}]"


def arrays(name: str) -> dict:
    return dict(numpy.load(made(f"{name.split('-')[0]}.npz")))


def check_numbers(path: Path, name: str) -> None:
    stored = arrays(name)
    session = numbers_check.session(path)
    assert len(session.get_inputs()) == 1, [value.name for value in session.get_inputs()]
    got = session.run(None, {session.get_inputs()[0].name: stored["x"]})
    wanted = stored["x"] if name.startswith("literal") else stored["y"]
    numbers_check.assert_close(got, [wanted], name)


@case_for_each(SAME)
def same_file(name):
    """Byte for byte: nodes, tags, and no state. Operators that only run in training count in the metadata's
    numbers."""
    tags = ("--tags", "attribute") if name == "block-traced" else ()
    with scratch() as folder:
        ours, wanted = folder / "ours.onnx", folder / "wanted.onnx"
        export(made(f"{name}.pt"), ours, "--eval", *flags_of(name), *tags)
        export(made(f"{name}.eval.pt"), wanted, *flags_of(name), *tags)
        assert ours.read_bytes() == wanted.read_bytes()
        check_numbers(ours, name)


@case_for_each(LIKE)
def same_numbers(name):
    with scratch() as folder:
        export(made(f"{name}.pt"), folder / "x.onnx", "--eval", *flags_of(name))
        check_numbers(folder / "x.onnx", name)


@case_for_each(("block-traced", "dropouts-scripted", "recurrent-traced", "attention-traced"))
def refusals_name_the_flag(name):
    with scratch() as folder:
        result = run(made(f"{name}.pt"), "--out", folder / "x.onnx", *flags_of(name))
    assert result.returncode == EXIT_UNSUPPORTED, result
    words = "it draws random numbers" if name.startswith("block") else WORDS
    assert words in result.stderr, result.stderr


@case
def norms_that_move_name_the_flag():
    """They are exported as they are, with state."""
    with scratch() as folder:
        for flags, names in ((), True), (("--eval",), False):
            result = export(made("norms-scripted.pt"), folder / "x.onnx", *flags_of("norms"), *flags)
            assert ("norms are in training mode" in result.stderr) == names, result.stderr


@case
def written_flags_stay():
    """Code with a literal True draws numbers after eval(), too."""
    with scratch() as folder:
        result = run(made("literal-scripted.pt"), "--out", folder / "x.onnx", "--eval",
                     *flags_of("literal"))
    assert result.returncode == EXIT_UNSUPPORTED, result
    assert "by its own code" in result.stderr, result.stderr


@case
def inspected_and_measured():
    """Other commands that read such a file take the flag."""
    file = made("dropouts-scripted.pt")
    assert run("inspect", file, "--eval").returncode == EXIT_OK
    with scratch() as folder:
        path = folder / "x.onnx"
        export(file, path, "--eval", *flags_of("dropouts"))
        for flags, code in (("--eval",), EXIT_OK), ((), EXIT_UNSUPPORTED):
            result = run("quality", path, "--reference", file, *flags_of("dropouts"), *flags)
            assert result.returncode == code, (flags, result)
