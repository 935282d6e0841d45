"""The test transformer: small enough to read, with every kind of module below it."""

import math

import torch
from torch import nn


class AttentionHead(nn.Module):
    """One head of scaled dot-product attention over [batch, sequence, width]."""

    def __init__(self, width: int):
        super().__init__()
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        query, key, value = self.query(x), self.key(x), self.value(x)
        scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))
        return torch.matmul(torch.softmax(scores, dim=-1), value)


class FeedForward(nn.Module):
    """Linear, ReLU, Linear."""

    def __init__(self, width: int, inner: int):
        super().__init__()
        self.up = nn.Linear(width, inner)
        self.relu = nn.ReLU()
        self.down = nn.Linear(inner, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.down(self.relu(self.up(x)))


class Block(nn.Module):
    """Attention and feed-forward, each with a residual and a LayerNorm."""

    def __init__(self, width: int):
        super().__init__()
        self.attention = AttentionHead(width)
        self.feed_forward = FeedForward(width, 4 * width)
        self.norm1 = nn.LayerNorm(width)
        self.norm2 = nn.LayerNorm(width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.norm1(x + self.attention(x))
        return self.norm2(x + self.feed_forward(x))


class Transformer(nn.Module):
    """Token ids [batch, sequence] to ten scores [batch, 10]."""

    def __init__(self, vocabulary: int = 1000, width: int = 64, blocks: int = 2, classes: int = 10):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.blocks = nn.ModuleList([Block(width) for _ in range(blocks)])
        self.head = nn.Linear(width, classes)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.embedding(tokens)
        for block in self.blocks:
            x = block(x)
        return self.head(x.mean(dim=1))


def transformer(width: int = 64, blocks: int = 2) -> nn.Module:
    """The test transformer, or a larger one of the same kind."""
    return Transformer(width=width, blocks=blocks)
