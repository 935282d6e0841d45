"""Layers, and their fusions in a runtime."""

import numpy
import torch

from .kind import TRIPS, Kind

TEMPLATE = '''import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Program(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.linear = nn.Linear(8, 8)
        self.other = nn.Linear(8, 8, bias=False)
        self.weight = nn.Parameter(torch.randn(8, 8) * 0.3)
        self.bias = nn.Parameter(torch.randn(8))
        self.scale = nn.Parameter(torch.rand(8) + 0.5)
        self.norm = nn.LayerNorm(8, eps=0.01)
        self.conv = nn.Conv2d(4, 4, 3, padding=1)
        self.point = nn.Conv2d(4, 4, 1, bias=False)
        self.depth = nn.Conv2d(4, 4, 3, padding=1, groups=4)
        self.valid = nn.Conv2d(4, 4, 3)
        self.back = nn.ConvTranspose2d(4, 4, 3, padding=1)
        self.batch = nn.BatchNorm2d(4)
        self.group = nn.GroupNorm(2, 4, eps=0.01)
        self.prelu = nn.PReLU(4)
        self.batch.running_mean.copy_(torch.randn(4))
        self.batch.running_var.copy_(torch.rand(4) + 0.5)
        self.eval()

    def forward(self, x: Tensor, y: Tensor, z: Tensor, n: Tensor):
        a = x * 1.0
        b = x + 1
        e = y * 1.0
        f = y + 1
        p = z * 1.0
        q = z + 1
        k = int(n)
BODY
        return a, b, e, f, p, q
'''

ACTIVATIONS = (
    "torch.tanh({})", "torch.relu({})", "torch.sigmoid({})", "F.gelu({})", "F.elu({})",
    'F.gelu({}, approximate="tanh")', "F.silu({})", "F.hardswish({})", "F.leaky_relu({}, 0.1)",
    "F.selu({})", "F.softplus({})", "F.hardsigmoid({})", "F.relu6({})", "F.mish({})", "F.softsign({})",
    "torch.clamp({}, min=0)", "torch.clamp({}, -1.0, 1.5)", "torch.exp(-torch.abs({}))", "F.celu({})",
    "F.threshold({}, 0.5, 0.25)", "F.hardtanh({})", "torch.erf({})", "torch.sin({})",
)

STATEMENTS = (
    *(f"{{{to}}} = {text.format('{' + of + '}')}" for text in ACTIVATIONS
      for to, of in (("v", "w"), ("r", "s"), ("l", "m"))),
    # products, with what is added, scaled or transposed around them
    "{v} = self.linear({w})",
    "{v} = self.other({w}) + self.bias",
    "{v} = {w} @ self.weight",
    "{v} = {w} @ self.weight.t() + self.bias",
    "{v} = {w} @ self.weight + {v}",
    "{v} = torch.tanh({v} @ self.weight + self.other({w}))",
    "{v} = torch.relu({w} @ self.weight)",
    "{v} = torch.sigmoid(torch.addmm({v}, {w}, self.weight))",
    "{v} = torch.addmm(self.bias, {w}, self.weight, beta=0.5, alpha=2.0)",
    "{v} = {v} @ ({w}.t() @ {w}) * 0.1",
    "{v} = ({v} * 0.5) @ ({v}.t() @ ({w} * 0.25))",
    "{v} = (self.weight @ {w}.t()).t()",
    "{v} = self.linear({w}.reshape(-1, 2, 4).transpose(1, 2).reshape(-1, 8))",
    "{r} = self.linear({s})",
    "{r} = self.other({s}) + self.bias",
    "{r} = {s} @ self.weight",
    "{r} = torch.relu({s} @ self.weight + self.bias)",
    "{r} = (({r} * 0.3) @ {s}.transpose(1, 2)).softmax(-1) @ {s}",
    "{r} = torch.einsum('btc,bsc->bts', {r}, {s}).softmax(-1) @ {r}",
    "t = {s}.unflatten(2, [2, 4]).transpose(1, 2)\n"
    "{r} = ((t @ t.transpose(2, 3)) / 2).softmax(-1).matmul(t).transpose(1, 2).flatten(2)",
    "t = ({r} @ {s}.transpose(1, 2)).masked_fill({r}[:, :, :1] > 1, -1e4)\n"
    "{r} = t.softmax(-1) @ {s}",
    "{r} = {r} + {v}.mean(0)",
    "{v} = {v} + {r}.mean((0, 1))",
    # normalisation, with the module and by hand
    "{v} = self.norm({w})",
    "{v} = self.norm({v} + {w})",
    "{v} = self.norm({v} + {w} + self.bias) + {w}",
    "{r} = self.norm({s})",
    "{r} = self.norm({r} + {s})",
    "{r} = self.norm({r} + self.bias + {s})",
    "t = {w} - {w}.mean(-1, keepdim=True)\n"
    "{v} = t / torch.sqrt(t.pow(2).mean(-1, keepdim=True) + 0.01) * self.scale + self.bias",
    "t = {s} - {s}.mean(-1, keepdim=True)\n"
    "{r} = self.scale * (t * torch.rsqrt((t * t).mean(-1, keepdim=True) + 0.01))",
    "{r} = {s} * torch.rsqrt({s}.pow(2).mean(-1, keepdim=True) + 0.01) * self.scale",
    "{v} = F.normalize({w} + 3, dim=-1)",
    "{v} = F.softmax({w} + self.bias, -1)",
    "{r} = F.log_softmax({s} * 0.5, 1)",
    "{v} = F.dropout({w}, 0.5, False)",
    # activations by hand
    "{v} = {w} * torch.sigmoid({w} * 1.702)",
    "{v} = 0.5 * {w} * (1 + torch.erf({w} / 1.4142135))",
    "{r} = {s} * 0.5 * (1.0 + torch.erf(({s} + self.bias) * 0.70710678))",
    "{r} = F.gelu({s} + self.bias)",
    "{r} = 0.5 * {s} * (1 + torch.tanh(0.79788456 * ({s} + 0.044715 * {s}.pow(3))))",
    "{l} = {m} * torch.relu({m} + 3).clamp(max=6) / 6",
    "{v} = {w} * torch.tanh(F.softplus({w}))",
    # convolutions, with what a runtime folds into them
    "{l} = self.conv({m})",
    "{l} = self.conv({m}) + {l}",
    "{l} = torch.relu(self.conv({m}) + {l})",
    "{l} = self.conv(F.pad({m}, [1, 1, 1, 1]))[:, :, 1:-1, 1:-1]",
    "{l} = self.valid(F.pad({m}, [1, 1, 1, 1]))",
    "{l} = F.pad(self.valid({m}), [1, 1, 1, 1], value={n}.0)",
    "{l} = self.point({m}) * self.scale[:4].reshape(4, 1, 1)",
    "{l} = self.conv({m}) + self.bias[:4].reshape(1, 4, 1, 1)",
    "{l} = self.batch(self.conv({m}))",
    "{l} = self.conv(self.batch({m}))",
    "{l} = torch.relu(self.batch(self.back({m})))",
    "{l} = F.hardswish(self.batch(self.depth({m})))",
    "{l} = self.group({m})",
    "{l} = self.prelu(self.point({m}))",
    "{l} = F.instance_norm({m}, eps=0.01)",
    "{l} = F.max_pool2d({m}, 3, 1, 1)",
    "{l} = F.avg_pool2d(F.pad({m}, [1, 1, 1, 1]), 3, 1)",
    "{l} = F.avg_pool2d(F.interpolate({m}, scale_factor=2.0), 2)",
    "{l} = {m} * torch.sigmoid(self.point(F.adaptive_avg_pool2d({m}, 1)))",
    "{l} = {m}.reshape(-1, 2, 2, 6, 6).transpose(1, 2).reshape(-1, 4, 6, 6)",
    "{l} = self.point({m}.permute(0, 2, 3, 1).contiguous().permute(0, 3, 1, 2))",
    "{l} = self.norm(F.pad({m}, [1, 1]))[:, :, :, 1:7]",
    "{l} = torch.cat([{l}[:, 2:], {m}[:, :2]], 1)",
    # what stands between: shapes, dtypes, constants
    "{v} = {v} + {w}",
    "{v} = {v} * {w}",
    "{v} = {v} / ({w}.abs() + 1)",
    "{r} = {r} - {s} * 0.5",
    "{l} = {l} + {m}",
    "{l} = {l} * 0.5 + {m} * 2 - {n}",
    "{v} = torch.where({w} > 0, {v}, -{w})",
    "{v} = {w}.double().cumsum(1).float() * 0.1",
    "{v} = torch.cat([{w}[:, 4:], {v}[:, :4]], 1)",
    "{v} = torch.stack([{v}, {w}]).max(0)[0]",
    "{v} = torch.chunk({w}.repeat(1, 2), 2, 1)[1]",
    "{v} = {w}.t().contiguous().t().unsqueeze(0).squeeze(0)",
    "{v} = {w} * 0.5",
    "{r} = {s} / 3 + 0.0",
    "{r} = {s} * 1.5",
    "{l} = ({m} + 1.0) / 2 * 1.0 - 0.0",
    "{r} = {s}.view({s}.size(0), {s}.size(1) * 8).reshape({r}.shape)",
    "{r} = {s}.reshape({s}.shape[0], -1, 2, 4).permute(0, 2, 1, 3).permute(0, 2, 1, 3).flatten(2)",
    "{v} = {v} + F.embedding(torch.arange({w}.size(0)) + 2, self.weight)",
    "{r} = {r} + F.embedding(torch.arange({s}.size(1)), self.weight.repeat(2, 1))",
    "t = F.conv1d({s}.transpose(1, 2), self.weight.unsqueeze(2), self.bias)\n"
    "{r} = torch.relu(t).transpose(1, 2)",
    "t = torch.fake_quantize_per_tensor_affine({w}, 0.05, 3, -128, 127)\n"
    "u = torch.fake_quantize_per_tensor_affine(self.weight, 0.02, 0, -128, 127)\n"
    "{v} = torch.fake_quantize_per_tensor_affine(F.linear(t, u, self.bias), 0.1, 0, -128, 127)",
    "t = torch.fake_quantize_per_tensor_affine({m}, 0.1, 0, -128, 127)\n"
    "{l} = torch.fake_quantize_per_tensor_affine(self.conv(t), 0.1, 0, -128, 127)",
    "{r} = {s}.masked_fill(torch.ones({s}.size(1), {s}.size(1)).tril()[-1:].t() == 0, 0.5)",
    "{r} = {s} * ({r}.sum(-1, keepdim=True) > 0.3).float()",
    "{l} = F.interpolate({m}, scale_factor=2.0, mode=\"nearest\")[:, :, ::2, ::2]",
    "{l} = {m} - {m}.mean((2, 3), keepdim=True)",
    "{l} = torch.einsum('bchw,cd->bdhw', {m}, self.weight[:4, 4:])",
    "{v} = {w}.gather(1, {v}.argsort(1))",
    "{r} = {s}.flip(1).transpose(1, 2).transpose(1, 2)",
    "{r} = torch.fake_quantize_per_tensor_affine({s}, 0.05, 3, -128, 127)",
    "{v}, {w} = {w}, {v}",
)


def inputs(number: int) -> dict:
    rows, batch, length = (3, 1, 4)[number % 3], (2, 1)[number % 2], (5, 2, 1, 3)[number % 4]
    return {"x": torch.randn(rows, 8).numpy(), "y": torch.randn(batch, length, 8).numpy(),
            "z": torch.randn(batch, 4, 6, 6).numpy(),
            "n": numpy.array(TRIPS[number % len(TRIPS)])}


KIND = Kind(
    TEMPLATE, STATEMENTS, ("bool({v}.sum() > {n}.3)", "k > {n}"),
    {"v": "ab", "w": "ab", "r": "ef", "s": "ef", "l": "pq", "m": "pq", "i": "k"},
    ("--input", "x:float32[rows=3,8]", "--input", "y:float32[batch=2,length=5,8]", "--input",
     "z:float32[images=2,4,height=6,width=6]", "--input", "n:int64[]=2"), inputs, most_branches=0.06,
    most_loops=0.05, largest=1e3)
