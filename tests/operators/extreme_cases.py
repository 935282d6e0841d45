"""Cases of infinities, NaN, signs of zero, and integers beyond 32 bits."""

import math

import torch
from building import BATCH, Cases
from torch.nn import functional as F

CASES = Cases()
call = CASES.call
NAN, INF = math.nan, math.inf
FLOATS = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
NEW = (2, 0)


def short(dtype):
    return str(dtype).removeprefix("torch.")


def special(dtype):
    largest = torch.finfo(dtype).max
    return torch.tensor([NAN, INF, -INF, 0, 1, -2.5, largest, -largest], dtype=torch.float64).to(dtype)


# ---- bounds ------------------------------------------------------------------------------------------

# A single NaN bound means something else before PyTorch 2.
BOUNDS = {
    "min": {"min": 1.0}, "max": {"max": 1.0}, "both": {"min": -1.0, "max": 1.0}, "min-infinite": {"min": -INF},
    "max-infinite": {"max": INF}, "infinite": {"min": -INF, "max": INF}, "to-infinity": {"min": INF},
    "to-minus-infinity": {"max": -INF}, "half-infinite": {"min": 0.0, "max": INF}, "crossed": {"min": 3.0, "max": 1.0},
    "nan-and-number": {"min": NAN, "max": 1.0}, "number-and-nan": {"min": 0.0, "max": NAN},
}
for name, bounds in BOUNDS.items():
    for dtype in FLOATS:
        call(f"clamp/{name}/{short(dtype)}", lambda x, b=bounds: x.clamp(**b), special(dtype))
call("clamp/nan", lambda x: (x.clamp(min=NAN), x.clamp(max=NAN)), special(torch.float32), needs=NEW)
for dtype in FLOATS:
    call(f"clamp_min/{short(dtype)}", lambda x: x.clamp_min(2), special(dtype))
    call(f"clamp_max/{short(dtype)}", lambda x: x.clamp_max(-2), special(dtype))
    call(f"clamp/tensors/{short(dtype)}", torch.clamp, special(dtype)[:, None], special(dtype),
         torch.tensor(1.0, dtype=dtype))
    call(f"hardtanh/{short(dtype)}", lambda x: F.hardtanh(x, 0.0, INF), special(dtype))
call("clamp/one", lambda x: x.clamp(min=1.0), torch.tensor(INF))
call("clamp/in-place", lambda x: (x + 0).clamp_(max=0.5).clamp_min_(-INF), special(torch.float32))
call("hardtanh/nan", lambda x: F.hardtanh(x, NAN, 1.0), special(torch.float32))
call("hardtanh/int", lambda x: F.hardtanh(x, -2, 5), torch.arange(-9, 9))
call("normalize", lambda x: F.normalize(x, dim=1), torch.tensor([[INF, 1.0], [-INF, INF], [3.0, 4.0]]))

# ---- sums of exponentials ----------------------------------------------------------------------------

MANY = torch.tensor([
    [INF, 1, NAN], [NAN, INF, INF], [NAN, -INF, -INF], [INF, INF, 1], [-INF, -INF, -INF], [INF, -INF, 2],
    [NAN, NAN, NAN], [1000, 1000, -INF], [1, NAN, 2], [-1000, -1001, -1002],
])
for dtype in FLOATS:
    call(f"logsumexp/{short(dtype)}", lambda x: torch.logsumexp(x, 1), MANY.to(dtype))
    call(f"logsumexp/first/{short(dtype)}", lambda x: torch.logsumexp(x, 0), MANY.T.contiguous().to(dtype))
call("logsumexp/keepdim", lambda x: torch.logsumexp(x, -1, keepdim=True), MANY, dynamic=BATCH)
call("logsumexp/dims", lambda x: torch.logsumexp(x.reshape(5, 2, 3), (0, 2)), MANY)
call("logsumexp/all", lambda x: torch.logsumexp(x, (0, 1)), MANY[:1])
call("logsumexp/one", lambda x: torch.logsumexp(x, 0), torch.tensor(NAN))
call("logsumexp/ints", lambda x: torch.logsumexp(x, 1), torch.tensor([[1, 2, 3], [100, 1, 100]]))

# ---- small results -----------------------------------------------------------------------------------

FAR = torch.tensor([-200.0, -88.0, -50.0, -30.0, -20.0, -1.0, 0.0, 1.0, 30.0], dtype=torch.float64)
call("softplus/log", lambda x: F.softplus(x).log(), FAR)
call("softplus/beta", lambda x: F.softplus(x, 2.0, 10.0).log(), FAR)
call("logsigmoid/log", lambda x: (-F.logsigmoid(-x)).log(), FAR)
call("gelu-tanh/large", lambda x: F.gelu(x, approximate="tanh"), torch.tensor([3e38, -3e38, 1.8e38, 1e13, -1e20, INF, NAN]))
for name in ("trunc", "floor", "ceil", "round"):
    for dtype in FLOATS:
        call(f"{name}/sign-of-zero/{short(dtype)}", lambda x, n=name: 1 / getattr(torch, n)(x),
             torch.tensor([-0.5, 0.5, -0.25, -1.5, 1e-3]).to(dtype))

# ---- 16-bit floats -----------------------------------------------------------------------------------

LARGE = torch.tensor([1e30, 1e10, 2.0, 3e-20])
for exponent in (1 / 3, 0.1, 2.3, -0.7):
    call(f"pow/{exponent:.1f}/bfloat16", lambda x, e=exponent: x**e, LARGE.bfloat16())
call("pow/roots/float16", lambda x: (x**0.5, x**-0.5), torch.tensor([-INF, INF, -0.0, 0.0, 4.0]).half())
TENTHS = torch.tensor([1.0, 2.0, -1.0, 0.5, 0.3, 30.0])
for name, function in {
    "floor_divide": lambda x: torch.floor_divide(x, 0.1), "floor": lambda x: torch.div(x, 0.1, rounding_mode="floor"),
    "trunc": lambda x: torch.div(x, 0.1, rounding_mode="trunc"),
}.items():
    call(f"{name}/tenths/float16", function, TENTHS.half(), needs=NEW)
    call(f"{name}/tenths/bfloat16", function, TENTHS.bfloat16(), needs=NEW)

# ---- integers beyond 32 bits -------------------------------------------------------------------------

# In vectors of eight, as CPUs compute them, and with equal upper halves.
WIDE = torch.tensor([[1, 2, 3, 2**31, 5, 6, 2**31 + 7, 8, 9, 2**32 + 5, 2**32 + 2**31, 2**32 - 1, 11, 12, 13, 14],
                     [4, 2**31, 3, 2**31, 5, 6, -2**31 - 7, 8, 2**62, 2**32 + 5, 17, -2**32, 11, -12, 13, 14]])
for name, function in {
    "maximum": lambda x: torch.maximum(x, x.flip(1)), "minimum": lambda x: torch.minimum(x, x.flip(1)),
    "fmax": lambda x: torch.fmax(x, x.flip(0)), "clamp": lambda x: x.clamp(3, 7), "clamp-min": lambda x: x.clamp(min=7),
    "clamp-max": lambda x: x.clamp(max=7), "clamp-tensor": lambda x: x.clamp(min=torch.tensor(7)), "relu": torch.relu,
    "relu6": F.relu6, "hardtanh": lambda x: F.hardtanh(x, -3, 4), "sign": torch.sign, "sgn": torch.sgn,
    "amax": lambda x: x.amax(1), "amax-keepdim": lambda x: x.amax((0, 1), keepdim=True), "amin": lambda x: (-x).amin(0),
    "max": torch.max, "min": lambda x: (-x).min(), "max-dim": lambda x: tuple(x.max(1)),
    "min-dim": lambda x: tuple((-x).min(1, keepdim=True)), "aminmax": lambda x: tuple(torch.aminmax(x)),
    "aminmax-dim": lambda x: tuple(torch.aminmax(x, dim=1)), "cummax": lambda x: tuple(x.cummax(1)),
    "cummin": lambda x: tuple((-x).cummin(1)), "abs": lambda x: (-x).abs(), "sort": lambda x: x.sort(1).values,
    "kthvalue": lambda x: x.kthvalue(9, 1).values, "median": lambda x: x.median(1).values,
    "compare": lambda x: (x < x.flip(1), x >= 2**31, x == 2**31), "unique": torch.unique,
}.items():
    call(f"wide/{name}", function, WIDE, dynamic=BATCH if name not in ("unique", "fmax") else None)
