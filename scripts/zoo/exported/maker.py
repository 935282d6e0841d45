"""The worker with PyTorch: builds an architecture, exports it with torch.export, and records the eager model's
results.

    maker.py LIBRARY    which models: language or vision

Jobs: {"kind": "list"} is answered by the names; {"kind": "make"} leaves NAME.pt2, NAME.npz and NAME.json, and
NAME.pt where PyTorch traces the same model; {"kind": "peer"} is one export by PyTorch of NAME.pt2.
"""

import importlib
import json
import sys
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

import numpy  # noqa: E402  (needs the path above)
import torch  # noqa: E402

from models.record import parameter_table  # noqa: E402
from op_coverage.processes import serve_torch_jobs  # noqa: E402
from save_program import save as save_program  # noqa: E402
from zoo import inputs  # noqa: E402
from zoo.exported import eager  # noqa: E402
from zoo.maker import Fails, first_line, modules_of, passed_on, save, traced, with_plain_forward  # noqa: E402
from zoo.results import REFUSED, UNTRACEABLE  # noqa: E402

LIBRARIES = {"language": "zoo.language", "vision": "zoo.exported.vision"}
# The modules that register a library's operators, which its programs contain.
OPERATORS = {"language": "transformers.integrations.moe", "vision": "torch"}

# Besides the sizes of zoo/inputs.py: size 1, which PyTorch specialises.
ONE = {**inputs.SMALL, "batch": 1, "sequence": 1, "decoder_sequence": 1}
# For programs that take only multiples.
TWICE = {axis: 2 * size for axis, size in inputs.TRACED.items()}
SEEDS = (23, 31, 37)

DYNAMIC, AUTO, STATIC = "DYNAMIC", "AUTO", "static"
# Ways to export; the first that works counts.
WAYS = ((DYNAMIC, False), (AUTO, False), (STATIC, False), (AUTO, True), (STATIC, True))


aten = torch.ops.aten
PASSING = (
    aten.slice, aten.view, aten.reshape, aten.expand, aten.contiguous, aten.clone, aten.dropout, aten.to, aten.detach,
    aten.alias, aten.lift_fresh_copy, aten.lift_fresh, aten.detach_, aten.expand_as, aten.view_as, aten.type_as,
)


# ---- the program ---------------------------------------------------------------------------------


def shapes_of(arguments: list, dims: str) -> tuple | None:
    """The dynamic_shapes of torch.export, with @p dims for every named axis."""
    if dims == STATIC:
        return None
    word = getattr(torch.export.Dim, dims)
    return tuple(
        {i: word for i, dim in enumerate(argument.dims) if isinstance(dim, str)} for argument in arguments
    )


def exported(model: torch.nn.Module, arguments: list) -> tuple:
    """The program, the way that worked, and why earlier ways failed. Raises Fails."""
    tensors = inputs.example(arguments, inputs.TRACED)
    failures = {}
    for dims, strict in WAYS if inputs.axes_of(arguments) else WAYS[2:]:
        way = f"{dims}{', strict' if strict else ''}"
        try:
            with torch.no_grad():
                program = torch.export.export(
                    model, tensors, dynamic_shapes=shapes_of(arguments, dims), strict=strict)
            return program, way, failures
        except Exception as error:
            failures[way] = first_line(error)
            torch._dynamo.reset()
    raise Fails(f"torch.export: {failures[STATIC]}")


def is_number(size) -> bool:
    """Whether a size is a number, or a symbol with a known value."""
    return isinstance(size, int) or size.node.maybe_as_int() is not None


def fixed_axes(program, arguments: list) -> list:
    """The axes that are numbers in the program."""
    given = [spec.arg.name for spec in program.graph_signature.input_specs
             if spec.kind == torch.export.graph_signature.InputKind.USER_INPUT]
    values = {node.name: node.meta["val"] for node in program.graph.nodes if node.op == "placeholder"}
    fixed = {
        dim for argument, name in zip(arguments, given) for dim, size in zip(argument.dims, values[name].shape)
        if isinstance(dim, str) and is_number(size)
    }
    return [axis for axis in inputs.axes_of(arguments) if axis in fixed]


def needs_no_node(node) -> bool:
    """Whether an operator only passes its tensor through, or makes one without elements."""
    if isinstance(node.meta["val"], torch.Tensor) and 0 in [size for size in node.meta["val"].shape if is_number(size)]:
        return True
    given = node.args[0].meta.get("val") if node.args and isinstance(node.args[0], torch.fx.Node) else None
    made = node.meta["val"]
    return (
        getattr(node.target, "overloadpacket", None) in PASSING
        and isinstance(given, torch.Tensor) and isinstance(made, torch.Tensor)
        and given.dtype == made.dtype and str(given.shape) == str(made.shape)
    )


def ran_in(program) -> list:
    """The paths of modules in which operators on tensors run, by the program's own records."""
    found = set()
    for node in program.graph.nodes:
        makes_tensors = isinstance(node.meta.get("val"), (torch.Tensor, list, tuple))
        if node.op == "call_function" and makes_tensors and not needs_no_node(node):
            stack = node.meta.get("nn_module_stack") or {"": ("", "")}
            found.add(list(stack.values())[-1][0])
    return sorted(found)


# ---- sizes ---------------------------------------------------------------------------------------


def admitted(program, arguments: list, dynamic: list) -> tuple:
    """The axes that can change together, by the program's ranges and guards, and the first of the other sizes. If some
    cannot, each is tried alone."""
    module = program.module()

    def takes(sizes: dict) -> bool:
        return first_that_runs(module, arguments, [(sizes, SEEDS[0])]) is not None

    for others in (inputs.OTHER, TWICE):
        sizes = {**inputs.TRACED, **{axis: others[axis] for axis in dynamic}}
        if takes(sizes):
            return dynamic, sizes
    alone = [axis for axis in dynamic if takes({**inputs.TRACED, axis: inputs.OTHER[axis]})]
    return alone, {**inputs.TRACED, **{axis: inputs.OTHER[axis] for axis in alone}}


def places(dynamic: list, other: dict) -> list:
    """Lists of candidates (sizes, seed) for comparison; of each list the first that the model takes counts."""
    if not dynamic:
        return [[(inputs.TRACED, seed)] for seed in SEEDS]
    takes_any = all(other[axis] == inputs.OTHER[axis] for axis in dynamic)
    small = [{axis: sizes[axis] for axis in dynamic} for sizes in ((ONE, inputs.SMALL) if takes_any else ())]
    single = [{"batch": 1}] if "batch" in dynamic else []
    last = [({**inputs.TRACED, **sizes}, SEEDS[0]) for sizes in small + single]
    return [[(inputs.TRACED, SEEDS[0])], [(other, SEEDS[0])], last]


# ---- numbers -------------------------------------------------------------------------------------


def first_that_runs(model, arguments: list, candidates: list) -> tuple | None:
    """The sizes, the seed and the outputs of the first candidate that runs."""
    for sizes, seed in candidates:
        try:
            return sizes, seed, eager.outputs(model, inputs.example(arguments, sizes, seed))
        except Exception:
            continue
    return None


def numbers(model, arguments: list, candidates: list) -> tuple:
    """The candidates at which the model runs, and its results. The model stays doubled."""
    found = [first_that_runs(model, arguments, some) for some in candidates]
    if found[0] is None:
        raise Fails("does not run where it was exported")
    found = [place for place in found if place]
    arrays = {f"{p}/single/{n}": array for p, place in enumerate(found) for n, array in enumerate(place[2])}
    model.double()
    for p, (sizes, seed, _) in enumerate(found):
        precise = eager.precise_outputs(model, inputs.example(arguments, sizes, seed))
        arrays |= {f"{p}/double/{n}": array for n, array in enumerate(precise or [])}
    return [{"sizes": sizes, "seed": seed} for sizes, seed, _ in found], arrays


def follows(model, arguments: list, axis: str) -> bool:
    """Whether the eager model takes another size of an axis."""
    sizes = {**inputs.TRACED, axis: inputs.OTHER[axis]}
    return first_that_runs(model, arguments, [(sizes, SEEDS[0])]) is not None


# ---- jobs ----------------------------------------------------------------------------------------


def twin(built, model, path: Path) -> list | None:
    """Traces the same model. @return the parameters passed to other modules; None if tracing fails"""
    try:
        with torch.no_grad():
            compiled = traced(built, model)
        save(compiled, path)
    except Fails:
        return None
    return passed_on(compiled)


def make(library, name: str, folder: Path) -> dict:
    try:
        built = library.build(name)
        model = with_plain_forward(built)
        program, way, failures = exported(model, built.arguments)
        save_program(program, model, folder / f"{name}.pt2")
        handed = twin(built, model, folder / f"{name}.pt")
        fixed = fixed_axes(program, built.arguments)
        moving = [axis for axis in inputs.axes_of(built.arguments) if axis not in fixed]
        dynamic, other = admitted(program, built.arguments, moving)
        fixed += [axis for axis in moving if axis not in dynamic]
        facts = {
            "name": name,
            "class": type(model).__name__,
            "arguments": [argument.to_json() for argument in built.arguments],
            "way": way,
            "failures": failures,
            "dynamic": dynamic,
            "fixed": [axis for axis in fixed if follows(model, built.arguments, axis)],
            "twin": handed is not None,
            "ran": ran_in(program),
            "modules": modules_of(model),
            "parameters": parameter_table(model),
            "passed_on": handed or [],
        }
        facts["places"], arrays = numbers(model, built.arguments, places(dynamic, other))
        numpy.savez(folder / f"{name}.npz", **arrays)
    except Fails as error:
        return {"outcome": UNTRACEABLE, "reason": str(error)}
    except Exception as error:
        return {"outcome": UNTRACEABLE, "reason": f"cannot be built: {first_line(error)}"}
    (folder / f"{name}.json").write_text(json.dumps(facts))
    return {}


def export_by_peer(program: str, path: str) -> dict:
    """Exports the same file by PyTorch."""
    try:
        with torch.no_grad():
            torch.onnx.export(torch.export.load(program), (), path, dynamo=True, verbose=False)
    except Exception as error:
        return {"outcome": REFUSED, "reason": first_line(error)}
    return {}


def perform(job: dict):
    if job["kind"] == "peer":
        importlib.import_module(OPERATORS[sys.argv[1]])
        yield export_by_peer(job["program"], job["path"])
        return
    library = importlib.import_module(LIBRARIES[sys.argv[1]])
    if job["kind"] == "list":
        yield library.names()
    else:
        yield make(library, job["name"], Path(job["folder"]))


if __name__ == "__main__":
    warnings.filterwarnings("ignore")
    serve_torch_jobs(perform)
