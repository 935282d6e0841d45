"""What "equal" means where PyTorch, ONNX Runtime or float16 leave more than one answer.

The tolerances are those of tests/test_operators.py. Three things go beyond them:

- float16: both sides round at different places of a composed operator. A result counts as right when
  it is as near as PyTorch's own to what PyTorch computes from the same inputs in float64, but for two
  units in the last place of the largest element: what is rounded on the way may cancel out.
- indices of equal elements: their order is not defined. Indices count as right when what they pick is
  equal, and none is given twice.
- limits of ONNX Runtime that tests/test_runtime_limits.py shows with models made by hand.
"""

import numpy

NARROW = ("float16", "bfloat16")
ABSOLUTE, RELATIVE = 1e-4, 2 * 2**-11

# Entries whose integer output holds indices along a dim: where the dim stands among the arguments
# behind the input, and the number of the output.
INDICES = {"argsort": (0, 0), "msort": (0, 0), "sort": (0, 1), "topk": (1, 1)}

# Entries that reduce by ReduceMax, ReduceMin, ArgMax or ArgMin, which in ONNX Runtime drop NaN.
DROPS_NAN = (
    "amax", "amin", "aminmax", "argmax", "argmin", "masked.amax", "masked.amin", "masked.argmax",
    "masked.argmin", "masked.norm", "max.reduction_with_dim", "max.reduction_no_dim",
    "min.reduction_with_dim", "min.reduction_no_dim", "linalg.vector_norm", "norm", "norm.inf",
)


def is_near_exact(got, wanted, exact) -> bool:
    """Whether @p got is as near to @p exact as @p wanted is. All are arrays of one shape."""
    got, wanted, exact = (array.astype(numpy.float64) for array in (got, wanted, exact))
    same = (got == wanted) | (numpy.isnan(got) & numpy.isnan(wanted))
    with numpy.errstate(invalid="ignore"):
        largest = numpy.abs(exact[numpy.isfinite(exact)]).max(initial=0)
        allowed = numpy.abs(wanted - exact) + ABSOLUTE + RELATIVE * largest
        near = numpy.abs(got - exact) <= allowed
    return bool((same | (near & numpy.isfinite(wanted))).all())


def picks_equal(source, got, wanted, axis: int) -> bool:
    """Whether two arrays of indices pick equal elements, and @p got none of them twice."""
    if got.ndim == 0 or source.ndim == 0:
        return bool((got == wanted).all())
    in_order = numpy.sort(got, axis)
    repeats = numpy.diff(in_order, axis=axis) == 0
    if repeats.any() or got.min(initial=0) < 0 or got.max(initial=0) >= source.shape[axis]:
        return False
    taken = [numpy.take_along_axis(source, indices, axis) for indices in (got, wanted)]
    return bool(numpy.array_equal(*taken, equal_nan=source.dtype.kind == "f"))


def is_runtime_limit(op: str, stem: str) -> bool:
    """Whether a difference is one that ONNX Runtime makes of NaN in a reduction."""
    with numpy.load(stem + ".npz") as arrays:
        inputs = [arrays[key] for key in arrays if key.startswith("input/")]
    has_nan = any(array.dtype.kind == "f" and numpy.isnan(array).any() for array in inputs)
    return op in DROPS_NAN and has_nan
