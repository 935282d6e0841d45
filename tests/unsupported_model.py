"""A model with operators that no ONNX model has. Line numbers count: EXPECTED names them."""

import torch
from torch import nn


class Airy(nn.Module):
    def forward(self, x):
        return torch.special.airy_ai(x)


class Exponential(nn.Module):
    def forward(self, x):
        return torch.linalg.matrix_exp(x)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.airy = Airy()
        self.exponential = Exponential()

    def forward(self, x):
        x = self.airy(self.airy(torch.relu(x)))
        return self.exponential(x)


# operator: module, line, how often
EXPECTED = {
    "aten::special_airy_ai": ("airy", 9, 2),
    "aten::linalg_matrix_exp": ("exponential", 14, 1),
}
