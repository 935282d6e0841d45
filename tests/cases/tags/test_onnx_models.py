"""`inspect` on ONNX models of three exporters: they have one tree, addresses and borders are exact."""

import json

import onnx
from onnx import helper

from commands import ask, facts, tags_of
from exporters import TAGGED, foreign, ours
from harness import EXIT_USAGE, case, case_for_each, exported, run, scratch
from models.table import ALL
from small_models import save

BERT = ALL["bert-tiny"]


# ---- where the hierarchy comes from ------------------------------------------------------------------


@case_for_each(TAGGED, name=lambda row: "-".join(row[0]).strip("-") or "default")
def our_tags_wherever_they_are(row):
    flags, source = row
    with scratch() as folder:
        file = ours(folder, *flags)
        found = facts("inspect", file)
        assert found["hierarchy"] == source, found["hierarchy"]
        assert found["untagged"] == 0
        modules = {m["tag"]: m for m in found["modules"] if m["has_tag"]}
        called = [m for m in modules.values() if m["nodes_total"]]
        assert len(called) == 2 + 2 * 12 + 1, sorted(modules)
        assert modules["/Net"]["nodes_total"] == found["nodes"] == len(onnx.load(file).graph.node)
        assert modules["/Net/Encoder/Layer.10"]["nodes_total"] == 16
        assert modules["/Net/Encoder/Layer.10"]["nodes_own"] == 8


@case
def our_records_are_those_of_the_export():
    with scratch() as folder:
        file = ours(folder)
        found = {m["full_tag"]: m for m in facts("inspect", file)["modules"]}
        metadata = {p.key: p.value for p in onnx.load(file).metadata_props}
        for record in json.loads(metadata["htp.module_tree"])["modules"]:
            module = found.pop(record["full_tag"])
            assert module["tag"] == record["tag"] and module["path"] == record["path"]
            assert module["parameters"] == record["parameters"]["total"], record
            assert module["bytes"] == record["parameters"]["bytes"], record
            assert module["calls"] == record["calls"], record
            if module["has_tag"]:
                assert module["nodes_own"] == record["nodes"]["tagged"], record
                assert module["nodes_total"] == record["nodes"]["total"], record
        assert not found, found


@case
def stripped_models_have_their_names():
    with scratch() as folder:
        found = facts("inspect", ours(folder, "--tags", "none"))
        assert found["hierarchy"] == "names of nodes", found["hierarchy"]
        tags = {m["tag"] for m in found["modules"]}
        assert "/encoder/layer.10/attention/query" in tags, sorted(tags)


@case
def the_older_exporter():
    found = facts("inspect", foreign("older"))
    assert found["hierarchy"] == "names of nodes"
    modules = {m["tag"]: m for m in found["modules"]}
    assert modules["/encoder/layer.1"]["nodes_total"] == modules["/encoder/layer.10"]["nodes_total"]
    nodes = onnx.load(foreign("older")).graph.node
    assert found["untagged"] == sum(not n.name.startswith("/") for n in nodes)


@case_for_each(("newer", "external"))
def the_newer_exporter(name):
    file = foreign(name)
    found = facts("inspect", file)
    assert found["hierarchy"] == "metadata namespace of nodes"
    with scratch() as folder:
        expected = set(tags_of(ours(folder)))
        assert {m["tag"] for m in found["modules"] if m["has_tag"]} == expected
    assert found["untagged"] == 0
    stripped = onnx.load(file)
    for node in stripped.graph.node:
        kept = [p for p in node.metadata_props if p.key != "namespace"]
        del node.metadata_props[:]
        node.metadata_props.extend(kept)
    with scratch() as folder:
        onnx.save(stripped, folder / "scopes.onnx")
        again = facts("inspect", folder / "scopes.onnx")
    assert again["hierarchy"] == "metadata pkg.torch.onnx.name_scopes of nodes"
    assert again["modules"] == found["modules"]


@case
def one_address_in_all_exports():
    """Each exporter has as many multiplications in layer 1 and in its attention."""
    with scratch() as folder:
        files = [ours(folder), foreign("older"), foreign("newer")]
        for address, count in (("encoder.layer.1", 6), ("encoder.layer.1.attention", 4),
                               ("encoder.layer.*.attention", 48), ("encoder.layer.1.up", 1)):
            for file in files:
                names = ask("select", file, "--module", address, "--op", "MatMul").split()
                assert len(names) == count, (file.name, address, names)


# ---- output -------------------------------------------------------------------------------


@case
def tables_fit_the_terminal():
    """All lines but the one of the file's path, which is whole however long it is."""
    with scratch() as folder:
        for file in (ours(folder), foreign("older"), exported(BERT)):
            for options in ((), ("--depth", "1"), ("--module", "**")):
                for line in ask("inspect", file, *options).splitlines():
                    assert len(line) <= 80 or line.endswith(str(file)), line


@case
def a_module_stands_below_the_one_that_holds_it():
    """Even if the file mentions it after others."""
    names = ("/a/b/Relu", "/c/d/Relu", "/a/e/Relu", "/c/Relu")
    ends = ["x", *(f"t{i}" for i in range(len(names) - 1)), "y"]
    nodes = [helper.make_node("Relu", [ends[i]], [ends[i + 1]], name=name) for i, name in enumerate(names)]
    with scratch() as folder:
        lines = ask("inspect", save(folder / "m.onnx", nodes)).splitlines()
    shown = [line.split()[0] for line in lines if line.strip().startswith("/")]
    assert shown == ["/", "/a", "/b", "/e", "/c", "/d"], shown


@case
def depth():
    with scratch() as folder:
        file = ours(folder)
        lines = ask("inspect", file, "--depth", "1").splitlines()
        table = [line.split()[0] for line in lines[lines.index("") + 2 :]]
        assert table == ["/Net", "/Encoder", "/Head"], table
        assert max(m["depth"] for m in facts("inspect", file, "--depth", "1")["modules"]) == 1


@case
def modules_without_those_below():
    """--own, wherever modules are named."""
    with scratch() as folder:
        file = ours(folder)
        names = [node["name"] for node in facts("inspect", file, "--module", "encoder", "--own")["nodes"]]
        below = [node["name"] for node in facts("inspect", file, "--module", "encoder")["nodes"]]
        assert names == ask("select", file, "--module", "encoder", "--own").split()
        assert set(names) < set(below), names
        drawn = ask("graph", file, "--module", "encoder.layer.1", "--own")
        assert drawn.count("[label") < ask("graph", file, "--module", "encoder.layer.1").count("[label")
        for command in ("inspect", "graph"):
            result = run(command, file, "--own")
            assert result.returncode == EXIT_USAGE and "--own goes with --module" in result.stderr


@case
def borders():
    with scratch() as folder:
        found = facts("inspect", ours(folder), "--module", "encoder.layer.1")
        assert found["inputs"] == [{
            "name": "/encoder/layer.0/Add_1_output_0", "dtype": "float32",
            "dims": ["batch", "sequence", 16], "from": ["/Net/Encoder/Layer.0"]}], found["inputs"]
        assert [o["to"] for o in found["outputs"]] == [
            ["/Net/Encoder/Layer.2/Attention", "/Net/Encoder/Layer.2"]]
        assert len(found["nodes"]) == 16 and len(found["weights"]) == 10
        assert found["nodes"][-1]["source"] == "three_exporters.py:37", found["nodes"][-1]
        assert all(w["shared_with"] == [] for w in found["weights"])
        whole = facts("inspect", folder / "ours.onnx", "--module", "/Net")
        assert [v["name"] for v in whole["inputs"]] == ["ids"]
        assert [(v["name"], v["to"]) for v in whole["outputs"]] == [("output", [None])]
        told = run("inspect", folder / "ours.onnx", "--module", "/Net").stdout
        assert "from the model's inputs" in told and "to   the model's outputs" in told, told


@case_for_each(("bert-tiny", "transformer-scripted"))
def borders_hold_the_graph_together(name):
    """A module's inputs are the values that it reads and does not produce, by an independent search."""
    file = exported(ALL[name])
    graph = onnx.load(file, load_external_data=False).graph
    if any(a.type == onnx.AttributeProto.GRAPH for n in graph.node for a in n.attribute):
        return
    weights = {i.name for i in graph.initializer}
    tag = {n.name: next(a.s.decode() for a in n.attribute if a.name == "__source_module")
           for n in graph.node}
    # A node that several modules share belongs to each of them, and is copied with it.
    serves = {n.name: next(([t.decode() for t in a.strings] for a in n.attribute if a.name == "__hierarchy_tags"),
                           [tag[n.name]]) for n in graph.node}
    shared = {v: set(serves[n.name]) for n in graph.node for v in n.output if len(serves[n.name]) > 1}
    for address in tags_of(file):
        inside = [n for n in graph.node
                  if any(t == address or t.startswith(address + "/") for t in serves[n.name])]
        made = [v for n in inside for v in n.output]
        read = list(dict.fromkeys(v for n in inside for v in n.input if v and v not in weights))
        others = {v for n in graph.node if n not in inside for v in n.input
                  if tag[n.name] not in shared.get(v, ())}
        others |= {o.name for o in graph.output}
        found = facts("inspect", file, "--module", address)
        assert [v["name"] for v in found["inputs"]] == [v for v in read if v not in made], address
        assert [v["name"] for v in found["outputs"]] == [v for v in made if v in others], address


@case_for_each(("branching", "small-t5", "small-whisper", "transformer-scripted"))
def borders_of_all_are_those_of_each(name):
    """One pass over the model finds what a pass for each module finds, in the same order."""
    file = exported(ALL[name])
    found = facts("inspect", file, "--borders")["modules"]
    assert {border["module"] for border in found} == set(tags_of(file)) and found[0]["inputs"]
    for border in found:
        alone = facts("inspect", file, "--module", border["module"])
        assert all(border[side] == alone[side] for side in ("inputs", "outputs")), border["module"]
    for depth in 0, 2:
        shallow = facts("inspect", file, "--borders", "--depth", str(depth))["modules"]
        assert shallow == [border for border in found if border["module"] in {one["module"] for one in shallow}]
        assert len(shallow) <= len(found) and (depth or len(shallow) == 1)
