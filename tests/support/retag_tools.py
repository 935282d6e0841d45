"""Other tools' versions of our models: those that come with ONNX Runtime, and others if installed."""

import importlib

import numpy
import onnx
import onnxruntime

SIZES = {"batch": 2, "sequence": 8, "rows": 3, "height": 64, "width": 64}
DTYPES = {"tensor(int64)": numpy.int64, "tensor(float)": numpy.float32}


def feed(file) -> dict:
    session = onnxruntime.InferenceSession(str(file), providers=["CPUExecutionProvider"])
    made = numpy.random.default_rng(0)
    found = {}
    for taken in session.get_inputs():
        shape = [SIZES.get(dim, 2) if isinstance(dim, str) else dim for dim in taken.shape]
        dtype = DTYPES[taken.type]
        found[taken.name] = (made.standard_normal(shape) if dtype is numpy.float32
                             else made.integers(0, 2, shape)).astype(dtype)
    return found


class Feeds:
    """A data reader of the quantiser."""

    def __init__(self, file):
        self.left = [feed(file)]

    def get_next(self):
        return self.left.pop() if self.left else None


def at_level(level: str):
    def make(file, out) -> None:
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        options.optimized_model_filepath = str(out)
        options.graph_optimization_level = getattr(onnxruntime.GraphOptimizationLevel, f"ORT_{level}")
        onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
    return make


def dynamic(file, out) -> None:
    importlib.import_module("onnxruntime.quantization").quantize_dynamic(str(file), str(out))


def static(form: str):
    def make(file, out) -> None:
        quantization = importlib.import_module("onnxruntime.quantization")
        quantization.quantize_static(str(file), str(out), Feeds(file),
                                     quant_format=quantization.QuantFormat[form])
    return make


def four_bits(file, out) -> None:
    module = importlib.import_module("onnxruntime.quantization.matmul_nbits_quantizer")
    quantizer = module.MatMulNBitsQuantizer(onnx.load(file), block_size=32)
    quantizer.process()
    onnx.save(quantizer.model.model, out)


def half(module: str, keep: bool):
    """ONNX Runtime appends new nodes at the end, wherever they are read, and sorts them itself."""
    def make(file, out) -> None:
        convert = importlib.import_module(module).convert_float_to_float16
        onnx.save(convert(onnx.load(file), keep_io_types=keep), out)
    return make


def transformers(file, out) -> None:
    optimizer = importlib.import_module("onnxruntime.transformers.optimizer")
    made = optimizer.optimize_model(str(file), model_type="bert", opt_level=0, num_heads=0, hidden_size=0)
    made.save_model_to_file(str(out))


def slim(file, out) -> None:
    onnx.save(importlib.import_module("onnxslim").slim(onnx.load(file)), out)


def simplify(file, out) -> None:
    made, is_right = importlib.import_module("onnxsim").simplify(onnx.load(file))
    assert is_right
    onnx.save(made, out)


RUNTIME = {
    "basic": at_level("ENABLE_BASIC"), "extended": at_level("ENABLE_EXTENDED"), "all": at_level("ENABLE_ALL"),
    "dynamic": dynamic, "qdq": static("QDQ"), "qoperator": static("QOperator"), "four-bits": four_bits,
    "float16": half("onnxruntime.transformers.float16", True),
    "float16-all": half("onnxruntime.transformers.float16", False),
    "transformers": transformers,
}
OTHERS = {  # by the required package
    "onnxslim": slim, "onnxsim": simplify,
    "onnxconverter_common": half("onnxconverter_common.float16", True),
}
