"""One module under two names, scripted: PyTorch writes two objects with the same weights to the
file, and calls both. Each has a tag of its own, and is an alias of the other."""

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
        self.first = Layer()
        self.second = self.first

    def forward(self, x):
        return self.second(torch.relu(self.first(x)))


def build():
    return Net(), (torch.randn(2, 4),)
