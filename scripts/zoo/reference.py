"""Results of a TorchScript file: in its own precision, and in double precision, which shows the error of the former.
Run as a program, it is the worker of libtorch.py.

libtorch's sort is not stable, so equal elements have no order; it is made stable, as in runtimes. A program fixes
dtypes where it was traced, so converting the weights is not enough for double precision: the constant dtypes and
tensors of its graph are doubled as well.
"""

import contextlib
import functools
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

import numpy  # noqa: E402  (needs the path above)
import torch  # noqa: E402

from models.make import flatten  # noqa: E402
from op_coverage.processes import serve_torch_jobs  # noqa: E402

SINGLE, DOUBLE = 6, 7  # as TorchScript numbers dtypes
DOUBLED = {SINGLE: DOUBLE, 9: 10}  # complex64, complex128
WIDER = {torch.float32: torch.float64, torch.complex64: torch.complex128}


def nodes_of(block):
    for node in block.nodes():
        yield node
        for inner in node.blocks():
            yield from nodes_of(inner)


def argument_names(node) -> list:
    if node.kind().startswith("prim::") or node.schema() == "(no schema)":
        return []
    schema = torch._C.parse_schema(node.schema())
    return [argument.name for argument in schema.arguments]


def double_constant_tensor(node) -> None:
    if node.kind() == "prim::Constant" and node.hasAttribute("value"):
        if node.kindOf("value") == "t" and node.t("value").dtype in WIDER:
            node.t_("value", node.t("value").to(WIDER[node.t("value").dtype]))


def double_dtypes(graph, node) -> None:
    """Gives a node the wider dtype in a constant of its own, since others may share the old one."""
    for index, name in enumerate(argument_names(node)):
        source = node.inputsAt(index).node()
        if name == "dtype" and source.kind() == "prim::Constant" and source.hasAttribute("value"):
            wider = DOUBLED.get(source.i("value")) if source.kindOf("value") == "i" else None
            if wider is not None:
                constant = graph.insertConstant(wider)
                constant.node().moveBefore(node)
                node.replaceInput(index, constant)


def make_stable(graph, node) -> None:
    """Replaces a sort by one that keeps the order of equal elements."""
    if node.kind() not in ("aten::sort", "aten::argsort") or "stable" in argument_names(node):
        return
    values, dim, descending = node.inputs()
    stable = graph.insertConstant(True)
    stable.node().moveBefore(node)
    made = graph.create(node.kind(), [values, stable, dim, descending], node.outputsSize())
    made.insertBefore(node)
    for old, new in zip(node.outputs(), made.outputs()):
        new.setType(old.type())
        old.replaceAllUsesWith(new)
    node.destroy()


@functools.lru_cache(maxsize=2)
def loaded(path: str, is_double: bool) -> tuple:
    """The program as a function of the model and its arguments, and the model."""
    model = torch.jit.load(path).eval()
    graph = model.forward.inlined_graph
    for node in list(nodes_of(graph)):
        if is_double:
            double_constant_tensor(node)
            double_dtypes(graph, node)
        make_stable(graph, node)
    function = torch._C._create_function_from_graph("program", graph)
    return function, model.double() if is_double else model


def wider(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.to(WIDER.get(tensor.dtype, tensor.dtype))


@contextlib.contextmanager
def unprofiled():
    """Programs are optimised as usual, but not for the sizes of their first run. Without optimisation their meaning
    changes: a traced number would be a tensor that takes part in type promotion."""
    was_profiled = torch._C._jit_set_profiling_mode(False)
    try:
        yield
    finally:
        torch._C._jit_set_profiling_mode(was_profiled)


def run(path: str, inputs: tuple, is_double: bool) -> list:
    function, model = loaded(path, is_double)
    with torch.no_grad(), unprofiled():
        outputs = function(model._c, *inputs)
    return [tensor.numpy() for tensor in flatten(outputs)]


def outputs(path: str, inputs: tuple) -> list:
    """The program's own outputs, flattened. Raises libtorch's error."""
    return run(path, inputs, False)


def precise_outputs(path: str, inputs: tuple) -> list | None:
    """The outputs in double precision; None if an operator does not take it."""
    try:
        return run(path, tuple(wider(tensor) for tensor in inputs), True)
    except Exception:
        return None


# ---- the worker ----------------------------------------------------------------------------------


def first_line(error: Exception) -> str:
    """libtorch's message, without the interpreter's call trace before it."""
    lines = [line for line in str(error).splitlines() if line.strip()]
    causes = [line for line in lines if line.startswith("RuntimeError: ")]
    return (causes[-1:] or lines[:1] or [type(error).__name__])[0][:400]


def perform(job: dict):
    """Runs job["program"] on the arrays in job["inputs"], and writes the outputs to job["outputs"], also in double
    precision if wanted. Yields {"error": text} if libtorch refuses."""
    for library in job["libraries"]:
        torch.ops.load_library(library)
    arrays = numpy.load(job["inputs"])
    tensors = tuple(torch.from_numpy(arrays[str(number)]) for number in range(len(arrays.files)))
    try:
        found = outputs(job["program"], tensors)
    except Exception as error:
        yield {"error": first_line(error)}
        return
    precise = precise_outputs(job["program"], tensors) if job["wants_precise"] else None
    named = {f"single/{number}": array for number, array in enumerate(found)}
    named |= {f"double/{number}": array for number, array in enumerate(precise or [])}
    numpy.savez(job["outputs"], **named)
    yield {"outputs": len(found), "precise": None if precise is None else len(precise)}


if __name__ == "__main__":
    serve_torch_jobs(perform)
