"""Bessel functions of order 0 and 1, and the Airy function."""

import math

import torch

from building import Cases

CASES = Cases()
call = CASES.call
NAN, INF = math.nan, math.inf
SIZES = [0.0, 1e-30, 1e-6, 0.1, 0.5, 1.0, 1.99, 2.0, 2.01, 3.83, 5.52, 7.9, 8.1, 15.0, 24.9, 29.9, 30.0, 30.1, 42.0,
         60.0, 86.0]
BOTH = torch.tensor(SIZES + [-x for x in SIZES] + [NAN, INF, -INF, 800.0, -800.0])

for name in ("i0", "i0e", "i1", "i1e", "bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1",
             "modified_bessel_i0", "modified_bessel_i1",
             "modified_bessel_k0", "modified_bessel_k1", "scaled_modified_bessel_k0", "scaled_modified_bessel_k1",
             "spherical_bessel_j0"):
    function = getattr(torch.special, name, None)
    if function is None:
        continue  # an earlier PyTorch
    call(name, function, BOTH)
    call(f"{name}/float64", function, BOTH.double(),
         refused=name in ("bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1") and "libtorch's own has errors")
    call(f"{name}/int64", function, torch.tensor([0, 1, 2, 7, 40]))
    call(f"{name}/dynamic", function, (3, 4), dynamic={0: {0: "batch"}})
call("i0/float16", torch.i0, torch.tensor([0.0, 0.5, -2, 7]).half())
call("i0/bfloat16", torch.i0, torch.tensor([0.0, 0.5, -2, 7]).bfloat16())
call("i1e/bfloat16", torch.special.i1e, torch.tensor([0.0, 0.5, -2, 7]).bfloat16())
call("i0/scalar", torch.i0, ())

# ---- the Airy function -------------------------------------------------------------------------------

AIRY = torch.cat([torch.linspace(-40, 30, 1201),
                  torch.tensor([2.09, -2.09, 103.8, 103.9, -103.0, -200.5, NAN, INF, -INF])])
call("airy", torch.special.airy_ai, AIRY)
call("airy/float64", torch.special.airy_ai, AIRY.double())
call("airy/int64", torch.special.airy_ai, torch.tensor([0, 1, -2, 7, -40]))
call("airy/dynamic", torch.special.airy_ai, (3, 4), dynamic={0: {0: "batch"}})
