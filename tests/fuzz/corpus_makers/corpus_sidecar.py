"""The fuzzers' initial corpus of sidecars."""

import json


def sidecar():
    """The relevant parts of htp-trace sidecar's output for the model of fuzz_two_nodes()."""
    modules = [
        {"tag": tag, "full_tag": tag, "has_tag": True, "parent": parent, "path": path, "aliases": [],
         "class": "Net", "qualified_class": "m.Net", "is_torch_nn": False, "is_leaf": path != "",
         "level": len(path), "children": [], "calls": 1,
         "parameters": {"own": 0, "total": 0, "trainable": 0, "bytes": 0, "shapes": {}},
         "buffers": {}, "nodes": {"own": 1, "tagged": 1, "total": 1}}
        for tag, parent, path in (("/Net", None, ""), ("/Net/A", "/Net", "a"), ("/Net/B", "/Net", "b"))]
    operations = {
        f"/{name}/Neg": {"op_type": "Neg", "domain": "", "inputs": [x], "outputs": [y],
                         "tags": [f"/Net/{name.upper()}"], "full_tag": f"/Net/{name.upper()}",
                         "scope": f"/{name}", "source": {"file": "m.py", "line": 7}, "call": None,
                         "body_of": None, "function": None}
        for name, x, y in (("a", "x", "v"), ("b", "v", "y"))}
    tensors = {"v": {"producer": "/Net/A", "made_by": "/a/Neg", "consumers": ["/Net/B"],
                     "is_input": False, "is_output": False}}
    return {
        "version": 1,
        "export": {"tool": "t", "tool_version": "0", "ir_version": 10, "opset": 18, "nodes": 2,
                   "opsets": [{"domain": "", "version": 18}], "inputs": [], "outputs": [],
                   "hierarchy": "attribute", "tags": "classes", "tag_rules": "1", "untagged": 0},
        "modules": modules, "operations": operations, "tensors": tensors,
        "dag": {"/Net": {"nodes": ["/a/Neg", "/b/Neg"], "edges": [["/a/Neg", "/b/Neg"]]}},
    }


def quality(count):
    """Measurements; any count of nodes other than 2 is invalid."""
    metrics = {"coverage": {"count": count, "of": 2, "percent": 50 * count},
               "specificity": {"count": 0, "of": 0, "percent": None, "reason": "none"}}
    return {"reference": None, "nodes": 2, "tensors": 3, "weights": 0, "module_count": 3, "depth": 2,
            "metrics": metrics, "specificity": {"deepest": 0, "ancestor": 0, "root": 0},
            "scopes": {"full": count, "class": 0, "name": 0, "none": 0},
            "depths": [{"depth": 0, "modules": 1, "nodes": 2, "metrics": metrics}],
            "layers": [{"parent": 0, "structure": "Net", "score": 100.0, "confusion": {},
                        "members": [{"module": 1, "nodes": 1, "score": 100.0, "metrics": metrics}]}]}


def changed(path, put):
    """The sidecar with another value in one place."""
    made = sidecar()
    place = made
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = put
    return made


def write_sidecars(folder):
    documents = {
        "whole": sidecar(), "empty": {}, "list": [], "later_version": changed(["version"], 2),
        "no_modules": changed(["modules"], None), "module_is_text": changed(["modules", 1], "A"),
        "same_tag_twice": changed(["modules", 2, "tag"], "/Net/A"),
        "parent_of_itself": changed(["modules", 0, "parent"], "/Net"),
        "no_tag": changed(["operations", "/a/Neg", "tags"], []),
        "unknown_tag": changed(["operations", "/a/Neg", "tags"], ["/Other"]),
        "large_number": changed(["modules", 0, "calls"], 10 ** 30),
        "surrogates": changed(["operations", "/a/Neg", "scope"], "\ud800\udc00 \ud800"),
        "control": changed(["operations", "/a/Neg", "scope"], "\x00\x1f"),
        "many_edges": changed(["dag", "/Net", "edges"], [["/a/Neg", "/b/Neg"]] * 50),
        "quality": changed(["quality"], quality(2)), "wrong_quality": changed(["quality"], quality(3)),
    }
    for name, document in documents.items():
        (folder / name).write_text(json.dumps(document))
    text = json.dumps(sidecar())
    raw = {
        "cut": text[:len(text) // 2], "twice": text + text, "space": " \n\t" * 50 + text,
        "nested": '{"modules": ' + "[" * 200 + "]" * 200 + "}",
        "key_twice": text.replace('"version": 1', '"version": 1, "version": 1'),
        "float": text.replace('"opset": 18', '"opset": 1.8e1'), "nan": text.replace("10", "NaN"),
        "comma": text[:-1] + ",}",
    }
    for name, content in raw.items():
        (folder / name).write_text(content)
    (folder / "not_utf8").write_bytes(text.encode().replace(b"m.py", b"\xff\xc0"))
