"""Operators one by one: traced or scripted by PyTorch, exported, and compared with eager mode.

The cases are data, in tests/operators/*_cases.py: CASES is a list of dicts with
  name      unique in the file
  module    a function that returns what is run: a module or a function
  inputs    a function that returns the arguments
  others    a function that returns lists of arguments of the same sizes, which are compared, too
  dynamic   {argument: {axis: name}}: axes that are dynamic; compared at two other sizes, too
  script    True: made by torch.jit.script instead of torch.jit.trace
  refused   what the message says of a program that cannot be exported; True: of an operator
  opset     the lowest opset that can hold it; refused below
  emits     (operator, opset): what its models hold from that opset on, and not before
  needs     the PyTorch that has the operator: (2, 0)
  roundings how often PyTorch rounds to a narrow type on the way to the result; 1 when left out
What PyTorch before 2.0 does otherwise is listed with the reasons in tests/operators/earlier.py.
"""

import functools
import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy
import onnx

import harness
import numbers_check
from harness import DEBIAN_PYTHON, VENV_PYTHON

FOLDER = Path(__file__).resolve().parent / "operators"
sys.path.insert(0, str(FOLDER))
FILES = sorted(FOLDER.glob("*_cases.py"))
earlier = importlib.import_module("earlier")
IS_EARLIER = harness.libtorch_version() < (2, 0)
# What an opset changes does not depend on libtorch.
OPSETS = (18,) if IS_EARLIER else (17, 18, 21, 23)

# Absolute and relative tolerances: two units in the last place for the narrow types, whose operators
# PyTorch rounds once or twice, depending on its version.
TOLERANCES = {
    "bfloat16": (1e-3, 2 * 2**-8), "float16": (1e-4, 2 * 2**-11),
    "float32": (1e-4, 1e-3), "float64": (1e-9, 1e-9), "number": (1e-9, 1e-9),
}

NARROW = ("bfloat16", "float16")


def cases() -> dict:
    found = {}
    for file in FILES:
        group = file.stem.removesuffix("_cases")
        for case in importlib.import_module(file.stem).CASES:
            name = f"{group}/{case['name']}"
            assert name not in found, f"two cases are named {name}"
            found[name] = case
    return found


TABLE = cases()


@functools.cache
def prepared(group: str) -> Path:
    """The folder with all cases of a file, made and exported once in a run."""
    folder = Path(os.environ["HTP_TEST_OUTPUT"]) / "operators" / group
    folder.parent.mkdir(exist_ok=True)
    file = FOLDER / f"{group}_cases.py"
    with harness.locked(folder.with_suffix(".lock")):
        if not (folder / "cases.json").exists():
            python = DEBIAN_PYTHON if IS_EARLIER else VENV_PYTHON
            command = [python, str(FOLDER / "make.py"), "--into", str(folder), str(file)]
            result = subprocess.run(command, capture_output=True, text=True, timeout=1800)
            assert result.returncode == 0, result.stderr[-3000:]
        for opset in OPSETS:
            if not (folder / f"{opset}.txt").exists():
                export_all(folder, opset)
    return folder


def export_all(folder: Path, opset: int) -> None:
    files = sorted(folder.glob("*.pt"))
    out = folder / str(opset)
    out.mkdir(exist_ok=True)
    flags = ["--out-dir", out, "--opset", opset, "--quiet"]
    result = harness.run(*files, *flags, timeout=1800)
    (folder / f"{opset}.txt").write_text(result.stderr)


def failure_of(folder: Path, number: str, opset: int) -> str:
    lines = (folder / f"{opset}.txt").read_text().splitlines()
    return "\n".join(line for line in lines if f"{number}.pt" in line)


def is_refused(text: str, why) -> bool:
    return ("cannot be exported" if why is True else why) in text


def assert_close(got, wanted, dtype: str, where: str, roundings: int) -> None:
    assert got.shape == wanted.shape, f"{where}: {got.shape}, not {wanted.shape}"
    assert got.dtype == wanted.dtype, f"{where}: {got.dtype}, not {wanted.dtype}"
    if got.dtype.kind != "f":
        assert numpy.array_equal(got, wanted), f"{where}: {got}, not {wanted}"
        return
    absolute, relative = TOLERANCES[dtype if dtype in TOLERANCES else str(got.dtype)]
    if dtype in NARROW and roundings > 1:
        # What was rounded on the way was of order 1, whatever became of it.
        absolute, relative = roundings * relative, roundings * relative
    close = numpy.isclose(got, wanted, relative, absolute, equal_nan=True)
    assert close.all(), f"{where}: {got[~close][:4]}, not {wanted[~close][:4]}"


def check_emitted(model: Path, opset: int, emits: tuple) -> None:
    operator, first = emits
    nodes = onnx.load(model).graph.node
    holds = any(node.op_type == operator for node in nodes)
    assert holds == (opset >= first), f"opset {opset}: {[node.op_type for node in nodes]}"


def flattened(got: list, keys: list) -> list:
    """Outputs as the makers flatten them: sequences, and a tensor for a list of numbers."""
    if all(key.endswith("/number") for key in keys) and numpy.ndim(got[0]) == 1:
        return list(got[0])
    return [tensor for one in got for tensor in (one if isinstance(one, list) else [one])]


def compare(model: Path, arrays, where: str, roundings: int) -> None:
    onnx.checker.check_model(onnx.load(model), full_check=True)
    session = numbers_check.session(model)
    names = [argument.name for argument in session.get_inputs()]
    for variant in sorted({key.split("/")[0] for key in arrays}):
        inputs = [arrays[key] for key in sorted(arrays) if key.startswith(f"{variant}/input/")]
        outputs = [key for key in sorted(arrays) if key.startswith(f"{variant}/output/")]
        assert len(names) == len(inputs), f"{where}: inputs {names}, {len(inputs)} expected"
        got = flattened(session.run(None, dict(zip(names, inputs))), outputs)
        assert len(got) == len(outputs), f"{where}: {len(got)} outputs, {len(outputs)} expected"
        for array, key in zip(got, outputs):
            dtype = key.split("/")[-1]
            assert_close(numpy.asarray(array), arrays[key], dtype, f"{where}, {key}", roundings)


def is_made_here(name: str) -> bool:
    return harness.libtorch_version() >= tuple(TABLE[name].get("needs", (0, 0)))


@harness.case_for_each(filter(is_made_here, TABLE))
def operator(name: str) -> None:
    case, folder = TABLE[name], prepared(name.split("/")[0])
    entry = json.loads((folder / "cases.json").read_text())[name]
    failure = entry.get("failure", "")
    if IS_EARLIER and any(text in failure for text in earlier.CANNOT_MAKE):
        return
    assert not failure, f"PyTorch does not make it: {failure}"
    roundings = earlier.ROUNDINGS.get(name, 1) if IS_EARLIER else 1
    roundings = max(roundings, case.get("roundings", 1))
    number = entry["number"]
    arrays = dict(numpy.load(folder / f"{number}.npz"))
    for opset in OPSETS:
        model = folder / str(opset) / f"{number}.onnx"
        failure = failure_of(folder, number, opset)
        if case.get("refused") or opset < case.get("opset", 0):
            assert not model.exists(), f"opset {opset}: it is not refused"
            assert is_refused(failure, case.get("refused", True)), f"opset {opset}: {failure}"
            continue
        assert model.exists(), f"opset {opset}: {failure or 'no model, and no word of it'}"
        compare(model, arrays, f"opset {opset}", roundings)
        if case.get("emits"):
            check_emitted(model, opset, case["emits"])
