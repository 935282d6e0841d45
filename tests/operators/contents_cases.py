"""Contents of tensors as flags, numbers and lists of the program: equal(), allclose(), tolist()."""

import math
from typing import List

import torch
from torch import nn

from building import BATCH, X, Cases, signs

CASES = Cases()
script = CASES.script
LENGTH = {0: {0: "length"}}
TWO_LENGTHS = {0: {0: "length"}, 1: {0: "length"}}
NAN = torch.tensor([1.0, math.nan, 2.0])

# ---- comparisons -----------------------------------------------------------------------------------


def pairs(*first):
    """Other arguments: equal ones, and some with one different element."""
    def others():
        made = []
        for one in first:
            near = one.clone()
            near.view(-1)[-1] += 1
            made += [[one, one.clone()], [one, near], [near, one]]
        return made
    return others


def if_equal(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    if torch.equal(x, y):
        return x + 1
    return x * 5


def equal_flag(x: torch.Tensor, y: torch.Tensor) -> bool:
    return x.equal(y)


def equal_other_size(x: torch.Tensor) -> torch.Tensor:
    y = x * 2 if torch.equal(x, x[:2]) else x * 3
    return y + 1 if torch.equal(x, x.unsqueeze(0)) else y


def equal_until(x: torch.Tensor) -> torch.Tensor:
    steps = 0
    last = torch.zeros_like(x)
    while not torch.equal(x, last):
        last = x
        x = (x / 2).round()
        steps += 1
    return x + steps


def equal_itself(x: torch.Tensor) -> bool:
    return torch.equal(x, x.view(4, 3).view(3, 4))


def equal_numbers_itself(x: torch.Tensor) -> bool:
    y = x.to(torch.int64)
    return torch.equal(y, y.view(4, 3).view(3, 4))


def equal_sizes_by_data(x: torch.Tensor) -> bool:
    return torch.equal(x[x > 0], x[x < 1])


def equal_constants(x: torch.Tensor) -> torch.Tensor:
    return x + 1 if torch.equal(torch.arange(3), torch.tensor([0, 1, 3])) else x - 1


script("equal/branch", if_equal, X, X + 0, others=pairs(X, X * 0))
script("equal/lengths", if_equal, X, X + 0, dynamic=TWO_LENGTHS, others=pairs(X[:2], X[:1]))
script("equal/numbers", if_equal, X.long(), X.long(), others=pairs(X.long()))
script("equal/flags", equal_flag, X > 0, X > 0, others=lambda: [[X > 0, X > 1], [X > 0, X > 0]])
script("equal/nan", equal_flag, NAN, NAN.clone(), others=lambda: [[NAN, NAN + 0], [NAN[:1].expand(3)] * 2])
script("equal/nothing", equal_flag, torch.ones(0, 3), torch.ones(0, 3))
script("equal/one", equal_flag, torch.tensor(2.0), torch.tensor(2.0), others=pairs(torch.tensor(7.0)))
script("equal/other-size", equal_other_size, X)
script("equal/until", equal_until, X, others=signs)
script("equal/constants", equal_constants, X)
script("equal/itself", equal_itself, X, refused="there is no lowering for it")
script("equal/numbers-itself", equal_numbers_itself, X)
script("equal/sizes-by-data", equal_sizes_by_data, X, refused="there is no lowering for it")
script("equal/axes", equal_flag, X, X + 0, dynamic=LENGTH, refused="there is no lowering for it")


def if_close(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    if torch.allclose(x, y, rtol=0.1, atol=0.5):
        return x + 1
    return x * 5


def close_rows(x: torch.Tensor) -> bool:
    return torch.allclose(x, x[0])


def close_nan(x: torch.Tensor, y: torch.Tensor):
    return torch.allclose(x, y), torch.allclose(x, y, equal_nan=True)


script("allclose/branch", if_close, X, X + 0.25, others=pairs(X, X * 100))
script("allclose/lengths", if_close, X, X + 0.25, dynamic=TWO_LENGTHS, others=pairs(X[:2], X[:1]))
script("allclose/broadcast", close_rows, X, dynamic=BATCH, others=lambda: [[X * 0], [X[:1]]])
script("allclose/nan", close_nan, NAN, NAN.clone(), others=lambda: [[NAN, NAN * 0], [NAN * 0 + 1] * 2])

# ---- lists of numbers ------------------------------------------------------------------------------


def summed(x: torch.Tensor) -> torch.Tensor:
    values: List[float] = x.tolist()
    total = 0.0
    for value in values:
        total = total * 2 + value
    return x * total + len(values)


def summed_rows(x: torch.Tensor) -> torch.Tensor:
    rows: List[List[float]] = x.tolist()
    total = 0.0
    for row in rows:
        for value in row:
            total = total * 0.5 + value
    return x * total + rows[0][1]


def number(x: torch.Tensor) -> torch.Tensor:
    value: float = x.sum().tolist()
    return x * value


def whole(x: torch.Tensor) -> torch.Tensor:
    values: List[int] = x.to(torch.int64).tolist()
    return x[0] + torch.arange(values[0] * values[0]).sum() - values[-1]


def truths(x: torch.Tensor) -> torch.Tensor:
    for flag in torch.jit.annotate(List[bool], (x[0] > 0).tolist()):
        if flag:
            x = x + 1
        else:
            x = x * 2
    return x


def largest(x: torch.Tensor) -> torch.Tensor:
    values: List[float] = x.tolist()
    best, at = values[0], 0
    for i, value in enumerate(values):
        if value > best:
            best, at = value, i
    return x * at + best


def made_again(x: torch.Tensor) -> torch.Tensor:
    values: List[float] = x.tolist()
    return torch.tensor(values) + x


def changed_behind(x: torch.Tensor) -> torch.Tensor:
    y = x.to(torch.float64)
    values: List[float] = y.tolist()
    y += 1
    return y + torch.tensor(values, dtype=torch.float64) + values[0]


def of_mask(x: torch.Tensor) -> torch.Tensor:
    values: List[float] = x[x > 0].tolist()
    total = 0.0
    for value in values:
        total = total + value * value
    return x + total + len(values)


def as_sizes(x: torch.Tensor) -> torch.Tensor:
    rows, columns = torch.jit.annotate(List[int], torch.tensor([4, 3]).tolist())
    return x.view(rows, columns)


class Kept(nn.Module):
    """Sizes in a buffer."""

    def __init__(self):
        super().__init__()
        self.register_buffer("sizes", torch.tensor([2, 6]))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        sizes: List[int] = self.sizes.tolist()
        return x.view(sizes[0], sizes[1]) * sizes[1]


def row_lists(x: torch.Tensor) -> torch.Tensor:
    rows: List[List[float]] = x.tolist()
    return x * rows[0][0]


def with_complex(x: torch.Tensor) -> torch.Tensor:
    return torch.real(complex(x.sum(), x.max()) * torch.ones(2))


def quantization(x: torch.Tensor) -> torch.Tensor:
    scale, zero_point = torch._choose_qparams_per_tensor(x)
    return x * scale + zero_point


V = X[0]


def vectors():
    return [[-V], [V * 0], [V.flip(0)]]


script("tolist/summed", summed, V, others=vectors)
script("tolist/lengths", summed, V, dynamic=LENGTH, others=lambda: [[-V], [V[:1]], [V[:0]], [X[:, 0]]])
script("tolist/rows", summed_rows, X, others=signs)
script("tolist/number", number, X, others=signs)
script("tolist/whole", whole, X[0].abs(), others=vectors)
script("tolist/truths", truths, X, others=signs)
script("tolist/largest", largest, V, others=vectors)
script("tolist/largest-of-any", largest, V, dynamic=LENGTH, others=lambda: [[-V], [V[:1]], [X[:, 0]]])
script("tolist/tensor", made_again, V, others=vectors)
script("tolist/changed-behind", changed_behind, V, others=vectors)
script("tolist/changed-behind-any", changed_behind, V, dynamic=LENGTH, others=lambda: [[-V], [X[:, 0]]])
script("tolist/mask", of_mask, X, others=signs)
script("tolist/sizes", as_sizes, X)
script("tolist/buffer", Kept().eval(), X)
script("tolist/lists-of-any", row_lists, X, dynamic=BATCH, refused="there is no lowering for it")
script("complex", with_complex, X, refused="there is no lowering for it")
script("quantization", quantization, X, refused="there is no lowering for it")
