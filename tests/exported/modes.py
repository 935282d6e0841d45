"""The module of each operator of an eager run, by hooks."""

import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

from eager_steps import COMPARED


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


def record_run(net: nn.Module, args: tuple, kwargs: dict) -> list:
    recorder = Recorder(net)
    try:
        with torch.no_grad(), recorder:
            net(*args, **kwargs)
    except Exception:  # code that no dispatch mode can follow: a branch of torch.cond
        return []
    finally:
        for hook in recorder.hooks:
            hook.remove()
    return recorder.ran
