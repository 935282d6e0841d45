"""Systems of linear equations, inverses, determinants."""

import torch

from building import BATCH, Cases

CASES = Cases()
call = CASES.call


def regular(*shape, dtype=torch.float32):
    """Matrices that are far from singular, whose largest elements are not on the diagonal."""
    torch.manual_seed(3)
    return (torch.randn(shape) + 3 * torch.eye(shape[-1]).flip(-1)).to(dtype)


DOUBLE = torch.float64
for n in (1, 2, 3, 4, 7):
    call(f"inv/{n}", torch.linalg.inv, regular(2, n, n), dynamic=BATCH)
    call(f"det/{n}", torch.linalg.det, regular(2, n, n), dynamic=BATCH)
    call(f"slogdet/{n}", lambda x: tuple(torch.linalg.slogdet(x)), regular(2, n, n), dynamic=BATCH)
    call(f"logdet/{n}", torch.logdet, regular(5, n, n))
call("inv/float64", torch.inverse, regular(4, 4, dtype=DOUBLE))
call("det/float64", torch.det, regular(3, 4, 4, dtype=DOUBLE))
call("det/singular", torch.det, torch.tensor([[1.0, 2.0], [2.0, 4.0]]))
call("slogdet/zero", lambda x: tuple(torch.slogdet(x)), torch.zeros(2, 3, 3))
call("inv/large", torch.linalg.inv, regular(33, 33))
SQUARE = {0: {0: "batch", 1: "n", 2: "n"}}


def above(x: torch.Tensor) -> torch.Tensor:
    """Invertible matrices of any size: their diagonals are dominant."""
    return x + 9 * torch.eye(x.shape[-1])


call("inv/dynamic", lambda x: torch.linalg.inv(above(x)), (2, 4, 4), dynamic=SQUARE)
call("inv/dynamic-one", lambda x: torch.linalg.inv(above(x)), (4, 4), dynamic={0: {0: "n", 1: "n"}})
call("inv/dynamic-exchanged", lambda x: torch.linalg.inv(above(x).flip(1)), (4, 4), dynamic={0: {0: "n", 1: "n"}})
call("slogdet/large", lambda x: tuple(torch.linalg.slogdet(x)), regular(40, 40))
for name, function in (("det", torch.linalg.det), ("logdet", lambda x: torch.logdet(x)),
                       ("slogdet", lambda x: tuple(torch.linalg.slogdet(x)))):
    call(f"{name}/dynamic", lambda x, f=function: f(above(x)), (2, 4, 4), dynamic=SQUARE)
call("det/dynamic-singular", lambda x: torch.linalg.det(x * 0), (2, 4, 4), dynamic=SQUARE)
call("slogdet/dynamic-exchanged", lambda x: tuple(torch.linalg.slogdet(above(x).flip(1))), (2, 4, 4),
     dynamic=SQUARE)
call("solve/dynamic", lambda a, b: torch.linalg.solve(above(a), b), (2, 3, 3), (2, 3, 4),
     dynamic={0: {0: "batch", 1: "n", 2: "n"}, 1: {0: "batch", 1: "n", 2: "k"}})
call("solve/dynamic-vector", lambda a, b: torch.linalg.solve(above(a), b), (3, 3), (3,),
     dynamic={0: {0: "n", 1: "n"}, 1: {0: "n"}})
call("solve/dynamic-right", lambda a, b: torch.linalg.solve(above(a), b, left=False), (3, 3), (2, 3),
     dynamic={0: {0: "n", 1: "n"}, 1: {0: "k", 1: "n"}}, needs=(2, 0))
call("solve/matrix", torch.linalg.solve, regular(3, 3), (3, 2))
call("solve/vector", torch.linalg.solve, regular(3, 3), (3,))
call("solve/batch", torch.linalg.solve, regular(2, 3, 3), (2, 3, 4), dynamic={0: {0: "batch"}, 1: {0: "batch"}})
call("solve/broadcast", torch.linalg.solve, regular(3, 3), (2, 3, 4), dynamic={1: {0: "batch"}})
call("solve/right", lambda a, b: torch.linalg.solve(a, b, left=False), regular(3, 3), (2, 3), needs=(2, 0))
call("solve/float64", torch.linalg.solve, regular(3, 3, dtype=DOUBLE), ((3, 2), DOUBLE))
