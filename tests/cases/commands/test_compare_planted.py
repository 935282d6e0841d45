"""`htp-trace compare` finds planted changes in a copy of a model, and nothing else."""

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper

import test_control
from comparing import compared, planted, unmatched
from harness import case, exported, scratch
from models.table import ALL
from onnx_facts import all_nodes
from test_compare import constants_as_nodes, rename_all


def weight_change(model):
    weight = next(w for w in model.graph.initializer if w.name.endswith("0.output.dense.weight.T"))
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
    """A model that was trained further: its nodes still correspond."""
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
    """Bodies of loops and branches: equal ones under other names, and one with a changed node."""
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
