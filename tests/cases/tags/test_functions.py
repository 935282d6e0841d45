"""`--functions`: modules as ONNX functions equal the flat export of the same file, node for node, tag for tag and
number for number, for any selection."""

from collections import Counter

import numpy
import onnx
import torch

import functions_differences  # noqa: F401  (registers its samples)
import test_scripted
from compiled import golden_module, input_flags, save
from functions_alone import check_function_names, check_tags_written
from functions_check import check_all
from functions_files import Files, selected
from functions_flat import check_constants, check_inliner, check_sharing, check_tags, check_types
from functions_models import SAMPLES
from functions_reading import read
from functions_samples import BATCH
from harness import (
    EXIT_USAGE, case, case_for_each, case_for_each_model, input_flags as table_flags, run, scratch,
    skip_unless_loadable, torchscript,
)
from models.make import example_inputs
from models.table import ALL
from test_bad_input import check_line
from test_golden import CASES as GOLDEN

MODELS = [ALL[name] for name in (
    "bert-tiny", "distilbert", "llama-sdpa", "vit", "resnet18", "transformer-scripted", "small-t5",
    "experts", "small-swin")]
SELECTIONS = {
    "torch.nn": selected("torch.nn.Linear,torch.nn.LayerNorm"), "depth": selected("depth=1"),
    "deeper": selected("depth=3"), "instances": selected(per_instance=True),
    "addresses": selected("encoder.layer.0,encoder.layer.1.attention"), "globs": selected("*Layer*"),
}


def called(model: onnx.ModelProto) -> Counter:
    """Calls of each function, in all graphs of the file."""
    functions = {(f.domain, f.name) for f in model.functions}
    lists = [model.graph.node, *(f.node for f in model.functions)]
    found, left = Counter(), [node for nodes in lists for node in nodes]
    while left:
        node = left.pop()
        found[node.op_type] += (node.domain, node.op_type) in functions
        left += [n for a in node.attribute for g in (a.g, *a.graphs) for n in g.node]
    return +found


# ---- whole models ----------------------------------------------------------------------------------


def check_model(model, functions: list) -> Files:
    skip_unless_loadable(model)
    feeds = [example_inputs(model, sizes, seed=23) for sizes in (model.traced, *model.others)]
    with scratch() as folder:
        return check_all(folder, torchscript(model), table_flags(model), functions, feeds)


@case_for_each_model(MODELS)
def whole_models(model):
    check_model(model, selected())


@case_for_each(SELECTIONS)
def selections(name):
    check_model(ALL["bert-tiny"], SELECTIONS[name])


@case
def equal_layers_are_one_function():
    files = check_model(ALL["bert-tiny"], selected("depth=2"))
    assert called(files.model)["BertLayer"] == 2 and len(files.model.functions) == 1


# ---- constructed models ----------------------------------------------------------------------------


@case_for_each(SAMPLES)
def constructed(name):
    sample = SAMPLES[name]
    torch.manual_seed(0)
    feeds = [sample.inputs(batch) for batch in (BATCH, 1, 6)]
    with scratch() as folder:
        pt = folder / "model.pt"
        net = sample.build().eval()
        with torch.no_grad():
            if sample.mode == "scripted":
                torch.jit.script(net).save(str(pt))
            else:
                traced = torch.jit.trace(net, feeds[0], check_trace=False, strict=False)
                traced.save(str(pt))
        functions = selected(sample.selectors, sample.per_instance)
        files = check_all(folder, pt, sample.flags(), functions, feeds)
    if sample.functions is not None:
        assert called(files.model) == Counter(sample.functions), called(files.model)


@case_for_each(GOLDEN)
def golden(name):
    maker = golden_module(name)
    for mode in getattr(maker, "MODES", ("traced", "scripted")):
        torch.manual_seed(0)
        net, inputs = maker.build()
        for functions in (selected(), selected(per_instance=True)):
            with scratch() as folder:
                pt = save(net, inputs, mode, folder / "model.pt")
                check_all(folder, pt, input_flags(*inputs), functions, [inputs])


@case_for_each(test_scripted.NAMES)
def scripted(name):
    folder = test_scripted.made()
    arrays = dict(numpy.load(folder / f"{name}.npz"))
    feeds = [[arrays[key] for key in sorted(arrays) if key.startswith(f"{number}/input/")]
             for number in sorted({key.split("/")[0] for key in arrays})]
    with scratch() as output:
        check_all(output, folder / f"{name}.pt", test_scripted.flags_of(folder, name), selected(), feeds)


# ---- planted faults are found ------------------------------------------------------------------------


def function_of(model, name: str):
    return next(f for f in model.functions if f.name == name)


def call_of(model, name: str):
    encoder = function_of(model, "BertEncoder")
    return next(node for node in encoder.node if node.name == name)


def swap_weights(model):
    """The second layer reads a weight of the first; both are zeros, or have equal shapes."""
    one, two = (call_of(model, f"layer.{i}") for i in range(2))
    at = list(function_of(model, "BertLayer").input).index("attention.self.query.bias")
    two.input[at] = one.input[at]


def swap_inputs(model):
    node = next(n for n in function_of(model, "BertSelfAttention").node if n.op_type == "MatMul")
    node.input[:] = reversed(node.input)


def set_tag(node, tag: str) -> None:
    for attribute in node.attribute:
        if attribute.name == "__source_module":
            attribute.s = tag.encode()
    for entry in node.metadata_props:
        entry.value = tag if entry.key == "source_module" else entry.value


def flip_tag(model):
    set_tag(function_of(model, "BertLayer").node[-1], "BertAttention")


def absolute_tag(model):
    set_tag(function_of(model, "BertOutput").node[0], "/BertModel/BertEncoder/BertLayer.0/BertOutput")


def flip_chain(model):
    node = function_of(model, "BertIntermediate").node[0]
    for entry in node.metadata_props:
        entry.value = entry.value.replace("dense", "sense")


def swap_calls(model):
    for entry in call_of(model, "layer.0").metadata_props:
        entry.value = entry.value.replace("layer.0", "layer.1").replace("BertLayer.0", "BertLayer.1")


def change_constant(model):
    node = next(n for n in function_of(model, "GELUActivation").node if n.op_type == "Constant")
    tensor = node.attribute[0].t if node.attribute[0].name == "value" else node.attribute[1].t
    tensor.raw_data = bytes(len(tensor.raw_data))


def rename_function(model):
    function_of(model, "BertPooler").name = "BertPooler_2"
    next(n for n in model.graph.node if n.op_type == "BertPooler").op_type = "BertPooler_2"


def change_type(model):
    info = function_of(model, "BertPooler").value_info[0]
    info.type.tensor_type.shape.dim[0].dim_param = "hatch"


def copy_function(model):
    copied = model.functions.add()
    copied.CopyFrom(function_of(model, "BertLayer"))
    copied.name = "BertLayer_2"
    call_of(model, "layer.1").op_type = "BertLayer_2"


PLANTED = {
    swap_weights: check_inliner, swap_inputs: check_inliner, flip_tag: check_tags,
    absolute_tag: check_tags_written, flip_chain: check_tags, swap_calls: check_tags,
    change_constant: check_constants, rename_function: check_function_names,
    change_type: check_types, copy_function: check_sharing,
}


@case_for_each(PLANTED, name=lambda change: change.__name__)
def what_is_planted_is_found(change):
    model = ALL["bert-tiny"]
    with scratch() as folder:
        files = Files(folder, torchscript(model), table_flags(model), selected())
    for planted in (False, True):
        try:
            if planted:
                change(files.model)
                files.reading = read(files.model)
            PLANTED[change](files)
            assert not planted, "it was not found"
        except AssertionError as error:
            assert planted and "not found" not in str(error), error


# ---- refusals -------------------------------------------------------------------------------

REFUSED = {
    "no class": ("--functions=BertLayr",),
    "no address": ("--functions=encoder.layer.7",), "no number": ("--functions=depth=x",),
    "negative": ("--functions=depth=-1",), "an empty one": ("--functions=BertLayer,",),
    "another word": ("--functions", "--functions-per", "module"),
    "without functions": ("--functions-per", "instance"),
    "an opset before functions": ("--functions", "--opset", "12"),
}


@case_for_each(REFUSED)
def refused(name):
    model = ALL["bert-tiny"]
    with scratch() as folder:
        result = run(torchscript(model), "--out", folder / "m.onnx", *table_flags(model), "--quiet",
                     *REFUSED[name])
        check_line(result, EXIT_USAGE)
        assert not list(folder.iterdir())


@case
def the_nearest_is_named():
    model = ALL["bert-tiny"]
    with scratch() as folder:
        result = run(torchscript(model), "--out", folder / "m.onnx", *table_flags(model), "--quiet",
                     "--functions=BertLayr")
        check_line(result, EXIT_USAGE, "BertLayer")
