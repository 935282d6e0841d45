"""The fuzzers' initial corpus of models that are changed, alone or with a second one: fields 1 and 2 of a message."""

import sys
from pathlib import Path

import numpy as np
from onnx import helper, numpy_helper

import corpus_model as models

sys.path.append(str(Path(__file__).resolve().parents[2] / "support"))

from function_pairs import PAIRS, function, model, node, typed, weight  # noqa: E402  (needs the path above)

ALONE = (models.records, models.bodies, models.functions, models.calls, models.kept_calls, models.attributes,
         models.weights, models.types, models.external, models.untyped, models.later)


def cycle():
    """A call that makes what module A reads, and reads what it makes, and a call behind both."""
    two = function("Two", "a b", "c d", [node("Neg", "a", "c", "n"), node("Abs", "b", "d", "m")])
    block = function("Block", "a", "c", [node("Neg", "a", "c", "n", "/Net/A")])
    nodes = [node("Exp", "x", "h", "e", "/Net/A"), node("p::Two", "x h", "c d", "t", "/Net"),
             node("Mul", "c h", "k", "o", "/Net/A"), node("Add", "k d", "q", "z", "/Net"),
             node("p::Block", "q", "r", "b1", "/Net/B"), node("p::Block", "r", "y", "b2", "/Net")]
    return model(nodes, functions=[two, block], infos=[typed(n, "n", 3) for n in "hcdkqr"])


def layers(*operators):
    """A module per operator, with a weight and a branch in the first."""
    names = ["x", *(f"h{i}" for i in range(1, len(operators))), "y"]
    nodes = []
    for i, operator in enumerate(operators):
        inputs = f"{names[i]} w" if operator in ("Add", "Mul") else names[i]
        nodes.append(node(operator, inputs, names[i + 1], f"/l.{i}/{operator}", f"/Net/L.{i}"))
    return model(nodes, [weight("w", [1.0, 2.0, 3.0])], [typed(n, "n", 3) for n in names[1:-1]])


def out_of_order():
    made = layers("Add", "Neg", "Exp")
    nodes = list(made.graph.node)
    del made.graph.node[:]
    made.graph.node.extend(reversed(nodes))
    for each in made.graph.node:
        del each.attribute[:], each.metadata_props[:]
    return made


def other_constants():
    made = models.weights()
    for i, tensor in enumerate(made.graph.initializer):
        if tensor.raw_data:
            made.graph.initializer[i].CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor) + 1, tensor.name))
    made.graph.node.append(helper.make_node("Constant", [], ["c"], value=numpy_helper.from_array(np.arange(3), "c")))
    return made


def branch():
    """A model with a body, for the place of a module."""
    choice = node("If", "c", "y", "if", attributes={
        f"{which}_branch": helper.make_graph([node(operator, "x", "b", operator)], which, [], [typed("b", "n", 3)])
        for which, operator in (("then", "Neg"), ("else", "Abs"))})
    return model([choice], [numpy_helper.from_array(np.array(True), "c")])


def pairs():
    for name, make in PAIRS.items():
        yield f"functions_{name}", *make()
    yield "cycle", cycle(), layers("Neg")
    yield "by_operators", layers("Add", "Neg", "Mul"), layers("Mul", "Exp")
    yield "by_branch", layers("Add", "Neg"), branch()
    yield "order", out_of_order(), layers("Add", "Neg", "Exp")
    yield "constants", models.weights(), other_constants()


def varint(number: int) -> bytes:
    return bytes([number]) if number < 128 else bytes([number & 127 | 128]) + varint(number >> 7)


def write_changes(folder):
    for make in ALONE:
        (folder / make.__name__).write_bytes(make().SerializeToString(deterministic=True))
    for name, first, second in pairs():
        content = b"".join(bytes([key]) + varint(len(part)) + part for key, part in (
            (0x0A, first.SerializeToString(deterministic=True)), (0x12, second.SerializeToString(deterministic=True))))
        (folder / f"pair_{name}").write_bytes(content)
