"""`replace`: a node of a custom operator computes what its module did, and everything else keeps its bytes."""

from pathlib import Path

import numpy
import onnx
from onnx import TensorProto, helper

from commands import NO_SHIM, ask, facts, tags_of
from custom_nodes import add_functions, walk
from exporters import foreign, ours
from harness import (
    EXIT_OK, EXIT_USAGE, case, case_for_each, case_for_each_model, exported, run, scratch, skip_unless_loadable,
)
from models.make import example_inputs
from models.table import ALL
from numbers_check import session
from test_bad_input import check_line
from test_extract import X, Y, arrays_of, extract, inputs_of, is_equal, network, node, save

MODULES = {  # by model: the modules that are replaced
    "bert-tiny": ("BertLayer", "BertSelfAttention", "BertIntermediate", "embeddings"),
    "gpt2-sdpa": ("GPT2Block", "GPT2Attention"),
    "resnet18": ("BasicBlock", "layer1.0.conv1"),
    "vit": ("ViTLayer",),
    "transformer-scripted": ("Block",),
    "detector": ("backbone", "Conv2d.sizes"),
}
OPERATOR = "my.domain:Fused@3"


def replace(file: Path, out: Path, *options) -> dict:
    return facts("replace", file, "--op", OPERATOR, "--out", out, *options)


def field_bytes(messages, left_out=()) -> list:
    return [m.SerializeToString() for m in messages if m.name not in left_out]


def check_rest(file: Path, out: Path, told: dict) -> None:
    """What was not replaced is as it was, and the new nodes are what the answer says."""
    before, after = (onnx.load(f, load_external_data=False) for f in (file, out))
    onnx.checker.check_model(str(out))
    assert run("validate", out).returncode == EXIT_OK, run("validate", out).stdout
    new = [n for n in walk(after.graph) if n.domain == "my.domain"]
    assert [n.name for n in new] == [m["node"] for m in told["modules"]]
    kept = [n.SerializeToString() for n in after.graph.node if n.domain != "my.domain"]
    old = [n.SerializeToString() for n in before.graph.node]
    if all(n in list(after.graph.node) for n in new):
        assert [n for n in old if n in set(kept)] == kept
    for a, b in ((before.graph.input, after.graph.input), (before.graph.output, after.graph.output)):
        assert field_bytes(a) == field_bytes(b)
    weights = {i.name: i for i in before.graph.initializer}
    for weight in after.graph.initializer:
        was = weights[weight.name]
        for compared in (weight, was):
            del compared.metadata_props[:]
            places = [e for e in compared.external_data if e.key != "location"]
            del compared.external_data[:]
            compared.external_data.extend(places)
        assert weight == was, weight.name
    tags = {m["full_tag"] or m["tag"]: m["tag"] for m in facts("inspect", file)["modules"]}
    types = {v.name for g in (after.graph.value_info, after.graph.output) for v in g}
    for made, module in zip(new, told["modules"]):
        check_node(made, module, tags)
        assert all(name in types for name in made.output) or made not in list(after.graph.node), made.output
    assert [(o.domain, o.version) for o in after.opset_import][-1] == ("my.domain", 3)


def check_node(made, module: dict, tag_of: dict) -> None:
    assert list(made.input) == [v["name"] for v in (*module["inputs"], *module["weights"])]
    assert list(made.output) == [v["name"] for v in module["outputs"]]
    tags = [a.s.decode() for a in made.attribute if a.name.endswith("source_module")]
    tags += [p.value for p in made.metadata_props if p.key == "source_module"]
    assert all(tag == tag_of.get(module["module"], module["module"]) for tag in tags), (tags, module["module"])
    names = [a.name for a in made.attribute if not a.name.endswith("source_module")]
    assert names == module["attributes"], names


def check_replaced(file: Path, address: str, feeds: dict, folder: Path) -> dict:
    """Replaces modules, and compares numbers by functions in the place of the operator."""
    told = replace(file, folder / "replaced.onnx", "--module", address)
    check_rest(file, folder / "replaced.onnx", told)
    parts = []
    for module in told["modules"]:
        call = () if module["call"] is None else ("--call", str(module["call"]))
        cut = extract(file, folder / "part.onnx", "--module", module["module"], *call)
        assert cut["inputs"] == module["inputs"] and cut["outputs"] == module["outputs"]
        assert cut["nodes"] == module["replaced"]
        parts.append(onnx.load(folder / "part.onnx"))
    runnable = add_functions(folder / "replaced.onnx", parts, folder / "runnable.onnx")
    got, wanted = (session(f, optimised=False).run(None, feeds) for f in (runnable, file))
    assert len(got) == len(wanted) and all(map(is_equal, got, wanted)), address
    return told


@case_for_each_model([ALL[name] for name in MODULES])
def modules_of_models(model):
    skip_unless_loadable(model)
    file = exported(model)
    feeds = inputs_of(file, [t.numpy() for t in example_inputs(model, model.others[-1], seed=5)])
    for address in MODULES[model.name]:
        with scratch() as folder:
            told = check_replaced(file, address, feeds, folder)
            borders = {(len(m["inputs"]), len(m["weights"]), tuple(sorted(m["attributes"])), len(m["outputs"]))
                       for m in told["modules"]}
            assert len(borders) == 1 or model.name == "resnet18", borders


@case_for_each(("twice", "chained", "residual"))
def every_call_is_a_node(name):
    address = {"twice": "block", "chained": "gate", "residual": "Gate"}[name]
    with scratch() as folder:
        file = network(name, folder)
        told = check_replaced(file, address, inputs_of(file, arrays_of(name)), folder)
        assert [m["call"] for m in told["modules"]] == {"twice": [0, 1, 2], "chained": [0, 1],
                                                        "residual": [None, 0, 1, None]}[name]
        if name != "residual":
            calls = [p.value for n in onnx.load(folder / "replaced.onnx").graph.node for p in n.metadata_props
                     if p.key == "call" and n.domain]
            assert calls == [str(m["call"]) for m in told["modules"]]


@case_for_each(("operator", "part"))
def one_call_of_several(by):
    """The other calls stay as they are, with the weights that they share."""
    with scratch() as folder:
        file = network("twice", folder)
        feeds = inputs_of(file, arrays_of("twice"))
        extract(file, folder / "part.onnx", "--module", "block", "--call", "1")
        by = ("--op", OPERATOR) if by == "operator" else ("--by", folder / "part.onnx")
        told = facts("replace", file, *by, "--out", folder / "r.onnx", "--module", "block", "--call", "1")
        assert [m["call"] for m in told["modules"]] == [1]
        note = next(p.value for p in onnx.load(folder / "r.onnx").metadata_props if p.key == "htp.replaced")
        assert '"call": 1' in note, note
        runnable = folder / "r.onnx"
        if by[0] == "--op":
            check_rest(file, folder / "r.onnx", told)
            runnable = add_functions(folder / "r.onnx", [onnx.load(folder / "part.onnx")], folder / "runnable.onnx")
        got, wanted = (session(f, optimised=False).run(None, feeds) for f in (runnable, file))
        assert len(got) == len(wanted) and all(map(is_equal, got, wanted))


@case
def calls_that_the_file_does_not_name():
    """Connected nodes with the same operators and weights are one call."""
    nodes = [node("Mul", ["x", "w"], ["a"], "/Net/A"), node("Mul", ["z", "w"], ["b"], "/Net/A"),
             node("Add", ["a", "b"], ["y"], "/Net")]
    weight = helper.make_tensor("w", TensorProto.FLOAT, [1], [3])
    with scratch() as folder:
        file = save(folder / "m.onnx", nodes, [X, ("z", *X[1:])], [Y], initializer=[weight])
        told = replace(file, folder / "r.onnx", "--module", "A", "--call", "1")
        assert [o["name"] for o in told["modules"][0]["outputs"]] == ["b"] and told["modules"][0]["call"] == 1
        assert [n.op_type for n in onnx.load(folder / "r.onnx").graph.node] == ["Mul", "Fused", "Add"]
        check_line(run("replace", file, "--module", "A", "--call", "2", "--op", OPERATOR, "--out", folder / "s.onnx"),
                   EXIT_USAGE, "has no call 2, only calls 0 to 1")
        check_line(run("replace", file, "--module", "A", "--module", "", "--call", "0", "--op", OPERATOR, "--out",
                       folder / "s.onnx"), EXIT_USAGE, "no module is ''")


@case_for_each(("step", "gate", "block"))
def modules_in_bodies(address):
    """The node lies in the body; what the body reads from outside are its inputs."""
    with scratch() as folder:
        file = network("control", folder)
        told = check_replaced(file, address, inputs_of(file, arrays_of("control")), folder)
        model = onnx.load(folder / "replaced.onnx")
        assert not [n for n in model.graph.node if n.domain] and len(told["modules"]) == 1


@case_for_each(("older", "newer", "external"))
def modules_of_other_exporters(name):
    file = foreign(name)
    with scratch() as folder:
        told = check_replaced(file, "encoder.layer.3", {"ids": numpy.arange(10).reshape(2, 5)}, folder)
        if name == "external":
            data = Path(told["external_data"])
            before = onnx.load(file, load_external_data=False).graph.initializer
            location = next(e.value for i in before for e in i.external_data if e.key == "location")
            assert data.read_bytes() == (file.parent / location).read_bytes()


@case
def external_data_stay():
    with scratch() as folder:
        (folder / "in").mkdir()
        file = ours(folder / "in", "--external-data", "always")
        told = replace(file, folder / "out.onnx", "--module", "Layer")
        assert told["external_bytes"] == (folder / "out.onnx.data").stat().st_size
        assert (folder / "out.onnx.data").read_bytes() == (folder / "in" / f"{file.name}.data").read_bytes()
        check_rest(file, folder / "out.onnx", told)


# ---- models written by hand ------------------------------------------------------------------------


@case
def what_is_a_constant():
    """Small integers and single floats become attributes; parameters and larger tensors stay inputs."""
    make = numpy.array
    arrays = {"shape": make([2, 1]), "axis": make(0), "scale": make(0.5, numpy.float32), "flag": make(True),
              "gain": make(2.0, numpy.float32), "one": make([3.0], numpy.float32),
              "half": make(0.5, numpy.float16), "table": make([[1, 2]]), "row": make([1.0, 2.0], numpy.float32),
              "eye": make([1.0, 2.0], numpy.float32)}
    nodes = [
        node("Reshape", ["x", "shape"], ["a"], "/Net/A"), node("Gather", ["a", "axis"], ["b"], "/Net/A"),
        node("Mul", ["b", "scale"], ["c"], "/Net/A"), node("Mul", ["c", "gain"], ["d"], "/Net/A"),
        node("Mul", ["d", "one"], ["e"], "/Net/A"), node("Cast", ["half"], ["h"], "/Net/A", to=1),
        node("Mul", ["e", "h"], ["f"], "/Net/A"), node("Gather", ["row", "table"], ["g"], "/Net/A"),
        node("Where", ["flag", "f", "g"], ["w"], "/Net/A"), node("Constant", [], ["two"], "/Net/A", value_floats=[2.0, 3.0]),
        node("Constant", [], ["int"], "/Net/A", value_int=1), node("Unsqueeze", ["w", "int"], ["u"], "/Net/A"),
        node("Add", ["u", "two"], ["v"], "/Net/A"), node("Add", ["v", "eye"], ["y"], "/Net"),
    ]
    with scratch() as folder:
        file = save(folder / "m.onnx", nodes, [X], [("y", TensorProto.FLOAT, None)],
                    initializer=[onnx.numpy_helper.from_array(a, n) for n, a in arrays.items()])
        whole = onnx.load(file)
        gain = next(i for i in whole.graph.initializer if i.name == "gain")
        gain.metadata_props.add(key="name_scopes", value="['a']")  # it is a parameter
        onnx.save(whole, file)
        told = replace(file, folder / "r.onnx", "--module", "A")
        model = onnx.load(folder / "r.onnx")
        custom = next(n for n in model.graph.node if n.domain)
        assert list(custom.input) == ["x", "gain", "half", "row", "table", "two"], custom.input
        values = {a.name: helper.get_attribute_value(a) for a in custom.attribute}
        assert values == {"Reshape_input_1": [2, 1], "Gather_input_1": 0, "Mul_input_1": 0.5, "Mul_2_input_1": [3.0],
                          "Where_input_0": 1, "Unsqueeze_input_1": 1}, values
        left = {i.name for i in model.graph.initializer}
        assert left == {"gain", "half", "row", "table", "eye"}, left
        assert [n.op_type for n in model.graph.node] == ["Constant", "Fused", "Add"]
        assert told["modules"][0]["replaced"] == 11, told


@case
def nodes_move_where_they_must():
    """A node between those of the module moves behind the new one, if it needs it."""
    nodes = [node("Neg", ["x"], ["a"], "/Net/A"), node("Abs", ["a"], ["b"], "/Net/B"), node("Neg", ["b"], ["c"], "/Net/B"),
             node("Exp", ["x"], ["d"], "/Net/B"), node("Mul", ["a", "d"], ["e"], "/Net/A"), node("Sum", ["c", "e"], ["y"], "/Net")]
    with scratch() as folder:
        file = save(folder / "m.onnx", nodes, [X], [Y], inner="abcde")
        told = replace(file, folder / "r.onnx", "--module", "A")
        model = onnx.load(folder / "r.onnx")
        assert [n.op_type for n in model.graph.node] == ["Exp", "Fused", "Abs", "Neg", "Sum"]
        assert [o["name"] for o in told["modules"][0]["outputs"]] == ["a", "e"]
        assert {v.name for v in model.graph.value_info} == {"a", "b", "c", "d", "e"}
        onnx.checker.check_model(model)


@case
def types_of_outputs_are_declared():
    """Nothing can be inferred behind a custom operator, so types of its outputs are written."""
    nodes = [node("Neg", ["x"], ["a"], "/Net/A"), node("Neg", ["a"], ["y"], "/Net/B")]
    with scratch() as folder:
        file = save(folder / "m.onnx", nodes, [("x", TensorProto.FLOAT, ["n", 3])], [("y", TensorProto.FLOAT, ["n", 3])])
        replace(file, folder / "r.onnx", "--module", "A")
        info = onnx.load(folder / "r.onnx").graph.value_info
        assert [(v.name, v.type.tensor_type.elem_type) for v in info] == [("a", 1)]
        assert [d.dim_param or d.dim_value for d in info[0].type.tensor_type.shape.dim] == ["n", 3]


@case
def tags_go_where_they_are():
    """Doc strings, layers: the new node has its tag in the places of the others."""
    nodes = [node("Neg", ["x"], ["a"], "/Net/A"), node("Neg", ["a"], ["y"], "/Net/B")]
    for made in nodes:
        made.doc_string = f"source_module: {made.metadata_props[0].value}"
        made.metadata_props.add(key="layer_ann", value=made.metadata_props[0].value)
        del made.metadata_props[0]
    with scratch() as folder:
        file = save(folder / "m.onnx", nodes, [X], [Y], inner="a")
        replace(file, folder / "r.onnx", "--module", "A")
        custom = onnx.load(folder / "r.onnx").graph.node[0]
        assert custom.doc_string == "source_module: /Net/A" and custom.metadata_props[0].value == "/Net/A"
        assert ask("select", folder / "r.onnx", "--module", "A") == f"{custom.name}\n"


# ---- refusals --------------------------------------------------------------------------------------


@case_for_each((
    ("my.domain", "is no operator"), ("my.domain:", "is no operator"), (":Name", "is no operator"),
    ("my domain:Name", "is no operator"), ("my.domain:Na-me", "is no operator"), ("my..domain:Name", "is no operator"),
    ("my.domain:2Name", "is no operator"), ("my.domain:Name@", "is no operator"), ("my.domain:Name@0", "is no operator"),
    ("my.domain:Name@1x", "is no operator"), ("my.domain:Name@12345678901", "is no operator"),
    ("my.domain:Nä", "is no operator"), ("ai.onnx:Relu", "choose a domain of your own"),
    ("ai.onnx.ml:Scaler", "choose a domain of your own"), (" :x", "is no operator"),
))
def names_of_operators(given):
    op, why = given
    with scratch() as folder:
        file = save(folder / "m.onnx", [node("Neg", ["x"], ["y"], "/Net/A")], [X], [Y])
        check_line(run("replace", file, "--module", "A", "--op", op, "--out", folder / "r.onnx"), EXIT_USAGE, why)
        assert sorted(p.name for p in folder.iterdir()) == ["m.onnx"]


@case
def what_cannot_be_replaced():
    with scratch() as folder:
        (folder / "in").mkdir()
        file, out = ours(folder / "in"), folder / "r.onnx"
        back = save(folder / "back.onnx", [
            node("Neg", ["x"], ["a"], "/Net/A"), node("Abs", ["a"], ["b"], "/Net/B"), node("Neg", ["b"], ["y"], "/Net/A"),
        ], [X], [Y], inner="ab")
        cross = save(folder / "cross.onnx", [
            node("Neg", ["x"], ["a"], "/Net/A"), node("Abs", ["a"], ["b"], "/Net/B"), node("Abs", ["x"], ["c"], "/Net/B"),
            node("Neg", ["c"], ["d"], "/Net/A"), node("Add", ["b", "d"], ["y"], "/Net"),
        ], [X], [Y], inner="abcd")
        for source, modules, why in (
            (file, ["/Net"], "the root is the whole model"),
            (file, ["Layer.1", "encoder.layer.1.attention"], "lies in '/Net/Encoder/Layer.1': both cannot be replaced"),
            (file, ["Layr.1"], "Layer.1"),
            (back, ["A"], "a path leaves it and comes back, 'a' -> 'b' -> 'y'"),
            (cross, ["A", "B"], "each needs a value of the other"),
        ):
            chosen = [part for module in modules for part in ("--module", module)]
            check_line(run("replace", source, *chosen, "--op", OPERATOR, "--out", out), EXIT_USAGE, why)
            assert not out.exists()
        replace(cross, out, "--module", "A")
        check_line(run("replace", out, "--module", "B", "--op", "my.domain:Fused@2", "--out", folder / "s.onnx"),
                   EXIT_USAGE, "imports version 3 of 'my.domain', not 2")
        check_line(run("replace", file, "--module", "Layer.1", "--op", OPERATOR, "--out", file), EXIT_USAGE, "is the input itself")
        check_line(run("replace", file, "--module", "Layer.1", "--out", out), EXIT_USAGE, "--op DOMAIN:NAME")
        check_line(run("replace", file, "--op", OPERATOR, "--out", out), EXIT_USAGE, "no module")


@case
def a_replaced_module_is_a_module():
    """Commands take the result, and a second module is replaced after the first."""
    with scratch() as folder:
        (folder / "in").mkdir()
        file = ours(folder / "in")
        replace(file, folder / "a.onnx", "--module", "encoder.layer.1")
        replace(folder / "a.onnx", folder / "b.onnx", "--module", "encoder.layer.2")
        replace(file, folder / "both.onnx", "--module", "encoder.layer.1", "--module", "encoder.layer.2")
        a, b = (onnx.load(folder / f"{name}.onnx").graph for name in ("b", "both"))
        assert a.node == b.node and [i.name for i in a.initializer] == [i.name for i in b.initializer]
        assert run("validate", folder / "b.onnx", env=NO_SHIM).returncode == EXIT_OK
        assert tags_of(folder / "b.onnx")["/Net/Encoder/Layer.1"]["nodes_total"] == 1
        ask("strip", folder / "b.onnx", "--out", folder / "stripped.onnx")
        assert not onnx.load(folder / "stripped.onnx").metadata_props
