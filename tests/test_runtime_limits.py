"""What ONNX Runtime itself computes wrongly, shown with models made by hand.

Differences from libtorch that come of it are not the exporter's: scripts/op_coverage/rules.py. A case
that fails here tells that a newer ONNX Runtime has no such limit any more.
"""

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper

from harness import case_for_each

REDUCTIONS = ("ReduceMax", "ReduceMin", "ArgMax", "ArgMin")
SUMS = {"ReduceSum": numpy.sum, "ReduceProd": numpy.prod}


def reduced(op: str, x: numpy.ndarray, axis: int) -> numpy.ndarray:
    is_index = op.startswith("Arg")
    attributes = {"axis": axis} if is_index else {}
    inputs = ["x"] if is_index else ["x", "axes"]
    axes = [] if is_index else [helper.make_tensor("axes", TensorProto.INT64, [1], [axis])]
    dtype = helper.np_dtype_to_tensor_dtype(x.dtype)
    graph = helper.make_graph(
        [helper.make_node(op, inputs, ["y"], keepdims=0, **attributes)], "graph",
        [helper.make_tensor_value_info("x", dtype, x.shape)],
        [helper.make_tensor_value_info("y", TensorProto.INT64 if is_index else dtype,
                                       [x.shape[1 - axis]])], axes)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
    onnx.checker.check_model(model)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    return session.run(None, {"x": x})[0]


@case_for_each(SUMS)
def integers_are_reduced_in_float64(op):
    """libtorch's int64 is exact, and wraps around."""
    x = numpy.array([[2**60 + 1, 3], [2**31 + 1, 2**31 + 3]], numpy.int64)
    same = numpy.array_equal(reduced(op, x, 1), SUMS[op](x, 1))
    assert not same, f"{op} is exact now: take it out of the limits"


@case_for_each(REDUCTIONS)
def reductions_drop_nan(op):
    """numpy, as libtorch, gives NaN, or its place, wherever there is one."""
    nan = numpy.nan
    x = numpy.array([[1, nan, 3, 4, 5], [1, 2, 3, nan, 5], [7, 2, 1, 0, -1]], numpy.float32)
    by_numpy = {"ReduceMax": numpy.max, "ReduceMin": numpy.min, "ArgMax": numpy.argmax,
                "ArgMin": numpy.argmin}[op]
    same = [numpy.array_equal(reduced(op, x, axis), by_numpy(x, axis), equal_nan=True)
            for axis in (0, 1)]
    assert not all(same), f"{op} keeps NaN now: take it out of the limits"
