"""`htp-trace validate`: accepts correct models, and finds errors."""

import json

import onnx
from onnx import TensorProto, helper

from commands import NO_SHIM
from exporters import TAGGED, foreign, ours
from harness import (
    EXIT_BAD_INPUT, EXIT_FOUND, EXIT_OK, EXIT_USAGE, case, case_for_each, case_for_each_model, exported, run, scratch,
    skip_unless_loadable,
)
from models.table import FIDELITY
from small_models import nested
from test_bad_input import check_line

EVERYWHERE = ("--tags", "attribute,metadata,doc-string,layer-ann")


def findings(file) -> list:
    result = run("validate", file, "--json", env=NO_SHIM)
    assert result.stderr == "", result.stderr
    found = json.loads(result.stdout)
    assert result.returncode == (EXIT_FOUND if found["findings"] else EXIT_OK), result
    assert found["status"] == ("findings" if found["findings"] else "ok"), found
    return found["findings"]


# ---- correct models ---------------------------------------------------------------------------------


@case_for_each_model(FIDELITY)
def exports_are_valid(model):
    skip_unless_loadable(model)
    assert findings(exported(model)) == []


@case_for_each(TAGGED + [(EVERYWHERE, ""), (("--tags", "none"), ""), (("--include-torch-nn",), "")],
               name=lambda row: "-".join(row[0]).strip("-") or "default")
def tags_are_valid_wherever_they_are(row):
    with scratch() as folder:
        found = findings(ours(folder, *row[0]))
        if row[0] and row[0][0] == "--tag-attribute-prefix":
            # ONNX leaves names that begin with __ to tools, and accepts no other unknown ones.
            found = [one for one in found if f"has no attribute '{row[0][1]}" not in one]
        assert found == []


@case_for_each(("older", "newer", "external"))
def foreign_models_are_valid(name):
    assert findings(foreign(name)) == []


# ---- errors in operators -----------------------------------------------------------------------


def of(*nodes, inputs=("x", "y"), dims=(2, 3), opset=17, kind=TensorProto.FLOAT, **more):
    infos = [helper.make_tensor_value_info(name, kind, dims) for name in inputs]
    out = helper.make_tensor_value_info("out", more.pop("result", kind), more.pop("result_dims", None))
    graph = helper.make_graph(list(nodes), "g", infos, [out], **more)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


def make(op_type, *inputs, out="out", **attributes):
    return helper.make_node(op_type, inputs, [out], name=f"{op_type}-{out}", **attributes)


def branch(output, *nodes):
    info = helper.make_tensor_value_info(output, TensorProto.FLOAT, None)
    return helper.make_graph(list(nodes), "branch", [], [info])


def chosen(then):
    other = branch("b", make("Neg", "x", out="b"))
    nodes = [make("ReduceMax", "x", out="most"), make("Cast", "most", out="c", to=TensorProto.BOOL)]
    return of(*nodes, make("If", "c", then_branch=then, else_branch=other))


OPERATORS = {
    "right": (of(make("Add", "x", "y")), ""),
    "unheard of": (of(make("Added", "x", "y")), "(Added): there is no such operator in ONNX"),
    "later": (of(make("Gelu", "x")), "the operator came with opset 20, and this is 17"),
    "gone": (of(make("Upsample", "x", "y")), "the operator is gone since opset 10"),
    "too many": (of(make("Neg", "x", "y")), "it has 2 inputs, and the operator 1 at most"),
    "missing": (of(make("Add", "x")), "input 1 is missing"),
    "left out": (of(make("Add", "", "y")), "input 0 is missing"),
    "another version's": (of(make("Clip", "x", min=0.0)), "since opset 13, has no attribute 'min'"),
    "attribute's type": (of(make("Concat", "x", "y", axis="1")), "'axis' is a string, and must be an int"),
    "attribute missing": (of(make("Concat", "x", "y")), "the attribute 'axis' is missing"),
    "type": (of(make("And", "x", "y")), "'x', is float32, which the operator does not take there"),
    "two types": (
        of(make("Cast", "y", out="c", to=TensorProto.INT64), make("Add", "x", "c")),
        "'x' is float32, and 'c' is int64: they must be of one type"),
    "declared type": (
        of(make("Add", "x", "y"), result=TensorProto.BOOL), "'out' is declared as bool, and it makes float32"),
    "declared dims": (
        of(make("Add", "x", "y"), result_dims=[2, 4]), "dim 1 of 'out' is declared as 4, and it makes 3"),
    "declared rank": (
        of(make("Add", "x", "y"), result_dims=[2]), "'out' is declared with 1 dims, and it makes 2"),
    "dims": (
        of(make("Transpose", "y", out="t"), make("Add", "x", "t")),
        "inputs 0 and 1 have dims of 3 and 2 that cannot meet"),
    "matrices": (of(make("MatMul", "x", "y")), "inputs 0 and 1 have dims of 3 and 2 that cannot meet"),
    "axis": (of(make("Softmax", "x", axis=2)), "axis is 2, and there are 2 dims"),
    "order": (of(make("Transpose", "x", perm=[0, 0])), "perm is no order of 2 dims"),
    "window": (
        of(make("MaxPool", "x", kernel_shape=[2, 2]), dims=(1, 2, 8)),
        "kernel_shape has 2 numbers, and there are 1 dims behind batch and channels"),
    "branch": (chosen(branch("a", make("Abs", "x", out="a"))), ""),
    "branch's output": (chosen(branch("x")), "the output 'x' of its then_branch is made outside"),
    "branch's name": (
        chosen(branch("most", make("Abs", "x", out="most"))),
        "makes 'most' in a body, a name that is taken outside"),
}


@case_for_each(OPERATORS)
def operators(name):
    model, words = OPERATORS[name]
    with scratch() as folder:
        onnx.save(model, folder / "m.onnx")
        found = findings(folder / "m.onnx")
        assert any(words in one for one in found) if words else not found, found


# ---- errors in tags -------------------------------------------------------------------------


def attribute(node):
    return next(a for a in node.attribute if a.name == "__source_module")


def metadata(thing, key="source_module"):
    return next(p for p in thing.metadata_props if p.key == key)


def by_name(model, name):
    return next(n for n in model.graph.node if n.name == name)


SOFTMAX, NORM = "/encoder/layer.1/attention/Softmax", "/encoder/layer.1/norm/LayerNormalization"
ADD = "/encoder/layer.1/Add"


def flip(model):
    attribute(by_name(model, SOFTMAX)).s = b"/Net/Encoder/Layer.2/Attention"


def flip_metadata(model):
    metadata(by_name(model, SOFTMAX)).value = "/Net/Encoder/Layer.2/Attention"


def flip_both(model):
    flip(model)
    flip_metadata(model)


def drop(model):
    node = by_name(model, SOFTMAX)
    node.attribute.remove(attribute(node))


def drop_metadata(model):
    node = by_name(model, SOFTMAX)
    node.metadata_props.remove(metadata(node))


def drop_all(model):
    drop(model)
    drop_metadata(model)


def swap(model):
    nodes = by_name(model, SOFTMAX), by_name(model, NORM)
    tags = [attribute(n).s for n in nodes]
    for node, tag in zip(nodes, reversed(tags)):
        attribute(node).s = tag
        metadata(node).value = tag.decode()


def wrong_full_tag(model):
    metadata(by_name(model, SOFTMAX), "full_tag").value = "/Net/Nowhere"


def unknown(model):
    attribute(by_name(model, SOFTMAX)).s = b"/Net/Encoder/Layer.99"


TAMPERING = (flip, flip_metadata, flip_both, drop, drop_metadata, drop_all, swap, wrong_full_tag,
             unknown)


@case_for_each(TAMPERING, name=lambda tamper: tamper.__name__)
def tampering_with_a_node_is_found(tamper):
    with scratch() as folder:
        model = onnx.load(ours(folder))
        tamper(model)
        onnx.save(model, folder / "m.onnx")
        found = findings(folder / "m.onnx")
        assert any(f"'{SOFTMAX}'" in line for line in found), found
        if tamper is swap:
            assert any(f"'{NORM}'" in line for line in found), found


@case_for_each((flip, drop, swap, unknown), name=lambda tamper: tamper.__name__)
def tampering_is_found_by_attributes_alone(tamper):
    with scratch() as folder:
        model = onnx.load(ours(folder, "--tags", "attribute"))
        if tamper is swap:  # they carry nothing but the attribute
            nodes = by_name(model, SOFTMAX), by_name(model, ADD)
            tags = [attribute(n).s for n in nodes]
            for node, tag in zip(nodes, reversed(tags)):
                attribute(node).s = tag
        else:
            tamper(model)
        onnx.save(model, folder / "m.onnx")
        assert any(f"'{SOFTMAX}'" in line for line in findings(folder / "m.onnx"))


def change_tree(model, change) -> None:
    entry = next(p for p in model.metadata_props if p.key == "htp.module_tree")
    tree = json.loads(entry.value)
    change({m["path"]: m for m in tree["modules"]}, tree["modules"])
    entry.value = json.dumps(tree)


def rename(by_path, _):
    by_path["head"]["tag"] = "/Net/Tail"


def rename_class(by_path, _):
    by_path["head"]["class"] = "Tail"


def twice(by_path, _):
    by_path["encoder.layer.3"]["full_tag"] = by_path["encoder.layer.2"]["full_tag"]


def count(by_path, _):
    by_path["encoder.layer.3"]["nodes"]["tagged"] += 1


def leave_out(by_path, modules):
    modules.remove(by_path["encoder.layer.3.attention"])


@case_for_each((rename, rename_class, twice, count, leave_out), name=lambda change: change.__name__)
def tampering_with_records_is_found(change):
    with scratch() as folder:
        model = onnx.load(ours(folder))
        change_tree(model, change)
        onnx.save(model, folder / "m.onnx")
        assert findings(folder / "m.onnx"), "nothing was found"


@case
def tampering_with_initializers_is_found():
    with scratch() as folder:
        file = ours(folder)
        for value, part in (('["/Net"]', "reads it"), (None, "no hierarchy_tags"), ("/Net", "JSON"),
                            ('["/Net/Encoder/Layer.1/Attention", "/Net/Head"]', "neither holds")):
            model = onnx.load(file)
            weight = next(i for i in model.graph.initializer
                          if i.name == "encoder.layer.1.attention.query.weight.T")
            entry = metadata(weight, "hierarchy_tags")
            if value is None:
                weight.metadata_props.remove(entry)
            else:
                entry.value = value
            onnx.save(model, folder / "m.onnx")
            found = findings(folder / "m.onnx")
            assert any(weight.name in line and part in line for line in found), (value, found)


# ---- errors in structure ----------------------------------------------------------------------


def graph_of(*nodes):
    value = helper.make_tensor_value_info
    return helper.make_graph(nodes, "g", [value("x", TensorProto.FLOAT, [1])],
                             [value("y", TensorProto.FLOAT, [1])])


def neg(source, target, name, **more):
    return helper.make_node("Neg", [source], [target], name=name, **more)


def wrong_function():
    model = helper.make_model(graph_of(neg("x", "y", "n")))
    function = helper.make_function("d", "F", ["a"], ["b"], [neg("lost", "b", "inside")],
                                    [helper.make_opsetid("", 18)])
    model.functions.append(function)
    return model


STRUCTURE = {
    "cycle": (lambda: graph_of(neg("y", "a", "n"), neg("a", "y", "m")), "'n' reads 'y' before"),
    "order": (lambda: graph_of(neg("a", "y", "n"), neg("x", "a", "m")), "'n' reads 'a' before"),
    "value twice": (lambda: graph_of(neg("x", "y", "n"), neg("x", "y", "m")), "'m' makes 'y'"),
    "node twice": (lambda: graph_of(neg("x", "a", "n"), neg("a", "y", "n")), "another node"),
    "nothing makes": (lambda: graph_of(neg("lost", "y", "n")), "'n' reads 'lost'"),
    "no import": (lambda: graph_of(neg("x", "y", "n", domain="my.own")), "'my.own', are not imported"),
    "function": (wrong_function, "'inside' reads 'lost'"),
    "body": (lambda: onnx.GraphProto(node=nested(3).node, name="g"), "reads 'c'"),
}


@case_for_each(STRUCTURE)
def broken_structure_is_found(name):
    make, part = STRUCTURE[name]
    made = make()
    model = made if isinstance(made, onnx.ModelProto) else helper.make_model(made)
    with scratch() as folder:
        onnx.save(model, folder / "m.onnx")
        found = findings(folder / "m.onnx")
        assert any(part in line for line in found), found
        text = run("validate", folder / "m.onnx")
        assert text.returncode == EXIT_FOUND and text.stderr == ""
        assert len(text.stdout.splitlines()) == len(found) + 1, text.stdout


@case
def what_is_no_model():
    with scratch() as folder:
        file = ours(folder)
        (folder / "cut.onnx").write_bytes(file.read_bytes()[:-40])
        check_line(run("validate", folder / "cut.onnx"), EXIT_BAD_INPUT, "damaged")
        check_line(run("validate", folder / "none.onnx"), EXIT_BAD_INPUT, "none.onnx")
        check_line(run("validate"), EXIT_USAGE, "no model")
        check_line(run("validate", file, "--out", "x"), EXIT_USAGE, "--out")
        both = run("validate", folder / "cut.onnx", file)
        assert both.returncode == EXIT_BAD_INPUT and "0 findings" in both.stdout
