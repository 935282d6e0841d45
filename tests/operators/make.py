"""Makes TorchScript files of the operator cases, and PyTorch's results.

Usage: make.py --into DIR CASES.py   Run by the Python whose torch is to make the files.

Writes DIR/NUMBER.pt, with the inputs' sizes as htp_inputs.json inside; DIR/NUMBER.npz with inputs
and the TorchScript's outputs at the traced sizes and at others; DIR/cases.json, which lists them.

bfloat16 has no numpy type: such inputs are float32 outside, and such outputs become float32. That
it was bfloat16 is part of an output's name in the archive.
"""

import argparse
import importlib
import io
import json
import sys
import warnings
from pathlib import Path

import numpy
import torch
from torch import nn

sys.dont_write_bytecode = True

from building import leaves  # noqa: E402  (without bytecode)

NUMBERS = {bool: "bool", int: "int", float: "float"}


class Call(nn.Module):
    """Runs a case, with bfloat16 only inside; records the dtypes of the outputs."""

    def __init__(self, function, dtypes: list):
        super().__init__()
        self.function = function
        self.dtypes = dtypes
        self.output_dtypes = []

    def forward(self, *inputs):
        inputs = [x.to(d) if d is torch.bfloat16 else x for x, d in zip(inputs, self.dtypes)]
        outputs = self.function(*inputs)
        self.output_dtypes = [short_dtype(leaf) for leaf in leaves(outputs)]
        return outer(outputs)


def short_dtype(leaf) -> str:
    return str(leaf.dtype).removeprefix("torch.") if isinstance(leaf, torch.Tensor) else "number"


def outer(value):
    if isinstance(value, torch.Tensor):
        return value.float() if value.dtype is torch.bfloat16 else value
    if isinstance(value, (list, tuple)):
        return tuple(outer(item) for item in value)
    return value


def real_of(tensor: torch.Tensor) -> torch.Tensor:
    """Complex inputs and outputs of a model are pairs in a last dim."""
    return torch.view_as_real(tensor.detach().resolve_conj()) if tensor.is_complex() else tensor.detach()


def arrays_of(value) -> list:
    """ONNX Runtime's form of tensors and numbers."""
    return [
        real_of(leaf).numpy() if isinstance(leaf, torch.Tensor) else
        numpy.float64(leaf) if isinstance(leaf, float) else numpy.asarray(leaf)
        for leaf in leaves(value)
    ]


def load(path: Path) -> list:
    return importlib.import_module(path.stem).CASES


def resized(inputs: list, dynamic: dict, sizes: dict) -> list:
    """The inputs with other sizes of the named axes: elements are repeated in turn."""
    inputs = list(inputs)
    for number, axes in dynamic.items():
        for axis, name in axes.items():
            size = inputs[number].shape[axis]
            index = torch.arange(sizes[name]) % max(size, 1)
            inputs[number] = inputs[number].index_select(axis, index)
    return inputs


def variants(inputs: list, dynamic: dict):
    """The inputs at the traced sizes and at two others; every axis has a distinct size."""
    yield inputs
    names = {name: inputs[n].shape[axis] for n, axes in dynamic.items() for axis, name in axes.items()}
    for step in (1, 5) if names else ():
        sizes = {name: size + step + i for i, (name, size) in enumerate(names.items())}
        yield resized(inputs, dynamic, sizes)


def specification(value, axes: dict) -> str:
    """htp-trace's form of an input: float32[batch=2,8], int=3."""
    if not isinstance(value, torch.Tensor):
        return f"{NUMBERS[type(value)]}={str(value).lower()}"
    dims = [f"{axes[i]}={size}" if i in axes else str(size) for i, size in enumerate(value.shape)]
    return f"{str(value.dtype).removeprefix('torch.')}[{','.join(dims)}]"


def argument_names(model) -> list:
    """The names of forward's arguments in the file, which the tracer's need not be."""
    buffer = io.BytesIO()
    torch.jit.save(model, buffer)
    buffer.seek(0)
    loaded = torch.jit.load(buffer)
    return [argument.name for argument in loaded._c._get_method("forward").schema.arguments[1:]]


def make(case: dict, stem: Path) -> None:
    inputs = list(case["inputs"]())
    dynamic = case.get("dynamic", {})
    dtypes = [getattr(x, "dtype", None) for x in inputs]
    inputs = [x.float() if d is torch.bfloat16 else x for x, d in zip(inputs, dtypes)]
    function = case["module"]()
    run = Call(function, dtypes)
    run.train(getattr(function, "training", False))
    if case.get("script"):
        model = torch.jit.script(function)
    else:
        model = torch.jit.trace(run, tuple(inputs), check_trace=False)
    specifications = {
        name: specification(value, dynamic.get(i, {}))
        for i, (name, value) in enumerate(zip(argument_names(model), inputs))
    }
    extra = {"htp_inputs.json": json.dumps(specifications)}
    torch.jit.save(model, str(stem.with_suffix(".pt")), _extra_files=extra)
    if not case.get("script"):
        # The file's own results, since a fresh trace has numbers that are tensors in the file.
        model = torch.jit.load(str(stem.with_suffix(".pt")))
    arrays = {}
    others = case.get("others", list)()
    for number, values in enumerate([*variants(inputs, dynamic), *others]):
        for i, array in enumerate(arrays_of(values)):
            arrays[f"{number}/input/{i:03}"] = array.copy()
        outputs = model(*[copied(value) for value in values])
        dtypes = run.output_dtypes or [short_dtype(leaf) for leaf in leaves(outputs)]
        for i, (array, dtype) in enumerate(zip(arrays_of(outputs), dtypes)):
            arrays[f"{number}/output/{i:03}/{dtype}"] = array
    numpy.savez(stem.with_suffix(".npz"), **arrays)


def copied(value):
    return value.clone() if isinstance(value, torch.Tensor) else value


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--into", type=Path, required=True)
    parser.add_argument("file", type=Path)
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    arguments.into.mkdir(parents=True, exist_ok=True)
    table = {}
    group = arguments.file.stem.removesuffix("_cases")
    for case in load(arguments.file):
        number = f"{len(table):04}"
        entry = {"number": number}
        try:
            with torch.no_grad():
                make(case, arguments.into / number)
        except Exception as error:
            entry["failure"] = f"{type(error).__name__}: {error}"
        table[f"{group}/{case['name']}"] = entry
    (arguments.into / "cases.json").write_text(json.dumps(table, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
