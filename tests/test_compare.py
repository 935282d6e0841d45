"""`htp-trace compare`: what corresponds by structure, and that what was planted is found."""

import json
import random
import re
from collections import Counter

import numpy as np
import onnx
from onnx import AttributeProto, TensorProto, defs, helper, numpy_helper

from commands import NO_SHIM
from exporters import foreign, ours
from harness import (
    EXIT_BAD_INPUT, EXIT_OK, EXIT_USAGE, ROOT, case, case_for_each, case_for_each_model, exported,
    run, scratch, skip_unless_loadable,
)
from models.table import ALL, FIDELITY
from onnx_facts import all_nodes
import test_control
from test_bad_input import check_line
from test_validate import EXIT_FOUND

SAMPLES = [ALL[name] for name in ("bert-tiny", "transformer-scripted", "resnet18")]
NAMES = ("input", "output")


def compared(a, b) -> dict:
    result = run("compare", a, b, "--json", env=NO_SHIM)
    assert result.stderr == "", result.stderr
    found = json.loads(result.stdout)
    expected = {"ok": EXIT_OK, "different": EXIT_FOUND}[found["status"]]
    assert result.returncode == expected, result
    check_sums(found)
    text = run("compare", a, b, env=NO_SHIM)
    assert text.returncode == expected and text.stderr == "", text
    assert all(len(line) <= 80 for line in text.stdout.splitlines()), text.stdout
    return found


def check_sums(found: dict) -> None:
    """All that is counted in several ways is counted alike."""
    nodes = found["nodes"]
    for model in "ab":
        rest = len(nodes["not_corresponding"][model])
        assert nodes["corresponding"] + rest == nodes[model], nodes
        for rows in ("operators", "modules"):
            if found[rows] is not None:
                assert sum(row[model] for row in found[rows]) == nodes[model], rows
                matched = sum(row["corresponding"][model] for row in found[rows])
                assert matched == nodes["corresponding"], rows
        constants = found["constants"]
        assert constants["equal"][model] + len(constants["only_in"][model]) == constants[model]


def assert_same(a, b) -> dict:
    found = compared(a, b)
    assert found["status"] == "ok" and found["identical_topology"], found
    text = run("compare", a, b, env=NO_SHIM).stdout
    assert text.startswith("identical topology") and text.count("\n") == 1, text
    return found


def unmatched(found: dict, model: str = "a") -> list:
    return [entry["node"]["name"] for entry in found["nodes"]["not_corresponding"][model]]


def planted(change, name: str = "bert-tiny", *flags) -> dict:
    """What is found between an export and its copy that was changed."""
    file = exported(ALL[name], *flags)
    with scratch() as folder:
        model = onnx.load(file)
        change(model)
        onnx.save(model, folder / "changed.onnx")
        return compared(file, folder / "changed.onnx")


# ---- what is the same ------------------------------------------------------------------------------


@case_for_each_model(FIDELITY)
def tags_are_no_structure(model):
    skip_unless_loadable(model)
    found = assert_same(exported(model), exported(model, "--tags", "none"))
    assert found["tags"] is None


def rename_all(model) -> None:
    """New names for all that is no operator's own."""
    names = {}

    def new(name: str) -> str:
        return names.setdefault(name, f"n{len(names)}") if name else name

    def rename(graph) -> None:
        for value in (*graph.input, *graph.output, *graph.value_info, *graph.initializer):
            value.name = new(value.name)
        for number, node in enumerate(graph.node):
            node.name = f"node{number}"
            node.input[:] = [new(name) for name in node.input]
            node.output[:] = [new(name) for name in node.output]
            for attribute in node.attribute:
                if attribute.type == AttributeProto.GRAPH:
                    rename(attribute.g)

    rename(model.graph)
    model.graph.name = "renamed"


def reorder(model) -> None:
    """Another topological order of the main graph; initializers turned around."""
    generator = random.Random(1)
    left, made, order = list(model.graph.node), {""}, []
    outputs = {name for node in left for name in node.output}

    def needs(node) -> set:
        inner = [n for a in node.attribute if a.type == AttributeProto.GRAPH for n in nodes_of(a.g)]
        return {name for n in (node, *inner) for name in n.input} & outputs

    def nodes_of(graph) -> list:
        return [x for n in graph.node for x in (n, *(
            y for a in n.attribute if a.type == AttributeProto.GRAPH for y in nodes_of(a.g)))]

    needed = [needs(node) for node in left]
    while left:
        ready = [i for i, names in enumerate(needed) if names <= made]
        chosen = generator.choice(ready)
        made.update(left[chosen].output)
        order.append(left.pop(chosen))
        needed.pop(chosen)
    order = [onnx.NodeProto.FromString(node.SerializeToString()) for node in order]
    weights = [onnx.TensorProto.FromString(w.SerializeToString()) for w in model.graph.initializer]
    del model.graph.node[:], model.graph.initializer[:]
    model.graph.node.extend(order)
    model.graph.initializer.extend(reversed(weights))


def constants_as_nodes(model) -> None:
    weights = list(model.graph.initializer)
    nodes = [onnx.NodeProto.FromString(n.SerializeToString()) for n in model.graph.node]
    del model.graph.initializer[:], model.graph.node[:]
    for weight in weights:
        node = helper.make_node("Constant", [], [weight.name], name=f"constant {weight.name}")
        node.attribute.append(helper.make_attribute("value", weight))
        model.graph.node.append(node)
    model.graph.node.extend(nodes)


def typed(model) -> None:
    """Numbers that are raw as typed ones."""
    for weight in model.graph.initializer:
        array = numpy_helper.to_array(weight)
        made = helper.make_tensor(weight.name, weight.data_type, weight.dims, array.flatten())
        weight.CopyFrom(made)
        assert not weight.raw_data


SAME = (rename_all, reorder, constants_as_nodes, typed)


@case_for_each([(model, change) for model in SAMPLES for change in SAME],
               name=lambda row: f"{row[0].name}-{row[1].__name__}")
def what_is_no_difference(row):
    model, change = row
    skip_unless_loadable(model)
    flags = ("--tags", "none") if change is rename_all else ()
    found = planted(change, model.name, *flags)
    assert found["status"] == "ok" and found["identical_topology"], found


@case
def numbers_wherever_they_are():
    """Raw, typed, packed or not, and in a file of their own; of every type."""
    types = [t for t in TensorProto.DataType.values()
             if t not in (TensorProto.UNDEFINED, TensorProto.STRING) and t <= TensorProto.INT2]
    with scratch() as folder:
        for which in range(2):
            weights = []
            for number in types:
                numpy_type = helper.tensor_dtype_to_np_dtype(number)
                values = np.array([0, 1, 1, 0, 1, 0], dtype=numpy_type)
                if which:
                    weights.append(helper.make_tensor(f"w{number}", number, [6], values))
                else:
                    weights.append(numpy_helper.from_array(values, f"w{number}"))
            nodes = [helper.make_node("Identity", ["x"], ["y"])]
            x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, [1]) for n in "xy")
            graph = helper.make_graph(nodes, "g", [x], [y], weights)
            onnx.save(helper.make_model(graph), folder / f"{which}.onnx")
        loaded = onnx.load(folder / "1.onnx")
        assert sum(1 for w in loaded.graph.initializer if not w.raw_data) > 10
        assert_same(folder / "0.onnx", folder / "1.onnx")
        onnx.save(onnx.load(folder / "0.onnx"), folder / "2.onnx", save_as_external_data=True,
                  location="2.data", size_threshold=0)
        assert onnx.load(folder / "2.onnx", load_external_data=False).graph.initializer[0].external_data
        assert_same(folder / "0.onnx", folder / "2.onnx")
        data = bytearray((folder / "2.data").read_bytes())
        data[4] ^= 1
        (folder / "2.data").write_bytes(data)
        found = compared(folder / "0.onnx", folder / "2.onnx")
        assert len(found["constants"]["only_in"]["a"]) == 1, found["constants"]


@case
def pytorch_exporters():
    with scratch() as folder:
        found = compared(ours(folder), foreign("newer"))
        assert found["tags"]["disagreeing"] == [] and found["tags"]["compared"] > 100
        rows = {row["op_type"]: row for row in found["operators"]}
        for op_type in ("Add", "Relu", "LayerNormalization", "Gather"):
            assert rows[op_type]["corresponding"]["a"] == rows[op_type]["a"], rows[op_type]
        # They fold transposed weights: those are other constants.
        assert rows["MatMul"]["corresponding"]["a"] == 24, rows["MatMul"]
        older = compared(folder / "ours.onnx", foreign("older"))
        assert older["tags"] is None and older["modules"] is None
        assert older["nodes"]["corresponding"] == found["nodes"]["corresponding"]
        both = compared(foreign("older"), foreign("newer"))
        assert both["identical_topology"] and both["status"] == "different", both["metadata"]
        assert_same(foreign("newer"), foreign("external"))


# ---- what is planted -------------------------------------------------------------------------------


def weight_change(model):
    weight = next(w for w in model.graph.initializer if w.name.endswith("0.output.dense.weight"))
    array = numpy_helper.to_array(weight).copy()
    array.flat[7] += 1
    weight.CopyFrom(numpy_helper.from_array(array, weight.name))


@case
def a_changed_weight():
    found = planted(weight_change)
    assert not found["identical_topology"]
    assert len(unmatched(found)) == len(unmatched(found, "b")) == 1
    entry = found["nodes"]["not_corresponding"]["a"][0]
    assert entry["differences"] == ["constants"] and entry["counterpart"] is not None
    assert [c["name"] for c in found["constants"]["only_in"]["a"]] == [
        c["name"] for c in found["constants"]["only_in"]["b"]]


@case
def all_weights_changed():
    """A model that was trained on: its nodes meet all the same."""
    def change(model):
        for weight in model.graph.initializer:
            if weight.data_type == TensorProto.FLOAT:
                array = numpy_helper.to_array(weight) * np.float32(1.5) + np.float32(0.25)
                weight.CopyFrom(numpy_helper.from_array(array, weight.name))
    found = planted(change)
    for entry in found["nodes"]["not_corresponding"]["a"]:
        assert entry["differences"] == ["constants"], entry
        assert entry["counterpart"]["name"] == entry["node"]["name"], entry
    assert found["nodes"]["corresponding"] > 50


def is_softmax(node) -> bool:
    return node.op_type == "Softmax"


@case
def a_changed_attribute():
    def change(model):
        node = next(filter(is_softmax, model.graph.node))
        next(a for a in node.attribute if a.name == "axis").i = 1
        assert node.name == names[0]
    names = [n.name for n in onnx.load(exported(ALL["bert-tiny"])).graph.node if is_softmax(n)]
    found = planted(change)
    assert unmatched(found) == unmatched(found, "b") == names[:1], found
    assert found["nodes"]["not_corresponding"]["a"][0]["differences"] == ["attributes"]


@case
def a_removed_node():
    removed = []

    def change(model):
        node = next(filter(is_softmax, model.graph.node))
        readers = [n for n in model.graph.node if node.output[0] in n.input]
        for reader in readers:
            reader.input[:] = [node.input[0] if x == node.output[0] else x for x in reader.input]
        removed.extend(n.name for n in (node, *readers))
        model.graph.node.remove(node)
    found = planted(change)
    assert sorted(unmatched(found)) == sorted(removed), (removed, unmatched(found))
    assert sorted(unmatched(found, "b")) == sorted(removed[1:]), unmatched(found, "b")


@case
def a_rewired_edge():
    rewired = []

    def change(model):
        norms = [n for n in model.graph.node if n.op_type == "LayerNormalization"]
        reader = next(n for n in model.graph.node if norms[1].output[0] in n.input)
        reader.input[:] = [norms[0].output[0] if x == norms[1].output[0] else x for x in reader.input]
        rewired.append(reader.name)
    found = planted(change)
    assert unmatched(found) == unmatched(found, "b") == rewired, (rewired, found["nodes"])
    entry = found["nodes"]["not_corresponding"]["a"][0]
    assert entry["differences"] == ["edges"], entry


@case
def a_rewired_output():
    def change(model):
        one, two = model.graph.output
        names = one.name, two.name
        for node in model.graph.node:
            node.output[:] = [names[1 - names.index(x)] if x in names else x for x in node.output]
            node.input[:] = [names[1 - names.index(x)] if x in names else x for x in node.input]
    found = planted(change)
    assert not found["identical_topology"]
    assert [v["is_equal"] for v in found["outputs"]] == [False, False]
    assert unmatched(found) == []


@case
def bodies():
    """Of loops and branches: the same under other names, and one node that was changed."""
    with scratch() as folder:
        _, file = test_control.export(folder, "--tags", "none")
        model = onnx.load(file)
        for change in (rename_all, constants_as_nodes):
            other = onnx.ModelProto.FromString(model.SerializeToString())
            change(other)
            onnx.save(other, folder / "other.onnx")
            found = compared(file, folder / "other.onnx")
            assert found["identical_topology"], found["nodes"]
        names = {node.name for node in model.graph.node}
        tanh = [n for n in all_nodes(model) if n.name not in names and n.op_type == "Tanh"]
        assert len(tanh) == 2, "one in each branch"
        tanh[0].op_type = "Sigmoid"
        onnx.save(model, folder / "other.onnx")
        found = compared(file, folder / "other.onnx")
        assert tanh[0].name in unmatched(found), unmatched(found)
        assert tanh[1].name not in unmatched(found) and len(unmatched(found)) <= 2, unmatched(found)


@case
def swapped_tags():
    def change(model):
        nodes = [n for n in model.graph.node if n.op_type == "LayerNormalization"][:2]
        tags = [next(a for a in n.attribute if a.name == "__source_module") for n in nodes]
        tags[0].s, tags[1].s = tags[1].s, tags[0].s
        assert tags[0].s != tags[1].s
    found = planted(change)
    assert found["identical_topology"] and found["status"] == "different"
    assert len(found["tags"]["disagreeing"]) == 2, found["tags"]


@case
def changed_metadata():
    def change(model):
        model.producer_version = "7"
        model.metadata_props.add(key="mine", value="x")
    found = planted(change)
    assert found["identical_topology"] and found["status"] == "different"
    assert [f["what"] for f in found["metadata"]] == ["producer version", "metadata mine"]
    assert [f["a"] for f in found["metadata"]][1] is None


@case
def changed_input_type():
    def change(model):
        model.graph.input[0].type.tensor_type.elem_type = TensorProto.INT32
    found = planted(change)
    assert [v["is_equal"] for v in found["inputs"]] == [False, True, True]
    assert not found["identical_topology"] and unmatched(found) == []


# ---- strange graphs --------------------------------------------------------------------------------


def model_of(nodes, inputs=("x",), outputs=("y",), weights=(), functions=(), opsets=(("", 18),)):
    value = helper.make_tensor_value_info
    graph = helper.make_graph(nodes, "g", [value(n, TensorProto.FLOAT, [2]) for n in inputs],
                              [value(n, TensorProto.FLOAT, [2]) for n in outputs], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid(*o) for o in opsets],
                             functions=functions)


def compare_models(a, b) -> dict:
    with scratch() as folder:
        onnx.save(a, folder / "a.onnx")
        onnx.save(b, folder / "b.onnx")
        return compared(folder / "a.onnx", folder / "b.onnx")


def node(op_type, inputs, outputs, name="", **attributes):
    return helper.make_node(op_type, inputs.split(), outputs.split(), name=name, **attributes)


@case
def twins_are_told_apart_by_what_follows():
    """Two equal nodes, listed in either order: who reads them tells which is which."""
    def twins(first, second):
        return model_of([node("Neg", "x", first), node("Neg", "x", second), node("Relu", "a", "r"),
                         node("Tanh", "b", "t"), node("Sub", "r t", "y")])
    assert compare_models(twins("a", "b"), twins("b", "a"))["status"] == "ok"


@case
def twins_that_nothing_tells_apart():
    def chains(count):
        nodes = [node("Neg", "x", f"a{i}", f"n{i}") for i in range(count)]
        nodes += [node("Relu", f"a{i}", f"b{i}", f"r{i}") for i in reversed(range(count))]
        return model_of([*nodes, node("Sum", " ".join(f"b{i}" for i in range(count)), "y")])
    assert compare_models(chains(9), chains(9))["status"] == "ok"
    found = compare_models(chains(9), chains(8))
    assert found["nodes"]["corresponding"] == 16, found["nodes"]


@case
def groups_of_twins():
    """Four equal nodes, two of which nothing tells apart, and neither the two others."""
    def graph(order):
        first = [node("Neg", "x", f"a{i}") for i in order]
        then = [node("Relu" if i < 2 else "Tanh", f"a{i}", f"b{i}") for i in order]
        return model_of([*first, *then, node("Concat", "b0 b1 b2 b3", "y", axis=0)])
    assert compare_models(graph([0, 1, 2, 3]), graph([2, 3, 0, 1]))["status"] == "ok"
    assert compare_models(graph([0, 2, 1, 3]), graph([3, 1, 2, 0]))["status"] == "ok"

    def alike(order):
        ends = ["Relu", "Relu", "Tanh", "Tanh"]
        return model_of([node("Neg", "x", f"a{i}") for i in order]
                        + [node(ends[i], f"a{i}", f"b{i}") for i in order]
                        + [node("Add", "b0 b1", "r"), node("Add", "b2 b3", "t"),
                           node("Sub", "r t", "y")])
    assert compare_models(alike([0, 1, 2, 3]), alike([2, 3, 0, 1]))["status"] == "ok"


@case
def operands_of_add_have_no_order():
    def graph(op_type, operands):
        return model_of([node("Neg", "x", "a"), node("Relu", "x", "b"), node(op_type, operands, "y")])
    assert compare_models(graph("Add", "a b"), graph("Add", "b a"))["status"] == "ok"
    found = compare_models(graph("Sub", "a b"), graph("Sub", "b a"))
    assert [e["node"]["op_type"] for e in found["nodes"]["not_corresponding"]["a"]] == ["Sub"]


@case
def defaults_are_no_difference():
    given = model_of([node("Softmax", "x", "y", axis=-1)])
    assert compare_models(given, model_of([node("Softmax", "x", "y")]))["status"] == "ok"
    other = model_of([node("Softmax", "x", "y", axis=0)])
    assert len(unmatched(compare_models(other, model_of([node("Softmax", "x", "y")])))) == 1


@case
def repeated_modules_of_one_weight():
    """A weight that ten equal layers share: one layer more is one node more."""
    weight = numpy_helper.from_array(np.eye(2, dtype=np.float32), "w")

    def layers(count):
        nodes = []
        for i in range(count):
            nodes.append(node("MatMul", f"v{i} w" if i else "x w", f"m{i}", f"m{i}"))
            nodes.append(node("Relu", f"m{i}", f"v{i + 1}" if i + 1 < count else "y", f"r{i}"))
        return model_of(nodes, weights=[weight])
    assert compare_models(layers(10), layers(10))["status"] == "ok"
    found = compare_models(layers(10), layers(11))
    # Somewhere between the ends two nodes are new, and one reads from there.
    assert found["nodes"]["corresponding"] == 19 and len(unmatched(found, "b")) == 3, found["nodes"]


def with_function(name, body, call="F", version=18):
    function = helper.make_function("d", name, ["a"], ["b"], body, [helper.make_opsetid("", version)])
    return model_of([node("F" if call is None else call, "x", "y", "call", domain="d")],
                    functions=[function], opsets=(("", 18), ("d", 1)))


@case
def functions():
    body = [node("Neg", "a", "c", "one"), node("Relu", "c", "b", "two")]
    same = with_function("G", [node("Neg", "a", "z"), node("Relu", "z", "b")], "G")
    assert compare_models(with_function("F", body), same)["status"] == "ok"
    other = with_function("F", [node("Neg", "a", "c"), node("Tanh", "c", "b")])
    found = compare_models(with_function("F", body), other)
    assert unmatched(found) == ["call/two"], found["nodes"]
    flat = model_of([node("Neg", "x", "z", "one"), node("Relu", "z", "y", "two")])
    assert compare_models(with_function("F", body), flat)["status"] == "ok"
    returned = [node("Neg", "a", "b"), node("Relu", "b", "c")]
    found = compare_models(with_function("F", body), with_function("F", returned))
    assert not found["identical_topology"] and not found["outputs"][0]["is_equal"], found
    # Of other operators than the model's: they stay functions.
    other = [with_function("F", nodes, version=17) for nodes in (body, returned)]
    assert compare_models(other[0], other[0])["status"] == "ok"
    found = compare_models(*other)
    assert not found["identical_topology"] and found["other_function_outputs"] == 1, found


@case
def nothing_in_common():
    found = compare_models(model_of([node("Neg", "x", "y")]), model_of([node("Relu", "x", "y")]))
    assert found["nodes"]["share"] == {"a": 0.0, "b": 0.0}
    empty = model_of([], outputs=("x",))
    found = compare_models(empty, empty)
    assert found["nodes"]["share"] == {"a": None, "b": None} and found["status"] == "ok"


@case
def wide_and_deep():
    """Time that grows with the square of the readers, or of the depth, would not end."""
    wide = model_of([node("Neg", "x", f"a{i}") for i in range(20000)] + [node("Relu", "a7", "y")])
    deep = model_of([node("Neg", f"v{i}" if i else "x", f"v{i + 1}") for i in range(20000)]
                    + [node("Relu", "v20000", "y")])
    assert compare_models(wide, wide)["status"] == "ok"
    assert compare_models(deep, deep)["status"] == "ok"
    compare_models(wide, deep)


# ---- the table of defaults ---------------------------------------------------------------------------


@case
def defaults_are_those_of_the_schemas():
    row = re.compile(r'^(INT|FLOAT|STRING)\("(\w+)", "(\w+)", (\d+), "?(.*?)"?F?\)$')
    lines = (ROOT / "core" / "query" / "attribute_defaults.def").read_text().splitlines()
    rows = [row.match(line).groups() for line in lines if line.startswith(("INT", "FLOAT", "STR"))]
    keys = [(op, attribute, int(since)) for _, op, attribute, since, _ in rows]
    assert keys == sorted(keys) and len(set(keys)) == len(keys)
    table = Counter()
    for kind, op, attribute, since, value in rows:
        table[op, attribute, int(since)] = (kind, value)
    kinds = {AttributeProto.INT: ("INT", lambda v: str(v.i)),
             AttributeProto.FLOAT: ("FLOAT", lambda v: repr(v.f)),
             AttributeProto.STRING: ("STRING", lambda v: v.s.decode())}
    checked = 0
    for schema in defs.get_all_schemas_with_history():
        for name, attribute in schema.attributes.items() if schema.domain == "" else ():
            if attribute.default_value.type in kinds:
                kind, text = kinds[attribute.default_value.type]
                known = [k for k in keys if k[:2] == (schema.name, name)
                         and k[2] <= schema.since_version]
                assert table[known[-1]] == (kind, text(attribute.default_value)), (schema.name, name)
                checked += 1
    assert checked > 300


# ---- bad input -------------------------------------------------------------------------------------


@case
def what_is_no_pair():
    file = exported(ALL["bert-tiny"])
    with scratch() as folder:
        (folder / "cut.onnx").write_bytes(file.read_bytes()[:-40])
        for a, b in ((file, folder / "cut.onnx"), (folder / "cut.onnx", file)):
            check_line(run("compare", a, b), EXIT_BAD_INPUT, "damaged")
        check_line(run("compare", file, folder / "none.onnx"), EXIT_BAD_INPUT, "none.onnx")
        check_line(run("compare", file), EXIT_USAGE, "two models")
        check_line(run("compare", file, file, file), EXIT_USAGE, "two models")
        check_line(run("compare", file, file, "--out", "x"), EXIT_USAGE, "--out")


@case_for_each(range(2))
def bits_flipped(seed):
    generator = random.Random(seed)
    file = exported(ALL["bert-tiny"])
    content = file.read_bytes()
    with scratch() as folder:
        for number in range(60):
            changed = bytearray(content)
            for _ in range(generator.choice((1, 3, 20))):
                changed[generator.randrange(len(changed))] ^= 1 << generator.randrange(8)
            (folder / "f.onnx").write_bytes(changed)
            result = run("compare", file, folder / "f.onnx", env=NO_SHIM, text=False)
            assert result.returncode in (0, EXIT_BAD_INPUT, EXIT_FOUND), (seed, number, result)
            assert result.stderr.count(b"\n") <= 1, (seed, number, result)
