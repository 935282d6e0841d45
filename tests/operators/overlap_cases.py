"""Tensors that are changed in place by an operator that reads the same memory."""

from typing import List

import torch

from building import BATCH, Cases, counts

CASES = Cases()
script = CASES.script
ORDER = "libtorch's result depends on the order"
BUFFER = (3, 7)


def moved_down(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    buffer = x.clone()
    buffer[:, :-1] = buffer[:, 1:]
    buffer[:, -1] = y
    return buffer


def moved_down_often(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    buffer = x.clone()
    for i in range(int(n)):
        buffer[:, :-2] = buffer[:, 2:]
        buffer[:, -2:] = buffer[:, :2] + i
    return buffer


def added_to_those_before(x: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    y[:, :-1] += y[:, 1:]
    y[:-1, 2] *= y[1:, 2]
    return y


def parts_apart(x: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    y[:, :3] += y[:, 4:]
    y[:, 1::2] *= y[:, :-1:2]
    y[::2, :2] -= y[::2, 5:]
    y[:, 0].mul_(y[:, 6])
    y[1].copy_(y[0])
    first = y[:, 1]
    first += 1
    first *= y[:, 2]
    return y


def in_one_place(x: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    y += y
    y.mul_(y.view(3, 7))
    y[:, 1:].div_(y[:, 1:])
    y[y > 3] = 1
    y /= y.sum()
    y -= y.mean(0)
    return y


def moved_up(x: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    y[:, 1:] = y[:, :-1]
    return y


def summed_up(x: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    y[1:, 0] += y[:-1, 0]
    return y


def changed_before(x: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    y[0].add_(1)
    column = y[1:, 0]
    column.mul_(2)
    column += y[:-1, 0]
    return y


def transposed(x: torch.Tensor) -> torch.Tensor:
    y = x.clone()[:, :3]
    y += y.t()
    return y


def row_of_part(x: torch.Tensor) -> torch.Tensor:
    y = x.clone()[:, :3]
    y += y[0]
    return y


def listed(x: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    parts: List[torch.Tensor] = [y[:, :3], y[:, 2:5]]
    parts[1] += parts[0]
    return y


script("moved-down", moved_down, BUFFER, (3,), dynamic={0: {0: "batch"}, 1: {0: "batch"}})
script("moved-down/often", moved_down_often, BUFFER, torch.tensor(2), others=lambda: [
    [torch.ones(BUFFER), torch.tensor(0)], [torch.arange(21.0).view(BUFFER), torch.tensor(5)]])
script("added-to-those-before", added_to_those_before, BUFFER)
script("apart", parts_apart, BUFFER)
script("in-one-place", in_one_place, BUFFER)
script("moved-up", moved_up, BUFFER, dynamic=BATCH, refused=ORDER)
script("summed-up", summed_up, BUFFER, refused=ORDER)
script("changed-before", changed_before, BUFFER, refused=ORDER)
script("transposed", transposed, BUFFER, refused=ORDER)
script("row-of-part", row_of_part, BUFFER, refused=ORDER)
script("listed", listed, BUFFER, refused=ORDER)

# ---- by bounds of the data ---------------------------------------------------------------------------


def picked_apart(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    k = int(n)
    y[0, :k] += y[1, :k]
    y[min(abs(k), 4)] *= y[0]
    y[:2, k:] -= y[2:4, k:]
    y[min(abs(k), 3), 1:] += y[1, 1:]
    return y


def parts_in_one_place(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    k = int(n)
    part = y[:, :k]
    y[:, :k] *= part
    y[:, :k][1:] -= part[1:]
    y[:1] += y[1:2]
    y[:, k:] += y[:, :k].sum()
    return y


def moved_on(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    y[:, int(n):] = y[:, :y.size(1) - int(n)]
    return y


def moved_among_selected(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    y = x[:, x[0] > n]
    y[:, 2:] = y[:, :-2]
    return y


def moved_within_row(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    y[int(n), 1:] = y[0, :-1]
    return y


def moved_copy(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    y[:, abs(int(n)):] = y[:, :max(y.size(1) - abs(int(n)), 0)].clone()
    return y


PLACES = {"dynamic": {0: {0: "rows", 1: "columns"}}, "others": counts(0, 1, 3, 7, -1, -9, first=(torch.ones(5, 6),))}
script("picked-apart", picked_apart, (5, 6), torch.tensor(2), **PLACES)
script("parts-in-one-place", parts_in_one_place, (5, 6), torch.tensor(2), **PLACES)
script("moved-copy", moved_copy, (5, 6), torch.tensor(2), **PLACES)
for name, function in {"moved-on": moved_on, "moved-among-selected": moved_among_selected,
                       "moved-within-row": moved_within_row}.items():
    script(name, function, (5, 6), torch.tensor(2), refused=ORDER)
