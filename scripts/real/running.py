"""An export in ONNX Runtime beside libtorch: at several sizes, and over several calls."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy
import torch

from real import states
from real.reference import Model
from real.table import Case
from zoo import inputs
from zoo.compare import Differs, Errors, compare
from zoo.running import first_line, session_of

SEED = 41


@dataclass
class Compared:
    """The number of sizes, the axes that the export fixes, and the largest errors."""

    sizes: int = 0
    fixed: dict = field(default_factory=dict)
    states: list = field(default_factory=list)
    errors: Errors = field(default_factory=Errors)


def fixed_axes(session, case: Case) -> dict:
    """The axes that vary in the case but are fixed in the export."""
    shapes = {taken.name: taken.shape for taken in session.get_inputs()}
    return {
        axis: claimed
        for argument in case.arguments
        for axis, claimed in zip(argument.dims, shapes.get(argument.name, ()))
        if isinstance(axis, str) and isinstance(claimed, int)
    }


class Calls:
    """One model at one size, in both runtimes; each gets its own state back."""

    def __init__(self, session, answer: dict, path: Path, case: Case, sizes: dict):
        self.session, self.case, self.sizes = session, case, sizes
        self.model = Model(path, case)
        self.held = states.first_values(session, answer, sizes)
        self.ours, self.theirs = {}, {}
        self.where = "at " + " ".join(f"{axis}={size}" for axis, size in sizes.items())

    def tensors(self, number: int) -> dict:
        made = inputs.example(self.case.arguments, self.sizes, SEED + number)
        return dict(zip((argument.name for argument in self.case.arguments), made))

    def run(self, tensors: dict) -> list:
        """ONNX Runtime's results. Raises Differs."""
        given = {name: tensor.numpy() for name, tensor in tensors.items()}
        given |= {name: numpy.array(number) for name, number in self.case.numbers.items()}
        given |= self.held
        given |= self.ours
        taken = [taken.name for taken in self.session.get_inputs()]
        unknown = [name for name in taken if name not in given]
        if unknown:
            raise Differs("inputs", f"{', '.join(unknown)}: the method has no such arguments")
        try:
            found = self.session.run(None, {name: given[name] for name in taken})
        except Exception as error:
            raise Differs("does not run", f"{self.where}: {first_line(error)}") from None
        outputs = dict(zip((output.name for output in self.session.get_outputs()), found))
        self.held = states.take_out(outputs)
        return list(outputs.values())

    def compare(self, number: int) -> Errors:
        """One call. Raises Differs."""
        tensors = self.tensors(number)
        got = self.run(tensors)
        wanted = self.model.call({**tensors, **self.theirs})
        self.ours = {name: got[at] for name, at in self.case.carried.items() if at < len(got)}
        self.theirs = {name: torch.from_numpy(wanted[at]) for name, at in self.case.carried.items()}
        precise = self.model.precise(tensors)
        where = self.where if self.case.calls == 1 else f"{self.where}, call {number + 1}"
        return compare(got, wanted, precise, where)


def compare_all(out: Path, answer: dict, path: Path, case: Case) -> Compared:
    """The export at out, of the file at path. Raises Differs."""
    session = session_of(out)
    found = Compared(fixed=fixed_axes(session, case), states=states.names_of(session))
    different = []
    for sizes in case.sizes:
        sizes = {**sizes, **found.fixed}
        if sizes not in different:
            different.append(sizes)
    for sizes in different:
        calls = Calls(session, answer, path, case, sizes)
        for number in range(case.calls):
            found.errors.join(calls.compare(number))
    found.sizes = len(different)
    return found
