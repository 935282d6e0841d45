"""Every model of the table: valid ONNX whose numbers are libtorch's."""

import onnx

from harness import (
    EXIT_BAD_INPUT, case, case_for_each, case_for_each_model, export, exported, input_flags, is_loadable,
    record, run, scratch, skip_unless_loadable, torchscript,
)
from models.table import ALL, FIDELITY
from numbers_check import check, feed, reference, assert_close, session
from models.make import example_inputs

SMALL = ("transformer-traced", "transformer-scripted", "bert-tiny", "distilbert", "llama", "vit",
         "vit-unfused", "bert-tiny-30522-sdpa", "llama-sdpa")


@case_for_each_model([model for model in FIDELITY if not is_loadable(model)])
def refused(model):
    """A model that this libtorch cannot load is refused by the operator's name."""
    with scratch() as folder:
        out = folder / "model.onnx"
        result = run(torchscript(model), "--out", out, *input_flags(model))
        assert result.returncode == EXIT_BAD_INPUT, result.returncode
        assert model.needs in result.stderr, result.stderr
        assert len(result.stderr.splitlines()) == 1, result.stderr
        assert not out.exists()


@case_for_each_model(FIDELITY)
def numbers(model):
    skip_unless_loadable(model)
    path = exported(model)
    onnx.checker.check_model(str(path), full_check=True)
    check(path, torchscript(model), model)
    if model.name in SMALL:
        check(path, torchscript(model), model, optimised=False)


@case_for_each_model(FIDELITY)
def dynamic_axes(model):
    """Graph inputs and outputs carry dtype, dims, and the names of dynamic axes."""
    skip_unless_loadable(model)
    graph = onnx.load(str(exported(model)), load_external_data=False).graph
    assert [value.name for value in graph.input] == [item.name for item in model.inputs]
    for value, item in zip(graph.input, model.inputs):
        wanted = onnx.TensorProto.FLOAT if item.dtype == "float32" else onnx.TensorProto.INT64
        assert value.type.tensor_type.elem_type == wanted, value.name
        dims = value.type.tensor_type.shape.dim
        assert [dim.dim_param or dim.dim_value for dim in dims] == list(item.dims), value.name
    assert len(graph.output) == model.outputs
    for value in graph.output:
        assert value.type.tensor_type.elem_type == onnx.TensorProto.FLOAT
        assert value.type.tensor_type.shape.dim[0].dim_param == "batch", value.name


@case_for_each([m for m in FIDELITY if m.parameters], name=lambda model: model.name)
def known_size(model):
    facts = record(model.name)
    instances = {module["instance"] for module in facts["modules"]}
    assert facts["parameter_count"] == model.parameters, facts["parameter_count"]
    assert len(instances) == model.modules, len(instances)


def derived(name: str) -> None:
    """Exported without any flag, at the sizes that the program assumes."""
    model = ALL[name]
    with scratch() as folder:
        out = folder / "model.onnx"
        result = export(torchscript(model), out)
        for item in model.inputs:
            assert item.name in result.stderr, "what was assumed is not printed"
        onnx.checker.check_model(str(out), full_check=True)
        runner = session(out)
        sizes = {}
        for argument, item in zip(runner.get_inputs(), model.inputs):
            assert argument.type == ("tensor(float)" if item.kind == "normal" else "tensor(int64)")
            known = dict(zip(item.dims, argument.shape))
            sizes.update({axis: n for axis, n in known.items() if isinstance(n, int)})
        for axis, size in model.traced.items():
            sizes.setdefault(axis, size)
        inputs = example_inputs(model, sizes, seed=5)
        assert_close(feed(runner, inputs), reference(torchscript(model), inputs), name)


@case
def bert_tiny_without_flags():
    derived("bert-tiny")


@case
def transformers_without_flags():
    derived("transformer-traced")
    derived("transformer-scripted")


@case
def resnet_without_flags():
    derived("resnet18")
