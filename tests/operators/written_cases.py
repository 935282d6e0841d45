"""Writes to parts with data-dependent bounds: padding, overlap-add, tiles, caches."""

from typing import Tuple

import torch

from building import Cases, counts

CASES = Cases()
X = torch.arange(30.0).reshape(5, 6) - 9
AXES = {0: {0: "rows", 1: "columns"}}
BOUNDS = (0, 1, 3, 5, 9, -1, -2, -9)


def by_count(name, function, **options):
    """A function of a tensor and a data-dependent count: also zero, too large, from the end."""
    CASES.script(name, function, X, torch.tensor(2), dynamic=AXES,
                 **{"others": counts(*BOUNDS, first=(X,)), **options})


def copied(x: torch.Tensor, n: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    k = int(n)
    rows = torch.zeros_like(x)
    rows[:k] = x[:k]
    columns = x.clone()
    columns[:, k:] = -x[:, k:]
    return rows, columns


def in_place(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    k = int(n)
    y[:, :k] += x[:, :k]
    y[k:] -= x[0]
    y[:k, 1:] *= x[:k, :1]
    y[:, k:] /= x.size(0)
    y[:k].clamp_(max=20)
    y[k:, :k].fill_(7)
    return y


def masked(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    k = int(n)
    y[:k].masked_fill_(x[:k] > 2, 50)
    y[:, k:].masked_fill_(x[:, k:] < 0, -50)
    part = y[k:]
    part[x[k:] > 9] = 4
    part[:, 0] = 3
    return y


def nested(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    k = int(n)
    y[1, :k] = x[0, :k]
    y[:, :k].t().add_(x[:, :k].t())
    y[k:][:2] *= 2
    y[:k].transpose(0, 1)[1:] = 0.5
    y[2:].unsqueeze(0)[..., k:] -= x[2:, k:]
    y[:k].view(-1)[::2] += 1
    y[:, k:].select(0, -1).zero_()
    return y


def stepped(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    k = int(n)
    y[k::2] = x[k::2] * 3
    y[:, :k:3] += x[:, :k:3]
    y[::abs(k) + 1] -= x[::abs(k) + 1] / 2
    return y


def broadcast(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    k = int(n)
    y[:k] = x[-1]
    y[:, :k] = x[:, :1]
    y[k:] = x[:1, :1]
    y[:k] += x.mean()
    y[:, k:] = 2
    return y


def converted(x: torch.Tensor, n: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    k = int(n)
    whole = torch.zeros(x.shape, dtype=torch.long)
    whole[:k] = x[:k]
    flags = torch.zeros(x.shape, dtype=torch.bool)
    flags[:, :k] = x[:, :k]
    wide = torch.ones(x.shape, dtype=torch.float64)
    wide[k:] += x[k:]
    return whole, flags, wide


def other_names(x: torch.Tensor, n: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    y = x.relu()
    k = int(n)
    part = y[:, :k]
    row = y[0]
    part.mul_(2)
    y.add_(1)
    y[:, :k] *= part
    part -= x[:, :k]
    return y, part + 1, row


def empty_or_whole(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    y = x[: int(n)].clone()
    y.add_(x[: int(n)])
    x[int(n):].add_(5)
    return torch.cat([y, x])


def under_branch(x: torch.Tensor, n: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    y = x.clone()
    k = int(n)
    if k > 2:
        y[:k] = 0
        y[:, :k] += x[:, :k]
    else:
        y[k:] = x[k:] * 3
    rest = y[:, 1:]
    rest.mul_(2)
    return y, rest


by_count("copied", copied)
by_count("in-place", in_place)
by_count("masked", masked)
by_count("nested", nested)
by_count("stepped", stepped)
by_count("broadcast", broadcast)
by_count("converted", converted)
by_count("other-names", other_names)
by_count("empty-or-whole", empty_or_whole)
by_count("under-branch", under_branch)


def by_steps(x: torch.Tensor, n: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    y = x.clone()
    part = y[::int(n)]
    part[:, 0] = 2
    half = x.size(0) // 2
    y[::half * half + 1][:, 1] = 3
    return y, part @ x[0]


def behind_others(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    half = x.size(0) // 2
    for i in range(int(n) - 1):
        part = y[:2, i:i + 3]
        part[half:] = -1
    return y


CASES.script("by-steps", by_steps, X[:4], torch.tensor(2), dynamic=AXES, others=lambda: [
    [X[:rows], torch.tensor(n)] for rows in (2, 3, 5) for n in (1, 3, 9)])
CASES.script("behind-others", behind_others, X[:4], torch.tensor(3), dynamic=AXES,
             others=lambda: [[X[:rows], torch.tensor(n)] for rows in (2, 3, 5) for n in (0, 2, 4)])

# ---- whole programs --------------------------------------------------------------------------------


def narrowed(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    y = torch.zeros_like(x)
    y.narrow(1, 0, int(n)).copy_(x.narrow(1, 1, int(n)))
    y.narrow(0, int(n), 2).add_(1)
    y.narrow(1, -2, int(n)).sub_(3)
    return y


def collated(x: torch.Tensor, n: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    padded = torch.full((n.size(0), int(n.max())), -1.0)
    mask = torch.zeros(padded.shape, dtype=torch.bool)
    begin = 0
    for i in range(n.size(0)):
        k = int(n[i])
        padded[i, :k] = x[begin:begin + k]
        mask[i, :k] = True
        begin += k
    return padded, mask


def packed(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    rows = x.new_zeros(int(n.sum()), x.size(2))
    begin = 0
    for i in range(x.size(0)):
        k = int(n[i])
        rows[begin:begin + k] = x[i, :k]
        begin = begin + k
    return rows


def overlapped(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    hop, width = int(n), x.size(2)
    y = torch.zeros(x.size(0), hop * (x.size(1) - 1) + width)
    weight = torch.zeros(y.size(1))
    for i in range(x.size(1)):
        y[:, i * hop:i * hop + width] += x[:, i]
        weight[i * hop:i * hop + width] += 1
    return y / weight.clamp(min=1)


def tiled(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    size = int(n)
    height, width = x.shape
    y = x.new_zeros(height * 2, width * 2)
    for i in range((height + size - 1) // size):
        for j in range((width + size - 1) // size):
            bottom, right = min((i + 1) * size, height), min((j + 1) * size, width)
            tile = x[i * size:bottom, j * size:right] + i
            tile = tile.repeat_interleave(2, 0).repeat_interleave(2, 1)
            y[i * size * 2:bottom * 2, j * size * 2:right * 2] = tile
    return y


def windowed(x: torch.Tensor) -> torch.Tensor:
    y, count = torch.zeros_like(x), torch.zeros(x.size(1))
    begin = 0
    while begin < x.size(1):
        y[:, begin:begin + 4] += x[:, begin:begin + 4].cumsum(1)
        count[begin:begin + 4] += 1
        begin += 3
    return y / count


def cached(keys: torch.Tensor, x: torch.Tensor, n: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    begin, count = int(n), x.size(1)
    keys = keys.clone()
    keys[:, begin:begin + count] = x
    return x @ keys[:, :begin + count].transpose(1, 2), keys


def around_ring(ring: torch.Tensor, x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    ring = ring.clone()
    begin = int(n) % ring.size(0)
    first = min(ring.size(0) - begin, x.size(0))
    ring[begin:begin + first] = x[:first]
    ring[:x.size(0) - first] = x[first:]
    return ring


def pasted(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    picture = torch.zeros(6, 7)
    for i in range(n.size(0)):
        left, top, right, bottom = int(n[i, 0]), int(n[i, 1]), int(n[i, 2]), int(n[i, 3])
        picture[max(top, 0):bottom, max(left, 0):right] = x[max(-top, 0):min(bottom, 6) - top,
                                                            max(-left, 0):min(right, 7) - left]
    return picture


def behind_mask(x: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    y[x > 0] = x[x > 0] * 2
    y[:, -2:] = x[:, :2]
    y[x < -3] = 1
    y[-1:] += x[:1]
    return y


CASES.script("narrowed", narrowed, X, torch.tensor(2), dynamic=AXES, others=counts(0, 1, first=(X,)))
CASES.script("collated", collated, torch.arange(9.0), torch.tensor([2, 4, 3]), others=lambda: [
    [torch.arange(9.0), torch.tensor(n)] for n in ([0, 4, 5], [9, 0, 0], [1, 1, 1])])
CASES.script("packed", packed, (3, 4, 2), torch.tensor([1, 4, 0]), dynamic={0: {1: "length", 2: "width"}},
             others=lambda: [[torch.randn(3, 4, 2), torch.tensor(n)] for n in ([0, 0, 0], [4, 4, 4])])
CASES.script("overlapped", overlapped, (2, 5, 4), torch.tensor(2),
             dynamic={0: {0: "batch", 1: "frames", 2: "width"}}, others=counts(1, 4, 7, first=(torch.ones(2, 5, 4),)))
CASES.script("tiled", tiled, (7, 9), torch.tensor(4), dynamic={0: {0: "height", 1: "width"}},
             others=counts(1, 3, 8, 20, first=(torch.ones(7, 9),)))
CASES.script("windowed", windowed, (2, 9), dynamic={0: {0: "batch", 1: "length"}})
CASES.script("cached", cached, (2, 12, 3), (2, 4, 3), torch.tensor(2), dynamic={0: {0: "batch"}, 1: {0: "batch"}},
             others=lambda: [[torch.zeros(2, 12, 3), torch.ones(2, 4, 3), torch.tensor(n)] for n in (0, 8)])
CASES.script("around-ring", around_ring, (5, 2), (3, 2), torch.tensor(4), dynamic={0: {0: "ring"}, 1: {0: "rows"}},
             others=lambda: [[torch.zeros(5, 2), torch.ones(3, 2), torch.tensor(n)] for n in (0, 2, 3, 8)])
CASES.script("pasted", pasted, (8, 8), torch.tensor([[0, 0, 2, 2], [1, 1, 5, 4]]), others=lambda: [
    [torch.randn(8, 8), torch.tensor(n)] for n in ([[-1, -2, 4, 5], [6, 5, 9, 8]], [[2, 3, 2, 4], [0, 0, 7, 6]])])
CASES.script("behind-mask", behind_mask, X, dynamic=AXES, others=lambda: [[X * 0], [-X], [X.abs() + 1]])
