"""Changes the modules in a tagged export, in all places at once, so that the file stays consistent, and only an oracle
can find the change."""

import ast
import json
from collections import defaultdict

import onnx
from onnx import helper

from laid_out import parameters_of
from onnx_facts import is_at_or_below, name_prefix, properties, tag_of, tags_of

CARRIERS = ("source_module", "full_tag", "hierarchy_tags", "namespace", "call",
            "pkg.torch.onnx.class_hierarchy", "pkg.torch.onnx.name_scopes")


def set_property(message, key: str, value: str) -> None:
    for entry in message.metadata_props:
        if entry.key == key:
            entry.value = value
            return
    message.metadata_props.add(key=key, value=value)


def drop_properties(message, keys) -> None:
    kept = [(entry.key, entry.value) for entry in message.metadata_props if entry.key not in keys]
    del message.metadata_props[:]
    for key, value in kept:
        message.metadata_props.add(key=key, value=value)


class Retagged:
    """An export whose nodes can be moved to other modules."""

    def __init__(self, path):
        self.model = onnx.load(path)
        self.tree = json.loads(properties(self.model)["htp.module_tree"])
        self.modules = {module["path"]: module for module in self.tree["modules"]}
        self.nodes = list(self.model.graph.node)
        self.weights = {weight.name: weight for weight in self.model.graph.initializer}
        self.makers = {name: node for node in self.nodes for name in node.output}
        self.readers = defaultdict(list)
        for node in self.nodes:
            for name in node.input:
                self.readers[name].append(node)

    # ---- what there is ----

    def path_of(self, node) -> str:
        """The path of the innermost module that ran it."""
        return ast.literal_eval(properties(node)["pkg.torch.onnx.name_scopes"])[-2]

    def owner_path(self, path: str) -> str:
        """The path of the module at or above a path that has a tag."""
        while path and self.modules[path]["is_torch_nn"]:
            path = path.rpartition(".")[0]
        return path

    def parent_path(self, path: str) -> str:
        """The path of the next module with a tag above the owner of a path."""
        return self.owner_path(self.owner_path(path).rpartition(".")[0])

    def is_below(self, path: str, member: str) -> bool:
        return path == member or path.startswith(member + ".")

    def nodes_of(self, member: str) -> list:
        return [n for n in self.nodes if self.is_below(self.path_of(n), member)]

    def weights_of(self, node) -> list:
        """The names of weights that a node reads, by which its module is known."""
        def is_held(name: str) -> bool:
            path, dot, _ = parameters_of(self.weights[name])[0].rpartition(".")
            return bool(dot) and path in self.modules

        return [name for name in node.input if name in self.weights and is_held(name)]

    def neighbours(self, node) -> list:
        makers = [self.makers[name] for name in node.input if name in self.makers]
        return makers + [reader for name in node.output for reader in self.readers[name]]

    def pick(self, member: str, reads: bool, layer: str):
        """A node with one tag whose neighbours on both sides are of the same module; or one with neighbours in the
        layer that reads weights which no other node reads."""
        for node in self.nodes_of(member):
            owner = self.owner_path(self.path_of(node))
            weights = self.weights_of(node)
            makers = [self.makers[name] for name in node.input if name in self.makers]
            near = [self.path_of(n) for n in self.neighbours(node)]
            is_inner = (makers or reads) and len(near) > len(makers) and all(
                self.is_below(p, layer) if reads else self.owner_path(p) == owner for p in near)
            is_single = len(tags_of(node)) == 1 and all(len(self.readers[w]) == 1 for w in weights)
            if is_inner and is_single and bool(weights) == reads:
                return node
        raise AssertionError(f"{member}: no such node")

    # ---- changes ----

    def chain(self, path: str) -> list:
        """The modules of a path that are called, outermost first."""
        names = path.split(".") if path else []
        above = [".".join(names[:count]) for count in range(len(names) + 1)]
        return [p for p in above if p in self.modules and (p == path or self.modules[p]["calls"])]

    def tag(self, path: str) -> str:
        return self.modules[self.owner_path(path)]["tag"]

    def give(self, node, path: str) -> None:
        """Moves it to the module of a path: all of its metadata, including its name."""
        facts = properties(node)
        classes = [self.modules[p]["qualified_class"] for p in self.chain(path)]
        operation = facts["namespace"].rpartition("/")[2]
        name, _, target = operation.partition(": ")
        self.set_tags(node, [self.tag(path)])
        set_property(node, "full_tag", self.modules[path]["full_tag"])
        links = [f"{p}: {c}" for p, c in zip(self.chain(path), classes)]
        set_property(node, "namespace", "/".join([*links, operation]))
        set_property(node, "pkg.torch.onnx.class_hierarchy", repr([*classes, target]))
        set_property(node, "pkg.torch.onnx.name_scopes", repr([*self.chain(path), name]))
        self.rename(node, path)

    def rename(self, node, path: str) -> None:
        last = node.name.rpartition("/")[2]
        node.name = f"{name_prefix(self.chain(path))}/{last}_of_{len(node.name)}_{id(node)}"

    def set_tags(self, node, tags: list) -> None:
        for attribute in list(node.attribute):
            if attribute.name == "__hierarchy_tags":
                node.attribute.remove(attribute)
            elif attribute.name == "__source_module":
                attribute.s = tags[0].encode()
        drop_properties(node, ("hierarchy_tags",))
        set_property(node, "source_module", tags[0])
        if len(tags) > 1:
            node.attribute.append(helper.make_attribute("__hierarchy_tags", tags))
            set_property(node, "hierarchy_tags", json.dumps(tags))

    def drop(self, node) -> None:
        for attribute in list(node.attribute):
            if attribute.name in ("__hierarchy_tags", "__source_module"):
                node.attribute.remove(attribute)
        drop_properties(node, CARRIERS)

    def map_tags(self, node, change) -> None:
        """Moves a node to another module, and changes all of its tags."""
        tags = [change(tag) for tag in tags_of(node)]
        self.set_tags(node, list(dict.fromkeys(tags)))

    # ---- sums ----

    def recount(self) -> None:
        """Makes records and initializers agree with the nodes again."""
        own, ran = defaultdict(int), defaultdict(int)
        tagged = [n for n in self.nodes if any(a.name == "__source_module" for a in n.attribute)]
        for node in tagged:
            own[tag_of(node)] += 1
            ran[self.path_of(node)] += 1
        for module in self.tree["modules"]:
            path, tag = module["path"], module["tag"]
            has_tag = not module["is_torch_nn"] or not path
            total = sum(count for t, count in own.items() if is_at_or_below(t, tag))
            module["nodes"] = {"own": ran[path], "tagged": own[tag] if has_tag else 0,
                               "total": total if has_tag else ran[path]}
        set_property(self.model, "htp.module_tree", json.dumps(self.tree))
        self.list_tags(tagged)

    def list_tags(self, tagged: list) -> None:
        tags = {name: set() for name in self.weights}
        for node in tagged:
            for name in node.input:
                if name in tags:
                    tags[name].update(tags_of(node))
        for name, weight in self.weights.items():
            scopes = ast.literal_eval(properties(weight).get("name_scopes", "[]"))
            owners = {self.tag(path) for path in scopes if path in self.modules}
            set_property(weight, "hierarchy_tags", json.dumps(sorted(tags[name] | owners)))

    def save(self, path) -> None:
        self.recount()
        onnx.save(self.model, str(path))
