"""Whether ONNX Runtime's results equal libtorch's, relative to libtorch's own float32 error.

Both round in every step, in different orders. The program in double precision shows how far libtorch's float32 result
is from the exact one; ONNX Runtime's may be off by a few times that.
"""

from dataclasses import dataclass

import numpy

import numbers_check

# The allowed error, in multiples of libtorch's own, and its minimum in units in the last place of the largest element,
# since small models sometimes have no error at all.
TIMES = 4
UNITS = 16
# At native sizes: for sums of 512 and more terms, 4.9 times the error was observed.
TIMES_NATIVE = 6
# If libtorch is this far off, relative to the largest element, a decision (a rank, a rounding) came out the other way,
# and double precision measures nothing. Then ours is right by the tests' tolerance, by double precision, or if it is
# this near to libtorch's, relative to the largest element. At native sizes that is enough, and saves double precision.
LOST = 1e-2
NEAR = 1e-5
HUGE = 1e30  # a mask's lowest number is no scale
# Fewer elements may have no error by chance; then those of the model's other outputs, and of this one at other sizes,
# count, too.
FEW = 16


class Differs(Exception):
    """An error in a model: its kind, and a message."""


@dataclass
class Errors:
    """The largest errors over all outputs: from libtorch's float32 numbers, and of ONNX Runtime and libtorch from
    double precision."""

    difference: float = 0.0
    ours: float = 0.0
    libtorch: float = 0.0

    def note(self, difference: float, ours: float, libtorch: float) -> None:
        self.difference = max(self.difference, difference)
        if ours > self.ours:
            self.ours, self.libtorch = ours, libtorch

    def join(self, other: "Errors") -> None:
        self.note(other.difference, other.ours, other.libtorch)


def largest(values: numpy.ndarray) -> float:
    return float(values.max()) if values.size else 0.0


def scale_of(wanted) -> float:
    with numpy.errstate(invalid="ignore"):
        return largest(numpy.abs(wanted[numpy.abs(wanted) < HUGE]).astype("float64"))


def fine_error(values, scale: float) -> float:
    """The error that rounding alone explains, whatever libtorch's own error is."""
    return UNITS * numpy.finfo(values.dtype).eps * scale


def own_error(wanted, precise) -> float:
    """libtorch's."""
    finite = numpy.isfinite(wanted) & numpy.isfinite(precise)
    return largest(numpy.abs(wanted[finite] - precise[finite]))


def relative_error(wanted, precise) -> float:
    """libtorch's relative error; 0 if it is unknown, or if a decision came out the other way."""
    if precise is None or precise.shape != wanted.shape or wanted.dtype.kind != "f":
        return 0.0
    scale = scale_of(wanted)
    error = own_error(wanted, precise) / scale if scale else 0.0
    return error if error <= LOST else 0.0


def sound_error(wanted, precise) -> float:
    """libtorch's own error; 0 as in relative_error()."""
    return relative_error(wanted, precise) * scale_of(wanted)


def is_fine(got, wanted, precise, typical: float, elsewhere: float, errors: Errors, times: int) -> bool:
    """Of the elements that are not the same in both; infinities must be the same. @p typical the
    largest relative error that libtorch makes in any output; @p elsewhere its largest error in this output at any
    sizes"""
    with numpy.errstate(invalid="ignore"):
        equal = (got == wanted) | (numpy.isnan(got) & numpy.isnan(wanted))
    a, b = got[~equal].astype("float64"), wanted[~equal].astype("float64")
    if not (numpy.isfinite(a).all() and numpy.isfinite(b).all()):
        errors.note(float("inf"), 0.0, 0.0)
        return False
    difference = largest(numpy.abs(a - b))
    if precise is None or precise.shape != wanted.shape:
        errors.note(difference, 0.0, 0.0)
        return is_close(a, b)
    ours = largest(numpy.abs(a - precise[~equal]))
    libtorch = own_error(wanted, precise)
    errors.note(difference, ours, libtorch)
    scale = scale_of(wanted)
    if not libtorch <= LOST * scale:
        return is_close(a, b) or ours <= fine_error(got, scale) or difference <= NEAR * scale
    if wanted.size < FEW:
        libtorch = max(libtorch, typical * scale, elsewhere)
    return ours <= max(times * libtorch, fine_error(got, scale))


def is_close(a, b) -> bool:
    """The tolerance of the tests."""
    error = numpy.abs(a - b)
    relative = numbers_check.TOLERANCE_RELATIVE * numpy.abs(b)
    return bool(((error <= numbers_check.TOLERANCE_ABSOLUTE) | (error <= relative)).all())


def compare(
        got: list, wanted: list, precise: list | None, where: str, times: int = TIMES, elsewhere: list | None = None,
) -> Errors:
    """Raises Differs. wanted: libtorch's outputs. precise: those in double precision, or None. times: the allowed
    multiple of its own error. elsewhere: by output, libtorch's largest error at any sizes, if known."""
    if len(got) != len(wanted):
        raise Differs("values", f"{where}: {len(got)} outputs, {len(wanted)} expected")
    errors = Errors()
    exact = precise if precise is not None and len(precise) == len(wanted) else [None] * len(wanted)
    typical = max(map(relative_error, wanted, exact), default=0.0)
    for number, (a, b, c) in enumerate(zip(got, wanted, exact)):
        at = f"{where}, output {number}"
        if a.shape != b.shape or a.dtype != b.dtype:
            raise Differs("values", f"{at}: {a.dtype}{a.shape}, not {b.dtype}{b.shape}")
        if a.dtype.kind != "f":
            if not numpy.array_equal(a, b):
                raise Differs("values", f"{at}: {(a != b).sum()} of {a.size} elements differ")
            continue
        if not is_fine(a, b, c, typical, elsewhere[number] if elsewhere else 0.0, errors, times):
            raise Differs(
                "values",
                f"{at}: off by up to {errors.difference:.3g}; from double precision by"
                f" {errors.ours:.3g}, libtorch by {errors.libtorch:.3g}",
            )
    return errors


def is_near(got, wanted, errors: Errors) -> bool:
    """Whether an output of finite elements is so near to libtorch's that double precision is not needed."""
    if got.shape != wanted.shape or got.dtype != wanted.dtype:
        return False
    if got.dtype.kind != "f":
        return numpy.array_equal(got, wanted)
    if not (numpy.isfinite(got).all() and numpy.isfinite(wanted).all()):
        return False
    difference = largest(numpy.abs(got - wanted))
    is_small = difference <= NEAR * scale_of(wanted)
    errors.note(difference if is_small else 0.0, 0.0, 0.0)
    return is_small


def compare_large(got: list, wanted: list, evaluate, where: str) -> Errors:
    """As compare(), but evaluates in double precision, by evaluate(), only if needed."""
    if len(got) != len(wanted):
        raise Differs("values", f"{where}: {len(got)} outputs, {len(wanted)} expected")
    errors = Errors()
    near = [is_near(a, b, errors) for a, b in zip(got, wanted)]
    if not all(near):
        rest = [b if is_same else a for a, b, is_same in zip(got, wanted, near)]
        errors.join(compare(rest, wanted, evaluate(), where, TIMES_NATIVE))
    return errors
