"""One module under three names, of which the program calls one: the others are its aliases. A gate without tensors has
no aliases, even if it is shared."""

import torch
from torch import nn

MODES = ("scripted",)


class Gate(nn.Module):
    def forward(self, x):
        return torch.sigmoid(x)


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(4, 4))
        self.register_buffer("shift", torch.randn(4))
        self.gate = Gate()

    def forward(self, x):
        return torch.tanh(self.gate(x @ self.weight + self.shift))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = Layer()
        self.middle = self.first
        self.last = self.first
        self.other = Layer()

    def forward(self, x):
        return self.other(torch.relu(self.middle(x)))


def build():
    return Net(), (torch.randn(2, 4),)
