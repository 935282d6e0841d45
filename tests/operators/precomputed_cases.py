"""Linear algebra without a counterpart in ONNX: if it only depends on weights, it is computed at export."""

import torch
from torch import nn
from torch.nn.utils import parametrizations

from building import BATCH, Cases

CASES = Cases()
linalg = torch.linalg


class Weighted(nn.Module):
    """A function of a weight times the input."""

    def __init__(self, function, size: int, dtype=torch.float32):
        super().__init__()
        self.function = function
        self.weight = nn.Parameter(torch.randn(size, size, dtype=dtype))

    def forward(self, x):
        return x @ self.function(self.weight)


class Mixed(nn.Module):
    """A weight that is combined with an input before its factorisation."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(4, 4))

    def forward(self, x):
        return linalg.svdvals(self.weight + x)


class Orthogonal(nn.Module):
    """Two layers of one class, whose weights are recomputed in each call."""

    def __init__(self):
        super().__init__()
        self.first, self.last = (
            parametrizations.orthogonal(nn.Linear(6, 6), orthogonal_map="matrix_exp") for _ in range(2))

    def forward(self, x):
        return self.last(torch.relu(self.first(x)))


def definite(w):
    return w @ w.t() + torch.eye(len(w), dtype=w.dtype)


def halves(w):
    """Lists, several outputs, and readers of single ones."""
    values, vectors = linalg.eigh(definite(torch.cat(torch.split(w.t(), [1, 4], dim=1), dim=1)))
    return vectors[:, :2] @ linalg.matrix_exp(torch.diag(values[:2] / values.sum())) @ vectors[:, :2].t()


def add(name, function, size=5, dtype=torch.float32, **options):
    CASES.layer(name, lambda: Weighted(function, size, dtype), ((3, size), dtype), dynamic=BATCH, **options)


add("svdvals", lambda w: torch.diag(linalg.svdvals(w)))
add("svd", lambda w: linalg.svd(w)[2])
add("svd/old", lambda w: torch.svd(w)[0])
add("pinv", linalg.pinv)
add("matrix_rank", lambda w: w * linalg.matrix_rank(w[:, :3]))
add("matrix_norm/2", lambda w: w / linalg.matrix_norm(w, 2))
add("matrix_norm/nuc", lambda w: w / linalg.matrix_norm(w, "nuc"))
add("cond", lambda w: w / linalg.cond(definite(w)))
add("eigh", halves)
add("eigvalsh", lambda w: torch.diag(linalg.eigvalsh(w + w.t())))
add("eigvals", lambda w: torch.diag(linalg.eigvals(w).real))
add("ldl", lambda w: linalg.ldl_factor(w + w.t())[0])
add("lstsq", lambda w: linalg.lstsq(definite(w), w)[0])
add("matrix_exp", lambda w: torch.matrix_exp(w / 4), size=64)
add("matrix_exp/float64", torch.matrix_exp, dtype=torch.float64)
CASES.layer("orthogonal", Orthogonal, (3, 6), dynamic=BATCH)
CASES.call("refused/data", torch.matrix_exp, (4, 4), refused="libtorch adds terms")
CASES.layer("refused/mixed", Mixed, (4, 4), refused="it needs singular values")
