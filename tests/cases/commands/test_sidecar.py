"""Sidecars agree with the model, for every reader."""

import json
import re
import subprocess
from collections import Counter

import jsonschema
import onnx
from onnx import TensorProto, helper

import test_control
from commands import NO_SHIM, facts
from exporters import foreign, models, ours
from harness import (
    EXIT_CANNOT_WRITE, EXIT_FOUND, EXIT_OK, EXIT_USAGE, PROGRAM, ROOT, case, case_for_each, case_for_each_model, export,
    exported, input_flags, run, scratch, skip_unless_loadable, torchscript,
)
from models.table import ALL
from onnx_facts import all_nodes, chain_of, module_tree, properties, tags_of
from test_bad_input import check_line
from test_validate import findings

SAMPLES = [ALL[name] for name in ("bert-tiny", "resnet18", "transformer-scripted")]
SCHEMA = json.loads((ROOT / "docs" / "hierarchy.schema.json").read_text())


def once(pairs) -> dict:
    found = dict(pairs)
    assert len(found) == len(pairs), "a name stands twice in one object"
    return found


def read(file) -> dict:
    document = json.loads(file.read_text(), object_pairs_hook=once)
    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    return document


def make(file, out) -> dict:
    result = run("sidecar", file, "--out", out, env=NO_SHIM)
    assert result.returncode == EXIT_OK and result.stdout == result.stderr == "", result
    return read(out)


def initializers_of(document: dict) -> dict:
    return {k: v for k, v in document["operations"].items() if v["op_type"] == "Initializer"}


def nodes_of(document: dict) -> dict:
    return {k: v for k, v in document["operations"].items() if v["op_type"] != "Initializer"}


def findings_with(file, sidecar) -> list:
    flags = ["--sidecar"] if sidecar is None else [f"--sidecar={sidecar}"]
    result = run("validate", file, *flags, "--json", env=NO_SHIM)
    assert result.stderr == "", result.stderr
    found = json.loads(result.stdout)["findings"]
    assert result.returncode == (EXIT_FOUND if found else EXIT_OK)
    return found


# ---- contents -----------------------------------------------------------------------------------


@case
def the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@case_for_each_model(SAMPLES)
def nodes_are_those_of_the_model(model):
    skip_unless_loadable(model)
    file = exported(model)
    loaded = onnx.load(file)
    with scratch() as folder:
        document = make(file, folder / "s.json")
        operations = nodes_of(document)
        assert list(operations) == [n.name for n in all_nodes(loaded)]
        for node in all_nodes(loaded):
            told = operations[node.name]
            assert told["op_type"] == node.op_type
            assert told["inputs"] == list(node.input) and told["outputs"] == list(node.output)
            assert told["tags"] == tags_of(node)
            metadata = properties(node)
            assert told["full_tag"] == metadata["full_tag"]
            assert told["scope"] == chain_of(node)[-1]
            assert told["call"] == metadata.get("call")
            trace = re.findall(r'File "(.*)", line (\d+)', metadata.get(
                "pkg.torch.onnx.stack_trace", ""))
            source = told["source"] and (told["source"]["file"], str(told["source"]["line"]))
            assert source == (trace[-1] if trace else None), node.name
        weights = initializers_of(document)
        assert list(weights) == [w.name for w in loaded.graph.initializer]
        for weight in loaded.graph.initializer:
            told = weights[weight.name]
            assert told["dims"] == list(weight.dims)
            users = {tags_of(n)[0] for n in all_nodes(loaded) if weight.name in n.input}
            assert set(told["users"]) == users and len(told["users"]) == len(users)
            listed = set(json.loads(properties(weight)["hierarchy_tags"]))
            assert users | set(told["owners"] or []) <= listed, weight.name


@case_for_each_model(SAMPLES)
def modules_are_those_of_the_records(model):
    skip_unless_loadable(model)
    with scratch() as folder:
        document = make(exported(model), folder / "s.json")
    records = module_tree(onnx.load(exported(model)))
    assert len(records) == len(document["modules"])
    by_path = {m["path"]: m for m in document["modules"]}
    for record, module in zip(records, document["modules"]):
        for key, value in record.items():
            assert module[key] == value, (module["full_tag"], key)
        parent = module["parent"]
        for child in module["children"]:
            assert by_path[child]["parent"] == module["full_tag"]
        assert (parent is None) == (module["path"] == "")


@case_for_each_model(SAMPLES)
def tensors_and_dags_hold_together(model):
    """By an independent search over the model's edges."""
    skip_unless_loadable(model)
    loaded = onnx.load(exported(model))
    with scratch() as folder:
        document = make(exported(model), folder / "s.json")
    operations = nodes_of(document)
    made = {name: key for key, node in operations.items() for name in node["outputs"] if name}
    readers = Counter()
    for key, node in operations.items():
        for name in set(node["inputs"]):
            readers[name, node["tags"][0]] += 1
    for name, tensor in document["tensors"].items():
        if name in made:
            assert tensor["made_by"] == made[name]
            assert tensor["producer"] == operations[made[name]]["tags"][0]
        assert {t for n, t in readers if n == name} <= set(tensor["consumers"]), name
    assert {n.name for n in loaded.graph.input} == {
        n for n, t in document["tensors"].items() if t["is_input"]}
    assert {n.name for n in loaded.graph.output} == {
        n for n, t in document["tensors"].items() if t["is_output"]}
    parents = {m["full_tag"]: m["parent"] for m in document["modules"]}
    inside = {tag: [] for tag in parents}
    for key, node in operations.items():
        tag = node["full_tag"]
        while tag is not None:
            inside[tag].append(key)
            tag = parents[tag]
    assert list(document["dag"]) == list(parents)
    main = {n.name for n in loaded.graph.node}
    for tag, dag in document["dag"].items():
        members = set(inside[tag])
        assert sorted(dag["nodes"]) == sorted(inside[tag]), tag
        edges = {tuple(edge) for edge in dag["edges"]}
        assert len(edges) == len(dag["edges"]), tag
        flows = {(made[name], key) for key in members for name in operations[key]["inputs"]
                 if made.get(name) in members}
        assert flows <= edges, tag
        assert all(b not in main or a not in main for a, b in edges - flows), tag


@case
def bodies():
    with scratch() as folder:
        _, file = test_control.export(folder)
        document = make(file, folder / "s.json")
        loaded = onnx.load(file)
        main = {n.name for n in loaded.graph.node}
        for key, node in nodes_of(document).items():
            assert (node["body_of"] is None) == (key in main), key
        loop = next(k for k, n in nodes_of(document).items() if n["op_type"] == "Loop")
        inside = {k for k, n in nodes_of(document).items() if n["body_of"] == loop}
        body = next(a.g for n in loaded.graph.node if n.name == loop for a in n.attribute
                    if a.type == onnx.AttributeProto.GRAPH)
        returned = [document["tensors"][v.name] for v in body.output
                    if v.name in document["tensors"]]
        tag = nodes_of(document)[loop]["tags"][0]
        assert returned and all(tag in t["consumers"] for t in returned), returned
        given = [document["tensors"][v.name] for v in body.input]
        assert all(t["made_by"] == loop and not t["is_input"] for t in given), given
        root = document["dag"]["/Stepper"]
        assert any(b == loop and a in inside for a, b in root["edges"]), "what a body returns"
        assert findings_with(file, folder / "s.json") == []


@case_for_each(("older", "newer", "external"))
def foreign_models(name):
    with scratch() as folder:
        document = make(foreign(name), folder / "s.json")
        found = facts("inspect", foreign(name))
        assert document["export"]["hierarchy"] == found["hierarchy"]
        assert [m["tag"] for m in document["modules"]] == [m["tag"] for m in found["modules"]]
        assert document["export"]["untagged"] == sum(
            not n["tags"] for n in nodes_of(document).values())
        assert all(w["owners"] is None for w in initializers_of(document).values())
        assert findings_with(foreign(name), folder / "s.json") == []


@case
def repeated_modules():
    """A module that runs twice: its calls are listed, and both are in its graph."""
    import torch
    from torch import nn

    class Inner(nn.Module):
        def forward(self, x):
            return torch.relu(x) + 1

    class Outer(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = Inner()

        def forward(self, x):
            return self.inner(self.inner(x) * 2)

    with scratch() as folder:
        torch.jit.trace(Outer().eval(), torch.ones(2)).save(str(folder / "m.pt"))
        export(folder / "m.pt", folder / "m.onnx", "--sidecar")
        document = read(folder / "m_hierarchy.json")
    inner = next(m for m in document["modules"] if m["path"] == "inner")
    calls = [n["call"] for n in nodes_of(document).values() if n["scope"] == "inner"]
    assert inner["calls"] == 2 and sorted(set(calls)) == ["0", "1"], (inner, calls)
    assert len(document["dag"][inner["full_tag"]]["nodes"]) == inner["nodes"]["own"] == len(calls)


# ---- at export ---------------------------------------------------------------------------------------


@case_for_each_model(SAMPLES)
def the_export_writes_the_same(model):
    """Except for one line that only an export knows."""
    skip_unless_loadable(model)
    with scratch() as folder:
        result = export(torchscript(model), folder / "m.onnx", *input_flags(model), "--sidecar",
                        "--json")
        told = json.loads(result.stdout)
        at_export = (folder / "m_hierarchy.json").read_text()
        assert told["sidecar"] == str(folder / "m_hierarchy.json")
        assert (folder / "m.onnx").read_bytes() == exported(model).read_bytes()
        document = read(folder / "m_hierarchy.json")
        assert document["export"]["libtorch"] == told["libtorch"]
        assert set(document["export"]["seconds"]) == set(told["seconds"])
        make(folder / "m.onnx", folder / "alone.json")
        alone = (folder / "alone.json").read_text()
        lines = at_export.splitlines(keepends=True)
        kept = [line for line in lines if not line.startswith('"libtorch": ')]
        assert len(kept) == len(lines) - 1
        assert "".join(kept) == alone


@case
def where_it_goes():
    with scratch() as folder:
        file = ours(folder)
        result = run("sidecar", file, "--json", env=NO_SHIM)
        assert json.loads(result.stdout)["output"] == str(folder / "ours_hierarchy.json")
        whole = (folder / "ours_hierarchy.json").read_bytes()
        assert sorted(p.name for p in folder.iterdir()) == ["ours.onnx", "ours_hierarchy.json"]
        direct = run("sidecar", file, "--out", "/dev/stdout", env=NO_SHIM, text=False)
        assert direct.stdout == whole
        net = models() / "net.pt"
        export(net, folder / "a.onnx", "--sidecar", folder / "named.json")
        export(net, folder / "b.onnx", f"--sidecar={folder / 'other'}")
        assert read(folder / "named.json") and read(folder / "other")
        many = run(net, net.parent / "net.pt", "--out-dir", folder, "--sidecar=x")
        check_line(many, EXIT_USAGE, "one model")
        check_line(run("sidecar", file, "--out", file), EXIT_USAGE, "input itself")
        check_line(run("sidecar", file, "--out", folder / "no" / "s.json"), EXIT_CANNOT_WRITE, "no")
        before = sorted(p.name for p in folder.iterdir())
        for bad, code in ((folder / "c.onnx", EXIT_USAGE), (net, EXIT_USAGE),
                          (folder / "no" / "s.json", EXIT_CANNOT_WRITE)):
            check_line(run(net, "--out", folder / "c.onnx", f"--sidecar={bad}", "--quiet"), code, "")
        check_line(run(net, "--out", "/dev/null", "--sidecar", "--quiet"), EXIT_USAGE, "no file")
        assert sorted(p.name for p in folder.iterdir()) == before, "something was written"
        check_line(run("inspect", file, "--sidecar"), EXIT_USAGE, "--sidecar")
        export(net, folder / "e.onnx", "--external-data", "always")
        data = (folder / "e.onnx.data").read_bytes()
        check_line(run("sidecar", folder / "e.onnx", "--out", folder / "sub" / ".." / "e.onnx.data"),
                   EXIT_CANNOT_WRITE, "e.onnx.data")
        check_line(run("sidecar", folder / "e.onnx", "--out", f"{folder}/./e.onnx.data"), EXIT_USAGE,
                   "input itself")
        assert (folder / "e.onnx.data").read_bytes() == data
        check_line(run(net, "--out", folder / "f.onnx", f"--sidecar={folder}/./f.onnx", "--quiet"),
                   EXIT_USAGE, "input itself")
        assert (folder / "f.onnx").read_bytes() == file.read_bytes()


@case
def the_document_does_not_depend_on_the_path():
    with scratch() as folder:
        file = ours(folder)
        make(file, folder / "one.json")
        (folder / "sub").mkdir()
        file.rename(folder / "sub" / "elsewhere.onnx")
        make(folder / "sub" / "elsewhere.onnx", folder / "two.json")
        assert (folder / "one.json").read_bytes() == (folder / "two.json").read_bytes()


# ---- strange names -----------------------------------------------------------------------------------


@case
def strange_names():
    """Nodes without names, with one name, or with characters that JSON escapes; a node and an
    initializer of one name; values of one name in two bodies."""
    value = helper.make_tensor_value_info
    names = ["", "", "a", "a", 'q"uo\\te', "tab\tnew\nline\x01", "\x7f\u20ac\U0001f600", "a#3", "w"]
    nodes = [helper.make_node("Neg", [f"v{i}"], [f"v{i + 1}"], name=name)
             for i, name in enumerate(names)]

    def branch():
        inner = helper.make_node("Neg", [f"v{len(names)}"], ["same"], name="in")
        return helper.make_graph([inner], "b", [], [value("same", TensorProto.FLOAT, [1])])

    nodes.append(helper.make_node("Cast", ["v1"], ["c"], to=TensorProto.BOOL))
    nodes.append(helper.make_node("If", ["c"], ["z"], then_branch=branch(), else_branch=branch()))
    nodes.append(helper.make_node("Add", ["z", "w"], ["y"]))
    weight = helper.make_tensor("w", TensorProto.FLOAT, [1], [1.0])
    graph = helper.make_graph(nodes, "g", [value("v0", TensorProto.FLOAT, [1])],
                              [value("y", TensorProto.FLOAT, [1])], [weight])
    with scratch() as folder:
        onnx.save(helper.make_model(graph), folder / "m.onnx")
        document = make(folder / "m.onnx", folder / "s.json")
        assert len(nodes_of(document)) == len(nodes) + 2
        assert len(initializers_of(document)) == 1
        keys = list(nodes_of(document))
        assert keys[:9] == ["#0", "#1", "a", "a#3", *names[4:7], "a#3#7", "w"], keys
        assert sum(t["made_by"] is not None for t in document["tensors"].values()) == len(nodes) + 2
        assert findings_with(folder / "m.onnx", folder / "s.json") == [
            line for line in findings(folder / "m.onnx")]


@case
def metadata_that_is_no_text():
    with scratch() as folder:
        content = ours(folder).read_bytes()
        changed = content.replace(b"three_exporters.py", b"three_exp\xff\xfe\x00\x01rs.py")
        assert changed != content
        (folder / "m.onnx").write_bytes(changed)
        document = make(folder / "m.onnx", folder / "s.json")
        files = {n["source"]["file"] for n in nodes_of(document).values() if n["source"]}
        assert "three_exp\ufffd\ufffd\x00\x01rs.py" in {f.rpartition("/")[2] for f in files}, files


# ---- as a source of the hierarchy ----------------------------------------------------------------------


def stripped(folder, file):
    """The model without tags, its sidecar beside it."""
    make(file, folder / "m_hierarchy.json")
    result = run("strip", file, "--out", folder / "m.onnx", env=NO_SHIM)
    assert result.returncode == EXIT_OK, result.stderr
    return folder / "m.onnx"


def answers(file, address: str) -> list:
    found = []
    for arguments in (("inspect", file, "--json"), ("inspect", file, "--module", address, "--json"),
                      ("select", file, "--module", address, "--json"),
                      ("select", file, "--module", address, "--weights", "--json")):
        answer = json.loads(run(*arguments, env=NO_SHIM).stdout)
        found.append({k: v for k, v in answer.items() if k not in ("model", "hierarchy")})
    return found


@case_for_each((("bert-tiny", "encoder.layer.1.attention"), ("resnet18", "layer2.0"),
                ("transformer-scripted", "**")), name=lambda row: row[0])
def answers_are_those_of_the_tags(row):
    name, address = row
    skip_unless_loadable(ALL[name])
    with scratch() as folder:
        file = stripped(folder, exported(ALL[name]))
        assert facts("inspect", file)["hierarchy"] == "sidecar m_hierarchy.json"
        assert answers(file, address) == answers(exported(ALL[name]), address)
        assert findings(file) == []
        assert findings_with(file, None) == []


@case
def answers_are_those_of_other_exporters():
    with scratch() as folder:
        file = stripped(folder, foreign("newer"))
        assert answers(file, "encoder.layer.1") == answers(foreign("newer"), "encoder.layer.1")


@case
def what_the_file_says_goes_first():
    with scratch() as folder:
        file = ours(folder)
        (folder / "ours_hierarchy.json").write_text("no JSON at all")
        assert facts("inspect", file)["hierarchy"] == "attribute __source_module of nodes"


@case
def a_sidecar_of_another_model():
    with scratch() as folder:
        stripped(folder, exported(ALL["bert-tiny"]))
        file = run("strip", ours(folder), "--out", folder / "m.onnx", env=NO_SHIM)
        assert file.returncode == EXIT_OK
        found = facts("inspect", folder / "m.onnx")
        # Some nodes of both have one name and operator; the others belong to no module.
        assert found["hierarchy"] in ("names of nodes", "sidecar m_hierarchy.json")
        assert found["hierarchy"] == "names of nodes" or found["untagged"] > 200, found["untagged"]


@case
def a_sidecar_that_tells_is_not_replaced():
    with scratch() as folder:
        file = stripped(folder, ours(folder))
        check_line(run("sidecar", file, env=NO_SHIM), EXIT_USAGE, "input itself")


# ---- size -----------------------------------------------------------------------------------------------


@case
def many_nodes():
    """A document that is larger than its buffer."""
    count, path = 20000, "/deep" * 40
    nodes = [helper.make_node("Neg", [f"v{i}"], [f"v{i + 1}"], name=f"{path}/Neg_{i}")
             for i in range(count)]
    value = helper.make_tensor_value_info
    graph = helper.make_graph(nodes, "g", [value("v0", TensorProto.FLOAT, [1])],
                              [value(f"v{count}", TensorProto.FLOAT, [1])])
    with scratch() as folder:
        onnx.save(helper.make_model(graph), folder / "m.onnx")
        command = ["sh", "-c", 'ulimit -v 200000; exec "$@"', "sh", str(PROGRAM), "sidecar",
                   str(folder / "m.onnx")]
        result = subprocess.run(command, capture_output=True, text=True, env=NO_SHIM)
        assert result.returncode == EXIT_OK, result.stderr
        assert (folder / "m_hierarchy.json").stat().st_size > 500e6
