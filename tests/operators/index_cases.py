"""Writing by index with reductions, places in sorted sequences."""

import math

import torch

from building import BATCH, Cases

CASES = Cases()
call = CASES.call
NAN, INF = math.nan, math.inf


def short(dtype):
    return str(dtype).removeprefix("torch.")


# ---- reductions into places ------------------------------------------------------------------------

EXTREMES = ("amax", "amin")
REDUCTIONS = ("sum", "prod", "mean", *EXTREMES)
DTYPES = (torch.float32, torch.float64, torch.float16, torch.int64, torch.int32, torch.int8, torch.uint8)
PLACES = torch.tensor([[0, 2, 1, 2], [2, 2, 1, 0], [0, 2, 2, 0], [2, 0, 1, 0], [0, 0, 1, 1]])
for reduce in REDUCTIONS:
    opset = 18 if reduce in EXTREMES else 0
    for include in (True, False):
        name = f"{reduce}-{'with' if include else 'without'}-self"

        def scatter(x, i, s, r=reduce, c=include):
            return x.scatter_reduce(0, i, s, r, include_self=c)

        def indexed(x, i, s, r=reduce, c=include):
            return x.index_reduce(1, i, s, r, include_self=c)

        for dtype in DTYPES:
            call(f"scatter_reduce/{name}/{short(dtype)}", scatter, ((4, 4), dtype), PLACES, ((5, 4), dtype),
                 opset=opset, roundings=3)
            if reduce != "sum":
                call(f"index_reduce/{name}/{short(dtype)}", indexed, ((3, 4), dtype), torch.tensor([0, 2, 0]),
                     ((3, 3), dtype), opset=opset)
        call(f"scatter_reduce/{name}/trimmed", scatter, (4, 5), PLACES, (6, 7), opset=opset)
        call(f"scatter_reduce/{name}/dynamic", scatter, (4, 4), PLACES, (5, 4), opset=opset,
             dynamic={0: {1: "width"}, 1: {1: "width"}, 2: {1: "width"}})
        call(f"scatter_reduce/{name}/scalars", lambda x, i, s, r=reduce, c=include:
             x.scatter_reduce(0, i, s, r, include_self=c), (), torch.tensor(0), (), opset=opset)
        call(f"scatter_reduce/{name}/nan", scatter, torch.tensor([[1.0, NAN], [2.0, 3.0], [4.0, INF]]),
             torch.tensor([[0, 0], [1, 1], [1, 2]]), torch.tensor([[2.0, 1.0], [NAN, 1.0], [3.0, -INF]]),
             opset=opset)
        if reduce != "mean":
            call(f"scatter_reduce/{name}/bool", scatter, ((4, 4), torch.bool), PLACES, ((5, 4), torch.bool))
        if reduce != "sum":
            call(f"index_reduce/{name}/dynamic", indexed, (3, 4), torch.tensor([0, 2, 0]), (3, 3), opset=opset,
                 dynamic={0: {0: "batch"}, 2: {0: "batch"}})
call("scatter_reduce/mean/negative", lambda x, i, s: x.scatter_reduce(0, i, s, "mean"),
     ((4, 4), -9, 9), PLACES, ((5, 4), -9, 9))
for reduce in ("add", "multiply"):
    call(f"scatter/{reduce}", lambda x, i, s, r=reduce: x.scatter(0, i, s, reduce=r), (4, 4), PLACES, (5, 4))
    call(f"scatter/{reduce}/bool", lambda x, i, s, r=reduce: x.scatter(0, i, s, reduce=r),
         ((4, 4), torch.bool), PLACES, ((5, 4), torch.bool))
    call(f"scatter/{reduce}/value", lambda x, i, r=reduce: x.scatter(0, i, 2, reduce=r), (4, 4), PLACES)
call("scatter/scalars", lambda x, i, s: x.scatter(0, i, s), (), torch.tensor(0), ())
call("scatter/scalar-value", lambda x, i: x.scatter(0, i, 2.5), (), torch.tensor(0))
call("scatter/vector-into-scalar", lambda x, i, s: x.scatter(0, i, s), (), torch.tensor([0]), (1,))
call("scatter/bool", lambda x, i, s: x.scatter(1, i, s), ((3, 4), torch.bool), torch.tensor([[2, 0], [1, 3]]),
     ((3, 3), torch.bool))
call("scatter_add/bool", lambda x, i, s: x.scatter_add(0, i, s), ((4, 4), torch.bool), PLACES,
     ((5, 4), torch.bool))
call("scatter_add/scalars", lambda x, i, s: x.scatter_add(0, i, s), (), torch.tensor(0), ())

# ---- put, take -------------------------------------------------------------------------------------

for dtype in (torch.float32, torch.float16, torch.int64, torch.uint8):
    call(f"put/{short(dtype)}", torch.put, ((3, 4), dtype), torch.tensor([[0, -1], [5, 2]]), ((2, 2), dtype))
    call(f"put/add/{short(dtype)}", lambda x, i, s: x.put(i, s, True), ((3, 4), dtype),
         torch.tensor([[0, -1], [5, 0]]), ((2, 2), dtype))
call("put/add/bool", lambda x, i, s: x.put(i, s, True), ((3, 4), torch.bool), torch.tensor([0, 7, 0]),
     ((3,), torch.bool))
call("put/bool", torch.put, ((3, 4), torch.bool), torch.tensor([0, 7]), ((2,), torch.bool))
call("put/scalar", torch.put, (), torch.tensor(0), ())
call("put/nothing", torch.put, (3, 4), torch.zeros(0, dtype=torch.int64), torch.zeros(0), dynamic=BATCH)
call("put/dynamic", torch.put, (3, 4), torch.tensor([0, 7]), (2,), dynamic=BATCH)
call("take/dynamic", torch.take, (3, 4), ((2, 3), 0, 12), dynamic={0: {0: "a"}, 1: {0: "b"}})
for dtype in (torch.float32, torch.bool, torch.int8):
    call(f"take_along_dim/{short(dtype)}", lambda x, i: torch.take_along_dim(x, i, 1), ((3, 4), dtype),
         ((3, 2), 0, 4))
call("take_along_dim/broadcast", lambda x, i: torch.take_along_dim(x, i, -1), (1, 3, 4), ((2, 1, 5), 0, 4))
call("take_along_dim/flat", torch.take_along_dim, (3, 4), ((2, 3), 0, 12))
call("take_along_dim/dynamic", lambda x, i: torch.take_along_dim(x, i, 1), (3, 4), ((1, 2), 0, 4),
     dynamic={0: {0: "a"}, 1: {1: "b"}})

# ---- indices that count where a mask is true -------------------------------------------------------

MASKED = (2, 6)  # the PyTorch that has such operators
ROWS, COLUMNS = torch.tensor([[0, 9, -2], [2, -7, 1]]), torch.tensor([[1, 0, 3]])
KEPT = torch.tensor([[True, False, True], [True, False, True]])


def masked(fill):
    return lambda x, m, i, j: torch.ops.aten._unsafe_masked_index(x, m, [i, j], fill)


def masked_row(x, mask, index):
    return torch.ops.aten._unsafe_masked_index(x, mask, [None, index], 0.5)


def masked_put(x, mask, i, j, values):
    return torch.ops.aten._unsafe_masked_index_put_accumulate(x, mask, [i, j], values)


for dtype, fill in ((torch.float32, -1.5), (torch.float16, 0.25), (torch.int64, 7), (torch.uint8, 3)):
    call(f"masked/index/{short(dtype)}", masked(fill), ((3, 4), dtype), KEPT, ROWS, COLUMNS, needs=MASKED)
    call(f"masked/put/{short(dtype)}", masked_put, ((3, 4), dtype), KEPT, ROWS, COLUMNS, ((2, 3), dtype),
         needs=MASKED)
call("masked/index/row", masked_row, (3, 4), KEPT[0], torch.tensor([3, 8, -4]), needs=MASKED)
call("masked/index/dynamic", masked(2), (3, 4), KEPT, ROWS, COLUMNS, dynamic={0: {0: "batch"}}, needs=MASKED)
call("masked/put/dynamic", masked_put, (3, 4), KEPT, ROWS, COLUMNS, (2, 3), dynamic={0: {0: "batch"}},
     needs=MASKED)

# ---- places in sorted sequences --------------------------------------------------------------------

SORTED = torch.tensor([[1, 3, 3, 5, 9], [0, 2, 4, 4, 8]])
SOUGHT = torch.tensor([[3, 6, 9], [4, 0, 10]])
for dtype in (torch.float32, torch.float64, torch.float16, torch.int64, torch.int32, torch.int16, torch.uint8):
    for right in (True, False):
        call(f"searchsorted/{short(dtype)}-{right}", lambda s, x, r=right: torch.searchsorted(s, x, right=r),
             SORTED.to(dtype), SOUGHT.to(dtype))
        call(f"bucketize/{short(dtype)}-{right}", lambda x, s, r=right: torch.bucketize(x, s, right=r),
             SOUGHT.to(dtype), SORTED[0].to(dtype))
call("searchsorted/side", lambda s, x: torch.searchsorted(s, x, side="right", out_int32=True), SORTED, SOUGHT)
call("searchsorted/left", lambda s, x: torch.searchsorted(s, x, side="left"), SORTED, SOUGHT)
call("searchsorted/one-sequence", torch.searchsorted, SORTED[0], SOUGHT)
call("searchsorted/mixed", torch.searchsorted, SORTED[0], SOUGHT + 0.5)
call("searchsorted/number", lambda s: (torch.searchsorted(s, 3), torch.searchsorted(s, 3, right=True)), SORTED[0])
call("searchsorted/float-number", lambda s: torch.searchsorted(s, 3.5), SORTED[0])
call("searchsorted/scalar", torch.searchsorted, SORTED[0].float(), torch.tensor(3.0))
call("searchsorted/sorter", lambda s, x, o: torch.searchsorted(s, x, sorter=o),
     torch.tensor([[9, 3, 1, 5, 3], [4, 0, 4, 8, 2]]), SOUGHT, torch.tensor([[2, 1, 4, 3, 0], [1, 4, 0, 2, 3]]))
call("searchsorted/nan", torch.searchsorted, torch.tensor([1.0, 2.0, INF]), torch.tensor([NAN, INF, -INF, 1.5]))
call("searchsorted/dynamic", torch.searchsorted, SORTED.float(), SOUGHT.float(),
     dynamic={0: {0: "rows"}, 1: {0: "rows", 1: "sought"}})
call("bucketize/number", lambda s: torch.bucketize(4, s), SORTED[0])
call("bucketize/int32", lambda x, s: torch.bucketize(x, s, out_int32=True), SOUGHT, SORTED[0])
call("bucketize/dynamic", torch.bucketize, (3, 4), torch.tensor([-1.0, 0.0, 0.5]),
     dynamic={0: {0: "a", 1: "b"}})

# ---- axes turned round -----------------------------------------------------------------------------

for name in ("fftshift", "ifftshift"):
    function = getattr(torch.fft, name)
    call(f"{name}/all", function, (4, 5))
    call(f"{name}/some", lambda x, f=function: f(x, (0, -1)), ((3, 1, 4), torch.int64))
    call(f"{name}/dynamic", lambda x, f=function: f(x, 1), (3, 4), dynamic={0: {0: "a", 1: "b"}})

# ---- reductions of segments ------------------------------------------------------------------------

LENGTHS = torch.tensor([2, 0, 3, 1])
OFFSETS = torch.tensor([0, 1, 1, 2])
ROWS = {0: {0: "rows", 1: "width"}}


def segments(how, **options):
    """torch.segment_reduce() of float32, with lengths; the batch of several of them is the first dim."""
    return lambda x, n: torch.segment_reduce(x, how, lengths=n, axis=n.dim() - 1, **options)


def between(how, **options):
    return lambda x, n: torch.segment_reduce(x, how, offsets=n, axis=n.dim() - 1, **options)


for how in ("sum", "mean", "max", "min", "prod"):
    opset = 18 if how in ("max", "min") else 0
    for initial in (None, 0.5):
        name = f"segment_reduce/{how}/{initial}"
        call(name, segments(how, initial=initial), (6, 3), LENGTHS, opset=opset, dynamic={0: {1: "width"}})
        call(f"{name}/vector", segments(how, initial=initial), (6,), LENGTHS.int(), opset=opset)
        call(f"{name}/unsafe", segments(how, initial=initial, unsafe=True), (6, 3), torch.tensor([0, 1, 1]),
             opset=opset, dynamic=ROWS)
        call(f"{name}/offsets", between(how, initial=initial), (6, 3), OFFSETS, opset=opset, dynamic=ROWS)
        call(f"{name}/between", between(how, initial=initial), (6, 3, 2), torch.tensor([1, 3, 3, 5]), opset=opset)
        call(f"{name}/batch", segments(how, initial=initial), (2, 6, 3), torch.tensor([[2, 0, 4], [0, 3, 3]]),
             opset=opset, others=lambda: [[torch.randn(2, 6, 3), torch.tensor([[6, 0, 0], [1, 2, 3]])]])
        call(f"{name}/batch-offsets", between(how, initial=initial), (2, 6, 3),
             torch.tensor([[0, 2, 6], [1, 1, 5]]), opset=opset, dynamic={0: {0: "batch"}, 1: {0: "batch"}})
        call(f"{name}/nan", segments(how, initial=initial), torch.tensor([1, NAN, 2, INF, -INF, NAN]), LENGTHS,
             opset=opset)
    call(f"segment_reduce/{how}/nothing", segments(how), (0, 3), torch.tensor([0, 0]), opset=opset, needs=(2, 0))
    call(f"segment_reduce/{how}/float64", segments(how), ((6, 3), torch.float64), LENGTHS, opset=opset)
    call(f"segment_reduce/{how}/bfloat16", segments(how), ((6, 3), torch.bfloat16), LENGTHS, opset=opset,
         roundings=3)
