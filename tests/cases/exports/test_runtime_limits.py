"""Wrong results of ONNX Runtime itself, shown with handmade models.

Differences from libtorch with this cause are not the exporter's: scripts/op_coverage/rules.py. If a case fails, a
newer ONNX Runtime no longer has the limit.
"""

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper

from harness import case, case_for_each

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
    """numpy, like libtorch, returns NaN, or its index, wherever there is one."""
    nan = numpy.nan
    x = numpy.array([[1, nan, 3, 4, 5], [1, 2, 3, nan, 5], [7, 2, 1, 0, -1]], numpy.float32)
    by_numpy = {"ReduceMax": numpy.max, "ReduceMin": numpy.min, "ArgMax": numpy.argmax,
                "ArgMin": numpy.argmin}[op]
    same = [numpy.array_equal(reduced(op, x, axis), by_numpy(x, axis), equal_nan=True)
            for axis in (0, 1)]
    assert not all(same), f"{op} keeps NaN now: take it out of the limits"


def computed(op: str, *arrays: numpy.ndarray, **attributes) -> numpy.ndarray:
    """The result of a model of one node."""
    names = [f"x{i}" for i in range(len(arrays))]
    dtypes = [helper.np_dtype_to_tensor_dtype(x.dtype) for x in arrays]
    inputs = [helper.make_tensor_value_info(name, dtype, [None] * x.ndim)
              for name, dtype, x in zip(names, dtypes, arrays)]
    graph = helper.make_graph([helper.make_node(op, names, ["y"], **attributes)], "graph", inputs,
                              [onnx.ValueInfoProto(name="y")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4  # nothing is printed
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    return session.run(None, dict(zip(names, arrays)))[0]


@case
def sigmoid_is_zero_early():
    """libtorch's sigmoid is exp(x) there, down to -88."""
    x = numpy.array([-30, -20, -19, 0], numpy.float32)
    got = computed("Sigmoid", x)
    right = 1 / (1 + numpy.exp(-x.astype(float)))
    assert not numpy.allclose(got, right, 1e-3, 0), f"{got}: it is exact now"


@case
def largest_of_infinities_is_finite():
    """libtorch's pooling returns -inf."""
    got = computed("MaxPool", numpy.full((1, 1, 4), -numpy.inf, numpy.float32), kernel_shape=[2])
    assert numpy.isfinite(got).all(), f"{got}: it is exact now"


@case
def mean_of_nothing_is_zero():
    """It is NaN in libtorch, so means of possibly empty axes are computed from sums."""
    got = computed("ReduceMean", numpy.zeros((0, 2), numpy.float32), numpy.array([0]), keepdims=0)
    assert not numpy.isnan(got).any(), f"{got}: lowerings may use it now"


@case
def nothing_is_not_reduced_from_the_end():
    """Axes of reductions are counted from the front."""
    nothing = numpy.zeros((0, 2, 3), numpy.float32)
    got = computed("ReduceSum", nothing, numpy.array([-1]), keepdims=0)
    assert got.shape != (0, 2), f"{got.shape}: lowerings may count from the end now"


@case
def reciprocals_of_integers_are_fused():
    """(1 / x) · y becomes y / x, also for integers."""
    one = helper.make_tensor("one", TensorProto.INT64, [], [1])
    numbers = [helper.make_tensor_value_info(name, TensorProto.INT64, [2]) for name in "xyz"]
    nodes = [helper.make_node("Div", ["one", "x"], ["d"]),
             helper.make_node("Mul", ["d", "y"], ["z"])]
    graph = helper.make_graph(nodes, "graph", numbers[:2], numbers[2:], [one])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    got = session.run(None, {"x": numpy.array([2, 3]), "y": numpy.array([8, 9])})[0]
    assert got.any(), f"{got}: lowerings may divide 1 now"


@case
def hard_swish_of_large_numbers_is_finite():
    """libtorch multiplies first: x · min(max(x + 3, 0), 6) / 6 overflows."""
    got = computed("HardSwish", numpy.array([2e38], numpy.float32))
    assert numpy.isfinite(got).all(), f"{got}: take it out of the limits"


@case
def products_in_float16_are_not_rounded():
    """1.142578125 · 7 is halfway between 7.99609375 and 8, and rounded to 8."""
    seven = helper.make_tensor("seven", TensorProto.FLOAT16, [], numpy.float16([7]))
    nodes = [helper.make_node("Mul", ["x", "seven"], ["t"]),
             helper.make_node("Cast", ["t"], ["y"], to=TensorProto.INT32)]
    graph = helper.make_graph(nodes, "graph", [helper.make_tensor_value_info("x", TensorProto.FLOAT16, [1])],
                              [helper.make_tensor_value_info("y", TensorProto.INT32, [1])], [seven])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=10)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    got = session.run(None, {"x": numpy.float16([1.142578125])})[0]
    assert got[0] == 7, f"{got}: take it out of the limits"


@case
def nothing_is_not_taken():
    """libtorch returns NaN, and a tensor without elements."""
    taps = numpy.ones((1, 1, 2), numpy.float32)
    calls = {"GlobalAveragePool": ((numpy.zeros((2, 3, 0), numpy.float32),), {}),
             "ConvTranspose": ((taps[:, :, :1], taps), {"pads": [1, 1]})}
    for op, (arrays, attributes) in calls.items():
        try:
            got = computed(op, *arrays, **attributes)
        except Exception:  # its errors have no common class
            continue
        raise AssertionError(f"{op} gives {got.shape}: take it out of the limits")
