"""Tools that take an ONNX model. Each is a function of a Case that returns its figures, or raises."""

import importlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

# Relative to the largest element: tools fuse, reorder and approximate.
TOLERANCE = 1e-3


class Wrong(Exception):
    """A tool ran but gave other numbers than libtorch."""


@dataclass
class Case:
    """A file, with libtorch's inputs and results at several sizes."""

    path: Path
    folder: Path  # for output of a tool
    sizes: list  # of (inputs by name, outputs in order)

    @property
    def first(self) -> dict:
        return self.sizes[0][0]


def load_sizes(path: Path) -> list:
    """Reads arrays named SIZE/in/NAME and SIZE/out/NUMBER."""
    sizes = {}
    with np.load(path) as arrays:
        for key in arrays.files:
            size, side, name = key.split("/", 2)
            inputs, outputs = sizes.setdefault(int(size), ({}, {}))
            (inputs if side == "in" else outputs)[name] = arrays[key]
    return [
        (inputs, [outputs[str(i)] for i in range(len(outputs))])
        for _, (inputs, outputs) in sorted(sizes.items())
    ]


def compare(wanted: list, got: list) -> float:
    """The largest difference, relative to the largest element of its output. Raises Wrong."""
    worst = 0.0
    for number, (want, have) in enumerate(zip(wanted, got, strict=True)):
        have = np.asarray(have)
        if have.shape != want.shape:
            raise Wrong(f"output {number}: shape {list(have.shape)} instead of {list(want.shape)}")
        if not want.size:
            continue
        if want.dtype.kind != "f":
            worst = max(worst, float((have != want).any()))
            continue
        if not np.isfinite(have).all():
            raise Wrong(f"output {number}: not finite")
        worst = max(worst, float(np.abs(have - want).max() / max(np.abs(want).max(), 1e-6)))
    if worst > TOLERANCE:
        raise Wrong(f"off by {worst:.1e} of the largest element")
    return worst


def right_at_all_sizes(case: Case, run) -> dict:
    """run(inputs by name) -> outputs. The size of the example comes first."""
    for number, (inputs, outputs) in enumerate(case.sizes):
        try:
            compare(outputs, run(inputs))
        except Wrong as error:
            raise Wrong(f"size {number}: {error}") from None
        except Exception as error:
            raise type(error)(f"size {number}: {error}") if number else error from None
    return {"right": True}


TOOLS = {}
TOGETHER = set()  # tools that get the files of all exporters at once


def tool(name: str, kind: str):
    """Registers a function as a tool. kind is its group in the document."""

    def register(function):
        TOOLS[name] = (kind, function)
        return function

    return register


def together(name: str, kind: str):
    """The same for a function of a list of cases, which returns a list of figures."""
    TOGETHER.add(name)
    return tool(name, kind)


def load_tools() -> None:
    """Registers all tools."""
    for module in ("runtimes", "quantisers", "rewriters", "times"):
        importlib.import_module(f"downstream.tools.{module}")
