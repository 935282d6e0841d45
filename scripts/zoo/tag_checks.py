"""Properties of the tags of every export; the rules are those of the tests."""

from pathlib import Path

import onnx

import onnx_facts as facts_of
from tags import Tree


def check_stripped(model, untagged: Path | None) -> None:
    """A stripped file equals, byte for byte, the one made with --tags none."""
    assert untagged is not None, "not written with --tags none"
    facts_of.strip(model)
    assert model.SerializeToString(deterministic=True) == untagged.read_bytes(), "files differ"


def is_related(tag: str, other: str) -> bool:
    return facts_of.is_at_or_below(tag, other) or facts_of.is_at_or_below(other, tag)


def check_parameters(model, tree: Tree, facts: dict) -> None:
    """The tests' rule; but a weight passed to a module below its owner may be read there, too."""
    storages = {entry["name"]: entry["storage"] for entry in facts["parameters"]}
    passed = {storages[name] for name in facts["passed_on"]}  # whatever it is called there
    handed = {name for name, storage in storages.items() if storage in passed}
    own = [entry for entry in facts["parameters"] if entry["name"] not in handed]
    if own:
        facts_of.check_parameters(model, tree, own)
    owners = {storage: set() for storage in storages.values()}
    for name, storage in storages.items():
        owners[storage].add(tree.tag(name.rpartition(".")[0]))
    broken = []
    for node in facts_of.all_nodes(model):
        tags = facts_of.tags_of(node)
        for name in handed.intersection(node.input):
            if not any(is_related(tag, owner) for tag in tags for owner in owners[storages[name]]):
                broken.append((node.name, name))
    facts_of.require_none(broken, "contaminated by a parameter that was handed on")


def check(path: Path, untagged: Path | None, facts: dict) -> tuple:
    """The number of nodes, and violated properties with their nodes."""
    model = onnx.load(str(path))
    tree = Tree(facts["modules"])
    # Stripping comes last: it changes the model.
    properties = {
        "one tag": lambda: facts_of.check_every_node_has_one_tag(model),
        "rules": lambda: facts_of.check_tags_match_rules(model, tree),
        "aliases": lambda: facts_of.check_aliases(model, tree, facts["parameters"]),
        "no torch.nn": lambda: facts_of.check_no_torch_nn_in_tags(model),
        "parameters": lambda: check_parameters(model, tree, facts),
        "chains": lambda: facts_of.check_tags_match_chains(model, tree),
        "names": lambda: facts_of.check_names(model),
        "types": lambda: facts_of.check_types(model),
        "no constants": lambda: facts_of.check_no_constant_nodes(model),
        "stripped": lambda: check_stripped(model, untagged),
    }
    nodes = len(facts_of.all_nodes(model))
    broken = {}
    for name, holds in properties.items():
        try:
            holds()
        except (AssertionError, KeyError, IndexError, ValueError) as error:
            broken[name] = f"{type(error).__name__}: {error}"[:400]
    return nodes, broken
