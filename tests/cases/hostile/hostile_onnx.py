"""Hostile ONNX models."""

import json
import os
from pathlib import Path

from written_onnx import (
    FLOAT, INT64, STRING, attribute, branch, external, field, fields, function, graph, model, node, pairs, tensor, value, varint,
)

TENSOR, GRAPH, STRINGS = 4, 5, 8  # kinds of attributes
HUGE = 2**62
LONG = "n" * 1_000_000
ESCAPES = "\x1b]0;owned\x07\x1b[2J\x9b2J\r\n/Net/\u202ereversed"


def chain(count: int, **options) -> list:
    return [node("Neg", (f"v{i}" if i else "x",), (f"v{i + 1}" if i + 1 < count else "y",), f"n{i}", **options)
            for i in range(count)]


def bodies(depth: int) -> bytes:
    """An If in the body of an If, and so on, made from the inside out."""
    inside = field(2, "y")
    for _ in range(depth):
        body = field(1, "then_branch") + field(6, inside)
        inside = field(1, field(2, "y") + field(4, "If") + field(5, body))
    return inside


def tagged(tag: str, count=1, more=None) -> bytes:
    return model(graph(chain(count, metadata={"source_module": tag, **(more or {})})))


def calls(functions: list) -> bytes:
    return model(graph([node("F0", more=field(7, "local"))]), functions)


def call(op: str, inputs=("a",), outputs=("b",), name="n") -> bytes:
    return node(op, inputs, outputs, name, more=field(7, "local"))


def doubling(count: int) -> list:
    """Functions, each of which calls the next one twice."""
    return [function(f"F{i}", nodes=[call(f"F{i + 1}", ("a",), ("m",)), call(f"F{i + 1}", ("m",), ("b",), "k")])
            for i in range(count)] + [function(f"F{count}")]


def line(count: int) -> list:
    return [function(f"F{i}", nodes=[call(f"F{i + 1}")]) for i in range(count)] + [function(f"F{count}")]


def with_weight(weight: bytes) -> bytes:
    return model(graph([node("Add", ("x", "w"))], weights=[weight]))


def placed(location: str, **more) -> bytes:
    return with_weight(external({"location": location, **more}))


def typed(kind: bytes) -> bytes:
    return model(graph(inputs=[field(1, "x") + field(2, kind)]))


def sequences(depth: int) -> bytes:
    kind = field(1, field(1, FLOAT))
    for _ in range(depth):
        kind = field(4, field(1, kind))
    return kind


def tree(modules) -> bytes:
    text = modules if isinstance(modules, str) else json.dumps({"rules": 1, "modules": modules})
    return model(metadata={"htp.module_tree": text})


def sparse(values: bytes, indices: bytes, sizes=(4,)) -> bytes:
    content = field(1, values) + field(2, indices) + fields(3, sizes)
    return model(graph([node("Add", ("x", "s"))], more=field(15, content)))


# Each model as bytes, in m.onnx.
MODELS = {
    # The wire.
    "a varint without an end": b"\x08" + b"\xff" * 40,
    "a field of eleven bytes": b"\x08" + b"\x80" * 10 + b"\x01",
    "a field of number zero": b"\x02\x01x",
    "a length beyond the file": b"\x08\x08\x3a\xff\xff\xff\xff\x0f",
    "a length of 2^63": b"\x08\x08\x3a" + varint(2**63),
    "a group without an end": b"\x08\x08\x3b",
    "wire type 7": b"\x08\x08\x3f",
    "a graph that is a number": b"\x08\x08\x38\x01",
    "two graphs": model(more=field(7, graph())),
    "no graph": field(1, 8),
    "a million unknown fields": lambda: model(more=field(900, b"") * 1_000_000),
    "an empty graph": model(b""),
    "the metadata of a million names": lambda: model(metadata={f"k{i}": "" for i in range(1_000_000)}),
    "metadata of eight megabytes": lambda: model(metadata={"k" * 4_000_000: "v" * 4_000_000}),
    # Names.
    "a name with NUL": model(graph([node(name="a\0b")])),
    "a value with NUL": model(graph([node(outputs=("y\0",))])),
    "a name that is not UTF-8": model(graph([node(name=b"\xff\xfe")])),
    "a name of surrogates": model(graph([node(name=b"\xed\xa0\x80")])),
    "an operator with NUL": model(graph([node("Ne\0g")])),
    "an operator without a name": model(graph([node("")])),
    "a name of a megabyte": model(graph([node(name=LONG)])),
    "an operator of a megabyte": model(graph([node(LONG)])),
    "a reader of a megabyte's name": model(graph([node(inputs=(LONG,))])),
    "names that move the cursor": model(graph([node(name=ESCAPES, inputs=(ESCAPES,))])),
    # The graph.
    "a cycle of two": model(graph([node("Neg", ("b",), ("a",), "n"), node("Neg", ("a",), ("b",), "m")])),
    "a node that reads itself": model(graph([node(inputs=("y",))])),
    "an output that is made twice": model(graph([node(), node(name="m")])),
    "an output that nothing makes": model(graph(outputs=[value("z", 2)])),
    "inputs of one name": model(graph(inputs=[value("x", 2), value("x", 2)])),
    "an input with no name": model(graph(inputs=[value("", 2)])),
    "a weight twice": model(graph([node("Add", ("x", "w"))], weights=[tensor(), tensor()])),
    "a negative dim of an input": model(graph(inputs=[value("x", -5)])),
    "a dim of 2^62": model(graph(inputs=[value("x", HUGE, HUGE)])),
    "a thousand dims": model(graph(inputs=[value("x", *[1] * 1000)])),
    "a dim with a hostile name": model(graph(inputs=[value("x", ESCAPES)])),
    "an input of dtype 9999": model(graph(inputs=[value("x", 2, kind=9999)])),
    "an input without a type": model(graph(inputs=[field(1, "x")])),
    "sequences in sequences": typed(sequences(10_000)),
    "a map of maps": typed(field(5, field(1, 8) + field(2, field(5, field(1, 8) + field(2, b""))))),
    # Attributes.
    "an attribute without a name": model(graph([node(attributes=[attribute("", 2, field(3, 1))])])),
    "an attribute of two values": model(graph([node(attributes=[attribute("a", 2, field(3, 1) + field(4, b"x"))])])),
    "an attribute of kind 99": model(graph([node(attributes=[attribute("a", 99, field(3, 1))])])),
    "an attribute that says another kind": model(graph([node("Cast", attributes=[attribute("to", 1, field(3, 1))])])),
    "an attribute twice": model(graph([node("Cast", attributes=[attribute("to", 2, field(3, 1))] * 2)])),
    "an attribute of a million texts": lambda: model(graph([node(
        attributes=[attribute("a", STRINGS, fields(9, [b""] * 1_000_000))])])),
    "a cast to dtype 9999": model(graph([node("Cast", attributes=[attribute("to", 2, field(3, 9999))])])),
    "a transpose of huge positions": model(graph([node("Transpose", attributes=[attribute("perm", 7, fields(8, [HUGE, -HUGE]))])])),
    "a constant without its bytes": model(graph([node("Constant", (), attributes=[attribute("value", TENSOR, field(5, tensor(raw=b"abc")))])])),
    "a constant of 2^62 elements": model(graph([node("Constant", (), attributes=[attribute("value", TENSOR, field(5, tensor(sizes=(HUGE,))))])])),
    # Bodies.
    "bodies nested 10,000 deep": lambda: model(bodies(10_000)),
    "bodies nested 20,000 deep": lambda: model(bodies(20_000)),
    "a body that reads a later value": model(graph([
        node("If", ("x",), ("a",), attributes=[attribute("then_branch", GRAPH, field(6, graph([node("Neg", ("y",), ("z",))], (), [value("z", 2)])))]),
        node("Neg", ("a",), ("y",), "m")])),
    "a body that returns a later value": model(graph([
        node("If", ("x",), ("a",), attributes=[attribute("then_branch", GRAPH, field(6, graph([], (), [value("y", 2)])))]),
        node("Neg", ("a",), ("y",), "m")])),
    "a branch without a graph": model(graph([node("If", ("x",), attributes=[attribute("then_branch", GRAPH, b"")])])),
    "a loop without a body": model(graph([node("Loop", ("", "", "x"))])),
    "a scan of -1 inputs": model(graph([node("Scan", ("x",), attributes=[
        attribute("body", GRAPH, field(6, graph())), attribute("num_scan_inputs", 2, field(3, -1))])])),
    # Weights.
    "dims whose product overflows": with_weight(tensor(sizes=(2**32, 2**32, 2))),
    "a weight of no bytes": with_weight(tensor(sizes=(HUGE,), raw=b"")),
    "a weight of texts": with_weight(tensor(kind=STRING, raw=bytes(8))),
    "a weight of dtype 0": with_weight(tensor(kind=0)),
    "a weight of dtype 77": with_weight(tensor(kind=77)),
    "a weight without a name": with_weight(tensor(name="")),
    "floats that are not packed": with_weight(tensor(raw=None, more=b"\x20\x01")),
    "a weight in two places": with_weight(tensor(more=field(4, bytes(8)))),
    "a segment of a weight": with_weight(tensor(more=field(3, field(1, 0) + field(2, 10)))),
    "a sparse weight without indices": sparse(tensor("s"), b""),
    "a sparse weight of huge positions": sparse(tensor("s"), tensor("i", kind=INT64, raw=b"\xff" * 16)),
    "a sparse weight of huge dims": sparse(tensor("s"), tensor("i", kind=INT64, raw=bytes(16)), (HUGE, HUGE)),
    "a sparse weight of negative dims": sparse(tensor("s"), tensor("i", kind=INT64, raw=bytes(16)), (-4,)),
    "a negative dim of a weight": with_weight(tensor(sizes=(-2,))),
    "two negative dims of a weight": with_weight(tensor(sizes=(-2, -1))),
    "a weight of fewer texts than its dims": with_weight(tensor(kind=STRING, sizes=(3,), raw=None, more=fields(6, ["a"]))),
    "a weight of more texts than its dims": with_weight(tensor(kind=STRING, sizes=(1,), raw=None, more=fields(6, ["a"] * 9))),
    "a weight of a million texts": lambda: with_weight(
        tensor(kind=STRING, sizes=(1_000_000,), raw=None, more=fields(6, [""] * 1_000_000))),
    "a weight of more bytes than its dims": with_weight(tensor(raw=bytes(1000))),
    "a weight of 1000 dims": with_weight(tensor(sizes=(1,) * 1000, raw=bytes(4))),
    "a weight with an empty dim and huge ones": with_weight(tensor(sizes=(0, HUGE, HUGE), raw=b"")),
    "a weight with a name that is not UTF-8": with_weight(tensor(name=b"\xff\xfe")),
    "100,000 weights of one name": lambda: model(graph([node("Add", ("x", "w"))], weights=[tensor()] * 100_000)),
    "100,000 sparse weights": lambda: model(graph(more=fields(15, [
        field(1, tensor(f"s{i}")) + field(2, tensor("i", kind=INT64, raw=bytes(16))) + fields(3, (4,)) for i in range(100_000)]))),
    # Weights elsewhere.
    "a weight in the folder above": placed("../w.bin"),
    "a weight in a folder above a folder": placed("a/b/../../../w.bin"),
    "a weight of the machine": placed("/etc/passwd"),
    "a weight in a device": placed("/dev/zero"),
    "a weight in no file": placed(""),
    "a weight in its folder": placed("."),
    "a weight in a file with NUL": placed("w.bin\0.txt"),
    "a weight in a file of a megabyte's name": placed("w/" * 500_000),
    "a weight in a file that moves the cursor": placed(ESCAPES),
    "a weight before its file": placed("w.bin", offset="-8"),
    "a weight far in its file": placed("w.bin", offset="9223372036854775807"),
    "a weight at a text": placed("w.bin", offset="0x10; rm"),
    "a weight of -1 bytes": placed("w.bin", length="-1"),
    "a weight of 2^64 bytes": placed("w.bin", length="18446744073709551616"),
    "a weight of fewer bytes": placed("w.bin", length="4"),
    "a weight beyond its file": placed("w.bin", offset="4"),
    "a weight through a link": placed("link.bin"),
    "a weight through a folder's link": placed("up/w.bin"),
    "a weight in a pipe": placed("pipe.bin"),
    "a weight in a folder": placed("folder.bin"),
    "a weight in a link to itself": placed("circle.bin"),
    "a weight in the model": placed("m.onnx", offset="0"),
    "external texts": with_weight(external({"location": "w.bin"}, kind=STRING)),
    "an end beyond 2^63": placed("w.bin", offset="9223372036854775800", length="100"),
    "a weight that begins and ends nowhere": placed("w.bin", offset="18446744073709551615", length="18446744073709551615"),
    "a place that is said twice": with_weight(tensor(raw=None, more=pairs(13, {"location": "w.bin"}) + pairs(
        13, {"location": "/etc/passwd"}) + field(14, 1))),
    "a place of 100,000 entries": lambda: with_weight(external({"location": "w.bin", **{f"k{i}": "v" for i in range(100_000)}})),
    "100,000 weights in one file": lambda: model(graph(weights=[external({"location": "w.bin"}, name=f"w{i}") for i in range(100_000)])),
    "20,000 weights in files that there are not": lambda: model(graph(
        [node("Add", ("x", "w0"))], weights=[external({"location": f"w{i}.bin"}, name=f"w{i}") for i in range(20_000)])),
    # Functions.
    "a function that calls itself": calls([function("F0", nodes=[call("F0")])]),
    "functions that call each other": calls([function("F0", nodes=[call("F1")]), function("F1", nodes=[call("F0")])]),
    "20,000 functions in a row": lambda: calls(line(20_000)),
    "functions that double": lambda: calls(doubling(40)),
    "a function twice": calls([function("F0"), function("F0")]),
    "a function of more inputs": calls([function("F0", ("a", "c"), nodes=[node("Add", ("a", "c"), ("b",))])]),
    "a function of an input twice": calls([function("F0", ("a", "a"))]),
    "a function whose output nothing makes": calls([function("F0", nodes=[])]),
    "a function with a cycle": calls([function("F0", nodes=[node("Neg", ("b",), ("c",)), node("Neg", ("c",), ("b",))])]),
    "a function of attributes that are not there": calls([function("F0", nodes=[node(
        "Cast", ("a",), ("b",), attributes=[field(1, "to") + field(20, 2) + field(21, "gone")])])]),
    "a function with NUL in its name": calls([function("F0"), function("F\0")]),
    "a function without a name": calls([function("F0"), function("")]),
    "a function of the standard": model(functions=[function("Neg", nodes=[node("Neg", ("a",), ("b",))], domain="")]),
    "a function that calls itself through another domain": model(graph([node("F0", more=field(7, "local"))]), [
        function("F0", nodes=[node("F0", ("a",), ("b",), more=field(7, "other"))]),
        function("F0", nodes=[call("F0")], domain="other")]),
    "functions of one name in two domains": model(graph([node("F0", more=field(7, "local"))]), [
        function("F0", nodes=[node("F0", ("a",), ("b",), more=field(7, "other"))]), function("F0", domain="other")]),
    "a function that calls itself in a body": calls([function("F0", nodes=[node(
        "If", ("a",), ("b",), attributes=[branch(graph([call("F0", ("a",), ("c",))], (), [value("c", 2)]))])])]),
    "a circle of 200 functions": calls([function(f"F{i}", nodes=[call(f"F{(i + 1) % 200}")]) for i in range(200)]),
    "a function of 100,000 inputs": lambda: model(
        graph([node("F0", ["x"] * 100_000, more=field(7, "local"))]),
        [function("F0", [f"a{i}" for i in range(100_000)], nodes=[node("Neg", ("a0",), ("b",))])]),
    "a function of 100,000 attributes": lambda: calls([function("F0", more=fields(6, [f"a{i}" for i in range(100_000)]))]),
    "bodies beside each other": lambda: model(graph([node("If", ("x",), (f"y{i}" if i else "y",), f"n{i}", attributes=[
        branch(graph([node("Neg", ("x",), (f"z{i}",), f"m{i}")], (), [value(f"z{i}", 2)]))]) for i in range(100_000)])),
    # Tags and metadata.
    "a tag with escapes": tagged("/Net/" + ESCAPES),
    "a tag with NUL": tagged("/Net\0/A"),
    "a tag of markup": tagged('/Net/<script>alert(1)</script>"&'),
    "a tag of a megabyte": tagged("/" + LONG),
    "a tag of 10,000 modules": tagged("/M" * 10_000),
    "a tag of slashes": tagged("/" * 100_000),
    "a tag that is not UTF-8": model(graph([node(metadata={"source_module": b"/Net/\xff"})])),
    "a tag of no module": tagged("Net"),
    "two tags of a node": model(graph([node(more=pairs(9, {"source_module": "/A"}) + pairs(9, {"source_module": "/B"}))])),
    "tags in no array": tagged("/Net", more={"hierarchy_tags": "{}"}),
    "tags nested without end": tagged("/Net", more={"hierarchy_tags": "[" * 100_000}),
    "a tree nested without end": tree("[" * 100_000),
    "a tree of another kind": tree("[]"),
    "a tree of numbers": tree([1, 2, 3]),
    "a tree of a module twice": tree([{"path": "a", "tag": "/A"}] * 2),
    "a tree with a lone surrogate": tree('{"rules":1,"modules":[{"path":"\\ud800","tag":"/A"}]}'),
    "a tree of huge numbers": tree('{"rules":1e999,"modules":[{"path":"a","tag":"/A","parent":-1e999}]}'),
    "a name of metadata with NUL": model(metadata={"a\0b": "c"}),
    "metadata that are not UTF-8": model(metadata={"a": b"\xff"}),
    "opset -1": model(opset=-1),
    "opset 2^62": model(opset=HUGE),
    "IR version 2^62": model(ir=HUGE),
    # Structure.
    "100,000 nodes": lambda: model(graph(chain(100_000))),
    "a node of a million inputs": lambda: model(graph([node("Concat", ("x",) * 1_000_000)])),
    "a node of a million outputs": lambda: model(graph([node("Split", outputs=[f"y{i}" if i else "y" for i in range(1_000_000)])])),
    "300,000 types of one value": lambda: model(graph(more=fields(13, [value("v", 2)] * 300_000))),
    "half a million nodes": lambda: model(graph(chain(500_000))),
    "a million nodes in bodies": lambda: model(graph([node("If", ("x",), attributes=[
        branch(graph([node("Neg", ("x",), ("z",))] * 1_000_000, (), [value("z", 2)]))])])),
    "1,100,000 types of one value": lambda: model(graph(more=fields(13, [value("v", 2)] * 1_100_000))),
    "1,100,000 weights": lambda: model(graph(weights=[field(1, varint(0)) + field(8, "w")] * 1_100_000)),
    "1,100,000 functions": lambda: model(graph(), [function("F", nodes=[])] * 1_100_000),
    "five million operands": lambda: model(graph([node("Concat", ("x",) * 5_000_000)])),
    "names of 140 megabytes": lambda: model(graph(more=fields(13, [value(f"{i}" + LONG, 2) for i in range(140)]))),
    "a quarter of a million modules": lambda: model(graph([node("Neg", (f"v{i}" if i else "x",), (f"v{i + 1}",), "", metadata={
        "source_module": f"/M/A.{i}"}) for i in range(250_000)], outputs=[value("v1", 2)])),
}


def surroundings(folder: Path) -> None:
    """What models with weights in other files point at."""
    (folder.parent / "w.bin").write_bytes(bytes(8))
    (folder / "w.bin").write_bytes(bytes(8))
    (folder / "link.bin").symlink_to("/etc/passwd")
    (folder / "up").symlink_to("..")
    (folder / "folder.bin").mkdir()
    (folder / "circle.bin").symlink_to("circle.bin")
    os.mkfifo(folder / "pipe.bin")


def make(name: str, folder: Path) -> None:
    surroundings(folder)
    content = MODELS[name]
    (folder / "m.onnx").write_bytes(content() if callable(content) else content)
