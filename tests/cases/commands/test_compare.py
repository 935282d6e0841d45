"""`htp-trace compare`: parts with equal structure correspond, with any names and storage."""

import random
import re
from collections import Counter

import numpy as np
import onnx
import torch
from onnx import AttributeProto, TensorProto, defs, helper, numpy_helper

from commands import NO_SHIM
from comparing import compared, planted
from exporters import foreign, ours
from harness import (
    EXIT_BAD_INPUT, EXIT_FOUND, EXIT_OK, EXIT_USAGE, ROOT, case, case_for_each, case_for_each_model, exported, run,
    scratch, skip_unless_loadable,
)
from models.table import ALL, FIDELITY
from test_bad_input import check_line

SAMPLES = [ALL[name] for name in ("bert-tiny", "transformer-scripted", "resnet18")]


def assert_same(a, b) -> dict:
    found = compared(a, b)
    assert found["status"] == "ok" and found["identical_topology"], found
    text = run("compare", a, b, env=NO_SHIM).stdout
    assert text.startswith("identical topology") and text.count("\n") == 1, text
    return found


# ---- equal models ------------------------------------------------------------------------------


@case_for_each_model(FIDELITY)
def tags_are_no_structure(model):
    skip_unless_loadable(model)
    found = assert_same(exported(model), exported(model, "--tags", "none"))
    assert found["tags"] is None


def rename_all(model) -> None:
    """Renames everything except operators."""
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
    """Another topological order of the main graph; initializers in reverse order."""
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
    """Replaces raw data by typed data."""
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
    """Raw, typed, packed or not, and external; of every type."""
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
        # Weights are transposed by all of them.
        assert rows["MatMul"]["corresponding"]["a"] == rows["MatMul"]["a"] == 72, rows["MatMul"]
        older = compared(folder / "ours.onnx", foreign("older"))
        assert older["tags"] is None and older["modules"] is None
        assert older["nodes"]["corresponding"] == found["nodes"]["corresponding"]
        both = compared(foreign("older"), foreign("newer"))
        assert both["identical_topology"] and both["status"] == "different", both["metadata"]
        assert_same(foreign("newer"), foreign("external"))


# ---- the table of defaults ---------------------------------------------------------------------------


@case
def defaults_are_those_of_the_schemas():
    row = re.compile(r'^(INT|FLOAT|STRING)\("(\w+)", "(\w+)", (\d+), "?(.*?)"?F?\)$')
    lines = (ROOT / "core" / "query" / "compare" / "attribute_defaults.def").read_text().splitlines()
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


# ---- models in wrappers, constants that changed ------------------------------------------------------


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 4)

    def forward(self, x):
        return torch.relu(self.linear(x))


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = torch.nn.Sequential(Block(), Block())

    def forward(self, x):
        return self.blocks(x) * 2.0


class Wrapper(torch.nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, x):
        return self.net(x)


class Outer(torch.nn.Module):
    """Two wrappers, and work of its own."""

    def __init__(self, net):
        super().__init__()
        self.inner = Wrapper(net)

    def forward(self, x):
        return self.inner(x) + 1.0


def traced(net, folder, name: str):
    torch.jit.trace(net.eval(), torch.ones(2, 4)).save(folder / f"{name}.pt")
    result = run(folder / f"{name}.pt", "-o", folder / f"{name}.onnx", "--quiet")
    assert result.returncode == EXIT_OK, result.stderr
    return folder / f"{name}.onnx"


@case
def roots_of_wrapped_models_are_aligned():
    """One model, bare and in a wrapper class, is the same model; work of the wrapper is its own."""
    net = Net()
    with scratch() as folder:
        bare, wrapped = traced(net, folder, "bare"), traced(Wrapper(net), folder, "wrapped")
        outer = traced(Outer(net), folder, "outer")
        for pair, roots in (((bare, wrapped), {"a": "/Net", "b": "/Wrapper/Net"}),
                            ((wrapped, bare), {"a": "/Wrapper/Net", "b": "/Net"})):
            found = compared(*pair)
            assert found["status"] == "ok" and found["roots"] == roots, (found["status"], found["roots"])
            assert f"{roots['a']} of A is {roots['b']} of B" in run("compare", *pair).stdout
        assert compared(bare, bare)["roots"] is compared(wrapped, wrapped)["roots"] is None
        found = compared(wrapped, outer)
        assert found["roots"] == {"a": "/Wrapper", "b": "/Outer/Wrapper"}
        assert not found["tags"]["disagreeing"] and [row["tag"] for row in found["modules"] if row["a"] != row["b"]] == ["/Outer"]


@case_for_each([(np.float32, "initializer"), (np.float16, "initializer"), (np.float32, "typed"), (np.float32, "node"),
                (np.float32, "external")], name=lambda row: f"{row[0].__name__}-{row[1]}")
def changed_constants_say_by_how_much(row):
    """The largest difference, and relative to the largest element of A."""
    dtype, place = row
    weight = np.arange(1, 9, dtype=dtype).reshape(2, 4)
    other = weight.copy()
    other[1, 2] += dtype(0.5)
    with scratch() as folder:
        for name, values in (("a", weight), ("b", other)):
            tensor = numpy_helper.from_array(values, "w")
            if place == "typed":
                tensor = helper.make_tensor("w", TensorProto.FLOAT, values.shape, values.flatten().tolist())
            nodes = [helper.make_node("Mul", ["x", "w"], ["y"], name="product")]
            if place == "node":
                nodes.insert(0, helper.make_node("Constant", [], ["w"], value=tensor))
            kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
            ends = [helper.make_tensor_value_info(end, kind, [2, 4]) for end in "xy"]
            graph = helper.make_graph(nodes, "g", ends[:1], ends[1:], [] if place == "node" else [tensor])
            onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)]), folder / f"{name}.onnx",
                      save_as_external_data=place == "external", location=f"{name}.data", size_threshold=0)
        found = compared(folder / "a.onnx", folder / "b.onnx")
        (entry,) = found["nodes"]["not_corresponding"]["a"]
        assert entry["differences"] == ["constants"] and entry["constants"] == {"largest": 0.5, "relative": 0.0625}, entry
        assert "other constants than product, by up to 5.0e-01, relative 6.2e-02" in run(
            "compare", folder / "a.onnx", folder / "b.onnx").stdout
