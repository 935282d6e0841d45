"""`htp-trace quality --against`: other exporters' files are judged by ours, under all names of a module."""

import json

import onnx

from harness import case, case_for_each, scratch
from quality_measured import CALLS, READ, STRUCTURE, measured, wrong


def written(path, nodes, records=None):
    """A chain of nodes, each with a distinct operator and perhaps a weight.
    @param nodes  for each its op type, its name, its weight's or None, its metadata"""
    made, weights, before = [], [], "x"
    for number, (op_type, name, weight, metadata) in enumerate(nodes):
        inputs = [before] + ([weight] if weight else [])
        before = f"v{number}"
        node = onnx.helper.make_node(op_type, inputs, [before], name=name)
        onnx.helper.set_model_props(node, metadata)
        made.append(node)
        if weight and weight not in {w.name for w in weights}:
            value = [len(weights) + 1.0] * 4
            weights.append(onnx.helper.make_tensor(weight, onnx.TensorProto.FLOAT, [4], value))
    values = [onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [4])
              for name in ("x", before)]
    graph = onnx.helper.make_graph(made, "g", values[:1], values[1:], weights)
    model = onnx.helper.make_model(graph)
    if records:
        onnx.helper.set_model_props(model, {"htp.module_tree": json.dumps(records)})
    onnx.save(model, path)
    return path


def judged(nodes, records, others) -> dict:
    """Findings in another file with the same operators, by ours."""
    with scratch() as folder:
        ours = written(folder / "ours.onnx", nodes, records)
        (_, found) = measured(ours, "--against", written(folder / "other.onnx", others))
    assert found["reference"]["matched"] == found["nodes"] == len(nodes), found["reference"]
    return found


def chained(*modules: str) -> dict:
    """The chain of calls of a node, as PyTorch's newer exporter writes it."""
    return {"namespace": "".join(f"{path}: pkg.{name}/" for path, name in
                                 (module.split(":") for module in modules)) + "node: aten.op"}


LAYERS = (":Net", "layer1:torch.nn.Sequential", "layer1.0:Block")
NUMBERED = [
    ("Mul", "a", "layer1.0.first.weight", chained(*LAYERS, "layer1.0.first:First")),
    ("Relu", "b", None, chained(*LAYERS)),
    ("Add", "c", "layer1.0.second.weight", chained(*LAYERS, "layer1.0.second:Second")),
    ("Neg", "d", None, chained(":Net", "head:Head")),
]


def named(nodes, *names: str) -> list:
    """The same nodes with other names, which are the only trace of modules."""
    return [(op_type, name, weight, {}) for (op_type, _, weight, _), name in zip(nodes, names)]


@case
def numbered_scopes():
    """The child of a Sequential repeats its parent's scope in names of PyTorch's older exporter."""
    found = judged(NUMBERED, None, named(
        NUMBERED, "/layer1/layer1.0/first/Mul", "/layer1/layer1.0/Relu",
        "/layer1/layer1.0/second/Add", "/head/Neg"))
    assert {"layer1", "layer1.0", "layer1.0.first", "layer1.0.second", "head"} <= {
        module["path"] for module in found["modules"]}, found["modules"]
    for name in (CALLS, READ, "specificity", "weights"):
        assert found["metrics"][name]["of"] > 0 and wrong(found, name) == 0, (name, found)


@case
def repeated_scopes():
    """There the second call of a module has a number after its scope."""
    nodes = [("Mul", "a", None, chained(":Net", "act:Act")),
             ("Relu", "b", None, chained(":Net", "act:Act")),
             ("Neg", "c", None, chained(":Net", "act_1:Other"))]
    nodes = [(op_type, name, f"w{name}", chain) if op_type == "Mul" else (op_type, name, None, chain)
             for op_type, name, _, chain in nodes]
    found = judged(nodes, None, named(nodes, "/act/Mul", "/act_2/Relu", "/act_1/Neg"))
    assert wrong(found, CALLS) == wrong(found, "specificity") == 0, found["metrics"]
    found = judged(nodes, None, named(nodes, "/act/Mul", "/act_1/Relu", "/act_2/Neg"))
    assert wrong(found, CALLS) == 2, found["metrics"]


def tagged(tag: str) -> dict:
    return {"source_module": tag}


def record(path: str, tag: str, *aliases: str) -> dict:
    return {"path": path, "tag": tag, "full_tag": tag, "class": tag.split("/")[-1].split(".")[0],
            "aliases": list(aliases), "calls": 1}


SHARED = [
    ("Mul", "a", "b.shared.weight", tagged("/Net/Layer.1/Shared")),
    ("Relu", "b", None, tagged("/Net/Layer.0")),
    ("Add", "c", "b.shared.weight", tagged("/Net/Layer.1/Shared")),
    ("Neg", "d", None, tagged("/Net/Layer.1")),
    ("Abs", "e", None, tagged("/Net/Layer.2")),
]
SHARED_RECORDS = {"modules": [
    record("", "/Net"), record("a", "/Net/Layer.0"), record("a.shared", "/Net/Layer.0/Shared"),
    record("b", "/Net/Layer.1"), record("b.shared", "/Net/Layer.1/Shared", "a.shared"),
    record("c", "/Net/Layer.2"),
]}

# The move of the first node, by kind of tag; whether that is wrong; the weight's name.
ALIASES = {
    "its path": ("/b/shared/Mul", None, 0, "b.shared.weight"),
    "an alias": ("/a/shared/Mul", None, 0, "b.shared.weight"),
    "an alias of the weight's": ("/b/shared/Mul", None, 0, "a.shared.weight"),
    "above an alias": ("/a/Mul", None, 0, "a.shared.weight"),
    "neither": ("/c/Mul", None, 1, "b.shared.weight"),
    "an alias's tag": ("a", "/Net/Layer.0/Shared", 0, "b.shared.weight"),
    "above an alias's tag": ("a", "/Net/Layer.0", 0, "b.shared.weight"),
    "another tag": ("a", "/Net/Layer.2", 1, "b.shared.weight"),
}


@case_for_each(ALIASES)
def aliases(kind):
    """A module is right under each of its names."""
    name, tag, count, weight = ALIASES[kind]
    others = named(SHARED, name, "/a/Relu", "/b/shared/Add", "/b/Neg", "/c/Abs")
    if tag:
        others = [(op_type, called, held, tagged(tag if called == "a" else node[3]["source_module"]))
                  for (op_type, called, held, _), node in zip(others, SHARED)]
    found = judged(SHARED, SHARED_RECORDS, [
        (op_type, called, held and weight, metadata) for op_type, called, held, metadata in others])
    assert wrong(found, CALLS) == count and wrong(found, READ) == count, found["metrics"]
    assert found["metrics"][READ]["of"] == 2, found["metrics"]


MERGED_STACKS = [
    ("Mul", "a", "encoder.layer.weight", chained(":Net", "encoder:Stack", "encoder.layer:Layer")),
    ("Relu", "b", None, chained(":Net", "encoder:Stack")),
    ("Add", "c", "decoder.layer.weight", chained(":Net", "decoder:Stack", "decoder.layer:Layer")),
    ("Neg", "d", None, chained(":Net", "decoder:Stack", "decoder.layer:Layer")),
    ("Abs", "e", None, chained(":Net", "decoder:Stack")),
    ("Exp", "f", None, chained(":Net", "head:Head")),
]


@case
def merged_instances():
    """A tag names one instance: if two share it, nodes of the smaller one are misplaced, wherever they are below it."""
    def retagged(*tags: str) -> list:
        return [(op_type, name, weight, tagged(tag))
                for (op_type, name, weight, _), tag in zip(MERGED_STACKS, tags)]

    layer, stack = "/Net/Stack/Layer", "/Net/Stack"
    merged = judged(MERGED_STACKS, None, retagged(layer, stack, layer, layer, stack, "/Net/Head"))
    assert [row[0] for row in merged["nodes_table"]["rows"] if CALLS in row[6]] == ["a", "b"]
    assert [row[0] for row in merged["nodes_table"]["rows"] if READ in row[6]] == ["a"]
    assert wrong(merged, "weights") == 1 and wrong(merged, "injectivity") == 2, merged["metrics"]
    coarse = judged(MERGED_STACKS, None, retagged(*["/Net"] * 6))
    assert wrong(coarse, CALLS) == wrong(coarse, READ) == wrong(coarse, "injectivity") == 0
    apart = judged(MERGED_STACKS, None, retagged(
        "/Net/Stack.encoder/Layer", "/Net/Stack.encoder", *["/Net/Stack.decoder/Layer"] * 2,
        "/Net/Stack.decoder", "/Net/Head"))
    assert all(wrong(apart, name) == 0 for name in (CALLS, READ, "weights", "injectivity")), apart


@case
def shared_by_layers():
    """A module shared by layers may be tagged as that of any layer, if a reference knows."""
    nodes = [node for i in range(3) for node in (
        ("Mul", f"m{i}", f"l{i}.weight", tagged(f"/Net/Layer.{i}")),
        ("Relu", f"r{i}", None, tagged(f"/Net/Layer.{i}")),
        ("Add", f"s{i}", "l2.shared.weight", tagged("/Net/Layer.2/Shared")),
        ("Neg", f"n{i}", None, tagged(f"/Net/Layer.{i}")))]
    parts = [(f"l{i}", f"/Net/Layer.{i}") for i in range(3)]
    shared = [(path + ".shared", tag + "/Shared") for path, tag in parts]
    names = [path for path, _ in shared]
    others = [(op_type, name, weight, tagged("/Net/Layer.0/Shared" if name == "s0" else
                                             metadata["source_module"]))
              for op_type, name, weight, metadata in nodes]
    for has_aliases in (False, True):
        records = {"modules": [record("", "/Net"), *(record(*part) for part in parts), *(
            record(*part, *(names[:2] if has_aliases and part == shared[2] else []))
            for part in shared)]}
        found = judged(nodes, records, others)
        assert found["metrics"][STRUCTURE]["of"] > 0, found["metrics"]
        assert (wrong(found, STRUCTURE) == 0) == has_aliases, found["metrics"][STRUCTURE]
        rows = [row[0] for row in found["nodes_table"]["rows"] if CALLS in row[6]]
        assert rows == ([] if has_aliases else ["s0"]), found["nodes_table"]["rows"]


@case
def names_without_end():
    """A module with more names than the limit is not judged."""
    for count, judges in ((200, True), (300, False)):
        names = [f"a{i}" for i in range(count)]
        records = {"modules": [record("", "/Net"), *(
            record(name, f"/Net/A.{i}", "b") for i, name in enumerate(names)), record("b", "/Net/B")]}
        with scratch() as folder:
            (found,) = measured(written(folder / "ours.onnx", [
                ("Mul", "m", "b.weight", tagged("/Net/A.7")), ("Neg", "n", None, tagged("/Net"))], records))
        assert wrong(found, READ) == 0 and (found["metrics"][READ]["of"] == 1) == judges, found["metrics"]
