"""A forward that reads its child's weight without calling the child."""

import torch
from torch import nn


class Table(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(4, 4))

    def forward(self, x):
        return torch.tanh(torch.matmul(x, self.weight))


class Pair(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = Table()

    def forward(self, x):
        return torch.sigmoid(torch.matmul(self.table(x), self.table.weight))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.pair = Pair()

    def forward(self, x):
        return torch.relu(self.pair(x))


def build():
    return Net(), (torch.randn(2, 4),)
