"""The root is a torch.nn class: it has a segment all the same."""

import torch
from torch import nn


class Layer(nn.Module):
    def forward(self, x):
        return torch.sigmoid(x)


def build():
    return nn.Sequential(nn.Linear(4, 4), nn.Tanh(), Layer(), nn.ReLU()), (torch.randn(2, 4),)
