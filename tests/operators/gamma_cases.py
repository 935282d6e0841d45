"""The gamma function's logarithm and its derivatives, inverses of distributions."""

import math

import torch

from building import BATCH, Cases

CASES = Cases()
call = CASES.call
NAN, INF = math.nan, math.inf
POSITIVE = [1e-30, 1e-3, 0.1, 0.49, 0.5, 0.51, 0.9, 0.999, 1.0, 1.001, 1.4616, 1.9, 2.0, 2.1, 3.0, 5.5, 9.99, 10.0,
            10.01, 33.3, 171.0, 1e3, 1e6, 1e20]
NEGATIVE = [-1e-30, -1e-3, -0.1, -0.5, -0.9, -1.1, -1.5, -2.4, -9.7, -33.3, -1000.25]
WHOLE = [0.0, -0.0, -1.0, -2.0, -10.0, -1e20]
ENDS = [INF, -INF, NAN]
ALL = torch.tensor(POSITIVE + NEGATIVE + WHOLE + ENDS)


def short(dtype):
    return str(dtype).removeprefix("torch.")


for name in ("lgamma", "digamma"):
    function = getattr(torch, name)
    call(name, function, ALL)
    call(f"{name}/float64", function, ALL.double())
    for dtype in (torch.float16, torch.bfloat16, torch.int64, torch.int8):
        call(f"{name}/{short(dtype)}", function, torch.tensor([0.5, 1, 2, 3, 7, 9, 20, 33]).to(dtype), dynamic=BATCH)
    call(f"{name}/special", getattr(torch.special, {"lgamma": "gammaln", "digamma": "psi"}[name]), ALL)
call("lgamma/bool", torch.lgamma, ((5,), torch.bool))
for n in (0, 1, 2, 3, 4, 7):
    call(f"polygamma/{n}", lambda x, o=n: torch.polygamma(o, x), torch.tensor(POSITIVE[1:-1]))
    call(f"polygamma/{n}-float64", lambda x, o=n: torch.polygamma(o, x), torch.tensor(POSITIVE[1:-1]).double())
    call(f"polygamma/{n}-negative", lambda x, o=n: torch.polygamma(o, x), torch.tensor(NEGATIVE[1:]).double())
    call(f"polygamma/{n}-whole", lambda x, o=n: torch.polygamma(o, x), torch.tensor(WHOLE[:5]))
    call(f"polygamma/{n}-ends", lambda x, o=n: torch.polygamma(o, x), torch.tensor(ENDS))
call("polygamma/large-order", lambda x: torch.polygamma(50, x), (4,), refused="the derivative of order 50")
call("mvlgamma", lambda x: torch.mvlgamma(x, 3), torch.tensor([1.5, 2.0, 3.7, 40.0]), dynamic=BATCH)
call("mvlgamma/one", lambda x: torch.mvlgamma(x, 1), torch.tensor([1.5, 2.0, 3.7, 40.0]))
call("mvlgamma/int", lambda x: torch.mvlgamma(x, 2), torch.tensor([2, 3, 40]))

INNER = [0.0, -0.0, 1e-30, 1e-5, 0.1, 0.5, 0.84, 0.85, 0.86, 0.99, 0.999999, 1.0, 1.1]
call("erfinv", torch.erfinv, torch.tensor(INNER + [-x for x in INNER] + ENDS))
call("erfinv/float64", torch.erfinv, torch.tensor(INNER + [-x for x in INNER] + ENDS).double())
for dtype in (torch.float16, torch.bfloat16, torch.int64):
    call(f"erfinv/{short(dtype)}", torch.erfinv, torch.tensor([0.0, 0.3, -0.9, 1.0]).to(dtype), dynamic=BATCH)
LEVELS = torch.tensor([0.0, 1e-30, 1e-12, 1e-5, 0.01, 0.074, 0.076, 0.3, 0.5, 0.7, 0.93, 0.99, 1 - 1e-6, 1.0, 1.1, -0.1,
                       NAN, INF, -INF])
call("ndtri", torch.special.ndtri, LEVELS)
call("ndtri/float64", torch.special.ndtri, LEVELS.double())

# ---- the zeta function of Hurwitz ------------------------------------------------------------------

POWERS = torch.tensor([NAN, -INF, 0.5, 1.0, 1.001, 1.5, 2, 3, 4, 7.25, 30, 100, 1e5, INF]).unsqueeze(1)
STARTS = torch.tensor([NAN, INF, -INF, -40.75, -7.25, -3.0, -0.5, 0.0, 1e-3, 0.4, 1, 1.5, 8.9, 9, 9.5, 20, 300, 1e6])
call("zeta", torch.special.zeta, POWERS, STARTS)
call("zeta/float64", torch.special.zeta, POWERS.double(), STARTS.double())
call("zeta/int64", torch.special.zeta, torch.tensor([[1], [2], [5]]), torch.arange(-3, 12))
call("zeta/power", lambda q: torch.special.zeta(2.5, q), ((3, 4), 1, 30), dynamic={0: {0: "batch"}})
call("zeta/start", lambda x: torch.special.zeta(x, 1), ((3, 4), 2, 30), dynamic={0: {0: "batch"}})
call("zeta/scalars", torch.special.zeta, torch.tensor(3.0), torch.tensor(2.0))
call("zeta/dynamic", torch.special.zeta, ((3, 4), 2, 9), ((4,), -9, 9), dynamic={0: {0: "batch"}})

# ---- parts of the gamma function's integral ----------------------------------------------------------

BOUNDS = torch.logspace(-6, 5, 60)
RATIOS = torch.cat([torch.logspace(-3, 3, 13), torch.tensor([0.9, 0.97, 0.99, 0.999, 1.001, 1.01, 1.03, 1.1])])
RATIOS = RATIOS[:, None]
SPECIAL = torch.tensor([0.0, -1.0, -0.0, INF, -INF, NAN, 0.5, 1e-30, 1e-12, 1e20, 300.0])
for name in ("igamma", "igammac"):
    function = getattr(torch, name)
    call(name, function, BOUNDS, RATIOS * BOUNDS)
    call(f"{name}/small", function, BOUNDS / 1e4, RATIOS * 0.3)
    call(f"{name}/special-cases", function, SPECIAL[:, None], SPECIAL)
    # For larger ones, the last digit of an argument changes the result by more than the tolerance.
    call(f"{name}/near", function, torch.logspace(2, 6, 40),
         torch.logspace(2, 6, 40) + torch.linspace(-4, 4, 17)[:, None] * torch.logspace(2, 6, 40).sqrt())
    call(f"{name}/special", getattr(torch.special, name.replace("igamma", "gammainc")), (3, 4), (4,),
         dynamic={0: {0: "batch"}})
    call(f"{name}/scalar", function, torch.tensor(2.5), torch.tensor(1.5))
    for dtype in (torch.float16, torch.bfloat16):
        call(f"{name}/{short(dtype)}", function, torch.tensor([0.5, 1, 2, 7, 30]).to(dtype),
             torch.tensor([0.25, 3, 2, 5, 30]).to(dtype))
    call(f"{name}/float64", function, torch.tensor([2.5]).double(), torch.tensor([1.5]).double(),
         refused="libtorch's own has errors")
