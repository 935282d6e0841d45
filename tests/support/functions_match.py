"""Matches two readings of models (functions_reading.py) node by node along the data flow.

A node is identified by its operator, its attributes, and the readers of its outputs, up to the outputs of the graph.
Each input of a node has one producer, so matching from the outputs backwards is unambiguous.
"""

import hashlib
from collections import Counter, defaultdict

from onnx import AttributeProto

from functions_reading import TAG_ATTRIBUTES, Node, Reading

GRAPHS = (AttributeProto.GRAPH, AttributeProto.GRAPHS)


class Unlike(AssertionError):
    pass


def digest(*parts) -> bytes:
    return hashlib.blake2b(repr(parts).encode(), digest_size=16).digest()


def operator_of(node: Node) -> tuple:
    """Its operation, under any name."""
    proto = node.proto
    attributes = sorted(
        attribute.SerializeToString(deterministic=True) for attribute in proto.attribute
        if attribute.name not in TAG_ATTRIBUTES and attribute.type not in GRAPHS)
    bodies = [(body.attribute, len(body.inputs), len(body.outputs)) for body in node.bodies]
    return proto.domain, proto.op_type, attributes, bodies, [o is not None for o in node.outputs]


class Places:
    """Names the nodes of a reading, from the outputs backwards."""

    def __init__(self, reading: Reading):
        self.takers = defaultdict(list)  # by producer: (output, its reader, which input)
        self.counts = Counter()
        self.nodes = {}  # by name
        self.names = {}
        self.take(reading.outputs, b"the outputs of the model")
        self.walk(reading.nodes)

    def take(self, values: list, taker: bytes) -> None:
        for place, value in enumerate(values):
            if value is not None and value.maker is not None:
                self.takers[value.maker].append((value.index, taker, place))

    def walk(self, nodes: list) -> None:
        """Visits nodes from the last backwards; bodies together with their node, since the outer values that they read
        are made before it.
        """
        for node in reversed(nodes):
            name = digest(operator_of(node), sorted(self.takers.pop(node, [])))
            self.counts[name] += 1
            name = digest(name, self.counts[name])  # nodes without readers
            self.nodes[name] = node
            self.names[node] = name
            self.take(node.inputs, name)
            for number, body in enumerate(node.bodies):
                self.take(body.outputs, digest(name, number))
                self.walk(body.nodes)


def describe(node: Node) -> str:
    return f"{node.proto.op_type} '{node.name}'"


def histogram(reading: Reading) -> Counter:
    return Counter((n.proto.domain, n.proto.op_type) for n in reading.all_nodes())


def origin(places: Places, bodies: dict, value) -> tuple:
    """The source of a value, in terms of both readings."""
    if value is None:
        return ("nothing",)
    if value.maker is not None:
        return "node", places.names.get(value.maker), value.index
    return bodies[value] if value in bodies else value.key


def inputs_of_bodies(places: Places) -> dict:
    found = {}
    for node, name in places.names.items():
        for number, body in enumerate(node.bodies):
            for index, value in enumerate(body.inputs):
                found[value] = ("of the body", name, number, index)
    return found


def match(a: Reading, b: Reading) -> list:
    """Pairs of nodes, in the order of the first. Raises Unlike with the first difference."""
    counts = histogram(a), histogram(b)
    if counts[0] != counts[1]:
        raise Unlike(f"operators differ: {dict(counts[0] - counts[1])} more here, "
                     f"{dict(counts[1] - counts[0])} there")
    places = Places(a), Places(b)
    for name, node in places[0].nodes.items():  # from the outputs on
        if name not in places[1].nodes:
            raise Unlike(f"{describe(node)}, taken by {takers(a, node)}, has no counterpart")
    bodies = inputs_of_bodies(places[0]), inputs_of_bodies(places[1])
    pairs = [(node, places[1].nodes[places[0].names[node]]) for node in a.all_nodes()]
    for node, other in pairs:
        check_origins(places, bodies, node, other, node.inputs, other.inputs)
        for mine, theirs in zip(node.bodies, other.bodies):
            check_origins(places, bodies, node, other, mine.outputs, theirs.outputs)
    root = Unlike("outputs of the model come from elsewhere")
    if [origin(places[0], bodies[0], v) for v in a.outputs] != [
            origin(places[1], bodies[1], v) for v in b.outputs]:
        raise root
    return pairs


def check_origins(places, bodies, node, other, mine: list, theirs: list) -> None:
    if len(mine) != len(theirs):
        raise Unlike(f"{describe(node)} has {len(mine)} values, {describe(other)} {len(theirs)}")
    for index, (value, counterpart) in enumerate(zip(mine, theirs)):
        found = origin(places[0], bodies[0], value), origin(places[1], bodies[1], counterpart)
        if found[0] != found[1]:
            shown = [str(f)[:80] for f in found]
            raise Unlike(f"value {index} of {describe(node)} is {shown[0]}, not {shown[1]}")


def takers(reading: Reading, wanted: Node) -> list:
    return [describe(node) for node in reading.all_nodes() for value in node.inputs
            if value is not None and value.maker is wanted][:3]
