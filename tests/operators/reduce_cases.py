"""Cases of reductions, sorting, creation, and numbers of the code."""

import math

import torch
from building import BATCH, Cases
from torch import nn

CASES = Cases()
add, call = CASES.add, CASES.call
BOTH = {0: {0: "batch", 1: "length"}}
FLOATS = (torch.float64, torch.float16, torch.bfloat16)
WHOLE = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)
INF = math.inf


def short(dtype):
    return str(dtype).removeprefix("torch.")


# ---- reductions ----------------------------------------------------------------------------------------

REDUCTIONS = {"sum": torch.sum, "mean": torch.mean, "amax": torch.amax, "amin": torch.amin,
              "logsumexp": torch.logsumexp, "prod": torch.prod}
for name, function in REDUCTIONS.items():
    call(f"{name}/dim", lambda x, f=function: f(x, 1), (2, 3, 4), dynamic=BOTH)
    call(f"{name}/keepdim", lambda x, f=function: f(x, -1, keepdim=True), (2, 3, 4), dynamic=BATCH)
    call(f"{name}/scalar", lambda x, f=function: f(x, 0), ())
    if name != "prod":
        call(f"{name}/dims", lambda x, f=function: f(x, (0, -1)), (2, 3, 4))
        call(f"{name}/dims-keepdim", lambda x, f=function: f(x, (2, 1), keepdim=True), (2, 3, 4))
    for dtype in FLOATS:
        call(f"{name}/{short(dtype)}", lambda x, f=function: f(x, 1), ((2, 3, 4), dtype))
    for dtype in WHOLE if name not in ("mean", "logsumexp") else ():
        call(f"{name}/{short(dtype)}", lambda x, f=function: f(x, 1), ((2, 3, 4), dtype))
for name in ("sum", "mean", "prod", "amax", "amin"):
    call(f"{name}/all", REDUCTIONS[name], (2, 3, 4), dynamic=BATCH)
for name in ("sum", "prod"):
    call(f"{name}/bool", REDUCTIONS[name], ((3, 4), torch.bool))
    call(f"{name}/to-double", lambda x, f=REDUCTIONS[name]: f(x, 1, dtype=torch.float64), (3, 4))
    call(f"{name}/int-to-float", lambda x, f=REDUCTIONS[name]: f(x, 1, dtype=torch.float32), ((3, 4), 0, 9))
    call(f"{name}/empty", lambda x, f=REDUCTIONS[name]: f(x[:0], 0), (3, 4))
call("sum/large-ints", lambda x: x.sum(), torch.tensor([2**52, 2**51, 12345, -(2**51)]))
call("logsumexp/infinite", lambda x: torch.logsumexp(x, 1), torch.tensor([[-INF, -INF], [1000.0, 1000.0], [INF, 1.0]]))
call("count_nonzero", torch.count_nonzero, ((3, 4), 0, 3))
call("count_nonzero/dim", lambda x: torch.count_nonzero(x, 1), ((3, 4), 0, 3), dynamic=BATCH)
for name in ("var", "std"):
    function = getattr(torch, name)
    call(f"{name}", function, (3, 4))
    call(f"{name}/dim", lambda x, f=function: f(x, 1), (3, 4), dynamic=BOTH)
    call(f"{name}/biased", lambda x, f=function: f(x, 1, unbiased=False), (3, 4))
    call(f"{name}/correction", lambda x, f=function: f(x, (0, 2), correction=2, keepdim=True), (3, 4, 5), dynamic=BATCH)
    call(f"{name}/one", lambda x, f=function: f(x, 1), (3, 1))
    call(f"{name}_mean", lambda x, n=name: getattr(torch, f"{n}_mean")(x, 1, unbiased=False), (3, 4))
    for dtype in FLOATS:
        call(f"{name}/{short(dtype)}", lambda x, f=function: f(x, 1), ((3, 4), dtype))
for order in (0, 1, 2, 3, 0.5, INF, -INF):
    call(f"norm/{order}", lambda x, p=order: torch.linalg.vector_norm(x, p), (3, 4))
    call(f"norm/{order}/dim", lambda x, p=order: torch.norm(x, p, dim=1, keepdim=True), (3, 4), dynamic=BATCH)
for dtype in FLOATS:
    call(f"norm/{short(dtype)}", lambda x: torch.norm(x, 2, dim=1), ((3, 4), dtype))
call("norm/frobenius", lambda x: torch.norm(x, dim=(0, 1)), (3, 4))
call("norm/plain", torch.norm, (3, 4))
call("norm/dims", lambda x: torch.linalg.vector_norm(x, 2, dim=(0, 2)), (3, 4, 5))
for order in (0, 1, 2, 3, 0.5, -1, INF, -INF):
    call(f"norm/powers/{order}", lambda x, p=order: torch.ops.aten.linalg__powsum(x, p), (3, 4), needs=(2, 13))
    call(f"norm/powers/{order}/dim", lambda x, p=order: torch.ops.aten.linalg__powsum(x, p, [1], True), (3, 4),
         dynamic=BATCH, needs=(2, 13))
for dtype in FLOATS:
    call(f"norm/powers/{short(dtype)}", lambda x: torch.ops.aten.linalg__powsum(x, 3, [0]), ((3, 4), dtype),
         needs=(2, 13))
call("norm/powers/dtype", lambda x: torch.ops.aten.linalg__powsum(x, 2, [0], dtype=torch.float64), (3, 4), needs=(2, 13))
call("norm/powers/scalar", lambda x: torch.ops.aten.linalg__powsum(x, 3), (), needs=(2, 13))
for dim in (0, 1, -2, -1):
    call(f"norm_except_dim/{dim}", lambda x, d=dim: torch.norm_except_dim(x, 2, d), (3, 4, 5), dynamic=BOTH)
for order in (0, 1, 3, -1):
    call(f"norm_except_dim/order/{order}", lambda x, p=order: torch.norm_except_dim(x, p, 1), (3, 4), dynamic=BATCH)
    call(f"norm_except_dim/vector/{order}", lambda x, p=order: torch.norm_except_dim(x, p, 0), (4,), dynamic=BATCH)
for dtype in FLOATS:
    call(f"norm_except_dim/{short(dtype)}", lambda x: torch.norm_except_dim(x, 2, 0), ((3, 4), dtype))
call("norm_except_dim/scalar", lambda x: torch.norm_except_dim(x, 2, -1), ())
call("normalize", lambda x: nn.functional.normalize(x, dim=-1), (3, 4), dynamic=BATCH)
for dtype in (torch.float32, *FLOATS, *WHOLE, torch.bool):
    call(f"cumsum/{short(dtype)}", lambda x: x.cumsum(1), ((3, 4), dtype), dynamic=BATCH)
call("cumsum/dtype", lambda x: x.cumsum(0, dtype=torch.float64), ((3, 4), 0, 9))
call("cumsum/scalar", lambda x: x.cumsum(0), ())

# ---- order -----------------------------------------------------------------------------------------------

TIES = torch.tensor([[3, 1, 3, 2], [0, 0, 0, 0], [5, 5, 1, 9]])
for dtype in (torch.float32, *FLOATS, *WHOLE):
    for name in ("max", "min"):
        call(f"{name}/{short(dtype)}", lambda x, n=name: getattr(x, n)(), TIES.to(dtype))
        call(f"{name}/dim/{short(dtype)}", lambda x, n=name: tuple(getattr(x, n)(1)), TIES.to(dtype))
        call(f"arg{name}/{short(dtype)}", lambda x, n=name: getattr(x, "arg" + n)(1), TIES.to(dtype), dynamic=BATCH)
    call(f"topk/{short(dtype)}", lambda x: x.topk(2).values, TIES.to(dtype))
    call(f"sort/{short(dtype)}", lambda x: tuple(x.sort(dim=1, stable=True)), TIES.to(dtype))
for name in ("max", "min"):
    call(f"{name}/keepdim", lambda x, n=name: tuple(getattr(x, n)(0, keepdim=True)), (3, 4), dynamic=BOTH)
    call(f"{name}/scalar", lambda x, n=name: tuple(getattr(x, n)(0)), ())
    call(f"arg{name}/flat", lambda x, n=name: getattr(x, "arg" + n)(), (3, 4), dynamic=BATCH)
    call(f"arg{name}/keepdim", lambda x, n=name: getattr(x, "arg" + n)(-1, keepdim=True), (3, 4))
    call(f"arg{name}/flat-keepdim", lambda x, n=name: getattr(torch, "arg" + n)(x, keepdim=True), (3, 4))
    call(f"arg{name}/scalar", lambda x, n=name: getattr(x, "arg" + n)(0), ())
call("max/bool", torch.max, torch.tensor([True, False]))
call("max/values-only", lambda x: x.max(1).values, (3, 4))
call("max/indices-only", lambda x: x.max(1).indices, (3, 4))
call("aminmax", lambda x: tuple(torch.aminmax(x)), (3, 4))
call("aminmax/scalar", lambda x: tuple(torch.aminmax(x, dim=0)), ())
call("aminmax/scalar-int64", lambda x: tuple(torch.aminmax(x, dim=0)), torch.tensor(3))
call("aminmax/scalar-kept", lambda x: tuple(torch.aminmax(x, dim=0, keepdim=True)), ())
call("aminmax/dim", lambda x: tuple(torch.aminmax(x, dim=1, keepdim=True)), (3, 4))


@torch.jit.script
def most(x, limit: int):
    """All elements, but at most the limit."""
    count = torch.cat((torch.tensor([limit]), torch._shape_as_tensor(x)[:1])).min()
    values, indices = x.topk(int(count))
    return values, x[indices] * 2


call("topk", lambda x: tuple(x.topk(3, 0)), (5, 4), dynamic={0: {1: "n"}})
call("topk/smallest", lambda x: tuple(x.topk(2, largest=False)), (5, 4))
call("topk/dynamic", lambda x: x.topk(x.size(1) - 1).values, (3, 4), dynamic=BOTH)
call("topk/of-what-is-selected", lambda x: most(x[x > 0], 5), (3, 4), dynamic=BOTH)
call("topk/of-fewer", lambda x: most(x[x > 1], 500), (3, 4), dynamic=BOTH)
call("topk/scalar", lambda x: tuple(x.topk(1)), ())
call("sort", lambda x: tuple(x.sort()), (3, 4), dynamic=BOTH)
call("sort/descending", lambda x: tuple(x.sort(0, descending=True)), (3, 4))
call("sort/stable-descending", lambda x: tuple(x.sort(dim=1, descending=True, stable=True)), TIES)
call("argsort", lambda x: x.argsort(1), (3, 4), dynamic=BATCH)

# ---- creation --------------------------------------------------------------------------------------------

call("arange", lambda x: torch.arange(x.size(0)) + x[:, 0], (3, 2), dynamic=BATCH)
call("arange/start", lambda x: torch.arange(1, x.size(0) + 1), (3, 2), dynamic=BATCH)
call("arange/step", lambda x: torch.arange(x.size(0), -2, -2), (3, 2), dynamic=BATCH)
call("arange/float", lambda x: torch.arange(x.size(0), dtype=torch.float32), (3, 2), dynamic=BATCH)
call("arange/fractions", lambda x: torch.arange(0, x.size(0), 0.1), (30, 2), dynamic=BATCH)
call("arange/half-start", lambda x: torch.arange(0.5, x.size(0)), (3, 2), dynamic=BATCH)
call("arange/whole-step", lambda x: torch.arange(x.size(0), -x.size(0), -1.0, dtype=torch.int64), (3, 2),
     dynamic=BATCH)
call("arange/whole-bounds", lambda x: torch.arange(-2.0, x.size(0), 2.0), (3, 2), dynamic=BATCH)
call("arange/int-of-fractions", lambda x: torch.arange(0, x.size(0), 1.5, dtype=torch.int64), (3, 2), dynamic=BATCH,
     refused="integers between bounds that are floats are not counted")
call("arange/int32", lambda x: torch.arange(x.size(0), dtype=torch.int32), (3, 2), dynamic=BATCH)
call("arange/constant", lambda x: torch.arange(3) * 1.5 + x, (3,))
call("linspace", lambda x: torch.linspace(-1, 2, 7) + x, ())
for dtype in (torch.float32, *FLOATS, *WHOLE, torch.bool):
    call(f"full/{short(dtype)}", lambda x, d=dtype: torch.full((x.size(0), 2), 3, dtype=d), (3, 2), dynamic=BATCH)
    call(f"zeros/{short(dtype)}", lambda x, d=dtype: torch.zeros(x.size(0), 2, dtype=d), (3, 2), dynamic=BATCH)
    call(f"eye/{short(dtype)}", lambda x, d=dtype: torch.eye(x.size(0), dtype=d), (3, 2), dynamic=BATCH)
call("zeros_like", torch.zeros_like, (3, 2), dynamic=BATCH)
call("ones_like", lambda x: torch.ones_like(x, dtype=torch.int64), (3, 2), dynamic=BATCH)
call("full_like", lambda x: torch.full_like(x, 2.5), (3, 2), dynamic=BATCH)
call("new_zeros", lambda x: x.new_zeros(x.size(0), 3), (3, 2), dynamic=BATCH)
call("new_ones", lambda x: x.new_ones((2, x.size(0)), dtype=torch.bool), (3, 2), dynamic=BATCH)
call("new_full", lambda x: x.new_full((x.size(0),), -INF), (3, 2), dynamic=BATCH)
call("ones/constant", lambda x: torch.ones(2, 3) + x, (3,))
call("eye/rectangle", lambda x: torch.eye(2, x.size(0)), (3, 2), dynamic=BATCH)
for name in ("tril", "triu"):
    call(f"{name}", lambda x, n=name: getattr(x, n)(), (3, 4), dynamic=BOTH)
    call(f"{name}/up", lambda x, n=name: getattr(x, n)(2), (2, 3, 4))
    call(f"{name}/down", lambda x, n=name: getattr(x, n)(-1), (3, 4))
    call(f"{name}/infinite", lambda x, n=name: getattr(torch.full((3, 3), -INF), n)(1) + x, (3, 3))
call("mask/causal", lambda x: torch.ones(x.size(1), x.size(1), dtype=torch.bool).tril(), (2, 3), dynamic=BOTH)

# ---- numbers ---------------------------------------------------------------------------------------------

call("size", lambda x: x.size(0) * torch.ones(2), (3, 2), dynamic=BATCH)
call("size/returned", lambda x: (torch.tensor(x.size(0)), x.shape[1]), (3, 2), dynamic=BOTH)
call("numel", lambda x: x / x.numel(), (3, 2), dynamic=BOTH)
call("sqrt-of-size", lambda x: x / math.sqrt(x.size(-1)), (3, 2), dynamic=BATCH)
call("tensor-of-size", lambda x: x / torch.tensor(x.size(0)).sqrt(), (3, 2), dynamic=BATCH)


class Numbers(nn.Module):
    def forward(self, x):
        n, m = x.size(0), x.size(1)
        half = n // 2
        down = (0 - n) // 2
        rest = (1 - n) % 3
        ratio = n / m + 0.5 * n
        root = float(n) ** 0.5 - math.sqrt(m) + math.floor(ratio) + math.ceil(ratio)
        least = min(n, m) + max(n, m, 3) - abs(0 - m)
        power = int(ratio) + int(n**2)
        scaled = x * ratio + root
        return scaled.reshape(m, n), torch.tensor([half, down, rest, least, power]), x[:half], int(n > m)


class Lists(nn.Module):
    def forward(self, x):
        shape = x.shape
        sizes = [shape[0], 2, shape[1]]
        grown = torch.zeros(sizes)
        total = 0
        for size in sizes:
            total += size
        return grown, x.view(shape[1], shape[0]), torch.full([len(sizes)], total), x.new_zeros(shape[:1] + [4])


class Branches(nn.Module):
    def forward(self, x):
        if x.dim() == 2:
            x = x * 2
        else:
            x = x - 1
        for i in range(3):
            x = x + i
        return x.sum(dim=-1) if x.size(1) == 2 else x


class Loop(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(2, 2) for _ in range(3)])

    def forward(self, x):
        outputs = []
        for layer in self.layers:
            x = layer(x).relu()
            outputs.append(x)
        return torch.stack(outputs)


class Halves(nn.Module):
    def forward(self, x):
        first, second = x.split((x.size(0) + 1) // 2)
        return first, second


for maker in (Numbers, Lists, Branches, Loop, Halves):
    name = maker.__name__.lower()
    add(f"script/{name}", maker, (5, 2), script=True)
    add(f"script/{name}/dynamic", maker, (5, 2), script=True, dynamic=BATCH)
