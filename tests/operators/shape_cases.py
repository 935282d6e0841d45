"""Cases of shapes, parts, indices, and writes to them."""

import torch
from building import BATCH, Cases

CASES = Cases()
call = CASES.call
BOTH = {0: {0: "batch", 1: "length"}}
FLOAT, BRAIN = torch.float32, torch.bfloat16
DTYPES = (FLOAT, torch.float64, torch.float16, BRAIN, torch.int64, torch.int32, torch.int16,
          torch.int8, torch.uint8, torch.bool)


def short(dtype):
    return str(dtype).removeprefix("torch.")


# ---- reshaping ---------------------------------------------------------------------------------------

call("view", lambda x: x.view(6, 4), (2, 3, 4))
call("view/rest", lambda x: x.view(2, -1), (2, 3, 4))
call("view/scalar", lambda x: x.view([]), (1, 1))
call("view/from-scalar", lambda x: x.view(1, 1), ())
call("view/batch", lambda x: x.view(x.size(0), 12), (2, 3, 4), dynamic=BATCH)
call("view/batch-rest", lambda x: x.view(x.size(0), -1, 2), (2, 3, 4), dynamic=BOTH)
call("view/heads", lambda x: x.view(x.size(0), x.size(1), 2, 2).transpose(1, 2), (2, 3, 4), dynamic=BOTH)
call("view/merge", lambda x: x.view(x.size(0) * x.size(1), 4), (2, 3, 4), dynamic=BOTH)
call("view/merge-and-split", lambda x: x.view(-1, x.size(2)).view(x.shape), (2, 3, 4), dynamic=BOTH)
call("view/half-of-a-dim", lambda x: x.view(x.size(0), x.size(2) // 2, -1), (2, 3, 4), dynamic=BOTH)
call("view/no-elements", lambda x: x[:0].view(0, 2, 6), (2, 3, 4))
call("view/no-elements-dynamic", lambda x: x[:, :0].reshape(x.size(0), 0, 2, 2), (2, 3, 4), dynamic=BATCH)
call("reshape", lambda x: x.transpose(0, 1).reshape(2, -1), (2, 3, 4))
call("reshape/batch", lambda x: x.transpose(1, 2).reshape(x.size(0), -1), (2, 3, 4), dynamic=BATCH)
call("reshape_as", lambda x, y: x.reshape_as(y), (2, 6), (3, 4))
call("reshape_as/dynamic", lambda x, y: x.view_as(y), (2, 3, 4), (2, 3, 4), dynamic={**BOTH, 1: BOTH[0]})
call("flatten", torch.flatten, (2, 3, 4))
call("flatten/range", lambda x: torch.flatten(x, 1, 2), (2, 3, 4, 5), dynamic=BATCH)
call("flatten/dynamic-range", lambda x: torch.flatten(x, 0, 1), (2, 3, 4, 5), dynamic=BOTH)
call("flatten/middle", lambda x: torch.flatten(x, 1, 2), (2, 3, 4, 5), dynamic={0: {0: "a", 1: "b", 3: "c"}})
call("flatten/one", lambda x: torch.flatten(x, -1), (2, 3))
call("flatten/scalar", torch.flatten, ())
call("ravel", torch.ravel, (2, 3))
call("unflatten", lambda x: x.unflatten(1, (2, 3)), (4, 6), dynamic=BATCH)
call("unflatten/rest", lambda x: x.unflatten(-1, (2, -1)), (4, 3, 6), dynamic=BOTH)
call("unflatten/dynamic", lambda x: x.unflatten(1, (2, -1)), (4, 6, 2), dynamic={0: {0: "a", 2: "c"}})
call("squeeze", torch.squeeze, (2, 1, 3, 1))
call("squeeze/dim", lambda x: x.squeeze(1), (2, 1, 3, 1), dynamic=BATCH)
call("squeeze/other", lambda x: x.squeeze(2), (2, 1, 3, 1))
call("squeeze/scalar", lambda x: x.squeeze(0), ())
call("squeeze/dims", lambda x: torch.squeeze(x, (1, -1)), (2, 1, 3, 1), needs=(2, 0), dynamic=BATCH)
call("squeeze/dynamic", torch.squeeze, (2, 1, 3, 1), dynamic=BATCH)
call("shape_as_tensor", torch._shape_as_tensor, (2, 3, 4), dynamic=BOTH)
call("shape_as_tensor/scalar", torch._shape_as_tensor, ())
call("unsqueeze", lambda x: x.unsqueeze(0).unsqueeze(-1).unsqueeze(2), (2, 3), dynamic=BATCH)
call("unsqueeze/scalar", lambda x: x.unsqueeze(0), ())
for dtype in DTYPES:
    call(f"move/{short(dtype)}", lambda x: torch.cat([x[None].transpose(1, 2).reshape(-1, 2)] * 2), ((3, 4), dtype))
    call(f"expand/{short(dtype)}", lambda x: x[:, None].expand(-1, 2, -1).clone(), ((3, 4), dtype))
    call(f"repeat/{short(dtype)}", lambda x: x.repeat(2, 1, 3), ((3, 4), dtype))
    call(f"gather/{short(dtype)}", lambda x, i: x.gather(1, i), ((3, 4), dtype), ((3, 2), 0, 4))
    call(f"index/{short(dtype)}", lambda x, i: x[:, i], ((3, 4), dtype), ((3, 2), 0, 4))
    call(f"flip/{short(dtype)}", lambda x: x.flip(0, 1), ((3, 4), dtype))
    call(f"tril/{short(dtype)}", lambda x: x.tril(), ((3, 4), dtype))
    call(f"scatter/{short(dtype)}", lambda x, i, s: x.scatter(1, i, s), ((3, 4), dtype),
         torch.tensor([[0, 1], [2, 0], [3, 1]]), ((3, 2), dtype))
    call(f"index_put/{short(dtype)}", lambda x, i, v: x.index_put((i,), v), ((4, 3), dtype),
         torch.tensor([2, 0]), ((3,), dtype))

# ---- broadcasting --------------------------------------------------------------------------------------

call("expand", lambda x: x.expand(4, 2, 3), (2, 3))
call("expand/ones", lambda x: x.expand(5, -1, 3), (2, 1))
call("expand/same", lambda x: x.expand(2, 3) + 1, (2, 3))
call("expand/no-elements", lambda x: x[:0].expand(4, 0, 3), (2, 3))
call("expand/to-none", lambda x: x.expand(0, 3), (1, 3))
call("expand/dynamic", lambda x, y: x.expand(y.size(0), y.size(1), 3), (1, 3), (2, 4), dynamic={1: {0: "a", 1: "b"}})
call("expand/dynamic-rest", lambda x: x[:, None].expand(-1, x.size(1), -1), (2, 3), dynamic=BOTH)
call("expand/scalar", lambda x: x.expand(2, 3), ())
call("expand_as", lambda x, y: x.expand_as(y), (3,), (2, 3), dynamic={1: {0: "a"}})
call("broadcast_to", lambda x: torch.broadcast_to(x, (2, 3)), (3,))
call("repeat", lambda x: x.repeat(2, 3), (2, 3), dynamic=BATCH)
call("repeat/more-dims", lambda x: x.repeat(2, 1, 3), (2, 3))
call("repeat/ones", lambda x: x.repeat(1, 1) + 1, (2, 3))
call("repeat/none", lambda x: x.repeat(0, 1), (2, 3))
call("repeat/dynamic", lambda x, y: x.repeat(y.size(0), 1), (2, 3), (4,), dynamic={1: {0: "a"}})
call("repeat/scalar", lambda x: x.repeat(2), ())
call("tile", lambda x: torch.tile(x, (2,)), (2, 3))
call("tile/more-dims", lambda x: torch.tile(x, (2, 1, 2)), (2, 3))
call("repeat_interleave", lambda x: torch.repeat_interleave(x, 3), (2, 3))
call("repeat_interleave/dim", lambda x: torch.repeat_interleave(x, 2, dim=1), (2, 3, 4), dynamic=BOTH)
call("repeat_interleave/last", lambda x: torch.repeat_interleave(x, 2, dim=-1), (2, 3), dynamic=BATCH)
call("meshgrid", lambda a, b: torch.meshgrid(a, b, indexing="ij"), (3,), (4,), dynamic={0: {0: "a"}, 1: {0: "b"}})
call("meshgrid/xy", lambda a, b, c: torch.meshgrid(a, b, c, indexing="xy"), (3,), (4,), (2,))

# ---- the order of dims -----------------------------------------------------------------------------------

call("transpose", lambda x: x.transpose(0, -1), (2, 3, 4), dynamic=BATCH)
call("transpose/scalar", lambda x: x.transpose(0, -1), ())
call("t", torch.t, (2, 3))
call("t/vector", torch.t, (3,))
call("T", lambda x: x.T, (2, 3))
call("mT", lambda x: x.mT, (2, 3, 4))
call("swapaxes", lambda x: torch.swapaxes(x, 0, 1), (2, 3, 4))
call("permute", lambda x: x.permute(2, 0, -2), (2, 3, 4), dynamic=BOTH)
call("permute/same", lambda x: x.permute(0, 1, 2) + 1, (2, 3, 4))
call("movedim", lambda x: torch.movedim(x, 0, 2), (2, 3, 4, 5))
call("movedim/list", lambda x: torch.movedim(x, (3, 0), (0, 2)), (2, 3, 4, 5))

# ---- together and apart ----------------------------------------------------------------------------------

call("cat", lambda a, b: torch.cat([a, b, a], 1), (2, 3), (2, 4), dynamic={0: {1: "a"}, 1: {1: "b"}})
call("cat/negative", lambda a, b: torch.cat([a, b], -1), (2, 3), (2, 4))
call("cat/promotes", lambda a, b: torch.cat([a, b]), (2, 3), ((2, 3), 0, 9))
call("cat/empty", lambda a: torch.cat([torch.zeros(0), a, a[:0]]), (2, 3))
call("sizes/empty", lambda a: (a.sum(1) + torch.ones(torch.empty(a.shape[0], 0, a.shape[2]).shape[2]),
                               torch._shape_as_tensor(torch.empty(a.shape[0], 0, a.shape[2]))),
     (2, 3, 4), dynamic={0: {0: "a", 2: "b"}})
call("pad/empty", lambda a: torch.nn.functional.pad(a[:, :0], (1, 0, 2, 1), value=5.0), (2, 3, 4),
     dynamic={0: {0: "a", 2: "b"}})
call("cat/one", lambda a: torch.cat([a]) + 1, (2, 3))
call("stack", lambda a, b: torch.stack([a, b], 1), (2, 3), (2, 3), dynamic={**BATCH, 1: BATCH[0]})
call("stack/last", lambda a, b: torch.stack([a, b], -1), (2, 3), (2, 3))
call("stack/scalars", lambda a, b: torch.stack([a, b]), (), ())
call("split", lambda x: x.split(2, 1), (3, 5), dynamic=BATCH)
call("split/one", lambda x: x.split(9, 1), (3, 5))
call("split/sizes", lambda x: x.split([1, 3, 1], -1), (3, 5))
call("split/some", lambda x: x.split(2, 1)[1] + 1, (3, 5))
call("chunk", lambda x: x.chunk(3, 1), (3, 7))
call("chunk/fewer", lambda x: x.chunk(4, 0), (6, 2))
call("chunk/dynamic", lambda x: x.chunk(2, 0), (4, 2), dynamic=BATCH)
call("tensor_split", lambda x: x.tensor_split(3, 1), (3, 7))
call("tensor_split/at", lambda x: x.tensor_split((1, 5), 1), (3, 7))
call("tensor_split/tensor", lambda x: x.tensor_split(torch.tensor([1, 5]), 1), (3, 7), dynamic=BATCH)
call("tensor_split/number", lambda x: x.tensor_split(torch.tensor(3), 1), (3, 7), dynamic=BATCH)
call("tensor_split/data", lambda x, i: x.tensor_split(i, 1), (3, 7), torch.tensor([1, 5]),
     refused="sizes that it is given depend on the data")
call("reshape_from_tensor", lambda x: torch._reshape_from_tensor(x, torch.tensor([2, -1])), (3, 4))
call("unbind", lambda x: x.unbind(1), (3, 2, 4), dynamic=BATCH)
call("unbind/some", lambda x: x.unbind(1)[1], (3, 2, 4))
call("select", lambda x: x[:, 1], (3, 2, 4), dynamic=BATCH)
call("select/negative", lambda x: x.select(1, -1), (3, 2, 4), dynamic=BOTH)
call("select/dynamic", lambda x: x[x.size(0) - 1], (3, 2), dynamic=BATCH)
for name, function in {
    "from": lambda x: x[1:], "to": lambda x: x[:2], "between": lambda x: x[1:3],
    "negative": lambda x: x[-3:-1], "beyond": lambda x: x[2:100], "far-below": lambda x: x[-100:2],
    "none": lambda x: x[3:1], "step": lambda x: x[::2], "step-from": lambda x: x[1::3],
    "last-dim": lambda x: x[..., 1:], "all": lambda x: x[:] + 1, "all-but-last": lambda x: x[:-1],
    "to-size": lambda x: x[: x.size(0)], "to-half": lambda x: x[: x.size(0) // 2],
    "from-half": lambda x: x[x.size(0) // 2 :], "from-behind": lambda x: x[x.size(0) - 2 :],
}.items():
    call(f"slice/{name}", function, (5, 3))
    call(f"slice/{name}/dynamic", function, (5, 3), dynamic=BATCH)
call("narrow", lambda x: x.narrow(0, 1, 2), (5, 3))
call("narrow/tensor", lambda x, start: x.narrow(0, start, 2), (5, 3), torch.tensor(2), needs=(2, 0))
call("narrow/tensor-negative", lambda x, start: x.narrow(1, start, 2) * 2, (5, 3), torch.tensor(-3), needs=(2, 0))
call("narrow/negative", lambda x: x.narrow(0, -3, 2), (5, 3), dynamic=BATCH)
call("narrow/dynamic", lambda x: x.narrow(0, 1, x.size(0) - 1), (5, 3), dynamic=BATCH)
call("flip", lambda x: x.flip(-1), (2, 3), dynamic=BATCH)
call("flip/dynamic", lambda x: x.flip(0, 1), (2, 3), dynamic=BOTH)
for shift in (1, -1, 2, 7, -8, 0):
    call(f"roll/{shift}", lambda x, s=shift: x.roll(s, 1), (2, 5))
    call(f"roll/{shift}/dynamic", lambda x, s=shift: x.roll(s, 0), (5, 3), dynamic=BATCH)
call("roll/two", lambda x: x.roll((1, -2), (0, 1)), (4, 5))
call("roll/flat", lambda x: x.roll(3), (4, 5), dynamic=BATCH)
call("diff", torch.diff, (4, 5), dynamic=BATCH)
call("diff/twice", lambda x: torch.diff(x, n=2, dim=0), (4, 5))
call("diff/bool", torch.diff, ((4, 5), torch.bool))
call("diff/prepend", lambda x: torch.diff(x, prepend=x[:, :1], append=x[:, :2]), ((4, 5), 0, 9))

# ---- indices -----------------------------------------------------------------------------------------------

I, J = torch.tensor([0, 2, -1]), torch.tensor([1, 0, 1])
for name, function in {
    "first": lambda x, i, j: x[i], "second": lambda x, i, j: x[:, i], "last": lambda x, i, j: x[..., j],
    "both": lambda x, i, j: x[i, j], "later": lambda x, i, j: x[:, i, j],
    "apart": lambda x, i, j: x[i, :, j], "apart-with-none": lambda x, i, j: x[:, i, None, j],
    "matrix": lambda x, i, j: x[i[:, None]], "broadcast": lambda x, i, j: x[i[:, None], j],
    "broadcast-later": lambda x, i, j: x[:, i[:, None], j], "with-number": lambda x, i, j: x[1, i],
    "with-slice": lambda x, i, j: x[1:, i], "three": lambda x, i, j: x[i, i, j],
    "sums": lambda x, i, j: x[i + 0, j * 1],
    "apart-broadcast": lambda x, i, j: x[i[:, None], :, j],
}.items():
    call(f"index/{name}", function, (3, 4, 2), I, J)
    call(f"index/{name}/dynamic", function, (3, 4, 2), I, J, dynamic={1: {0: "n"}, 2: {0: "n"}})
call("index/dynamic-shape", lambda x, i: x[:, i], (3, 4, 2), I, dynamic={0: {0: "a", 2: "b"}})
call("index/pairs", lambda x, b, k: x[b, k], (3, 5), torch.arange(3).view(3, 1, 1, 1),
     torch.arange(5).view(1, 1, 1, 5), dynamic={0: {0: "a", 1: "b"}, 1: {0: "a"}, 2: {3: "b"}})
for name, function in {"pairs": lambda x, b, k: x[b, k] > 0, "bools": lambda x, b, k: (x > 0)[b, k],
                       "later-bools": lambda x, b, k: (x > 0)[None, b, k]}.items():
    call(f"index/broadcast/{name}", function, (3, 5), torch.tensor([[0], [2], [-1]]), torch.tensor([4, 0, -5, 1]),
         dynamic={0: {0: "a", 1: "b"}, 1: {0: "c"}, 2: {0: "d"}})
# A data-dependent number, unknown to the trace.
call("index/scalar", lambda x, i: x[i[0]], (3, 4, 2), I)
call("index/tensor-without-dims", lambda x, i: x.index_select(0, i).index_select(1, i), (3, 4), torch.tensor(2))
call("index/scalar-tensor", lambda x, i: torch.ops.aten.index(x, [None, i]), (3, 4), torch.tensor(2))
call("index/mask", lambda x: x[x > 0], (3, 4))
call("index_select", lambda x, i: x.index_select(1, i), (3, 4), torch.tensor([0, 3, 3]), dynamic=BATCH)
call("index_select/scalar-index", lambda x, i: x.index_select(1, i), (3, 4), torch.tensor(2))
call("gather", lambda x, i: x.gather(0, i), (3, 4), ((2, 3), 0, 3), dynamic={1: {0: "a"}})
call("gather/scalar-index", lambda x, i: x.gather(0, i), (3,), torch.tensor(1))
call("gather/scalars", lambda x, i: x.gather(0, i), (), torch.tensor(0))
call("take", torch.take, (3, 4), ((2, 3), 0, 12))

UNIQUE = torch.tensor([[2, 0, 3], [1, 3, 0]])
call("scatter/src", lambda x, i, s: x.scatter(1, i, s), (3, 4), UNIQUE, (3, 5))
call("scatter/value", lambda x, i: x.scatter(1, i, 7.5), (3, 4), UNIQUE, dynamic={0: {1: "a"}})
call("scatter/one-hot", lambda i: torch.zeros(2, 4).scatter_(1, i, 1), UNIQUE)
call("scatter_add", lambda x, i, s: x.scatter_add(0, i, s), (3, 4), ((5, 4), 0, 3), (5, 4))
call("scatter_add/int", lambda x, i, s: x.scatter_add(0, i, s), ((3, 4), 0, 9), ((5, 4), 0, 3), ((5, 4), 0, 9))
call("scatter_add/half", lambda x, i, s: x.scatter_add(0, i, s), ((3, 4), torch.float16), UNIQUE[:, :2] % 3, ((2, 4), torch.float16))
for reduce in ("sum", "prod", "amax", "amin"):
    call(f"scatter_reduce/{reduce}", lambda x, i, s, r=reduce: x.scatter_reduce(0, i, s, r),
         (3, 4), ((5, 4), 0, 3), (5, 4), opset=18 if reduce.startswith("am") else 0)
call("index_fill", lambda x, i: x.index_fill(1, i, 2.5), (3, 4), torch.tensor([0, 2]), dynamic=BATCH)
call("index_copy", lambda x, i, s: x.index_copy(1, i, s), (3, 4), torch.tensor([0, 2]), (3, 2))
call("index_add", lambda x, i, s: x.index_add(1, i, s, alpha=2), (3, 4), torch.tensor([0, 2, 0]), (3, 3))
P, Q = torch.tensor([0, 2]), torch.tensor([1, 0])
for name, function in {
    "first": lambda x, p, q, v: x.index_put((p,), v), "both": lambda x, p, q, v: x.index_put((p, q), v),
    "row": lambda x, p, q, v: x.index_put((p,), v[0]),
}.items():
    call(f"index_put/{name}", function, (3, 2), P, Q, (2,))
    call(f"index_put/{name}/dynamic", function, (3, 2), P, Q, (2,), dynamic={0: {0: "n"}})
call("index_put/accumulate", lambda x, v: x.index_put((torch.tensor([1, 1, 0]),), v, accumulate=True), (3, 2), (3, 2))
call("index_put/mask", lambda x, m: x.index_put((m,), torch.tensor(-1.0)), (3, 4), ((3, 4), torch.bool))
call("index_put/mask-of-rows", lambda x, m: x.index_put((m,), torch.tensor(-1.0)), (3, 4), ((3,), torch.bool))
call("index_put/mask-of-values", lambda x: x.index_put((x > 0,), torch.ones(int((x > 0).sum()))), (3, 4))
