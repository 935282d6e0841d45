"""Finds ONNX models that are the same to ONNX Runtime although their opsets differ."""

import functools
import hashlib

import onnx


@functools.cache
def version(operator: str, opset: int):
    """The version of an operator at an opset. An operator that may run as a function of others has one per opset,
    since those may change."""
    schema = onnx.defs.get_schema(operator, opset, "")
    is_function = schema.has_function or schema.has_context_dependent_function
    return opset if is_function else schema.since_version


def nodes(graph):
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            for inner in (*attribute.graphs, *([attribute.g] if attribute.HasField("g") else ())):
                yield from nodes(inner)


def run_key(model: onnx.ModelProto) -> tuple:
    """A key, equal for models that run alike: the graph, the versions of its operators, and all opsets except
    ONNX's."""
    opsets = {one.domain: one.version for one in model.opset_import}
    opset = opsets.pop("")
    found = [node for graph in (model.graph, *model.functions) for node in nodes(graph)]
    used = {node.op_type: version(node.op_type, opset) for node in found if node.domain == ""}
    parts = [part.SerializeToString(deterministic=True) for part in (model.graph, *model.functions)]
    digest = hashlib.sha256(b"".join(parts)).hexdigest()
    return digest, tuple(sorted(used.items())), tuple(sorted(opsets.items()))
