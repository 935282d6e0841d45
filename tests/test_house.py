"""The house as CONTRIBUTING.md has it: includes point one way, and libtorch is the shim's alone."""

import re
from pathlib import Path

from harness import ROOT, case

CORE = ROOT / "core"
INTERPRET = CORE / "interpret"
# What a folder of core/ may include besides itself; what those include, it may, too.
BELOW = {
    "base": (),
    "interpret": ("base",),
    "graph": ("interpret",),
    "hierarchy": ("interpret",),
    "source": ("graph",),
    "onnx": ("graph", "hierarchy"),
    "query": ("onnx",),
    "quality": ("query",),
    "report": ("quality",),
    "functions": ("query",),
    "lower": ("onnx",),
    "api": ("source", "report", "functions", "lower"),
    "cli": ("api",),
}
MOST_LINES = 500
MOST_HEADER_LINES = 100  # of the interpreter's


def sources(folder: Path) -> list:
    return sorted(path for path in folder.rglob("*") if path.suffix in (".c", ".h", ".def", ".cpp"))


def included(file: Path) -> list:
    return re.findall(r'^#include "([^"]+)"', file.read_text(), re.MULTILINE)


def reach(folder: str) -> set:
    """A folder, and all below it."""
    return {folder}.union(*(reach(below) for below in BELOW[folder]))


def rooms() -> list:
    """The rooms of the interpreter from the lowest one, as the table in CONTRIBUTING.md lists them."""
    return re.findall(r"^\| `(\w+)/` \|", (ROOT / "CONTRIBUTING.md").read_text(), re.MULTILINE)


def lines_of(file: Path) -> int:
    return file.read_text().count("\n")


@case
def folders_include_what_is_below_them():
    assert {path.name for path in CORE.iterdir() if path.is_dir()} == set(BELOW)
    wrong = [f"{file.relative_to(ROOT)} includes {header}"
             for folder in BELOW for file in sources(CORE / folder) for header in included(file)
             if "/" in header and header.split("/")[0] not in reach(folder)]
    assert not wrong, "\n".join(wrong)


@case
def rooms_include_what_is_above_them_in_the_table():
    order = {room: place for place, room in enumerate(rooms())}
    assert {path.name for path in INTERPRET.iterdir() if path.is_dir()} == set(order)
    highest = len(order)  # files that are in no room
    wrong = []
    for file in sources(INTERPRET):
        here = order.get(file.parent.name, highest)
        for header in included(file):
            parts = header.split("/")
            if parts[0] == "interpret" and order.get(parts[1], highest) > here:
                wrong.append(f"{file.relative_to(ROOT)} includes {header}")
    assert not wrong, "\n".join(wrong)


@case
def libtorch_is_behind_the_shim():
    words = re.compile(r"ATen|torch/|c10::")
    told = [str(file) for file in sources(CORE) if words.search(file.read_text())]
    assert not told, told
    outside = [str(file) for folder in ("core", "include") for file in (ROOT / folder).rglob("*.cpp")]
    assert not outside, outside


@case
def files_hold_one_thing():
    long = {file: lines_of(file) for folder in ("core", "include", "shim", "tests", "scripts", "models")
            for file in (ROOT / folder).rglob("*") if file.suffix in (".c", ".h", ".cpp", ".py", ".js")}
    long = {str(file): lines for file, lines in long.items() if lines > MOST_LINES}
    headers = {str(file): lines_of(file) for file in INTERPRET.rglob("*.h")}
    long.update({file: lines for file, lines in headers.items() if lines > MOST_HEADER_LINES})
    assert not long, long
