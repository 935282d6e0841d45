"""A model with operators that no ONNX model has. Line numbers count: EXPECTED names them."""

import torch
from torch import nn


class Bessel(nn.Module):
    def forward(self, x):
        return torch.special.bessel_j0(x)


class Exponential(nn.Module):
    def forward(self, x):
        return torch.linalg.matrix_exp(x)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.bessel = Bessel()
        self.exponential = Exponential()

    def forward(self, x):
        x = self.bessel(self.bessel(torch.relu(x)))
        return self.exponential(x)


# operator: module, line, how often
EXPECTED = {
    "aten::special_bessel_j0": ("bessel", 9, 2),
    "aten::linalg_matrix_exp": ("exponential", 14, 1),
}
