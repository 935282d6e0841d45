"""What random_programs.py makes programs of: templates, statements and inputs.

In statements {v} and {w} are tensors, {r} and {s} tensors of rows or sequences, {l} and {m} lists or
images, {n} a small number, {i} the counter of a loop around, or another number.
"""

from dataclasses import dataclass
from typing import Callable

import numpy
import torch

TRIPS = (0, 1, 2, 3, 5)


@dataclass(frozen=True)
class Kind:
    template: str  # with BODY where the statements go
    statements: tuple
    conditions: tuple
    names: dict  # what the braces of statements stand for
    flags: tuple  # of the export
    inputs: Callable  # from a number
    most_branches: float = 0.13  # of the statements
    most_loops: float = 0.12
    largest: float = float("inf")  # of outputs: what is larger has rounding errors of its own


# ---- what is changed in place, and under which names ---------------------------------------------

CHANGES = '''from typing import Dict, List, Optional

import torch
from torch import Tensor


class Part(torch.nn.Module):
    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        if bool(x.sum() > 1):
            x = x + y
        return x


class Program(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.part = Part()

    def change(self, tensors: List[Tensor], x: Tensor) -> int:
        if bool(x[0, 0] > 0):
            return len(tensors)
        tensors.append(x)
        return 7

    def forward(self, x: Tensor, n: Tensor):
        a = x * 1.0
        b = x + 1
        c = x * 2
        s = 1
        p: List[Tensor] = [a + 3]
        q: List[Tensor] = [b, c]
        d: Dict[str, Tensor] = {"k": c}
        o: Optional[Tensor] = None
BODY
        a = a + s
        return a, b, c, torch.stack(p), torch.stack(q), d["k"], x
'''

CHANGES_STATEMENTS = (
    "{v} = {v} + {w}",
    "{v} = {w} * 0.5",
    "{v} = {w}",
    "{v} = {w}.clone()",
    "{v} = {w} + 1",
    "{v}, {w} = {w}, {v}",
    "{v} = self.part({v}, {w})",
    "{v} = ({v} if bool({w}.sum() > {n}) else {w}) * 2",
    # in place
    "{v} += {n}",
    "{v} += {w}",
    "{v}[0] = {n}.0",
    "{v}[1, 2] += 1",
    "{v}.mul_(0.5)",
    "t = {w}[1]\nt.add_({n})",
    "t = {w}[:2]\n{v} = {v} + t.sum()",
    # lists
    "{l}.append({v})",
    "{l}.append({v} + {n})",
    "{l}.append({v}.clone())",
    "{l}.insert(0, {v})",
    "{v} = {l}[-1]",
    "{v} = {l}[0] + 1",
    "{l}[0] += {n}",
    "{l}[-1] = {v}",
    "{l}[0].add_({w})",
    "{l} = [{v}, {w}]",
    "{l} = {m} + [{v}]",
    "{l} = {l}.copy()",
    "if len({l}) > 2:\n    {v} = {l}.pop()",
    "{v} = torch.stack({l}).sum(0)",
    "{v} = {v} * len({l}) * 0.25",
    "for e in {l}:\n    {v} = {v} + e",
    "for e in {l}:\n    e += 1",
    "for k, e in enumerate({l}):\n    {v} = {v} + e * k",
    "s = self.change({l}, {v})",
    # dicts, tuples, optional values
    'd["k"] = {v}',
    '{v} = d["k"]',
    'd["k"] += 1',
    "u = ({v}, {w})\n{w} = u[0]",
    "o = {v}",
    "o = None",
    "if o is not None:\n    {v} = {v} + o",
    # numbers
    "s = s + {n}",
    "s = int({v}.sum()) % 5",
    "s = len({l}) + s * 2 % 7",
    "{v} = {v} + s",
    "{v} = {v} * {i}",
)


def changes_inputs(number: int) -> dict:
    x = torch.randint(-3, 4, (3, 4)).float()
    return {"x": x.numpy(), "n": numpy.array(TRIPS[number % len(TRIPS)])}


# ---- sizes that the data decides -----------------------------------------------------------------

SIZES = '''import torch
from torch import Tensor


class Program(torch.nn.Module):
    def forward(self, x: Tensor, y: Tensor, n: Tensor):
        a = y * 1.0
        b = y + 1
        e = x * 1.0
        f = x + 1
        k = int(n)
        j = x.size(0)
BODY
        return a, b, e, f, a.size(0) + k, e.size(0) + j
'''

SIZES_STATEMENTS = (
    # rows and elements that a mask selects
    "{v} = {w}[{w} > {n}]",
    "{v} = {w}[torch.nonzero({w} > {n})[:, 0]]",
    "{v} = torch.masked_select({w}, {w} < {n})",
    "{r} = {s}[{s}[:, 1] > {n}]",
    "{v} = {r}[:, 0]",
    "{v} = {r}.flatten()",
    "{r} = {v}.unsqueeze(1).expand(-1, 4)",
    "{r} = {s}[({s} > 0).any(1)]",
    "{v} = {v}.masked_fill({v} > {n}, 0.5)",
    "{v} = torch.where({v} > 0, {v}, -{v})",
    # slices
    "{v} = {w}[:{i}]",
    "{v} = {w}[{i}:]",
    "{v} = {w}[-2:]",
    "{v} = {w}[1:]",
    "{v} = {w}[:-1]",
    "{v} = {w}[::2]",
    "{r} = {s}[: {i} + 1]",
    "{r} = {s}[{w}.size(0) :]",
    "{v} = {w}.narrow(0, 0, min({i}, {w}.size(0)))",
    # joined, repeated, padded
    "{v} = torch.cat([{v}, {w}])",
    "{r} = torch.cat([{r}, {s} * 2])",
    "{r} = torch.cat([{r}, {s}[:1]])",
    "{v} = {w}.repeat(2)",
    "{v} = {w}.repeat_interleave(2)",
    "{r} = {s}.repeat(2, 1)",
    "{v} = torch.nn.functional.pad({w}, [1, 2], value={n}.0)",
    "{v} = torch.stack([{w}, {w} * 2]).flatten()",
    "{v} = torch.cat([{w}, {w}]).reshape(2, -1).sum(0)",
    "{v} = torch.cat([{w}, {w} + 1]).view(-1, 2)[:, 1]",
    # made of numbers
    "{v} = torch.arange({i} + 2) * 0.5",
    "{v} = torch.zeros({i} + 1) + {n}",
    "{v} = torch.ones({w}.size(0)) * {w}.sum()",
    "{v} = torch.arange({w}.size(0)) + {w}",
    "{v} = torch.full([{r}.size(0)], {n}.0)",
    "{v} = torch.linspace(0.0, 1.0, {i} + 2)",
    # ordered
    "{v} = torch.sort({w})[0]",
    "{v} = torch.topk({w}, min(2, {w}.size(0)))[0]",
    "{v} = torch.topk({w}, {w}.size(0) // 2)[0]",
    "{v} = torch.unique({w})",
    "{v} = {w}.flip(0)",
    "{v} = {w}.cumsum(0)",
    "{v} = torch.cumsum({w} > 0, 0) * 0.5",
    "{r} = {s}[torch.argsort({s}[:, 2])]",
    "{r} = {s}.flip(0)",
    # together
    "{v} = ({v}.unsqueeze(1) * {w}.unsqueeze(0)).sum(1)",
    "{v} = ({v}.unsqueeze(1) - {w}.unsqueeze(0)).flatten()",
    "{v} = {v} + {w}.sum()",
    "{v} = {v} + {w}",
    "{v} = {r} @ {s}[0]",
    "{r} = ({r} @ {s}.t()) @ {s}",
    "{r} = torch.softmax({s}, 0)",
    "{v} = {w}.chunk(2)[0]",
    "{v} = torch.split({w}, 2)[0]",
    "{v} = {r}.max(1)[0]",
    "{v} = {v}.index_add(0, torch.zeros([1], dtype=torch.long), {w}[:1])",
    "{v} = {w}[torch.remainder(torch.arange(3), max({w}.size(0), 1))]",
    "{r} = {s}.index_select(0, torch.arange({s}.size(0) // 2))",
    "{v}, {w} = {w}, {v}",
    # numbers
    "k = {v}.size(0)",
    "k = int({v}.sum()) % 5",
    "k = k * 2 % 7",
    "k = {v}.size(0) + {w}.size(0)",
    "k = {r}.size(0) // 2",
    "j = max(k, {r}.size(0))",
    "j = min({i}, 3)",
    "j = int(({v} > 0).sum())",
)


def sizes_inputs(number: int) -> dict:
    rows, length = (3, 5, 1, 4, 8, 2)[number % 6], (4, 2, 7, 1, 5, 3)[number // 2 % 6]
    return {"x": torch.randint(-3, 4, (rows, 4)).float().numpy(),
            "y": torch.randint(-3, 4, (length,)).float().numpy(),
            "n": numpy.array(TRIPS[number % len(TRIPS)])}


# ---- layers, and what a runtime merges of them ----------------------------------------------------

LAYERS = '''import torch
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

LAYERS_STATEMENTS = (
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


def layers_inputs(number: int) -> dict:
    rows, batch, length = (3, 1, 4)[number % 3], (2, 1)[number % 2], (5, 2, 1, 3)[number % 4]
    return {"x": torch.randn(rows, 8).numpy(), "y": torch.randn(batch, length, 8).numpy(),
            "z": torch.randn(batch, 4, 6, 6).numpy(),
            "n": numpy.array(TRIPS[number % len(TRIPS)])}


KINDS = {
    "changes": Kind(
        CHANGES, CHANGES_STATEMENTS,
        ("bool({v}.sum() > {n})", "bool({v}[0, 0] > {w}[1, 1])", "int(n) > {n}", "len({l}) > 2",
         "s > {n}", "o is not None"),
        {"v": "abc", "w": "abc", "l": "pq", "m": "pq", "i": "s"},
        ("--input", "x:float32[3,4]", "--input", "n:int64[]=2"), changes_inputs),
    "sizes": Kind(
        SIZES, SIZES_STATEMENTS,
        ("bool({v}.sum() > {n})", "{v}.size(0) > 2", "k > {n}", "{r}.size(0) > {v}.size(0)"),
        {"v": "ab", "w": "ab", "r": "ef", "s": "ef", "i": "kj"},
        ("--input", "x:float32[rows=3,4]", "--input", "y:float32[length=4]", "--input",
         "n:int64[]=2"), sizes_inputs, most_branches=0.06, most_loops=0.05),
    "layers": Kind(
        LAYERS, LAYERS_STATEMENTS, ("bool({v}.sum() > {n}.3)", "k > {n}"),
        {"v": "ab", "w": "ab", "r": "ef", "s": "ef", "l": "pq", "m": "pq", "i": "k"},
        ("--input", "x:float32[rows=3,8]", "--input", "y:float32[batch=2,length=5,8]", "--input",
         "z:float32[images=2,4,6,6]", "--input", "n:int64[]=2"), layers_inputs, most_branches=0.06,
        most_loops=0.05, largest=1e3),
}
