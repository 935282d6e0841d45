"""Makes TorchScript files that call the operators of operators.cpp.

Usage: make.py LIBRARY.so DIR   Run by the Python whose torch the library was built for.

Writes DIR/NAME.pt, and DIR/NAME.npz with x and what the program computes from it where that can be run.
"""

import sys
import warnings
from pathlib import Path

import numpy
import torch

warnings.filterwarnings("ignore")
torch.ops.load_library(sys.argv[1])
house = torch.ops.house


class Layer(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function
        self.bias = torch.nn.Parameter(torch.randn(6))

    def forward(self, x):
        return self.function(x, self.bias)


def changed(x, bias):
    y = x + bias
    house.negated_(y)
    return y * 2


FUNCTIONS = {
    "gelu": lambda x, bias: house.gelu(x + bias) * 2,
    "bias": lambda x, bias: house.bias_gelu(x, bias),
    "no_bias": lambda x, bias: house.bias_gelu(x, None),
    "float": lambda x, bias: house.quick_gelu(x, 1.5),
    "joined": lambda x, bias: house.joined([x, x * 2, -x], 1),
    "list_first": lambda x, bias: house.list_first([x, x], bias),
    "permuted": lambda x, bias: house.permuted(x, [1, 0]),
    "halves": lambda x, bias: house.halves(x, 1, 2),
    "positive": lambda x, bias: house.positive(x),
    "repeated": lambda x, bias: house.repeated(x, 3),
    "described": lambda x, bias: house.described(x, True, None, "fast", [0.5, 2.0], [3, 4]),
    "changed": changed,
}


class Doubled(torch.nn.Module):
    """Scripted, like the next ones, since the tracer would run it."""

    def forward(self, x):
        return torch.ops.house.doubled(x) + 1


class Counted(torch.nn.Module):
    def forward(self, x):
        return x * torch.ops.house.counted(x)


class RepeatedRows(torch.nn.Module):
    def forward(self, x):
        return torch.ops.house.repeated(x, x.size(0))


def main() -> None:
    folder = Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    x = torch.randn(2, 6)
    for name, function in FUNCTIONS.items():
        model = Layer(function).eval()
        with torch.no_grad():
            traced = torch.jit.trace(model, (x,), check_trace=False)
            outputs = model(x)
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        torch.jit.save(traced, str(folder / f"{name}.pt"))
        arrays = {f"output/{i}": output.numpy() for i, output in enumerate(outputs)}
        numpy.savez(folder / f"{name}.npz", x=x.numpy(), **arrays)
    scripted = {"doubled": Doubled(), "counted": Counted(), "repeated_rows": RepeatedRows()}
    for name, module in scripted.items():
        torch.jit.save(torch.jit.script(module), str(folder / f"{name}.pt"))


main()
