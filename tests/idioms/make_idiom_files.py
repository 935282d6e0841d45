"""Makes TorchScript files of the idioms, and what PyTorch computes with them.

Usage: make_idiom_files.py --into DIR   Run by the Python whose torch is to make the files.

Writes for every idiom and kind DIR/KIND.NAME.pt and .npz: traced at small sizes and at ordinary ones, and
scripted with its axes named; DIR/failures.json says what PyTorch did not make.
"""

import argparse
import json
import sys
import warnings
import zipfile
from pathlib import Path

import numpy
import torch
from torch import nn

HERE = Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path[:0] = [str(HERE), str(HERE.parent / "operators")]

import table  # noqa: E402  (needs the path above)
from writing import KINDS, SCRIPTED, axes_of, examples, fixed_of  # noqa: E402
from make import argument_names, arrays_of, specification  # noqa: E402


class Call(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


def randomized(function):
    """The module in inference, with statistics that are not the initial ones."""
    if not isinstance(function, nn.Module):
        return function
    for name, buffer in function.named_buffers():
        if "running" in name:
            buffer.copy_(torch.rand_like(buffer) + 0.5)
    return function.eval()


def keeps_inputs(file: str) -> bool:
    """Whether the file has the inputs that it was traced with: PyTorch 1.13 does not write them."""
    with zipfile.ZipFile(file) as archive:
        return any("traced_inputs" in name for name in archive.namelist())


def named_axes(model, idiom: dict, kind: str, inputs: tuple) -> dict:
    """The extra file that tells the sizes, and which axes are dynamic."""
    free = set(axes_of(idiom)) - set(fixed_of(idiom, kind == SCRIPTED))
    specifications = {
        name: specification(value, {i: dim for i, dim in enumerate(one.dims) if dim in free})
        for name, value, one in zip(argument_names(model), inputs, idiom["inputs"])
    }
    return {"htp_inputs.json": json.dumps(specifications)}


def make(idiom: dict, kind: str, stem: Path) -> None:
    torch.manual_seed(2)
    function = randomized(idiom["make"]())
    inputs = examples(idiom, kind)
    if kind == SCRIPTED:
        model = torch.jit.script(function)
    else:
        traced = function if isinstance(function, nn.Module) else Call(function)
        model = torch.jit.trace(traced.eval(), inputs[0], check_trace=False)
    file = str(stem) + ".pt"
    torch.jit.save(model, file)
    if not keeps_inputs(file):
        torch.jit.save(model, file, _extra_files=named_axes(model, idiom, kind, inputs[0]))
    model = torch.jit.load(file)
    arrays = {}
    for number, values in enumerate(inputs):
        for i, array in enumerate(arrays_of(values)):
            arrays[f"{number}/input/{i}"] = array.copy()
        for i, array in enumerate(arrays_of(model(*[value.clone() for value in values]))):
            arrays[f"{number}/output/{i}"] = array
    numpy.savez(str(stem) + ".npz", **arrays)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--into", type=Path, required=True)
    into = parser.parse_args().into
    into.mkdir(parents=True, exist_ok=True)
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    failures = {}
    for name, idiom in table.IDIOMS.items():
        for kind in KINDS if idiom.get("script", True) else KINDS[:-1]:
            try:
                with torch.no_grad():
                    make(idiom, kind, into / f"{kind}.{name}")
            except Exception as error:
                failures[f"{kind}.{name}"] = f"{type(error).__name__}: {error}"
    (into / "failures.json").write_text(json.dumps(failures, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
