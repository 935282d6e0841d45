"""Programs for the files in tests/exported/versions, which other versions of PyTorch wrote: small ones, with tensors of
each kind. Files name the places of their sources, so they are made from a copy of these:

    cp -r tests /tmp/tests
    cd /tmp/tests/exported && PYTHON make_programs.py INTO version_programs    with the PyTorch of that version
"""

import torch
from torch import nn

from memory_programs import Counter, Slices, Tied
from plain_programs import floats
from program import Program


class Norms(nn.Module):
    """Parameters, buffers and a counter, below two classes."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(6, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Linear(4, 3))
        self.layers[1].running_mean.add_(torch.randn(4))
        self.layers[1].running_var.add_(torch.rand(4))

    def forward(self, x):
        return self.layers(x)


class Constants(nn.Module):
    """Tensors of many dtypes that no state_dict has: non-persistent buffers, attributes, literals."""

    def __init__(self):
        super().__init__()
        self.register_buffer("index", torch.tensor([3, 0, 2]), persistent=False)
        self.register_buffer("mask", torch.tensor([True, False, True]), persistent=False)
        self.register_buffer("halves", torch.randn(3).half())
        self.register_buffer("brain", torch.randn(3).bfloat16())
        self.register_buffer("bytes", torch.tensor([255, 7, 0], dtype=torch.uint8))
        self.register_buffer("small", torch.tensor([-8, 7, 1], dtype=torch.int8))
        self.register_buffer("empty", torch.zeros(0, 3))
        self.weight = nn.Parameter(torch.randn(3, 5).t()[1:4], requires_grad=False)
        self.weight.kind = "with an attribute"
        self.plain = torch.randn(3, dtype=torch.float64)

    def forward(self, x):
        x = torch.where(self.mask, x[:, self.index], self.halves.float() + self.brain.float()) + torch.tensor([1.0, 2.0, 4.0])
        x = torch.cat((x @ self.weight, self.empty)) * self.bytes + self.small
        return x, {"double": x.double() + self.plain}


class Unsigned(nn.Module):
    """Has a tensor of a dtype without a storage class."""

    def __init__(self):
        super().__init__()
        self.register_buffer("shorts", torch.tensor([65535, 1, 0], dtype=torch.uint16))

    def forward(self, x):
        return x + self.shorts.float()


class Branch(nn.Module):
    def __init__(self):
        super().__init__()
        self.yes, self.no = nn.Linear(4, 4), nn.Linear(4, 4, bias=False)

    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda x: self.yes(x), lambda x: self.no(x).sin(), (x,)) + 1


ONE = ("plain",)
PROGRAMS = (
    Program("norms", Norms, floats(("b", 6)), ((2, 6), (3, 6), (5, 6)), modes=("plain", "decomposed"), twin=False),
    Program("constants", Constants, floats(("b", 4)), ((2, 6), (3, 6), (5, 6)), modes=ONE, twin=False),
    Program("unsigned", Unsigned, floats(("b", 3)), ((2, 6), (3, 6), (5, 6)), modes=ONE, twin=False),
    Program("branch", Branch, floats(("b", 4)), ((2, 6), (3, 6), (5, 6)), modes=ONE, twin=False),
    Program("tied", Tied, lambda b, s: (torch.randint(0, 11, (b, s)),), ((2, 6), (3, 5), (5, 9)), modes=ONE, twin=False),
    Program("slices", Slices, floats(("b", 8)), ((2, 6), (3, 6), (5, 6)), modes=ONE, twin=False),
    Program("counter", Counter, floats(("b", 6)), ((2, 6), (3, 6), (5, 6)), modes=("plain", "decomposed"), twin=False),
)
