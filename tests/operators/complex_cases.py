"""Cases of complex numbers: pairs of real ones between view_as_complex and view_as_real."""

import math

import torch
from building import Cases

CASES = Cases()
call = CASES.call
B = {0: {0: "batch"}, 1: {0: "batch"}}
DOUBLE, HALF = torch.float64, torch.float16
PAIRS = (4, 3, 2)
INF, NAN = math.inf, math.nan
complex_of = torch.view_as_complex


def shown(z):
    return torch.view_as_real(z.resolve_conj()) if z.is_complex() else z


def on_pairs(function):
    """The function of complex numbers, of pairs and to pairs."""
    def run(*pairs):
        result = function(*(complex_of(x) for x in pairs))
        return tuple(map(shown, result)) if isinstance(result, (list, tuple)) else shown(result)
    return run


# ---- of one tensor ---------------------------------------------------------------------------------

FUNCTIONS = {
    "abs": torch.abs, "angle": torch.angle, "conj": torch.conj, "conj_physical": torch.conj_physical,
    "exp": torch.exp, "imag": torch.imag, "neg": torch.neg, "real": torch.real,
    "reciprocal": torch.reciprocal, "square": torch.square, "cube": lambda z: z**3,
    "sum": lambda z: z.sum(1), "sum-all": torch.sum, "mean": lambda z: z.mean((0, 1), keepdim=True),
    "cumsum": lambda z: z.cumsum(1), "adjoint": torch.adjoint, "mH": lambda z: z.mH,
    "t": torch.t, "permute": lambda z: z.permute(1, 0), "reshape": lambda z: z.reshape(-1, 1),
    "flatten": lambda z: z.flatten(), "squeeze": lambda z: z[:1].squeeze(0), "flip": lambda z: z.flip(-1),
    "unsqueeze": lambda z: z.unsqueeze(-1), "expand": lambda z: z.unsqueeze(1).expand(-1, 2, -1),
    "select": lambda z: z[:, -1], "slice": lambda z: z[:, 1:], "roll": lambda z: z.roll(1, 1),
    "index": lambda z: z[:, torch.tensor([2, 0, 0])], "repeat": lambda z: z.repeat(1, 2),
    "index_select": lambda z: z.index_select(1, torch.tensor([1, 1])), "unbind": lambda z: z.unbind(1),
    "split": lambda z: z.split([1, 2], 1), "chunk": lambda z: z.chunk(2, 1),
    "pad": lambda z: torch.nn.functional.pad(z, (1, 2)), "diff": lambda z: z.diff(dim=1),
    "zeros_like": lambda z: torch.zeros_like(z) + z, "ones_like": lambda z: torch.ones_like(z) + z,
    "full_like": lambda z: torch.full_like(z, 2.5) * z, "clone": lambda z: z.clone() * 2,
    "masked_fill": lambda z: z.masked_fill(z.real > 0, -1.5),
    "where-number": lambda z: torch.where(z.imag > 0, z, 0.0),
    "numbers": lambda z: (z * 2 - 1) / 4 + (3 - z) * 0.5,
    "literals": lambda z: z * (2 - 1j) + 1j, "of-reals": lambda z: z * z.real + z.imag,
    "to-double": lambda z: z.to(torch.complex128) * 2, "equal": lambda z: (z == z.conj(), z != z),
    "rsub": lambda z: torch.rsub(z, 2.0), "stack": lambda z: torch.stack([z, z.conj()], 1),
    "cat": lambda z: torch.cat([z, z.real], 1), "written": lambda z: z.clone().mul_(2.0),
}
FUNCTIONS |= {
    "size": lambda z: z * z.size(0) + z.shape[1], "sizes": lambda z: z.reshape(z.size()) / z.numel(),
    "length": lambda z: z * len(z),
}
for name, function in FUNCTIONS.items():
    call(name, on_pairs(function), PAIRS, dynamic=None if name == "adjoint" else {0: {0: "batch"}})
    if name != "to-double":
        call(f"{name}/double", on_pairs(function), (PAIRS, DOUBLE))
TINY = torch.tensor([[1e-30, 1e-30], [3e30, -4e30], [0.0, 0.0], [-0.0, 0.0], [INF, 1.0], [NAN, 1.0], [-2.0, -0.0]])
call("abs/extreme", on_pairs(torch.abs), TINY)
call("angle/extreme", on_pairs(torch.angle), TINY)
call("times-infinite", on_pairs(lambda z: z * 0.5), TINY)

# ---- of two ------------------------------------------------------------------------------------------

PAIRED = {
    "add": torch.add, "sub": torch.sub, "mul": torch.mul, "div": torch.div,
    "sub-alpha": lambda a, b: torch.sub(a, b, alpha=2), "where": lambda a, b: torch.where(a.real > 0, a, b),
    "matmul": lambda a, b: a.mT @ b, "mm-adjoint": lambda a, b: a.mH @ b,
    "einsum": lambda a, b: torch.einsum("bi,bj->ij", a, b), "einsum-weights": lambda a, b: torch.einsum("bi,bi->b", a, b),
    "linear": lambda a, b: torch.nn.functional.linear(a.mT.clone(), b.mT.clone()),
    "cross-spectrum": lambda a, b: a * torch.conj(b),
}
for name, function in PAIRED.items():
    call(name, on_pairs(function), PAIRS, PAIRS, dynamic=B)
    call(f"{name}/double", on_pairs(function), (PAIRS, DOUBLE), (PAIRS, DOUBLE))
call("mul/broadcast", on_pairs(torch.mul), (4, 1, 2), (3, 2))
# With Debian's BLAS 1.13 gives 0 for dot products of complex numbers, and it divides without scaling.
call("dot", on_pairs(torch.dot), (5, 2), (5, 2), needs=(2, 0))
call("vdot", on_pairs(torch.vdot), (5, 2), (5, 2), needs=(2, 0))
call("div/small", on_pairs(torch.div), torch.tensor([[1.0, 2.0], [3e20, 1.0]]), torch.tensor([[1e-25, 1e-25], [2e20, 5e20]]),
     needs=(2, 0))
call("div/zero", on_pairs(lambda z: z / 3.0), PAIRS)

# ---- functions -----------------------------------------------------------------------------------------

MATHEMATICAL = {
    "log": torch.log, "log2": torch.log2, "log10": torch.log10, "sqrt": torch.sqrt, "rsqrt": torch.rsqrt,
    "sin": torch.sin, "cos": torch.cos, "tan": torch.tan, "sinh": torch.sinh, "cosh": torch.cosh, "tanh": torch.tanh,
    "asin": torch.asin, "acos": torch.acos, "atan": torch.atan, "asinh": torch.asinh, "acosh": torch.acosh,
    "atanh": torch.atanh, "sigmoid": torch.sigmoid, "sgn": torch.sgn, "power-half": lambda z: z**0.5,
    "power-real": lambda z: z**1.7,
    "power-minus": lambda z: z**-3, "power-whole": lambda z: z**7, "power-none": lambda z: z**0,
    "power-minus-half": lambda z: z**-0.5,
    "power-of-number": lambda z: torch.pow(2.5, z),
}
EVERY_SIDE = torch.tensor([
    [0.3, 0.4], [-0.3, 0.4], [-0.3, -0.4], [0.3, -0.4], [3.0, 0.1], [-3.0, -0.1], [-2.0, 5.0], [0.01, -0.02],
    [1e-4, 2e-4], [0.5, 0.0], [-0.5, 0.0], [0.0, 2.0], [0.0, -2.0], [4.0, 1e-3], [-4.0, -1e-3],
])
for name, function in MATHEMATICAL.items():
    call(f"function/{name}", on_pairs(function), PAIRS, dynamic={0: {0: "batch"}})
    later = {"needs": (2, 0)} if name == "atan" else {}
    call(f"function/{name}/sides", on_pairs(function), EVERY_SIDE, **later)
    call(f"function/{name}/double", on_pairs(function), EVERY_SIDE.double(), **later)
CUT = torch.tensor([[-2.0, 0.0], [-2.0, -0.0], [2.0, 0.0], [2.0, -0.0]])
for name in ("log", "sqrt"):
    call(f"function/{name}/cut", on_pairs(MATHEMATICAL[name]), CUT)
call("function/sqrt/extreme", on_pairs(torch.sqrt),
     torch.tensor([[0.0, 0.0], [1e30, -1e30], [1e-30, 1e-30], [-1e-30, 0.0]]))
call("function/pow", on_pairs(torch.pow), PAIRS, PAIRS, dynamic=B)
call("function/pow/zero", on_pairs(torch.pow), torch.tensor([[0.0, 0.0], [0.0, 0.0], [2.0, 1.0]]),
     torch.tensor([[2.0, 0.0], [0.0, 0.0], [0.0, 0.0]]))
call("function/power-minus/zero", on_pairs(lambda z: z**-3), torch.zeros(3, 2))

# ---- complex numbers in the program --------------------------------------------------------------------

LITERALS = {
    "from": lambda z: (2 + 1j) - z, "rsub": lambda z: torch.rsub(z, 2 + 1j, alpha=3),
    "rsub-tensor": lambda z: torch.rsub(z, z * z, alpha=3), "alpha": lambda z: torch.add(z, z * z, alpha=2 + 1j),
    "sub-alpha": lambda z: torch.sub(z, z * 2, alpha=1j), "rsub-alpha": lambda z: torch.rsub(z, z * z, alpha=1j),
    "power": lambda z: z**1j, "power-real": lambda z: z ** (2 + 0j), "power-of": lambda z: (2 - 1j) ** z,
    "equal": lambda z: (z == 0.1 + 0.2j, z != 0.1 + 0.2j),
    "where": lambda z: torch.where(z.real > 0, z, 1j), "where-first": lambda z: torch.where(z.imag > 0, 2 + 1j, z),
    "where-both": lambda z: torch.where(z.real > 0, 1j, 2.0), "where-real": lambda z: torch.where(z.real > 0, z.real, 1j),
    "fill": lambda z: torch.zeros_like(z).fill_(1j) + z, "full_like": lambda z: torch.full_like(z, 2 + 1j) * z,
    "masked_fill": lambda z: z.masked_fill(z.real > 0, 1j), "index_fill": lambda z: z.index_fill(1, torch.tensor([0]), 1j),
    "scatter": lambda z: z.scatter(1, torch.zeros(1, 1, dtype=torch.int64), 1j), "new_full": lambda z: z.new_full((3,), 1j) + z,
    "of-real": lambda z: (1j - z.real, z.real**1j, 1j**z.real, z.real == 1j),
}
SOME = torch.tensor([[[0.1, 0.2], [-0.3, 0.4], [0.0, 1.0]], [[2.0, 0.0], [-2.0, -5.0], [0.7, -0.1]]])
for name, function in LITERALS.items():
    call(f"literal/{name}", on_pairs(function), SOME, dynamic={0: {0: "batch"}})
    call(f"literal/{name}/double", on_pairs(function), SOME.double())
call("literal/of-ints", lambda x: tuple(map(shown, (x - 1j, 1j - x, x == 1j))), ((4,), torch.int64))


def times_size(x):
    return shown(complex_of(x) * complex(float(x.size(0)), 1.0))


CASES.script("refused/number-of-a-size", times_size, PAIRS, dynamic={0: {0: "batch"}},
             refused="a complex number depends on the model's input")
call("refused/alpha", lambda x: shown(torch.lerp(complex_of(x), 2 * complex_of(x), 1j)), PAIRS,
     refused="argument 'weight' is a complex number")

# ---- across the border ---------------------------------------------------------------------------------

CFLOAT, CDOUBLE = torch.complex64, torch.complex128
call("border", lambda z: z * 2 + z.conj(), ((4, 3), CFLOAT), dynamic={0: {0: "batch"}})
call("border/double", lambda z: (z * 1j, z.abs()), ((4, 3), CDOUBLE))
call("border/0-d", lambda z: z * z, ((), CFLOAT))
call("border/unchanged", lambda z: (z, torch.view_as_real(z), z.real), ((4, 3), CFLOAT))
call("border/from-real", lambda x: torch.fft.rfft(x), (4, 8), dynamic={0: {0: "batch"}})
call("border/constant", lambda x: (x + 1, torch.tensor([1 + 2j, 3.0])), (4, 3))
call("border/two", lambda a, b: (a @ b, a - b), ((4, 4), CFLOAT), ((4, 4), CFLOAT))

# ---- by parts ------------------------------------------------------------------------------------------

ROWS = torch.tensor([2, 0])
BY_PARTS = {
    "diag": lambda z: torch.diag(z[:, :, 0]), "diag_embed": torch.diag_embed, "rot90": lambda z: z.rot90(1, (0, 1)),
    "take": lambda z: z.take(ROWS), "tensor_split": lambda z: torch.cat(z.tensor_split(2)),
    "meshgrid": lambda z: torch.stack(torch.meshgrid(z[0, :, 0], z[1, :, 0], indexing="ij")),
    "masked_select": lambda z: z.masked_select(z.real > 0), "block_diag": lambda z: torch.block_diag(z[0], z[1]),
    "hstack": lambda z: torch.hstack((z, z.real)), "index_add": lambda z: z.index_add(0, ROWS, z[:2], alpha=2),
    "index_copy/of-reals": lambda z: z.index_copy(0, ROWS, z[:2].real.to(z.dtype)),
    "index_put": lambda z: z.index_put((ROWS,), z[0]), "index_fill": lambda z: z.index_fill(0, ROWS, 2.0),
    "scatter_add": lambda z: z.scatter_add(0, torch.zeros(2, 3, 2, dtype=torch.int64), z * 2),
    "lerp": lambda z: z.lerp(z * z, 0.3), "sum_to_size": lambda z: z.sum_to_size(1, 3, 1),
    "trapz": lambda z: torch.trapz(z, dx=0.5), "put": lambda z: z.put(ROWS, z[0, 0]),
    "masked_scatter": lambda z: z.masked_scatter(z.real > 0, z * 3),
}
for name, function in BY_PARTS.items():
    call(f"parts/{name}", lambda x, f=function: shown(f(complex_of(x))), (4, 3, 2, 2))

# ---- layers --------------------------------------------------------------------------------------------

call("linear/bias", torch.nn.functional.linear, ((4, 3), CFLOAT), ((5, 3), CFLOAT), ((5,), CFLOAT),
     dynamic={0: {0: "batch"}})
call("addmm", lambda a, x, y: torch.addmm(a, x, y, beta=0.5, alpha=-2),
     ((5,), CFLOAT), ((4, 3), CFLOAT), ((3, 5), CFLOAT))
call("addmm/no-beta", lambda a, x, y: torch.addmm(a / 0, x, y, beta=0),
     ((5,), CFLOAT), ((4, 3), CFLOAT), ((3, 5), CFLOAT))
call("addmv", torch.addmv, ((4,), CFLOAT), ((4, 3), CFLOAT), ((3,), CFLOAT))
call("baddbmm", torch.baddbmm, ((2, 4, 5), CDOUBLE), ((2, 4, 3), CDOUBLE), ((2, 3, 5), CDOUBLE))
call("addbmm", torch.addbmm, ((4, 5), CFLOAT), ((2, 4, 3), CFLOAT), ((2, 3, 5), CFLOAT))
CASES.add("module/linear", lambda: torch.nn.Linear(3, 5, dtype=CFLOAT), ((4, 3), CFLOAT), dynamic={0: {0: "batch"}})

# ---- of several elements ---------------------------------------------------------------------------------

WITH_ZEROS = torch.tensor([[0.0, 0.0], [1.0, 0.0], [0.0, -2.0], [-0.0, 0.0]])
REDUCED = {
    "cumprod": lambda z: z.cumprod(1), "cumprod/first": lambda z: z.cumprod(0), "prod": torch.prod,
    "prod/dim": lambda z: z.prod(1), "prod/keepdim": lambda z: z.prod(0, keepdim=True),
    "addcmul": lambda z: torch.addcmul(z, z * 2, z, value=-0.5),
    "addcdiv": lambda z: torch.addcdiv(z, z + 1, z, value=2),
}
for name, function in REDUCED.items():
    call(f"reduced/{name}", on_pairs(function), PAIRS)
call("reduced/cumprod/of-reals", lambda x: shown(x.cumprod(0, dtype=torch.complex64)), (4, 3))
call("reduced/norm", lambda x: complex_of(x).norm(dim=1), PAIRS, dynamic={0: {0: "batch"}})
call("reduced/norm/inf", lambda x: torch.linalg.vector_norm(complex_of(x), INF), PAIRS)
call("reduced/norm_except_dim", lambda x: torch.norm_except_dim(complex_of(x), 2, 1), PAIRS)
call("reduced/normalize", on_pairs(lambda z: torch.nn.functional.normalize(z, dim=1)), PAIRS)
for name in ("logical_not", "any", "all", "nonzero", "count_nonzero"):
    call(f"truth/{name}", lambda x, f=getattr(torch, name): f(complex_of(x)), WITH_ZEROS)
call("truth/logical_and", lambda x: torch.logical_and(complex_of(x), complex_of(x)), WITH_ZEROS)
call("truth/logical_or/of-a-real", lambda x: torch.logical_or(complex_of(x), x[:, 0]), WITH_ZEROS)
call("refused/long-product", lambda x: shown(complex_of(x).prod()), (200, 2), refused="of 1 to 128 elements")
call("refused/dynamic-product", lambda x: shown(complex_of(x).prod(0)), (4, 3, 2), dynamic={0: {0: "batch"}},
     refused="along a dynamic axis")

# ---- from reals ----------------------------------------------------------------------------------------

call("complex", lambda a, b: shown(torch.complex(a, b)), (4, 3), (4, 3), dynamic=B)
call("complex/broadcast", lambda a, b: shown(torch.complex(a, b)), (4, 1), (3,))
call("polar", lambda a, b: shown(torch.polar(a, b)), (4, 3), (4, 3), dynamic=B)
call("to-complex", lambda x: shown(x.to(torch.complex64) * 1j), (4, 3), dynamic={0: {0: "batch"}})
call("sum-as-complex", lambda x: shown(torch.sum(x, 1, dtype=torch.complex64)), (4, 3))
call("pairs-and-back", lambda x: shown(complex_of(x)), PAIRS)

# ---- weights -------------------------------------------------------------------------------------------


class Rotary(torch.nn.Module):
    """Rotary embeddings with a table of complex numbers."""

    def __init__(self, base=10000.0, size=8, longest=16):
        super().__init__()
        frequencies = base ** -(torch.arange(0, size, 2).float() / size)
        angles = torch.outer(torch.arange(longest).float(), frequencies)
        self.register_buffer("table", torch.polar(torch.ones_like(angles), angles))

    def forward(self, x):
        pairs = complex_of(x.float().reshape(*x.shape[:-1], -1, 2))
        turns = self.table[: x.shape[1]].view(1, x.shape[1], 1, pairs.shape[-1])
        return torch.view_as_real(pairs * turns).flatten(3).type_as(x)


class Scaled(torch.nn.Module):
    """Complex weights in other strides than rows, and one that is 0-d."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(3)
        self.columns = torch.nn.Parameter(torch.randn(3, 4, dtype=torch.cfloat).t())
        self.every = torch.nn.Parameter(torch.randn(8, 3, dtype=torch.cfloat)[::2])
        self.register_buffer("one", torch.tensor(1.0 + 2.0j))

    def forward(self, x):
        return shown(complex_of(x) * self.columns * self.every + self.one)


CASES.add("rotary", Rotary, (2, 5, 3, 8), dynamic={0: {0: "batch", 1: "time"}})
CASES.add("rotary/half", Rotary, ((2, 5, 3, 8), HALF))
CASES.add("weights", Scaled, (4, 3, 2))

# ---- refusals -------------------------------------------------------------------------------------


def changed_through_conj(x):
    z = complex_of(x) * 2
    mirrored = z.conj()
    z.mul_(1j)
    return shown(z), mirrored.real


call("refused/half", lambda x: shown(complex_of(x)), (PAIRS, HALF), refused="tensors of complex32 cannot be exported")
call("refused/eigenvalues", on_pairs(lambda z: torch.linalg.eigvals(z[:3])), PAIRS,
     refused="it needs eigenvalues, for which ONNX has no operator")
call("refused/without-a-row", lambda x: torch.nan_to_num(complex_of(x)).real, PAIRS,
     refused="there is no lowering for it with complex numbers", needs=(2, 0))
call("refused/cast", on_pairs(lambda z: z.to(torch.float32)), PAIRS, refused="loses their imaginary part")
call("refused/square-of-one", on_pairs(lambda z: torch.einsum("bi,bj->ij", z, z)), PAIRS,
     refused="complex products are supported of two different tensors")
call("refused/changed-view", changed_through_conj, PAIRS, refused="in place where there are conjugated views")


class Times(torch.nn.Module):
    """A weight that libtorch stores with a conjugation or negation bit."""

    def __init__(self, part):
        super().__init__()
        torch.manual_seed(3)
        self.register_buffer("w", part(torch.randn(4, dtype=torch.cfloat).conj()))

    def forward(self, x):
        return shown(complex_of(x) * self.w)


CASES.add("refused/conjugated-weight", lambda: Times(lambda z: z), (3, 4, 2), refused="has no plain form", needs=(2, 0))
CASES.add("refused/negated-weight", lambda: Times(torch.imag), (3, 4, 2), refused="has no plain form", needs=(2, 0))
