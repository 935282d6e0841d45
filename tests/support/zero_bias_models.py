"""Makes models of layers with a zero bias, before each activation that ONNX Runtime fuses into a product:
zero_bias_models.py FOLDER writes ACTIVATION.pt
"""

import sys
from pathlib import Path

import torch
from torch import nn

ACTIVATIONS = {
    "elu": nn.ELU(), "hardsigmoid": nn.Hardsigmoid(), "leaky-relu": nn.LeakyReLU(), "relu": nn.ReLU(),
    "selu": nn.SELU(), "sigmoid": nn.Sigmoid(), "softplus": nn.Softplus(), "softsign": nn.Softsign(),
    "tanh": nn.Tanh(), "threshold": nn.Threshold(1.0, 0.0),
}


class Layers(nn.Module):
    """A layer with a zero bias, a product plus zeros, and layers with a bias."""

    def __init__(self, activation):
        super().__init__()
        self.zero = nn.Linear(6, 8)
        nn.init.zeros_(self.zero.bias)
        self.weight = nn.Parameter(torch.randn(8, 8))
        self.offset = nn.Parameter(torch.zeros(8))
        self.full = nn.Linear(8, 5)
        self.activation = activation

    def forward(self, x):
        x = self.activation(self.zero(x))
        x = self.activation(x @ self.weight + self.offset)
        return self.activation(self.full(x))


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True)
    torch.manual_seed(0)
    for name, activation in ACTIVATIONS.items():
        torch.jit.trace(Layers(activation).eval(), torch.randn(3, 6)).save(str(folder / f"{name}.pt"))
