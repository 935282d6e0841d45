"""`htp-trace graph`: drawings, parsed by graphviz and networkx, have the contents of the model."""

import functools
import html
import json
import os
import re
import subprocess
import xml.dom.minidom
from collections import Counter
from pathlib import Path

import networkx
import onnx
from onnx import TensorProto, helper

import test_control
from commands import NO_SHIM, ask, facts
from exporters import foreign, ours
from harness import (
    EXIT_BAD_INPUT, EXIT_INTERNAL, EXIT_OK, EXIT_USAGE, ROOT, case, case_for_each, exported, run,
    scratch, skip_unless, skip_unless_loadable,
)
from models.table import ALL
from test_bad_input import check_line

MODELS = ("bert-tiny", "transformer-scripted", "resnet18", "stepper")
CORPUS = ROOT / "tests" / "fuzz" / "corpus" / "model"
DEPTHS = (None, 0, 1, 2, 3)


def flags(depth=None, module=None) -> list:
    return [*([] if depth is None else ["--depth", depth]), *([] if module is None else ["--module", module])]


def read_graphml(file, *options) -> networkx.MultiDiGraph:
    with scratch() as folder:
        out = folder / "g.graphml"
        assert ask("graph", file, "--format", "graphml", "--out", out, *options) == ""
        return networkx.MultiDiGraph(networkx.read_graphml(out))


def read_dot(text: str) -> dict:
    """DOT as parsed by graphviz: boxes, clusters and arrows, without a layout."""
    skip_unless("graphviz")
    result = subprocess.run(["dot", "-Tdot_json"], input=text, capture_output=True, text=True)
    assert result.returncode == EXIT_OK and result.stderr == "", result.stderr
    return json.loads(result.stdout)


MERMAID = {
    "style": re.compile(r"classDef \w+ [\w:#,. -]+|class f\d+ (frame|body)"),
    "frame": re.compile(r'subgraph (f\d+)\["([^"]*)"\]'),
    "box": re.compile(r'(b\d+)\["([^"]*)"\]:::(\w+)'),
    "arrow": re.compile(r'(b\d+) -->(?:\|"[^"]+"\|)? (b\d+)'),
}


def read_mermaid(text: str) -> networkx.DiGraph:
    """Boxes and frames with `parent` and `title`, and the arrows between boxes. Any other line fails."""
    graph, around = networkx.DiGraph(), []
    first, *lines = text.splitlines()
    assert first == "flowchart TB"
    for line in lines:
        kind, found = next(((k, m) for k, r in MERMAID.items() if (m := r.fullmatch(line))), (line, None))
        if line == "end":
            around.pop()
        elif kind == "arrow":
            assert found[1] in graph and found[2] in graph, line
            graph.add_edge(found[1], found[2])
        elif kind in ("frame", "box"):
            title = html.unescape(re.sub(r"#(\d+);", r"&#\1;", found[2].removeprefix("<b>").partition("</b>")[0]))
            graph.add_node(found[1], title=title, **({"parent": around[-1]} if around else {}))
            around += [found[1]] if kind == "frame" else []
        else:
            assert kind == "style", line
    assert not around, around
    return graph


def boxes_of(graph, *kinds) -> dict:
    return {n: data for n, data in graph.nodes(data=True) if data["kind"] in kinds}


def frames_around(graph, node) -> list:
    """From the innermost outwards."""
    frames = []
    while parent := graph.nodes[node].get("parent"):
        frames.append(parent)
        node = parent
    return frames


@functools.cache
def stepper():
    folder = Path(os.environ["HTP_TEST_OUTPUT"]) / f"stepper-{os.getpid()}"
    folder.mkdir()
    return test_control.export(folder)[1]


def source(name):
    """A model of the table, one with a loop and a branch, or one of another exporter."""
    if name == "stepper":
        return stepper()
    if name in ("older", "newer"):
        return foreign(name)
    skip_unless_loadable(ALL[name])
    return exported(ALL[name])


def all_nodes(file) -> list:
    def walk(graph):
        for node in graph.node:
            yield node
            for attribute in node.attribute:
                if attribute.type == onnx.AttributeProto.GRAPH:
                    yield from walk(attribute.g)

    return list(walk(onnx.load(file, load_external_data=False).graph))


# ---- counts, against `inspect --json` and the onnx package -----------------------------------------


@case_for_each([(name, depth) for name in (*MODELS, "older", "newer") for depth in DEPTHS],
               name=lambda row: f"{row[0]}-{'all' if row[1] is None else row[1]}")
def frames_are_the_tree(row):
    """Frames and boxes of modules, with their contents, agree with `inspect`."""
    name, depth = row
    file = source(name)
    tree = facts("inspect", file)
    modules = {m["tag"]: m for m in tree["modules"] if m["has_tag"] and m["nodes_total"]}
    graph = read_graphml(file, *flags(depth))
    with_others = {m["tag"].rpartition("/")[0] or "/" for m in modules.values()}
    closed = {t for t, m in modules.items()
              if depth is not None and (m["depth"] == depth or (m["depth"] < depth and t not in with_others))}
    opened = {t for t, m in modules.items() if depth is None or m["depth"] < depth} - closed
    bodies = boxes_of(graph, "body-frame")
    counts = Counter()
    for data in boxes_of(graph, "module").values():
        counts[data["module"]] += data["operators"]
    if not bodies:
        assert counts == {t: modules[t]["nodes_total"] for t in closed}, (counts, closed)
        frames = {d["module"]: d["operators"] for d in boxes_of(graph, "module-frame").values()}
        assert frames == {t: modules[t]["nodes_total"] for t in opened}, frames
    drawn = boxes_of(graph, "operator", "operators", "module")
    assert sum(d["operators"] for d in drawn.values()) == tree["nodes"]
    if depth is None:
        assert len(drawn) == tree["nodes"] == len(all_nodes(file))
    for node, data in boxes_of(graph, "operators").items():
        if "module" in data:
            frame = graph.nodes[data["parent"]]
            assert frame.get("module", data["module"]) == data["module"], data
    own = Counter()
    for data in boxes_of(graph, "operator", "operators").values():
        own[data.get("module")] += data["operators"]
    for tag in opened if not bodies else ():
        assert own[tag] == modules[tag]["nodes_own"], tag


@case_for_each(MODELS)
def every_node_lies_in_its_module(name):
    """By the tags as read by the onnx package."""
    file = source(name)
    tags = {n.name: next(a.s.decode() for a in n.attribute if a.name == "__source_module")
            for n in all_nodes(file)}
    graph = read_graphml(file)
    found = boxes_of(graph, "operator")
    assert {d["name"] for d in found.values()} == set(tags)
    for node, data in found.items():
        assert data["module"] == tags[data["name"]], data
        around = [graph.nodes[f]["module"] for f in frames_around(graph, node) if "module" in graph.nodes[f]]
        assert around[0] == tags[data["name"]], (data, around)
        assert all(a.startswith(b) for a, b in zip(around, around[1:])), around


def flows_of(file) -> Counter:
    """The edges between nodes, inputs and outputs of a model without bodies: by names."""
    graph = onnx.load(file, load_external_data=False).graph
    weights = {i.name for i in graph.initializer}
    maker = {v: n.name for n in graph.node for v in n.output} | {i.name: i.name for i in graph.input}
    flows = {(maker[v], n.name, v) for n in graph.node for v in n.input if v and v not in weights}
    return flows | {(maker[o.name], o.name, o.name) for o in graph.output}


@case_for_each(("bert-tiny", "resnet18", "older", "newer"))
def arrows_are_the_values(name):
    file = source(name)
    graph = read_graphml(file)
    label = lambda n: graph.nodes[n]["name"]
    found = [(label(a), label(b), data["value"]) for a, b, data in graph.edges(data=True)]
    assert len(set(found)) == len(found)
    assert set(found) == flows_of(file)


@case_for_each([(name, depth) for name in ("bert-tiny", "transformer-scripted", "resnet18") for depth in DEPTHS],
               name=str)
def arrows_at_a_depth_are_those_between_boxes(row):
    """The values between boxes, by the boxes of nodes."""
    name, depth = row
    file = source(name)
    if any(a.type == onnx.AttributeProto.GRAPH for n in all_nodes(file) for a in n.attribute):
        return
    graph, whole = read_graphml(file, *flags(depth)), read_graphml(file)
    modules = {d["module"]: n for n, d in boxes_of(graph, "module").items()}
    expected = set()
    for a, b, data in whole.edges(data=True):
        ends = []
        for node in (a, b):
            tag = whole.nodes[node].get("module", whole.nodes[node]["name"])
            while tag and tag not in modules:
                tag = tag.rpartition("/")[0]
            ends.append(tag)
        if ends[0] and ends[1] and ends[0] != ends[1]:
            expected.add((*ends, data["value"]))
    found = {(graph.nodes[a]["module"], graph.nodes[b]["module"], data["value"])
             for a, b, data in graph.edges(data=True)
             if graph.nodes[a]["kind"] == graph.nodes[b]["kind"] == "module"}
    assert found == expected, found ^ expected
    assert networkx.is_directed_acyclic_graph(graph)


@case_for_each([(name, depth) for name in MODELS for depth in (None, 2)], name=str)
def dot_draws_the_same(row):
    """Clusters and boxes of the DOT text are those of the GraphML, in the same clusters."""
    name, depth = row
    file = source(name)
    graph, dot = read_graphml(file, *flags(depth)), read_dot(ask("graph", file, *flags(depth)))
    objects = dot["objects"]
    clusters = {o["name"].removeprefix("cluster_"): o for o in objects if o["name"].startswith("cluster_")}
    assert set(clusters) | {o["name"] for o in objects[len(clusters):]} == set(graph.nodes)
    for frame, cluster in clusters.items():
        assert graph.nodes[frame]["name"] == cluster["tooltip"]
        inside = {objects[i]["name"] for i in cluster.get("nodes", ())}
        direct = {n for n, d in boxes_of(graph, "operator", "operators", "module").items()
                  if frame in frames_around(graph, n)}
        assert inside == direct, (frame, inside ^ direct)
    pairs = {(objects[e["tail"]]["name"], objects[e["head"]]["name"]) for e in dot["edges"]}
    assert pairs == set(graph.edges()) and len(pairs) == len(dot["edges"])


@case_for_each([(name, depth) for name in MODELS for depth in (None, 2)], name=str)
def mermaid_draws_the_same(row):
    """Subgraphs, boxes and arrows are those of the GraphML, each in the same frame."""
    name, depth = row
    file = source(name)
    graph = read_graphml(file, *flags(depth))
    drawn = read_mermaid(ask("graph", file, "--format", "mermaid", *flags(depth)))
    assert set(drawn) == set(graph)
    assert set(drawn.edges()) == set(graph.edges())
    for node, data in graph.nodes(data=True):
        assert drawn.nodes[node].get("parent") == data.get("parent"), node
        assert drawn.nodes[node]["title"] == data["label"], node


@case
def borders_have_their_types():
    with scratch() as folder:
        file = ours(folder)
        graph = read_graphml(file, "--depth", "2")
        label = {n: d["label"] for n, d in graph.nodes(data=True)}
        between = [(label[a], label[b], d["type"]) for a, b, d in graph.edges(data=True)]
        assert ("Layer.1", "Layer.2", "float32[batch,sequence,16]") in between, between
        text = ask("graph", file, "--depth", "2")
        assert "float32[batch,sequence,16]" in text and "encoder.layer.10" in text


# ---- parts -----------------------------------------------------------------------------------------


@case_for_each(("encoder.layer.1", "Attention", "/Net/Encoder/*", "Head"))
def parts_have_their_borders(module):
    """Inputs and outputs are those that `inspect` prints."""
    with scratch() as folder:
        file = ours(folder)
        border = facts("inspect", file, "--module", module)
        for options in ((), ("--depth", "0"), ("--depth", "1")):
            graph = read_graphml(file, "--module", module, *options)
            for kind, key in (("input", "inputs"), ("output", "outputs")):
                found = Counter(d["name"] for d in boxes_of(graph, kind).values())
                assert found == Counter(v["name"] for v in border[key]), (kind, found)
            drawn = boxes_of(graph, "operator", "operators", "module")
            assert sum(d["operators"] for d in drawn.values()) == len(border["nodes"])


@case
def depth_counts_from_the_part():
    with scratch() as folder:
        file = ours(folder)
        graph = read_graphml(file, "--module", "encoder.layer.1", "--depth", "0")
        assert [d["module"] for d in boxes_of(graph, "module").values()] == ["/Net/Encoder/Layer.1"]
        graph = read_graphml(file, "--module", "encoder.layer.1", "--depth", "1")
        assert [d["label"] for d in boxes_of(graph, "module").values()] == ["Attention"]
        assert [d["label"] for d in boxes_of(graph, "module-frame").values()] == ["Layer.1"]


# ---- bodies and functions --------------------------------------------------------------------------


@case
def bodies_lie_beside_their_nodes():
    graph = read_graphml(CORPUS / "bodies")
    by_name = {d.get("name"): n for n, d in graph.nodes(data=True)}
    around = [graph.nodes[f]["label"] for f in frames_around(graph, by_name["/cell/Neg"])]
    assert around == ["cell", "then_branch of If", "body of Loop", "loop", "/"], around
    kinds = Counter(d["kind"] for _, d in graph.nodes(data=True))
    assert kinds == {"operator": 5, "module-frame": 4, "body-frame": 3, "input": 1, "output": 1}, kinds
    assert graph.has_edge(by_name["/cell/Neg"], by_name["/loop/If"])
    assert graph.has_edge(by_name["/loop/If"], by_name["/loop/Loop"])
    part = read_graphml(CORPUS / "bodies", "--module", "loop")  # with other modules in its bodies
    assert len(boxes_of(part, "operator")) == 5 and len(boxes_of(part, "body-frame")) == 3
    cell = read_graphml(CORPUS / "bodies", "--module", "cell")  # of bodies that are not drawn
    assert Counter(d["kind"] for _, d in cell.nodes(data=True)) == {
        "operator": 2, "module-frame": 2, "input": 1, "output": 2}
    closed = read_graphml(CORPUS / "bodies", "--depth", "1")
    assert [(d["label"], d["operators"]) for d in boxes_of(closed, "module").values()] == [("loop", 5)]


def functions_of(*functions):
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("d", 1)]
    value = helper.make_tensor_value_info
    graph = helper.make_graph([helper.make_node("Outer", ["x"], ["y"], domain="d")], "g",
                              [value("x", 1, [1])], [value("y", 1, [1])])
    return helper.make_model(graph, functions=functions, opset_imports=opsets)


def function_of(name, called, version):
    opsets = [helper.make_opsetid("", version), helper.make_opsetid("d", 1)]
    nodes = [helper.make_node(called, ["a"], ["c"], domain="" if called == "Neg" else "d"),
             helper.make_node("Abs", ["c"], ["b"])]
    return helper.make_function("d", name, ["a"], ["b"], nodes, opsets)


@case
def functions_are_drawn_where_they_are_called():
    graph = read_graphml(CORPUS / "functions")
    assert not boxes_of(graph, "function-frame")
    assert [d["name"] for d in boxes_of(graph, "operator").values()] == ["/outer/first/n", "/outer/second/n"]


@case
def functions_that_stay_lie_beside_their_only_call():
    """Those that import other operators than the model."""
    with scratch() as folder:
        onnx.save(functions_of(function_of("Inner", "Neg", 17), function_of("Outer", "Inner", 17)), folder / "m.onnx")
        graph = read_graphml(folder / "m.onnx")
        frames = {d["label"]: d for d in boxes_of(graph, "function-frame").values()}
        assert set(frames) == {"function Inner", "function Outer"}
        assert "parent" in frames["function Inner"] and "parent" not in frames["function Outer"]
        assert len(boxes_of(graph, "operator")) == 5


@case
def functions_that_call_each_other():
    with scratch() as folder:
        onnx.save(functions_of(function_of("A", "Outer", 18), function_of("Outer", "A", 18)), folder / "m.onnx")
        check_line(run("graph", folder / "m.onnx", env=NO_SHIM), EXIT_BAD_INPUT, "'d::A' calls itself")


# ---- strange names, and errors ------------------------------------------------------------


@case_for_each(sorted(f.name for f in CORPUS.iterdir()))
def strange_models_give_valid_files(name):
    """Whatever can be opened can be drawn, and read by graphviz, XML parsers and the grammar above."""
    for options in ((), ("--depth", "1"), ("--module", "**")):
        result = run("graph", CORPUS / name, *options, env=NO_SHIM)
        if result.returncode != EXIT_OK:
            check_line(result, result.returncode, "htp-trace: ")
            assert result.returncode in (EXIT_USAGE, EXIT_BAD_INPUT), result
            continue
        read_dot(result.stdout)
        xml.dom.minidom.parseString(ask("graph", CORPUS / name, "--format", "graphml", *options))
        drawn = read_mermaid(ask("graph", CORPUS / name, "--format", "mermaid", *options))
        assert set(drawn) == set(read_graphml(CORPUS / name, *options))
        xml.dom.minidom.parseString(ask("graph", CORPUS / name, "--format", "svg", *options))


@case
def names_are_kept():
    """Every character that XML can express comes back."""
    labels = {d.get("name") for d in boxes_of(read_graphml(CORPUS / "odd_names"), "operator").values()}
    for name in ('/"\\/Neg', "/<&>'/Neg", "/a%0Ab/Neg", "/%01/Neg", "/\ufffd/Neg", "/%2A*/Neg", "/é🙂/Neg"):
        assert name in labels, (name, labels)


@case
def many_nodes_in_deep_modules():
    """More nodes than fit into a buffer, and unusually deep modules and bodies."""
    value = helper.make_tensor_value_info
    nodes = [helper.make_node("Neg", [f"v{i}"], [f"v{i + 1}"], name="/" + "m/" * (i % 250) + f"Neg_{i}")
             for i in range(20000)]
    graph = helper.make_graph(nodes, "g", [value("v0", TensorProto.FLOAT, [1])],
                              [value("v20000", TensorProto.FLOAT, [1])])
    with scratch() as folder:
        onnx.save(helper.make_model(graph), folder / "m.onnx")
        drawn = read_graphml(folder / "m.onnx")
        assert len(boxes_of(drawn, "operator")) == 20000
        assert len(boxes_of(drawn, "module-frame")) == 250
        assert drawn.number_of_edges() == 20001
        grouped = read_graphml(folder / "m.onnx", "--depth", "1000")
        assert sum(d["operators"] for d in boxes_of(grouped, "operators", "module").values()) == 20000


@case
def svg_is_drawn():
    skip_unless("graphviz")
    with scratch() as folder:
        file, out = ours(folder), folder / "g.svg"
        done = json.loads(ask("graph", file, "--format", "svg", "--depth", "2", "--out", out, "--json"))
        assert done == {"model": str(file), "status": "ok", "output": str(out)}
        document = xml.dom.minidom.parse(str(out))
        texts = {t.firstChild.data.strip() for t in document.getElementsByTagName("text") if t.firstChild}
        assert {"Encoder", "Layer.11", "Head", "ids", "encoder.layer.11"} <= texts, texts


@case
def svg_without_graphviz():
    with scratch() as folder:
        file, out = ours(folder), folder / "g.svg"
        out.write_text("what was there")
        bare = {**NO_SHIM, "PATH": "/nowhere"}
        result = run("graph", file, "--format", "svg", "--out", out, env=bare)
        check_line(result, EXIT_INTERNAL, "install graphviz")
        (folder / "bin").mkdir()
        failing = folder / "bin" / "dot"
        for script, part in (("echo 'no memory' >&2; exit 1", "no memory"), ("kill -SEGV $$", "Segmentation"),
                             ("exit 3", "does not say why")):
            failing.write_text(f"#!/bin/sh\n{script}\n")
            failing.chmod(0o755)
            result = run("graph", file, "--format", "svg", "--out", out,
                         env={**NO_SHIM, "PATH": f"{folder / 'bin'}:/usr/bin:/bin"})
            check_line(result, EXIT_INTERNAL, part)
        assert out.read_text() == "what was there"
        assert ask("graph", file).startswith("digraph")


@case
def wrong_usage():
    with scratch() as folder:
        file = ours(folder)
        before = file.read_bytes()
        check_line(run("graph"), EXIT_USAGE, "no model")
        check_line(run("graph", file, "--format", "png"), EXIT_USAGE, "png")
        check_line(run("graph", file, "--out", folder / "a.d" / "x.bmp"), EXIT_USAGE, "no format has the ending .bmp")
        check_line(run("graph", file, "--json"), EXIT_USAGE, "--out")
        check_line(run("graph", file, "--module", "Nothing"), EXIT_USAGE, "Nothing")
        check_line(run("graph", file, "--module", "a", "--module", "b"), EXIT_USAGE, "one --module")
        check_line(run("graph", file, "--format", "dot", "--out", file), EXIT_USAGE, "the input itself")
        check_line(run("graph", folder / "none.onnx"), EXIT_BAD_INPUT, "none.onnx")
        check_line(run("graph", file, "--tags", "none"), EXIT_USAGE, "--tags")
        assert file.read_bytes() == before
        assert sorted(p.name for p in folder.iterdir()) == ["ours.onnx"]
        with open("/dev/full", "w") as sink:
            result = run("graph", file, capture_output=False, stdout=sink, stderr=subprocess.PIPE)
        check_line(result, 5, "")
