"""Two lists of one class: both have a child named 0."""

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
        self.down = nn.ModuleList([Layer(), Layer()])
        self.up = nn.ModuleList([Layer(), Layer()])

    def forward(self, x):
        for layer in self.down:
            x = layer(x)
        for layer in self.up:
            x = layer(x)
        return x


def build():
    return Net(), (torch.randn(2, 4),)
