"""Cases of arithmetic, functions of one tensor, comparisons, logic, and casts."""

import math

import torch
from building import Cases

CASES = Cases()
call = CASES.call
NAN, INF = math.nan, math.inf

FLOAT, DOUBLE, HALF, BRAIN = torch.float32, torch.float64, torch.float16, torch.bfloat16
FLOATS = (FLOAT, DOUBLE, HALF, BRAIN)
WHOLE = (torch.int64, torch.int32, torch.int16, torch.int8)
NUMBERS = torch.tensor([-7.5, -2.0, -1.5, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0, 1.5, 2.5, 3.0, 7.25, 100.0])
SPECIAL = torch.tensor([NAN, INF, -INF, 0.0, -0.0, 1.0, -2.5])
SIGNED = torch.tensor([-9, -7, -4, -1, 0, 1, 2, 5, 8, 9])


def short(dtype):
    return str(dtype).removeprefix("torch.")


def signed(dtype):
    return SIGNED.to(dtype)


# ---- arithmetic --------------------------------------------------------------------------------------

ARITHMETIC = {
    "add": torch.add, "sub": torch.sub, "mul": torch.mul, "maximum": torch.maximum,
    "minimum": torch.minimum, "div": torch.div,
    "floor": lambda a, b: torch.div(a, b, rounding_mode="floor"),
    "trunc": lambda a, b: torch.div(a, b, rounding_mode="trunc"),
    "floor_divide": torch.floor_divide, "remainder": torch.remainder, "fmod": torch.fmod,
}
DIVISORS = torch.tensor([3, -3, 2, -2, 5, -5, 1, -1, 4, 7])
for name, function in ARITHMETIC.items():
    for dtype in (*WHOLE, torch.uint8):
        first = signed(dtype).abs() if dtype is torch.uint8 else signed(dtype)
        second = DIVISORS.abs() if dtype is torch.uint8 else DIVISORS
        call(f"{name}/{short(dtype)}", function, first, second.to(dtype))
    for dtype in FLOATS:
        call(f"{name}/{short(dtype)}", function, NUMBERS.to(dtype)[:, None],
             torch.tensor([2.0, -2.0, 0.75, -3.5]).to(dtype))
    call(f"{name}/broadcast", function, (2, 3, 1), (4,), dynamic={0: {0: "batch"}})
    call(f"{name}/promotes", function, ((3, 4), 1, 9), (4,))
    call(f"{name}/promotes-ints", function, ((3, 4), 1, 9), torch.tensor([1, 2, 3, 4], dtype=torch.int8))
    call(f"{name}/tensor-without-dims", function, (3, 4), torch.tensor(1.5, dtype=DOUBLE))
    call(f"{name}/both-without-dims", function, (), torch.tensor(1.5, dtype=DOUBLE))
    call(f"{name}/int-and-float-without-dims", function, ((3,), 1, 9), torch.tensor(1.5, dtype=HALF))
    call(f"{name}/no-elements", lambda a, b, f=function: f(a[:0], b), (3, 4), (1, 4))
for name in ("add", "mul"):
    call(f"{name}/bool", ARITHMETIC[name], torch.tensor([True, True, False]),
         torch.tensor([True, False, False]))
for name in ("floor", "trunc", "remainder", "fmod", "floor_divide"):
    call(f"{name}/tenths", ARITHMETIC[name], torch.tensor([1.0, -1.0, 0.3, 6.0]),
         torch.tensor([0.1, 0.1, 0.1, -0.2]))
    call(f"{name}/by-infinity", ARITHMETIC[name], torch.tensor([1.0, -1.0]), torch.tensor([INF, INF]))
for name in ("floor", "trunc", "div", "floor_divide"):
    call(f"{name}/by-zero", ARITHMETIC[name], torch.tensor([1.0, -1.0, 0.0]), torch.zeros(3))
call("floor/large", ARITHMETIC["floor"], torch.tensor([2**63 - 1, -(2**63), -(2**63) + 1]),
     torch.tensor([3, 3, -2]))
call("fmod/large", ARITHMETIC["fmod"], torch.tensor([2**62 + 3, -(2**62) - 3]), torch.tensor([10, 10]))
for name, function in {
    "add": lambda x: x + 2, "add-float": lambda x: x + 2.5, "radd": lambda x: 2.5 + x,
    "sub": lambda x: x - 3, "rsub": lambda x: 3.5 - x, "mul": lambda x: x * 0.3,
    "div": lambda x: x / 3, "rdiv": lambda x: 3 / (x.abs() + 1), "floordiv": lambda x: x // 2,
    "mod": lambda x: x % 3, "rmod": lambda x: torch.remainder(7, x.abs() + 1),
    "fmod": lambda x: torch.fmod(x, 3), "neg": lambda x: -x, "abs": torch.abs,
    "alpha": lambda x: torch.add(x, x, alpha=3), "sub-alpha": lambda x: torch.sub(x, x + 1, alpha=2),
    "rsub-alpha": lambda x: torch.rsub(x, 5, alpha=2), "sign": torch.sign, "square": torch.square,
    "positive": torch.positive, "floor": torch.floor, "ceil": torch.ceil, "trunc": torch.trunc,
    "clamp": lambda x: x.clamp(-2, 3), "clamp-min": lambda x: x.clamp(min=1),
    "clamp-max": lambda x: x.clamp(max=1), "clamp-crossed": lambda x: x.clamp(3, 1),
    "in-place": lambda x: (x + 0).add_(2).mul_(3).sub_(1),
}.items():
    call(f"number/{name}/float", function, NUMBERS, dynamic={0: {0: "n"}})
    call(f"number/{name}/half", function, NUMBERS.half())
    call(f"number/{name}/bfloat16", function, NUMBERS.bfloat16())
    call(f"number/{name}/double", function, NUMBERS.double())
    for dtype in WHOLE:
        call(f"number/{name}/{short(dtype)}", function, signed(dtype))
    call(f"number/{name}/scalar", function, ())
call("clamp/int-by-float", lambda x: x.clamp(0.5, 3.5), SIGNED)
call("clamp/tensors", lambda x, a, b: x.clamp(a, b), NUMBERS, torch.full((1,), -1.0), torch.linspace(0, 5, 14))
call("clamp/tensor-min", lambda x, a: x.clamp(min=a), SIGNED, torch.tensor(2))
call("clamp/nan", lambda x: x.clamp(0, 1), SPECIAL)
call("maximum/nan", torch.maximum, SPECIAL, SPECIAL.flip(0))
call("fmax/nan", torch.fmax, SPECIAL, SPECIAL.flip(0))
call("fmin/nan", torch.fmin, SPECIAL, SPECIAL.flip(0))
call("fmax/int", torch.fmax, SIGNED, SIGNED.flip(0))
call("addcmul", lambda a, b, c: torch.addcmul(a, b, c, value=0.3), (3, 4), (3, 1), (4,))
call("addcmul/int", lambda a, b, c: torch.addcmul(a, b, c, value=2), SIGNED, SIGNED, SIGNED)
call("addcdiv", lambda a, b, c: torch.addcdiv(a, b, c, value=-2), (3, 4), (3, 1), (4,))
call("lerp", lambda a, b: torch.lerp(a, b, 0.3), (3, 4), (3, 4))
call("lerp/far", lambda a, b: torch.lerp(a, b, 0.8), (3, 4), (3, 4))
call("lerp/tensor", torch.lerp, (3, 4), (3, 4), (3, 4))

# ---- powers --------------------------------------------------------------------------------------------

for exponent in (0, 1, 2, 3, 0.5, -0.5, -1, -2, 1.7, 4):
    call(f"pow/{exponent}", lambda x, e=exponent: x.abs() ** e, NUMBERS + 0.125)
    call(f"pow/{exponent}/double", lambda x, e=exponent: x.abs() ** e, (NUMBERS + 0.125).double())
    call(f"pow/{exponent}/half", lambda x, e=exponent: x.abs() ** e, (NUMBERS.clamp(-9, 9) + 0.125).half())
for exponent in (0, 1, 2, 3, 7, 20):
    for dtype in WHOLE:
        call(f"pow/{exponent}/{short(dtype)}", lambda x, e=exponent: x**e, signed(dtype))
call("pow/int-to-float", lambda x: x**0.5, SIGNED.abs())
call("pow/negative-base", lambda x: x**3, NUMBERS)
call("pow/tensor", torch.pow, (3, 4), torch.tensor([0.0, 1.0, 2.0, 3.0]))
call("pow/scalar-base", lambda x: 2.0**x, (3, 4))
for dtype in (torch.int64, torch.int32, torch.int8, torch.uint8):
    call(f"pow/tensors/{short(dtype)}", torch.pow, torch.tensor([[-3], [-2], [-1], [0], [1], [2], [7]]).to(dtype),
         torch.tensor([0, 1, 2, 5, 31, 63, 64, 127, -1, -2]).to(dtype))
call("pow/int-tensors/large", torch.pow, torch.tensor([[2], [3], [-5], [-1]]),
     torch.tensor([62, 2**62, 2**63 - 1, -2**63, -2**63 + 1]))
call("pow/int-base", lambda x: 3**x, SIGNED)
call("float_power", lambda x: torch.float_power(x, 2), SIGNED)

# ---- overloads that are called otherwise in place ------------------------------------------------------

call("in-place/pow", lambda x, e: (x.abs() + 0.5).pow_(e), (3, 4), (4,))
call("in-place/pow/scalar", lambda x: (x.abs() + 0.5).pow_(1.7), (3, 4))
call("in-place/float_power", lambda x, e: (x.abs() + 0.5).double().float_power_(e), (3, 4), (3, 4))
call("in-place/float_power/scalar", lambda x: (x.abs() + 0.5).double().float_power_(3), (3, 4))
call("in-place/floor_divide", lambda x, d: x.clone().floor_divide_(d), SIGNED, torch.tensor([3]))
call("in-place/ldexp", lambda x, e: x.clone().ldexp_(e), (3, 4), torch.tensor([0.0, 1.0, -2.0, 3.0]))
call("in-place/transpose", lambda x: (x + 1).transpose_(0, 1) * 2, (3, 4))

# ---- functions of one tensor ---------------------------------------------------------------------------

UNARY = {
    "exp": torch.exp, "log": torch.log, "sqrt": torch.sqrt, "rsqrt": torch.rsqrt,
    "reciprocal": torch.reciprocal, "sigmoid": torch.sigmoid, "tanh": torch.tanh, "sin": torch.sin,
    "cos": torch.cos, "log2": torch.log2, "log10": torch.log10, "log1p": torch.log1p,
    "expm1": torch.expm1, "exp2": torch.exp2, "floor": torch.floor, "ceil": torch.ceil,
    "round": torch.round, "trunc": torch.trunc, "frac": torch.frac, "deg2rad": torch.deg2rad,
    "rad2deg": torch.rad2deg, "logit": lambda x: torch.logit(x, 0.1), "isnan": torch.isnan,
    "isinf": torch.isinf, "isfinite": torch.isfinite, "isposinf": torch.isposinf,
    "isneginf": torch.isneginf, "nan_to_num": torch.nan_to_num, "sgn": torch.sgn, "erf": torch.erf,
    "tan": torch.tan, "asin": torch.asin, "acos": torch.acos, "atan": torch.atan, "sinh": torch.sinh,
    "cosh": torch.cosh, "asinh": torch.asinh, "acosh": torch.acosh, "atanh": torch.atanh,
}
WITHOUT_INTEGERS = ("frac",)
for name, function in UNARY.items():
    values = NUMBERS.clamp(-9, 9)
    call(f"unary/{name}", function, values, dynamic={0: {0: "n"}})
    call(f"unary/{name}/special", function, SPECIAL)
    call(f"unary/{name}/double", function, values.double())
    call(f"unary/{name}/half", function, values.half())
    call(f"unary/{name}/bfloat16", function, values.bfloat16())
    call(f"unary/{name}/scalar", function, torch.tensor(0.3))
    if name not in WITHOUT_INTEGERS:
        call(f"unary/{name}/int64", function, SIGNED)
        call(f"unary/{name}/uint8", function, SIGNED.abs().to(torch.uint8))
# All digits of float64: differences are magnified. Cosines, from which tangents are computed, have fewer near 0.
BELOW_1 = torch.linspace(-1, 1, 401).double() * (1 - 1e-7)
TINY, BEYOND = torch.tensor([1e-300, 1e-20, 1e-9]).double(), torch.tensor([1e5, 1e100, 1e300]).double()
FINE = torch.cat([torch.linspace(-9, 9, 361).double(), TINY, -TINY])
for name, values, factor in (
        ("tan", FINE, 1e3), ("asin", torch.cat([BELOW_1, TINY]), 1e5), ("acos", BELOW_1, 1e5),
        ("atan", torch.cat([FINE, BEYOND, -BEYOND]), 1e5), ("sinh", FINE * 70, 1e5), ("cosh", FINE * 70, 1e5),
        ("asinh", torch.cat([FINE, BEYOND, -BEYOND]), 1e5),
        ("acosh", torch.cat([1 + TINY, FINE.abs() + 1, BEYOND]), 1e5), ("atanh", torch.cat([BELOW_1, TINY]), 1e5)):
    function = getattr(torch, name)
    values = values[function(values) != 0]
    call(f"unary/{name}/double/digits", lambda x, wanted, f=function, k=factor: (f(x) / wanted - 1) * k, values,
         function(values))
    call(f"unary/{name}/double/special", function, SPECIAL.double())
for name in ("log1p", "expm1"):
    tiny = torch.tensor([1e-3, -1e-3, 1e-5, -1e-5, 1e-8, -1e-8, 1e-20, 0.0, 0.4, -0.4, 0.6])
    call(f"unary/{name}/tiny", lambda x, f=UNARY[name]: f(x) / (x + (x == 0)), tiny)
call("unary/log2/powers", lambda x: torch.log2(x).floor(), 2.0 ** torch.arange(-20, 20))
call("unary/log10/powers", lambda x: torch.log10(x).floor(), 10.0 ** torch.arange(0, 12))
call("unary/log1p/large", torch.log1p, torch.tensor([INF, 1e30, -1.0, -2.0, NAN]))
call("unary/expm1/large", torch.expm1, torch.tensor([INF, 100.0, -100.0, -INF, NAN]))
call("unary/round/ties", torch.round, torch.arange(-10, 10) / 2)
call("unary/round/decimals", lambda x: torch.round(x, decimals=1), NUMBERS * 1.37)
call("unary/round/negative-decimals", lambda x: torch.round(x, decimals=-1), NUMBERS * 7.3)
call("unary/logit/plain", torch.logit, torch.tensor([0.1, 0.5, 0.9, 0.0, 1.0]))
call("unary/nan_to_num/values", lambda x: torch.nan_to_num(x, 1.0, 2.0, -3.0), SPECIAL)
call("unary/sign/bool", torch.sign, torch.tensor([True, False]))
call("unary/in-place", lambda x: (x + 0).exp_().neg_().tanh_().abs_().floor_(), (3, 4))
call("unary/abs/int8-lowest", torch.abs, torch.tensor([-128, 127], dtype=torch.int8))
call("unary/neg/uint8", torch.neg, torch.tensor([0, 1, 255], dtype=torch.uint8))

# ---- choosing ------------------------------------------------------------------------------------------

MASK = torch.tensor([[True], [False], [True]])
for dtype in (*FLOATS, *WHOLE, torch.uint8, torch.bool):
    call(f"where/{short(dtype)}", torch.where, MASK, ((3, 4), dtype), ((4,), dtype))
    call(f"masked_fill/{short(dtype)}", lambda x, m: x.masked_fill(m, 1), ((3, 4), dtype), MASK)
call("where/promotes", torch.where, MASK, (3, 4), ((3, 4), 0, 9))
call("where/numbers", lambda m: torch.where(m, 1.5, -2.5), MASK)
call("where/scalar-other", lambda m, x: torch.where(m, x, -INF), MASK, (3, 4))
call("where/scalar-self", lambda m, x: torch.where(m, 2, x), MASK, (3, 4))
call("where/int-and-float-number", lambda m, x: torch.where(m, x, 0.5), MASK, ((3, 4), 0, 9))
call("where/dynamic", torch.where, ((3, 4), torch.bool), (3, 4), (4,), dynamic={0: {0: "n"}, 1: {0: "n"}})
call("masked_fill/tensor", lambda x, m, v: x.masked_fill(m, v), (3, 4), MASK, torch.tensor(2, dtype=DOUBLE))
call("masked_fill/wider-mask", lambda x, m: x.masked_fill(m, -INF), (1, 4), MASK)
call("masked_fill/in-place", lambda x, m: (x + 0).masked_fill_(m, -INF), (3, 4), MASK)

# ---- comparisons and logic -------------------------------------------------------------------------------

COMPARISONS = {"eq": torch.eq, "ne": torch.ne, "lt": torch.lt, "le": torch.le, "gt": torch.gt, "ge": torch.ge}
for name, function in COMPARISONS.items():
    for dtype in (*FLOATS, *WHOLE, torch.uint8, torch.bool):
        call(f"{name}/{short(dtype)}", function, ((3, 4), dtype), ((3, 4), dtype))
    call(f"{name}/number", lambda x, f=function: f(x, 3), ((3, 4), 0, 6))
    call(f"{name}/float-number", lambda x, f=function: f(x, 2.5), ((3, 4), 0, 6))
    call(f"{name}/bool-and-int", lambda x, f=function: f(x, 1), ((3, 4), torch.bool))
    call(f"{name}/mixed", function, ((3, 4), 0, 2), ((4,), torch.bool))
    call(f"{name}/int-and-float", function, ((3, 4), 0, 2), torch.tensor([0.0, 0.5, 1.0, 1.5]))
    call(f"{name}/special", function, SPECIAL[:, None], SPECIAL)
    call(f"{name}/in-place", lambda x, f=name: getattr(x + 0, f + "_")(1), ((3, 4), 0, 3))
for name in ("logical_and", "logical_or", "logical_xor"):
    call(name, getattr(torch, name), ((3, 4), 0, 2), ((3, 4), torch.bool))
    call(f"{name}/float", getattr(torch, name), SPECIAL, SPECIAL.flip(0))
call("logical_not", torch.logical_not, SPECIAL)
for name, function in {"and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b}.items():
    call(f"bitwise/{name}/bool", function, ((3, 4), torch.bool), ((4,), torch.bool))
    call(f"bitwise/{name}/number", lambda a, f=function: f(a, 6), ((3, 4), 0, 9), opset=18)
    for dtype in (*WHOLE, torch.uint8):
        call(f"bitwise/{name}/{short(dtype)}", function, ((3, 4), dtype), ((3, 4), dtype), opset=18)
    call(f"bitwise/{name}/mixed", function, ((3, 4), 0, 9), ((3, 4), torch.uint8), opset=18)
call("bitwise/not/bool", lambda x: ~x, ((3, 4), torch.bool))
for dtype in (*WHOLE, torch.uint8):
    call(f"bitwise/not/{short(dtype)}", lambda x: ~x, ((3, 4), dtype))
for name, function in {"any": torch.any, "all": torch.all}.items():
    call(f"{name}", function, ((3, 4), 0, 2))
    call(f"{name}/true", function, torch.ones(3, 2))
    call(f"{name}/dim", lambda x, f=function: f(x, 1), ((3, 4), torch.bool), dynamic={0: {0: "a", 1: "b"}})
    call(f"{name}/keepdim", lambda x, f=function: f(x, -2, keepdim=True), ((3, 4), torch.bool))
    call(f"{name}/uint8", function, ((3, 4), torch.uint8))
    call(f"{name}/scalar", function, torch.tensor(True))
    call(f"{name}/scalar-dim", lambda x, f=function: f(x, 0), torch.tensor(False))
    call(f"{name}/empty", lambda x, f=function: f(x[:0], 0), ((3, 4), torch.bool))
    call(f"{name}/nan", function, torch.tensor([NAN, 1.0]))

# ---- casts ---------------------------------------------------------------------------------------------

DTYPES = (*FLOATS, *WHOLE, torch.uint8, torch.bool)
for source in DTYPES:
    for target in DTYPES:
        # Negative numbers cannot be cast to uint8.
        values = NUMBERS if target is not torch.uint8 and source is not torch.uint8 else NUMBERS.abs()
        call(f"cast/{short(source)}-{short(target)}", lambda x, t=target: x.to(t), values.to(source))
call("cast/float", lambda x: x.float(), SIGNED)
call("cast/long", lambda x: x.long(), NUMBERS)
call("cast/type_as", lambda x, y: x.type_as(y), SIGNED, (2,))
call("cast/to-other", lambda x, y: x.to(y), SIGNED, (2,))
call("cast/device", lambda x: x.to("cpu", torch.float64), (3, 4))
call("cast/half-ties", lambda x: x.half(), torch.tensor([1 + 2**-11, 1 + 3 * 2**-11, 65519.0, 65520.0, 1e-8, 3e-8]))
call("copies", lambda x: x.contiguous().clone().detach().data + 1, (3, 4))
call("dropout", lambda x: torch.nn.functional.dropout(x, 0.5, training=False) + 1, (3, 4))
call("dropout/training", lambda x: torch.nn.functional.dropout(x, 0.5, training=True), (3, 4),
     refused="it is in training mode")
call("identity", lambda x: x, (3, 4))
call("fill", lambda x: torch.zeros(3, 4).fill_(2.5) + x, (3, 4))
call("fill/tensor", lambda x: (x + 0).fill_(x[0, 0]), (3, 4), dynamic={0: {0: "n"}})
call("zero", lambda x: (x + 0).zero_(), (3, 4), dynamic={0: {0: "n"}})
call("copy", lambda x, y: (x + 0).copy_(y), (3, 4), ((4,), 0, 9), dynamic={0: {0: "n"}})
