"""Compares ONNX Runtime's results for an operator case with PyTorch's. It only needs NumPy, since the oldest runtime
has its own Python."""

import numpy

# Absolute and relative tolerances: two units in the last place for the narrow types, whose operators
# PyTorch rounds once or twice, depending on its version.
TOLERANCES = {
    "bfloat16": (1e-3, 2 * 2**-8), "float16": (1e-4, 2 * 2**-11),
    "float32": (1e-4, 1e-3), "float64": (1e-9, 1e-9), "number": (1e-9, 1e-9),
}

NARROW = ("bfloat16", "float16")


def assert_close(got, wanted, dtype: str, where: str, roundings: int) -> None:
    assert got.shape == wanted.shape, f"{where}: {got.shape}, not {wanted.shape}"
    assert got.dtype == wanted.dtype, f"{where}: {got.dtype}, not {wanted.dtype}"
    if got.dtype.kind != "f":
        assert numpy.array_equal(got, wanted), f"{where}: {got}, not {wanted}"
        return
    absolute, relative = TOLERANCES[dtype if dtype in TOLERANCES else str(got.dtype)]
    if dtype in NARROW and roundings > 1:
        # Rounded intermediate values were of order 1.
        absolute, relative = roundings * relative, roundings * relative
    close = numpy.isclose(got, wanted, relative, absolute, equal_nan=True)
    assert close.all(), f"{where}: {got[~close][:4]}, not {wanted[~close][:4]}"


def flattened(got: list, keys: list) -> list:
    """Outputs as the makers flatten them: sequences as tensors, and a list of numbers as one tensor."""
    if all(key.endswith("/number") for key in keys) and numpy.ndim(got[0]) == 1:
        return list(got[0])
    return [tensor for one in got for tensor in (one if isinstance(one, list) else [one])]


def compare(session, arrays, where: str, roundings: int) -> None:
    names = [argument.name for argument in session.get_inputs()]
    for variant in sorted({key.split("/")[0] for key in arrays}):
        inputs = [arrays[key] for key in sorted(arrays) if key.startswith(f"{variant}/input/")]
        outputs = [key for key in sorted(arrays) if key.startswith(f"{variant}/output/")]
        assert len(names) == len(inputs), f"{where}: inputs {names}, {len(inputs)} expected"
        got = flattened(session.run(None, dict(zip(names, inputs))), outputs)
        assert len(got) == len(outputs), f"{where}: {len(got)} outputs, {len(outputs)} expected"
        for array, key in zip(got, outputs):
            dtype = key.split("/")[-1]
            assert_close(numpy.asarray(array), arrays[key], dtype, f"{where}, {key}", roundings)
