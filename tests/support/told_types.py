"""Types of values in the output of `graph`, compared with those that onnx infers."""

import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import onnx
from onnx import TensorProto

from commands import ask

NAMESPACE = "{http://graphml.graphdrawing.org/xmlns}"
DTYPES = {
    "float32": TensorProto.FLOAT, "int64": TensorProto.INT64, "bool": TensorProto.BOOL,
    "int32": TensorProto.INT32, "float64": TensorProto.DOUBLE, "float16": TensorProto.FLOAT16,
}


def dims_of(text: str) -> list:
    """'batch,min(a, 2),?' in parts."""
    parts, depth = [""], 0
    for letter in text:
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts if text else []


def types_of(file: Path) -> dict:
    """The type of each value with a reader: its dtype and its dims; None without dims."""
    root = ElementTree.fromstring(ask("graph", file, "--format", "graphml"))
    found = {}
    for edge in root.iter(f"{NAMESPACE}edge"):
        told = {data.get("key"): data.text or "" for data in edge}
        text = told.get("type", "")
        match = re.fullmatch(r"(\w+)\[(.*)\]", text)
        found[told["value"]] = (match[1], dims_of(match[2])) if match else None
        assert match or "[" not in text or text.startswith("sequence"), told
    return found


def declared(graph):
    for value in (*graph.input, *graph.output, *graph.value_info):
        yield value
    for node in graph.node:
        for attribute in node.attribute:
            for body in (attribute.g, *attribute.graphs):
                yield from declared(body)


def onnx_types(model) -> dict:
    """The same as inferred by onnx; dims are numbers, names or None."""
    inferred = onnx.shape_inference.infer_shapes(model, data_prop=True)
    found = {}
    for value in declared(inferred.graph):
        tensor = value.type.tensor_type
        if tensor.elem_type:
            dims = [d.dim_value if d.HasField("dim_value") else d.dim_param or None
                    for d in tensor.shape.dim] if tensor.HasField("shape") else None
            found[value.name] = (tensor.elem_type, dims)
    return found


def check_against_onnx(model, told: dict, least_share: float) -> None:
    """No contradiction, and at least this share of the ranks and dims that onnx infers."""
    wanted = onnx_types(model)
    assert sum(t is not None for t in told.values()) >= least_share * len(told), [
        name for name, type_ in told.items() if type_ is None]
    for name, (data_type, dims) in wanted.items():
        if told.get(name) is None:
            continue
        dtype, own = told[name]
        assert DTYPES[dtype] == data_type, (name, dtype, data_type)
        assert dims is None or len(own) == len(dims), (name, own, dims)
        for a, b in zip(own, dims or []):
            assert not (a.isdigit() and isinstance(b, int)) or int(a) == b, (name, own, dims)
