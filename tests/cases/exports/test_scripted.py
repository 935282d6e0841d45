"""Scripted models: numbers for inputs with other branches and trip counts, and tags."""

import json
from pathlib import Path

import numpy
import onnx

import numbers_check
from harness import (DEBIAN_PYTHON, EXIT_OK, INTO, case, case_for_each, made_by, run, scratch,
                     skip_unless)
from skips import VISION
from test_hostile_files import PYTHON, module, tensor, write

MAKER = Path(__file__).resolve().parents[2] / "custom" / "scripted.py"
SOURCES = (MAKER, MAKER.parents[1] / "operators" / "building.py")
NAMES = ("gated-loop", "lstm-loop", "lstm-layers", "greedy", "greedy-rank", "beams", "experts",
         "encoder")
VISION_NAMES = ("faster-rcnn", "resnet18", "googlenet")


def made(*group) -> Path:
    return made_by(SOURCES, INTO, *group, python=DEBIAN_PYTHON if group else "")


def walk(graph):
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                yield from walk(attribute.g)


def check_tags(model) -> None:
    """Every node, nested or not, has one tag, which is that of a module."""
    metadata = {entry.key: entry.value for entry in model.metadata_props}
    known = set(json.dumps(json.loads(metadata["htp.module_tree"])).split('"'))
    for node in walk(model.graph):
        tags = [a.s.decode() for a in node.attribute if a.name == "__source_module"]
        assert len(tags) == 1, f"{node.name}: {tags}"
        assert tags[0] in known, f"{node.name}: {tags[0]} is no module"


def flags_of(folder: Path, name: str) -> list:
    return [part for flag in json.loads((folder / f"{name}.json").read_text())
            for part in (flag.split("=", 1) if flag.startswith("--") else ("--input", flag))]


def check(name: str, folder: Path, *flags) -> onnx.ModelProto:
    given = flags_of(folder, name)
    arrays = dict(numpy.load(folder / f"{name}.npz"))
    with scratch() as output:
        out = output / "x.onnx"
        result = run(folder / f"{name}.pt", "--out", out, *given, *flags)
        assert result.returncode == EXIT_OK, result.stderr
        model = onnx.load(out)
        session = numbers_check.session(out)
    onnx.checker.check_model(model, full_check=True)
    check_tags(model)
    inputs = [argument.name for argument in session.get_inputs()]
    for number in sorted({key.split("/")[0] for key in arrays}):
        given = [arrays[key] for key in sorted(arrays) if key.startswith(f"{number}/input/")]
        wanted = [arrays[key] for key in sorted(arrays) if key.startswith(f"{number}/output/")]
        got = session.run(None, dict(zip(inputs, given)))
        assert len(got) == len(wanted), f"{len(got)} outputs, not {len(wanted)}"
        for k, (array, right) in enumerate(zip(got, wanted)):
            where = f"input {number}, output {k}"
            assert array.shape == right.shape, f"{where}: {array.shape}, not {right.shape}"
            assert array.dtype == right.dtype, f"{where}: {array.dtype}, not {right.dtype}"
            numpy.testing.assert_allclose(array, right, 1e-3, 1e-3, err_msg=where)
    return model


@case_for_each(NAMES)
def model(name: str) -> None:
    check(name, made())


@case_for_each(VISION_NAMES)
def vision(name: str) -> None:
    skip_unless("torchvision")
    check(name, made("vision"), "--load-library", VISION[0])


@case
def experts_in_branches() -> None:
    """Nodes of an expert that may not run are in a branch, and have its tag."""
    found = check("experts", made())
    tags = {a.s.decode() for node in walk(found.graph) if node.op_type == "Relu"
            for a in node.attribute if a.name == "__source_module"}
    assert tags == {f"/Experts/Expert.{i}" for i in range(3)}, tags
    assert any(node.op_type == "If" for node in found.graph.node)


@case
def operators_of_older_files_are_upgraded():
    """Before version 5, torch.full() made floats of an int."""
    code = PYTHON.replace("torch.add(x, self.w)", "torch.full([2, 3], 7)")
    for version, kind in ((4, onnx.TensorProto.FLOAT), (10, onnx.TensorProto.INT64)):
        with scratch() as folder:
            file, out = folder / "net.pt", folder / "out.onnx"
            write(file, module(tensor()), code=code, version=version)
            result = run(file, "--out", out, "--input", "x:float32[4,4]", "--quiet")
            assert result.returncode == EXIT_OK, result.stderr
            (output,) = onnx.load(out).graph.output
            assert output.type.tensor_type.elem_type == kind, output
