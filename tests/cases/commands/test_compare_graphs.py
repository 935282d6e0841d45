"""`htp-trace compare` on graphs that are hard to match: equal nodes, functions, repetition, great width and
depth."""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from comparing import compared, unmatched
from harness import case, scratch


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
    """Two equal nodes, listed in either order, are distinguished by their readers."""
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
    """Four equal nodes: two that are indistinguishable, and two others likewise."""
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
    """A weight shared by ten equal layers: one more layer is one more node."""
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
    """Quadratic time in the number of readers, or in the depth, would not end."""
    wide = model_of([node("Neg", "x", f"a{i}") for i in range(20000)] + [node("Relu", "a7", "y")])
    deep = model_of([node("Neg", f"v{i}" if i else "x", f"v{i + 1}") for i in range(20000)]
                    + [node("Relu", "v20000", "y")])
    assert compare_models(wide, wide)["status"] == "ok"
    assert compare_models(deep, deep)["status"] == "ok"
    compare_models(wide, deep)
