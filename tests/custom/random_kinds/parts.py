"""Lists returned by operators, and adjacent parts of a tensor."""

import numpy
import torch

from .kind import TRIPS, Kind

TEMPLATE = '''from typing import List

import torch
from torch import Tensor


class Program(torch.nn.Module):
    def forward(self, x: Tensor, n: Tensor):
        a = x * 1.0
        b = x + 1
        c = x * 2
        s = 1
        p = a.unbind(1)
        q = (b * 2).unbind(1)
BODY
        return a, b, c, torch.stack(p, 1), torch.stack(q, 1), x
'''

STATEMENTS = (
    "{v} = {v} + {w}",
    "{v} = {w} * 0.5",
    "{v} = {w}",
    "{v} = {w}.clone()",
    "{v}, {w} = {w}, {v}",
    "{v} += {n}",
    "{v}[:, {i} % 6] = {n}.0",
    # lists of an operator
    "{l} = {v}.unbind(1)",
    "{l} = {v}.t().unbind(0)",
    "{l}.reverse()",
    "{l}.append({v}[:, 0])",
    "{l}.insert(1, {m}[0] * 2)",
    "{l}.extend({m}[:2])",
    "{l}[0] = {l}[-1]",
    "{l}[0] = {v}[:, 2]",
    "{l}[1].add_({n})",
    "{l}[-1] *= 0.5",
    "{l}[0] += {l}[1]",
    "{l} = {l}[1:] + {m}[:1]",
    "if len({l}) > 3:\n    {v} = {v} + {l}.pop().unsqueeze(1)",
    "{v} = torch.stack({l}, 1).sum(1, keepdim=True) * 0.25 + {w}",
    "{v}[:, 1] = {l}[0]",
    "for e in {l}:\n    e += 1",
    "for k, e in enumerate({l}):\n    {v}[:, 0] += e * k",
    "for e in {v}.split(2, 1):\n    e.mul_(0.5)",
    "t = {v}.chunk(2, 1)\n{w} = torch.cat([t[1], t[0]], 1)",
    "t = {v}.split([1, 2, 3], 1)\nt.reverse()\n{w} = torch.cat(t, 1)",
    "t = {v}.tensor_split(3, 1)\nt[0].add_(t[1])\n{w} = {w} + torch.cat(t, 1)",
    "t = {v}.split(3, 1)\nt[1].copy_(t[0])\nt.append(t.pop(0))\n{w} = torch.cat(t, 1)",
    "t = torch.meshgrid([{v}[:, 0], {w}[0]])\nt.reverse()\n{v} = {v} + t[0] * 0.5",
    "t = {v}.size()\nt[0] = 1\n{w} = {w} + torch.ones(t)",
    # parts of one memory
    "{v}[:, :-1] = {v}[:, 1:]",
    "{v}[:, 1:] = {w}[:, :-1]",
    "{v}[:, ::2] += {v}[:, 1::2]",
    "{v}[:, :3] *= {w}[:, 3:]",
    "{v}[:, 0].sub_({v}[:, 5])",
    "{v}[:1, 1:] = {v}[-1:, 1:]",
    "{v}[:, 2:] += {v}[:, :1]",
    "t = {v}.view(-1, 2, 3)\nt[:, 0] = t[:, 1]",
    "t = {v}.t()\nt[0].add_({n})\nt[1:] *= 0.5",
    "t = {v}.unfold(1, 2, 2)\nt[:, 0] += t[:, 2]",
    "t = {v}.diagonal()\nt.zero_()",
    "t = {v}[:, 1:4]\nt[:, 0] = {n}.0\n{w} = {w} + t.sum()",
    # by bounds of the data
    "{v}[:, :{i}] = {w}[:, :{i}] * 1",
    "{v}[{i}:] += {w}[{i}:] * 0.5",
    "t = {v}[:, {i}:][1:]\nt[t > {n}] = {n}.0\n{w} = {w} + t.sum()",
    "{v}[:, {i} % 6:] = {v}[:, :6 - {i} % 6].clone()",
    "{v}[::{i} * {i} + 1] -= 1",
    "{v}.narrow(1, min(abs({i}), 4), 2).mul_(0.5)",
    # numbers
    "s = int({v}.sum()) % 5",
    "s = len({l}) + s * 2 % 7",
    "{v} = {v} + s",
)


def inputs(number: int) -> dict:
    rows = (4, 2, 5, 3, 6)[number % 5]
    return {"x": torch.randint(-3, 4, (rows, 6)).float().numpy(),
            "n": numpy.array(TRIPS[number // 2 % len(TRIPS)])}


KIND = Kind(
    TEMPLATE, STATEMENTS,
    ("bool({v}.sum() > {n})", "bool({v}[0, 0] > {w}[1, 1])", "int(n) > {n}", "len({l}) > 6",
     "s > {n}"),
    {"v": "abc", "w": "abc", "l": "pq", "m": "pq", "i": "s"},
    ("--input", "x:float32[rows=4,6]", "--input", "n:int64[]=2"), inputs,
    most_branches=0.08, most_loops=0.06, largest=1e6)
