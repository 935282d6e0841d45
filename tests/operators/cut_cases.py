"""What is cut off by the size of another tensor, and the smaller one of two sizes: at sizes that lie
otherwise than the example's."""

from typing import Tuple

import torch

from building import Cases

CASES = Cases()
DYNAMIC = {0: {0: "rows"}, 1: {0: "length"}}
X, Y = torch.arange(12.0).reshape(3, 4) - 5, torch.tensor([1.0, -2.0, 3.0, 0.5])


def others():
    return [[torch.randn(rows, 4), torch.randn(length)]
            for rows in (1, 2, 4, 9, 40) for length in (1, 2, 3, 5, 33)]


def behind_other(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return x[y.size(0):]


def behind_cut(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return y[:2][x.size(0):]


def both_ways(x: torch.Tensor, y: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    return x[y.size(0):], y[x.size(0):]


def without_last(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return x[: -y.size(0)].sum(0)


def size_of_cut(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    first = x[:3]
    return first * first.size(0)


def size_of_last(x: torch.Tensor, y: torch.Tensor) -> int:
    return x[-5:].size(0) * 10 + y[2:].size(0)


def smaller_one(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return torch.zeros(min(x.size(0), y.size(0))) + min(x.size(0), 2)


def largest_two(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return torch.topk(y, min(2, y.size(0)))[0]


def until_three(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    count = 0
    while count < x.size(0) and count < 3:
        count += 1
    return x * count


def padded_to_five(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return torch.cat([y, torch.ones(max(5 - y.size(0), 0))])


def selected_by_vector(x: torch.Tensor, y: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    rows = x[x[:, 0] > 0]
    return rows @ x[0], y[:1].expand(4) @ rows.t()


for name, function in {
    "behind-other": behind_other, "behind-cut": behind_cut, "both-ways": both_ways,
    "without-last": without_last, "size-of-cut": size_of_cut, "size-of-last": size_of_last,
    "smaller-one": smaller_one, "largest-two": largest_two, "until-three": until_three,
    "padded-to-five": padded_to_five, "selected-by-vector": selected_by_vector,
}.items():
    CASES.script(name, function, X, Y, dynamic=DYNAMIC, others=others)
