"""Siblings of one class that are distinguished by names, one of them in a list, and one of another class."""

import torch
from torch import nn


class Scale(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(4))

    def forward(self, x):
        return torch.tanh(x * self.weight)


class Mix(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        return torch.sigmoid(self.linear(x))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.before = Scale()
        self.mix = Mix()
        self.after = Scale()
        self.more = nn.ModuleList([Scale()])

    def forward(self, x):
        x = self.after(self.mix(self.before(x)))
        for scale in self.more:
            x = scale(x)
        return x


def build():
    return Net(), (torch.randn(2, 4),)
