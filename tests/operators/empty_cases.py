"""Empty tensors, for any other axes: their makers and uses, at every level of ONNX Runtime's optimiser."""

import torch
from building import Cases
from torch.nn import functional as F

CASES = Cases()
X = torch.arange(12.0).reshape(3, 4).cos()
DYNAMIC = {0: {0: "batch"}}


def beside(function):
    """A tensor and, after its columns, a function's result for it."""
    return lambda x: torch.cat([x, *function(x)], 1) * 2


def no_numbers():
    return torch.zeros(0, dtype=torch.int64)


for name, function in {
    "expand": beside(lambda x: (x[:, :1].expand(-1, 0), x[:, :1].expand_as(x[:, :0]))),
    "expand/more-dims": lambda x: (x[:, None, :1].expand(-1, 0, 3).sum(1), x[0].expand(0, 4).sum(0)),
    "expand/integers": lambda x: x[:, :1].long().expand(-1, 0).sum(1) + x.sum(1),
    "repeat": beside(lambda x: (x.repeat(1, 0), x.repeat_interleave(0, 1), torch.tile(x, (1, 0)))),
    "made": beside(lambda x: (x.new_ones(x.size(0), 0), torch.zeros(x.size(0), 0), torch.ones_like(x[:, 4:]))),
    "parts": beside(lambda x: (x[:, 2:2], x.narrow(1, 2, 0), x.split([0, 4], 1)[0], F.pad(x, [-2, -2]))),
    "picked": beside(lambda x: (x.index_select(1, no_numbers()), x[:, no_numbers()], x.topk(0, 1)[0])),
    "operands": beside(lambda x: (x[:, :1] + torch.zeros(0), x[:, :0] * x[:, :1], x[:, :1] / torch.ones(0))),
    "products": beside(lambda x: (x @ torch.zeros(4, 0), F.linear(x, torch.zeros(0, 4), torch.zeros(0)))),
    "sums": lambda x: (x[:, :0].sum(1), x[:, :0].sum(), x[:, :0].nansum(1, keepdim=True), x[:, None, :0].sum((0, 2))),
    "sums/of-products": lambda x: (x[:, :0].prod(1), x[:, :0].prod(), x[:, :0].long().prod(1, keepdim=True)),
    "sums/types": lambda x: (x[:, :0].half().sum(1), x[:, :0].int().sum(1), x[:, :0].double().prod(1)),
    "tests": lambda x: ((x[:, :0] > 0).any(1), (x[:, :0] > 0).all(1, keepdim=True), x[:, :0].count_nonzero(1)),
    "means": lambda x: (x[:, :0].mean(1), x[:, :0].var(1), x[:, :0].std(), x[:, :0].logsumexp(1)),
}.items():
    CASES.call(name, function, X, dynamic=DYNAMIC, levels=True)


def no_rows():
    return torch.zeros(0, 4, dtype=torch.int64)


# An operator with nothing to write returns its first operand.
for name, function in {
    "scatter": lambda x: (x.scatter(0, no_rows(), 1.0), x.scatter(0, no_rows(), x), x.scatter_add(0, no_rows(), x)),
    "scatter/reduce": lambda x: [x.scatter_reduce(0, no_rows(), x, r, include_self=i)
                                 for r in ("sum", "prod", "mean", "amax") for i in (True, False)],
    "index": lambda x: (x.index_copy(0, no_numbers(), x[:0]), x.index_fill(0, no_numbers(), 2.0)),
    "index/reduced": lambda x: (x.index_add(0, no_numbers(), x[:0]), x.index_reduce(0, no_numbers(), x[:0], "amax")),
    "put": lambda x: (x.index_put((no_numbers(),), x[:0]), x.index_put((no_numbers(),), x[:0], accumulate=True),
                      x.index_put((no_numbers(), no_numbers()), x[0, :0]), x.put(no_numbers(), x[0, :0])),
    "masked": lambda x: x.masked_scatter(x > 100, x[:0]),
    "parts": lambda x: (x.slice_scatter(x[:0], 0, 2, 2, 1), x.diagonal_scatter(x[0, :0], 9)),
    "complex": lambda x: torch.view_as_real(torch.complex(x, x).index_copy(0, no_numbers(), torch.complex(x, x)[:0])),
    "added": lambda x: (torch.baddbmm(x[None], x[None, :, :0], x[None, :0]), torch.addmv(x[:, 0], x[:, :0], x[0, :0])),
}.items():
    CASES.call(f"written/{name}", lambda x, f=function: f(x * 2), X, dynamic=DYNAMIC, levels=True)
CASES.call("area", lambda x: F.interpolate(x, mode="area", scale_factor=0.5), (2, 3, 4, 4), levels=True,
           dynamic={0: {2: "height", 3: "width"}},
           others=lambda: [[torch.randn(2, 3, *sizes)] for sizes in ((1, 1), (2, 1), (1, 5))])
