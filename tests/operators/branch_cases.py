"""Scripted branches whose sides differ in rank, dtype or length, and values that may be None."""

from typing import Optional

import torch
from torch import nn

from building import BATCH, X, Cases, signs

CASES = Cases()
script = CASES.script

# ---- branches whose sides differ -----------------------------------------------------------------


def rank_then_sum(x: torch.Tensor) -> torch.Tensor:
    if bool(x.sum() > 0):
        y = x
    else:
        y = x[0]
    return y.sum()


def rank_reshaped(x: torch.Tensor) -> torch.Tensor:
    if bool(x.sum() > 0):
        y = x.reshape(3, 2, 2)
    else:
        y = x + 1
    if y.dim() == 3:
        y = y.flatten(1)
    return y * 2


def other_dtype(x: torch.Tensor) -> torch.Tensor:
    y = x
    if bool(x.sum() > 0):
        y = x.to(torch.int64)
    return (y * 2).float()


def three_ranks(x: torch.Tensor) -> torch.Tensor:
    if bool(x.sum() > 0):
        y = x
    elif bool(x[0, 0] < -6):
        y = x[0]
    else:
        y = x[0, 0]
    z = y.relu() + 1
    return z.mean()


def two_forks(x: torch.Tensor) -> torch.Tensor:
    a = x if bool(x[0, 0] > 0) else x[0]
    b = x[1] if bool(x[2, 3] > 0) else x[1, 1]
    return (a.sum() + b.sum()) * torch.ones(2)


def squeezed(x: torch.Tensor) -> torch.Tensor:
    return x[0] if bool(x.sum() > 0) else x


def rank_in_function(x: torch.Tensor) -> torch.Tensor:
    return squeezed(x).max() + x


def length_of_list(x: torch.Tensor) -> torch.Tensor:
    parts = [x]
    if bool(x.sum() > 0):
        parts.append(x * 2)
        parts.append(x * 3)
    total = torch.zeros(4)
    for part in parts:
        total = total + part.sum(0)
    return total * len(parts)


def fresh_lists(x: torch.Tensor) -> torch.Tensor:
    parts = [x, x] if bool(x.sum() > 0) else [x + 1]
    return torch.stack(parts).sum(0)


def strings(x: torch.Tensor) -> torch.Tensor:
    mode = "double" if bool(x.sum() > 0) else "halve"
    if mode == "double":
        return x * 2
    return x / 2


def rank_in_loop(x: torch.Tensor) -> torch.Tensor:
    total = torch.zeros(4)
    for i in range(2):
        y = x if bool(x[i, 0] > 0) else x[i]
        total = total + y.reshape(-1, 4).sum(0)
    return total


def count_in_loop(x: torch.Tensor) -> torch.Tensor:
    parts = [x]
    count = 0
    for i in range(2):
        step = 7 * i + 1
        if bool(x[0, i] > 0):
            parts.append(x + 1)
        count = 10 * count + step
    return torch.stack(parts).sum(0) + count


def changed_after_loop(x: torch.Tensor):
    parts = [x]
    y = x
    for i in range(2):
        y = x + 1
        if bool(x[0, i] > 0):
            parts.append(x + 1)
    y += 1
    return y, torch.stack(parts)


class Decoder(nn.Module):
    """Decodes boxes like torchvision: the last step depends on whether there are any."""

    def forward(self, codes: torch.Tensor, scores: torch.Tensor):
        kept = codes[scores > 0]
        count = kept.size(0)
        boxes = torch.stack((kept[:, 0::2], kept[:, 1::2]), dim=2).flatten(1)
        if count > 0:
            boxes = boxes.reshape(count, -1, 4)
        return boxes.reshape(-1, 4) * 2


class Holder(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner
        self.scale = nn.Parameter(torch.tensor(1.5))

    def forward(self, codes: torch.Tensor, scores: torch.Tensor):
        return self.inner(codes, scores) * self.scale


script("fork/rank", rank_then_sum, X, others=signs, dynamic=BATCH)
script("fork/reshaped", rank_reshaped, X, others=signs)
script("fork/dtype", other_dtype, X, others=signs)
script("fork/three-ranks", three_ranks, X, others=signs)
script("fork/two", two_forks, X, others=signs)
script("fork/function", rank_in_function, X, others=signs)
script("fork/list-length", length_of_list, X, others=signs)
script("fork/fresh-lists", fresh_lists, X, others=signs)
script("fork/strings", strings, X, others=signs)
script("fork/loop", rank_in_loop, X, others=signs)
script("fork/count-in-loop", count_in_loop, X, others=signs)
script("fork/changed-after-loop", changed_after_loop, X, others=signs)
script("fork/decoder", Holder(Decoder()).eval(), (5, 8), torch.tensor([1.0, -1, 2, 3, -1]),
       others=lambda: [[torch.ones(5, 8), -torch.ones(5)], [torch.ones(5, 8), torch.ones(5)]])
script("fork/output", squeezed, X, refused="tensors of different ranks or dtypes")

# ---- optional values -----------------------------------------------------------------------------


def maybe_bias(x: torch.Tensor) -> torch.Tensor:
    bias: Optional[torch.Tensor] = None
    if bool(x.sum() > 0):
        bias = x[0] * 2
    if bias is not None:
        return x + bias
    return x - 1


def optional_argument(x: torch.Tensor, y: Optional[torch.Tensor] = None,
                      n: Optional[int] = None) -> torch.Tensor:
    if y is None:
        y = x * 2
    if n is not None:
        y = y + n
    return x + y


def asserted(x: torch.Tensor) -> torch.Tensor:
    y: Optional[torch.Tensor] = x * 2
    if bool(x.sum() > 1000):
        y = None
    assert y is not None, "too large"
    return y + 1


def optional_number(x: torch.Tensor) -> torch.Tensor:
    n: Optional[int] = None
    if bool(x.sum() > 0):
        n = 3
    return x * (n if n is not None else 7)


class Cached(nn.Module):
    """A state that is None before the first step."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(3)
        self.layer = nn.Linear(4, 4)

    def step(self, x: torch.Tensor, state: Optional[torch.Tensor]) -> torch.Tensor:
        if state is None:
            return self.layer(x)
        return torch.tanh(self.layer(x) + state)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        state: Optional[torch.Tensor] = None
        for i in range(x.size(0)):
            state = self.step(x[i], state)
        assert state is not None
        return state


script("optional/branch", maybe_bias, X, others=signs)
script("optional/argument", optional_argument, X)
script("optional/assert", asserted, X)
script("optional/number", optional_number, X, others=signs)
script("optional/state", Cached().eval(), X)
script("optional/state-dynamic", Cached().eval(), X, dynamic=BATCH)
