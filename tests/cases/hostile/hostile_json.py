"""Hostile JSON beside an ONNX model: profiles, sidecars, reports of verify, names for retag. The model beside it has two
modules and tags.
"""

import json
from pathlib import Path

from written_onnx import graph, model, node

DEEP = 100_000
MEGABYTE = "n" * 1_000_000
ESCAPES = "\x1b]0;owned\x07\x1b[2J"


class Text(str):
    """JSON as text, that json.dumps() would not write."""


def event(**more) -> dict:
    return {"cat": "Node", "name": "n_kernel_time", "ts": 1, "dur": 10, "tid": 1, "args": {"op_name": "Neg"}, **more}


def sidecar(**more) -> dict:
    module = {"tag": "/Net", "full_tag": "/Net", "path": "", "aliases": [], "class": "Net", "children": [], "calls": 1}
    operation = {"op_type": "Neg", "inputs": ["x"], "outputs": ["m"], "tags": ["/Net"], "full_tag": "/Net", "scope": ""}
    return {"version": 1, "export": {}, "modules": [module], "operations": {"n": operation}, "tensors": {}, "dag": {}, **more}


def report(**more) -> dict:
    return {"tolerance": 1e-4, "first": None, "modules": [{"address": "Net", "carried": None, "own": {"relative": 0.1}}],
            "nodes": [{"node": "n", "growth": 0.1}], **more}


def text(document, **changes) -> Text:
    """The document with texts in place of others, as the changes tell."""
    content = json.dumps(document)
    for old, new in changes.items():
        assert f'"{old}"' in content, old
        content = content.replace(f'"{old}"', new, 1)
    return Text(content)


# What every reader of JSON refuses, or must survive.
ANY = {
    "nests": Text("[" * DEEP),
    "nests in objects": Text('{"a":' * DEEP),
    "nests and closes": Text("[" * DEEP + "]" * DEEP),
    "a number": Text("7"),
    "1e999": Text("1e999"),
    "a text without an end": Text('{"version": "'),
    "a lone surrogate": Text('{"\\ud800": 1}'),
    "half a pair": Text('{"version": "\\ud83dx"}'),
    "NUL": b'{"version": 1}\0',
    "a NUL in a text": Text('{"version": "\\u0000"}'),
    "Latin-1": b'{"version": "\xe9"}',
    "UTF-16": '{"version": 1}'.encode("utf-16"),
    "two documents": Text("[] []"),
    "a name of a megabyte": Text('{"' + MEGABYTE + '": 1'),
    "a byte order mark": b"\xef\xbb\xbf[]",
    "NaN": Text("NaN"),
    "infinity in a list": Text("[-Infinity]"),
    "a million names": lambda: Text("{" + ",".join(f'"k{i}": 0' for i in range(1_000_000)) + "}"),
    "a name a million times": lambda: Text("{" + ",".join(['"k": 0'] * 1_000_000) + "}"),
    "a million escapes": lambda: Text('{"version": "' + "\\u0041" * 1_000_000 + '"}'),
    "a number of a million digits": lambda: Text("[" + "9" * 1_000_000 + "]"),
    "a list of a million lists": lambda: Text("[" + ",".join(["[]"] * 1_000_000) + "]"),
    "nothing": b"",
    "binary": bytes(range(256)) * 16,
}
PROFILES = {
    "an event of 1e999": [text(event(ts="TS"), TS="1e999")],
    "an event before time": [event(ts=-(2**62), dur=2**62)],
    "a time of a text": [event(dur="10")],
    "a time of 2^64": [event(dur=2**64)],
    "times that overflow": [event(ts=2**62, dur=2**62)] * 4,
    "a member twice": Text('[{"cat": "Node", "cat": "Session", "name": "n_kernel_time", "ts": 1, "dur": 10}]'),
    "an event without a name": [{"cat": "Node", "ts": 1, "dur": 1}],
    "events that are numbers": [1, 2, 3],
    "a name of a megabyte in an event": [event(name=MEGABYTE + "_kernel_time")],
    "a name with escapes": [event(name=ESCAPES + "_kernel_time")],
    "arguments in a list": [event(args=[1])],
    "arguments that nest": [event(args=[[[[[]]]]])],
    "threads of text": [event(tid=ESCAPES)],
    "300,000 events": lambda: [event(ts=i) for i in range(300_000)],
    "events inside of each other": lambda: [event(ts=i, dur=200_000 - 2 * i) for i in range(100_000)],
}
SIDECARS = {
    "version 2^64": sidecar(version=2**64),
    "version 1e999": text(sidecar(version="V"), V="1e999"),
    "two versions": text(sidecar(dag="D"), D='{}, "version": 2'),
    "modules in an object": sidecar(modules={}),
    "modules that are numbers": sidecar(modules=[1]),
    "a module without a tag": sidecar(modules=[{"path": ""}]),
    "a module twice": sidecar(modules=sidecar()["modules"] * 2),
    "300 modules in each other": sidecar(modules=[{**sidecar()["modules"][0], "tag": "/M" * i, "full_tag": "/M" * i} for i in range(1, 300)]),
    "a tag with escapes": sidecar(modules=[{**sidecar()["modules"][0], "tag": "/" + ESCAPES, "full_tag": "/" + ESCAPES}]),
    "a tag of a megabyte": sidecar(modules=[{**sidecar()["modules"][0], "tag": "/" + MEGABYTE, "full_tag": "/" + MEGABYTE}]),
    "operations in a list": sidecar(operations=[]),
    "an operation that is a number": sidecar(operations={"n": 1}),
    "an operation without tags": sidecar(operations={"n": {"op_type": "Neg"}}),
    "an operation of no module": sidecar(operations={"n": {**sidecar()["operations"]["n"], "tags": ["/Gone"], "full_tag": "/Gone"}}),
    "an operation twice": text(sidecar(tensors="T"), T='{}, "operations": {"n": {}, "n": {}}'),
    "tags that are numbers": sidecar(operations={"n": {**sidecar()["operations"]["n"], "tags": [1]}}),
    "300,000 modules": lambda: sidecar(modules=[{**sidecar()["modules"][0], "tag": f"/M.{i}", "full_tag": f"/M.{i}", "path": f"m.{i}"} for i in range(300_000)]),
}
REPORTS = {
    "a tolerance of 1e999": text(report(tolerance="T"), T="1e999"),
    "a tolerance below nothing": report(tolerance=-1),
    "a tolerance of text": report(tolerance="1"),
    "modules in an object": report(modules={}),
    "modules that are numbers": report(modules=[1]),
    "a module of a hostile address": report(modules=[{"address": ESCAPES, "own": {"relative": 1}}]),
    "an error of -1": report(modules=[{"address": "Net", "own": {"relative": -1}}]),
    "an error of 1e999": text(report(modules=[{"address": "Net", "own": {"relative": "E"}}]), E="1e999"),
    "an error of text": report(modules=[{"address": "Net", "own": {"relative": "0.1"}}]),
    "nodes of another model": report(nodes=[{"node": "gone", "growth": 1}], modules=[{"address": "gone", "own": {"relative": 1}}]),
    "a node without growth": report(nodes=[{"node": "n"}]),
    "no nodes": report(nodes=None),
    "300,000 nodes of one name": lambda: report(nodes=[{"node": "n", "growth": 1}] * 300_000),
    "a member twice": text(report(first="F"), F='null, "tolerance": 5'),
}
TABLES = {"profile": {**ANY, **PROFILES}, "sidecar": {**ANY, **SIDECARS}, "report": {**ANY, **REPORTS}}
MODELS = {f"{kind}: {name}": None for kind, table in TABLES.items() for name in table}


def make(name: str, folder: Path) -> None:
    kind, _, what = name.partition(": ")
    content = TABLES[kind][what]
    content = content() if callable(content) else content
    if isinstance(content, list) and content and isinstance(content[0], Text):
        content = Text("[" + ",".join(content) + "]")
    if not isinstance(content, (Text, bytes)):
        content = json.dumps(content)
    (folder / f"{kind}.json").write_bytes(content if isinstance(content, bytes) else content.encode())
    tagged = [node("Neg", ("x",), ("m",), "n", metadata={"source_module": "/Net"}),
              node("Abs", ("m",), ("y",), "k", metadata={"source_module": "/Net/Inner"})]
    (folder / "m.onnx").write_bytes(model(graph(tagged)))
    plain = [node("Neg", ("x",), ("m",), "n"), node("Abs", ("m",), ("y",), "k")]
    (folder / "plain.onnx").write_bytes(model(graph(plain)))
