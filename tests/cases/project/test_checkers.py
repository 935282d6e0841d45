"""The checks of onnx_facts.py must be able to fail: each is given a file that breaks its rule."""

import copy
import json

import onnx
from onnx import TensorProto, helper

import onnx_facts as facts
from harness import ROOT, case, exported, record
from models.table import ALL
from tags import Tree


def example() -> tuple:
    model = onnx.load(str(exported(ALL["transformer-traced"])))
    return model, Tree(record("transformer-traced")["modules"])


def fails(check, *arguments) -> None:
    noticed = False
    try:
        check(*arguments)
    except AssertionError:
        noticed = True
    assert noticed, f"{check.__name__} did not notice"


def set_tag(node, tag: str) -> None:
    for attribute in node.attribute:
        if attribute.name == "__source_module":
            attribute.s = tag.encode()
    for entry in node.metadata_props:
        if entry.key == "source_module":
            entry.value = tag


@case
def missing_and_second_tag():
    model, _ = example()
    facts.check_every_node_has_one_tag(model)
    without = copy.deepcopy(model)
    del without.graph.node[3].attribute[:]
    fails(facts.check_every_node_has_one_tag, without)
    twice = copy.deepcopy(model)
    tag = next(a for a in twice.graph.node[3].attribute if a.name == "__source_module")
    twice.graph.node[3].attribute.append(tag)
    fails(facts.check_every_node_has_one_tag, twice)
    unknown = copy.deepcopy(model)
    set_tag(unknown.graph.node[0], "/Transformer/Block")
    fails(facts.check_every_node_has_one_tag, unknown)


@case
def node_without_tag_in_a_body():
    """Nodes in the bodies of control flow are seen."""
    model, _ = example()
    inner = helper.make_node("Identity", ["a"], ["b"], name="inner")
    body = helper.make_graph(
        [inner], "body", [], [helper.make_tensor_value_info("b", TensorProto.FLOAT, [1])]
    )
    model.graph.node[0].attribute.append(helper.make_attribute("then_branch", body))
    assert "inner" in [node.name for node in facts.all_nodes(model)]
    fails(facts.check_every_node_has_one_tag, model)


@case
def tag_of_another_block():
    model, tree = example()
    facts.check_parameters(model, tree, record("transformer-traced")["parameters"])
    facts.check_tags_match_chains(model, tree)
    for node in model.graph.node:
        tag = facts.tag_of(node)
        set_tag(node, tag.replace("Block.0", "Block.9").replace("Block.1", "Block.0"))
    fails(facts.check_parameters, model, tree, record("transformer-traced")["parameters"])
    fails(facts.check_tags_match_chains, model, tree)


@case
def prefix_is_not_an_ancestor():
    assert facts.is_at_or_below("/Net/Layer.1/Head", "/Net/Layer.1")
    assert not facts.is_at_or_below("/Net/Layer.10", "/Net/Layer.1")


@case
def torch_nn_class_in_a_tag():
    model, _ = example()
    facts.check_no_torch_nn_in_tags(model)
    full = {m["tag"]: m["full_tag"] for m in facts.module_tree(model) if m["is_torch_nn"]}
    set_tag(model.graph.node[-1], next(iter(full.values())))
    fails(facts.check_no_torch_nn_in_tags, model)


@case
def other_rules_than_the_program():
    model, tree = example()
    facts.check_tags_match_rules(model, tree)
    tree.tags["blocks.0.norm1"] = "/other"
    tree.tags["blocks.0"] = "/other"
    fails(facts.check_tags_match_rules, model, tree)


@case
def aliases_of_no_twin_and_twins_without():
    model, tree = example()
    parameters = record("transformer-traced")["parameters"]
    facts.check_aliases(model, tree, parameters)
    storages = {entry["name"]: entry["storage"] for entry in parameters}
    tied = [
        {**entry, "storage": storages[entry["name"].replace("norm2", "norm1")]}
        for entry in parameters
    ]
    fails(facts.check_aliases, model, tree, tied)
    held = next(e for e in model.metadata_props if e.key == "htp.module_tree")
    modules = json.loads(held.value)
    modules["modules"][1]["aliases"].append("other")
    held.value = json.dumps(modules)
    fails(facts.check_aliases, model, tree, parameters)


@case
def names_types_and_constants():
    model, _ = example()
    twice = copy.deepcopy(model)
    twice.graph.node[1].name = twice.graph.node[0].name
    fails(facts.check_names, twice)
    untyped = copy.deepcopy(model)
    del untyped.graph.value_info[:]
    fails(facts.check_types, untyped)
    model.graph.node.append(helper.make_node("Constant", [], ["c"], value_float=1.0))
    fails(facts.check_no_constant_nodes, model)


@case
def committed_models_are_small():
    sizes = {path.name: path.stat().st_size for path in (ROOT / "models").glob("*.pt")}
    assert len(sizes) >= 3 and sum(sizes.values()) < 8_000_000, sizes
