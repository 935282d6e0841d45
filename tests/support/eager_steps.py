"""Operators whose module an eager run reveals, and the context in which modules run operator by operator."""

from contextlib import contextmanager

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

# Operators that become one kind of ONNX node, whatever its neighbours.
COMPARED = {
    "tanh": "Tanh", "sigmoid": "Sigmoid", "relu": "Relu", "exp": "Exp", "sin": "Sin", "cos": "Cos",
    "_softmax": "Softmax", "_safe_softmax": "Softmax", "addmm": "MatMul", "mm": "MatMul", "bmm": "MatMul",
    "convolution": "Conv", "native_layer_norm": "LayerNormalization",
}


@contextmanager
def step_by_step():
    """Runs modules without operators that compute whole modules at once."""
    fast = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        with sdpa_kernel(SDPBackend.MATH):
            yield
    finally:
        torch.backends.mha.set_fastpath_enabled(fast)
