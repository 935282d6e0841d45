"""Factorisations of matrices, and their solutions."""

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


class Factored(torch.nn.Module):
    """Solves by factors that it keeps."""

    def __init__(self):
        super().__init__()
        factors, pivots = torch.linalg.lu_factor(matrices(4, 4))
        self.register_buffer("factors", factors)
        self.register_buffer("pivots", pivots)

    def forward(self, b):
        return torch.linalg.lu_solve(self.factors, self.pivots, b), torch.lu_unpack(self.factors, self.pivots)[0]


CASES.add("lu_solve/kept", Factored, (4, 2), dynamic={0: {1: "k"}})
CASES.add("lu_solve/kept-batch", Factored, (3, 4, 2), dynamic=BATCH)

# ---- solutions by LU factorisation --------------------------------------------------------------------

PAIRS = {0: {0: "batch"}, 1: {0: "batch"}}
SQUARES = {0: {0: "batch", 1: "n", 2: "n"}}
for left in (True, False):
    name = "left" if left else "right"

    def checked(a, b, f=left):
        return tuple(torch.linalg.solve_ex(a, b, left=f))

    shape = (2, 3, 4) if left else (2, 4, 3)
    needs = None if left else (2, 0)
    call(f"solve_ex/{name}", checked, matrices(2, 3, 3), shape, dynamic=PAIRS, needs=needs)
    call(f"solve_ex/{name}/broadcast", checked, matrices(3, 3), shape, dynamic={1: {0: "batch"}}, needs=needs)
call("solve_ex/vector", lambda a, b: tuple(torch.linalg.solve_ex(a, b)), matrices(3, 3), (3,))
call("solve_ex/vectors", lambda a, b: tuple(torch.linalg.solve_ex(a, b)), matrices(2, 3, 3, dtype=DOUBLE),
     ((2, 3), DOUBLE), dynamic=PAIRS)
call("inv_ex", lambda x: tuple(torch.linalg.inv_ex(x)), matrices(2, 4, 4), dynamic=BATCH)
call("inv_ex/dynamic", lambda x: tuple(torch.linalg.inv_ex(steep(x))), (2, 3, 3), dynamic=SQUARES)
call("inv_ex/info", lambda x: torch.linalg.inv_ex(x)[1], torch.tensor([
    [[1.0, 2.0], [2.0, 4.0]], [[0.0, 1.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]], [[0.0, 1.0], [1.0, 0.0]]]), needs=(2, 0))
call("tensorsolve", torch.linalg.tensorsolve, matrices(6, 6).reshape(2, 3, 6), (2, 3))
call("tensorsolve/dims", lambda a, b: torch.linalg.tensorsolve(a, b, dims=(0,)),
     matrices(6, 6).reshape(6, 2, 3), (2, 3))
call("tensorinv", torch.linalg.tensorinv, matrices(6, 6).reshape(2, 3, 3, 2))
call("tensorinv/float64", lambda x: torch.linalg.tensorinv(x, ind=1), matrices(6, 6, dtype=DOUBLE).reshape(6, 2, 3))
for power in (-1, -2, -5):
    call(f"matrix_power/{power}", lambda x, n=power: torch.linalg.matrix_power(x, n), matrices(2, 3, 3), dynamic=BATCH)

# ---- Cholesky ----------------------------------------------------------------------------------------


def positive(x):
    """Symmetric matrices of any size whose eigenvalues are above zero."""
    return x @ x.mT + torch.eye(x.shape[-1], dtype=x.dtype)


def checked_factors(x, upper: bool):
    """The defined parts of the factors, for matrices that have them."""
    x, info = torch.linalg.cholesky_ex(x, upper=upper)
    return torch.where(info[:, None, None] == 0, x, torch.zeros_like(x)), info


for upper in (True, False):
    name = "upper" if upper else "lower"

    def factored(x, f=upper):
        return torch.linalg.cholesky(positive(x), upper=f)

    call(f"cholesky/{name}", factored, matrices(2, 4, 4), dynamic=SQUARES)
    call(f"cholesky/{name}/float64", factored, matrices(5, 5, dtype=DOUBLE))
    call(f"cholesky/{name}/unsymmetric", lambda x, f=upper: torch.linalg.cholesky(x, upper=f),
         torch.tensor([[9.0, 1.0, 2.0], [-1.0, 8.0, 3.0], [0.5, -2.0, 7.0]]))
    call(f"cholesky/{name}/ex", lambda x, f=upper: checked_factors(x, f), torch.tensor([
        [[4.0, 2.0, 1.0], [2.0, 1.0, 0.0], [1.0, 0.0, 3.0]], [[4.0, 2.0, 1.0], [2.0, 5.0, 0.0], [1.0, 0.0, 3.0]],
        [[-4.0, 2.0, 1.0], [2.0, 5.0, 0.0], [1.0, 0.0, 3.0]], [[4.0, 2.0, 1.0], [2.0, 5.0, 0.0], [1.0, 0.0, -3.0]]]))
    call(f"cholesky/{name}/plain", lambda x, f=upper: torch.cholesky(positive(x), upper=f), matrices(2, 3, 3),
         dynamic=BATCH)
    call(f"cholesky_solve/{name}", lambda b, a, f=upper: torch.cholesky_solve(b, a, upper=f), (2, 3, 4),
         matrices(2, 3, 3), dynamic=PAIRS)
    call(f"cholesky_solve/{name}/broadcast", lambda b, a, f=upper: torch.cholesky_solve(b, a, upper=f), (2, 3, 4),
         matrices(3, 3), dynamic=BATCH)
    call(f"cholesky_inverse/{name}", lambda x, f=upper: torch.cholesky_inverse(x, upper=f), matrices(2, 3, 3),
         dynamic=BATCH)
    for transpose in (True, False):
        call(f"triangular_solve/{name}-{transpose}",
             lambda b, a, f=upper, g=transpose: tuple(torch.triangular_solve(b, a, upper=f, transpose=g)),
             (2, 3, 4), matrices(3, 3) + 2 * torch.eye(3), dynamic=BATCH)
call("triangular_solve/ones", lambda b, a: tuple(torch.triangular_solve(b, a, unitriangular=True)), ((3, 4), DOUBLE),
     matrices(3, 3, dtype=DOUBLE))

# ---- Householder reflections -------------------------------------------------------------------------

for shape in ((1, 1), (3, 3), (2, 5), (6, 2), (2, 4, 4), (2, 3, 5), (2, 5, 3), (2, 2, 3, 3)):
    name = "x".join(map(str, shape))
    batch = BATCH if len(shape) > 2 else None
    for mode in ("reduced", "complete", "r"):
        call(f"qr/{mode}/{name}", lambda x, f=mode: tuple(torch.linalg.qr(x, mode=f)), matrices(*shape), dynamic=batch)
    call(f"geqrf/{name}", lambda x: tuple(torch.geqrf(x)), matrices(*shape), dynamic=batch)
for some in (True, False):
    call(f"qr/plain/{some}", lambda x, f=some: tuple(torch.qr(x, some=f)), matrices(2, 5, 3, dtype=DOUBLE))
for mode in ("reduced", "complete"):
    call(f"qr/{mode}/dynamic", lambda x, f=mode: tuple(torch.linalg.qr(steep(x), mode=f)), (2, 4, 3), dynamic=TALL)
call("qr/zeros", lambda x: tuple(torch.linalg.qr(x)), torch.tensor([
    [[0.0, 2.0], [0.0, 3.0]], [[-2.0, 1.0], [0.0, 3.0]], [[0.0, 1.0], [-3.0, 3.0]], [[0.0, 0.0], [0.0, 0.0]]]))
call("qr/large", lambda x: tuple(torch.linalg.qr(x)), torch.tensor([[3e200, 1.0], [4e200, 2.0]], dtype=DOUBLE))
call("qr/small", lambda x: torch.linalg.qr(x)[0], torch.tensor([[3e-200, 1.0], [4e-200, 2.0]], dtype=DOUBLE))
call("householder_product", lambda x, t: torch.linalg.householder_product(x, t), (2, 5, 3), (2, 3), dynamic=PAIRS)
call("householder_product/fewer", lambda x, t: torch.linalg.householder_product(x, t), (5, 3), (2,))
call("householder_product/orgqr", lambda x, t: torch.orgqr(x, t), ((4, 4), DOUBLE), ((4,), DOUBLE))
for left in (True, False):
    for transpose in (True, False):
        call(f"ormqr/{left}-{transpose}",
             lambda x, t, y, f=left, g=transpose: torch.ormqr(x, t, y, left=f, transpose=g),
             (2, 5, 3), (2, 3), (2, 5, 4) if left else (2, 4, 5),
             dynamic={0: {0: "batch"}, 1: {0: "batch"}, 2: {0: "batch"}})
for shape in ((2, 5, 3), (2, 3, 3), (2, 3, 5)):
    name = "x".join(map(str, shape))
    call(f"lstsq/{name}", lambda a, b: tuple(torch.linalg.lstsq(a, b, driver="gels")), matrices(*shape),
         (2, shape[1], 2), dynamic=PAIRS)
call("lstsq/float64", lambda a, b: torch.linalg.lstsq(a, b, driver="gels").solution, matrices(7, 4, dtype=DOUBLE),
     ((7, 1), DOUBLE))
for driver in ("gelsy", "gelsd"):
    call(f"lstsq/{driver}", lambda a, b, f=driver: torch.linalg.lstsq(a, b, driver=f).solution, (5, 3), (5, 2),
         refused="the rank of matrices does not matter")
call("lstsq/dynamic", lambda a, b: torch.linalg.lstsq(a, b, driver="gels").solution, (5, 3), (5, 2),
     dynamic={0: {0: "m"}, 1: {0: "m"}}, refused="the numbers of rows and columns are not known")
call("householder_product/none", lambda x, t: torch.linalg.householder_product(x, t), (5, 3), torch.zeros(0))

# ---- triangles of any size ---------------------------------------------------------------------------

for left in (True, False):
    for upper in (True, False):
        name = f"solve_triangular/{'left' if left else 'right'}-{'upper' if upper else 'lower'}"

        def substituted(a, b, f=left, g=upper):
            return torch.linalg.solve_triangular(a + 9 * torch.eye(a.shape[-1]), b, left=f, upper=g)

        shape = (2, 3, 4) if left else (2, 4, 3)
        call(f"{name}/dynamic", substituted, (2, 3, 3), shape,
             dynamic={0: {0: "batch", 1: "n", 2: "n"}, 1: {0: "batch", 1 if left else 2: "n"}})
        call(f"{name}/broadcast", substituted, (3, 3), shape, dynamic={1: {0: "batch"}})
        call(f"{name}/broadcast-both", substituted, (5, 1, 3, 3), shape)
call("solve_triangular/ones", lambda a, b: torch.linalg.solve_triangular(a, b, upper=True, unitriangular=True), (3, 3),
     (2, 3, 4))
call("solve_triangular/large", lambda a, b: torch.linalg.solve_triangular(
    a + 40 * torch.eye(a.shape[-1]), b, upper=False), (130, 130), (130, 2))
