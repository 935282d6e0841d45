"""The house as docs/ARCHITECTURE.md has it: includes and calls point one way, and libtorch is the shim's alone."""

import functools
import re
from pathlib import Path

import call_graph
from harness import ROOT, case

CORE = ROOT / "core"
INTERPRET = CORE / "interpret"
MAP = ROOT / "docs" / "ARCHITECTURE.md"
# Files that call each other: of each circle its folder in core/, and the stems of its files. What they are about calls
# itself: see docs/ARCHITECTURE.md.
CIRCLES = [
    ("graph", "polynomial polynomial_bounds polynomial_floor"),
    ("interpret", "call fitted flat memory_changes outputs quantized views"),
    ("interpret", "restore restore_devices restore_nodes"),
    ("onnx", "encode encode_nested"),
    ("onnx", "infer infer_nested"),
]
# What is defined in a higher room of the interpreter than some that call it: memory reads and writes anew by running
# operators, sizes and levels are found while one runs.
CALLED_UPWARDS = {
    "htp_call_make_outputs", "htp_call_make_unknown_numbers", "htp_execute", "htp_execute_all", "htp_execute_node",
}
MOST_LINES = 500
MOST_HEADER_LINES = 100  # of the interpreter's


def sources(folder: Path) -> list:
    return sorted(path for path in folder.rglob("*") if path.suffix in (".c", ".h", ".def", ".cpp"))


def included(file: Path) -> list:
    return re.findall(r'^#include "([^"]+)"', file.read_text(), re.MULTILINE)


@functools.cache
def layers() -> dict:
    """By folder of core/: the folders in the last column of the table of layers."""
    rows = re.findall(r"^\| `core/(\w+)/` \|.*\|([^|]*)\|$", MAP.read_text(), re.MULTILINE)
    found = {folder: re.findall(r"`(\w+)`", uses) for folder, uses in rows}
    assert len(found) == len(rows), "a folder has two rows"
    return found


@functools.cache
def reach(folder: str) -> set:
    """A folder, and all that it may use."""
    return {folder}.union(*map(reach, layers()[folder]))


@functools.cache
def rooms() -> list:
    """The rooms of the interpreter from the lowest one, as their table lists them."""
    section = MAP.read_text().split("\n## The interpreter\n")[1].split("\n## ")[0]
    return re.findall(r"^\| `(\w+)/` \|", section, re.MULTILINE)


def lines_of(file: Path) -> int:
    return file.read_text().count("\n")


@case
def folders_include_what_is_below_them():
    assert {path.name for path in CORE.iterdir() if path.is_dir()} == set(layers())
    wrong = [f"{file.relative_to(ROOT)} includes {header}"
             for folder in layers() for file in sources(CORE / folder) for header in included(file)
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


@functools.cache
def calls() -> dict:
    """Files of core/ to those that they call, to the names that they call there."""
    return call_graph.calls()


def is_upwards(caller: str, called: str) -> bool:
    """Whether a file is in a folder, or a room of the interpreter, that the caller may not include."""
    here, there = Path(caller).parts, Path(called).parts
    if here[0] != there[0] or here[0] != INTERPRET.name:
        return there[0] not in reach(here[0])
    order = rooms()
    place = [order.index(parts[1]) if len(parts) > 2 else len(order) for parts in (here, there)]
    return place[1] > place[0]


@case
def calls_go_where_includes_may():
    upwards = {name for caller, others in calls().items() for called, names in others.items()
               if is_upwards(caller, called) for name in names}
    assert upwards == CALLED_UPWARDS, f"new: {upwards - CALLED_UPWARDS}, gone: {CALLED_UPWARDS - upwards}"


@case
def circles_are_what_reaches_itself():
    graph = {"a": ["b"], "b": ["c"], "c": ["b", "d"], "d": [], "e": ["e", "a"], "f": ["e"]}
    assert call_graph.circles(graph) == [("b", "c"), ("e",)]


@case
def tables_name_rows_and_do_not_call_them():
    """Else every family of lowerings would stand in a circle with what it is made of."""
    assert "htp_table_find" in calls()["lower/lower"]["lower/table"]
    assert not any(called.startswith("lower/") for called in calls()["lower/table"]), calls()["lower/table"]


@case
def files_that_call_each_other_are_known():
    found = {(Path(circle[0]).parts[0], " ".join(sorted(Path(file).name for file in circle)))
             for circle in call_graph.circles(calls())}
    assert len(set(CIRCLES)) == len(CIRCLES)
    new, gone = sorted(found - set(CIRCLES)), sorted(set(CIRCLES) - found)
    assert not new and not gone, f"new: {new}\ngone: {gone}"


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
