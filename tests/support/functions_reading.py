"""An independent reader of models with functions: calls are followed to plain nodes, whose tags are composed by the
section on functions of the tag rules. A model without functions is read in the same way."""

import ast
import json
import re
from dataclasses import dataclass, field
from urllib.parse import unquote

import onnx
from onnx import AttributeProto, numpy_helper

TAG_ATTRIBUTES = ("__source_module", "__hierarchy_tags")
TORCH = "pkg.torch.onnx."
HERE = "."  # the address of the module that is called itself


@dataclass(eq=False)
class Value:
    """A value. An operator's result has its producer; others have a key: ("weight", name), ("constant", content),
    ("input", name), or that of a body's input."""

    maker: "Node | None" = None
    index: int = 0
    key: tuple = ()
    type: onnx.TypeProto | None = None
    name: str = ""
    place: tuple = ()  # place of its type: the function, the node or call, the output


@dataclass(eq=False)
class Body:
    attribute: str
    inputs: list
    outputs: list = field(default_factory=list)
    nodes: list = field(default_factory=list)


@dataclass(eq=False)
class Node:
    """A plain node, no call."""

    name: str
    proto: onnx.NodeProto
    facts: dict
    inputs: list
    outputs: list = field(default_factory=list)
    bodies: list = field(default_factory=list)
    function: str = ""  # that contains it


@dataclass(eq=False)
class Call:
    """A call of a function, and everything known about it."""

    function: tuple
    facts: dict
    within: tuple = ()  # the function that contains it
    values: list = field(default_factory=list)  # its inputs and outputs


@dataclass(eq=False)
class Constant:
    """A constant: a node of type Constant, or an initializer."""

    name: str
    content: tuple
    tags: list
    function: str = ""


@dataclass
class Reading:
    nodes: list = field(default_factory=list)  # of the main graph; others are in bodies
    inputs: dict = field(default_factory=dict)
    outputs: list = field(default_factory=list)
    calls: list = field(default_factory=list)  # in execution order
    constants: list = field(default_factory=list)

    def all_nodes(self) -> list:
        """A node before those of its bodies."""
        found, left = [], list(reversed(self.nodes))
        while left:
            node = left.pop()
            found.append(node)
            for body in reversed(node.bodies):
                left.extend(reversed(body.nodes))
        return found


# ---- metadata of a node ------------------------------------------------------------------------------


def properties(message) -> dict:
    found = {entry.key: entry.value for entry in message.metadata_props}
    assert len(found) == len(message.metadata_props), "a metadata key appears twice"
    return found


def facts_of(node) -> dict:
    """A node's metadata about modules, parsed; all copies must be equal."""
    metadata = properties(node)
    facts = {"attributes": {}, "doc_string": node.doc_string}
    for attribute in node.attribute:
        if attribute.name == TAG_ATTRIBUTES[0]:
            assert attribute.type == AttributeProto.STRING, f"{node.name}: the tag is no string"
            facts["attributes"]["source_module"] = attribute.s.decode()
        elif attribute.name == TAG_ATTRIBUTES[1]:
            facts["attributes"]["hierarchy_tags"] = [tag.decode() for tag in attribute.strings]
    tag = metadata.get("source_module", facts["attributes"].get("source_module"))
    facts["tag"] = tag
    facts["tags"] = json.loads(metadata["hierarchy_tags"]) if "hierarchy_tags" in metadata else (
        facts["attributes"].get("hierarchy_tags", [tag] if tag is not None else []))
    for key in ("full_tag", "layer_ann"):
        facts[key] = metadata.get(key)
    facts["namespace"] = metadata["namespace"].split("/") if "namespace" in metadata else None
    for key in ("class_hierarchy", "name_scopes"):
        text = metadata.get(TORCH + key)
        facts[key] = ast.literal_eval(text) if text is not None else None
    if facts["namespace"] is not None and facts["name_scopes"] is None:  # a call
        elements = [element.partition(": ") for element in facts["namespace"]]
        facts["name_scopes"] = [unquote(path) for path, _, _ in elements]
        facts["class_hierarchy"] = [unquote(name) for _, _, name in elements]
    facts["trace"] = metadata.get(TORCH + "stack_trace")
    facts["calls"] = json.loads(metadata.get("calls", "{}"))
    facts["call"] = metadata.get("call")
    facts["first_calls"] = json.loads(metadata.get("first_calls", "{}"))
    return facts


def check_places(name: str, facts: dict) -> None:
    """One tag, and the same wherever it is written."""
    said = facts["attributes"]
    assert facts["tag"] is not None, f"{name}: no tag"
    if said:
        assert said["source_module"] == facts["tag"], f"{name}: attribute and metadata differ"
        tags = said.get("hierarchy_tags", [facts["tag"]])
        assert tags == facts["tags"], f"{name}: attribute and metadata list other tags"
    assert facts["tags"][0] == facts["tag"], f"{name}: {facts['tags']}"
    assert len(set(facts["tags"])) == len(facts["tags"]), f"{name}: {facts['tags']}"


# ---- addresses -------------------------------------------------------------------------------------


def join_tag(above: str, tag: str) -> str:
    return tag if tag.startswith("/") else above if tag == HERE else f"{above}/{tag}"


def join_path(above: str, path: str) -> str:
    return f"{above}.{path}" if above and path else above or path


def is_absolute(facts: dict) -> bool:
    return facts["tag"].startswith("/")


class Frame:
    """A running function: its call's metadata, and the frames around it."""

    def __init__(self, said: dict, call: dict, prefix: str, above: "Frame | None"):
        """@p said: the call's own metadata; @p call: the same in absolute addresses."""
        self.call = call
        self.prefix = prefix
        self.path = call["name_scopes"][-2]
        self.frames = [*(above.frames if above else ()), self]
        self.calls = above.resolve(said, said["calls"]) if above else said["calls"]
        self.first_calls = said["first_calls"]

    def resolve(self, facts: dict, calls: dict) -> dict:
        """By whole paths."""
        return calls if is_absolute(facts) else {
            join_path(self.path, path): numbers for path, numbers in calls.items()}

    def first_call(self, path: str) -> int | None:
        """How often a module had run when this call began; None if unknown."""
        below = path[len(self.path) + 1:] if path.startswith(self.path + ".") else path
        return self.first_calls.get(below)

    def numbers(self, facts: dict, scopes: list) -> dict:
        """The calls to which a node belongs, for running modules that run several times: by the outermost call, and
        below its callee by the inner calls' and the node's own relative counts."""
        outermost, *nested = self.frames
        own, found = self.resolve(facts, facts["calls"]), {}
        for path in scopes:
            before = outermost.first_call(path)
            if path in outermost.calls:
                found[path] = outermost.calls[path]
            elif before is not None:
                for frame in nested:
                    (number,) = frame.calls.get(path, [frame.first_call(path) or 0])
                    before += number
                found[path] = [before + number for number in own.get(path, [0])]
        return found

    def compose(self, facts: dict) -> dict:
        """A node's facts as if it were outside of the function."""
        found = facts | self.compose_chain(facts) | self.compose_tags(facts)
        if found["name_scopes"] is not None:
            found["calls"] = self.numbers(facts, found["name_scopes"][:-1])
        return found

    def compose_tags(self, facts: dict) -> dict:
        if is_absolute(facts):
            return {}
        found, call = {}, self.call
        found["tag"] = join_tag(call["tag"], facts["tag"])
        found["tags"] = [join_tag(call["tag"], tag) for tag in facts["tags"]]
        if facts["full_tag"] is not None:
            found["full_tag"] = join_tag(call["full_tag"], facts["full_tag"])
        if facts["layer_ann"] is not None:
            found["layer_ann"] = join_tag(call["tag"], facts["layer_ann"])
        return found

    def compose_chain(self, facts: dict) -> dict:
        """Composes the chain; also if the tag is that of the only instance, and its calls have different callers."""
        found, call = {}, self.call
        if facts["namespace"] is None or facts["namespace"][0].startswith(": "):  # from the root
            return {}
        if facts["trace"] is not None:
            found["trace"] = "\n  ".join(filter(None, (call["trace"], facts["trace"])))
        *inner, last = facts["name_scopes"]
        scopes = [*call["name_scopes"][:-1], *(join_path(self.path, path) for path in inner), last]
        namespace = call["namespace"][:-1]
        above = namespace[-1].partition(": ")[0]  # escaped
        for element in facts["namespace"][:-1]:
            path, colon, name = element.partition(": ")
            namespace.append(join_path(above, path) + colon + name)
        return found | {
            "name_scopes": scopes, "namespace": [*namespace, facts["namespace"][-1]],
            "class_hierarchy": [*call["class_hierarchy"][:-1], *facts["class_hierarchy"]]}


# ---- names -----------------------------------------------------------------------------------------


class Names:
    """Names of nodes: free ones are kept, others get a number."""

    def __init__(self, reserved: list):
        self.taken = set(reserved)

    def take(self, name: str, op_type: str) -> str:
        match = re.fullmatch(r"(.*)_(\d+)", name, re.DOTALL)
        base = match[1] if match and match[1].endswith(op_type) else name
        number = 0
        while name in self.taken:
            number += 1
            name = f"{base}_{number}"
        self.taken.add(name)
        return name


# ---- following calls -------------------------------------------------------------------------------


def content_of(tensor) -> tuple:
    array = numpy_helper.to_array(tensor)
    return tensor.data_type, tuple(tensor.dims), array.tobytes() if array.dtype != object else str(array)


def value_types(graph) -> dict:
    return {info.name: info.type for info in graph.value_info}


class Reader:
    def __init__(self, model: onnx.ModelProto):
        self.model = model
        self.functions = {(f.domain, f.name): f for f in model.functions}
        assert len(self.functions) == len(model.functions), "two functions have one name"
        self.reading = Reading()
        main = [node.name for node in model.graph.node
                if (node.domain, node.op_type) not in self.functions]
        self.names = Names(main)
        self.called = {}  # names of calls, by frame

    def read(self) -> Reading:
        graph, values = self.model.graph, {}
        for info in graph.input:
            values[info.name] = Value(key=("input", info.name), type=info.type, name=info.name)
        self.add_initializers(graph, values)
        types = value_types(graph) | {info.name: info.type for info in graph.output}
        self.reading.nodes = self.read_nodes(graph.node, values, types, None, ())
        self.reading.outputs = [values[info.name] for info in graph.output]
        return self.reading

    def add_initializers(self, graph, values: dict) -> None:
        for tensor in graph.initializer:
            is_constant = tensor.name.startswith("/")
            key = ("constant", content_of(tensor)) if is_constant else ("weight", tensor.name)
            values[tensor.name] = Value(key=key, name=tensor.name)
            if is_constant:
                tags = json.loads(properties(tensor).get("hierarchy_tags", "[]"))
                self.reading.constants.append(Constant(tensor.name, key[1], tags))

    def read_nodes(self, protos, values: dict, types: dict, frame, function: tuple) -> list:
        found = []
        for proto in protos:
            called = (proto.domain, proto.op_type)
            said = facts_of(proto)
            facts = frame.compose(said) if frame and said["tag"] is not None else said
            if called in self.functions:
                found += self.read_call(proto, said, facts, values, types, frame, function)
            elif proto.op_type == "Constant" and not proto.domain:
                self.read_constant(proto, facts, values, function)
            else:
                found.append(self.read_node(proto, facts, values, types, frame, function))
        return found

    def read_constant(self, proto, facts: dict, values: dict, function: tuple) -> None:
        (tensor,) = (a.t for a in proto.attribute if a.name == "value")
        content = content_of(tensor)
        values[proto.output[0]] = Value(key=("constant", content), name=proto.output[0])
        self.reading.constants.append(
            Constant(proto.output[0], content, facts["tags"], "::".join(function)))

    def read_node(self, proto, facts: dict, values: dict, types: dict, frame, function) -> Node:
        name = proto.name
        if frame is not None:
            name = f"{frame.prefix}/{name}" if frame.prefix else name
            name = self.names.take(name, proto.op_type)
        node = Node(name, proto, facts, [values[i] if i else None for i in proto.input],
                    function="::".join(function))
        for index, output in enumerate(proto.output):
            value = Value(maker=node, index=index, type=types.get(output), name=output,
                          place=(function, proto.name, index))
            node.outputs.append(value if output else None)
            if output:
                values[output] = value
        for attribute in proto.attribute:
            graphs = [attribute.g] if attribute.type == AttributeProto.GRAPH else attribute.graphs
            for graph in graphs:
                node.bodies.append(self.read_body(attribute.name, graph, values, frame, function))
        return node

    def read_body(self, name: str, graph, values: dict, frame, function: tuple) -> Body:
        inner = dict(values)
        body = Body(name, [Value(key=("of the body", i), type=info.type, name=info.name)
                           for i, info in enumerate(graph.input)])
        inner.update({info.name: value for info, value in zip(graph.input, body.inputs)})
        self.add_initializers(graph, inner)
        types = value_types(graph) | {info.name: info.type for info in graph.output}
        body.nodes = self.read_nodes(graph.node, inner, types, frame, function)
        body.outputs = [inner[info.name] for info in graph.output]
        return body

    def first_name(self, proto, frame) -> str:
        """A call's name without #N, if the module was called before in the same function."""
        called = self.called.setdefault(frame, set())
        called.add(proto.name)
        first = re.sub(r"#\d+$", "", proto.name)
        return first if first in called else proto.name

    def read_call(self, proto, said: dict, facts: dict, values: dict, types: dict, frame,
                  function: tuple) -> list:
        called = self.functions[proto.domain, proto.op_type]
        local = self.first_name(proto, frame)
        prefix = f"{frame.prefix}/{local}" if frame and frame.prefix else local
        inner = {formal: values[actual] if actual else None
                 for formal, actual in zip(called.input, proto.input)}
        assert len(proto.input) == len(called.input), f"{proto.name}: not all inputs are given"
        key = (called.domain, called.name)
        call = Call(key, facts, function, list(inner.values()))
        self.reading.calls.append(call)
        below = Frame(said, facts, prefix, frame) if facts["tag"] is not None else Bare(prefix)
        nodes = self.read_nodes(called.node, inner, value_types(called), below, key)
        for index, (formal, actual) in enumerate(zip(called.output, proto.output)):
            if actual:
                value = values[actual] = inner[formal]
                call.values.append(value)
                if value.type is None:  # results of functions have the types of calls
                    value.type, value.place = types.get(actual), (function, proto.name, index)
        return nodes


class Bare:
    """A frame of a file without tags."""

    def __init__(self, prefix: str):
        self.prefix = prefix

    def compose(self, facts: dict) -> dict:
        return facts


def read(model: onnx.ModelProto) -> Reading:
    return Reader(model).read()
