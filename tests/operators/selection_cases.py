"""Data-dependent selections of elements, and results of such sizes."""

import math

import torch
from torch import nn

from building import BATCH, Cases

CASES = Cases()
call = CASES.call
NAN = math.nan
MASK = torch.tensor([[True, False, True, True], [False, False, False, True], [True, True, False, False]])
EMPTY = torch.zeros(3, 4, dtype=torch.bool)
FULL = torch.ones(3, 4, dtype=torch.bool)
X = torch.arange(12.0).reshape(3, 4)
WIDE = torch.arange(60.0).reshape(3, 4, 5)
MASKS = (EMPTY, FULL)


def with_masks(*first, last=()):
    return lambda: [[*first, mask, *last] for mask in MASKS]


# ---- where something is true -----------------------------------------------------------------------

for dtype in (torch.bool, torch.float32, torch.int64, torch.float16, torch.uint8):
    name = str(dtype).removeprefix("torch.")
    call(f"nonzero/{name}", torch.nonzero, MASK.to(dtype), others=lambda d=dtype: [[m.to(d)] for m in MASKS])
call("nonzero/dynamic", torch.nonzero, MASK, dynamic=BATCH)
call("nonzero/vector", torch.nonzero, MASK[0], dynamic=BATCH)
call("nonzero/scalar", torch.nonzero, torch.tensor(3.0), others=lambda: [[torch.tensor(0.0)]])
call("nonzero/tuple/scalar", lambda x: torch.nonzero(x, as_tuple=True), torch.tensor(3.0),
     others=lambda: [[torch.tensor(0.0)]])
call("nonzero/nan", torch.nonzero, torch.tensor([0.0, NAN, -0.0, 2.0]))
call("nonzero/tuple", lambda x: torch.nonzero(x, as_tuple=True), MASK, others=with_masks(), dynamic=BATCH)
call("argwhere", torch.argwhere, MASK, others=with_masks())
call("argwhere/scalar", torch.argwhere, torch.tensor(True), others=lambda: [[torch.tensor(False)]])
call("where/places", torch.where, MASK, others=with_masks())

# ---- masks -----------------------------------------------------------------------------------------

call("masked_select", torch.masked_select, X, MASK, others=with_masks(X))
call("masked_select/dynamic", torch.masked_select, X, MASK, dynamic={0: {0: "b"}, 1: {0: "b"}})
call("masked_select/broadcast", torch.masked_select, WIDE, MASK.unsqueeze(2))
call("masked_select/broadcast-self", torch.masked_select, X[:1], MASK, others=with_masks(X[:1]))
call("index/mask", lambda x, m: x[m], X, MASK, others=with_masks(X), dynamic={0: {0: "b"}, 1: {0: "b"}})
call("index/rows", lambda x, m: x[m], WIDE, MASK[:, 0], others=lambda: [[WIDE, EMPTY[:, 0]]])
call("index/inner", lambda x, m: x[:, m], WIDE, MASK[0])
call("index/last", lambda x, m: x[..., m], WIDE, torch.tensor([True, False, True, True, False]))
call("index/front-of-three", lambda x, m: x[m], WIDE, MASK, others=with_masks(WIDE))
call("index/mask-and-number", lambda x, m, i: x[m, i], WIDE, MASK, torch.tensor(2))
call("index/mask-and-one", lambda x, m, i: x[m, i], WIDE, MASK, torch.tensor([3]))
call("index/uint8", lambda x, m: x[m], X, MASK.to(torch.uint8))
call("index_put/mask-values", lambda x, m, v: x.index_put((m,), v), X, MASK, torch.arange(6.0))
call("index_put/mask-rows", lambda x, m, v: x.index_put((m,), v), WIDE, MASK[:, 0], torch.arange(5.0),
     others=lambda: [[WIDE, EMPTY[:, 0], torch.arange(5.0)]])
call("index_put/accumulate", lambda x, m, v: x.index_put((m,), v, accumulate=True), X, MASK, torch.tensor(2.5))


def assign_selected(x, mask, y):
    x = x.clone()
    x[mask] = y[mask] * 2
    return x


def assign_inner(x, mask, values):
    x = x.clone()
    x[:, mask] = values
    return x


def assign_function(x, mask):
    x = x.clone()
    x[mask] = torch.relu(x[mask]) + 1
    return x.sum(0)


call("assign/selected", assign_selected, X, MASK, -X, others=with_masks(X, last=(-X,)))
call("assign/inner", assign_inner, WIDE, MASK[0], torch.arange(5.0),
     others=lambda: [[WIDE, EMPTY[0], torch.arange(5.0)]])
call("assign/function", assign_function, X, MASK, others=with_masks(X), dynamic={0: {0: "b"}, 1: {0: "b"}})
call("masked_scatter", lambda x, m, s: x.masked_scatter(m, s), X, MASK, -torch.arange(12.0),
     others=with_masks(X, last=(-torch.arange(12.0),)))
call("masked_scatter/wide-mask", lambda x, m, s: x.masked_scatter(m, s), X[0], MASK, -torch.arange(12.0))
call("masked_scatter/short", lambda x, m, s: x.masked_scatter(m, s), X, MASK, -torch.arange(6.0))
call("masked_scatter/broadcast", lambda x, m, s: x.masked_scatter(m, s), WIDE, MASK.unsqueeze(2),
     -torch.arange(60.0))
call("masked_scatter/int", lambda x, m, s: x.masked_scatter(m, s), X.long(), MASK, -torch.arange(12))

# ---- unique elements ----------------------------------------------------------------------------------

TWICE = torch.tensor([[3, 1, 2], [1, 3, 3], [3, 1, 2]])
for dtype in (torch.int64, torch.int32, torch.float32, torch.float64, torch.float16, torch.uint8):
    name = str(dtype).removeprefix("torch.")
    call(f"unique/{name}", torch.unique, TWICE.to(dtype), others=lambda d=dtype: [[torch.ones(3, 3).to(d)]])
    call(f"unique_consecutive/{name}", torch.unique_consecutive, TWICE.to(dtype))
call("unique/bool", torch.unique, MASK)
call("unique/all", lambda x: torch.unique(x, return_inverse=True, return_counts=True), TWICE, dynamic=BATCH)
call("unique/inverse", lambda x: torch.unique(x, return_inverse=True), TWICE)
call("unique/counts", lambda x: torch.unique(x, return_counts=True), TWICE)
call("unique/dim", lambda x: torch.unique(x, dim=0, return_inverse=True, return_counts=True), TWICE, dynamic=BATCH)
call("unique/dim-1", lambda x: torch.unique(x, dim=1), TWICE)
call("unique/unsorted", lambda x: torch.unique(x, sorted=False), TWICE, dynamic=BATCH, needs=(2, 0))
call("unique/unsorted/all", lambda x: torch._unique2(x, sorted=False, return_inverse=True, return_counts=True),
     torch.tensor([3.5, -1, 2, -1, 7, 3.5]), needs=(2, 0))
call("unique/before", lambda x: torch._unique(x, return_inverse=True), TWICE, dynamic=BATCH)
call("unique_consecutive/all", lambda x: torch.unique_consecutive(x, return_inverse=True, return_counts=True),
     torch.tensor([[1, 1, 2], [2, 2, 3], [1, 1, 1]]), dynamic=BATCH)
call("unique_consecutive/vector", lambda x: torch.unique_consecutive(x, return_counts=True, dim=0),
     torch.tensor([1, 1, 2, 2, 2, 3]), dynamic=BATCH)
call("unique_consecutive/dim", lambda x: torch.unique_consecutive(x, dim=0), TWICE, dynamic=BATCH,
     others=lambda: [[torch.ones(3, 3).long()], [torch.ones(0, 3).long()]])
RUNS = torch.tensor([[1, 1, 2], [1, 1, 2], [2, 2, 2], [2, 2, 4]])
for dim in (0, 1, -1):
    call(f"unique_consecutive/dim/{dim}",
         lambda x, d=dim: torch.unique_consecutive(x, return_inverse=True, return_counts=True, dim=d), RUNS,
         dynamic=BATCH)
call("unique_consecutive/dim/three", lambda x: torch.unique_consecutive(x, return_counts=True, dim=1),
     RUNS.float().reshape(2, 2, 3).repeat(1, 3, 1), dynamic={0: {0: "b", 1: "n"}})
call("unique_consecutive/dim/nan", lambda x: torch.unique_consecutive(x, return_inverse=True, dim=0),
     torch.tensor([[NAN, 1], [NAN, 1], [2, 1], [2, 1]]))
call("unique_consecutive/dim/bool", lambda x: torch.unique_consecutive(x, dim=1), MASK)

# ---- counts and repeats ----------------------------------------------------------------------------

COUNTS = torch.tensor([0, 3, 1, 3, 5])
call("bincount", torch.bincount, COUNTS, others=lambda: [[torch.zeros(5, dtype=torch.long)]], dynamic=BATCH)
call("bincount/minlength", lambda x: torch.bincount(x, minlength=9), COUNTS)
call("bincount/weights", torch.bincount, COUNTS, torch.tensor([0.5, 1.0, 2.0, 4.0, 8.0]))
call("bincount/weights-double", torch.bincount, COUNTS, torch.tensor([1, 2, 3, 4, 5]))
call("repeat_interleave/places", torch.repeat_interleave, torch.tensor([2, 0, 3, 1]), dynamic=BATCH,
     others=lambda: [[torch.zeros(4, dtype=torch.long)]])
REPEATS = torch.tensor([2, 0, 3])
call("repeat_interleave/rows", lambda x, r: x.repeat_interleave(r, 0), X, REPEATS, dynamic={0: {0: "n"}, 1: {0: "n"}})
call("repeat_interleave/last", lambda x, r: x.repeat_interleave(r, -1), X.t(), REPEATS)
call("repeat_interleave/all", lambda x, r: x.repeat_interleave(r), X[0, :3], REPEATS)
call("repeat_interleave/one", lambda x, r: x.repeat_interleave(r, 1), X, torch.tensor([2]))
call("repeat_interleave/number", lambda x, r: x.repeat_interleave(r, 1), X[:, :1], torch.tensor(3))
call("repeat_interleave/number-all", lambda x, r: x.repeat_interleave(r), X, torch.tensor(3),
     others=lambda: [[X, torch.tensor(0)], [X, torch.tensor(1)]])
call("repeat_interleave/size", lambda x, r: x.repeat_interleave(r, 0, output_size=5), X, REPEATS)


def repeat_groups(x):
    """A number of repeats that follows from sizes, and slices of all of a dynamic axis."""
    heads = x.repeat_interleave(4 // x.shape[1], dim=1, output_size=4) * 2
    return torch.cat([torch.zeros_like(heads[:, :1]), heads], 1)



def places_within(counts):
    """0, 1, ... up to each count, concatenated."""
    starts = torch.repeat_interleave(counts.cumsum(0) - counts, counts)
    return torch.arange(counts.sum()) - starts


call("repeat_interleave/places-within", places_within, torch.tensor([2, 0, 3, 1]), dynamic=BATCH)
for name, counts in ("as-many", [2, 0, 3, 1]), ("one", [0, 0, 1, 0]):
    call(f"repeat_interleave/meets-a-fixed-size/{name}",
         lambda x, n: (x + torch.repeat_interleave(n * 2, n)) * places_within(n), (5, 6),
         torch.tensor(counts), dynamic={0: {0: "batch"}})
call("repeat_interleave/differences", lambda n: places_within(n)[1:] - places_within(n)[:-1],
     torch.tensor([2, 0, 3, 1]), dynamic=BATCH)
call("repeat_interleave/groups", repeat_groups, (3, 2, 5), dynamic=BATCH)
call("repeat_interleave/one-group", repeat_groups, (3, 1, 5), dynamic=BATCH)

# ---- later operators ----------------------------------------------------------------------------------


class Experts(nn.Module):
    """Each row goes to the expert with the best score."""

    def __init__(self, count=3, width=4):
        super().__init__()
        torch.manual_seed(3)
        self.gate = nn.Linear(width, count)
        self.experts = nn.ModuleList(nn.Linear(width, width) for _ in range(count))

    def forward(self, x):
        chosen = self.gate(x).argmax(-1)
        result = torch.zeros_like(x)
        for number, expert in enumerate(self.experts):
            rows = torch.where(chosen == number)[0]
            result.index_add_(0, rows, expert(x[rows]))
        return result


CASES.add("experts", lambda: Experts().eval(), (6, 4), dynamic=BATCH,
          others=lambda: [[torch.zeros(6, 4)], [torch.randn(6, 4)]])
CASES.add("experts/script", lambda: Experts().eval(), (6, 4), dynamic=BATCH, script=True,
          others=lambda: [[torch.zeros(6, 4)], [torch.randn(6, 4)]])


def first_rows(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    return x[: int(n)]


def grid(n: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    size = int(n)
    return torch.zeros(size, 4) + torch.arange(size).unsqueeze(1) * x


def pick(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    return x[int(n)] + x.select(1, int(n)).sum() * n.item()


def assign_rows(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    y[: int(n)] = 0
    y[int(n)] += 5
    return y


def halves(x: torch.Tensor) -> torch.Tensor:
    rows = x[x > 0]
    half = rows.size(0) // 2
    return torch.cat([rows[:half], -rows[half:], torch.ones(half)])


def limited(x: torch.Tensor):
    rows = x[x > 0]
    return rows[:3], torch.zeros(min(rows.size(0), 2))


def checked(x: torch.Tensor) -> torch.Tensor:
    rows = x[x > 0]
    assert rows.size(0) > 0, "nothing is left"
    assert bool((x > 0).any()), "nothing is left"
    return rows / rows.sum()


def sized(x):
    rows = x[x > 0]
    return torch.zeros(rows.shape[0], 2) + rows.unsqueeze(1)


def counted_twice(x, mask):
    rows, columns = torch.nonzero(mask, as_tuple=True)
    return x[mask] * rows + torch.masked_select(x, mask) * columns + x[rows, columns]


def known_repeats(x):
    repeats = torch.full((x.shape[0],), 2)
    repeats = repeats + torch.arange(x.shape[0]) % 2
    return x.repeat_interleave(repeats, 0)


call("counted-twice", counted_twice, X, MASK, others=with_masks(X), dynamic={0: {0: "b"}, 1: {0: "b"}})
call("repeat_interleave/known", known_repeats, X, dynamic=BATCH)
NUMBERS = [torch.tensor(0), torch.tensor(2)]
call("number/slice", first_rows, X, torch.tensor(1), others=lambda: [[X, n] for n in NUMBERS], script=True)
call("number/size", grid, torch.tensor(3), X[0], others=lambda: [[n, X[0]] for n in NUMBERS], script=True)
call("number/index", pick, X, torch.tensor(1), others=lambda: [[X, n] for n in NUMBERS], script=True)
call("number/assign", assign_rows, X, torch.tensor(1), others=lambda: [[X, n] for n in NUMBERS], script=True)
call("number/halves", halves, X - 3, others=lambda: [[X - 4], [X - 11], [X - 12]], script=True)
call("number/limited", limited, X - 3, others=lambda: [[X - 10], [X - 11], [X - 12]], script=True)
call("number/checked", checked, X - 3, others=lambda: [[X - 10]], script=True)
call("traced/halves", lambda x: x[x > 0][: x[x > 0].shape[0] // 2], X - 3, others=lambda: [[X - 4], [X - 11]])
call("traced/size", sized, X - 3,
     others=lambda: [[X - 4], [X - 11]])
call("traced/first-three", lambda x: x[x > 0][:3], X - 3, others=lambda: [[X - 10], [X - 12]])
call("traced/two-masks", lambda x: torch.cat([x[x > 0], x[x < 0]]), X - 3, others=lambda: [[X - 10], [X - 12]])
call("traced/mean", lambda x: (x[x > 0].mean(), x[x > 0].sum(), x[x > 0].std()), X - 3,
     others=lambda: [[X - 5]])
