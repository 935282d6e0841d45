"""Types of values that a file does not declare: those that `graph` and `extract` infer hold in a run."""

import json
import re
from pathlib import Path

import numpy
import onnx
from onnx import TensorProto

from commands import NO_SHIM
from harness import (
    EXIT_OK, INTO, ROOT, VENV_PYTHON, case_for_each, case_for_each_model, exported, made_by, run, scratch,
    skip_unless, skip_unless_loadable,
)
from models.table import FIDELITY
from numbers_check import session
from test_extract import MODELS, called_modules, check_numbers, inputs_of, through_the_whole
from test_split import check as check_split
from told_types import check_against_onnx, types_of

MAKER = ROOT / "tests" / "support" / "older_exporter.py"
OLDER = ("bert-tiny", "distilbert-sdpa", "transformer-traced", "vit", "control", "images-11",
         "images-13", "images-17", "decoder-11", "decoder-17")
CUT = {  # and the minimum number of extracted modules
    "bert-tiny": 20, "transformer-traced": 8, "control": 4, "images-13": 6, "decoder-11": 10,
}


def older(name: str) -> tuple:
    """A file of PyTorch's older exporter, and arrays to run it."""
    skip_unless("newer exporter")
    folder = made_by((MAKER, ROOT / "models/make.py", ROOT / "models/table.py"), INTO,
                     python=VENV_PYTHON)
    arrays = numpy.load(folder / f"{name}.npz")
    return folder / f"{name}.onnx", [arrays[key] for key in arrays.files]


def size_of(dim: str, sizes: dict):
    """The value of a dim; None if a name in it has none."""
    if dim in sizes:
        return sizes[dim]
    for name in sorted(sizes, key=len, reverse=True):
        dim = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", str(sizes[name]), dim)
    try:
        return eval(dim, {"__builtins__": {}, "min": min, "max": max})
    except (NameError, SyntaxError):
        return None


def sizes_of(model, values: dict) -> dict:
    sizes = {}
    for value in model.graph.input:  # this exporter uses one name for several dims of an output
        for dim, size in zip(value.type.tensor_type.shape.dim, values[value.name].shape):
            if dim.dim_param:
                assert sizes.setdefault(dim.dim_param, size) == size, dim.dim_param
    return sizes


def check_against_a_run(file: Path, told: dict, feeds: dict) -> tuple:
    """@return the number of dims, and of known ones."""
    model = onnx.load(file)
    with scratch() as folder:
        values = through_the_whole(file, feeds, folder)
    sizes = sizes_of(model, values)
    counts = [0, 0]
    outputs = {o.name for o in model.graph.output}
    for name, type_ in told.items():
        if name in values and type_:
            dtype, dims = type_
            array = values[name]
            assert str(array.dtype) == dtype and array.ndim == len(dims), (name, type_, array.shape)
            for dim, size in zip(dims, array.shape):
                counts[0] += 1
                if dim != "?" and name not in outputs:
                    counts[1] += 1
                    assert size_of(dim, sizes) == size, (name, dims, array.shape, sizes)
    return tuple(counts)


@case_for_each(OLDER)
def types_of_the_older_exporter(name):
    file, arrays = older(name)
    model = onnx.load(file)
    assert not model.graph.value_info
    told = types_of(file)
    check_against_onnx(model, told, 1)
    dims, known = check_against_a_run(file, told, inputs_of(file, arrays))
    assert known >= 0.75 * dims, (known, dims)


def other_sizes(model, seed: int) -> dict:
    """Inputs of the same kinds, of other sizes."""
    generator = numpy.random.default_rng(seed)
    sizes, feeds = {}, {}
    for value in model.graph.input:
        tensor = value.type.tensor_type
        shape = [sizes.setdefault(d.dim_param, int(generator.integers(1, 7)) + 3 * (d.dim_param in (
            "height", "width"))) if d.dim_param else d.dim_value for d in tensor.shape.dim]
        if tensor.elem_type == TensorProto.INT64:
            feeds[value.name] = generator.integers(0, 2, shape)
        else:
            feeds[value.name] = generator.normal(size=shape).astype(numpy.float32)
    return feeds


@case_for_each(sorted(set(OLDER) - {"vit"}))
def types_hold_for_other_sizes(name):
    file, _ = older(name)
    told = types_of(file)
    for seed in range(3):
        check_against_a_run(file, told, other_sizes(onnx.load(file), seed))


@case_for_each(CUT)
def modules_of_the_older_exporter(name):
    """Every extractable module has types; modules in bodies are valid models."""
    file, arrays = older(name)
    count = 0
    with scratch() as folder:
        part = folder / "part.onnx"
        values = through_the_whole(file, inputs_of(file, arrays), folder)
        for address, _ in called_modules(file):
            result = run("extract", file, "--module", address, "--out", part, "--json", env=NO_SHIM)
            if result.returncode != EXIT_OK:
                assert "has no nodes" in result.stderr or "comes back" in result.stderr, result.stderr
                continue
            told = json.loads(result.stdout)
            assert all(v["dims"] is not None for v in (*told["inputs"], *told["outputs"])), told
            if all(v["name"] in values for v in (*told["inputs"], *told["outputs"])):
                check_numbers(part, told, values)
            else:
                onnx.checker.check_model(str(part), full_check=True)
                session(part, optimised=False)
            count += 1
    assert count >= CUT[name], count


@case_for_each(CUT)
def splits_of_the_older_exporter(name):
    file, arrays = older(name)
    feeds = inputs_of(file, arrays)
    parts = check_split(file, feeds, "--depth", "1", "--share-weights")["parts"]
    assert len(parts) > (name in ("control", "images-13", "decoder-11"))


def strip_types(model) -> None:
    def strip(graph):
        del graph.value_info[:]
        for node in graph.node:
            for attribute in node.attribute:
                for body in (attribute.g, *attribute.graphs):
                    strip(body)
    strip(model.graph)


@case_for_each_model([model for model in FIDELITY if model.name in MODELS])
def our_own_without_their_types(model):
    """They equal the declared types wherever both use the same notation."""
    skip_unless_loadable(model)
    file = exported(model)
    wanted = types_of(file)
    bare = onnx.load(file)
    strip_types(bare)
    with scratch() as folder:
        onnx.save(bare, folder / "bare.onnx", save_as_external_data=False)
        told = types_of(folder / "bare.onnx")
    sizes = {d.dim_param: size for n, d in enumerate(
        d for i in bare.graph.input for d in i.type.tensor_type.shape.dim if d.dim_param)
        for size in [101 + 16 * n]}
    assert told.keys() == wanted.keys() and None not in told.values()
    for name, (dtype, dims) in wanted.items():
        assert told[name][0] == dtype and len(told[name][1]) == len(dims), (name, told[name], dims)
        for a, b in zip(told[name][1], dims):
            x, y = size_of(a, sizes), size_of(b, sizes)
            assert a == b or x is None or y is None or x == y, (name, told[name], dims)
