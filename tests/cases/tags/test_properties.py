"""Properties of the tags of every model."""

import json

import numpy
import onnx
import torch

import laid_out
import onnx_facts as facts
from harness import case, case_for_each_model, exported, record, skip_unless_loadable, torchscript
from models.make import example_inputs
from models.table import ALL, FIDELITY
from numbers_check import feed, session
from tags import Tree


def load(model, *flags) -> onnx.ModelProto:
    return onnx.load(str(exported(model, *flags)))


@case_for_each_model(FIDELITY)
def tags(model):
    skip_unless_loadable(model)
    exported_model = load(model)
    tree = Tree(record(model.name)["modules"])
    facts.check_every_node_has_one_tag(exported_model)
    facts.check_tags_match_rules(exported_model, tree)
    facts.check_aliases(exported_model, tree, record(model.name)["parameters"])
    facts.check_no_torch_nn_in_tags(exported_model)
    facts.check_parameters(exported_model, tree, record(model.name)["parameters"])
    facts.check_tags_match_chains(exported_model, tree)
    facts.check_counts(exported_model)
    full = Tree(record(model.name)["modules"], include_torch_nn=True)
    facts.check_full_tags(exported_model, full)


@case_for_each_model(FIDELITY)
def form(model):
    """An export without its tags."""
    skip_unless_loadable(model)
    exported_model = load(model)
    facts.check_names(exported_model)
    facts.check_types(exported_model)
    facts.check_no_constant_nodes(exported_model)
    assert exported_model.ir_version == 8
    assert exported_model.producer_name == "htp-trace"
    assert exported_model.producer_version
    assert [(o.domain, o.version) for o in exported_model.opset_import] == [("", 18)]


@case_for_each_model(FIDELITY)
def stripped_is_untagged(model):
    """Without its tags a file is, byte for byte, the one made with --tags none, and the tags
    change no number."""
    skip_unless_loadable(model)
    tagged = load(model)
    facts.strip(tagged)
    untagged = exported(model, "--tags", "none").read_bytes()
    assert tagged.SerializeToString(deterministic=True) == untagged
    with_tags, without = session(exported(model)), session(exported(model, "--tags", "none"))
    inputs = example_inputs(model, model.traced)
    for a, b in zip(feed(with_tags, inputs), feed(without, inputs)):
        assert numpy.array_equal(a, b)


@case_for_each_model(FIDELITY)
def initializers(model):
    """Each has the weights in its metadata, in the recorded layout, or with a norm folded into them; all elements of
    every parameter that the model reads are there, once."""
    skip_unless_loadable(model)
    exported_model = load(model)
    state = torch.jit.load(str(torchscript(model))).state_dict()
    storages = {entry["name"]: entry["storage"] for entry in record(model.name)["parameters"]}
    epsilons = laid_out.epsilons(load(model, "--no-fold"))
    seen, folded = {}, set()
    for initializer in exported_model.graph.initializer:
        if laid_out.is_computed(initializer):
            assert laid_out.is_folded(initializer, state, epsilons), f"{initializer.name}: other values"
            folded |= {storages[name] for name in laid_out.parameters_of(initializer)}
            continue
        wanted = laid_out.contents(initializer, state)
        if wanted is None:
            assert initializer.name.startswith("/Constant"), f"{initializer.name} is of no weight"
            continue
        assert laid_out.holds(initializer, wanted), f"{initializer.name}: other values"
        for name, elements in laid_out.elements(initializer, state).items():
            seen.setdefault(storages[name], []).append(elements)
        tags = json.loads(facts.properties(initializer)["hierarchy_tags"])
        assert tags, f"{initializer.name}: without tags"
    for entry in record(model.name)["parameters"]:
        if entry["kind"] == "parameter" and entry["storage"] not in folded:
            check_all_there(entry["name"], seen.get(entry["storage"], []), state)


def check_all_there(name: str, held: list, state: dict):
    held = torch.cat(held) if held else torch.empty(0, dtype=torch.int64)
    assert len(torch.unique(held)) == state[name].numel(), f"not all of {name} is there"
    assert len(held) == state[name].numel(), f"{name}: elements are there twice"


@case_for_each_model(FIDELITY)
def no_node_reads_constants_alone(model):
    """Neither weights, nor fixed sizes, positions and masks."""
    skip_unless_loadable(model)
    left = facts.reading_constants_alone(load(model))
    assert not left, [(node.name, list(node.input)) for node in left]


@case
def tied_weight():
    """GPT-2's output layer is its token embedding: one initializer that two modules own."""
    exported_model = load(ALL["gpt2"])
    owners = {"transformer.wte.weight": "transformer.wte", "lm_head.weight": "lm_head"}
    found = [i for i in exported_model.graph.initializer if i.name in owners]
    assert len(found) == 1, [i.name for i in found]
    tags = json.loads(facts.properties(found[0])["hierarchy_tags"])
    tree = Tree(record("gpt2")["modules"])
    assert set(tags) == {tree.tag(path) for path in owners.values()}, tags
    assert len(tags) == 2, tags
    large = [i for i in exported_model.graph.initializer if list(i.dims) == [50257, 768]]
    assert len(large) == 1, "the tied weight is written twice"
