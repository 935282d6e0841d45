"""An encoder under two names with layers below it: they are twins as it is. The file calls it by the
name that the tracer met last."""

import torch
from torch import nn

MODES = ("traced",)


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(4)

    def forward(self, x):
        return torch.tanh(self.norm(x))


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(Layer() for _ in range(2))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return torch.relu(x)


class Decoder(nn.Module):
    def __init__(self, encoder):
        super().__init__()
        self.encoder = encoder

    def forward(self, x):
        return torch.sigmoid(x)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = Encoder()
        self.decoder = Decoder(self.encoder)

    def forward(self, x):
        return self.decoder(self.encoder(x))


def build():
    return Net(), (torch.randn(2, 4),)
