"""Runs ONNX models in ONNX Runtime and compares numbers with libtorch's."""

from pathlib import Path

import numpy

import numbers_check
from zoo import inputs
from zoo.compare import Differs, Errors, compare, compare_large
from zoo.libtorch import Program, Refuses


def first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0][:400] if lines else type(error).__name__


def session_of(path: Path):
    try:
        return numbers_check.session(path)
    except Exception as error:
        raise Differs("does not load", first_line(error)) from None


def feed(session, arguments: list, tensors: tuple, where: str) -> list:
    """ONNX Runtime's results. A peer may have dropped unused inputs."""
    given = {a.name: tensor.numpy() for a, tensor in zip(arguments, tensors)}
    taken = [argument.name for argument in session.get_inputs()]
    unknown = [name for name in taken if name not in given]
    if unknown:
        raise Differs("inputs", f"{unknown} are no arguments of forward")
    try:
        return session.run(None, {name: given[name] for name in taken})
    except Exception as error:
        raise Differs("does not run", f"{where}: {first_line(error)}") from None


def compare_at(session, program: Program, arguments: list, sizes: dict, seed: int) -> Errors:
    """Raises Differs; Refuses if libtorch itself does not run at these sizes."""
    try:
        tensors = inputs.example(arguments, sizes, seed)
    except RuntimeError as error:  # fixed values of one size
        raise Refuses(first_line(error)) from None
    axes = " ".join(f"{axis}={sizes[axis]}" for axis in inputs.axes_of(arguments))
    where = f"at {axes}" if axes else "at its size"
    wanted, precise = program.outputs(tensors, wants_precise=not program.is_large)
    got = feed(session, arguments, tensors, where)
    if not program.is_large:
        return compare(got, wanted, precise, where)
    if not all(array.size == 0 or numpy.isfinite(array).any() for array in wanted):
        raise Refuses("an output has no finite element")
    return compare_large(got, wanted, lambda: program.outputs(tensors)[1], where)
