"""libtorch's results, from the Python that made a TorchScript file: the file may need its operators, or its version."""

import functools
import sys
from pathlib import Path

import numpy

from op_coverage.processes import Lost, Worker

HERE = Path(__file__).resolve().parent
TIMEOUT = 200  # of both precisions, in seconds
LOG = Path("/dev/stderr")


class Refuses(Exception):
    """libtorch itself does not run the program on such inputs; the message says why."""


@functools.cache
def worker(python: str) -> Worker:
    return Worker([python, "-B", HERE / "reference.py"], LOG)


class Program:
    """A TorchScript file and, in facts, its maker's knowledge. Arrays go through scratch. A large one is evaluated in
    double precision only if its numbers are not close otherwise."""

    def __init__(self, path: str, facts: dict, scratch: Path):
        self.path = path
        self.python = facts.get("python", sys.executable)
        self.libraries = facts.get("libraries", [])
        self.scratch = scratch
        self.is_large = False

    def outputs(self, tensors: tuple, wants_precise: bool = True) -> tuple:
        """Its outputs, and those in double precision: None if an operator does not take it, or they are not wanted.
        Raises Refuses."""
        given, made = self.scratch / "inputs.npz", self.scratch / "outputs.npz"
        numpy.savez(given, **{str(number): t.numpy() for number, t in enumerate(tensors)})
        job = {"program": self.path, "libraries": self.libraries,
               "inputs": str(given), "outputs": str(made), "wants_precise": wants_precise}
        try:
            (answer,) = worker(self.python).serve(job, TIMEOUT)
        except Lost as lost:
            raise Refuses(str(lost)) from None
        if "error" in answer:
            raise Refuses(answer["error"])
        with numpy.load(made) as arrays:
            single = [arrays[f"single/{number}"] for number in range(answer["outputs"])]
            if answer["precise"] is None:
                return single, None
            return single, [arrays[f"double/{number}"] for number in range(answer["precise"])]
