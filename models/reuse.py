"""Modules that run more than once, and modules that the data selects."""

import torch
from torch import nn

from models.transformer import AttentionHead


class Adapter(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.down = nn.Linear(width, width // 4)
        self.up = nn.Linear(width // 4, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.up(torch.relu(self.down(x)))


class AdaptedLayer(nn.Module):
    """Its own attention, and an adapter shared with its neighbours."""

    def __init__(self, width: int, adapter: Adapter):
        super().__init__()
        self.attention = AttentionHead(width)
        self.adapter = adapter
        self.norm = nn.LayerNorm(width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.norm(x + self.adapter(self.attention(x)))


class Refiner(nn.Module):
    """Called several times by its parent."""

    def __init__(self, width: int):
        super().__init__()
        self.linear = nn.Linear(width, width)
        self.norm = nn.LayerNorm(width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.norm(x + torch.sigmoid(self.linear(x)))


class Reuse(nn.Module):
    """Like BERT: embeddings, layers and a pooler; the layers share one adapter, one module is called three times, and
    the pooler is a module in a Sequential."""

    def __init__(self, vocabulary: int, width: int):
        super().__init__()
        adapter = Adapter(width)
        self.embedding = nn.Embedding(vocabulary, width)
        self.layers = nn.ModuleList(AdaptedLayer(width, adapter) for _ in range(4))
        self.refiner = Refiner(width)
        self.pooler = nn.Sequential(Adapter(width), nn.Tanh())

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.embedding(tokens)
        for layer in self.layers:
            x = layer(x)
        for _ in range(3):
            x = self.refiner(x)
        return self.pooler(x[:, 0])


def reuse(vocabulary: int = 500, width: int = 32) -> nn.Module:
    return Reuse(vocabulary, width)


class BranchingLayer(nn.Module):
    """One of two branches, then a module in a loop with a data-dependent trip count."""

    def __init__(self, width: int):
        super().__init__()
        self.wide = Adapter(width)
        self.narrow = nn.Linear(width, width)
        self.step = Refiner(width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if bool(x.mean() > 0):
            y = self.wide(x)
        else:
            y = torch.tanh(self.narrow(x))
        count = int(y.abs().mean() * 2) + 1
        for _ in range(count):
            y = self.step(y)
        return x + y


class Branching(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.layers = nn.ModuleList([BranchingLayer(width) for _ in range(3)])
        self.head = nn.Linear(width, 5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


def branching(width: int = 32) -> nn.Module:
    """For scripting, since a trace would have only one branch."""
    return Branching(width)
