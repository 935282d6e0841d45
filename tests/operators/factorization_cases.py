"""Factorizations of matrices, and what is solved by them."""

import torch

from building import BATCH, Cases

CASES = Cases()
call = CASES.call
DOUBLE = torch.float64
TALL = {0: {0: "batch", 1: "m", 2: "n"}}


def matrices(*shape, dtype=torch.float32):
    """Matrices whose largest elements are not on the diagonal."""
    torch.manual_seed(7)
    return (torch.randn(shape) + 3 * torch.eye(shape[-2], shape[-1]).flip(-1)).to(dtype)


def steep(x):
    """Matrices of any sizes, whose pivots are far from each other and not on the diagonal."""
    rows = torch.arange(x.shape[-2]).unsqueeze(-1)
    columns = torch.arange(x.shape[-1])
    return x + 9.0 * (rows + columns == x.shape[-1] - 1) + 5.0 * (rows == columns)


for shape in ((1, 1), (3, 3), (2, 5), (6, 2), (2, 4, 4), (2, 3, 5), (2, 5, 3), (2, 2, 3, 3)):
    name = "x".join(map(str, shape))
    batch = BATCH if len(shape) > 2 else None
    call(f"lu/{name}", lambda x: tuple(torch.linalg.lu(x)), matrices(*shape), dynamic=batch)
    call(f"lu_factor/{name}", lambda x: tuple(torch.linalg.lu_factor(x)), matrices(*shape), dynamic=batch)
call("lu_factor_ex", lambda x: tuple(torch.linalg.lu_factor_ex(x)), matrices(2, 4, 4, dtype=DOUBLE), dynamic=BATCH)
call("lu_factor_ex/singular", lambda x: tuple(torch.linalg.lu_factor_ex(x)),
     torch.tensor([[[1.0, 2.0], [2.0, 4.0]], [[0.0, 0.0], [0.0, 3.0]], [[0.0, 1.0], [1.0, 0.0]]]))
call("lu_factor/large", lambda x: tuple(torch.linalg.lu_factor(x)), matrices(40, 40))
call("lu_factor/ties", lambda x: tuple(torch.linalg.lu_factor(x)), torch.tensor([[1.0, 2], [-1, 5], [1, 7]]))
call("lu_factor/dynamic", lambda x: tuple(torch.linalg.lu_factor(steep(x))), (2, 4, 3), dynamic=TALL)
call("lu/dynamic", lambda x: tuple(torch.linalg.lu(steep(x))), (2, 4, 3), dynamic=TALL)
call("lu/whole", lambda x: tuple(torch.lu(x, get_infos=True)), matrices(2, 3, 3), dynamic=BATCH)
for data, pivots in ((True, True), (True, False), (False, True)):
    call(f"lu_unpack/{data}-{pivots}",
         lambda x, d=data, p=pivots: tuple(torch.lu_unpack(*torch.linalg.lu_factor(x), d, p)),
         matrices(2, 5, 3), dynamic=BATCH)


def solved(a, b, **flags):
    return torch.linalg.lu_solve(*torch.linalg.lu_factor(a), b, **flags)


for left in (True, False):
    for adjoint in (True, False):
        call(f"lu_solve/{left}-{adjoint}", lambda a, b, f=left, g=adjoint: solved(a, b, left=f, adjoint=g),
             matrices(2, 3, 3), (2, 3, 4) if left else (2, 4, 3), dynamic={0: {0: "batch"}, 1: {0: "batch"}})
call("lu_solve/broadcast", solved, matrices(3, 3), (2, 3, 4), dynamic={1: {0: "batch"}})
call("lu_solve/broadcast-factors", solved, matrices(2, 3, 3), (3, 4), dynamic={0: {0: "batch"}})
call("lu_solve/broadcast-both", lambda a, b: solved(a, b, adjoint=True), matrices(2, 1, 3, 3), (5, 3, 4))
call("lu_solve/float64", solved, matrices(4, 4, dtype=DOUBLE), ((4, 2), DOUBLE))
call("lu_solve/dynamic", lambda a, b: solved(steep(a), b), (2, 3, 3), (2, 3, 4),
     dynamic={0: {0: "batch", 1: "n", 2: "n"}, 1: {0: "batch", 1: "n", 2: "k"}})
call("lu_solve/data", lambda b, a: torch.lu_solve(b, *torch.linalg.lu_factor(a)), (2, 3, 4), matrices(2, 3, 3),
     dynamic={0: {0: "batch"}, 1: {0: "batch"}})
call("lu_solve/given", lambda b, a, p: torch.linalg.lu_solve(a, p, b), (3, 4), matrices(3, 3),
     torch.tensor([3, 2, 3], dtype=torch.int32))
