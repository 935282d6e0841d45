"""Programs with data-dependent branches, loops and sizes; and blocks with modes."""

import torch
from torch import nn
from torch._higher_order_ops import associative_scan  # noqa: F401  (registers it)
from torch._higher_order_ops.map import map as map_over
from torch._higher_order_ops.scan import scan
from torch._higher_order_ops.while_loop import while_loop

from plain_programs import Block, floats
from program import Program


class Branch(nn.Module):
    def __init__(self):
        super().__init__()
        self.yes, self.no = Block(), nn.Linear(8, 8)

    def forward(self, x):
        return torch.cond(x.sum() > 0, lambda x: self.yes(x), lambda x: self.no(x).sin(), (x,)) + 1


def added(x, y):
    return x + y, x.clone()


def subtracted(x, y):
    return x - y, y.clone()


def chosen(x, y):
    return torch.cond(y.sum() > 0, added, subtracted, (x, y))


def multiplied(x, y):
    return x * y, x.cos()


class Nested(nn.Module):
    def forward(self, x, y):
        if torch.compiler.is_compiling():
            return torch.cond(x.mean() > 0, chosen, multiplied, (x, y))
        inner = added if y.sum() > 0 else subtracted  # PyTorch cannot run one cond in another
        return inner(x, y) if x.mean() > 0 else multiplied(x, y)


class While(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x, n):
        def body(i, x):
            return i + 1, torch.tanh(self.layer(x))

        return while_loop(lambda i, x: i < n.sum(), body, (torch.zeros((), dtype=torch.int64), x))


class Scan(nn.Module):
    def forward(self, x):
        return scan(lambda carry, row: (carry * 0.5 + row, (carry + row).sin()), torch.zeros_like(x[:, 0]), x, dim=1)


class Map(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 3)

    def forward(self, x, y):
        return map_over(lambda row, y: self.layer(row) + y, x, y)


class NoGrad(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()

    def forward(self, x):
        with torch.no_grad():
            y = self.block(x)
        with torch.enable_grad():
            return y * 2 + x


class Autocast(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = self.layer(x)
        return y.float() + x


class Nonzero(nn.Module):
    def forward(self, x):
        where = torch.nonzero(x > 0)
        return where, x[x > 0].exp(), where.shape[0]


class Distinct(nn.Module):
    """Outputs that nobody asks for are in the program all the same."""

    def forward(self, x):
        signs = (x > 0).long()
        columns = torch.unique(signs, dim=1)
        rows, places = torch.unique(signs, dim=0, return_inverse=True)
        return columns, rows, places, torch.unique_consecutive(signs, dim=1)


class Item(nn.Module):
    """A data-dependent number as a size."""

    def forward(self, x, n):
        count = n.item()
        torch._check(count >= 1)
        torch._check(count <= 6)
        return x[:, :count].cumsum(1), torch.ones(count, 2)


class Masked(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()

    def forward(self, x, mask):
        kept = self.block(torch.masked_select(x, mask.unsqueeze(-1)).reshape(-1, 8))
        return torch.zeros_like(x).masked_scatter(mask.unsqueeze(-1).expand_as(x), kept), kept.sum()


class Gradients(nn.Module):
    """A detached part, and a dropout that does nothing."""

    def __init__(self):
        super().__init__()
        self.block, self.drop = Block(), nn.Dropout(0.5)

    def forward(self, x):
        return self.drop(self.block(x).detach()) + x.clone().contiguous()


def masked(b, s):
    mask = torch.rand(b, s) > 0.3
    mask[0, 0] = True
    return torch.randn(b, s, 8), mask


def counted(b, s):
    return torch.randn(b, 8), torch.tensor(s % 4)


PROGRAMS = (
    Program("branch", Branch, floats(("b", "s", 8)), twin=False),
    Program("nested_branches", Nested, floats(("b", "s"), ("b", "s")), twin=False),
    Program("while", While, counted, twin=False),
    Program("scan", Scan, floats(("b", "s")), twin=False),
    Program("map", Map, lambda b, s: (torch.randn(b, s, 4), torch.randn(3)), twin=False),
    Program("no_grad", NoGrad, floats(("b", "s", 8))),
    Program("autocast", Autocast, floats(("b", 8)), twin=False),
    Program("nonzero", Nonzero, floats(("b", "s")), twin=False),
    Program("distinct", Distinct, floats(("b", "s")), twin=False),
    Program("item", Item, lambda b, s: (torch.randn(b, 6), torch.tensor(min(s, 6))), twin=False),
    # One lane is enough for its inputs, but cannot distinguish a data-dependent size from a fixed one.
    Program("item_of_fixed", Item, lambda b, s: (torch.randn(2, 6), torch.tensor(min(s, 6))), twin=False),
    Program("masked", Masked, masked, twin=False),
    Program("gradients", Gradients, floats(("b", "s", 8))),
)
