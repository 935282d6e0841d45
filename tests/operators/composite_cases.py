"""Cases of diagonals, stacking, windows, integrals, distances, statistics, scans, and spaced numbers."""

import math

import torch
from torch.nn import functional as F

from building import BATCH, Cases

CASES = Cases()
call = CASES.call
NAN, INF = math.nan, math.inf
HALF, BRAIN, DOUBLE = torch.float16, torch.bfloat16, torch.float64
BOTH = {0: {0: "batch", 1: "length"}}
DTYPES = (torch.float32, DOUBLE, HALF, BRAIN, torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8,
          torch.bool)


def short(dtype):
    return str(dtype).removeprefix("torch.")


# ---- diagonals ---------------------------------------------------------------------------------------

for offset in (-3, -1, 0, 1, 2, 4):
    call(f"diagonal/{offset}", lambda x, o=offset: x.diagonal(o), (3, 5))
    call(f"diagonal/dynamic/{offset}", lambda x, o=offset: x.diagonal(o, -1, 0), (4, 2, 7),
         dynamic={0: {0: "a", 1: "b", 2: "c"}})
    call(f"diag_embed/{offset}", lambda x, o=offset: torch.diag_embed(x, o), (2, 3), dynamic=BOTH)
    call(f"diagflat/{offset}", lambda x, o=offset: torch.diagflat(x, o), (2, 2))
    call(f"diag/vector/{offset}", lambda x, o=offset: torch.diag(x, o), (3,), dynamic={0: {0: "n"}})
    call(f"diag/matrix/{offset}", lambda x, o=offset: torch.diag(x, o), (3, 5))
call("diag_embed/dims", lambda x: torch.diag_embed(x, 1, 0, 2), (2, 3), dynamic=BOTH)
call("diag_embed/swapped", lambda x: torch.diag_embed(x, -1, -1, -2), (2, 3))
call("linalg.diagonal", lambda x: torch.linalg.diagonal(x, offset=1, dim1=0, dim2=-1), (3, 2, 4), dynamic=BATCH)
for dtype in DTYPES:
    call(f"diagonal/{short(dtype)}", lambda x: (x.diagonal(1), torch.diag_embed(x)), ((3, 4), dtype))
    call(f"diagonal_scatter/{short(dtype)}", lambda x, y: torch.diagonal_scatter(x, y, -1), ((3, 4), dtype),
         ((2,), dtype))
call("diagonal_scatter/dims", lambda x, y: torch.diagonal_scatter(x, y, 1, 2, 0), (3, 2, 4), (2, 2))
call("diagonal_scatter/dynamic", lambda x: torch.diagonal_scatter(x, x[0, :3], 1), (3, 4))
for dtype in (torch.float32, HALF, torch.int64, torch.int8):
    call(f"trace/{short(dtype)}", torch.trace, ((3, 4), dtype))

# ---- side by side ------------------------------------------------------------------------------------

for name, function in {"hstack": torch.hstack, "vstack": torch.vstack, "dstack": torch.dstack,
                       "column_stack": torch.column_stack}.items():
    call(f"{name}/0d", lambda x, y, f=function: f([x, y]), (), ())
    call(f"{name}/1d", lambda x, y, f=function: f([x, y]), (3,), (3,))
    call(f"{name}/2d", lambda x, y, f=function: f([x, y, x]), (3, 4), (3, 4), dynamic={0: {0: "a"}, 1: {0: "a"}})
    call(f"{name}/promotes", lambda x, y, f=function: f([x, y]), (3, 4), ((3, 4), torch.int64))
for rank in (1, 2, 3):
    function = getattr(torch, f"atleast_{rank}d")
    for shape in ((), (3,), (3, 4), (2, 3, 4)):
        call(f"atleast_{rank}d/{len(shape)}", function, shape)
    call(f"atleast_{rank}d/list", lambda x, y, f=function: f([x, y]), (), (3,))
call("broadcast_tensors", lambda x, y: torch.broadcast_tensors(x, y), (2, 1, 3), ((4, 1), torch.int64))
call("broadcast_tensors/dynamic", lambda x, y: torch.broadcast_tensors(x, y), (2, 1, 3), (4, 1), dynamic=BATCH)
call("block_diag", lambda x, y, z: torch.block_diag(x, y, z), (2, 3), (2,), ())
call("block_diag/int", lambda x, y: torch.block_diag(x, y), ((2, 3), torch.int64), ((1, 2), torch.int64))
call("chunk_cat", lambda x, y: torch._chunk_cat([x, y], 1, 3), (2, 5, 3), (2, 4), needs=(2, 2))
call("chunk_cat/last", lambda x, y: torch._chunk_cat([x, y], -1, 4), (2, 5), (2, 9), needs=(2, 2))
call("cartesian_prod", lambda x, y, z: torch.cartesian_prod(x, y, z), (2,), (3,), (2,))
call("cartesian_prod/one", torch.cartesian_prod, (3,))
call("fliplr", torch.fliplr, (3, 4), dynamic=BOTH)
call("flipud", torch.flipud, (3, 4), dynamic=BOTH)
for turns in (-1, 0, 1, 2, 3, 6):
    call(f"rot90/{turns}", lambda x, k=turns: torch.rot90(x, k, (2, 0)), (2, 3, 4), dynamic=BOTH)
call("take_along_dim", lambda x, i: torch.take_along_dim(x, i, 1), (3, 4), ((3, 2), 0, 4), dynamic={0: {0: "a"}, 1: {0: "a"}})
call("take_along_dim/broadcast", lambda x, i: torch.take_along_dim(x, i, -1), (1, 4), ((3, 2), 0, 4))
call("take_along_dim/flat", torch.take_along_dim, (3, 4), ((2, 2), 0, 12))
call("splits", lambda x: (*x.hsplit(2), *x.vsplit([1]), *x.dsplit((1, 3))), (3, 4, 5))
call("splits/vector", lambda x: x.hsplit(2), (4,))
for size, step in ((1, 1), (2, 1), (2, 2), (3, 2), (4, 5)):
    call(f"unfold/{size}-{step}", lambda x, n=size, s=step: x.unfold(1, n, s), (2, 6, 3),
         dynamic={0: {0: "batch", 1: "length"}})
call("unfold/last", lambda x: x.unfold(-1, 2, 2), ((2, 6), torch.int64))
call("unfold/scalar", lambda x: x.unfold(0, 1, 1), ())

# ---- integrals ---------------------------------------------------------------------------------------

for name, function in {"trapezoid": torch.trapezoid, "cumulative": torch.cumulative_trapezoid}.items():
    call(f"{name}", lambda y, f=function: f(y), (3, 4), dynamic=BOTH)
    call(f"{name}/dx", lambda y, f=function: f(y, dx=0.3, dim=0), (3, 4), dynamic=BOTH)
    call(f"{name}/int", lambda y, f=function: f(y, dx=2), ((3, 4), torch.int64))
    call(f"{name}/x", lambda y, x, f=function: f(y, x, dim=1), (2, 3, 4), (3,), dynamic=BATCH)
    call(f"{name}/same", lambda y, x, f=function: f(y, x), (3, 4), (3, 4))
    call(f"{name}/row", lambda y, x, f=function: f(y, x), (2, 3, 4), (3, 4))
    call(f"{name}/x-int", lambda y, x, f=function: f(y, x), ((3, 4), torch.int64), ((4,), torch.int64))
    call(f"{name}/half", lambda y, x, f=function: f(y, x), ((3, 4), HALF), ((4,), HALF), roundings=2)

# ---- distances and norms -----------------------------------------------------------------------------

for p in (0, 0.5, 1, 2, 3, INF):
    call(f"dist/{p}", lambda x, y, p=p: torch.dist(x, y, p), (3, 4), (4,), dynamic=BATCH)
    call(f"cdist/{p}", lambda x, y, p=p: torch.cdist(x, y, p), (2, 3, 4), (5, 4),
         dynamic={0: {0: "batch", 1: "rows"}, 1: {0: "others"}})
    call(f"pairwise/{p}", lambda x, y, p=p: F.pairwise_distance(x, y, p), (3, 4), (3, 4),
         dynamic={0: {0: "a"}, 1: {0: "a"}})
    call(f"pdist/{p}", lambda x, p=p: F.pdist(x, p), (4, 3))
    if p != 0:
        call(f"renorm/{p}", lambda x, p=p: x.renorm(p, 1, 1.5), (3, 4, 2), dynamic=BATCH)
call("cdist/many", torch.cdist, (40, 3), (30, 3))
call("cdist/double", torch.cdist, ((3, 4), DOUBLE), ((5, 4), DOUBLE))
call("pairwise/keepdim", lambda x, y: F.pairwise_distance(x, y, keepdim=True, eps=0.1), (3, 4), (4,))
call("pdist/dynamic", F.pdist, (4, 3), dynamic=BATCH, refused="the number of its pairs is not known")
call("cosine", lambda x, y: F.cosine_similarity(x, y, 1), (3, 4, 2), (3, 4, 2), dynamic={0: {0: "a"}, 1: {0: "a"}})
call("cosine/broadcast", lambda x, y: F.cosine_similarity(x, y, -1, eps=3.0), (3, 1), (5, 3, 4))
call("cosine/scalars", lambda x, y: F.cosine_similarity(x, y, 0), (), ())
call("cosine/half", lambda x, y: F.cosine_similarity(x, y, 1), ((3, 4), HALF), ((3, 4), HALF), roundings=2)
call("vecdot", lambda x, y: torch.linalg.vecdot(x, y, dim=1), (3, 4, 2), (4, 2), dynamic=BATCH)
call("vecdot/double", torch.linalg.vecdot, ((3, 4), DOUBLE), ((3, 4), DOUBLE))
for order in (None, 1, -1, INF, -INF, "fro", 0.5, 2):
    is_matrix = order in (1, -1, INF, -INF, "fro")
    if order != 0.5:
        call(f"linalg.norm/matrix/{order}", lambda x, o=order: torch.linalg.norm(x, o), (3, 4), dynamic=BOTH,
             refused=order == 2 and "the matrix norm of order 2 needs singular values")
    if is_matrix:
        call(f"matrix_norm/{order}", lambda x, o=order: torch.linalg.matrix_norm(x, o, (2, 0)), (3, 2, 4),
             dynamic=BATCH)
        call(f"matrix_norm/{order}/keepdim",
             lambda x, o=order: torch.linalg.matrix_norm(x, o, (0, 1), keepdim=True), (3, 2, 4))
    if order != "fro":
        call(f"linalg.norm/vector/{order}", lambda x, o=order: torch.linalg.norm(x, o, 1), (3, 4), dynamic=BATCH)
call("matrix_norm/nuclear", lambda x: torch.linalg.matrix_norm(x, "nuc"), (3, 4),
     refused="the matrix norm 'nuc' needs singular values")

# ---- statistics --------------------------------------------------------------------------------------

HOLES = torch.tensor([[1.0, NAN, 3.0], [NAN, NAN, NAN], [-2.0, 0.5, INF]])
for name, function in {"nansum": torch.nansum, "nanmean": torch.nanmean}.items():
    call(f"{name}", lambda x, f=function: f(x), HOLES)
    call(f"{name}/dim", lambda x, f=function: f(x, 1), HOLES, dynamic=BOTH)
    call(f"{name}/keepdim", lambda x, f=function: f(x, 0, keepdim=True), HOLES.half())
call("nansum/int", torch.nansum, ((3, 4), torch.int64))
call("nansum/bool", torch.nansum, ((3, 4), torch.bool))
call("sum_to_size", lambda x: x.sum_to_size(3, 1), (2, 3, 4), dynamic=BATCH)
call("sum_to_size/same", lambda x: x.sum_to_size(3, 4), (3, 4))
call("sum_to_size/int", lambda x: x.sum_to_size(1), ((3, 4), torch.int64))
call("cov", torch.cov, (3, 6), dynamic={0: {1: "n"}})
call("cov/vector", torch.cov, (6,))
call("cov/int", torch.cov, ((3, 6), torch.int64))
call("cov/correction", lambda x: torch.cov(x, correction=0), (3, 6))
call("cov/too-few", lambda x: torch.cov(x, correction=9), (3, 6))
call("cov/frequencies", lambda x, n: torch.cov(x, fweights=n), (3, 6), ((6,), 1, 5))
call("cov/importances", lambda x, w: torch.cov(x, aweights=w.abs()), (3, 6), (6,))
call("cov/both", lambda x, n, w: torch.cov(x, correction=2, fweights=n, aweights=w.abs()), (3, 6), ((6,), 1, 5), (6,))
call("corrcoef", torch.corrcoef, (3, 6), dynamic={0: {1: "n"}})
call("corrcoef/vector", torch.corrcoef, (6,))

# ---- scans -------------------------------------------------------------------------------------------

for name, function in {"cumprod": torch.cumprod, "logcumsumexp": torch.logcumsumexp}.items():
    call(f"{name}/0", lambda x, f=function: f(x, 0), (3, 4, 2), dynamic=BOTH)
    call(f"{name}/last", lambda x, f=function: f(x, -1), (3, 4), dynamic=BOTH)
    call(f"{name}/scalar", lambda x, f=function: f(x, 0), ())
    call(f"{name}/double", lambda x, f=function: f(x, 1), ((3, 4), DOUBLE))
    call(f"{name}/half", lambda x, f=function: f(x, 1), ((3, 4), HALF), roundings=2)
    call(f"{name}/special", lambda x, f=function: f(x, 0), torch.tensor([-INF, -2.0, 3.0, INF, 1.0, NAN, 2.0]))
for dtype in (torch.int64, torch.int32, torch.int8, torch.uint8, torch.bool):
    call(f"cumprod/{short(dtype)}", lambda x: torch.cumprod(x, 1), ((3, 4), dtype))
for name, function in {"cummax": torch.cummax, "cummin": torch.cummin}.items():
    call(f"{name}/0", lambda x, f=function: tuple(f(x, 0)), (3, 4, 2), dynamic=BOTH)
    call(f"{name}/last", lambda x, f=function: tuple(f(x, -1)), (3, 4), dynamic=BOTH)
    call(f"{name}/scalar", lambda x, f=function: tuple(f(x, 0)), ())
    call(f"{name}/special", lambda x, f=function: tuple(f(x, 0)),
         torch.tensor([-INF, INF, 3.0, INF, NAN, NAN, -INF, 2.0]))
    call(f"{name}/lowest", lambda x, f=function: tuple(f(x, 0)), torch.tensor([[-INF, INF]] * 3 + [[NAN, 1.0]]))
    for dtype in DTYPES:
        call(f"{name}/{short(dtype)}", lambda x, f=function: tuple(f(x, 1)),
             torch.tensor([[1, 3, 3, 0, 2, 5], [4, 4, 0, 4, 0, 1]]).to(dtype))
call("cumprod/large", lambda x: torch.cumprod(x, 1), (1, 5000), refused="a dim of 5000 elements is too large")

# ---- triangular systems ------------------------------------------------------------------------------

MATRIX = torch.randn(2, 5, 5, generator=torch.Generator().manual_seed(3)) + 4 * torch.eye(5)
for upper in (False, True):
    for left in (False, True):
        for unit in (False, True):
            call(f"solve_triangular/{upper}-{left}-{unit}",
                 lambda a, b, u=upper, s=left, o=unit: torch.linalg.solve_triangular(
                     a / 4, b if s else b.mT, upper=u, left=s, unitriangular=o), MATRIX, (2, 5, 3),
                 dynamic={0: {0: "batch"}, 1: {0: "batch"}})
call("solve_triangular/matrix", lambda a, b: torch.linalg.solve_triangular(a, b, upper=True), MATRIX[0], (5, 2))
call("solve_triangular/one", lambda a, b: torch.linalg.solve_triangular(a, b, upper=True), MATRIX[:, :1, :1], (2, 1, 2))
call("solve_triangular/double", lambda a, b: torch.linalg.solve_triangular(a, b, upper=False), MATRIX.double(),
     ((2, 5, 3), DOUBLE))
call("solve_triangular/unread", lambda a, b: torch.linalg.solve_triangular(a, b, upper=False, unitriangular=True),
     torch.tensor([[NAN, INF], [2.0, 0.0]]), (2, 2))
call("solve_triangular/broadcast", lambda a, b: torch.linalg.solve_triangular(a, b, upper=False), MATRIX, (1, 5, 3))

# ---- spaced numbers ----------------------------------------------------------------------------------

for steps in (0, 1, 2, 5, 8):
    for dtype in (torch.float32, DOUBLE, HALF, torch.int64, torch.int32):
        call(f"linspace/{steps}/{short(dtype)}",
             lambda a, b, n=steps, d=dtype: torch.linspace(a, b, n, dtype=d), torch.tensor(-3), torch.tensor(7.9),
             needs=(2, 1))
        call(f"logspace/{steps}/{short(dtype)}",
             lambda a, b, n=steps, d=dtype: torch.logspace(a, b, n, 3.0, dtype=d), torch.tensor(-1), torch.tensor(4.2),
             needs=(2, 1))
call("linspace/numbers", lambda a: (torch.linspace(a, 7, 5), torch.linspace(-2, a, 6)), torch.tensor(1.5), needs=(2, 1))
call("logspace/numbers", lambda a: (torch.logspace(a, 3, 5), torch.logspace(-2, a, 6)), torch.tensor(1.5), needs=(2, 1))
call("linspace/int8", lambda a: torch.linspace(a, 7, 5, dtype=torch.int8), torch.tensor(1), needs=(2, 1))
call("logspace/int8", lambda a: torch.logspace(a, 2, 5, dtype=torch.int8), torch.tensor(1), needs=(2, 1),
     refused="powers are not cut off to int8")

# ---- look-ups ----------------------------------------------------------------------------------------

WORDS = torch.tensor([3, 1, 4, 4, 0, 4, 2])
STARTS = torch.tensor([0, 2, 4, 4])
for mode in ("sum", "mean", "max"):
    for padding in (None, 4, -1, 1):
        call(f"embedding_bag/{mode}/{padding}",
             lambda w, i, o, m=mode, p=padding: F.embedding_bag(i, w, o, mode=m, padding_idx=p), (5, 3), WORDS, STARTS,
             opset=18 if mode == "max" else 0)
call("one_hot/scalar", lambda x: F.one_hot(x, 6), torch.tensor(4))
call("prelu/scalar", F.prelu, torch.tensor(-2.0), (1,))
