"""Tensors that share memory with another one for some data or sizes only; and parts of data-dependent size."""

from typing import List, Tuple

import torch

from building import Cases, X, signs

CASES = Cases()
READ = "the tensor that it changes is read under another name"


def mixed():
    return [*signs(), [X[[1, 2, 0]]], [X * torch.tensor([1.0, 1.0, -1.0, -1.0])]]


def ups(x: torch.Tensor) -> int:
    return int((x[0] > 0).sum())


def parts(x: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor, int]:
    all_parts = x.split(ups(x) + 1, 1)
    return all_parts[0] * 2, all_parts[-1] * 2, len(all_parts)


def parts_joined(x: torch.Tensor) -> torch.Tensor:
    reversed_parts: List[torch.Tensor] = []
    for part in x.split(ups(x) + 1, 1):
        reversed_parts.append(part.flip(1) * 2)
    return torch.cat(reversed_parts, 1)


def parts_unpacked(x: torch.Tensor) -> torch.Tensor:
    first, second = x.split(ups(x) + 2, 1)
    return first * second.sum()


def part_changed(x: torch.Tensor) -> torch.Tensor:
    x.split(ups(x) + 1, 1)[0].add_(3)
    return x * 1


def part_of_changed(x: torch.Tensor) -> torch.Tensor:
    part = x.split(ups(x) + 1, 1)[0]
    x.add_(3)
    return part * 1


# The part split off is unknown; it is a view of x.
def unknown_changed(x: torch.Tensor) -> torch.Tensor:
    n = ups(x)
    first, rest = x.split([n, 4 - n], 1)
    first.add_(3)
    return x * 1


# In separate memory, unless one row is selected.
def columns_of_selected(x: torch.Tensor) -> torch.Tensor:
    rows = x[x[:, 0] > 0]
    rows.t().contiguous().add_(3)
    return rows


def columns_of_selected_alone(x: torch.Tensor) -> torch.Tensor:
    rows = x[x[:, 0] > 0]
    columns = rows.t().contiguous()
    columns.add_(3)
    return columns


# All of x, or a part.
def first_columns(x: torch.Tensor) -> torch.Tensor:
    x[:, :ups(x)].contiguous().add_(3)
    return x * 1


def repeated_rows(x: torch.Tensor) -> torch.Tensor:
    rows = x.expand(ups(x) + 1, 3, 4)
    rows.reshape(-1).add_(3)
    return x * 1


# The positions along one dim are adjacent.
def positions(x: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    found = torch.nonzero(x > 0)
    columns = found.t().contiguous()
    columns.add_(3)
    return found * 1, columns


def largest(x: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    values = x.topk(ups(x), 1)[0]
    same = values.contiguous()
    same.add_(3)
    return values * 1, same


for name, function in {
    "parts": parts, "parts-joined": parts_joined, "columns-of-selected-alone": columns_of_selected_alone,
    "largest": largest,
}.items():
    CASES.script(name, function, X, others=mixed)
for name, function in {
    "part-changed": part_changed, "part-of-changed": part_of_changed,
    "columns-of-selected": columns_of_selected, "first-columns": first_columns,
    "repeated-rows": repeated_rows,
}.items():
    CASES.script(name, function, X, refused=READ)
CASES.script("unknown-changed", unknown_changed, X, refused="sizes that depend on the data do not fit")
CASES.script("positions", positions, X, others=mixed)
CASES.script("parts-unpacked", parts_unpacked, X, refused="into how many parts a tensor is split depends on the data")


def first_hundred(x: torch.Tensor) -> torch.Tensor:
    x[:100].contiguous().add_(3)
    return x * 1


def first_hundred_alone(x: torch.Tensor) -> torch.Tensor:
    first = x[:100].contiguous()
    first.add_(3)
    return first


CASES.script("first-hundred", first_hundred, X[0], dynamic={0: {0: "length"}}, refused=READ)
CASES.script("first-hundred-alone", first_hundred_alone, X[0], dynamic={0: {0: "length"}},
             others=lambda: [[torch.randn(n)] for n in (1, 3, 99, 100, 101, 250)])


# Written back through views of views.
def changed_through_slices(x: torch.Tensor) -> torch.Tensor:
    x[:, :2].transpose(0, 1)[:100].unsqueeze(0).mul_(2)
    return x * 1


CASES.script("changed-through-slices", changed_through_slices, X, dynamic={0: {0: "rows"}},
             others=lambda: [[torch.randn(n, 4)] for n in (1, 2, 7, 150)])
