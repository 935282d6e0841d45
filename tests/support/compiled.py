"""Small TorchScript files that tests make on the spot."""

import importlib.util
import sys
from pathlib import Path

import torch

GOLDEN = Path(__file__).resolve().parents[1] / "golden"


def golden_module(case: str):
    """The make.py of a folder in tests/golden, as a module."""
    name = f"golden_{case}"
    specification = importlib.util.spec_from_file_location(name, GOLDEN / case / "make.py")
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module
    specification.loader.exec_module(module)
    return module


def save(net: torch.nn.Module, inputs: tuple, mode: str, path: Path) -> Path:
    """Traces or scripts a module and saves it."""
    net.eval()
    with torch.no_grad():
        if mode == "traced":
            compiled = torch.jit.trace(net, inputs, check_trace=False)
        else:
            compiled = torch.jit.script(net)
        torch.jit.save(compiled, str(path))
    return path


def input_flags(*inputs: tuple) -> list:
    """--input flags, by position, for tensors."""
    flags = []
    for tensor in inputs:
        dims = ",".join(map(str, tensor.shape))
        flags += ["--input", f":{str(tensor.dtype).removeprefix('torch.')}[{dims}]"]
    return flags
