"""Changes in place, and aliases."""

import numpy
import torch

from .kind import TRIPS, Kind

TEMPLATE = '''from typing import Dict, List, Optional

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

STATEMENTS = (
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


def inputs(number: int) -> dict:
    x = torch.randint(-3, 4, (3, 4)).float()
    return {"x": x.numpy(), "n": numpy.array(TRIPS[number % len(TRIPS)])}


KIND = Kind(
    TEMPLATE, STATEMENTS,
    ("bool({v}.sum() > {n})", "bool({v}[0, 0] > {w}[1, 1])", "int(n) > {n}", "len({l}) > 2",
     "s > {n}", "o is not None"),
    {"v": "abc", "w": "abc", "l": "pq", "m": "pq", "i": "s"},
    ("--input", "x:float32[3,4]", "--input", "n:int64[]=2"), inputs)
