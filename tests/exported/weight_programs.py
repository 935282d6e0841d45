"""Programs with arithmetic on weights, which is folded without libtorch."""

import math

import torch
from torch import nn
from torch.nn import functional
from torch.nn.utils import parametrizations

from plain_programs import STEPS, Recurrent, floats
from program import Program

SOME = ("plain", "decomposed")
ONE = ("plain",)


def rows(b, s):
    return (torch.randn(b, 6),)


def pictures(b, s):
    return (torch.randn(b, 3, 8, 8),)


class Normed(nn.Module):
    """weight_norm of a layer and of a convolution, along other axes."""

    def __init__(self):
        super().__init__()
        self.line = parametrizations.weight_norm(nn.Linear(6, 12))
        self.conv = parametrizations.weight_norm(nn.Conv1d(3, 5, 2), dim=1)

    def forward(self, x):
        return self.conv(self.line(x).reshape(-1, 3, 4))


class Spectral(nn.Module):
    def __init__(self):
        super().__init__()
        self.line = parametrizations.spectral_norm(nn.Linear(6, 9))
        self.conv = parametrizations.spectral_norm(nn.Conv1d(3, 4, 2))

    def forward(self, x):
        return self.conv(self.line(x).reshape(-1, 3, 3))


class Scaled(nn.Module):
    """An embedding with a scaled table, and a weight that is cast, sliced and concatenated."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(11, 6)
        self.narrow = nn.Parameter(torch.randn(6, 8).to(torch.bfloat16))

    def forward(self, x):
        ids = x.abs().to(torch.int64) % 11
        table = self.table.weight * math.sqrt(6) + torch.arange(6, dtype=torch.float32) / 10
        weight = torch.cat([self.narrow[:, :3].float().neg(), self.narrow[:, 3:].float().sqrt().nan_to_num(0.5)], 1)
        return functional.embedding(ids, table) @ weight


class Rotary(nn.Module):
    """Tables of angles, computed from frequencies."""

    def __init__(self):
        super().__init__()
        self.register_buffer("frequencies", 1.0 / 10000 ** (torch.arange(0, 4, 2) / 4), persistent=False)
        self.inner = nn.Linear(6, 4)

    def forward(self, x):
        angles = torch.arange(16).float()[:, None] * self.frequencies
        angles = torch.cat([angles, angles], -1)
        y = self.inner(x)[:, None]
        turned = torch.cat([-y[..., 2:], y[..., :2]], -1)
        return y * angles.cos() + turned * angles.sin()


class Sines(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("frequencies", torch.rand(4))

    def forward(self):
        return (torch.arange(6).unsqueeze(1) * self.frequencies).sin()


class Turned(nn.Module):
    def forward(self, x, by):
        return x * by


class HandedOn(nn.Module):
    """What one module computes of its buffer, and another one reads."""

    def __init__(self):
        super().__init__()
        self.sines, self.turned, self.scaled = Sines(), Turned(), nn.Linear(4, 4)

    def forward(self, x):
        return self.turned(self.scaled(x), self.sines())


class Padded(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("padding", torch.tensor(2))

    def forward(self, x):
        before = self.padding.item()
        torch._check(before >= 0)
        return functional.pad(x, (before, 0))


class Counted(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.randn(1, 1))

    def forward(self, x):
        return torch.tanh(x) * self.scale * torch.arange(x.shape[1])


class HandedSizes(nn.Module):
    """A size made of one module's number, and asked by another one."""

    def __init__(self):
        super().__init__()
        self.padded, self.counted = Padded(), Counted()

    def forward(self, x):
        return self.counted(self.padded(x))


class Causal(nn.Module):
    """A mask that depends only on sizes."""

    def forward(self, x):
        scores = x[:, :, None] * x[:, None]
        places = torch.arange(6)
        mask = (places[None] <= places[:, None]) & ((places[:, None] - places[None]) % 4 != 3)
        bias = torch.zeros(6, 6).masked_fill(~mask, float("-inf"))
        return torch.softmax(scores + bias, -1) + torch.ones(6, 6).tril(-1)


class Layers(nn.Module):
    """A norm after a layer."""

    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(3, 4, 3, bias=False), nn.BatchNorm2d(4)
        self.norm.running_mean.uniform_(-1, 1)
        self.norm.running_var.uniform_(0.5, 2)

    def forward(self, x):
        return torch.tanh(self.norm(self.conv(x)))


class Large(nn.Module):
    """What stays in the graph: 4 MB computed from 4 kB, and what only runtimes compute."""

    def __init__(self):
        super().__init__()
        self.row, self.column = nn.Parameter(torch.randn(1024)), nn.Parameter(torch.randn(1024, 1))

    def forward(self, x):
        row = functional.interpolate(self.row[None, None, :8], size=3, mode="linear")
        return x.sum() * torch.sin(self.row * self.column) + row.sum()


# Values that depend only on integers i, floats f, halves h and booleans m, by every kernel.
EXPRESSIONS = (
    lambda i, f, h, m: i + 3, lambda i, f, h, m: i - i.flip(0), lambda i, f, h, m: i * i,
    lambda i, f, h, m: i.abs() // 3, lambda i, f, h, m: i % 3, lambda i, f, h, m: torch.fmod(i, 3),
    lambda i, f, h, m: torch.maximum(i, -i), lambda i, f, h, m: i.clamp(-2, 3), lambda i, f, h, m: i.sign(),
    lambda i, f, h, m: i ** 2, lambda i, f, h, m: i.float(), lambda i, f, h, m: i.to(torch.int32) * 2,
    lambda i, f, h, m: (i < 2) | (i == 3), lambda i, f, h, m: ~m ^ (i >= 1), lambda i, f, h, m: m & (i != 0),
    lambda i, f, h, m: i.cumsum(1), lambda i, f, h, m: i.sum(0), lambda i, f, h, m: i.amax(1), lambda i, f, h, m: i.prod(1),
    lambda i, f, h, m: i[1:, ::2], lambda i, f, h, m: i.t(), lambda i, f, h, m: i.repeat(2, 3),
    lambda i, f, h, m: i[:, None].expand(3, 2, 4), lambda i, f, h, m: torch.where(m, i, 7),
    lambda i, f, h, m: i.gather(1, i.abs() % 4), lambda i, f, h, m: i[:, [3, 0]], lambda i, f, h, m: i.roll(1, 1),
    lambda i, f, h, m: functional.pad(i, (1, 2), value=5), lambda i, f, h, m: i.tril(), lambda i, f, h, m: i.triu(1),
    lambda i, f, h, m: torch.stack(i.split(2, 1)), lambda i, f, h, m: i.flatten().unsqueeze(0),
    lambda i, f, h, m: f + f.t().reshape(3, 4), lambda i, f, h, m: f / (f - 9), lambda i, f, h, m: 1 / f,
    lambda i, f, h, m: f.abs().sqrt(), lambda i, f, h, m: f.floor() + f.ceil() + f.round() + f.trunc(),
    lambda i, f, h, m: f.exp(), lambda i, f, h, m: f.abs().log(), lambda i, f, h, m: f.sin() + f.cos() * f.tan(),
    lambda i, f, h, m: f.tanh() + f.sigmoid() + f.erf(), lambda i, f, h, m: f.asinh() + f.atan() + f.sinh() + f.cosh(),
    lambda i, f, h, m: f.tanh().acos() + f.tanh().asin() + f.tanh().atanh() + (f.abs() + 1).acosh(),
    lambda i, f, h, m: f.relu() - functional.softplus(f), lambda i, f, h, m: f.abs() ** 1.5,
    lambda i, f, h, m: f.clamp(min=-0.3), lambda i, f, h, m: f.isnan() | (f > 0.2), lambda i, f, h, m: f.rsqrt().isnan(),
    lambda i, f, h, m: f.mean(1), lambda i, f, h, m: f.norm(dim=0), lambda i, f, h, m: f.sum(), lambda i, f, h, m: f.amin(),
    lambda i, f, h, m: f.norm(p=1, dim=1), lambda i, f, h, m: f @ f.t(), lambda i, f, h, m: f @ f[0],
    lambda i, f, h, m: torch.where(m[:, 0], f[:, 0], float("-inf")).clamp(-5), lambda i, f, h, m: (f * 3).long(),
    lambda i, f, h, m: f.double() * 3, lambda i, f, h, m: f.bool(), lambda i, f, h, m: h + h, lambda i, f, h, m: h * 3.5,
    lambda i, f, h, m: h.float() * f, lambda i, f, h, m: f.to(torch.bfloat16), lambda i, f, h, m: m.float() * f,
    lambda i, f, h, m: f.cumsum(0), lambda i, f, h, m: (i | 5) + (i & 6) * (i ^ 3), lambda i, f, h, m: f[i.abs() % 3, i % 4],
    lambda i, f, h, m: f.slice_scatter(f[:1] * 2, 0, 1, 2), lambda i, f, h, m: f.index_put((i[0].abs() % 3, i[1] % 4), f[0]),
    lambda i, f, h, m: torch.arange(3) * 2 + torch.arange(9, 0, -3), lambda i, f, h, m: torch.arange(4.0) / 4,
)


class Arithmetic(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("i", torch.tensor([[0, -1, 2, 5], [3, 3, -4, 1], [1, 2, -2, -7]]))
        self.register_buffer("f", torch.randn(3, 4))
        self.register_buffer("h", torch.randn(3, 4).half())
        self.register_buffer("m", torch.rand(3, 4) > 0.4)

    def forward(self, x):
        return [x.sum(1, keepdim=True) * one(self.i, self.f, self.h, self.m).flatten().float() for one in EXPRESSIONS]


PROGRAMS = (
    Program("weight_norm", Normed, rows),
    Program("spectral_norm", Spectral, rows, modes=SOME),
    Program("scaled", Scaled, rows, modes=SOME),
    Program("rotary", Rotary, rows, modes=SOME),
    Program("handed_on", HandedOn, lambda b, s: (torch.randn(b, 6, 4),), modes=ONE),
    Program("handed_size", HandedSizes, floats(("b", "s")), modes=ONE),
    Program("causal", Causal, rows, modes=SOME),
    Program("norm_behind", Layers, pictures, modes=SOME),
    Program("rnn", lambda: Recurrent(nn.RNN, bidirectional=True), floats(("b", "s", 6)), STEPS, modes=SOME),
    Program("large", Large, rows, modes=SOME),
    Program("arithmetic", Arithmetic, rows, modes=SOME),
)
