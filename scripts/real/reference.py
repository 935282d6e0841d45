"""libtorch's results of a case: a model that is loaded afresh, and called once or several times."""

import functools
from pathlib import Path

import torch

from models.make import flatten
from real.table import Case
from zoo import reference


class Model:
    """The module of a case, loaded from the file. Calls may change its state."""

    def __init__(self, path: Path, case: Case):
        self.root = torch.jit.load(str(path)).eval()
        self.path, self.case = path, case
        # ScriptModules have no get_submodule().
        module = functools.reduce(getattr, filter(None, case.module.split(".")), self.root)
        self.method = getattr(module, case.method)

    def parameters(self) -> int:
        return sum(parameter.numel() for parameter in self.root.parameters())

    def call(self, tensors: dict) -> list:
        """The outputs, flattened."""
        with torch.no_grad(), reference.unprofiled():
            found = self.method(**tensors, **self.case.numbers)
        return [tensor.numpy() for tensor in flatten(found)]

    def precise(self, tensors: dict) -> list | None:
        """The outputs in double precision; None if unknown: only for a forward() of tensors alone whose operators all
        accept doubles."""
        case = self.case
        if case.module or case.method != "forward" or case.numbers or case.calls > 1:
            return None
        return reference.precise_outputs(str(self.path), tuple(tensors.values()))
