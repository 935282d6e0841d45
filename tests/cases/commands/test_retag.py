"""`htp-trace retag`: files of optimisers, quantisers, simplifiers and converters get the model's tags."""

import json
import re

import onnx
import onnxruntime

import retag_judged
from commands import NO_SHIM, ask, facts
from exporters import ours
from harness import EXIT_BAD_INPUT, EXIT_USAGE, case, case_for_each, export, run, scratch
from onnx_facts import all_nodes, is_at_or_below, properties, tag_of, tags_of
from retag_judged import changed
from retag_tools import OTHERS, RUNTIME
from test_bad_input import check_line

NAMES = ("bert-tiny", "transformer-traced")
EVERY = [(name, tool) for name in NAMES for tool in (*RUNTIME, *OTHERS)]
RENAMED = [(name, tool) for name in NAMES for tool in ("basic", "extended", "qdq")]


def label(row) -> str:
    return "-".join(row)


def kept_tags(model) -> list:
    """By node: the tags that the tool kept; None if it kept none."""
    return [tags_of(node) if any(a.name == "__source_module" for a in node.attribute) else None
            for node in all_nodes(model)]


def without_tags(model):
    """The model without any record of modules, by the onnx package."""
    for thing in (model, *model.graph.initializer):
        del thing.metadata_props[:]
    for node in all_nodes(model):
        kept = [a for a in node.attribute if not a.name.startswith("__")]
        del node.attribute[:], node.metadata_props[:]
        node.attribute.extend(kept)
    return model


def retag(file, like, out):
    return facts("retag", file, "--like", like, "--out", out)


def by_name(model) -> dict:
    """Nodes by their outputs, in any order."""
    return {tuple(node.output): node for node in all_nodes(model)}


@case_for_each(EVERY, name=label)
def all_nodes_have_a_module(row):
    """The tool's new nodes, too; kept ones are unchanged, nothing else changes, and `validate` finds nothing."""
    file, made = changed(*row)
    before = onnx.load(made)
    kept = dict(zip([tuple(n.output) for n in all_nodes(before)], kept_tags(before)))
    with scratch() as folder:
        out = folder / "m.onnx"
        found = retag(made, file, out)
        model = onnx.load(out)
        onnx.checker.check_model(model)
        onnxruntime.InferenceSession(str(out), providers=["CPUExecutionProvider"])
        known = {module["tag"] for module in facts("inspect", file)["modules"]}
        for node in all_nodes(model):
            assert tag_of(node) in known and properties(node)["source_module"] == tag_of(node), node.name
            if kept[tuple(node.output)]:
                assert tags_of(node) == kept[tuple(node.output)], node.name
            assert ("htp.retagged" in properties(node)) == (kept[tuple(node.output)] is None), node.name
        assert findings_of(out) == []
        assert sum(found["found_by"].values()) == found["nodes"] == len(kept)
        assert found["found_by"]["attribute"] == sum(tags is not None for tags in kept.values())
        plain = by_name(without_tags(model))
        assert plain == by_name(without_tags(before)), "something else was changed"


@case_for_each(EVERY, name=label)
def tags_that_were_kept_are_found_without_them(row):
    """The tags of the tool's file are the oracle: they are removed, and all are restored."""
    file, made = changed(*row)
    model = onnx.load(made)
    wanted = dict(zip([tuple(n.output) for n in all_nodes(model)], kept_tags(model)))
    with scratch() as folder:
        onnx.save(without_tags(model), folder / "bare.onnx")
        retag(folder / "bare.onnx", file, folder / "m.onnx")
        for node in all_nodes(onnx.load(folder / "m.onnx")):
            tags = wanted[tuple(node.output)]
            assert tags is None or tags_of(node) == tags, (node.name, tags_of(node), tags)


OWN = re.compile(r"(.*)\.(?:weight|bias)\b")


@case_for_each(EVERY, name=label)
def readers_of_a_parameter_are_its_module(row):
    """By the parameter's path, a prefix of the names that tools give: a new node that reads one belongs to its module.
    """
    file, made = changed(*row)
    paths = {module["path"]: module["tag"] for module in facts("inspect", file)["modules"]}
    with scratch() as folder:
        retag(made, file, folder / "m.onnx")
        model = onnx.load(folder / "m.onnx")
        weights = {tensor.name for tensor in model.graph.initializer}
        for node in all_nodes(model):
            owners = {paths[m[1]] for m in map(OWN.match, weights & set(node.input)) if m and m[1] in paths}
            if "htp.retagged" in properties(node) and len(owners) == 1:
                assert owners & set(tags_of(node)), (node.name, tags_of(node), owners)


@case_for_each(EVERY, name=label)
def oracles_know_no_other_module(row):
    retag_judged.check(*row)


# A tool's name for a converted weight, by our name.
CONVERTED = {"onnxslim": "", "basic": "", "float16": "", "dynamic": "_quantized", "qdq": "_quantized"}


@case_for_each(CONVERTED)
def initializers_tell_how_they_lie(tool):
    """A converted weight belongs to the same parameter; its scale does not."""
    file, made = changed("bert-tiny", tool)
    with scratch() as folder:
        retag(made, file, folder / "m.onnx")
        was = {tensor.name: properties(tensor) for tensor in onnx.load(file).graph.initializer}
        restored = 0
        for tensor in onnx.load(folder / "m.onnx").graph.initializer:
            told, name = properties(tensor), tensor.name.removesuffix(CONVERTED[tool])
            told.pop("hierarchy_tags")
            before = was.get(name, {})
            if tensor.name != name and "name_scopes" in before:
                before = {"htp.parameter": name, **before}
            wanted = {key: value for key, value in before.items() if key != "hierarchy_tags"}
            assert told == wanted, (tensor.name, told, wanted)
            restored += "htp.layout" in told
        assert restored >= 12, restored  # linear layers


def renamed(model):
    """Renames everything except inputs and outputs."""
    border = {value.name for value in (*model.graph.input, *model.graph.output)}
    names = {}

    def new(name: str) -> str:
        return name if not name or name in border else names.setdefault(name, f"v{len(names)}")

    for number, node in enumerate(model.graph.node):
        node.name = f"n{number}"
        node.input[:] = map(new, node.input)
        node.output[:] = map(new, node.output)
    for thing in (*model.graph.initializer, *model.graph.value_info):
        thing.name = new(thing.name)
    return model


@case_for_each(RENAMED, name=label)
def without_names_no_layer_is_a_wrong_one(row):
    """Structure finds some; other nodes get an enclosing module."""
    file, made = changed(*row)
    model = onnx.load(made)
    wanted = kept_tags(model)
    with scratch() as folder:
        onnx.save(renamed(without_tags(model)), folder / "bare.onnx")
        found = retag(folder / "bare.onnx", file, folder / "m.onnx")
        right = 0
        for node, tags in zip(all_nodes(onnx.load(folder / "m.onnx")), wanted):
            assert tags is None or is_at_or_below(tags[0], tag_of(node)), (node.name, tag_of(node), tags)
            right += tags is not None and tags[0] == tag_of(node)
        assert row[1] == "qdq" or found["found_by"]["structure"] > 0
        if row[1] == "basic":
            assert right >= 0.9 * len(wanted), (right, len(wanted))


@case_for_each(NAMES)
def what_has_its_tags_keeps_its_bytes(name):
    """So does a retagged file, for which nothing is left to do."""
    file, made = changed(name, "qdq")
    with scratch() as folder:
        for source in (file, made):
            ask("retag", source, "--like", file, "--out", folder / "first.onnx")
            ask("retag", folder / "first.onnx", "--like", file, "--out", folder / "second.onnx")
            assert (folder / "first.onnx").read_bytes() == (folder / "second.onnx").read_bytes()
            assert (source == file) == ((folder / "first.onnx").read_bytes() == source.read_bytes())
        told = ask("retag", made, "--like", file, "--out", folder / "first.onnx").splitlines()
        assert any(line.endswith("  by attribute") for line in told[1:]), told
        assert ask("retag", made, "--like", file, "--out", folder / "first.onnx", "--quiet") == ""


@case
def a_node_for_several_modules_lists_them():
    """A node that quantises a tensor serves all readers, and belongs to the first."""
    with scratch() as folder:
        file = ours(folder)
        model = onnx.load(file)
        readers = {}
        for node in model.graph.node:
            for name in node.input:
                readers.setdefault(name, []).append(node)
        makers = {name: node for node in model.graph.node for name in node.output}
        name = next(n for n, nodes in readers.items() if n in makers and len({tag_of(x) for x in nodes}) > 1)
        at = list(model.graph.node).index(readers[name][0])
        for node in readers[name]:
            node.input[:] = ["added" if taken == name else taken for taken in node.input]
        model.graph.node.insert(at, onnx.helper.make_node("Identity", [name], ["added"], name="new"))
        onnx.save(model, folder / "changed.onnx")
        retag(folder / "changed.onnx", file, folder / "m.onnx")
        new = next(n for n in onnx.load(folder / "m.onnx").graph.node if n.name == "new")
        assert tags_of(new) == list(dict.fromkeys(tag_of(node) for node in readers[name]))
        assert properties(new)["htp.retagged"] == "readers"
        assert facts("validate", folder / "m.onnx")["findings"] == []


@case
def tags_go_where_they_were():
    with scratch() as folder:
        for flags in (("--tags", "attribute"), ("--tags", "metadata"), ("--tag-attribute-prefix", "my_")):
            file = ours(folder, *flags)
            made = folder / "changed.onnx"
            model = onnx.load(file)
            node = model.graph.node[3]
            del node.metadata_props[:]
            node.attribute.pop() if flags[1] != "metadata" else None
            onnx.save(model, made)
            ask("retag", made, "--like", file, "--out", folder / "m.onnx")
            was, now = onnx.load(file).graph.node[3], onnx.load(folder / "m.onnx").graph.node[3]
            assert list(was.attribute) == list(now.attribute), flags
            added = dict(properties(now))
            assert added.pop("htp.retagged") == "name" and added == properties(was), flags
            stripped = folder / "stripped.onnx"
            ask("strip", folder / "m.onnx", "--out", stripped)
            assert not onnx.load(stripped).metadata_props
            assert not any(n.metadata_props for n in onnx.load(stripped).graph.node)


@case
def what_cannot_be_is_refused():
    with scratch() as folder:
        file, out = ours(folder), folder / "m.onnx"
        bare, other, functions = folder / "bare.onnx", folder / "other.onnx", folder / "functions.onnx"
        onnx.save(without_tags(onnx.load(file)), bare)
        for node in (model := onnx.load(bare)).graph.node:
            node.name = ""
        onnx.save(renamed(model), bare)
        one = onnx.helper.make_tensor_value_info
        onnx.save(onnx.helper.make_model(onnx.helper.make_graph(
            [onnx.helper.make_node("Neg", ["p"], ["q"])], "g", [one("p", 1, [1])], [one("q", 1, [1])])), other)
        export(exported_net(), functions, "--functions")
        check_line(run("retag", file, "--out", out), EXIT_USAGE, "--like")
        check_line(run("retag", file, "--like", file), EXIT_USAGE, "no output")
        check_line(run("retag", file, file, "--like", file, "--out", out), EXIT_USAGE, "one model")
        check_line(run("retag", file, "--like", bare, "--out", out), EXIT_BAD_INPUT, "it has no modules")
        check_line(run("retag", other, "--like", file, "--out", out), EXIT_BAD_INPUT, "in common")
        check_line(run("retag", functions, "--like", file, "--out", out), EXIT_BAD_INPUT, "htp-trace inline")
        check_line(run("retag", bare, "--like", file, "--out", bare), EXIT_USAGE, "the input itself")
        check_line(run("retag", bare, "--like", file, "--out", file), EXIT_USAGE, "the input itself")
        assert not out.exists()


def exported_net():
    from exporters import models
    return models() / "net.pt"


# ---- files that nobody retagged --------------------------------------------------------------------------


def findings_of(file) -> list:
    return json.loads(run("validate", file, "--json", env=NO_SHIM).stdout)["findings"]


@case_for_each(NAMES)
def quantised_files_tell_what_they_hold(name):
    """Weights are counted in the file, and `validate` says one thing."""
    file, made = changed(name, "dynamic")
    found, whole = facts("inspect", made), facts("inspect", file)
    root, was = found["modules"][0], whole["modules"][0]
    model = onnx.load(made)
    stored = sum(onnx.numpy_helper.to_array(tensor).nbytes for tensor in model.graph.initializer)
    assert root["bytes"] <= stored < was["bytes"], (root["bytes"], stored)
    assert root["bytes"] > 0.9 * stored
    findings = findings_of(made)
    assert len(findings) == 1 and "another program changed this model" in str(findings[0]), findings
    assert "htp-trace retag" in str(findings[0])
    tagged = sum(tags is not None for tags in kept_tags(model))
    assert root["nodes_total"] == tagged, (root, tagged)


@case
def half_of_the_bytes_are_counted():
    """Nodes and names are the same; only the dtype of weights differs."""
    file, made = changed("bert-tiny", "float16-all")
    root, was = facts("inspect", made)["modules"][0], facts("inspect", file)["modules"][0]
    assert was["bytes"] * 0.45 < root["bytes"] < was["bytes"] * 0.55
    assert len(findings_of(made)) == 1


@case
def modules_of_a_quantised_file_are_addressed():
    """select, extract and split use the existing tags."""
    file, made = changed("bert-tiny", "dynamic")
    with scratch() as folder:
        for path in ("encoder.layer.0", "encoder.layer.1.attention"):
            names = ask("select", made, "--module", path).split()
            wanted = [n.name for n, tags in zip(all_nodes(onnx.load(made)), kept_tags(onnx.load(made)))
                      if tags and is_at_or_below(tags[0], next(
                          m["tag"] for m in facts("inspect", file)["modules"] if m["path"] == path))]
            assert sorted(names) == sorted(wanted), path
        retag(made, file, folder / "m.onnx")
        ask("extract", folder / "m.onnx", "--module", "encoder.layer.0", "--out", folder / "part.onnx")
        onnx.checker.check_model(str(folder / "part.onnx"), full_check=True)
        ask("split", folder / "m.onnx", "--at", "encoder", "--out-dir", folder / "parts")
