"""ONNX Runtime's optimiser and its transformers tool recognise norms with residuals and activations; and symbolic shape
inference, which quantisers begin with, succeeds."""

import contextlib
import io
import logging
from collections import Counter

import onnx
import onnxruntime
from onnxruntime.transformers.fusion_options import FusionOptions
from onnxruntime.transformers.optimizer import optimize_model
from onnxruntime.quantization.shape_inference import quant_pre_process

from harness import case_for_each, exported, scratch, skip_unless, torchscript
from models.table import ALL
from numbers_check import check

# By onnxruntime.transformers, for the given model type: the expected counts are those in files of PyTorch's exporters.
# Each block has two norms, or three if it reads an encoder, and each but the first of a stack adds first. The first
# becomes EmbedLayerNormalization only if no Shape reads that norm.
TRANSFORMERS = {
    "bert-tiny-30522": ("bert", {"LayerNormalization": 1, "SkipLayerNormalization": 4, "BiasGelu": 2}),
    "distilbert": ("bert", {"EmbedLayerNormalization": 1, "SkipLayerNormalization": 6, "BiasGelu": 3}),
    "small-gpt2": ("gpt2", {"LayerNormalization": 1, "SkipLayerNormalization": 8, "FastGelu": 4}),
    "small-llama": ("gpt2", {"SimplifiedLayerNormalization": 1, "SkipSimplifiedLayerNormalization": 8}),
    "small-vit": ("vit", {"LayerNormalization": 1, "SkipLayerNormalization": 8, "BiasGelu": 4}),
    "small-t5": ("t5", {"SimplifiedLayerNormalization": 2, "SkipSimplifiedLayerNormalization": 15}),
    "small-bart": ("bart", {"EmbedLayerNormalization": 2, "SkipLayerNormalization": 15, "BiasGelu": 6}),
    "small-whisper": ("bart", {"LayerNormalization": 1, "SkipLayerNormalization": 16, "BiasGelu": 6, "Gelu": 2}),
}
# By the runtime's own optimiser.
RUNTIME = {
    "bert-tiny-30522": {"LayerNormalization": 1, "SkipLayerNormalization": 4, "BiasGelu": 2},
    "small-gpt2": {"LayerNormalization": 8, "SkipLayerNormalization": 1, "FastGelu": 4},
    "small-llama": {"SimplifiedLayerNormalization": 9, "QuickGelu": 4},
    "small-vit": {"LayerNormalization": 8, "SkipLayerNormalization": 1, "BiasGelu": 4},
    "small-t5": {"SimplifiedLayerNormalization": 17},
    "small-bart": {"LayerNormalization": 1, "SkipLayerNormalization": 16, "BiasGelu": 6, "FusedMatMul": 9},
    "small-whisper": {"LayerNormalization": 15, "SkipLayerNormalization": 2, "BiasGelu": 6, "Gelu": 2},
}

# small-gpt2 has a tied weight, which the runtime transposes.
SETTLED = [name for name in RUNTIME if name != "small-gpt2"]
LEVELS = onnxruntime.GraphOptimizationLevel

# Symbolic shape inference ends at BERT's attention mask, in files of PyTorch's exporters as well.
PREPARED = [name for name in TRANSFORMERS if name not in ("bert-tiny-30522", "distilbert")]


def counted(model: onnx.ModelProto, names) -> dict:
    found = Counter(node.op_type for node in model.graph.node)
    return {name: found[name] for name in names}


@contextlib.contextmanager
def quiet():
    logging.disable(logging.CRITICAL)
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            yield
    finally:
        logging.disable(logging.NOTSET)


@case_for_each(TRANSFORMERS)
def by_the_tool_for_transformers(name):
    skip_unless("PyTorch 2")
    kind, wanted = TRANSFORMERS[name]
    with quiet():
        fused = optimize_model(str(exported(ALL[name])), model_type=kind, opt_level=0,
                               optimization_options=FusionOptions(kind))
    assert counted(fused.model, wanted) == wanted, counted(fused.model, wanted)


def optimised(path, level) -> onnx.ModelProto:
    """What the runtime makes of a file at a level."""
    with scratch() as folder:
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = level
        options.optimized_model_filepath = str(folder / "optimised.onnx")
        options.log_severity_level = 3
        onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        return onnx.load(folder / "optimised.onnx")


@case_for_each(RUNTIME)
def by_the_runtime(name):
    skip_unless("PyTorch 2")
    found = counted(optimised(exported(ALL[name]), LEVELS.ORT_ENABLE_EXTENDED), RUNTIME[name])
    assert found == RUNTIME[name], found


@case_for_each(SETTLED)
def nothing_is_left_for_the_basic_level(name):
    """Where it changes anything, the runtime infers all types again."""
    skip_unless("PyTorch 2")
    path = exported(ALL[name])
    written, left = ([node.name for node in model.graph.node] for model in (
        onnx.load(path), optimised(path, LEVELS.ORT_ENABLE_BASIC)))
    assert set(written) == set(left), set(written) ^ set(left)


@case_for_each(PREPARED)
def by_what_goes_before_quantisation(name):
    """The resulting model is right, too."""
    model = ALL[name]
    skip_unless("PyTorch 2")
    with scratch() as folder:
        out = folder / "prepared.onnx"
        with quiet(), contextlib.chdir(folder):  # where it leaves files of its own
            quant_pre_process(str(exported(model)), str(out))
        check(out, torchscript(model), model)
