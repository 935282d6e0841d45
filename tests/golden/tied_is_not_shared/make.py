"""Modules that share some of their weights, or all of them in other places, or are of another
class, are no aliases; nor are those that view parts of one storage."""

import torch
from torch import nn


class Layer(nn.Module):
    def __init__(self, weight, bias):
        super().__init__()
        self.weight = nn.Parameter(weight)
        self.bias = nn.Parameter(bias)

    def forward(self, x):
        return torch.tanh(x * self.weight + self.bias)


class Other(Layer):
    pass


class Outer(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x):
        return torch.sigmoid(x)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        both = torch.randn(8)
        self.called = Layer(both[:4], both[4:])
        self.mixed = Layer(torch.randn(4), torch.randn(4))
        self.mixed.weight = self.called.weight
        self.turned = Layer(torch.randn(4), torch.randn(4))
        self.turned.weight, self.turned.bias = self.called.bias, self.called.weight
        self.other = Other(torch.randn(4), torch.randn(4))
        self.other.weight, self.other.bias = self.called.weight, self.called.bias
        self.outer = Outer(self.other)

    def forward(self, x):
        return self.outer(self.called(x))


def build():
    return Net(), (torch.randn(2, 4),)
