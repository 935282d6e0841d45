"""Cases of type promotion: tensors with dims, without dims, and numbers, as the loaded file has them.

The tracer writes the numbers of some operators as tensors without dims. libtorch's executor makes numbers
of those that are added, subtracted, multiplied with, or divided by; elsewhere they are float64 tensors.
"""

import math

import torch
from building import Cases

CASES = Cases()
call = CASES.call
DTYPES = (torch.bool, torch.int32, torch.int64, torch.float16, torch.float32)
MASK = torch.tensor([True, False, True, False])
X = torch.tensor([1, 2, 3, 5])


def short(dtype):
    return str(dtype).removeprefix("torch.")


def single(dtype):
    return torch.tensor(2.5).to(dtype)


FUNCTIONS = {
    "add": torch.add, "rsub": lambda a, b: b - a.mul(1), "div": torch.div, "floor": torch.floor_divide,
    "where": lambda a, b: torch.where(MASK, a, b), "maximum": torch.maximum,
}

# ---- 64-bit numbers as tensors without dims ----------------------------------------------------------

for dtype in DTYPES:
    x = X.to(dtype)
    for name, function in FUNCTIONS.items():
        if dtype is torch.bool and name in ("rsub", "floor"):
            continue
        double = torch.tensor(2.5, dtype=torch.float64)
        long = torch.tensor(3)
        call(f"made/{name}/{short(dtype)}",
             lambda a, f=function: f(a, torch.tensor(2.5, dtype=torch.float64)), x)
        call(f"captured/{name}/{short(dtype)}", lambda a, f=function, c=double: f(a, c), x)
        call(f"input/{name}/{short(dtype)}", function, x, double)
        call(f"no-dims/{name}/{short(dtype)}", lambda a, f=function, c=double: f(a[1], c), x)
        call(f"no-dims-int/{name}/{short(dtype)}", lambda a, f=function, c=long: f(a[1], c), x)
    if dtype is not torch.bool:
        call(f"number/floor/{short(dtype)}", lambda a: a // 2.5, x)
        call(f"number/floor-no-dims/{short(dtype)}", lambda a: a[1] // 2, x)
    call(f"number/where/{short(dtype)}", lambda a: torch.where(a > 0, a, 2.5), x)
    call(f"number/no-dims/{short(dtype)}", lambda a: (a[1] + 2, a[1] * 2.5, a[1] / 2), x)
    call(f"no-dims/added/{short(dtype)}", lambda a, b: a + b, x, single(torch.float64))

# ---- the same constant twice, as a number and as a tensor -----------------------------------------------

call("number-and-tensor", lambda x: (x * 2.5, x * torch.tensor(2.5, dtype=torch.float64), x // 2.5), X)
call("kept-tensor", lambda x: (torch.tensor(2.5, dtype=torch.float64) * 2 + x).sum(), X)
call("of-mean", lambda x: x.float().mean() + torch.tensor(2.5, dtype=torch.float64), X)
call("of-sum", lambda x: x.sum(dtype=torch.int32) + 2, X)
call("constant-first", lambda x: torch.tensor(2.5, dtype=torch.float64) + x, X)
call("clamped", lambda x: (x.clamp(torch.tensor(1.5, dtype=torch.float64)), x.clamp(1.5)), X)
call("cat", lambda x: torch.cat([x, torch.tensor([2.5], dtype=torch.float64)]), X)
call("lerp", lambda x, y: torch.lerp(x, y, torch.tensor(0.25)), (3, 4), (3, 4))
call("large", lambda x: (x + 0.5, x * 1.0), torch.tensor([2**24 + 1, 2**53 + 1, -(2**24) - 3]))


class Frozen(torch.nn.Module):
    """Constants of a frozen module count as constants of the code."""

    def __init__(self):
        super().__init__()
        self.register_buffer("step", torch.tensor(2.5, dtype=torch.float64))

    def forward(self, x):
        return x + self.step, torch.maximum(x, self.step)


CASES.add("buffer", Frozen, X)
CASES.add("buffer/script", Frozen, X, script=True)
CASES.add("buffer/frozen", lambda: torch.jit.freeze(torch.jit.script(Frozen().eval())), X, script=True)


def scripted(x):
    return x + 2.5, x // 2.5, torch.where(x > 2, x, 2.5), x + torch.tensor(2.5, dtype=torch.float64)


CASES.script("script", scripted, X)

# ---- numbers that float16 does not hold ----------------------------------------------------------------

HALVES = torch.tensor([0.0, 1e-3, -60000.0, 60000.0, 1.0, 300.0], dtype=torch.float16)
for number in (1e5, -1e9, 66000.0, 3e38, 1e-8, -1e-10, math.inf, 10**6):
    call(f"beyond-float16/{number}", lambda x, n=number: (x * n, n * x, x / n, (x + 0).mul_(n)), HALVES,
         needs=(2, 1))
    call(f"beyond-float16/tensor/{number}", lambda x, n=number: (x * torch.tensor(n), x / torch.tensor(n)), HALVES,
         needs=(2, 1))
call("beyond-float16/mask", lambda x: (1.0 - (x > 0).half()) * -1e9, HALVES, needs=(2, 1))
call("beyond-float16/argument", lambda x, n: (x * n, x / n), HALVES, torch.tensor(1e5), needs=(2, 1))
call("beyond-float16/one", lambda x, n: x * 1e5 + n[0] * 1e-8, torch.tensor(1e-3).half(), HALVES, needs=(2, 1))

# ---- truth values as numbers ---------------------------------------------------------------------------

FLAG = torch.tensor(True)
for dtype in (torch.bool, torch.uint8, torch.int64, torch.float32):
    call(f"flag/{short(dtype)}", lambda x, flag: (x.clamp(flag, 4), torch.full_like(x, flag), x.masked_fill(x > 2, flag)),
         torch.tensor([0, 1, 2, 5]).to(dtype), FLAG)
call("flag/full", lambda x, flag: (torch.full((3,), flag), x.new_full((2,), flag)), X, FLAG)

# ---- whole floats that torch.jit.save writes as ints ---------------------------------------------------------

for name, function in [
    ("sum", lambda x: torch.full((3, 4), 1e10) + x),
]:
    call(f"written-as-int/{name}", function, X)
