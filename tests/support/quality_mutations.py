"""Faults planted in the tags of exports, and the expected findings of each metric of `quality`."""

from dataclasses import dataclass

from harness import exported
from models.table import ALL
from onnx_facts import properties, tags_of
from quality_measured import CALLS, READ, STRUCTURE
from retag import Retagged

SOME = "some"  # at least one; how many depends on the surrounding modules
MOVED = "moved"  # as many as nodes were moved to other modules
READERS = "readers"  # the moved ones that read a weight
WEIGHTS = "weights"  # the weights that these read
TENSORS = "tensors"  # inputs and outputs of a node
MERGED = "merged"  # two layers, each compared with the other
LOST = "lost"  # one, because a node has left its layer


@dataclass(frozen=True)
class Sample:
    name: str
    layers: str  # "%s" stands for a number or a path
    neighbours: tuple  # of some layers, in their order
    far: tuple  # two that are not neighbours
    siblings: tuple  # two modules of one class below one module
    deep: str  # below each of these: a module with a tag; "": none
    count: int  # of layers
    holder: str = ""  # below each of these: a module that holds weights; "": any does


SAMPLES = (
    Sample("bert-16-layers", "encoder.layer.%s", ("4", "5"), ("1", "10"),
           ("encoder.layer.2", "encoder.layer.7"), ".attention.self", 16),
    Sample("distilbert", "transformer.layer.%s", ("0", "1"), ("0", "2"),
           ("transformer.layer.0", "transformer.layer.2"), ".attention", 3),
    Sample("llama", "model.layers.%s", ("0", "1"), ("0", "1"),
           ("model.layers.0.input_layernorm", "model.layers.0.post_attention_layernorm"),
           ".self_attn", 2, ".mlp"),
    Sample("mobilenet-v3-small", "features.%s", ("5", "6"), ("5", "6"),
           ("features.10", "features.11"), ".block.2", 3, ".block.2"),
    Sample("resnet18", "%s", ("layer3.1", "layer4.1"), ("layer2.1", "layer4.1"),
           ("layer2.0", "layer4.0"), "", 5),
)


class Mutation:
    """The change, and its extent."""

    def __init__(self, sample: Sample):
        self.sample = sample
        self.file = Retagged(exported(ALL[sample.name]))
        self.moved = []
        self.readers = 0
        self.weights = set()
        self.tensors = 0

    def layer(self, name: str) -> str:
        return self.sample.layers % name

    def note(self, node) -> None:
        weights = self.file.weights_of(node)
        self.moved.append(node.name)
        self.readers += bool(weights)
        self.weights.update(weights)

    def give(self, node, path: str) -> None:
        self.note(node)
        self.file.give(node, path)

    def pick(self, layer: str, reads: bool = False):
        below = self.sample.holder if reads else self.sample.deep
        return self.file.pick(self.layer(layer) + below, reads, self.layer(layer))

    def counts(self) -> dict:
        return {MERGED: min(2, self.sample.count - 1), LOST: int(not self.sample.deep),
                MOVED: len(self.moved), READERS: self.readers, WEIGHTS: len(self.weights),
                TENSORS: self.tensors}


def carry(path: str, source: str, target: str) -> str:
    return target + path[len(source):]


def move(m: Mutation, reads: bool = False) -> None:
    """Moves one node to the same place in the next layer."""
    source, target = map(m.layer, m.sample.neighbours)
    node = m.pick(m.sample.neighbours[0], reads)
    m.give(node, carry(m.file.path_of(node), source, target))


def move_reader(m: Mutation) -> None:
    move(m, reads=True)


def exchange(m: Mutation, source: str, target: str, both: bool) -> None:
    """Moves all nodes of a module to another one; `both`: exchanges them."""
    pairs = [(source, target)] + [(target, source)] * both
    todo = [(node, a, b) for a, b in pairs for node in m.file.nodes_of(a)]
    for node, a, b in todo:
        tags = tags_of(node)
        below = {m.file.tag(a): m.file.tag(b), m.file.tag(b): m.file.tag(a)}
        if len(tags) == 1:
            m.note(node)
        m.file.give(node, carry(m.file.path_of(node), a, b))
        if len(tags) > 1:
            changed = [next((new + t[len(old):] for old, new in below.items()
                             if t == old or t.startswith(old + "/")), t) for t in tags]
            m.file.set_tags(node, list(dict.fromkeys(changed)))


def swap(m: Mutation) -> None:
    exchange(m, *map(m.layer, m.sample.far), both=True)


def merge(m: Mutation) -> None:
    source, target = map(m.layer, m.sample.neighbours)
    exchange(m, target, source, both=False)


def coarsen(m: Mutation) -> None:
    node = m.pick(m.sample.neighbours[0])
    m.give(node, m.file.parent_path(m.file.path_of(node)))


def to_root(m: Mutation) -> None:
    m.give(m.pick(m.sample.neighbours[0]), "")


def drop(m: Mutation) -> None:
    node = m.pick(m.sample.neighbours[0])
    m.tensors = len({name for name in (*node.input, *node.output) if name})
    m.note(node)
    m.file.drop(node)


def to_sibling(m: Mutation) -> None:
    source, target = m.sample.siblings
    node = m.file.pick(source, False, source)
    m.give(node, carry(m.file.path_of(node), source, target))


def exchange_owners(m: Mutation) -> None:
    """Exchanges the names of two weights everywhere."""
    source, target = map(m.layer, m.sample.neighbours)
    node = m.pick(m.sample.neighbours[0], reads=True)
    first = m.file.weights_of(node)[0]
    names = {first: carry(first, source, target)}
    names |= {new: old for old, new in names.items()}
    told = {name: properties(m.file.weights[name]) for name in names}
    for node in m.file.nodes:
        if any(name in names for name in node.input):
            m.readers += 1
            node.input[:] = [names.get(name, name) for name in node.input]
    for name in names:
        weight = m.file.weights[name]
        weight.name = names[name]
        for entry in weight.metadata_props:
            if entry.key in ("name_scopes", "htp.parameter"):
                entry.value = told[names[name]][entry.key]
    m.weights = set(names)
    m.file.weights = {weight.name: weight for weight in m.file.model.graph.initializer}


def break_name(m: Mutation) -> None:
    """Gives a name the scope of another module."""
    source, target = map(m.layer, m.sample.neighbours)
    node = m.pick(m.sample.neighbours[1])
    m.note(node)
    m.file.rename(node, carry(m.file.path_of(node), target, source))


def break_metadata(m: Mutation) -> None:
    target = m.layer(m.sample.neighbours[1])
    node = m.pick(m.sample.neighbours[0])
    m.note(node)
    for entry in node.metadata_props:
        if entry.key == "source_module":
            entry.value = m.file.tag(target)


def nothing(m: Mutation) -> None:
    pass


# Mutations, and the findings of each metric; others find nothing.
TABLE = {
    nothing: {},
    move: {CALLS: MOVED, STRUCTURE: MOVED, "separation": 2, "cohesion": SOME},
    move_reader: {CALLS: MOVED, STRUCTURE: MOVED, READ: READERS, "weights": WEIGHTS,
                  "separation": 2, "cohesion": SOME},
    swap: {CALLS: MOVED, READ: READERS, "weights": WEIGHTS},
    coarsen: {"specificity": MOVED, STRUCTURE: MOVED, "separation": LOST, "cohesion": SOME},
    to_root: {"specificity": MOVED, STRUCTURE: MOVED, "separation": 1, "cohesion": SOME},
    drop: {"coverage": MOVED, "scope": MOVED, "tensors": TENSORS, "separation": 1,
           "cohesion": SOME},
    to_sibling: {CALLS: MOVED, STRUCTURE: MOVED, "separation": 2, "cohesion": SOME},
    exchange_owners: {READ: READERS, "weights": WEIGHTS},
    merge: {CALLS: MOVED, READ: READERS, "weights": WEIGHTS, "separation": MERGED,
            "injectivity": SOME, "cohesion": SOME},
    break_name: {"consistency": MOVED},
    break_metadata: {"consistency": MOVED},
}
