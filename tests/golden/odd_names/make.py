"""Attribute names with bytes that a tag may not contain."""

import torch
from torch import nn

MODES = ("traced",)


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        return torch.tanh(self.linear(x))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.add_module("a/b", Layer())
        self.add_module("50%", Layer())
        self.add_module("a b", Layer())

    def forward(self, x):
        for layer in (getattr(self, name) for name in ("a/b", "50%", "a b")):
            x = layer(x)
        return x


def build():
    return Net(), (torch.randn(2, 4),)
