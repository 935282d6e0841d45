"""Slices by the size of another tensor, and minima of two sizes: at sizes in another order than the example's."""

from typing import Tuple

import torch
import torch.nn.functional as F

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


# Code under a condition need not run at all sizes: raising at the smallest ones does not exclude them.
def row_under_branch(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    first = x[:3]
    last = torch.zeros(4)
    if y.sum() > 0:
        last = first[2]
    return last * first.size(0)


def element_under_branch(x: torch.Tensor, y: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    first = x[:3]
    if y.sum() > 0:
        first = torch.stack([first[0], first[1] * first[2]]) @ torch.ones(4, 2)
    else:
        first = first[:, :2] + first.shape[0]
    return first, x[-2:]


def fixed_under_branch(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    first = x[:3]
    if y.sum() > 0:
        return (first.t() @ torch.ones(3, 2)) + len(first)
    return torch.cat([first, first]).sum(0).unsqueeze(1).expand(4, 2)


def rows_in_loop(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    total = torch.zeros(4)
    first = x[:3]
    for i in range(first.size(0)):
        if y.sum() > 0:
            total = total + first[i] * (i + 1)
    for row in first:
        total = total + row
    return total


def signed():
    return [[torch.randn(rows, 4), torch.full((3,), sign)]
            for rows in (1, 2, 3, 4, 9, 40) for sign in (1.0, -1.0) if rows > 2 or sign < 0]


for name, function in {
    "row-under-branch": row_under_branch, "element-under-branch": element_under_branch,
    "fixed-under-branch": fixed_under_branch,
}.items():
    CASES.script(name, function, X, Y, dynamic=DYNAMIC, others=signed)
CASES.script("rows-in-loop", rows_in_loop, X, Y, dynamic=DYNAMIC, others=others)


# Not for one row, although there is a size at which a slice removes nothing.
def first_of_two(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return x[1] * x[:3].size(0)


def last_of_two(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    last = x[-3:]
    return torch.ones(2, last.size(0)).sum(1) + x[1, 0]


def firsts_of_two(x: torch.Tensor, y: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    return x[1] * x[:6].size(0) + x[:3].size(0), y[2] * y[:5].size(0)


def rows_of_two(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return torch.stack([row * 2 for row in x[:3].unbind(0)]) + x[1]


def parts_of_two(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    flat = x.flatten()[:10]
    return x[1] * flat.size(0) + flat.sum()


def wanted():
    return [[torch.randn(rows, 4), torch.randn(length)]
            for rows in (2, 3, 5, 6, 7, 40) for length in (3, 4, 5, 6, 33)]


for name, function in {
    "first-of-two": first_of_two, "last-of-two": last_of_two, "firsts-of-two": firsts_of_two,
    "rows-of-two": rows_of_two, "parts-of-two": parts_of_two,
}.items():
    CASES.script(name, function, X, Y, dynamic=DYNAMIC, others=wanted)
for name, function in {
    "first-of-two": first_of_two, "last-of-two": last_of_two, "firsts-of-two": firsts_of_two,
    "parts-of-two": parts_of_two,
}.items():
    CASES.call(f"traced/{name}", function, X, Y, dynamic=DYNAMIC, others=wanted)


# After windows and strides, which accept no image of one pixel, there are still sizes with less than three columns.
IMAGE = torch.arange(2.0 * 12 * 16).reshape(1, 2, 12, 16).sin()
PIXELS = {0: {2: "height", 3: "width"}}


def columns_of_pooled(x: torch.Tensor) -> torch.Tensor:
    columns = F.max_pool2d(x, 2)[..., :3]
    return columns * columns.size(3)


def last_columns_of_pooled(x: torch.Tensor) -> torch.Tensor:
    columns = F.avg_pool2d(F.max_pool2d(x, 2), 2, 2, ceil_mode=True)[..., -3:]
    return torch.zeros(columns.size(3) * 2)


def corner_of_strided(x: torch.Tensor) -> torch.Tensor:
    corner = F.conv2d(x, torch.ones(2, 2, 2, 3), stride=[2, 3])[:, :, :3, :2]
    return corner * corner.size(3) + corner.size(2)


def columns_of_halved(x: torch.Tensor) -> torch.Tensor:
    columns = F.interpolate(x, scale_factor=0.5)[..., 1:3]
    return columns + columns.size(3)


def frames(x: torch.Tensor) -> torch.Tensor:
    frames = x.unfold(3, 2, 3)[..., 0][..., :3]
    return frames * frames.size(3)


def loop_over_columns(x: torch.Tensor) -> torch.Tensor:
    x = F.max_pool2d(x, 2)
    total = torch.zeros(1)
    for i in range(x[..., :4].size(3)):
        total = total + x[..., i].sum()
    return total


# Their number does not depend on a single axis.
def pixels_of_pooled(x: torch.Tensor) -> torch.Tensor:
    pixels = F.max_pool2d(x, 2).flatten(2)[..., :5]
    return pixels * pixels.size(2)


def rows_of_pooled(x: torch.Tensor) -> torch.Tensor:
    rows = F.max_pool2d(x, 2).transpose(2, 3).reshape(x.size(0), -1, 2)[:, :6]
    return rows * rows.size(1)


def images():
    return [[torch.randn(1, 2, height, width)] for height in (3, 4, 5, 8, 21)
            for width in (3, 4, 5, 6, 7, 9, 13, 40)]


for name, function in {
    "columns-of-pooled": columns_of_pooled, "last-columns-of-pooled": last_columns_of_pooled,
    "corner-of-strided": corner_of_strided, "columns-of-halved": columns_of_halved, "frames": frames,
    "pixels-of-pooled": pixels_of_pooled, "rows-of-pooled": rows_of_pooled,
}.items():
    CASES.script(name, function, IMAGE, dynamic=PIXELS, others=images)
    CASES.call(f"traced/{name}", function, IMAGE, dynamic=PIXELS, others=images)
CASES.script("loop-over-columns", loop_over_columns, IMAGE, dynamic=PIXELS, others=images)
