"""Integers as bits and as numbers: shifts, greatest common divisors."""

import torch

from building import BATCH, Cases

CASES = Cases()
call = CASES.call
NOW = (2, 0)  # before, shifts by too many bits were undefined
INTEGERS = (torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64)


def short(dtype):
    return str(dtype).removeprefix("torch.")


def edges(dtype):
    """The least and greatest numbers, and some between."""
    info = torch.iinfo(dtype)
    few = [info.min, info.max, info.max - 1, info.max // 3, 0, 1, 2, 5, 6, 7, 100]
    return torch.tensor(few + ([] if info.min == 0 else [-1, -2, -7, -100]), dtype=dtype)


def counts(dtype):
    """Shift distances: every valid one, too large, and negative ones."""
    bits = torch.iinfo(dtype).bits
    few = list(range(bits + 2)) + [100] + ([] if dtype is torch.uint8 else [-1, -5])
    return torch.tensor(few, dtype=dtype).unsqueeze(1)


for dtype in INTEGERS:
    name = short(dtype)
    x, n, few = edges(dtype), counts(dtype), torch.tensor([0, 1, 3], dtype=dtype).unsqueeze(1)
    call(f"left/{name}", torch.bitwise_left_shift, x, n, needs=NOW)
    call(f"right/{name}", torch.bitwise_right_shift, x, n, needs=NOW)
    call(f"left-few/{name}", torch.bitwise_left_shift, x[2:], few)
    call(f"right-few/{name}", torch.bitwise_right_shift, x, few)
    call(f"left-scalar/{name}", lambda x: x << 3, x[3:], dynamic=BATCH)
    call(f"right-scalar/{name}", lambda x: x >> 3, x, dynamic=BATCH)
    call(f"gcd/{name}", torch.gcd, x, x.unsqueeze(1))
    # Overflowing products are undefined for the wide integers.
    x = x[2:] // 2 if x.element_size() < 4 else torch.tensor([-100, -7, -1, 0, 1, 2, 6, 12, 1000], dtype=dtype)
    call(f"lcm/{name}", torch.lcm, x, x.unsqueeze(1))
call("left/operator", lambda x, y: x << y, ((3, 4), torch.int32), ((4,), torch.int32))
call("right/operator", lambda x, y: x >> y, ((3, 4), torch.int32), ((4,), torch.int32))
call("left/mixed", torch.bitwise_left_shift, ((3, 4), torch.int8), ((4,), torch.int64))
call("left/number-first", lambda x: torch.bitwise_left_shift(3, x), ((3, 4), torch.int32))
call("right/number-first", lambda x: torch.bitwise_right_shift(-300, x), ((3, 4), torch.int64))
call("left/in-place", lambda x: (x + 0).__ilshift__(2), ((3, 4), torch.int32))
call("right/in-place", lambda x: (x + 0).__irshift__(1), ((3, 4), torch.int32))
call("gcd/mixed", torch.gcd, ((3, 4), torch.int8), ((4,), torch.int64), dynamic=BATCH)
call("lcm/mixed", torch.lcm, ((3, 4), torch.int8), ((4,), torch.int64), dynamic=BATCH)
long = [832040, 1346269, 4807526976, 7778742049, 4660046610375530309, 7540113804746346429, 2**62, 3**39]
call("gcd/worst", torch.gcd, torch.tensor(long), torch.tensor(long).unsqueeze(1))
for name in ("and", "or", "xor"):
    function = getattr(torch, f"bitwise_{name}")
    call(f"number-{name}", lambda x, f=function: f(6, x), ((3, 4), torch.int32), opset=18)

# A runtime must not make y / x of (1 / x) · y.
NEAR = torch.tensor([-7, -3, -1, 1, 1, 2, 5, 100])
for dtype in (torch.int64, torch.int32, torch.int8, torch.uint8):
    values = (NEAR.abs() if dtype is torch.uint8 else NEAR).to(dtype)
    short = str(dtype).removeprefix("torch.")
    call(f"gcd/one/{short}", lambda x: (torch.gcd(x, torch.tensor(1)), torch.gcd(x, torch.tensor([1]))), values)
    call(f"lcm/one/{short}", lambda x: (torch.lcm(x, torch.tensor(1)), torch.lcm(torch.tensor([1]), x)), values)
    call(f"one-by/{short}", lambda x, y: (torch.div(torch.ones_like(x), x, rounding_mode="trunc") * y, 1 // x * y,
                                          torch.div(torch.tensor(1), x, rounding_mode="trunc") * y,
                                          1 % x * y), values, values.flip(0))
