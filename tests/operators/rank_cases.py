"""Elements by their rank: medians, quantiles, the most frequent; bins, and nonzero elements."""

import math

import torch

from building import Cases

CASES = Cases()
call = CASES.call
NAN, INF = math.nan, math.inf
AXES = {0: {0: "batch", 1: "length"}}
WITH_NAN = torch.tensor([[3.0, NAN, 1.0, 2.0], [5.0, 7.0, 6.0, INF], [NAN, NAN, NAN, NAN], [NAN, INF, -INF, 0.0]])


def short(dtype):
    return str(dtype).removeprefix("torch.")


def distinct(dtype, *shape):
    """No two elements are equal, so indices are unique."""
    torch.manual_seed(5)
    count = math.prod(shape)
    return (torch.randperm(count) - count // 2).reshape(shape).to(dtype)


# ---- medians, the k-th smallest --------------------------------------------------------------------

ALONG = {
    "median": lambda x, d, k: torch.median(x, d, k),
    "nanmedian": lambda x, d, k: torch.nanmedian(x, d, k),
    "kthvalue": lambda x, d, k: torch.kthvalue(x, 2, d, k),
}
for name, function in ALONG.items():
    for dtype in (torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int8):
        call(f"{name}/{short(dtype)}", lambda x, f=function: f(x, 1, False), distinct(dtype, 3, 4, 2))
    for keepdim in (True, False):
        call(f"{name}/keepdim-{keepdim}", lambda x, f=function, k=keepdim: f(x, 0, k), distinct(torch.float32, 5, 3))
    call(f"{name}/nan", lambda x, f=function: f(x, 1, False), WITH_NAN[[0, 1, 3]])
    call(f"{name}/nothing-but-nan", lambda x, f=function: f(x, 1, False)[0], WITH_NAN)
    call(f"{name}/one", lambda x, f=function: f(x[:, :2], 1, True), distinct(torch.float32, 3, 4))
    call(f"{name}/dynamic", lambda x, f=function: f(x, 0, False)[0], distinct(torch.float32, 5, 3), dynamic=AXES)
for name in ("median", "nanmedian"):
    function = getattr(torch, name)
    call(f"{name}/all", function, distinct(torch.float32, 5, 4), dynamic=AXES)
    call(f"{name}/all-int", function, distinct(torch.int64, 5, 4))
    call(f"{name}/all-nan", function, WITH_NAN)
    call(f"{name}/scalar", function, ())
    call(f"{name}/scalar-dim", lambda x, f=function: f(x, 0, True), ())
call("kthvalue/scalar", lambda x: torch.kthvalue(x, 1), ())
call("kthvalue/last", lambda x: torch.kthvalue(x, 4, 1), WITH_NAN[:2])
call("msort", torch.msort, (5, 3), dynamic=AXES)

# ---- the most frequent -----------------------------------------------------------------------------

for dtype in (torch.float32, torch.float16, torch.int64, torch.int8, torch.uint8):
    for keepdim in (True, False):
        call(f"mode/{short(dtype)}-{keepdim}", lambda x, k=keepdim: torch.mode(x, 1, k),
             torch.tensor([[1, 3, 3, 1, 2], [4, 4, 4, 0, 0], [5, 4, 3, 2, 1]]).to(dtype))
call("mode/bool", lambda x: torch.mode(x, 0), ((4, 5), torch.bool))
call("mode/scalar", torch.mode, ())
call("mode/dynamic", lambda x: torch.mode(x, 0), ((5, 3), 0, 4), dynamic={0: {1: "width"}})

# ---- quantiles -------------------------------------------------------------------------------------

QUANTILES = torch.tensor([0.0, 0.3, 0.5, 0.77, 1.0])
for name in ("quantile", "nanquantile"):
    function = getattr(torch, name)
    for how in ("linear", "lower", "higher", "nearest", "midpoint"):
        call(f"{name}/{how}", lambda x, f=function, h=how: f(x, QUANTILES, 1, interpolation=h), (3, 7))
        call(f"{name}/{how}-nan", lambda x, f=function, h=how: f(x, 0.3, 1, interpolation=h), WITH_NAN)
    call(f"{name}/q-is-input", lambda x, q, f=function: f(x, q, 1, keepdim=True), (3, 7), QUANTILES)
    call(f"{name}/scalar-q", lambda x, q, f=function: f(x, q, 0), (3, 7), torch.tensor(0.4))
    call(f"{name}/flat", lambda x, f=function: f(x, 0.25), (3, 7), dynamic=AXES)
    call(f"{name}/flat-keepdim", lambda x, f=function: f(x, QUANTILES, keepdim=True), (3, 7, 2))
    call(f"{name}/float64", lambda x, f=function: f(x, 0.25, 0), ((3, 7), torch.float64))
    call(f"{name}/dynamic", lambda x, f=function: f(x, 0.25, 0), (3, 7), dynamic=AXES)
    call(f"{name}/scalar", lambda x, f=function: f(x, 0.25), ())

# ---- bins, and nonzero elements --------------------------------------------------------------------

call("histc", lambda x: torch.histc(x, 8), (5, 6), dynamic=AXES)
call("histc/range", lambda x: torch.histc(x, 6, -1, 1.5), (5, 6), dynamic=AXES)
call("histc/edges", lambda x: torch.histc(x, 4, 0, 2), torch.tensor([0, 0.5, 1, 1.5, 2, -0.1, 2.1, 0.49999]))
call("histc/nan", lambda x: torch.histc(x, 4, 0, 2), torch.tensor([0, NAN, 1.5]), needs=(2, 0))
call("histc/equal", lambda x: torch.histc(x, 4), torch.full((3,), 2.0))
call("histc/float64", lambda x: torch.histc(x, 6, -1, 1.5), ((5, 6), torch.float64))


def histogram(*arguments, **options):
    """torch.histogram(); the weight follows the numbers."""
    return lambda x, *weight: tuple(torch.histogram(x, *arguments, **options, weight=weight[0] if weight else None))


ON_EDGES = torch.tensor([[0, 0.5, 1, 1.5], [2, -0.1, 2.1, 0.49999]])
for density in (False, True):
    name = "density" if density else "counts"
    call(f"histogram/{name}", histogram(8, density=density), (5, 6), dynamic=AXES)
    call(f"histogram/{name}/range", histogram(6, range=(-1.0, 1.5), density=density), (5, 6), dynamic=AXES)
    call(f"histogram/{name}/weight", histogram(5, density=density), (5, 6), torch.arange(30.0).reshape(5, 6),
         dynamic={0: AXES[0], 1: AXES[0]})
    call(f"histogram/{name}/edges", lambda x, e, d=density: tuple(torch.histogram(x, e, density=d)), ON_EDGES,
         torch.tensor([0, 0.5, 1, 2]), others=lambda: [
             [ON_EDGES, torch.tensor([0.1, 0.5, 1.4, 2.1])], [-ON_EDGES, torch.tensor([-5.0, -0.1, 0, 2.1])]])
FALLING = torch.tensor([-1.5, 0.8, -0.4, 0.3, 1.2, 0.1, 1.6])
call("histogram/falling", lambda x, e: torch.histogram(x, e)[0], (5, 6), FALLING)
call("histogram/falling/none", lambda x, e: torch.histogram(x, e)[0], (5, 6), FALLING.flip(0))
call("histogram/on-edges", histogram(4, range=(0.0, 2.0)), ON_EDGES)
call("histogram/equal", histogram(4), torch.full((3,), 2.0))
call("histogram/one-point", histogram(3, range=(2.0, 2.0)), torch.tensor([1.5, 2.0, 2.5, 3.0]))
call("histogram/float64", histogram(6, range=(-1.0, 1.5)), ((5, 6), torch.float64))
call("histogram/nan", histogram(4, range=(0.0, 2.0)), torch.tensor([0, NAN, 1.5]), needs=(2, 0))
for dtype in (torch.float32, torch.int64, torch.bool, torch.uint8, torch.float16):
    call(f"nonzero_static/{short(dtype)}", lambda x: torch.nonzero_static(x, size=4), ((3, 4), dtype), needs=(2, 1))
call("nonzero_static/filled", lambda x: torch.nonzero_static(x, size=9, fill_value=7), torch.eye(3), needs=(2, 1))
call("nonzero_static/vector", lambda x: torch.nonzero_static(x, size=3), torch.tensor([0.0, 0.5, -0.0, 2.0]),
     needs=(2, 1))
call("nonzero_static/scalar", lambda x: torch.nonzero_static(x, size=3), (), needs=(2, 1))


def boxes(bins, **options):
    """torch.histogramdd(); the weight follows the points."""
    def counted(x, *weight):
        counts, edges = torch.histogramdd(x, bins, **options, weight=weight[0] if weight else None)
        return (counts, *edges)
    return counted


RANGE = (-1.0, 1.5, -0.5, 0.5)
for density in (False, True):
    name = "density" if density else "counts"
    call(f"histogramdd/{name}", boxes([3, 4], density=density), (9, 2), dynamic={0: {0: "points"}})
    call(f"histogramdd/{name}/alike", boxes(3, density=density), (4, 5, 2), dynamic=AXES)
    call(f"histogramdd/{name}/range", boxes([2, 5], range=RANGE, density=density), (9, 2),
         dynamic={0: {0: "points"}})
    call(f"histogramdd/{name}/weight", boxes([2, 3, 2], density=density), (4, 5, 3),
         torch.arange(20.0).reshape(4, 5), dynamic={0: AXES[0], 1: AXES[0]})
    call(f"histogramdd/{name}/edges",
         lambda x, a, b, d=density: torch.histogramdd(x, [a, b], density=d)[0], (9, 2),
         torch.tensor([-1, 0.5, 1, 2]), torch.tensor([-2.0, 0, 0.25]),
         dynamic={0: {0: "points"}})
call("histogramdd/on-edges", boxes([4, 2], range=(0.0, 2.0, 0.0, 1.5)), ON_EDGES.t())
call("histogramdd/equal", boxes([4, 2]), torch.full((3, 2), 2.0))
call("histogramdd/none", boxes([4, 2], density=True), (0, 2))
call("histogramdd/float64", boxes([6, 2], range=RANGE), ((20, 2), torch.float64))
