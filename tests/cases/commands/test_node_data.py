"""Node data for Model Explorer, and colours of drawings: the costs and times that other commands print."""

import json
import re
from collections import Counter
from pathlib import Path

import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from commands import NO_SHIM, ask, facts
from harness import EXIT_CANNOT_WRITE, EXIT_FOUND, EXIT_USAGE, case, exported, run, scratch
from models.table import ALL
from test_bad_input import check_line
from test_extract import save
from test_profile import event

SIZES = ("--sizes", "batch=2,sequence=16")
DEEPEST = "#f97316"
# The environment of runs that need an ONNX Runtime.
RUNTIME = {**NO_SHIM, "VIRTUAL_ENV": str(Path(onnxruntime.__file__).parents[4])}


def node_data(file, *arguments) -> dict:
    """The values by node, by a command that writes them."""
    with scratch() as folder:
        ask(*arguments, "--node-data", folder / "data.json")
        return results(folder / "data.json", file)


def results(path, file) -> dict:
    """The values in a file of node data."""
    ((graph, data),) = json.loads(path.read_text()).items()
    assert graph == onnx.load(file, load_external_data=False).graph.name
    assert [stop["stop"] for stop in data["gradient"]] == [0, 1] and data["gradient"][1]["bgColor"] == DEEPEST
    assert data["name"] in ("multiply-adds", "microseconds", "problems of tags", "error")
    return {name: result["value"] for name, result in data["results"].items()}


@case
def costs_of_nodes():
    file = exported(ALL["bert-tiny"])
    found = facts("inspect", file, "--cost", *SIZES)
    values = node_data(file, "inspect", file, "--cost", *SIZES)
    assert values == {n["name"]: n["multiply_adds"]["number"] for n in found["nodes"]}
    assert sum(values.values()) == found["multiply_adds"]["number"] > 0


@case
def times_of_nodes():
    file = exported(ALL["bert-tiny"])
    names = [n.name for n in onnx.load(file).graph.node]
    with scratch() as folder:
        events = [event(name, 100 * i, i) for i, name in enumerate(2 * names)]
        events.append(event("/encoder/layer.1/fused/of/none", 10**6, 7))
        (folder / "p.json").write_text(json.dumps(events))
        values = node_data(file, "profile", folder / "p.json", file)
    assert values == {name: 2 * i + len(names) for i, name in enumerate(names)}


@case
def problems_of_nodes():
    """One node without a tag: metrics find problems there, and nowhere else."""
    with scratch() as folder:
        model = onnx.load(exported(ALL["bert-tiny"]))
        node = next(n for n in model.graph.node if n.name.endswith("layer.1/output/dense/MatMul"))
        del node.attribute[:], node.metadata_props[:]
        onnx.save(model, folder / "m.onnx")
        values = node_data(folder / "m.onnx", "quality", folder / "m.onnx")
        drawn = ask("graph", folder / "m.onnx", "--color-by", "quality")
    (line,) = [line for line in drawn.splitlines() if DEEPEST in line]
    assert node.name in line and "100.0%" in line and drawn.count("100.0%") == 1
    assert {name for name, value in values.items() if value} == {node.name} and len(values) == len(model.graph.node)


@case
def errors_of_nodes():
    """A weight that is changed: nodes that add error have the deepest colour, and drawings of the report do so, too."""
    file = exported(ALL["bert-tiny"])
    with scratch() as folder:
        model = onnx.load(file)
        node = next(n for n in model.graph.node if n.name.endswith("layer.1/output/dense/MatMul"))
        weight = next(i for i in model.graph.initializer if i.name == node.input[1])
        weight.CopyFrom(numpy_helper.from_array(1.01 * numpy_helper.to_array(weight), weight.name))
        onnx.save(model, folder / "b.onnx")
        found = run("verify", file, folder / "b.onnx", "--json", "--node-data", folder / "data.json", env=RUNTIME)
        assert found.returncode == EXIT_FOUND and not found.stderr, found.stderr
        (folder / "r.json").write_text(found.stdout)
        values = results(folder / "data.json", file)
        growth = {n["node"]: n["growth"] for n in json.loads(found.stdout)["nodes"]}
        assert values.keys() == growth.keys() and all(abs(values[name] - growth[name]) < 1e-12 for name in values)
        assert max(values, key=values.get) == node.name and values[node.name] > 1e-3
        drawn = ask("graph", file, "--color-by", "error", "--verify", folder / "r.json")
        (line,) = [line for line in drawn.splitlines() if DEEPEST in line]
        assert node.name in line, line
        drawn = ask("graph", file, "--depth", "2", "--color-by", "error", "--verify", folder / "r.json")
        (line,) = [line for line in drawn.splitlines() if DEEPEST in line]
        assert "BertLayer.1" in line, line
        check_line(run("verify", file, folder / "b.onnx", "--node-data", folder / "b.onnx", env=RUNTIME), EXIT_USAGE,
                   "b.onnx")


def product(source, target, name="", tag="/Net"):
    made = helper.make_node("MatMul", [source, "w"], [target], name=name)
    made.metadata_props.add(key="source_module", value=tag)
    return made


def bodies(folder):
    """An If without a name whose branches have one and two products, and two nodes of one name."""
    value = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, [4, 4])
    branch = lambda name, count: helper.make_graph(
        [product(f"{name}{i}" if i else "b", f"{name}{i + 1}") for i in range(count)], name, [], [value(f"{name}{count}")])
    nodes = [product("x", "a", "same"), product("a", "b", "same"),
             helper.make_node("If", ["c"], ["y"], then_branch=branch("t", 1), else_branch=branch("e", 2))]
    wide = lambda name: (name, TensorProto.FLOAT, [4, 4])
    weight = helper.make_tensor("w", TensorProto.FLOAT, [4, 4], bytes(64), raw=True)
    return save(folder / "m.onnx", nodes, [wide("x"), ("c", TensorProto.BOOL, [])], [wide("y")], initializer=[weight])


@case
def bodies_count_for_their_nodes():
    """Of an If the branch that costs more. Names are those that the viewer gives."""
    with scratch() as folder:
        file = bodies(folder)
        assert node_data(file, "inspect", file, "--cost") == {"same": 2 * 64, "<node_2>": 2 * 64}


@case
def refused():
    file = exported(ALL["bert-tiny"])
    with scratch() as folder:
        check = lambda *arguments: check_line(run(*arguments[:-2], env=NO_SHIM), *arguments[-2:])
        data = ("--node-data", folder / "data.json")
        check("inspect", file, "--cost", *data, EXIT_USAGE, "pass their sizes")
        check("inspect", file, *data, EXIT_USAGE, "for the cost")
        check("inspect", file, "--cost", *SIZES, "--node-data", folder / "none" / "x", EXIT_CANNOT_WRITE, "none")
        for options, word in ((("cost",), "pass their sizes"), (("time",), "need a profile"),
                              (("cost", "--profile", file), "others take none"), (("heat",), "heat"), (("error",), "need a report"),
                              (("time", "--verify", file), "need a profile"),
                              (("cost", *SIZES, "--verify", file), "others take none")):
            check("graph", file, "--color-by", *options, EXIT_USAGE, word)
        check("graph", file, *SIZES, EXIT_USAGE, "colours by cost")
        assert not list(folder.iterdir())


# ---- drawings ---------------------------------------------------------------------------------------


@case
def drawings_are_coloured():
    """The box that costs most has the deepest colour, and shares add up to the whole."""
    file = exported(ALL["bert-tiny"])
    drawn = ask("graph", file, "--depth", "2", "--color-by", "cost", *SIZES)
    boxes = [line for line in drawn.splitlines() if re.match(r"b\d+ \[", line)]
    colours = Counter(re.findall(r'fillcolor="([^"]*)"', line)[-1] for line in boxes if "%</font>" in line)
    assert colours[DEEPEST] == 2 and all(re.fullmatch("#[0-9a-f]{6}", c) for c in colours), colours
    assert all("BertLayer" in line and "49.9%" in line for line in boxes if DEEPEST in line)
    shares = [float(s) for s in re.findall(r"([\d.]+)%</font>", drawn)]
    assert abs(sum(shares) - 100) < 0.1 * len(shares), shares
    flowchart = ask("graph", file, "--depth", "2", "--format", "mermaid", "--color-by", "cost", *SIZES)
    assert flowchart.count(f"fill:{DEEPEST}") == 2
    plain = ask("graph", file, "--depth", "2")
    assert "%</font>" not in plain and DEEPEST not in plain


@case
def drawings_by_time():
    file = exported(ALL["bert-tiny"])
    name = next(n.name for n in onnx.load(file).graph.node if n.name.startswith("/encoder/layer.1/"))
    with scratch() as folder:
        (folder / "p.json").write_text(json.dumps([event(name)]))
        drawn = ask("graph", file, "--depth", "2", "--color-by", "time", "--profile", folder / "p.json")
    (line,) = [line for line in drawn.splitlines() if DEEPEST in line]
    assert "BertLayer.1" in line and "100.0%" in line, line
