"""Programs that change tensors in place, keep state, or have one weight under several names."""

import torch
from torch import nn

from plain_programs import Block, floats
from program import Program


SOME = ("plain", "decomposed")


class InPlace(nn.Module):
    """Views that are changed, and read through others."""

    def forward(self, x):
        y = x * 2
        view = y[:, 1:]
        y[:, 0] = 3.0
        view.add_(1.0)
        y.clamp_(max=2.5)
        z = y.transpose(0, 1)
        z.mul_(0.5)
        w = torch.zeros_like(x)
        w[:, ::2] = view[:, : w[:, ::2].shape[1] - 1].mean()
        return y, view, z, w.masked_fill_(x > 0, 7.0)


class Narrowed(nn.Module):
    """Parts that are changed are counted from the end, of a dim that may move, too."""

    def forward(self, x):
        y = x * 2
        y.narrow(1, -1, 1).add_(1.0)
        y.narrow(0, -1, 1)[:, 0].mul_(3.0)
        y.permute(1, 0).narrow(0, -3, 2).neg_()
        y.narrow(1, 1, 2).exp_()
        return y


class Counter(nn.Module):
    """Counts calls, and keeps a running mean."""

    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros((), dtype=torch.int64))
        self.register_buffer("mean", torch.zeros(6))

    def forward(self, x):
        self.calls += 1
        self.mean.mul_(0.9).add_(x.mean(0), alpha=0.1)
        return x - self.mean, self.calls * 2


class Cache(nn.Module):
    """A cache of fixed length, written at a position."""

    def __init__(self):
        super().__init__()
        self.register_buffer("keys", torch.zeros(2, 16, 4))
        self.project = nn.Linear(4, 4)

    def forward(self, x, position):
        self.keys.index_copy_(1, position, self.project(x))
        return (self.keys @ x.transpose(1, 2)).softmax(1)


class Changed(nn.Module):
    """Changes its argument."""

    def forward(self, x, y):
        x.add_(y)
        return x * 2 + y


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.word, self.block, self.head = nn.Embedding(11, 8), Block(), nn.Linear(8, 11, bias=False)
        self.head.weight = self.word.weight

    def forward(self, ids):
        return self.head(self.block(self.word(ids)))


class Shared(nn.Module):
    """One module under two names, called twice."""

    def __init__(self):
        super().__init__()
        self.first = Block()
        self.second = self.first
        self.both = nn.ModuleList([self.first, Block()])

    def forward(self, x):
        for block in self.both:
            x = block(x)
        return self.second(x)


class Slices(nn.Module):
    """Weights that are views of one storage."""

    def __init__(self):
        super().__init__()
        whole = torch.randn(3, 8, 8)
        self.register_buffer("query", whole[0])
        self.register_buffer("key", whole[1].t())
        self.register_buffer("value", whole[:, 2])

    def forward(self, x):
        return x @ self.query + x @ self.key, x @ self.value.t()


class Given(nn.Module):
    """Writes into an argument by out=."""

    def forward(self, x):
        y = torch.empty_like(x)
        torch.add(x, x, out=y)
        return y.sin()


class Resized(nn.Module):
    """Resizes a tensor in place."""

    def forward(self, x):
        return x.clone().resize_(2, 2) * 2


class Trained(nn.Module):
    """In training mode: norms update their statistics, one of them twice, and return them."""

    def __init__(self):
        super().__init__()
        self.norm, self.wide = nn.BatchNorm1d(6, momentum=0.3), nn.BatchNorm2d(2, affine=False)
        self.instance = nn.InstanceNorm1d(6, affine=True, track_running_stats=True)
        self.alone, self.drop = nn.BatchNorm1d(6, track_running_stats=False), nn.Dropout(0.0)

    def forward(self, x):
        y = self.instance(self.norm(self.norm(x) * 2))
        z = self.wide(y.reshape(-1, 2, 3, y.shape[2]))
        kept = self.norm.running_mean * 2, self.instance.running_var + 0, self.wide.running_var * 1
        return self.drop(self.alone(y)), z, kept


class Native(nn.Module):
    """Norms and dropout by their native names."""

    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.randn(6))
        self.register_buffer("var", torch.rand(6) + 0.5)
        self.weight = nn.Parameter(torch.randn(6))

    def forward(self, x):
        mean, var, weight = self.mean, self.var, self.weight
        still = torch.native_batch_norm(x, weight, None, mean, var, False, 0.1, 1e-5)[0]
        legit = torch.ops.aten._native_batch_norm_legit(x, weight, None, mean, var, False, 0.1, 1e-5)[0]
        moved = torch.native_batch_norm(x, weight, weight, mean, var, True, 0.2, 1e-5)
        again = torch.ops.aten._native_batch_norm_legit(x, None, weight, mean, var, True, 0.4, 1e-3)
        alone = torch.ops.aten._native_batch_norm_legit.no_stats(x, weight, None, True, 0.1, 1e-5)
        update = torch.ops.aten._batch_norm_with_update(x, weight, weight, mean, var, 0.1, 1e-5)[:3]
        kept = torch.native_dropout(x, 0.5, False)[0]
        layer = torch.native_layer_norm(x, x.shape[2:], None, None, 1e-5)
        group = torch.native_group_norm(x, weight, None, x.shape[0], 6, x.shape[2], 3, 1e-5)[0]
        return still, legit, moved, again, alone, update, kept, layer, group, mean * 1, var * 1


PROGRAMS = (
    Program("in_place", InPlace, floats(("b", "s")), ((2, 6), (1, 3), (5, 9))),
    Program("narrowed", Narrowed, floats(("b", "s")), ((2, 6), (1, 4), (5, 9))),
    Program("counter", Counter, floats(("b", 6))),
    Program("cache", Cache, lambda b, s: (torch.randn(2, s, 4), torch.arange(s)), ((2, 6), (2, 1), (2, 9))),
    Program("changed", Changed, floats(("b", "s"), ("b", "s"))),
    Program("tied", Tied, lambda b, s: (torch.randint(0, 11, (b, s)),)),
    Program("shared", Shared, floats(("b", "s", 8))),
    Program("slices", Slices, floats(("b", 8))),
    Program("trained", Trained, lambda b, s: (torch.randn(b, 6, s),), ((2, 6), (1, 4), (5, 9))),
    Program("native", Native, lambda b, s: (torch.randn(b, 6, s),), ((2, 6), (3, 4), (5, 9))),
    Program("given", Given, floats(("b", "s")), modes=SOME, twin=False),
    Program("resized", Resized, lambda b, s: (torch.randn(4, 6),), modes=SOME, twin=False),
)
