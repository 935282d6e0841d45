"""Orthogonal polynomials whose degree is data."""

import torch

from building import BATCH, Cases

CASES = Cases()
call = CASES.call
SHIFTED = [f"shifted_chebyshev_polynomial_{kind}" for kind in "tuvw"]
CHEBYSHEV = [f"chebyshev_polynomial_{kind}" for kind in "tuvw"] + SHIFTED
OTHERS = ["hermite_polynomial_h", "hermite_polynomial_he", "laguerre_polynomial_l", "legendre_polynomial_p"]

DEGREES = torch.arange(-1, 13)
WITHIN = torch.linspace(-1, 1, 9).unsqueeze(1)
BEYOND = torch.tensor([[-3.5], [-1.25], [1.125], [2.0], [9.0]])
# Neighbours of the ends, where half an angle is indistinguishable from the end's.
NEAR = torch.tensor([[1 - 2.0**-24], [-1 + 2.0**-24], [2.0**-25], [2.0**-30], [0.0]])

for name in CHEBYSHEV + OTHERS:
    function = getattr(torch.special, name)
    call(f"{name}/within", function, WITHIN, DEGREES.float())
    call(f"{name}/beyond", function, BEYOND, DEGREES.float())
    call(f"{name}/near", function, NEAR, torch.tensor([0.0, 1, 2, 7, 12]))
    call(f"{name}/cut-off", function, torch.tensor([0.3, 1.5, -1.0]), torch.tensor([3.9, -0.5, -1.5]))
    call(f"{name}/int64", function, torch.tensor([[-2], [0], [3]]), DEGREES)
    call(f"{name}/degree", lambda x, f=function: f(x, 5), (3, 4), dynamic=BATCH)
    call(f"{name}/low-degree", lambda x, f=function: f(x, 1), (3, 4), dynamic=BATCH)
    call(f"{name}/argument", lambda n, f=function: f(0.75, n), DEGREES.float())
    call(f"{name}/scalars", function, torch.tensor(1.75), torch.tensor(4.0),
         others=lambda: [[torch.tensor(0.5), torch.tensor(9.0)], [torch.tensor(2.0), torch.tensor(0.0)]])
    call(f"{name}/dynamic", function, (3, 4), ((4,), 0, 9), dynamic={0: {0: "batch"}},
         others=lambda: [[torch.zeros(0, 4), torch.arange(4)]])
    call(f"{name}/overflow", function, torch.tensor([1e20, -1e20, 1e30]), torch.tensor([2.0, 9.0, 40.0]))
for name in OTHERS:
    function = getattr(torch.special, name)
    call(f"{name}/float64", function, BEYOND.double(), DEGREES.double())
for name in OTHERS[:2]:
    call(f"{name}/too-high", getattr(torch.special, name), torch.tensor([0.0, 0.5]), torch.tensor([129.0, 200.0]))
for name in CHEBYSHEV:
    call(f"{name}/float64", getattr(torch.special, name), BEYOND.double(), DEGREES.double())
