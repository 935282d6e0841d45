"""Products of matrices and vectors beyond matmul, powers, combinations, gradients."""

import torch

from building import BATCH, Cases

CASES = Cases()
call = CASES.call
FLOATS = (torch.float32, torch.float64, torch.float16, torch.bfloat16)


def short(dtype):
    return str(dtype).removeprefix("torch.")


# ---- chains of matrices, powers ----------------------------------------------------------------------

call("multi_dot/three", lambda a, b, c: torch.linalg.multi_dot([a, b, c]), (3, 4), (4, 5), (5, 2), dynamic=BATCH)
call("multi_dot/two", lambda a, b: torch.linalg.multi_dot([a, b]), (3, 4), (4, 5))
call("multi_dot/vectors", lambda a, b, c: torch.linalg.multi_dot([a, b, c]), (4,), (4, 5), (5,))
call("multi_dot/float64", lambda a, b, c: torch.linalg.multi_dot([a, b, c]), ((3, 4), torch.float64),
     ((4, 5), torch.float64), ((5, 2), torch.float64))
call("chain_matmul", lambda a, b, c: torch.chain_matmul(a, b, c), (3, 4), (4, 5), (5, 2))
for power in (0, 1, 2, 3, 7):
    call(f"matrix_power/{power}", lambda x, p=power: torch.linalg.matrix_power(x, p), (2, 3, 3), dynamic=BATCH)
call("matrix_power/method", lambda x: x.matrix_power(3), (3, 3))
for power in (-1, -3):
    call(f"matrix_power/{power}", lambda x, p=power: torch.linalg.matrix_power(x + 3 * torch.eye(3), p), (2, 3, 3),
         dynamic=BATCH)

# ---- Kronecker and cross products ----------------------------------------------------------------------

for dtype in (*FLOATS, torch.int8, torch.int64, torch.bool):
    call(f"kron/{short(dtype)}", torch.kron, ((2, 3), dtype), ((4, 2), dtype))
call("kron/ranks", torch.kron, (2, 3), (4,))
call("kron/more-ranks", torch.kron, (3,), (2, 1, 4))
call("kron/mixed", torch.kron, ((2, 3), torch.int32), (4, 2))
call("kron/dynamic", torch.kron, (2, 3), (4, 2), dynamic={0: {0: "rows"}, 1: {1: "columns"}})
call("kron/scalar", torch.kron, (), (4, 2))
for dtype in (*FLOATS, torch.int8, torch.int64):
    call(f"cross/{short(dtype)}", lambda x, y: torch.linalg.cross(x, y), ((4, 3), dtype), ((4, 3), dtype))
call("cross/dim", lambda x, y: torch.cross(x, y, 1), (4, 3, 2), (4, 3, 2), dynamic={0: {0: "batch"}, 1: {0: "batch"}})
call("cross/first", lambda x, y: torch.linalg.cross(x, y, dim=0), (3, 4), (3, 1))
call("cross/broadcast", lambda x, y: torch.linalg.cross(x, y), (4, 3), (1, 3), dynamic=BATCH)
call("cross/no-dim", torch.cross, (4, 3, 3), (4, 3, 3))
call("cross/no-dim-dynamic", torch.cross, (4, 3), (4, 3), dynamic={0: {0: "batch"}, 1: {0: "batch"}},
     refused="which dim has three elements depends on the input")
call("conv_tbc", lambda x, w, b: torch.conv_tbc(x, w, b, 1), (7, 2, 3), (3, 3, 5), (5,),
     dynamic={0: {0: "time", 1: "batch"}})
call("conv_tbc/no-pad", lambda x, w, b: torch.conv_tbc(x, w, b), (7, 2, 3), (2, 3, 5), (5,))

# ---- powers side by side, combinations -----------------------------------------------------------------

for dtype in (torch.float32, torch.float64, torch.int8, torch.int64):
    call(f"vander/{short(dtype)}", lambda x: torch.vander(x, 4), ((5,), dtype))
    call(f"linalg_vander/{short(dtype)}", lambda x: torch.linalg.vander(x, N=4), ((2, 5), dtype))
call("linalg_vander/scalar", lambda x: torch.linalg.vander(x, N=3), torch.tensor(2.5))
call("vander/rising", lambda x: torch.vander(x, 3, increasing=True), (5,), dynamic=BATCH)
call("vander/square", torch.vander, (5,))
call("vander/dynamic", torch.vander, (5,), dynamic=BATCH, refused="the number of columns must be fixed")
for r in (1, 2, 3):
    for repeats in (True, False):
        call(f"combinations/{r}-{repeats}", lambda x, n=r, w=repeats: torch.combinations(x, n, w), (5,))
call("combinations/all", lambda x: torch.combinations(x, 4), ((4,), torch.int64))
call("combinations/none", lambda x: torch.combinations(x, 0), (4,))
call("combinations/too-few", lambda x: torch.combinations(x, 3), (2,))
for r in (1, 2, 3):
    for repeats in (False, True):
        call(f"combinations/dynamic/{r}-{repeats}", lambda x, n=r, w=repeats: torch.combinations(x, n, w), (5,),
             dynamic=BATCH)

# ---- gradients ---------------------------------------------------------------------------------------------

TWO = {0: {0: "batch", 1: "length"}}


PLACES = (torch.tensor([0.0, 1.0, 3.0, 3.5, 5.0]), torch.tensor([0.0, 0.5, 2.0, 3.0]))
for edge in (1, 2):
    call(f"gradient/{edge}", lambda x, e=edge: torch.gradient(x, edge_order=e), (5, 4), dynamic=TWO)
    call(f"gradient/{edge}-dim", lambda x, e=edge: torch.gradient(x, dim=-1, edge_order=e), (5, 4), dynamic=TWO)
    call(f"gradient/{edge}-dims", lambda x, e=edge: torch.gradient(x, dim=(1, 0), edge_order=e), (5, 4))
    call(f"gradient/{edge}-spacing", lambda x, e=edge: torch.gradient(x, spacing=0.3, edge_order=e), (5, 4))
    call(f"gradient/{edge}-dims-spacing", lambda x, e=edge: torch.gradient(x, spacing=2, dim=(0,), edge_order=e),
         (5, 4))
    call(f"gradient/{edge}-coordinates", lambda x, e=edge: torch.gradient(x, spacing=PLACES, edge_order=e), (5, 4))
    call(f"gradient/{edge}-coordinates-dim",
         lambda x, p, e=edge: torch.gradient(x, spacing=(p,), dim=1, edge_order=e), (5, 4), PLACES[1])
for dtype in (torch.float64, torch.float16, torch.bfloat16, torch.int32, torch.int64):
    call(f"gradient/{short(dtype)}", lambda x: torch.gradient(x, spacing=2, dim=0), ((5, 4), dtype), roundings=2)
call("gradient/shortest", lambda x: torch.gradient(x, dim=0), (2, 4))
