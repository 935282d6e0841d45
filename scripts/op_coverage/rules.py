"""What "equal" means where PyTorch, ONNX Runtime or float16 leave more than one answer.

The tolerances are those of tests/cases/exports/test_operators.py. Three things go beyond them:

- float16: the two sides round at different places of a composed operator. A result is right if it is as near as
  PyTorch's own to what PyTorch computes from the same inputs in float64, up to two units in the last place of the
  largest element (intermediate results may cancel) and an eighth of PyTorch's own error (a softmax of large numbers
  amplifies every rounding). If PyTorch's own overflows and the exact one does not, the exact one is required.
- indices of equal elements: which one is returned is undefined. Indices are right if they pick equal elements, and
  none occurs twice.
- limits of ONNX Runtime that tests/cases/exports/test_runtime_limits.py shows with models made by hand.
"""

import numpy

NARROW = ("float16", "bfloat16")
ABSOLUTE, RELATIVE = 1e-4, 2 * 2**-11
OF_ERROR = 1 / 8

# Entries whose integer output contains indices along a dim: the dim's position among the arguments after the input,
# and the index of the output.
INDICES = {
    "argsort": (0, 0), "kthvalue": (1, 1), "median": (0, 1), "mode": (0, 1), "msort": (0, 0),
    "nanmedian": (0, 1), "sort": (0, 1), "topk": (1, 1),
}

# Limits shown in tests/cases/exports/test_runtime_limits.py, and the affected entries.
DROPS_NAN = "drops NaN"
LIMITS = {
    DROPS_NAN: "ReduceMax, ReduceMin, ArgMax and ArgMin give another element where there is a NaN",
    "float64": "ReduceSum and ReduceProd of integers count in float64: not exact beyond 2^53",
}
WITH_EXTREMES = (
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
        error = numpy.where(numpy.isfinite(wanted), numpy.abs(wanted - exact), 0)
        allowed = (1 + OF_ERROR) * error + ABSOLUTE + RELATIVE * largest
        near = numpy.abs(got - exact) <= allowed
    return bool((same | (near & numpy.isfinite(exact))).all())


def picks_equal(source, got, wanted, axis: int) -> bool:
    """Whether two arrays of indices pick equal elements, and @p got none of them twice. An operator
    that picks one element may have dropped the axis."""
    if source.ndim == 0:
        return bool((got == wanted).all())
    if got.ndim < source.ndim:
        got, wanted = (numpy.expand_dims(indices, axis) for indices in (got, wanted))
    in_order = numpy.sort(got, axis)
    repeats = numpy.diff(in_order, axis=axis) == 0
    if repeats.any() or got.min(initial=0) < 0 or got.max(initial=0) >= source.shape[axis]:
        return False
    taken = [numpy.take_along_axis(source, indices, axis) for indices in (got, wanted)]
    return bool(numpy.array_equal(*taken, equal_nan=source.dtype.kind == "f"))


def runtime_limit(op: str, stem: str) -> str | None:
    """The limit of ONNX Runtime that explains a sample's difference, or None."""
    with numpy.load(stem + ".npz") as arrays:
        inputs = [arrays[key] for key in arrays if key.startswith("input/")]
    has_nan = any(array.dtype.kind == "f" and numpy.isnan(array).any() for array in inputs)
    return DROPS_NAN if op in WITH_EXTREMES and has_nan else None
