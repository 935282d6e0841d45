"""Memory with two names on one side of a branch, or after some steps of a loop: a change by one name is read by the
other."""

from typing import Tuple

import torch
from torch import nn

from building import BATCH, X, Cases, counts, signs

CASES = Cases()
script = CASES.script
READ = "the tensor that it changes is read under another name"


def shared_side(x: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    y = x * 1
    z = y if bool(x.sum() > 0) else x * 2
    z.add_(1)
    return y, z


def shared_lists(x: torch.Tensor) -> Tuple[int, int]:
    first = [x]
    second = first if bool(x.sum() > 0) else [x]
    first.append(x)
    return len(first), len(second)


def summed(x: torch.Tensor) -> torch.Tensor:
    total = torch.zeros(4)
    for i in range(x.size(0)):
        total += x[i]
    return total


def summed_shared(x: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    total = torch.zeros(4)
    start = total
    for i in range(x.size(0)):
        total += x[i]
    return total, start


def renamed_in_loop(x: torch.Tensor, n: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    y = x * 1
    z = y
    for _ in range(int(n)):
        z.add_(1)
        z = z * 2
    z.mul_(3)
    return y, z


def read_in_loop(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    y = x * 1
    z = y
    total = torch.zeros(3)
    for _ in range(int(n)):
        total = total + y.sum(1)
        z.add_(1)
        z = z * 2
    return total


def changed_last(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    z = x * 1
    for i in range(int(n)):
        z.add_(i)
        z = z * 2
    z += 1
    y = z if bool(z.sum() > 0) else z * 2
    y[0] += 5
    return y


def row_in_loop(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    y = x * 1
    row = torch.zeros(4)
    for i in range(int(n)):
        row = y[i]
    row.add_(100)
    return y


class Weighted(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("state", torch.ones(3, 4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x * 2
        if bool(x.sum() > 0):
            y = self.state
        y += 1
        return y


def both_changed_in_loop(x: torch.Tensor, n: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    y = x + 1
    z = y
    for i in range(int(n)):
        z += x
        y.mul_(0.5)
    return y, z


def returned_lists(x: torch.Tensor) -> torch.Tensor:
    parts = [x, x * 2]
    if bool(x.sum() > 0):
        parts[0] = x * 3
        chosen = parts
    else:
        chosen = [x, x]
    return chosen[0] - chosen[1]


def returned_in_loop(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    first = [x, x * 2]
    second = [x * 3, x]
    for i in range(int(n)):
        first[0] = first[0] + i
        second = first
    return second[0] - second[1] + first[0]


def known_contents(x: torch.Tensor) -> torch.Tensor:
    """One side changes a constant in place, the other reads its contents."""
    made = torch.zeros(1)
    number = 0
    if bool(x.sum() > 0):
        made += 1
    else:
        number = int(made) + 2
    return x * number + made


script("memory/side", shared_side, X, refused=READ)
script("memory/lists", shared_lists, X, refused="a list that comes out of a branch")
script("memory/summed", summed, X, dynamic=BATCH)
script("memory/summed-shared", summed_shared, X, dynamic=BATCH)
script("memory/both-changed", both_changed_in_loop, X, torch.tensor(2), others=counts(0, 1, 5))
script("memory/renamed", renamed_in_loop, X, torch.tensor(2), refused=READ)
script("memory/read-in-loop", read_in_loop, X, torch.tensor(2), refused=READ)
script("memory/changed-last", changed_last, X, torch.tensor(2), others=counts(0, 1))
script("memory/row-in-loop", row_in_loop, X, torch.tensor(2), refused=READ)
script("memory/weight", Weighted().eval(), X, refused=READ)
script("memory/known-contents", known_contents, X, others=signs)
script("memory/returned", returned_lists, X, others=signs)
script("memory/returned-loop", returned_in_loop, X, torch.tensor(2), others=counts(0, 1, 3))
