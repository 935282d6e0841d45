"""Normalizations that return their statistics, too."""

import torch

from building import BATCH, Cases

CASES = Cases()
call = CASES.call


def short(dtype):
    return str(dtype).removeprefix("torch.")


# ---- normalizations --------------------------------------------------------------------------------

for dtype in (torch.float32, torch.float64):
    call(f"native_layer_norm/{short(dtype)}",
         lambda x, w, b: torch.native_layer_norm(x, (4,), w, b, 1e-5),
         ((2, 3, 4), dtype), ((4,), dtype), ((4,), dtype), dynamic=BATCH, roundings=2)
for dtype in (torch.float32, torch.float64, torch.float16):
    call(f"native_group_norm/{short(dtype)}",
         lambda x, w, b: torch.native_group_norm(x, w, b, 2, 4, 15, 2, 1e-5),
         ((2, 4, 3, 5), dtype), ((4,), dtype), ((4,), dtype), roundings=2)
call("native_layer_norm/float16", lambda x: torch.native_layer_norm(x, (4,), None, None, 1e-5)[0],
     ((2, 3, 4), torch.float16))
call("native_layer_norm/two-dims", lambda x: torch.native_layer_norm(x, (3, 4), None, None, 1e-5), (2, 3, 4))
call("native_batch_norm/own-statistics",
     lambda x, w, b: torch.native_batch_norm(x, w, b, None, None, True, 0.1, 1e-5), (2, 4, 3), (4,), (4,))
call("native_batch_norm/statistics-of-training",
     lambda x, w, b, m, v: torch.native_batch_norm(x, w, b, m, v, False, 0.1, 1e-5),
     (2, 4, 3), (4,), (4,), (4,), torch.rand(4) + 0.5)
call("native_batch_norm_legit/no-stats",
     lambda x, w, b: torch._native_batch_norm_legit(x, w, b, True, 0.1, 1e-5), (2, 4, 3), (4,), (4,),
     dynamic=BATCH, needs=(2, 0))
call("native_batch_norm_legit/no-training",
     lambda x, w, b, m, v: torch._native_batch_norm_legit_no_training(x, w, b, m, v, 0.1, 1e-5),
     (2, 4, 3), (4,), (4,), (4,), torch.rand(4) + 0.5, dynamic=BATCH, needs=(2, 0))
call("fused_rms_norm", lambda x, w: torch.ops.aten._fused_rms_norm(x, (4,), w, 1e-5), (2, 3, 4), (4,),
     needs=(2, 9))

# ---- in training -------------------------------------------------------------------------------------

def moved(function):
    """Also returns the updated statistics."""
    def run(x, weight, bias, mean, variance):
        mean, variance = mean.clone(), variance.clone()
        return (*function(x, weight, bias, mean, variance), mean, variance)
    return run


TRAINING = {
    "native_batch_norm": (lambda *p: torch.native_batch_norm(*p, True, 0.1, 1e-5), None),
    "native_batch_norm_legit": (lambda *p: torch._native_batch_norm_legit(*p, True, 0.1, 1e-5), (2, 0)),
    "native_batch_norm_legit/inference": (lambda *p: torch._native_batch_norm_legit(*p, False, 0.1, 1e-5), (2, 0)),
    "batch_norm_with_update": (lambda *p: torch.ops.aten._batch_norm_with_update(*p, 0.1, 1e-5)[:3], (2, 4)),
}
for name, (function, needs) in TRAINING.items():
    for dtype in (torch.float32, torch.float64):
        call(f"training/{name}/{short(dtype)}", moved(function), ((3, 4, 5), dtype), *[((4,), dtype)] * 3,
             (torch.rand(4) + 0.5).to(dtype), dynamic=BATCH, needs=needs)
