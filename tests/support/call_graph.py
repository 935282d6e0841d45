"""Which files of core/ call which others, by their objects.

Includes do not show that: a function may be declared in a low folder and defined in a high one. References in code
count, calls and addresses alike. References in tables do not: a table must name its rows, and the look-up calls a
pointer.
"""

import os
import subprocess
from collections import defaultdict
from pathlib import Path

from harness import ROOT

CODE_SECTIONS = (".text", ".text.unlikely", ".text.startup", ".text.hot")
DEFINED = "TDBRCVW"


def objects_folder() -> Path:
    """The folder with the core's objects, laid out as the sources are."""
    return Path(os.environ.get("HTP_CORE_BUILD", ROOT / "build" / "core")).resolve()


def lines_of(*command) -> list:
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True).stdout.splitlines()


def objects() -> dict:
    """Maps objects to their source files in core/, without suffix. Objects without a source are left from earlier
    builds."""
    folder = objects_folder()
    files = {path: path.relative_to(folder / "core").with_suffix("") for path in (folder / "core").rglob("*.o")}
    return {str(path): str(file) for path, file in files.items() if (ROOT / "core" / file).with_suffix(".c").exists()}


def definitions(files: dict) -> dict:
    """Maps exported names to the files that define them."""
    found = {}
    for line in lines_of("nm", "-A", "--defined-only", "--extern-only", *files):
        path, rest = line.split(":", 1)
        kind, name = rest.split()[-2:]
        if kind in DEFINED:
            found[name] = files[path]
    return found


def calls() -> dict:
    """Maps each file to the files that it calls, and these to the called names."""
    files = objects()
    assert files, f"there are no objects in {objects_folder()}"
    defined = definitions(files)
    found = {file: defaultdict(set) for file in files.values()}
    sections = [word for section in CODE_SECTIONS for word in ("-j", section)]
    caller = None
    for line in lines_of("objdump", "-r", *sections, *files):
        words = line.split()
        if ":" in line and line.split(":")[0] in files:
            caller = files[line.split(":")[0]]
        elif len(words) == 3 and words[1].startswith("R_"):
            name = words[2].split("+")[0].split("-")[0]
            if defined.get(name, caller) != caller:
                found[caller][defined[name]].add(name)
    return found


def reached(graph: dict, start: str) -> set:
    seen, left = set(), [start]
    while left:
        fresh = set(graph[left.pop()]) - seen
        seen |= fresh
        left.extend(fresh)
    return seen


def circles(graph: dict) -> list:
    """Sets of files that call each other in a cycle."""
    reach = {file: reached(graph, file) for file in graph}
    return sorted({tuple(sorted(other for other in reach[file] if file in reach[other]))
                   for file in graph if file in reach[file]})
