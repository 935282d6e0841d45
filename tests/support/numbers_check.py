"""Compares numbers of ONNX Runtime with those of libtorch for the same inputs."""

import functools

import numpy
import onnx
import onnxruntime
import torch
from onnx import helper

from models.make import example_inputs, flatten

TOLERANCE_ABSOLUTE = 1e-4
TOLERANCE_RELATIVE = 1e-3


# The levels of ONNX Runtime's optimiser.
LEVELS = ("DISABLE_ALL", "ENABLE_BASIC", "ENABLE_EXTENDED", "ENABLE_ALL")


def session(path, optimised: bool = True, level: str = "") -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.intra_op_num_threads = 1
    level = level or LEVELS[-1 if optimised else 0]
    options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, f"ORT_{level}")
    model = path if isinstance(path, bytes) else str(path)
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def every_tensor(path, feeds: dict) -> dict:
    """What the nodes of a model compute without optimisation, by name."""
    model = onnx.load(path)
    names = [name for node in model.graph.node for name in node.output if name]
    del model.graph.output[:]
    model.graph.output.extend(helper.make_empty_tensor_value_info(name) for name in names)
    return dict(zip(names, session(model.SerializeToString(), optimised=False).run(names, feeds)))


@functools.lru_cache(maxsize=1)
def loaded(path: str) -> torch.jit.ScriptModule:
    return torch.jit.load(path).eval()


def reference(pt, inputs: tuple) -> list:
    """The outputs of the TorchScript file, flattened."""
    with torch.no_grad():
        return [tensor.numpy() for tensor in flatten(loaded(str(pt))(*inputs))]


def feed(runner: onnxruntime.InferenceSession, inputs: tuple) -> list:
    names = [argument.name for argument in runner.get_inputs()]
    assert len(names) == len(inputs), f"inputs {names}, {len(inputs)} expected"
    return runner.run(None, {name: tensor.numpy() for name, tensor in zip(names, inputs)})


def assert_close(got: list, wanted: list, where: str) -> None:
    assert len(got) == len(wanted), f"{where}: {len(got)} outputs, {len(wanted)} expected"
    for number, (a, b) in enumerate(zip(got, wanted)):
        assert a.shape == b.shape, f"{where}, output {number}: {a.shape}, not {b.shape}"
        assert a.dtype == b.dtype, f"{where}, output {number}: {a.dtype}, not {b.dtype}"
        if a.dtype.kind != "f":
            assert numpy.array_equal(a, b), f"{where}, output {number}: values differ"
            continue
        with numpy.errstate(invalid="ignore"):  # of infinities
            error = numpy.abs(a - b)
        close = (a == b) | (error <= TOLERANCE_ABSOLUTE) | (error <= TOLERANCE_RELATIVE * numpy.abs(b))
        assert close.all(), f"{where}, output {number}: off by up to {error.max():.3g}"


def check(path, pt, model, optimised: bool = True) -> None:
    """Compares at the traced sizes and at all other sizes in the table."""
    runner = session(path, optimised)
    for sizes in (model.traced, *model.others):
        inputs = example_inputs(model, sizes, seed=23)
        where = f"{model.name} at {sizes}" + ("" if optimised else ", not optimised")
        assert_close(feed(runner, inputs), reference(pt, inputs), where)
