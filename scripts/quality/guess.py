"""The tagger of earlier tools: it guesses the module of a node by the scope in the node's name.

Written from the rules that they publish:

1. Hooks on the modules of an eager run give the hierarchy, in the order of execution: when a module begins, its tag is
   that of the running modules plus its own segment. A module that runs again is recorded again.
2. A segment is the class name, with the number at the end of the module's path, if any: encoder.layer.0 is
   BertLayer.0. So layer1.0 and layer2.0 of one class have the same segment.
3. Modules of torch.nn have no segment and no tag: their nodes belong to the enclosing module.
4. torch.onnx.export(dynamo=False) names nodes by scopes. A node's scope is its name without the
   operator, with dots for the slashes; without any it is the root.
5. A node has the tag of the module whose path is its scope; else that of the nearest ancestor of the scope that has
   one; else the root's. The rule by operators is off, as by default.
6. Each node has a tag; it is written as metadata source_module.
"""

import onnx
import torch

KEY = "source_module"
DROPPED = "torch.nn."


def segment_of(path: str, module: torch.nn.Module) -> str:
    last = path.rpartition(".")[2]
    name = type(module).__name__
    return f"{name}.{last}" if last.isdigit() else name


class Hierarchy:
    """Tags by module path, from a run of the model."""

    def __init__(self, model: torch.nn.Module):
        self.tags = {}
        self.running = []
        for path, module in model.named_modules():
            if path == "" or not f"{type(module).__module__}.".startswith(DROPPED):
                module.register_forward_pre_hook(self._begins(path, segment_of(path, module)))
                module.register_forward_hook(self._ends())

    def _begins(self, path: str, segment: str):
        def hook(module, inputs):
            self.running.append(segment)
            self.tags[path] = "/" + "/".join(self.running)

        return hook

    def _ends(self):
        def hook(module, inputs, outputs):
            self.running.pop()

        return hook


def hierarchy_of(model: torch.nn.Module, inputs: tuple) -> dict:
    """Runs the model once. @return the tag of each module that ran, by its path"""
    hierarchy = Hierarchy(model)
    with torch.no_grad():
        model(*inputs)
    return hierarchy.tags


def scope_of(name: str) -> str:
    """The scope in a node's name; "" is the root."""
    return name.strip("/").rpartition("/")[0].replace("/", ".") if name.startswith("/") else ""


def tag_of(name: str, tags: dict) -> str:
    """The tag of a node by its name, among those of the hierarchy."""
    scope = scope_of(name)
    while scope and scope not in tags:
        scope = scope.rpartition(".")[0]
    return tags[scope]


def nodes_of(graph: onnx.GraphProto):
    """All nodes, including those in subgraphs."""
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            for inner in (attribute.g, *attribute.graphs):
                yield from nodes_of(inner)


def tag(model: onnx.ModelProto, tags: dict) -> None:
    """Writes a tag to every node of the file; tags[""] is the root's."""
    model.ir_version = max(model.ir_version, 10)  # the first with metadata of nodes
    for node in nodes_of(model.graph):
        node.metadata_props.add(key=KEY, value=tag_of(node.name, tags))
