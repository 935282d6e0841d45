"""Operators in the root's own forward, before, between and after its children's."""

import torch
from torch import nn


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        return torch.tanh(self.linear(x))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.one = Layer()
        self.activation = nn.ReLU()
        self.two = Layer()
        self.unused = Layer()

    def forward(self, x):
        x = self.one(torch.sigmoid(x))
        x = self.two(torch.sigmoid(self.activation(x)))
        return torch.sigmoid(x + x)


def build():
    return Net(), (torch.randn(2, 4),)
