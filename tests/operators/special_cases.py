"""Cases of special functions, and of functions of two tensors that ONNX has no operator for."""

import math

import torch
from building import Cases

CASES = Cases()
call = CASES.call
NAN, INF = math.nan, math.inf
N = {0: {0: "n"}}
FLOAT, DOUBLE, HALF, BRAIN = torch.float32, torch.float64, torch.float16, torch.bfloat16
WHOLE = (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8)
NUMBERS = torch.tensor([-9.0, -7.5, -2.0, -1.5, -1.0, -0.25, -1e-3, 0.0, 1e-3, 0.25, 0.5, 1.0, 2.5, 7.25, 9.0])
SPECIAL = torch.tensor([NAN, INF, -INF, 0.0, -0.0, 1.0, -2.5, 3e38, 1e-38])
SIGNED = torch.tensor([-9, -7, -4, -1, 0, 1, 2, 5, 8, 9])


def short(dtype):
    return str(dtype).removeprefix("torch.")


def whole(dtype):
    return SIGNED.abs().to(dtype) if dtype is torch.uint8 else SIGNED.to(dtype)


# ---- of one tensor ---------------------------------------------------------------------------------

FUNCTIONS = {
    "angle": torch.angle, "entr": torch.special.entr, "erfc": torch.erfc, "isreal": torch.isreal,
    "erfcx": lambda x: torch.special.erfcx(x.clamp(-5, 20)), "log_ndtr": torch.special.log_ndtr,
    "ndtr": torch.special.ndtr, "signbit": torch.signbit, "sinc": torch.sinc,
}
NO_HALF = ("erfcx", "log_ndtr")
for name, function in FUNCTIONS.items():
    call(f"{name}", function, NUMBERS, dynamic=N)
    call(f"{name}/special", function, SPECIAL)
    call(f"{name}/double", function, NUMBERS.double())
    if name not in NO_HALF:
        call(f"{name}/half", function, NUMBERS.half())
        call(f"{name}/bfloat16", function, NUMBERS.bfloat16())
    if name != "erfcx":
        for dtype in WHOLE:
            call(f"{name}/{short(dtype)}", function, whole(dtype))
    call(f"{name}/scalar", function, ())
call("erfc/small", lambda x: torch.log(torch.erfc(x)), torch.linspace(0.0, 8.5, 40))
# All digits of float64: differences are magnified.
FINE = torch.cat([torch.linspace(-7, 7, 281), torch.linspace(-26, 26, 105), torch.tensor([1e-300, -1e-20])]).double()
for name, function in {"erf": torch.erf, "erfc": torch.erfc, "erfcx": torch.special.erfcx,
                       "log_ndtr": torch.special.log_ndtr}.items():
    call(f"{name}/double/digits", lambda x, wanted, f=function: (f(x) / wanted - 1) * 1e5, FINE, function(FINE))
    call(f"{name}/double/special", function, SPECIAL.double())
    call(f"{name}/double/far", function, torch.tensor([27.5, -27.5, 29, 31, -31, 1e10, -1e10, 1e200, -1e308]).double())
for name, function in {"gelu": torch.nn.functional.gelu, "ndtr": torch.special.ndtr}.items():
    call(f"{name}/double/digits", lambda x, wanted, f=function: (f(x) - wanted) * 1e5, FINE, function(FINE))
    call(f"{name}/double/special", function, SPECIAL.double())
call("signbit/bool", torch.signbit, torch.tensor([True, False]))

# ---- of two ------------------------------------------------------------------------------------------

PAIRS = {
    "atan2": torch.atan2, "copysign": torch.copysign, "hypot": torch.hypot, "logaddexp": torch.logaddexp,
    "logaddexp2": torch.logaddexp2, "xlogy": torch.xlogy, "xlog1py": torch.special.xlog1py,
    "heaviside": torch.heaviside, "isclose": torch.isclose, "ldexp": torch.ldexp,
}
SAME_DTYPE = ("heaviside", "isclose")
FLOATS_ONLY = ("hypot", "logaddexp", "logaddexp2")
for name, function in PAIRS.items():
    call(f"{name}/table", function, NUMBERS[:, None], NUMBERS[None])
    call(f"{name}/special", function, SPECIAL[:, None], SPECIAL[None])
    call(f"{name}/broadcast", function, (2, 3, 1), (4,), dynamic={0: {0: "batch"}})
    call(f"{name}/half", function, (3, 4), (3, 4)) if name == "ldexp" else call(
        f"{name}/half", function, ((3, 4), HALF), ((3, 4), HALF))
    call(f"{name}/bfloat16", function, ((3, 4), BRAIN), ((3, 4), BRAIN))
    call(f"{name}/double", function, ((3, 4), DOUBLE), ((3, 4), DOUBLE))
    if name not in FLOATS_ONLY:
        for dtype in WHOLE:
            call(f"{name}/{short(dtype)}", function, whole(dtype)[:, None], whole(dtype)[None])
    if name not in (*SAME_DTYPE, *FLOATS_ONLY):
        call(f"{name}/promotes", function, whole(torch.int64), (10,))
        call(f"{name}/narrow-and-int", function, ((10,), HALF), whole(torch.int64))
    call(f"{name}/scalars", function, (), ())
call("atan2/names", torch.arctan2, (3, 4), (3, 4))
call("copysign/number", lambda x: torch.copysign(x, -2.0), NUMBERS, dynamic=N)
call("xlogy/numbers", lambda x: (torch.xlogy(x, 2.5), torch.xlogy(2, x.abs())), NUMBERS)
call("xlog1py/numbers", lambda x: (torch.special.xlog1py(x, 2.5), torch.special.xlog1py(0, x)), NUMBERS)
call("heaviside/bool", torch.heaviside, torch.tensor([True, False]), torch.tensor([False, True]))
NEAR = torch.tensor([1.0, 1.0 + 1e-6, 1.001, INF, -INF, NAN, 0.0, 1e-9])
call("isclose/near", torch.isclose, NEAR[:, None], NEAR[None])
call("isclose/nan", lambda a, b: torch.isclose(a, b, equal_nan=True), NEAR.repeat(8), NEAR.repeat_interleave(8))
call("isclose/exact", lambda a, b: torch.isclose(a, b, rtol=0, atol=0), NEAR[:, None], NEAR[None])
call("isclose/wide", lambda a, b: torch.isclose(a, b, rtol=0.1, atol=0.5), SIGNED[:, None], SIGNED[None])
call("isclose/bool", torch.isclose, torch.tensor([True, False]), torch.tensor([True, True]))
call("isin", torch.isin, ((3, 4), 0, 9), ((5,), 0, 9), dynamic={0: {0: "batch"}, 1: {0: "n"}})
call("isin/invert", lambda a, b: torch.isin(a, b, invert=True), ((3, 4), 0, 9), ((2, 2), 0, 9))
call("isin/nan", torch.isin, SPECIAL, SPECIAL.flip(0))
call("isin/number", lambda x: torch.isin(x, 5), SIGNED, dynamic=N)
call("isin/of-number", lambda x: torch.isin(5, x), SIGNED, dynamic=N)
for dtype in WHOLE:
    call(f"isin/{short(dtype)}", torch.isin, whole(dtype), whole(dtype)[3:6])

# ---- arithmetic that rounds narrow floats on the way ------------------------------------------------

for dtype in (HALF, BRAIN):
    call(f"trunc/{short(dtype)}", lambda a, b: torch.div(a, b, rounding_mode="trunc"),
         (torch.arange(1, 65) * 1.0).to(dtype)[:, None], (torch.arange(1, 33) * 0.1).to(dtype)[None])
    call(f"sub-alpha/{short(dtype)}", lambda a, b: (torch.sub(a, b, alpha=-3.125), torch.add(a, b, alpha=0.3)),
         ((8, 8), dtype), ((8, 8), dtype))
    call(f"diff/{short(dtype)}", lambda x: torch.diff(x, n=4), ((8, 9), dtype))
call("diff/never", lambda x, a: torch.diff(x, n=0, prepend=a, append=a), (3, 4), (3, 2))
call("diff/around", lambda x, a: torch.diff(x, n=2, dim=0, prepend=a, append=a), (3, 4), (2, 4))
