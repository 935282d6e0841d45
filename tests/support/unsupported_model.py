"""A model with operators that ONNX cannot express. Line numbers matter, because EXPECTED names them."""

import torch
from torch import nn


class Factors(nn.Module):
    def forward(self, x):
        return torch.linalg.ldl_factor(x)[0]


class Exponential(nn.Module):
    def forward(self, x):
        return torch.linalg.matrix_exp(x)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.factors = Factors()
        self.exponential = Exponential()

    def forward(self, x):
        x = self.factors(self.factors(torch.relu(x)))
        return self.exponential(x)


# operator: module, line, how often
EXPECTED = {
    "aten::linalg_ldl_factor": ("factors", 9, 2),
    "aten::linalg_matrix_exp": ("exponential", 14, 1),
}
