"""Constructed cases: tests/golden/CASE/make.py builds a model, expected.json has the module of each operator, and each
module's tag."""

import json

import onnx
import torch

import onnx_facts as facts
from compiled import GOLDEN, golden_module, input_flags, save
from harness import case, case_for_each, export, run, scratch
from numbers_check import assert_close, feed, reference, session
from test_oracle import dumped_operators, first_difference

CASES = sorted(folder.name for folder in GOLDEN.iterdir() if (folder / "make.py").exists())

# Operators that become one ONNX node each: their order and tags can be compared node by node.
ONE_TO_ONE = {"aten::tanh": "Tanh", "aten::sigmoid": "Sigmoid", "aten::relu": "Relu"}


def check_nodes(model, expected: dict) -> None:
    """Every node has the tag of the module that ran it, in the order of the operators."""
    tags = expected["tags"]
    wanted = [(ONE_TO_ONE[op], tags[path]) for op, path in expected["operators"] if op in ONE_TO_ONE]
    got = [(n.op_type, facts.tag_of(n)) for n in model.graph.node if n.op_type in ONE_TO_ONE.values()]
    assert got == wanted, first_difference(got, wanted)
    for node in model.graph.node:
        chain = facts.chain_of(node)
        assert facts.tag_of(node) == tags[chain[-1]], f"{node.name}: {facts.tag_of(node)}"
    ran = {tags[path] for _, path in expected["operators"]}
    assert {facts.tag_of(node) for node in model.graph.node} == ran


def check_modules(model, expected: dict) -> None:
    modules = facts.module_tree(model)
    got = {module["path"]: module["tag"] for module in modules}
    assert got == expected["tags"], got
    aliases = {m["path"]: m["aliases"] for m in modules if m["aliases"]}
    assert aliases == expected.get("aliases", {}), aliases
    full = [module["full_tag"] for module in modules]
    assert len(set(full)) == len(full), "two modules share a full tag"
    facts.check_counts(model)
    facts.check_names(model)


def check_case(name: str, mode: str) -> None:
    expected = json.loads((GOLDEN / name / "expected.json").read_text())
    torch.manual_seed(0)
    net, inputs = golden_module(name).build()
    with scratch() as folder:
        pt = save(net, inputs, mode, folder / "model.pt")
        flags = input_flags(*inputs)
        dump = run(pt, "--dump-graph", *flags)
        assert dump.returncode == 0, dump.stderr
        got = dumped_operators(dump.stdout)
        assert got == expected["operators"], first_difference(got, expected["operators"])
        out = folder / "model.onnx"
        export(pt, out, *flags)
        model = onnx.load(str(out))
        onnx.checker.check_model(model, full_check=True)
        valid = run("validate", out)
        assert valid.returncode == 0, valid.stdout
        check_modules(model, expected)
        check_nodes(model, expected)
        facts.check_every_node_has_one_tag(model)
        facts.check_no_torch_nn_in_tags(model)
        assert_close(feed(session(out), inputs), reference(pt, inputs), name)


@case_for_each(CASES)
def case_as_expected(name):
    for mode in getattr(golden_module(name), "MODES", ("traced", "scripted")):
        check_case(name, mode)


@case
def calls_are_told_apart():
    """The call number of a module that is called twice is in the metadata of its nodes."""
    with scratch() as folder:
        net, inputs = golden_module("called_twice").build()
        for mode in ("traced", "scripted"):
            pt = save(net, inputs, mode, folder / "model.pt")
            export(pt, folder / "model.onnx", *input_flags(*inputs))
            model = onnx.load(str(folder / "model.onnx"))
            tanh = [node for node in model.graph.node if node.op_type == "Tanh"]
            assert [facts.properties(node)["call"] for node in tanh] == ["0", "1"]
            calls = {m["path"]: m["calls"] for m in facts.module_tree(model)}
            assert calls == {"": 1, "layer": 2, "layer.linear": 2}, calls


@case
def classes_without_a_package():
    """TorchScript omits the package of classes defined in the main program."""
    net, inputs = golden_module("called_twice").build()
    for module in (net, net.layer):
        type(module).__module__ = "__main__"
    wanted = {"": "__main__.Net", "layer": "__main__.Layer",
              "layer.linear": "torch.nn.modules.linear.Linear"}
    with scratch() as folder:
        for mode in ("traced", "scripted"):
            pt = save(net, inputs, mode, folder / "model.pt")
            export(pt, folder / "model.onnx", *input_flags(*inputs))
            model = onnx.load(str(folder / "model.onnx"))
            modules = facts.module_tree(model)
            assert {m["path"]: m["qualified_class"] for m in modules} == wanted, modules
            assert not modules[0]["is_torch_nn"] and modules[1]["class"] == "Layer"
            tanh = facts.properties(next(n for n in model.graph.node if n.op_type == "Tanh"))
            assert tanh["namespace"].startswith(": __main__.Net/layer: __main__.Layer/tanh"), tanh
            assert tanh["pkg.torch.onnx.class_hierarchy"].startswith("['__main__.Net', '__main__.")
            inspected = json.loads(run("inspect", "--json", pt).stdout)["modules"]
            assert {m["path"]: m["class"] for m in inspected} == wanted, inspected


def renamed_tag(tag: str, names: dict) -> str:
    """A tag with each class and attribute replaced, and nothing else."""
    segments = []
    for segment in tag.split("/"):
        parts = segment.split(".")
        segments.append(".".join(names.get(part, part) for part in parts))
    return "/".join(segments)


@case
def renaming_renames_tags():
    """Renaming every class and attribute renames the tags in exactly the same way."""
    maker = golden_module("renamed")
    tags = []
    with scratch() as folder:
        for renamed in (False, True):
            torch.manual_seed(0)
            net, inputs = maker.build(renamed)
            pt = save(net, inputs, "traced", folder / "model.pt")
            export(pt, folder / "model.onnx", *input_flags(*inputs))
            model = onnx.load(str(folder / "model.onnx"))
            nodes = [(node.op_type, facts.tag_of(node)) for node in model.graph.node]
            tags.append((nodes, [module["tag"] for module in facts.module_tree(model)]))
    (nodes, modules), (new_nodes, new_modules) = tags
    assert new_nodes == [(op, renamed_tag(tag, maker.NAMES)) for op, tag in nodes]
    assert new_modules == [renamed_tag(tag, maker.NAMES) for tag in modules]


@case
def torch_nn_can_be_included():
    """--include-torch-nn makes every class eligible: the tag is then the full tag."""
    with scratch() as folder:
        net, inputs = golden_module("nested_sequentials").build()
        pt = save(net, inputs, "traced", folder / "model.pt")
        out = folder / "model.onnx"
        export(pt, out, "--include-torch-nn", *input_flags(*inputs))
        model = onnx.load(str(out))
        modules = facts.module_tree(model)
        assert all(module["tag"] == module["full_tag"] for module in modules)
        tags = {module["path"]: module["tag"] for module in modules}
        assert len(set(tags.values())) == len(tags)
        for node in model.graph.node:
            assert facts.tag_of(node) == tags[facts.chain_of(node)[-1]], node.name
        assert tags["body.1.1.0"] == "/Net/Sequential/Sequential.1/Sequential.1/Linear.0", tags
