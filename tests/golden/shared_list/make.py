"""A ModuleList under two names, whose layers the program takes from the second: what is called has
the tag, and the list that they are called from is the list's."""

import torch
from torch import nn

MODES = ("scripted",)


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        return torch.tanh(self.linear(x))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.unused = nn.ModuleList(Layer() for _ in range(2))
        self.layers = self.unused

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return torch.relu(x)


def build():
    return Net(), (torch.randn(2, 4),)
