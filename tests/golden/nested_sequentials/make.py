"""Sequentials in a Sequential: their children's numbers repeat, and one class has distinct ones."""

import torch
from torch import nn


class Unit(nn.Module):
    def forward(self, x):
        return torch.tanh(x)


class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Sequential(Unit(), nn.Linear(4, 4), Unit())

    def forward(self, x):
        return torch.sigmoid(self.inner(x))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(
            nn.Sequential(Unit(), Gate()),
            nn.Sequential(Unit(), nn.Sequential(nn.Linear(4, 4), nn.ReLU()), Unit()),
        )

    def forward(self, x):
        return self.body(x)


def build():
    return Net(), (torch.randn(2, 4),)
