"""Makes TorchScript files in training mode, and the same after eval().

Usage: training.py DIR   Run by the Python whose libtorch reads the files.

Writes DIR/NAME-MODE.pt and DIR/NAME-MODE.eval.pt, and DIR/NAME.npz with x and what eval() computes of it.
"""

import sys
import warnings
from pathlib import Path

import numpy
import torch
from torch import nn
from torch.nn import functional

warnings.filterwarnings("ignore")


class Depth(nn.Module):
    """Stochastic depth, as in torchvision and timm: whole rows are dropped."""

    def __init__(self, kept: float):
        super().__init__()
        self.kept = kept

    def forward(self, x):
        if not self.training:
            return x
        noise = torch.empty([x.shape[0], 1, 1, 1], dtype=x.dtype).bernoulli_(self.kept)
        return x * noise.div_(self.kept)


class FlooredDepth(Depth):
    """The same as in transformers."""

    def forward(self, x):
        if not self.training:
            return x
        noise = self.kept + torch.rand([x.shape[0], 1, 1, 1], dtype=x.dtype)
        noise.floor_()
        return x.div(self.kept) * noise


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.convolution = nn.Conv2d(3, 3, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(3)
        self.depth = Depth(0.8)
        self.floored = FlooredDepth(0.7)

    def forward(self, x):
        y = torch.relu(self.norm(self.convolution(x)))
        return x + self.depth(y) + self.floored(y)


class Dropouts(nn.Module):
    def __init__(self):
        super().__init__()
        self.all = nn.ModuleList([nn.Dropout(0.5), nn.Dropout2d(0.5), nn.AlphaDropout(0.5),
                                  nn.FeatureAlphaDropout(0.5), nn.RReLU(), nn.Dropout(1.0)])

    def forward(self, x):
        for layer in self.all:
            x = layer(x) + 1
        return functional.dropout(x * 2, 0.5, self.training, inplace=True)


class Norms(nn.Module):
    """Running statistics, of a mean of all batches, too; without any, those of the batch stay."""

    def __init__(self):
        super().__init__()
        self.all = nn.Sequential(nn.BatchNorm2d(3), nn.BatchNorm2d(3, momentum=None),
                                 nn.InstanceNorm2d(3, affine=True, track_running_stats=True),
                                 nn.BatchNorm2d(3, track_running_stats=False), nn.InstanceNorm2d(3))

    def forward(self, x):
        return self.all(x)


class Shared(nn.Module):
    """One norm that is called twice counts twice."""

    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm2d(3)

    def forward(self, x):
        return self.norm(torch.relu(self.norm(x)))


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(4, 5, 2, dropout=0.5)
        self.gru = nn.GRU(5, 3, 2, dropout=0.5, bidirectional=True)

    def forward(self, x):
        return self.gru(self.lstm(x)[0])[0]


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.MultiheadAttention(4, 2, dropout=0.3)

    def forward(self, x):
        return self.inner(x, x, x)[0]


class Branches(nn.Module):
    """A branch on the flag, in a module that is called twice."""

    def __init__(self):
        super().__init__()
        self.block = Block()

    def forward(self, x):
        if self.training:
            x = x + torch.randn_like(x)
        return self.block(self.block(x))


class Literal(nn.Module):
    """Draws numbers after eval(), too."""

    def forward(self, x):
        return functional.dropout(x, 0.5, True)


IMAGE, STEPS = (2, 3, 6, 6), (7, 2, 4)
MODELS = {
    "block": (Block, IMAGE, ("traced", "scripted")),
    "dropouts": (Dropouts, IMAGE, ("traced", "scripted")),
    "norms": (Norms, IMAGE, ("traced", "scripted")),
    "shared": (Shared, IMAGE, ("traced", "scripted")),
    "recurrent": (Recurrent, STEPS, ("traced", "scripted")),
    "attention": (Attention, STEPS, ("traced",)),
    "branches": (Branches, IMAGE, ("scripted",)),
    "literal": (Literal, STEPS, ("traced", "scripted")),
}


def compiled(net, x, mode: str):
    with torch.no_grad():
        return torch.jit.trace(net, x, check_trace=False) if mode == "traced" else torch.jit.script(net)


def make(name: str, folder: Path) -> None:
    torch.manual_seed(3)
    maker, dims, modes = MODELS[name]
    x, net = torch.randn(dims), maker()
    with torch.no_grad():
        net.train()(x)  # so that statistics are not the initial ones
    for mode in modes:
        kept = {key: value.clone() for key, value in net.state_dict().items()}
        for ending, is_training in (("", True), (".eval", False)):
            net.load_state_dict(kept)
            program = compiled(net.train(is_training), x, mode)
            net.load_state_dict(kept)  # which tracing updated
            program.save(str(folder / f"{name}-{mode}{ending}.pt"))
    with torch.no_grad():
        numpy.savez(folder / f"{name}.npz", x=x.numpy(), y=net.eval()(x).numpy())


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name in MODELS:
        make(name, folder)


main()
