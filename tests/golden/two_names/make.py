"""One module under two names: the first in definition order is its path, the other an alias.

Compiled before it is assigned, so that the file has one object under both names.
"""

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
        shared = torch.jit.script(Layer())
        self.first = shared
        self.second = shared

    def forward(self, x):
        return self.second(torch.relu(self.first(x)))


def build():
    return Net(), (torch.randn(2, 4),)
