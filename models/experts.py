"""A decoder whose layers choose among experts, each a separate module: every expert sees all tokens, and a token's two
best ones count."""

import torch
from torch import nn


class Attention(nn.Module):
    """Causal attention of several heads."""

    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.output = nn.Linear(width, width)

    def split(self, x: torch.Tensor) -> torch.Tensor:
        return x.view(x.size(0), x.size(1), self.heads, -1).transpose(1, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        query, key, value = (self.split(f(x)) for f in (self.query, self.key, self.value))
        scores = query @ key.transpose(-2, -1) / query.size(-1) ** 0.5
        later = torch.ones(x.size(1), x.size(1), dtype=torch.bool).triu(1)
        mixed = torch.softmax(scores.masked_fill(later, -1e4), -1) @ value
        return self.output(mixed.transpose(1, 2).reshape(x.shape))


class Expert(nn.Module):
    """A gated feed-forward network."""

    def __init__(self, width: int, inner: int):
        super().__init__()
        self.gate = nn.Linear(width, inner, bias=False)
        self.up = nn.Linear(width, inner, bias=False)
        self.down = nn.Linear(inner, width, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.down(nn.functional.silu(self.gate(x)) * self.up(x))


class Mixture(nn.Module):
    """Experts, weighted for each token by a router."""

    def __init__(self, width: int, experts: int):
        super().__init__()
        self.router = nn.Linear(width, experts, bias=False)
        self.experts = nn.ModuleList(Expert(width, 2 * width) for _ in range(experts))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        best, chosen = torch.topk(torch.softmax(self.router(x), -1), 2)
        result = torch.zeros_like(x)
        for number, expert in enumerate(self.experts):
            weight = torch.where(chosen == number, best, torch.zeros_like(best)).sum(-1, True)
            result = result + weight * expert(x)
        return result


class DecoderLayer(nn.Module):
    def __init__(self, width: int, heads: int, experts: int):
        super().__init__()
        self.attention_norm = nn.LayerNorm(width)
        self.attention = Attention(width, heads)
        self.mixture_norm = nn.LayerNorm(width)
        self.mixture = Mixture(width, experts)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.attention(self.attention_norm(x))
        return x + self.mixture(self.mixture_norm(x))


class Decoder(nn.Module):
    """Token ids [batch, sequence] to scores of the next tokens."""

    def __init__(self, vocabulary: int, width: int, layers: int, heads: int, experts: int):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.layers = nn.ModuleList(DecoderLayer(width, heads, experts) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        x = self.embedding(tokens)
        for layer in self.layers:
            x = layer(x)
        return self.head(self.norm(x))


def decoder(
    vocabulary: int = 500, width: int = 32, layers: int = 3, heads: int = 4, experts: int = 4
) -> nn.Module:
    return Decoder(vocabulary, width, layers, heads, experts)
