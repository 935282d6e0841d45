"""Results that depend on weights alone are computed at export; --no-fold keeps them in the graph."""

import json
from pathlib import Path

import numpy
import onnx

import harness
import numbers_check
import onnx_facts as facts
from harness import (EXIT_OK, EXIT_USAGE, INTO, case, case_for_each, case_for_each_model, export, made_by, run,
                     scratch, skip_unless_loadable)
from models.table import ALL

MAKER = Path(__file__).resolve().parents[2] / "custom" / "folding.py"
NORM = "BatchNormalization"

# Nodes of the file, with and without folding.
FOLDED = {
    "convolution": (["Conv", "Relu"], ["Conv", NORM, "Relu"]),
    "biased": (["Conv", "Relu"], ["Conv", NORM, "Relu"]),
    "line": (["Conv"], ["Conv", NORM]),
    "transposed": (["ConvTranspose"], ["ConvTranspose", NORM]),
    "transposed-groups": (["ConvTranspose"], ["ConvTranspose", NORM]),
    "linear": (["Gemm", "Add", "Tanh"], ["Gemm", NORM, "Tanh"]),
    "plain": (["Conv"], ["Conv", NORM]),
    "outer": (["Conv"], ["Conv", NORM]),
}
# Another node reads the weight, or the result; or the result is not finite.
APART = {
    "shared": ["Conv", NORM, "Conv", NORM],
    "branching": ["Conv", NORM, "Add"],
    "infinite": ["Conv", NORM],
}
ARITHMETIC = ("ReduceL2", "Div", "Exp", "Sin", "Cos", "Softmax", "Sub")


def made(name: str) -> Path:
    return made_by((MAKER,), INTO) / name


def written(name: str, path: Path, *flags):
    """An export with a dynamic number of rows."""
    shape = numpy.load(made(f"{name}.npz"))["x1"].shape[1:]
    given = f":float32[batch=2,{','.join(map(str, shape))}]"
    return export(made(f"{name}.pt"), path, "--input", given, *flags)


def exported(name: str, path: Path, *flags):
    """The model, which is right at both sizes at every level of ONNX Runtime."""
    result = written(name, path, *flags)
    onnx.checker.check_model(str(path), full_check=True)
    stored = numpy.load(made(f"{name}.npz"))
    for is_optimised in (False, True):
        session = numbers_check.session(path, is_optimised)
        for rows in (1, 3):
            got = session.run(None, {session.get_inputs()[0].name: stored[f"x{rows}"]})
            numbers_check.assert_close(got, [stored[f"y{rows}"]], f"{name}, {rows} rows")
    found = run("validate", path)
    assert found.returncode == EXIT_OK, found.stdout
    return onnx.load(path), result


def operators(model: onnx.ModelProto) -> list:
    return [node.op_type for node in model.graph.node]


def metadata(item) -> dict:
    return {entry.key: entry.value for entry in item.metadata_props}


@case_for_each(FOLDED)
def norms_become_part_of_layers(name):
    together, apart = FOLDED[name]
    with scratch() as folder:
        model, _ = exported(name, folder / "x.onnx")
        assert operators(model) == together, operators(model)
        kept, _ = exported(name, folder / "kept.onnx", "--no-fold")
        assert operators(kept) == apart, operators(kept)
    for node in model.graph.node[:2 if "Add" in together else 1]:
        served = json.loads(metadata(node)["full_tags"])
        assert len(served) == 2 and "BatchNorm" in served[1], served
        assert metadata(node)["full_tag"] == served[0]
    weights = {item.name: metadata(item).get("htp.parameter", "") for item in model.graph.initializer}
    assert any("running_var" in told for told in weights.values()), weights


@case_for_each(APART)
def others_stay_apart(name):
    with scratch() as folder:
        if name == "infinite":
            written("infinite", folder / "x.onnx")
            model = onnx.load(folder / "x.onnx")
        else:
            model, _ = exported(name, folder / "x.onnx")
    assert operators(model) == APART[name], operators(model)


@case
def tags_name_both_modules():
    with scratch() as folder:
        model, _ = exported("outer", folder / "x.onnx")
    attributes = {item.name: item for item in model.graph.node[0].attribute}
    assert attributes["__source_module"].s == b"/Outer/Layer"
    assert list(attributes["__hierarchy_tags"].strings) == [b"/Outer/Layer", b"/Outer/Norm"]


@case
def bodies_of_functions_stay_apart():
    """If one body has both, they are folded."""
    with scratch() as folder:
        written("outer", folder / "x.onnx", "--functions")
        model = onnx.load(folder / "x.onnx")
        inner = [node.op_type for function in model.functions for node in function.node]
        assert sorted(inner) == [NORM, "Conv"], inner
        written("outer", folder / "y.onnx", "--functions", "Layer")
        inner = [node.op_type for item in onnx.load(folder / "y.onnx").functions for node in item.node]
        assert inner == ["Conv"], inner
        whole, _ = exported("convolution", folder / "z.onnx", "--functions")
        assert operators(whole) == ["Conv", "Relu"]


@case
def folded_norms_are_not_cut_out():
    with scratch() as folder:
        exported("outer", folder / "x.onnx")
        result = run("extract", folder / "x.onnx", "--module", "norm.inner", "--out", folder / "n.onnx")
        assert result.returncode == EXIT_USAGE, result
        assert "folded into '/Outer/Layer/Conv2d'" in result.stderr, result.stderr
        exported("outer", folder / "kept.onnx", "--no-fold")
        result = run("extract", folder / "kept.onnx", "--module", "norm.inner", "--out", folder / "n.onnx")
        assert result.returncode == EXIT_OK, result


@case
def stripped_files_are_those_without_tags():
    with scratch() as folder:
        written("outer", folder / "x.onnx")
        written("outer", folder / "plain.onnx", "--tags", "none")
        assert run("strip", folder / "x.onnx", "--out", folder / "y.onnx").returncode == EXIT_OK
        assert (folder / "y.onnx").read_bytes() == (folder / "plain.onnx").read_bytes()


@case
def arithmetic_on_weights_is_computed():
    with scratch() as folder:
        model, _ = exported("arithmetic", folder / "x.onnx")
        kept, _ = exported("arithmetic", folder / "kept.onnx", "--no-fold")
    assert not set(ARITHMETIC) & set(operators(model)), operators(model)
    assert set(ARITHMETIC) <= set(operators(kept)), operators(kept)
    assert not facts.reading_constants_alone(model)
    told = [metadata(item).get("htp.parameter", "") for item in model.graph.initializer]
    lists = [sorted(json.loads(item)) for item in told if item.startswith("[")]
    assert ["conv.weight_g", "conv.weight_v"] in lists, told


MODELS = [ALL[name] for name in ("bert-tiny", "llama-sdpa", "vit", "resnet18", "transformer-scripted", "experts",
                                 "small-gpt2", "small-t5", "small-swin", "small-sam")]


@case_for_each_model(MODELS)
def nothing_reads_constants_alone(model):
    """With dynamic axes, and with fixed sizes."""
    skip_unless_loadable(model)
    for flags in ((), ("--static",)):
        left = facts.reading_constants_alone(onnx.load(harness.exported(model, *flags)))
        assert not left, (flags, [(node.name, list(node.input)) for node in left])


@case
def large_results_stay_in_the_graph():
    """A note lists them: 4 MB made from 4 kB."""
    with scratch() as folder:
        model, result = exported("large", folder / "x.onnx")
        assert (folder / "x.onnx").stat().st_size < 1 << 16
    assert "Sin" in operators(model)
    assert "aten::sin in forward() is computed of weights alone" in result.stderr, result.stderr


@case
def a_weight_that_is_read_otherwise_stays():
    with scratch() as folder:
        model, _ = exported("embedded", folder / "x.onnx")
    names = [item.name for item in model.graph.initializer]
    assert "table.weight" in names or "table.weight.T" in names, names
    assert "Mul" not in operators(model), operators(model)
