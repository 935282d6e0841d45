"""The type of a sample with functions, and modules that samples share."""

from dataclasses import dataclass
from typing import Callable

import torch
from torch import nn

BATCH = 3  # when it is traced


@dataclass(frozen=True)
class Sample:
    """A model, its inputs, and its expected functions: calls in the main graph and in functions, by name; None if any
    are fine."""

    build: Callable
    functions: dict | None
    dims: tuple = (("batch", 4),)  # of each input
    mode: str = "traced"
    selectors: str = ""
    per_instance: bool = False

    def inputs(self, batch: int = BATCH) -> tuple:
        generator = torch.Generator().manual_seed(batch)
        shapes = [[batch if dim == "batch" else dim for dim in dims] for dims in self.dims]
        return tuple(torch.randn(shape, generator=generator) for shape in shapes)

    def flags(self) -> list:
        return [part for dims in self.dims for part in ("--input", ":float32[" + ",".join(
            f"batch={BATCH}" if dim == "batch" else str(dim) for dim in dims) + "]")]


SAMPLES = {}


def sample(functions: dict | None, **more):
    """Registers a class as a sample of its own name."""

    def register(build):
        SAMPLES[build.__name__] = Sample(build, functions, **more)
        return build

    return register


def in_package(package: str, name: str, base: type) -> type:
    """A class with this name and package."""
    return type(name, (base,), {"__module__": package})


class Block(nn.Module):
    def __init__(self, width: int = 4, wide: int = 8):
        super().__init__()
        self.up = nn.Linear(width, wide)
        self.down = nn.Linear(wide, width)

    def forward(self, x):
        return x + self.down(torch.relu(self.up(x)))


class Scale(nn.Module):
    def __init__(self, factor: float):
        super().__init__()
        self.factor = factor

    def forward(self, x):
        return torch.tanh(x * self.factor)


class Inner(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        return torch.sigmoid(self.linear(x))
