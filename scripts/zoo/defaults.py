"""Exports without any --input: the exporter takes the inputs that the file records, or derives them, and chooses the
dynamic dims. Each dim that the export declares dynamic must be so, at several sizes."""

import math
import zipfile
from dataclasses import replace
from pathlib import Path

from zoo import inputs
from zoo.compare import Differs
from zoo.libtorch import Program, Refuses
from zoo.results import RIGHT, WRONG
from zoo.running import compare_at, session_of

SEED = 29

# A larger and a smaller size than an example's, each with alternatives if libtorch does not take it: some models
# require even sizes, or multiples of larger numbers. It is far larger, so that sizes divided by strides change, too.
OTHERS = (
    (lambda size: 2 * size + 1, lambda size: 2 * size, lambda size: size + size // 2 + 1),
    (lambda size: 2 * size // 3 or size + 2, lambda size: size // 2 or size + 3),
)

ELEMENTS = 1 << 19  # of an argument that grows; otherwise films take minutes


def claimed(session, answer: dict, facts: dict) -> tuple:
    """The arguments with the dims and dtypes of the exported file, and the example's sizes of its axes."""
    shapes = {taken.name: taken.shape for taken in session.get_inputs()}
    examples = {given["name"]: given for given in answer["inputs"]}
    arguments, sizes = [], {}
    for known in map(inputs.Argument.from_json, facts["arguments"]):
        if known.name not in examples:
            raise Differs("inputs", f"{known.name} is not among {', '.join(examples)}")
        example = examples[known.name]
        dims = tuple(shapes.get(known.name, example["dims"]))
        arguments.append(replace(known, dims=dims, cast=example["dtype"]))
        sizes |= {axis: size for axis, size in zip(dims, example["dims"])
                  if isinstance(axis, str) and axis.isidentifier()}
    return arguments, sizes


class Comparison:
    """Compares one exported file; counts the sizes at which libtorch itself runs. others: the sizes to try besides the
    example's."""

    def __init__(self, path: Path, program: Program, answer: dict, facts: dict, others=OTHERS):
        self.session = session_of(path)
        self.program = program
        self.arguments, self.example = claimed(self.session, answer, facts)
        self.others = others
        self.most = max(ELEMENTS, 2 * self.elements(self.example))
        self.sizes = 0

    def elements(self, sizes: dict) -> int:
        return max(math.prod(argument.shape(sizes)) for argument in self.arguments)

    def runs_at(self, sizes: dict) -> bool:
        """Raises Differs."""
        try:
            compare_at(self.session, self.program, self.arguments, sizes, SEED)
        except Refuses:
            return False
        self.sizes += 1
        return True

    def change(self, axes: list, candidates: tuple) -> bool:
        """Compares at other sizes of these axes: the first that libtorch takes."""
        changed = [
            {**self.example, **{axis: other(self.example[axis]) for axis in axes}}
            for other in candidates
        ]
        return any(self.runs_at(sizes) for sizes in changed if self.elements(sizes) <= self.most)

    def run(self) -> None:
        """Compares at the example's sizes, and at others of all axes, or of each alone if they cannot change
        together."""
        self.runs_at(self.example)
        axes = list(self.example)
        for candidates in self.others if axes else ():
            if not self.change(axes, candidates) and len(axes) > 1:
                for axis in axes:
                    self.change([axis], candidates)


def check(path: Path, program: Program, answer: dict, facts: dict) -> dict:
    """The outcome of an export, with the number of dims that the file declares dynamic, and of sizes at which it was
    compared."""
    counts = {}
    try:
        comparison = Comparison(path, program, answer, facts)
        counts["dynamic"] = len(comparison.example)
        comparison.run()
    except Differs as error:
        return {"outcome": WRONG, "reason": ": ".join(error.args), **counts}
    return {"outcome": RIGHT, **counts, "sizes": comparison.sizes}


def forget_inputs(pt: str, bare: Path) -> bool:
    """Copies a TorchScript file without its recorded inputs. @return whether there were any"""
    with zipfile.ZipFile(pt) as source:
        recorded = [name for name in source.namelist() if "/traced_inputs" in name]
        if not recorded:
            return False
        with zipfile.ZipFile(bare, "w") as target:
            for name in source.namelist():
                if name not in recorded:
                    target.writestr(zipfile.ZipInfo(name), source.read(name))
    return True
