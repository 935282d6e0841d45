"""One export by PyTorch of a model of models/table.py, a process of its own:

    exporters.py older NAME OUT        torch.onnx.export(dynamo=False)
    exporters.py older-folded NAME OUT the same, as it comes
    exporters.py newer NAME OUT        torch.onnx.export(dynamo=True)
    exporters.py guess NAME OUT OLDER  tags OLDER, a file of the first, by the rules of quality/guess.py

The older one folds batch normalisation into convolutions, which then have no counterparts; `older` turns that off. The
axes that the table names are dynamic; if an exporter cannot do that, they are fixed, and the last line of output is
"fixed". If a model cannot be exported at all, the last line on stderr says why, and the exit code is REFUSED.
"""

import inspect
import re
import sys
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts")]

import onnx  # noqa: E402  (needs the path above)
import torch  # noqa: E402

from models.make import build, compile_model, example_inputs  # noqa: E402
from models.table import ALL, Model  # noqa: E402
from quality import guess  # noqa: E402
from quality.taggers import REFUSED  # noqa: E402

OPSET = 18
LENGTH = 200
COLOURS = re.compile(r"\x1b\[\d*m")


def first_line(error: BaseException) -> str:
    """Why an export failed: the first line of the original error."""
    while error.__cause__ is not None:
        error = error.__cause__
    lines = COLOURS.sub("", str(error)).strip().splitlines()
    return f"{type(error).__name__}: {lines[0] if lines else ''}"[:LENGTH]


def with_named_inputs(eager: torch.nn.Module, names: list) -> torch.nn.Module:
    """The model with a forward of exactly these arguments: the older exporter passes defaults of omitted ones by
    position, which wrappers of forward do not accept."""
    forward = eager.forward

    def named_forward(*tensors):
        return forward(*tensors)

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter(name, kind) for name in names]
    named_forward.__signature__ = inspect.Signature(parameters)
    eager.forward = named_forward
    return eager


def dynamic_axes(model: Model) -> dict:
    return {
        item.name: {i: dim for i, dim in enumerate(item.dims) if isinstance(dim, str)}
        for item in model.inputs
    }


def dynamic_shapes(model: Model) -> tuple:
    return tuple(
        {i: torch.export.Dim.AUTO for i, dim in enumerate(item.dims) if isinstance(dim, str)}
        for item in model.inputs
    )


def export(what: str, model: Model, path: str, is_fixed: bool) -> None:
    inputs, eager = example_inputs(model, model.traced), build(model)
    names = [item.name for item in model.inputs]
    options = {"input_names": names, "opset_version": OPSET}
    if what == "newer":
        options |= {"dynamo": True, "verbose": False, "external_data": False}
        if not is_fixed:
            options["dynamic_shapes"] = dynamic_shapes(model)
    else:
        options |= {"dynamo": False}
        if what == "older":
            options["training"] = torch.onnx.TrainingMode.PRESERVE
        if not is_fixed:
            options["dynamic_axes"] = dynamic_axes(model)
        eager = (compile_model(model, eager, inputs) if model.mode == "scripted"
                 else with_named_inputs(eager, names))
    with torch.no_grad():
        torch.onnx.export(eager, inputs, path, **options)


def export_anyhow(what: str, model: Model, path: str) -> None:
    """Exports with dynamic axes, or else without."""
    try:
        export(what, model, path, False)
    except Exception as error:
        try:
            export(what, model, path, True)
        except Exception:
            raise error  # with its own cause
        print("fixed")


def tag_by_guess(model: Model, path: str, older: str) -> None:
    tags = guess.hierarchy_of(build(model), example_inputs(model, model.traced))
    file = onnx.load(older)
    guess.tag(file, tags)
    onnx.save(file, path)


def main() -> int:
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    what, name, path, *older = sys.argv[1:]
    try:
        if what == "guess":
            tag_by_guess(ALL[name], path, *older)
        else:
            export_anyhow(what, ALL[name], path)
    except Exception as error:
        print(first_line(error), file=sys.stderr)
        return REFUSED
    return 0


if __name__ == "__main__":
    sys.exit(main())
