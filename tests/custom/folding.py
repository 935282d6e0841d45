"""Makes traced TorchScript files with norms behind convolutions, and with arithmetic on weights.

Usage: folding.py DIR   Run by the Python whose libtorch reads the files.

Writes DIR/NAME.pt, and DIR/NAME.npz with x and y of two calls, of one row and of three.
"""

import sys
import warnings
from pathlib import Path

import numpy
import torch
from torch import nn
from torch.nn import functional

warnings.filterwarnings("ignore")


class Chain(nn.Sequential):
    """Layers in sequence."""


class Shared(nn.Module):
    """One convolution followed by two norms."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Conv2d(3, 3, 1)
        self.first, self.second = nn.BatchNorm2d(3), nn.BatchNorm2d(3)

    def forward(self, x):
        return self.second(self.layer(self.first(self.layer(x))))


class Branching(nn.Module):
    """The norm's input has another reader."""

    def __init__(self):
        super().__init__()
        self.layer, self.norm = nn.Conv2d(3, 3, 1), nn.BatchNorm2d(3)

    def forward(self, x):
        y = self.layer(x)
        return y + self.norm(y)


class Outer(nn.Module):
    """The norm runs in another module than the layer, each of a separate class."""

    class Layer(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = nn.Conv2d(3, 4, 3)

        def forward(self, x):
            return self.inner(x)

    class Norm(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = nn.BatchNorm2d(4)

        def forward(self, x):
            return self.inner(x)

    def __init__(self):
        super().__init__()
        self.layer, self.norm = self.Layer(), self.Norm()

    def forward(self, x):
        return self.norm(self.layer(x))


class Arithmetic(nn.Module):
    """Weights that are normalised, scaled, and concatenated before use."""

    def __init__(self):
        super().__init__()
        self.conv = nn.utils.weight_norm(nn.Conv1d(3, 8, 3))
        self.linear = nn.utils.weight_norm(nn.Linear(8, 8))
        self.scale = nn.Parameter(torch.randn(8))
        self.frequencies = nn.Parameter(torch.rand(4))
        self.mixing = nn.Parameter(torch.randn(8, 8))
        self.register_buffer("mask", torch.ones(16, 16).tril())

    def forward(self, x):
        y = self.linear(self.conv(x).transpose(1, 2)) * self.scale.exp()
        angles = torch.outer(torch.arange(14).float(), self.frequencies)
        y = y + torch.cat([angles.sin(), angles.cos()], 1)
        y = y @ self.mixing.softmax(1).t()
        return y @ y.transpose(1, 2) + ((1 - self.mask) * -100.0)[:14, :14]


class Large(nn.Module):
    """A table that is larger than its operands."""

    def __init__(self):
        super().__init__()
        self.rows = nn.Parameter(torch.randn(1024))

    def forward(self, x):
        return x + torch.outer(self.rows, self.rows).sin()


class Embedded(nn.Module):
    """The table is scaled; another node reads the unscaled one."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(12, 4)

    def forward(self, x):
        ids = x.flatten(1).long() % 12
        scaled = functional.embedding(ids, self.table.weight * 2.0)
        return scaled @ self.table.weight.t()


PICTURE, LINE, ROW = (3, 9, 7), (3, 16), (6,)
MODELS = {
    "convolution": (PICTURE, lambda: Chain(nn.Conv2d(3, 8, 3, bias=False), nn.BatchNorm2d(8), nn.ReLU())),
    "biased": (PICTURE, lambda: Chain(nn.Conv2d(3, 6, 3, groups=3), nn.BatchNorm2d(6), nn.ReLU())),
    "line": (LINE, lambda: Chain(nn.Conv1d(3, 4, 3), nn.BatchNorm1d(4))),
    "transposed": (PICTURE, lambda: Chain(nn.ConvTranspose2d(3, 8, 3, stride=2), nn.BatchNorm2d(8))),
    "transposed-groups": (LINE, lambda: Chain(nn.ConvTranspose1d(3, 6, 3, groups=3), nn.BatchNorm1d(6))),
    "linear": (ROW, lambda: Chain(nn.Linear(6, 5), nn.BatchNorm1d(5), nn.Tanh())),
    "plain": (PICTURE, lambda: Chain(nn.Conv2d(3, 4, 1), nn.BatchNorm2d(4, affine=False))),
    "shared": (PICTURE, Shared),
    "branching": (PICTURE, Branching),
    "infinite": (PICTURE, lambda: Chain(nn.Conv2d(3, 4, 1), nn.BatchNorm2d(4))),
    "outer": (PICTURE, Outer),
    "arithmetic": (LINE, Arithmetic),
    "large": ((1, 1), Large),
    "embedded": (LINE, Embedded),
}


def settle(model: nn.Module, name: str) -> None:
    """Norms and biases that reveal omissions."""
    for norm in model.modules():
        if isinstance(norm, nn.modules.batchnorm._BatchNorm):
            norm.running_mean.normal_()
            norm.running_var.uniform_(0.5, 2)
            if norm.affine:
                nn.init.normal_(norm.weight)
                nn.init.normal_(norm.bias)
    if name == "infinite":
        model[1].running_var[1] = 0.0
        model[1].eps = 1e-60
        model[0].weight.data[2, 0] = 3e38
        model[1].weight.data[2] = 5.0


def main() -> int:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True)
    for name, (shape, make) in MODELS.items():
        torch.manual_seed(0)
        model = make().eval()
        settle(model, name)
        arrays = {}
        with torch.no_grad():
            compiled = torch.jit.trace(model, torch.randn(2, *shape))
            for rows in (1, 3):
                x = torch.randn(rows, *shape) * (1e-10 if name == "infinite" else 1)
                arrays[f"x{rows}"], arrays[f"y{rows}"] = x.numpy(), compiled(x).numpy()
        compiled.save(str(folder / f"{name}.pt"))
        numpy.savez(folder / f"{name}.npz", **arrays)
    return 0


if __name__ == "__main__":
    sys.exit(main())
