"""The worker with PyTorch: builds an architecture, traces it, and records PyTorch's facts about it.

Jobs: {"kind": "list"} is answered by the names that this interpreter can make; {"kind": "make"}
leaves a TorchScript file and facts about it; {"kind": "peer"} is one export by PyTorch.
"""

import contextlib
import importlib.util
import inspect
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

import torch  # noqa: E402  (needs the path above)

from models.record import module_tree, parameter_table  # noqa: E402
from op_coverage.processes import serve_torch_jobs  # noqa: E402
from zoo import inputs  # noqa: E402
from zoo.built import Built  # noqa: E402
from zoo.reference import nodes_of  # noqa: E402
from zoo.results import REFUSED, UNTRACEABLE  # noqa: E402

# The latest opset of PyTorch's TorchScript exporter, at most that of the other column.
OPSET = 18 if int(torch.__version__.split(".")[0]) > 1 else 17


class Fails(Exception):
    """An architecture that PyTorch cannot trace; the message says why."""


def first_line(error: BaseException) -> str:
    while error.__cause__ is not None:
        error = error.__cause__
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0] if lines else ''}"[:300]


def library():
    """The library of which this interpreter makes models."""
    if importlib.util.find_spec("transformers"):
        from zoo import language as found
    else:
        from zoo import vision as found
    return found


# ---- eager models --------------------------------------------------------------------------------


def leaves(value) -> list:
    """All tensors that forward returned; caches and numbers are left out."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [t for item in value for t in leaves(item)] if isinstance(value, (list, tuple)) else []


def with_plain_forward(built: Built) -> torch.nn.Module:
    """A module whose forward takes the arguments by position and returns tensors."""
    names = [argument.name for argument in built.arguments]
    forward, constants = built.model.forward, built.constants

    def plain_forward(*tensors):
        return tuple(leaves(forward(**dict(zip(names, tensors)), **constants)))

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter(name, kind) for name in names]
    plain_forward.__signature__ = inspect.Signature(parameters)
    built.model.forward = plain_forward
    return built.model


def same(first: list, second: list) -> bool:
    """Whether two lists of outputs agree up to the order of additions."""
    try:
        torch.testing.assert_close(first, second, rtol=1e-3, atol=1e-3, equal_nan=True)
    except (AssertionError, TypeError):
        return False
    return True


def runs(function, arguments: list, sizes: dict):
    """The outputs at these sizes, or None."""
    try:
        with torch.no_grad():
            return leaves(function(*inputs.example(arguments, sizes, seed=11)))
    except Exception:
        return None


# ---- tracing -------------------------------------------------------------------------------------


class Context:
    """The ctx of a forward without backward: nothing is saved."""

    def save_for_backward(self, *tensors) -> None:
        pass


@contextlib.contextmanager
def without_functions():
    """Inlines Python autograd functions: a program that calls them cannot be saved."""
    base = torch.autograd.Function
    known = vars(base).get("apply")  # inherited from C before 2.0

    def apply(function, *arguments):
        split = getattr(base, "setup_context", None)
        is_split = getattr(function, "setup_context", None) is not split
        return function.forward(*arguments) if is_split else function.forward(Context(), *arguments)

    base.apply = classmethod(apply)
    try:
        yield
    finally:
        if known is None:
            del base.apply
        else:
            base.apply = known


def traced(built: Built, model: torch.nn.Module) -> torch.jit.ScriptModule:
    tensors = inputs.example(built.arguments, inputs.TRACED)
    try:
        with without_functions():
            compiled = torch.jit.trace(model, tensors, check_trace=False, strict=False)
    except Exception as error:
        raise Fails(first_line(error)) from None
    got, again = (runs(compiled, built.arguments, inputs.TRACED) for _ in range(2))
    if got is None or not same(got, again):
        raise Fails("the traced program fails, or is random: two runs differ")
    if not all(t.numel() == 0 or torch.isfinite(t).any() for t in got):
        raise Fails("an output has no finite element")
    return compiled


def same_shapes(first: list, second: list) -> bool:
    return [t.shape for t in first] == [t.shape for t in second]


def axes(built: Built, model, compiled) -> tuple:
    """The axes that the traced program keeps dynamic, and those that it fixed although the eager model takes other
    sizes. If a program differs from eager mode already at the traced sizes, as detectors do, only shapes are
    compared."""
    follows, baked = [], []
    wanted, got = (runs(f, built.arguments, inputs.TRACED) for f in (model, compiled))
    agrees = same if wanted is not None and same(wanted, got) else same_shapes
    for axis in inputs.axes_of(built.arguments):
        sizes = {**inputs.TRACED, axis: inputs.OTHER[axis]}
        wanted = runs(model, built.arguments, sizes)
        if wanted is None:
            continue
        got = runs(compiled, built.arguments, sizes)
        (follows if got is not None and agrees(wanted, got) else baked).append(axis)
    return follows, baked


def save(compiled: torch.jit.ScriptModule, path: Path) -> None:
    try:
        torch.jit.save(compiled, str(path))
    except RuntimeError as error:
        raise Fails(f"cannot be saved: {first_line(error)}") from None


def modules_of(model: torch.nn.Module) -> list:
    """The modules by path. Every path is an instance of its own, since torch.jit.trace duplicates shared modules."""
    tree = module_tree(model)
    return [{**entry, "instance": number} for number, entry in enumerate(tree)]


def passed_on(compiled: torch.jit.ScriptModule) -> list:
    """Names of parameters that a module passes to the forward of a module below it."""
    found = set()
    for path, module in compiled.named_modules():
        if not module._c._has_method("forward"):
            continue  # never called
        names = {}  # attributes that the graph reads from its module
        for node in module._c._get_method("forward").graph.nodes():
            operands = [value.debugName() for value in node.inputs()]
            if node.kind() == "prim::GetAttr":
                names[node.output().debugName()] = [*names.get(operands[0], []), node.s("name")]
            elif node.kind() == "prim::CallMethod":
                handed = [value for value in list(node.inputs())[1:] if value.type().kind() == "TensorType"]
                read = (names[value.debugName()] for value in handed if value.debugName() in names)
                found.update(".".join(filter(None, (path, *attributes))) for attributes in read)
    return sorted(found)


def libraries_of(compiled: torch.jit.ScriptModule) -> list:
    """The files that register the program's custom operators."""
    kinds = {node.kind().partition("::")[0] for node in nodes_of(compiled.inlined_graph)}
    return list(library().LIBRARIES) if kinds - {"aten", "prim"} else []


def make(name: str, folder: Path) -> dict:
    """Writes NAME.pt and NAME.json, and returns the latter's contents."""
    try:
        built = library().build(name)
        model = with_plain_forward(built)
        with torch.no_grad():
            compiled = traced(built, model)
        save(compiled, folder / f"{name}.pt")
    except Fails as error:
        return {"outcome": UNTRACEABLE, "reason": str(error)}
    except Exception as error:
        return {"outcome": UNTRACEABLE, "reason": f"cannot be built: {first_line(error)}"}
    follows, baked = axes(built, model, compiled)
    facts = {
        "name": name,
        "python": sys.executable,
        "libraries": libraries_of(compiled),
        "class": type(model).__name__,
        "arguments": [argument.to_json() for argument in built.arguments],
        "follows": follows,
        "baked": baked,
        "parameter_count": sum(parameter.numel() for parameter in model.parameters()),
        "modules": modules_of(model),
        "parameters": parameter_table(model),
        "passed_on": passed_on(compiled),
    }
    (folder / f"{name}.json").write_text(json.dumps(facts))
    return {}


# ---- the peer ------------------------------------------------------------------------------------


def dynamic_axes(arguments: list, followed: list) -> dict:
    return {
        argument.name: {i: dim for i, dim in enumerate(argument.dims) if dim in followed}
        for argument in arguments
    }


def dynamic_shapes(arguments: list, followed: list) -> tuple:
    return tuple(
        {i: torch.export.Dim.AUTO for i, dim in enumerate(argument.dims) if dim in followed}
        for argument in arguments
    )


def export(name: str, followed: list, path: str, dynamo: bool) -> dict:
    """One file by torch.onnx.export, with these axes dynamic."""
    try:
        built = library().build(name)
        model = with_plain_forward(built)
        tensors = inputs.example(built.arguments, inputs.TRACED)
        options = {
            "input_names": [argument.name for argument in built.arguments],
            "opset_version": OPSET,
        }
        if dynamo:
            options["dynamic_shapes"] = dynamic_shapes(built.arguments, followed)
        else:
            options["dynamic_axes"] = dynamic_axes(built.arguments, followed)
        if "dynamo" in inspect.signature(torch.onnx.export).parameters:
            options["dynamo"] = dynamo
        with torch.no_grad():
            torch.onnx.export(model, tensors, path, **options)
    except Exception as error:
        return {"outcome": REFUSED, "reason": first_line(error)}
    return {}


def perform(job: dict):
    if job["kind"] == "list":
        yield library().names()
    elif job["kind"] == "make":
        yield make(job["name"], Path(job["folder"]))
    else:
        yield export(job["name"], job["follows"], job["path"], job["dynamo"])


if __name__ == "__main__":
    serve_torch_jobs(perform)
