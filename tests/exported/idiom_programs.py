"""Idioms of published architectures."""

import torch
from torch import nn
from torch.nn import functional

from program import Program


class Chunk(nn.Module):
    """Sums within chunks of a padded sequence, one of which all sequences of the program fit into."""

    def forward(self, x):
        batch, steps, width = x.shape
        padded = functional.pad(x, (0, 0, 0, (64 - steps % 64) % 64))
        chunks = padded.reshape(batch, padded.shape[1] // 64, -1, width)
        last = chunks.cumsum(2)[:, :, -1:]
        rest = torch.arange(chunks.shape[2], device=x.device)[None, None, :, None] - 63
        y = (chunks * torch.exp(rest.clamp(max=0) / 64) + last).reshape(batch, -1, width)
        return y[:, :steps] / 8


class Chunked(nn.Module):
    def __init__(self):
        super().__init__()
        self.chunks = nn.ModuleList(Chunk() for _ in range(6))

    def forward(self, x):
        for chunk in self.chunks:
            x = x + chunk(x)
        return x


class Table(nn.Module):
    """Sets a buffer to its own value."""

    def __init__(self):
        super().__init__()
        self.register_buffer("table", torch.randn(20, 4), persistent=False)

    def forward(self, x):
        self.table = self.table.to(x.device)
        return x + self.table[: x.shape[1]]


PROGRAMS = (
    Program("chunked", Chunked, lambda b, s: (torch.randn(b, s, 4),), ((2, 8), (1, 5), (3, 13))),
    Program("table", Table, lambda b, s: (torch.randn(b, s, 4),)),
)
