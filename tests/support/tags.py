"""An independent implementation of the tag rules: from PyTorch's module tree to tags.

Input is a list of {"path", "class", "instance"} in definition order, every path of every
instance, as models/record.py writes it.
"""

import re
from collections import defaultdict


def encode(text: str) -> str:
    """Percent-encodes the bytes that a segment may not contain."""

    def escape(match):
        return "".join(f"%{byte:02X}" for byte in match.group().encode())

    return re.sub(r"[%/\x00-\x1f\x7f-\x9f]", escape, text)


def short(qualified: str) -> str:
    return qualified.rsplit(".", 1)[-1]


def is_torch_nn(qualified: str) -> bool:
    return qualified.startswith("torch.nn.")


class Tree:
    """Tags by path, aliases, and the tag of operations in a module."""

    def __init__(self, modules: list, include_torch_nn: bool = False):
        self.classes = {}
        self.aliases = defaultdict(list)
        first = {}
        for module in modules:
            path = first.setdefault(module["instance"], module["path"])
            if path == module["path"]:
                self.classes[path] = module["class"]
            elif module["path"].rpartition(".")[0] in self.classes:  # not below another alias
                self.aliases[path].append(module["path"])
        self.include_torch_nn = include_torch_nn
        self.tags = self._make_tags()

    def is_eligible(self, path: str) -> bool:
        return path == "" or self.include_torch_nn or not is_torch_nn(self.classes[path])

    def eligible_parent(self, path: str) -> str:
        while path:
            path = path.rpartition(".")[0]
            if self.is_eligible(path):
                return path
        return ""

    def _make_tags(self) -> dict:
        groups = defaultdict(list)
        for path, qualified in self.classes.items():
            if path and self.is_eligible(path):
                groups[self.eligible_parent(path), short(qualified)].append(path)
        tags = {"": "/" + encode(short(self.classes[""]))}
        segments = {}
        for (parent, name), group in groups.items():
            for path, suffix in zip(group, self._suffixes(parent, group)):
                segments[path] = encode(name) + ("." + encode(suffix) if suffix else "")
        for path in self.classes:  # parents come before children
            if path in segments:
                tags[path] = tags[self.eligible_parent(path)] + "/" + segments[path]
        return tags

    @staticmethod
    def _suffixes(parent: str, group: list) -> list:
        names = [path.rpartition(".")[2] for path in group]
        if all(name.isdecimal() for name in names) and len(set(names)) == len(names):
            return names
        if len(group) == 1:
            return [""]
        return [path[len(parent) + 1 :] if parent else path for path in group]

    def owner(self, path: str) -> str:
        """The path of the deepest eligible module at or above a path."""
        return path if self.is_eligible(path) else self.eligible_parent(path)

    def tag(self, path: str) -> str:
        """The tag of an operation that runs directly in the module at a path."""
        return self.tags[self.owner(path)]
