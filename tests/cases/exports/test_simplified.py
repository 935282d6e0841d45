"""After simplifiers, ONNX Runtime loads tagged models, with right results."""

import importlib
import logging

import onnx
import torch

from harness import INTO, ROOT, case_for_each, export, made_by, scratch, skip_unless
from numbers_check import LEVELS, assert_close, feed, reference, session

MAKER = ROOT / "tests" / "support" / "zero_bias_models.py"
ACTIVATIONS = ("elu", "hardsigmoid", "leaky-relu", "relu", "selu", "sigmoid", "softplus", "softsign", "tanh",
               "threshold")


def without_zeros(model: onnx.ModelProto) -> onnx.ModelProto:
    """Every simplifier treats an Add of zeros in this way."""
    zeros = {i.name for i in model.graph.initializer if not onnx.numpy_helper.to_array(i).any()}
    for node in [n for n in model.graph.node if n.op_type == "Add" and zeros & {*n.input}]:
        kept, = set(node.input) - zeros
        for reader in model.graph.node:
            reader.input[:] = [kept if name == node.output[0] else name for name in reader.input]
        model.graph.node.remove(node)
    return model


def by(module: str, function):
    """The same by a package."""
    def simplified(model: onnx.ModelProto) -> onnx.ModelProto:
        skip_unless("simplifiers")
        logging.disable(logging.WARNING)
        try:
            return function(importlib.import_module(module), model)
        finally:
            logging.disable(logging.NOTSET)
    return simplified


TOOLS = {
    "zeros": without_zeros,
    "onnxslim": by("onnxslim", lambda tool, model: tool.slim(model)),
    "onnxsim": by("onnxsim", lambda tool, model: tool.simplify(model)[0]),
    "onnxoptimizer": by("onnxoptimizer", lambda tool, model: tool.optimize(
        model, tool.get_fuse_and_elimination_passes())),
}


@case_for_each([(name, tool) for name in ACTIVATIONS for tool in TOOLS], name="/".join)
def zero_bias(row):
    """The runtime copies attributes of nodes fused into a product, and then rejects them."""
    name, tool = row
    pt = made_by((MAKER,), INTO) / f"{name}.pt"
    inputs = (torch.randn(3, 6, generator=torch.Generator().manual_seed(1)),)
    with scratch() as folder:
        out = folder / "model.onnx"
        export(pt, out)
        onnx.save(TOOLS[tool](onnx.load(out)), out)
        nodes = onnx.load(out).graph.node
        assert all(any(a.name == "__source_module" for a in node.attribute) for node in nodes)
        for level in LEVELS:
            assert_close(feed(session(out, level=level), inputs), reference(pt, inputs), level)
