"""Small ONNX models, built node by node."""

from pathlib import Path

import onnx
from onnx import TensorProto, helper


def save(file: Path, nodes, **more) -> Path:
    value = helper.make_tensor_value_info
    graph = helper.make_graph(nodes, "g", [value("x", TensorProto.FLOAT, [1])],
                              [value("y", TensorProto.FLOAT, [1])], **more)
    onnx.save(helper.make_model(graph), file)
    return file


def nested(depth: int) -> onnx.GraphProto:
    """An If in the body of an If, and so on."""
    graph = helper.make_graph([helper.make_node("Identity", ["x"], ["y0"])], "g", [], [])
    for level in range(1, depth):
        node = onnx.NodeProto(op_type="If", input=["c"], output=[f"y{level}"])
        attribute = node.attribute.add(name="then_branch", type=onnx.AttributeProto.GRAPH)
        attribute.g.CopyFrom(graph)
        graph = onnx.GraphProto(name="g", node=[node])
    return graph
