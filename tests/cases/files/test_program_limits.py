"""Limits of what a program of torch.export may cost. Every operator of a file is written in its JSON, so little multiplies:
conditions of loops, which run before the loop and within it, and sizes."""

import json
import sys

from bounded_runs import check_bounded, run_bounded
from harness import EXIT_BAD_INPUT, EXIT_OK, case, case_for_each, scratch
from written_programs import meta, program, records, tensor, write

SCALAR = {"dtype": 7, "sizes": [], "requires_grad": False, "device": {"type": "cpu", "index": None}, "strides": [],
          "storage_offset": {"as_int": 0}, "layout": 7}
TRUTH = {**SCALAR, "dtype": 12}
X = meta(3, 2)


def node(target: str, inputs: dict, *outputs: dict) -> dict:
    return {"target": f"torch.ops.{target}", "outputs": list(outputs), "metadata": {"nn_module_stack": "L__self__,,net.Net"},
            "inputs": [{"name": name, "arg": value, "kind": 1} for name, value in inputs.items()]}


def tensors(*names: str) -> dict:
    return {"as_tensors": [{"name": name} for name in names]}


def neg(x: str, y: str) -> dict:
    return node("aten.neg.default", {"self": tensor(x)}, tensor(y))


def is_positive(x: str) -> list:
    """Nodes of c = x.sum() > 0."""
    return [node("aten.sum.default", {"self": tensor(x)}, tensor("s")),
            node("aten.gt.Scalar", {"self": tensor("s"), "other": {"as_int": 0}}, tensor("c"))]


def graph(nodes: list, output: str, values: dict) -> dict:
    """A graph from a."""
    return {"inputs": [tensor("a")], "outputs": [tensor(output)], "nodes": nodes, "tensor_values": values,
            "sym_int_values": {}}


def body() -> dict:
    return {"as_graph": {"name": "body", "graph": graph([neg("a", "b")], "b", {"a": X, "b": X})}}


def whole(nodes: list, output: str, values: dict) -> dict:
    """A program from x."""
    made = program()
    made["graph_module"]["graph"].update(nodes=nodes, outputs=[tensor(output)],
                                         tensor_values={"w": meta(2), "x": X, **values})
    made["graph_module"]["signature"]["output_specs"] = [{"user_output": {"arg": tensor(output)}}]
    return made


def loops(count: int) -> dict:
    """Loops in the conditions of loops."""

    def condition(left: int) -> dict:
        first = loop(left - 1, "a", "b") if left else neg("a", "b")
        return graph([first, *is_positive("b")], "c", {"a": X, "b": X, "s": SCALAR, "c": TRUTH})

    def loop(left: int, x: str, y: str) -> dict:
        return node("higher_order.while_loop", {
            "condition": {"as_graph": {"name": "condition", "graph": condition(left)}}, "body": body(),
            "carried": tensors(x), "others": tensors()}, tensors(y))

    return whole([loop(count, "x", "y")], "y", {"y": X})


def branches(count: int) -> dict:
    """Branches in each other."""
    inner = body()["as_graph"]["graph"]
    for _ in range(count):
        cond = node("higher_order.cond", {"c": tensor("c"), "then": {"as_graph": {"name": "then", "graph": inner}},
                                          "else": body(), "given": tensors("a")}, tensors("b"))
        inner = graph([*is_positive("a"), cond], "b", {"a": X, "b": X, "s": SCALAR, "c": TRUTH})
    return whole([neg("x", "a"), *inner["nodes"]], "b", inner["tensor_values"])


def row(count: int) -> dict:
    """Many operators."""
    names = ["x", *(f"v{i}" for i in range(count))]
    return whole([neg(names[i], names[i + 1]) for i in range(count)], names[-1], {name: X for name in names[1:]})


def arguments(count: int) -> dict:
    """Many inputs that nothing reads."""
    made = row(1)
    names = [f"a{i}" for i in range(count)]
    made["graph_module"]["graph"]["inputs"] += [tensor(name) for name in names]
    made["graph_module"]["graph"]["tensor_values"] |= {name: X for name in names}
    made["graph_module"]["signature"]["input_specs"] += [{"user_input": {"arg": tensor(name)}} for name in names]
    return made


def parts(count: int) -> dict:
    """A billion parts, of which the file names four."""
    names = [f"p{i}" for i in range(4)]
    return whole([
        node("aten.expand.default", {"self": tensor("x"), "size": {"as_ints": [count, 3, 2]}}, tensor("e")),
        node("aten.split.Tensor", {"self": tensor("e"), "split_size": {"as_int": 1}}, tensors(*names)),
        neg("p0", "y")], "y", {"e": meta(count, 3, 2), "y": meta(1, 3, 2), **{name: meta(1, 3, 2) for name in names}})


def joined(count: int) -> dict:
    """A tensor with itself, again and again."""
    names = ["x", *(f"v{i}" for i in range(count))]
    return whole([node("aten.cat.default", {"tensors": tensors(names[i], names[i])}, tensor(names[i + 1]))
                  for i in range(count)], names[-1], {name: meta(3 << (i + 1), 2) for i, name in enumerate(names[1:])})


def write_program(folder, made: dict):
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(100_000)
    try:
        return write(folder / "net.pt2", {**records(), "models/model.json": json.dumps(made).encode()})
    finally:
        sys.setrecursionlimit(limit)


LIMITED = {
    "conditions that double": (loops(19), "--limit operators=N", ()),
    "many operators": (row(1000), "more than 999 operators in one run", ("--limit", "operators=999")),
    "many values": (row(1000), "more than 999 values in one run", ("--limit", "values=999")),
    "a long program": (row(1000), "more than 100000 bytes of JSON", ("--limit", "program-bytes=100000")),
    "many inputs": (arguments(100), "more than 100 inputs of a program", ("--limit", "inputs=100")),
    "a program of many values": (row(1000), "more than 10000 values in the JSON", ("--limit", "program-values=10000")),
}


@case_for_each(LIMITED)
def refused_at_a_limit(what):
    made, words, flags = LIMITED[what]
    with scratch() as folder:
        check_bounded(folder, words, write_program(folder, made), "--out", folder / "net.onnx", *flags)


@case
def nested_without_end():
    for made in (loops(60), branches(60)):
        with scratch() as folder:
            check_bounded(folder, "too many values in each other", write_program(folder, made), "--out", folder / "net.onnx",
                          code=EXIT_BAD_INPUT)


@case
def sizes_that_cost_nothing():
    """They are numbers in the ONNX model."""
    for made in (parts(10**9), joined(55)):
        with scratch() as folder:
            ended = run_bounded(write_program(folder, made), "--out", folder / "net.onnx")
            assert ended.code == EXIT_OK, ended.err
            ended.check_cost()
            assert (folder / "net.onnx").stat().st_size < 1 << 20
