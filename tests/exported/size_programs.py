"""Programs that only accept some sizes: ranges, steps, and guards on several sizes."""

import torch
from torch import nn
from torch.export import Dim
from torch.nn import functional

from plain_programs import Block, floats
from program import Program

SOME = ("plain", "strict")
BOTH = ("plain", "decomposed")
ONE = ("plain",)


class AtMost(nn.Module):
    """The second argument is no longer than the first."""

    def forward(self, x, y):
        return x[:, : y.shape[1]] + y


class Windowed(nn.Module):
    """A mask of fixed length, sliced to the keys, the last of which are queries."""

    def __init__(self):
        super().__init__()
        self.register_buffer("mask", torch.ones(64, 64).tril())

    def forward(self, queries, keys):
        begin, end = keys.shape[1] - queries.shape[1], keys.shape[1]
        return queries @ keys.transpose(1, 2) + self.mask[begin:end, :end]


class Positions(nn.Module):
    """Exported with as many steps as there are positions."""

    def __init__(self):
        super().__init__()
        self.positions = nn.Parameter(torch.randn(32, 8))
        self.block = Block()

    def forward(self, x):
        return self.block(x + self.positions[: x.shape[1]])


class Patches(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Conv2d(1, 2, 16, 16)

    def forward(self, x):
        return self.project(x).flatten(2).transpose(1, 2)


class Area(nn.Module):
    def forward(self, x):
        torch._check(x.shape[1] * x.shape[2] <= 4096)
        return x.flatten(1).softmax(-1)


class Twice(nn.Module):
    """One argument has 2·n + 1 steps where the other one has n."""

    def forward(self, x, y):
        return x[:, 1::2] + y, x.sum(1)


class Numbers(nn.Module):
    """An int is a factor, and a part of a size."""

    def forward(self, x, n: int):
        return x * n + x.size(0) * n, x.sum(0).expand(n, -1)


class CutAt(nn.Module):
    """An int is a place in an axis, and the size of another one."""

    def forward(self, x, parts):
        return x[:, : parts["cut"]].relu(), x.new_zeros(parts["cut"], 2) + parts["more"].sum()


class Grouped(nn.Module):
    """An int divides an axis."""

    def forward(self, x, n: int):
        return x.reshape(n, -1) * 2


class Counted(nn.Module):
    def forward(self, x, n: int):
        return torch.arange(n) + x.sum().long(), x.sum(0) / n


class Padded(nn.Module):
    """As many rows as two numbers of the data multiply to, for each of two pictures, and the first one for those that
    are left of 16."""

    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.randn(1, 3, 5, 5))

    def forward(self, x, shapes):
        rows = torch.empty(2, 16, 3)
        for i in range(2):
            height, width = shapes[i].tolist()
            torch._check(height >= 1)
            torch._check(width >= 1)
            torch._check(height * width <= 16)
            found = functional.interpolate(self.table, (height, width), mode="bilinear", antialias=True)
            found = found.reshape(3, height * width).transpose(0, 1)
            rows[i, : height * width] = found
            rows[i, height * width :] = found[0]
        return x + rows


class Mapped(nn.Module):
    def forward(self, x):
        return torch.vmap(lambda row: row.tanh() * 2)(x)


class Product(nn.Module):
    """The second argument has as many elements as the first one, and a further row."""

    def forward(self, x, y):
        return torch.cat((x.flatten(), x[0])) + y


class SizesOfOthers(nn.Module):
    """Lists that are called size, but are not that of the result: a picture's, and that of a written part."""

    def forward(self, x, theta):
        grid = functional.affine_grid(theta, x.shape, False)
        begin = torch.arange(6.0).reshape(2, 3)
        return functional.grid_sample(x, grid, align_corners=False), torch.as_strided_scatter(x, begin, (2, 3), (3, 1), 1)


def images(b, h, w):
    return (torch.randn(b, 1, h, w),)


STEPS = Dim("steps", min=2, max=64)
SIDES = {0: Dim("b"), 2: 16 * Dim("rows", min=1, max=32), 3: 16 * Dim("columns", min=1, max=32)}
PROGRAMS = (
    Program("at_most", AtMost, lambda b, x, y: (torch.randn(b, x), torch.randn(b, y)), ((2, 8, 6), (3, 40, 12), (2, 3, 2)),
            modes=SOME, twin=False),
    Program("windowed", Windowed, lambda b, q, k: (torch.randn(b, q, 4), torch.randn(b, k, 4)),
            ((2, 7, 7), (3, 2, 50), (2, 3, 4)), modes=ONE, twin=False),
    Program("positions", Positions, floats(("b", "s", 8)), ((2, 32), (1, 1), (3, 9)), modes=SOME, twin=False),
    Program("patches_of_16", Patches, images, ((2, 224, 320), (1, 32, 48), (3, 64, 32)), {"x": SIDES}, modes=ONE,
            twin=False),
    Program("area", Area, lambda b, h, w: (torch.randn(b, h, w),), ((2, 30, 40), (3, 2, 5), (2, 64, 64)), modes=ONE,
            twin=False),
    Program("few_batches", Positions, floats(("b", "s", 8)), ((2, 9), (3, 9), (4, 9)), {"x": {0: Dim("b", min=2, max=4)}},
            modes=ONE, twin=False),
    Program("twice", Twice, lambda b, s: (torch.randn(b, 2 * s + 1), torch.randn(b, s)), ((3, 6), (2, 3), (5, 30)),
            {"x": {0: Dim("b"), 1: 2 * STEPS + 1}, "y": {0: Dim("b"), 1: STEPS}}, modes=ONE, twin=False),
    Program("numbers", Numbers, lambda b, n: (torch.randn(b, 6), n), ((3, 2), (5, 9), (2, 4)), twin=False),
    Program("cut_at", CutAt, lambda b, n: (torch.randn(b, 6), {"cut": n, "more": torch.randn(3)}), ((3, 3), (5, 5), (2, 2)),
            twin=False),
    Program("grouped", Grouped, lambda b, n: (torch.randn(b, 4), n), ((5040, 4), (9, 3), (60, 6)), modes=ONE, twin=False),
    Program("grouped_few", Grouped, lambda b, n: (torch.randn(b, 4), n), ((6, 3), (9, 3), (60, 3)),
            {"x": {0: Dim.AUTO}, "n": Dim.AUTO}, modes=ONE, twin=False),
    Program("counted", Counted, lambda b, n: (torch.randn(b, 6), n), ((3, 4), (5, 7), (2, 1000)), twin=False),
    Program("padded", Padded, lambda *shapes: (torch.randn(2, 16, 3), torch.tensor(shapes).reshape(2, 2)),
            ((4, 4, 3, 2), (1, 1, 2, 8), (5, 3, 1, 16)), modes=ONE, twin=False),
    Program("mapped", Mapped, floats(("b", 4)), modes=BOTH, twin=False),
    Program("product", Product, lambda h, w: (torch.randn(h, w), torch.randn(h * w + w)), ((3, 5), (2, 4), (7, 9)),
            modes=ONE, twin=False),
    Program("sizes_of_others", SizesOfOthers, lambda b, h, w: (torch.randn(b, 2, h, w), torch.randn(b, 2, 3)),
            ((2, 12, 16), (3, 12, 16), (9, 12, 16)), modes=BOTH, twin=False),
)
