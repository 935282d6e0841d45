"""Examples in documents print what the documents show."""

import os
import re
import subprocess
import sys

from harness import PROGRAM, ROOT, case, scratch, skip_unless

MODELS = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# An indented command, which may continue behind a backslash, and its output.
EXAMPLE = re.compile(r"^    \$ ((?:[^\n]*\\\n)*[^\n]+)\n((?:    (?!\$ )[^\n]*\n)*)", re.MULTILINE)
# Of GUIDE.md those that need no other file than an export of bert-tiny.
GUIDE = ("select", "extract", "split")


def examples_of(name: str) -> list:
    """(command, the lines that it prints)"""
    found = EXAMPLE.findall((ROOT / name).read_text())
    return [(re.sub(r"\\\n *", "", command), [line[4:] for line in lines.splitlines()]) for command, lines in found]


def is_printed(lines: list, printed: list) -> bool:
    """Whether the lines are; "..." stands for any number of others."""
    words = "\n".join(re.escape(line) if line != "..." else "(?s:.*)" for line in lines)
    return re.fullmatch(words, "\n".join(printed)) is not None


def check(folder, command: str, lines: list) -> None:
    environment = {**os.environ, "PATH": f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}"}
    result = subprocess.run(["bash", "-c", f"{command} 2>&1"], cwd=folder, env=environment, capture_output=True,
                            text=True)
    printed = result.stdout.replace(f"{folder}{os.sep}", "").splitlines()
    assert result.returncode == 0 and is_printed(lines, printed), (command, "\n".join(printed))


@case
def worked_examples_of_the_architecture():
    skip_unless("PyTorch 2")
    examples = examples_of("docs/ARCHITECTURE.md")
    assert len(examples) >= 7, examples
    with scratch() as folder:
        models = "".join(MODELS.findall((ROOT / "docs" / "ARCHITECTURE.md").read_text()))
        (folder / "examples.py").write_text(models)
        made = subprocess.run([sys.executable, "examples.py"], cwd=folder, capture_output=True, text=True)
        assert made.returncode == 0, made.stderr[-2000:]
        for command, lines in examples:
            check(folder, command, lines)


@case
def examples_of_the_readme_and_the_guide():
    skip_unless("PyTorch 2")
    first, *others = examples_of("README.md")
    wanted = [one for one in examples_of("docs/GUIDE.md") if one[0].split()[1] in GUIDE]
    assert "--print-tree" in first[0] and others and len(wanted) == len(GUIDE), (first, others, wanted)
    with scratch() as folder:
        (folder / "models").symlink_to(ROOT / "models")
        check(folder, re.sub(r"^\S+/htp-trace", "htp-trace", first[0]), first[1])
        for command, lines in [*others, *wanted]:
            check(folder, command, lines)
