"""Synthetic documents of `htp-trace quality --json`: of any size, with mistakes and hostile texts."""

import math

METRICS = (
    "coverage", "contamination.weights", "contamination.calls", "contamination.structure", "specificity",
    "scope", "tensors", "weights", "cohesion", "separation", "injectivity", "consistency",
)
COLUMNS = ("name", "op_type", "module", "tag", "scope", "source", "problems", "truth")
# The parts of a layer: class, attribute, operators, parameters.
PARTS = (
    ("SelfAttention", "attention.self", ("MatMul", "Add", "Reshape", "Transpose", "Softmax", "MatMul"), 49536),
    ("SelfOutput", "attention.output", ("MatMul", "Add", "LayerNormalization"), 16768),
    ("Intermediate", "intermediate", ("MatMul", "Add", "Gelu"), 66048),
    ("Output", "output", ("MatMul", "Add", "LayerNormalization"), 65920),
)
NODES_OF_LAYER = sum(len(part[2]) for part in PARTS)


def metric(count: int, of: int, reason: str = "there is none") -> dict:
    found = {"count": count, "of": of, "percent": 100 * count / of if of else None}
    return found if of else found | {"reason": reason}


class Document:
    """One model of a document: a tree of equal layers, and their nodes."""

    def __init__(self, layers: int, file: str = "made-up.onnx", repeated: int = 1):
        self.modules = []
        self.rows = []
        self.file = file
        root = self.module(None, "Model", "")
        embeddings = self.module(root, "Embeddings", "embeddings", 322048)
        self.nodes(embeddings, ("Gather", "Gather", "Add", "LayerNormalization"))
        encoder = self.module(root, "Encoder", "encoder")
        between = self.untagged(encoder, "encoder.layer")
        self.layers = []
        for number in range(layers):
            layer = self.module(between, f"Layer.{number}", f"encoder.layer.{number}")
            for name, attribute, operators, parameters in PARTS:
                part = self.module(layer, name, f"encoder.layer.{number}.{attribute}", parameters)
                self.nodes(part, repeated * operators)
            self.layers.append(layer)
        self.nodes(self.module(root, "Pooler", "pooler", 16512), ("Gather", "MatMul", "Add", "Tanh"))

    def module(self, parent, segment: str, path: str, parameters: int = 0) -> int:
        above = "" if parent is None else self.modules[parent]["tag"]
        tag = f"{above}/{segment}"
        self.modules.append({
            "tag": tag, "full_tag": tag, "path": path, "class": segment.split(".")[0], "parent": parent,
            "depth": tag.count("/") - 1, "has_tag": True, "own": 0, "total": 0, "parameters": 0, "bytes": 0,
            "score": None, "convex": True})
        at = len(self.modules) - 1
        for module in self.chain(at):
            self.modules[module]["parameters"] += parameters
            self.modules[module]["bytes"] += 4 * parameters
        return at

    def untagged(self, parent: int, path: str) -> int:
        """A module that has no tag of its own, such as a list of layers."""
        at = self.module(parent, "List", path)
        above = self.modules[parent]
        self.modules[at] |= {"tag": above["tag"], "depth": above["depth"] + 1, "has_tag": False, "convex": None}
        return at

    def chain(self, module) -> list:
        chain = []
        while module is not None:
            chain.append(module)
            module = self.modules[module]["parent"]
        return chain

    def nodes(self, module: int, operators) -> None:
        scope = "/" + self.modules[module]["path"].replace(".", "/")
        for i, operator in enumerate(operators):
            line = f"modeling.py:{100 + 7 * module % 400 + i}"
            name = f"{scope}/{operator}_{i}"
            self.rows.append([name, operator, module, self.modules[module]["tag"], "full", line, [],
                              {"weights": module if operator == "MatMul" else None, "calls": module}])
            for above in self.chain(module):
                self.modules[above]["total"] += self.modules[above]["has_tag"]
        self.modules[module]["own"] += len(operators)

    def misplace(self, row: int, module: int) -> None:
        """Makes a node whose tag differs from its call chain."""
        self.rows[row][6] = ["contamination.calls"]
        self.rows[row][7] = {"weights": None, "calls": module}

    def take_time(self) -> None:
        for number, module in enumerate(self.modules):
            module["milliseconds"] = 0.0
            for above in self.chain(number):
                self.modules[above]["milliseconds"] += 0.01 * module["own"] * (1 + number % 3)

    def finish(self, role: str = "model", hierarchy: str = "attribute __source_module") -> dict:
        """The model as in the document."""
        wrong = [0] * len(self.modules)
        for row in self.rows:
            for module in self.chain(row[2]) if row[6] else ():
                wrong[module] += 1
        for module, bad in zip(self.modules, wrong):
            is_known = module["total"] and module["has_tag"]
            module["score"] = 100 - 100 * bad / module["total"] if is_known else None
        nodes = len(self.rows)
        metrics = {name: metric(nodes, nodes) for name in METRICS}
        metrics["contamination.weights"] = metric(0, nodes // 4)
        metrics["contamination.calls"] = metric(wrong[0], nodes)
        metrics["contamination.structure"] = metric(0, 0, "there is no layer that is repeated")
        return {
            "file": self.file, "role": role, "hierarchy": hierarchy,
            "reference": {"file": "made-up.pt", "kind": "torchscript", "matched": nodes, "unmatched": 0},
            "nodes": nodes, "tensors": nodes + 3, "weights": nodes // 4,
            "depth": 1 + max(module["depth"] for module in self.modules), "metrics": metrics,
            "specificity": {"deepest": nodes, "ancestor": 0, "root": 0},
            "scopes": {"full": nodes, "class": 0, "name": 0, "none": 0},
            "depths": self.depths(), "layers": self.groups(), "modules": self.modules,
            "nodes_table": {"columns": COLUMNS, "rows": self.rows}}

    def depths(self) -> list:
        found = []
        for depth in range(1 + max(module["depth"] for module in self.modules)):
            here = [module for module in self.modules if module["depth"] == depth and module["has_tag"]]
            nodes = sum(module["own"] for module in here)
            found.append({"depth": depth, "modules": len(here), "nodes": nodes,
                          "metrics": {"coverage": metric(nodes, nodes), "cohesion": metric(len(here), len(here))}})
        return found

    def layer_of(self, module) -> int:
        """The number of the layer around a module, or that of "elsewhere"."""
        number = {layer: i for i, layer in enumerate(self.layers)}
        return next((number[at] for at in self.chain(module) if at in number), len(self.layers))

    def groups(self) -> list:
        if len(self.layers) < 2:
            return []
        tags = [self.modules[layer]["tag"] for layer in self.layers]
        counts = {oracle: [[0] * (len(tags) + 1) for _ in tags] for oracle in ("weights", "calls")}
        for row in self.rows:
            tagged = self.layer_of(row[2])
            for oracle, module in row[7].items():
                if tagged < len(tags) and module is not None:
                    counts[oracle][tagged][self.layer_of(module)] += 1
        members = [{"module": layer, "nodes": self.modules[layer]["total"],
                    "score": self.modules[layer]["score"], "metrics": {}} for layer in self.layers]
        scores = [member["score"] for member in members]
        return [{"parent": self.modules[self.modules[self.layers[0]]["parent"]]["parent"], "structure": "Layer",
                 "score": sum(scores) / len(scores), "members": members,
                 "confusion": {oracle: {"columns": [*tags, "elsewhere"], "rows": tags, "counts": found}
                               for oracle, found in counts.items()}}]


def document(*models: dict, **more) -> dict:
    return {"htp_quality": 1, "models": list(models), **more}


def sound(layers: int = 4, **how) -> dict:
    """A model without a mistake."""
    return Document(layers).finish(**how)


def mistaken(layers: int = 12, file: str = "mistaken.onnx", **how) -> dict:
    """A model with some nodes in other layers than they ran in, and times."""
    made = Document(layers, file)
    made.take_time()
    first = len(made.rows) - 4 - layers * NODES_OF_LAYER
    for layer, nodes, other in ((1, 3, 2), (3, 8, 4), (layers - 1, 1, 0)):
        for i in range(nodes):
            made.misplace(first + layer * NODES_OF_LAYER + i, made.layers[other])
    return made.finish(**how)


def large(nodes: int) -> dict:
    """A model of at least this many nodes."""
    layers = 200
    return Document(layers, repeated=math.ceil(nodes / layers / NODES_OF_LAYER)).finish()


HOSTILE = "</script><img src=x onerror=document.title='broken'><!--<script>\u2028\u2029&amp;'\"\\"


def hostile() -> dict:
    """A model in which all text is markup."""
    made = Document(2, HOSTILE)
    for module in made.modules:
        module["tag"] = module["full_tag"] = module["tag"] + "/" + HOSTILE
        module["path"] = module["class"] = HOSTILE
    for row in made.rows:
        row[0] = row[1] = row[3] = row[4] = row[5] = HOSTILE
        row[6] = [HOSTILE]
    found = made.finish(hierarchy=HOSTILE)
    found["reference"]["file"] = HOSTILE
    found["metrics"][HOSTILE] = metric(0, 0, HOSTILE)
    found["layers"][0]["structure"] = HOSTILE
    return found
