"""ONNX Runtime computes the same of a file with functions and of the flat one."""

from pathlib import Path

import numpy
import onnx
import onnxruntime

from functions_files import Files

LEVELS = onnxruntime.GraphOptimizationLevel


def same(a, b) -> bool:
    """Bit for bit."""
    if isinstance(a, list) or isinstance(b, list):
        return isinstance(a, list) and isinstance(b, list) and len(a) == len(b) and all(map(same, a, b))
    if a is None or b is None:
        return a is b
    a, b = numpy.asarray(a), numpy.asarray(b)
    return a.dtype == b.dtype and a.shape == b.shape and (
        a.tobytes() == b.tobytes() if a.dtype != object else list(a.flat) == list(b.flat))


def computed(runner, given: dict) -> list | None:
    """The results; None if the model does not run, as libtorch may not at these sizes either."""
    try:
        return runner.run(None, given)
    except Exception:
        return None


def close(a, b) -> bool:
    """Equal up to rounding."""
    if isinstance(a, list) or a is None or numpy.asarray(a).dtype.kind != "f":
        return same(a, b)
    a, b = numpy.asarray(a), numpy.asarray(b)
    largest = max(numpy.abs(b[numpy.isfinite(b)]).max(initial=0), 1.0)
    return a.shape == b.shape and numpy.allclose(a, b, 1e-4, 1e-4 * largest, equal_nan=True)


def without_inner_types(files: Files) -> onnx.ModelProto:
    """The flat model with only those types of values that lie outside of functions."""
    model = onnx.ModelProto()
    model.CopyFrom(files.flat_model)
    outside = {info.name for info in files.model.graph.value_info}
    kept = [info for info in model.graph.value_info if info.name in outside]
    del model.graph.value_info[:]
    model.graph.value_info.extend(kept)
    return model


def session(path: Path, level) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = 1
    options.graph_optimization_level = level
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def check_numbers(files: Files, feeds: list) -> None:
    """ONNX Runtime computes the same, with optimisation off and on.

    ONNX Runtime forgets the types of values in functions, and some of its fusions need types. So without fusions it
    gets the flat file itself, and with them one without these types. Against the flat file itself, fused numbers are
    only compared up to rounding."""
    bare = files.folder / "flat" / "bare.onnx"
    onnx.save(without_inner_types(files), bare)
    for level, flat, are_same in ((LEVELS.ORT_DISABLE_ALL, files.flat, same),
                                  (LEVELS.ORT_ENABLE_BASIC, files.flat, same),
                                  (LEVELS.ORT_ENABLE_ALL, bare, same),
                                  (LEVELS.ORT_ENABLE_ALL, files.flat, close)):
        runners = [session(path, level) for path in (files.nested, flat)]
        names = [argument.name for argument in runners[1].get_inputs()]
        assert [argument.name for argument in runners[0].get_inputs()] == names
        for number, inputs in enumerate(feeds):
            given = {name: numpy.asarray(value) for name, value in zip(names, inputs)}
            mine, theirs = (computed(runner, given) for runner in runners)
            where = f"inputs {number}, {level.name}"
            assert (mine is None) == (theirs is None), f"{where}: one of the two does not run"
            assert theirs is not None or number > 0, f"{where}: it does not run"
            if theirs is None:
                continue
            assert len(mine) == len(theirs), f"{where}: {len(mine)} outputs"
            assert all(map(are_same, mine, theirs)), f"{where}: outputs differ"
