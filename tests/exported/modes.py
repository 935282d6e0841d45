"""Which operators an eager run runs in which module: hooks tell."""

from contextlib import contextmanager

import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils._python_dispatch import TorchDispatchMode

# Operators that become one kind of ONNX node, whatever stands beside it.
COMPARED = {
    "tanh": "Tanh", "sigmoid": "Sigmoid", "relu": "Relu", "exp": "Exp", "sin": "Sin", "cos": "Cos",
    "_softmax": "Softmax", "_safe_softmax": "Softmax", "addmm": "MatMul", "mm": "MatMul", "bmm": "MatMul",
    "convolution": "Conv", "native_layer_norm": "LayerNormalization",
}


class Recorder(TorchDispatchMode):
    """Lists [kind of node, paths of the innermost module that was running]."""

    def __init__(self, net: nn.Module):
        super().__init__()
        self.names = {}
        for path, module in net.named_modules(remove_duplicate=False):
            self.names.setdefault(module, []).append(path)
        self.running, self.ran, self.hooks = [], [], []
        for module in self.names:
            self.hooks.append(module.register_forward_pre_hook(self.enter))
            self.hooks.append(module.register_forward_hook(self.leave))

    def enter(self, module, _):
        self.running.append(module)

    def leave(self, module, *_):
        assert self.running.pop() is module

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        name = getattr(function, "overloadpacket", function).__name__
        if name in COMPARED and self.running:
            self.ran.append((COMPARED[name], self.names[self.running[-1]]))
        return function(*args, **(kwargs or {}))


@contextmanager
def step_by_step():
    """Without operators that stand for whole modules."""
    fast = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        with sdpa_kernel(SDPBackend.MATH):
            yield
    finally:
        torch.backends.mha.set_fastpath_enabled(fast)


def record_run(net: nn.Module, args: tuple, kwargs: dict) -> list:
    recorder = Recorder(net)
    try:
        with torch.no_grad(), recorder:
            net(*args, **kwargs)
    except Exception:  # what no dispatch mode can follow: a branch of torch.cond
        return []
    finally:
        for hook in recorder.hooks:
            hook.remove()
    return recorder.ran
