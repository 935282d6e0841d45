"""A module that is called twice keeps its tag; the calls are distinguished by their number."""

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
        self.layer = Layer()

    def forward(self, x):
        return self.layer(torch.relu(self.layer(x)))


def build():
    return Net(), (torch.randn(2, 4),)
