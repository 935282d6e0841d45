"""Makes modules whose objects are restored by __setstate__: restoring.py FOLDER.

Each NAME.pt has a NAME.npz beside it with the module's results for the input.
"""

import sys
from pathlib import Path
from typing import Dict, List, Optional, Tuple

import numpy
import torch
from torch import Tensor, nn


class Scaled(nn.Module):
    """A large weight that is changed in place while it is restored, and one that is computed."""

    def __init__(self):
        super().__init__()
        self.large = torch.arange(300 * 300, dtype=torch.float32).reshape(300, 300) / 1e4
        self.small = torch.ones(300)

    def forward(self, x):
        return x @ self.large + self.small

    @torch.jit.export
    def __getstate__(self) -> Tuple[Tensor, Tensor, bool]:
        return (self.large, self.small, self.training)

    @torch.jit.export
    def __setstate__(self, state: Tuple[Tensor, Tensor, bool]) -> None:
        self.large = state[0].mul_(0.5)
        self.small = state[1] + state[0].sum(0)
        self.training = state[2]


def ramp(steps: int) -> Tensor:
    values: List[float] = []
    for i in range(steps):
        if i % 2 == 0:
            values.append(float(i))
        else:
            values.append(-0.5 * i)
    return torch.tensor(values)


class Parts(nn.Module):
    """Lists, dicts, options, strings, loops, branches, and calls of functions and methods."""

    tables: Dict[str, Tensor]
    sizes: List[int]
    bias: Optional[Tensor]

    def __init__(self):
        super().__init__()
        self.tables = {"a": torch.ones(4), "b": torch.zeros(4)}
        self.sizes = [1, 2]
        self.bias = None
        self.mode = "sum"

    def forward(self, x):
        for name, table in self.tables.items():
            x = x * (table + 1.0)
        bias = self.bias
        if bias is not None:
            x = x + bias
        if self.mode == "sum,more":
            x = x + self.sizes[2]
        return x

    @torch.jit.export
    def grown(self, sizes: List[int]) -> List[int]:
        return sizes + [len(sizes) * 5]

    @torch.jit.export
    def __getstate__(self) -> Tuple[Dict[str, Tensor], List[int], Optional[Tensor], str, bool]:
        return (self.tables, self.sizes, self.bias, self.mode, self.training)

    @torch.jit.export
    def __setstate__(
        self, state: Tuple[Dict[str, Tensor], List[int], Optional[Tensor], str, bool]
    ) -> None:
        self.tables = {}
        for name, table in state[0].items():
            self.tables[name + "_"] = table + ramp(4)
        self.sizes = self.grown(state[1])
        bias = state[2]
        if bias is None:
            bias = torch.full([4], 0.25)
        self.bias = bias
        self.mode = ",".join([state[3], "more"])
        self.training = state[4]


class Around(nn.Module):
    """A restored module below an ordinary one, and an input that both see."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(300, 300)
        self.second = Scaled()

    def forward(self, x):
        return self.second(self.first(x))


class Plain(nn.Module):
    """The one whose __setstate__ is replaced by the tests."""

    def __init__(self):
        super().__init__()
        self.weight = torch.ones(4)
        self.count = 3

    def forward(self, x):
        return x * self.weight + self.count

    @torch.jit.export
    def __getstate__(self) -> Tuple[Tensor, int, bool]:
        return (self.weight, self.count, self.training)

    @torch.jit.export
    def __setstate__(self, state: Tuple[Tensor, int, bool]) -> None:
        self.weight = state[0]
        self.count = state[1]
        self.training = state[2]


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    for name, module, width in (("scaled", Scaled(), 300), ("parts", Parts(), 4),
                                ("around", Around(), 300), ("plain", Plain(), 4)):
        scripted = torch.jit.script(module.eval())
        scripted.save(str(folder / f"{name}.pt"))
        x = torch.randn(2, width)
        with torch.no_grad():
            wanted = torch.jit.load(str(folder / f"{name}.pt"))(x)
        numpy.savez(folder / f"{name}.npz", x=x.numpy(), wanted=wanted.numpy())


main()
