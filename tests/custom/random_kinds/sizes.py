"""Data-dependent sizes."""

import numpy
import torch

from .kind import TRIPS, Kind

TEMPLATE = '''import torch
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

STATEMENTS = (
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


def inputs(number: int) -> dict:
    rows, length = (3, 5, 1, 4, 8, 2)[number % 6], (4, 2, 7, 1, 5, 3)[number // 2 % 6]
    return {"x": torch.randint(-3, 4, (rows, 4)).float().numpy(),
            "y": torch.randint(-3, 4, (length,)).float().numpy(),
            "n": numpy.array(TRIPS[number % len(TRIPS)])}


KIND = Kind(
    TEMPLATE, STATEMENTS,
    ("bool({v}.sum() > {n})", "{v}.size(0) > 2", "k > {n}", "{r}.size(0) > {v}.size(0)"),
    {"v": "ab", "w": "ab", "r": "ef", "s": "ef", "i": "kj"},
    ("--input", "x:float32[rows=3,4]", "--input", "y:float32[length=4]", "--input",
     "n:int64[]=2"), inputs, most_branches=0.06, most_loops=0.05)
