"""The calls of tests/operators/large_rows.txt as programs: rows of the table of lowerings that no operator case runs
at large sizes."""

import functools
import json
import re
from dataclasses import dataclass
from pathlib import Path

import harness
import large_sizes
import no_free_axis
import operator_files

MAKER = operator_files.FOLDER / "large_rows.py"
OPSET = 20  # the first with GridSample of volumes
# Sizes of named axes for kernels: few elements, and room for windows and borders.
SMALL = {"batch": 2, "columns": 36, "features": 12, "rows": 40, "width": 6}
SMALL_OTHERWISE = 5


@dataclass(frozen=True)
class Calls:
    """PyTorch's results of the calls."""

    files: dict  # by row
    held: dict  # the overloads in each file
    operators: frozenset  # all of this PyTorch


@functools.cache
def made() -> Calls:
    source = harness.made_by((MAKER, MAKER.with_suffix(".txt")), "--into", harness.INTO)
    told = json.loads((source / "called.json").read_text())
    files = {row: source / f"{number}.pt" for number, row in enumerate(told["calls"])}
    return Calls(files, told["calls"], frozenset(told["operators"]))


def smaller(text: str) -> str:
    """The specification of an input with SMALL sizes of its named axes."""
    return re.sub(r"(\w+)=\d+", lambda axis: f"{axis[1]}={SMALL.get(axis[1], SMALL_OTHERWISE)}", text)


def small(folder: Path) -> dict:
    """Copies of the programs with small inputs, by row."""
    folder.mkdir()
    copies = {}
    for row, file in made().files.items():
        copies[row] = folder / file.name
        inputs = {name: smaller(text) for name, text in large_sizes.hints_of(file).items()}
        large_sizes.with_inputs(file, copies[row], inputs)
    return copies


def refused() -> dict:
    """The rows whose calls are refused with the libtorch under test, with a part of the reason."""
    return {} if harness.holds("PyTorch 2") else no_free_axis.EARLIER_CALLS


def words_of(told: dict) -> str:
    """The text of a failure."""
    return "\n".join([told.get("error", "it is not refused"), *told.get("details", ())])
