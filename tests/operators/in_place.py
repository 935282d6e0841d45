"""Makes a file for every operator in place of this PyTorch that takes arguments which can be guessed from its
schema, with what libtorch computes: see tests/cases/exports/test_in_place.py.

Usage: in_place.py FOLDER ROWS   those that `htp-trace ops` lists, in one argument
"""

import json
import sys
import warnings
from pathlib import Path

import numpy
import torch
from make import arrays_of
from torch import nn

SIZE = 3
DTYPES = (torch.float32, torch.int64, torch.bool)
# Arguments that a guess by type does not fit, by name.
BY_NAME = {
    "dim0": 0, "dim1": 1, "dim": 0, "axis": 0, "axis0": 0, "axis1": 1, "k": 1, "n": 1, "p": 2.0, "maxnorm": 1.0,
    "min": 0.3, "max": 0.6, "exponent": 2, "lambd": 0.5, "reduce": "sum", "size": [SIZE, SIZE], "source_dim": 0,
    "rounding_mode": "floor", "decimals": 1, "diagonal": 0, "alpha": 1, "training": False,
}
BY_TYPE = {"int": 1, "float": 0.5, "number": 2, "bool": False, "Scalar": 2, "List[int]": [0]}
CUBE = 0.2 + 0.03 * torch.arange(SIZE**3).reshape(SIZE, SIZE, SIZE)
BELOW, ABOVE = torch.tensor(0.3), torch.tensor(0.6)
# Those of single operators, by name too.
OWN = {
    "aten::_index_put_impl_": {"values": torch.ones(SIZE)},
    "aten::acosh_": {"self": 3 + CUBE},
    "aten::addbmm_": {"batch1": CUBE, "batch2": CUBE},
    "aten::addmv_": {"self": CUBE[0, 0], "mat": CUBE[0], "vec": CUBE[0, 0]},
    "aten::alpha_dropout_": {"p": 0.5},
    "aten::arccosh_": {"self": 3 + CUBE},
    "aten::as_strided_": {"stride": [3, 1], "size": [2, 2]},
    "aten::baddbmm_": {"self": CUBE, "batch1": CUBE, "batch2": CUBE},
    "aten::clamp_.Tensor": {"min": BELOW, "max": ABOVE},
    "aten::clip_.Tensor": {"min": BELOW, "max": ABOVE},
    "aten::dropout_": {"p": 0.5},
    "aten::feature_alpha_dropout_": {"p": 0.5},
    "aten::feature_dropout_": {"p": 0.5},
    "aten::fill_.Tensor": {"value": BELOW},
    "aten::float_power_.Scalar": {"self": CUBE.double()},
    "aten::float_power_.Tensor": {"self": CUBE.double(), "exponent": CUBE.double()},
    "aten::index_fill_.int_Tensor": {"index": torch.tensor([0, 2]), "value": BELOW},
    "aten::index_put_": {"values": torch.ones(SIZE)},
    "aten::index_put_.hacked_twin": {"indices": [torch.tensor([0, 2])], "values": torch.ones(SIZE)},
    "aten::index_reduce_": {"reduce": "prod"},
    "aten::masked_fill_.Tensor": {"value": BELOW},
    "aten::mvlgamma_": {"self": 3 + CUBE, "p": 2},
    "aten::scatter_.reduce": {"reduce": "add"},
    "aten::scatter_.value_reduce": {"reduce": "add"},
    "aten::squeeze_.dims": {"self": CUBE[:1], "dim": [0]},
}


class Unguessed(Exception):
    """An argument of the schema has a type without a known value."""


def key_of(schema) -> str:
    return schema.name + ("." + schema.overload_name if schema.overload_name else "")


def tensor_for(name: str, dtype: torch.dtype) -> torch.Tensor:
    """Numbers that most operators accept: from 0.2 to 0.8, or a few integers."""
    if name in ("index", "indices"):
        return torch.tensor([[0, 2, 1], [1, 0, 2], [2, 1, 0]])
    if name in ("mask", "condition"):
        return torch.tensor([[True, False, True], [False, True, False], [True, True, False]])
    steps = torch.arange(SIZE * SIZE).reshape(SIZE, SIZE)
    if dtype.is_floating_point:
        return 0.2 + 0.07 * steps.to(dtype) + (0.01 if name == "other" else 0.0)
    return (steps % 4 + 1).to(dtype) if dtype is not torch.bool else steps % 2 == 0


def values_for(schema, dtype: torch.dtype, one_dim: tuple) -> list:
    """An argument of each kind; tensors in one_dim are a row."""
    values = []
    own = OWN.get(key_of(schema), {})
    for argument in schema.arguments:
        kind = str(argument.type)
        if argument.name in own:
            values.append(own[argument.name])
        elif kind == "Tensor":
            value = tensor_for(argument.name, dtype)
            values.append(value[0] if argument.name in one_dim else value)
        elif argument.name in BY_NAME:
            values.append(BY_NAME[argument.name])
        elif argument.has_default_value():
            values.append(argument.default_value)
        elif kind in BY_TYPE:
            values.append(BY_TYPE[kind])
        elif kind == "List[Optional[Tensor]]":
            values.append([torch.tensor([0, 2])])
        elif kind.startswith("Optional["):
            values.append(None)
        else:
            raise Unguessed(f"{argument.name}: {kind}")
    return values


class InPlace(nn.Module):
    """Calls it on a copy of an input, and returns the copy."""

    def __init__(self, overload, values: list):
        super().__init__()
        self.overload = overload
        self.values = values

    def forward(self, *tensors):
        given = iter(tensors)
        copies = [next(given) if isinstance(v, torch.Tensor) else v for v in self.values]
        copies[0] = copies[0].clone()
        self.overload(*self.positional(copies), **self.by_name(copies))
        return copies[0]

    def positional(self, values: list) -> list:
        arguments = self.overload._schema.arguments
        return [v for v, a in zip(values, arguments) if not a.kwarg_only]

    def by_name(self, values: list) -> dict:
        arguments = self.overload._schema.arguments
        return {a.name: v for v, a in zip(values, arguments) if a.kwarg_only}


def attempts(schema):
    for dtype in DTYPES:
        for one_dim in ((), ("index",), ("batch2",), ("index", "value"), ("tensor1",), ("vec1", "vec2"), ("vec",)):
            yield dtype, one_dim


def inputs_of(tensors: tuple) -> dict:
    """Its export options: files of an earlier PyTorch do not store the inputs of tracing."""
    return {f"argument_{i}": f"{str(t.dtype).removeprefix('torch.')}{list(t.shape)}"
            for i, t in enumerate(tensors, 1)}


def make(overload, file: Path) -> str | None:
    """Writes the file and its numbers. @return why not, if no attempt can be computed"""
    problem = "no attempt"
    for dtype, one_dim in attempts(overload._schema):
        try:
            module = InPlace(overload, values_for(overload._schema, dtype, one_dim))
            tensors = tuple(v for v in module.values if isinstance(v, torch.Tensor))
            with warnings.catch_warnings(), torch.no_grad():
                warnings.simplefilter("ignore")
                outputs = [module(*tensors), module(*tensors)]
                if not torch.equal(*outputs):
                    return "it is random, or a result has a NaN"
                traced = torch.jit.trace(module, tensors, check_trace=False)
                torch.jit.save(traced, file, _extra_files={"htp_inputs.json": json.dumps(inputs_of(tensors))})
        except Unguessed as unguessed:
            return str(unguessed)
        except Exception as error:  # any exception of an operator for invalid arguments
            problem = str(error).splitlines()[0]
            continue
        arrays = {f"in/{i}": a for i, a in enumerate(arrays_of(list(tensors)))}
        numpy.savez(file.with_suffix(".npz"), out=outputs[0].detach().numpy(), **arrays)
        return None
    return problem


def types_of(schema) -> list:
    return [str(argument.type) for argument in schema.arguments if not argument.is_out]


def overloads(rows: set):
    """(key, overload) of every in-place operator that is a row, or whose functional form is."""
    schemas = [schema for schema in torch._C._jit_get_all_schemas() if schema.name.startswith("aten::")]
    others = {}
    for schema in schemas:
        others.setdefault(schema.name, []).append(schema)
    for schema in schemas:
        name = schema.name.removeprefix("aten::")
        if not name.endswith("_") or name.endswith("__") and not name.startswith("__i") or name.startswith("__is"):
            continue
        twins = {key_of(t) for t in others.get(schema.name[:-1], []) if types_of(t) == types_of(schema)}
        if not (twins | {key_of(schema)}) & rows:
            continue
        overload = getattr(torch.ops.aten, name)
        yield key_of(schema), getattr(overload, schema.overload_name or "default")


def main() -> None:
    folder, rows = Path(sys.argv[1]), set(sys.argv[2].split())
    folder.mkdir(parents=True)
    told = {}
    for number, (key, overload) in enumerate(overloads(rows)):
        file = folder / f"{number:04}.pt"
        told[key] = {"number": file.stem, "problem": make(overload, file)}
    (folder / "in_place.json").write_text(json.dumps(told, indent=1))


if __name__ == "__main__":
    main()
