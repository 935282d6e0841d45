"""Ordinary idioms of image and sequence code, as people save them: traced at small sizes and at ordinary ones and
exported without flags, scripted with axes that have names. Every axis that can be dynamic is, and numbers equal
libtorch's at the sizes of the example and at two others.

The idioms are data, in tests/idioms/*_idioms.py; tests/idioms/writing.py describes a row.
"""

import functools
import importlib
import json
import os
import sys
from pathlib import Path

import numpy
import onnx

import harness
import numbers_check

FOLDER = Path(__file__).resolve().parents[2] / "idioms"
sys.path.insert(0, str(FOLDER))
IDIOMS = importlib.import_module("table").IDIOMS
writing = importlib.import_module("writing")
FILES = [f"{kind}.{name}" for name, idiom in IDIOMS.items() for kind in writing.KINDS
         if idiom.get("script", True) or kind != writing.SCRIPTED]


@functools.cache
def made() -> tuple:
    """The folder with the files of all idioms, and why PyTorch could not make the others."""
    sources = [FOLDER / "make_idiom_files.py", FOLDER / "table.py", FOLDER / "writing.py"]
    sources += [FOLDER.parent / "operators" / name for name in ("make.py", "building.py")]
    sources += sorted(FOLDER.glob("*_idioms.py"))
    folder = harness.made_by(tuple(dict.fromkeys(sources)), "--into", harness.INTO)
    return folder, json.loads((folder / "failures.json").read_text())


@functools.cache
def exported(kind: str) -> tuple:
    """The folder with the ONNX models of a kind, exported in one process, and the answers; once in a run."""
    out = Path(os.environ["HTP_TEST_OUTPUT"]) / "idioms" / kind
    out.parent.mkdir(parents=True, exist_ok=True)
    kept = out.with_suffix(".json")
    with harness.locked(out.with_suffix(".lock")):
        if not kept.exists():
            out.mkdir(exist_ok=True)
            files = sorted(made()[0].glob(f"{kind}.*.pt"))
            result = harness.run(*files, "--out-dir", out, "--quiet", "--json", timeout=900)
            told = [json.loads(line) for line in result.stdout.splitlines()]
            assert len(told) == len(files), f"told of {len(told)} of {len(files)}: {result.stderr[-2000:]}"
            kept.write_text(json.dumps({Path(one["model"]).stem: one for one in told}))
    return out, json.loads(kept.read_text())


def dims_that_move(idiom: dict, is_scripted: bool) -> list:
    """Whether each dim is dynamic; None if a row has a number, which may be."""
    fixed = writing.fixed_of(idiom, is_scripted)
    return [[dim not in fixed if isinstance(dim, str) else None for dim in one.dims] for one in idiom["inputs"]]


def assert_moving(model: onnx.ModelProto, wanted: list) -> None:
    found = [[bool(dim.dim_param) for dim in value.type.tensor_type.shape.dim] for value in model.graph.input]
    assert len(found) == len(wanted), f"{len(found)} inputs, {len(wanted)} expected"
    for dims, expected in zip(found, wanted):
        agree = [want is None or moves == want for moves, want in zip(dims, expected)]
        assert len(dims) == len(expected) and all(agree), f"moving: {found}, not {wanted}"


def assert_apart(model: onnx.ModelProto, idiom: dict) -> None:
    """No axis has two names of the idiom."""
    names: dict = {}
    for value, one in zip(model.graph.input, idiom["inputs"]):
        for dim, name in zip(value.type.tensor_type.shape.dim, one.dims):
            if dim.dim_param and isinstance(name, str):
                names.setdefault(dim.dim_param, set()).add(name)
    joined = {axis: found for axis, found in names.items() if len(found) > 1}
    assert not joined, f"axes that are one: {joined}"


@harness.case_for_each(FILES)
def idiom(file: str) -> None:
    kind, name = file.split(".")
    idiom = IDIOMS[name]
    if harness.libtorch_version() < idiom.get("needs", (0, 0)):
        raise harness.Skipped("it came with PyTorch " + ".".join(map(str, idiom["needs"])))
    folder, failures = made()
    assert file not in failures, f"PyTorch does not make it: {failures[file]}"
    out, told = exported(kind)
    assert (out / f"{file}.onnx").exists(), told[file]
    model = onnx.load(out / f"{file}.onnx")
    onnx.checker.check_model(model, full_check=True)
    assert_moving(model, dims_that_move(idiom, kind == writing.SCRIPTED))
    assert_apart(model, idiom)
    runner = numbers_check.session(out / f"{file}.onnx")
    names = [argument.name for argument in runner.get_inputs()]
    arrays = numpy.load(folder / f"{file}.npz")
    for number in sorted({key.split("/")[0] for key in arrays}):
        inputs, outputs = ([arrays[key] for key in arrays if key.startswith(f"{number}/{what}/")]
                           for what in ("input", "output"))
        assert len(names) == len(inputs), f"inputs {names}, {len(inputs)} expected"
        got = runner.run(None, dict(zip(names, inputs)))
        numbers_check.assert_close(got, outputs, f"sizes {number}")
