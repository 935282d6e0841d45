"""Operators with an ONNX operator from some opset on, and some that only seem to have one."""

import math

import torch
from torch import nn
from torch.nn import functional as F

from building import Cases

CASES = Cases()
call, layer = CASES.call, CASES.layer
NEVER = 99


def attention(*arguments, **options):
    return F.scaled_dot_product_attention(*arguments, **options)


# ---- Attention -------------------------------------------------------------------------------------

ATTENTION, COMPOSED = ("Attention", 23), ("Attention", NEVER)
QKV = [(2, 4, 5, 8), (2, 4, 7, 8), (2, 4, 7, 8)]
LENGTHS = {0: {0: "batch", 2: "length"}, 1: {0: "batch", 2: "other"}, 2: {0: "batch", 2: "other"}}


def causal(q, k, v):
    return attention(q, k, v, is_causal=True)


def masked(*shape):
    """Some positions are masked, and all of row 2."""
    mask = torch.rand(shape) > 0.4
    mask[..., 2:3, :] = False
    return mask


call("attention/plain", attention, *QKV, dynamic=LENGTHS, emits=ATTENTION)
call("attention/value-size", attention, *QKV[:2], (2, 4, 7, 3), emits=ATTENTION)
call("attention/scale", lambda q, k, v: attention(q, k, v, scale=2.5), *QKV, emits=ATTENTION)
call("attention/causal", causal, *QKV, dynamic=LENGTHS, emits=ATTENTION)
call("attention/causal-long", causal, QKV[1], QKV[0], QKV[0], dynamic=LENGTHS, emits=ATTENTION)
for scale in (0.0, -0.5):
    call(f"attention/scale/{scale}", lambda q, k, v, s=scale: attention(q, k, v, scale=s), *QKV,
         emits=COMPOSED)
for shape in [(5, 7), (1, 7), (5, 1), (4, 1, 7), (2, 1, 5, 7), (2, 1, 1, 7), (1, 4, 5, 7), (2, 4, 5, 1)]:
    torch.manual_seed(3)
    call(f"attention/mask/{shape}", attention, *QKV, masked(*shape), emits=ATTENTION)
call("attention/mask/dynamic", attention, *QKV, masked(2, 1, 5, 7), emits=ATTENTION,
     dynamic=LENGTHS | {3: {0: "batch", 2: "length", 3: "other"}})
call("attention/mask/dynamic-row", attention, *QKV, masked(2, 1, 1, 7), emits=ATTENTION,
     dynamic=LENGTHS | {3: {0: "batch", 3: "other"}})
call("attention/mask/large-values", lambda q, k, v, m: attention(q, k, v * 1e30, m), *QKV, masked(5, 7),
     emits=ATTENTION)
for lowest in (torch.finfo(torch.float32).min, -math.inf):
    call(f"attention/float-mask/{lowest}", attention, *QKV,
         torch.zeros(5, 7).masked_fill(~masked(5, 7), lowest), emits=COMPOSED)
for heads in (1, 2, 4):
    call(f"attention/grouped/{heads}", lambda q, k, v: attention(q, k, v, enable_gqa=True),
         QKV[0], (2, heads, 7, 8), (2, heads, 7, 8), dynamic=LENGTHS, emits=ATTENTION)
call("attention/grouped/mask", lambda q, k, v, m: attention(q, k, v, m, enable_gqa=True),
     QKV[0], (2, 2, 7, 8), (2, 2, 7, 8), masked(2, 4, 5, 7), emits=ATTENTION)
call("attention/grouped/key-and-value", lambda q, k, v: attention(q, k, v, enable_gqa=True),
     QKV[0], (2, 2, 7, 8), (2, 1, 7, 8), emits=COMPOSED)
call("attention/one-batch", attention, QKV[0], (1, 4, 7, 8), (1, 4, 7, 8), emits=COMPOSED)
call("attention/3d", attention, *[shape[1:] for shape in QKV], emits=COMPOSED)
for dtype, emits in [(torch.float64, COMPOSED), (torch.float16, ATTENTION), (torch.bfloat16, ATTENTION)]:
    # 1 / sqrt(16) is a float32: ONNX Runtime folds the factor into its product as one.
    call(f"attention/{dtype}", attention, *[((2, 4, length, 16), dtype) for length in (5, 7, 7)],
         masked(5, 7), emits=emits, roundings=2)


# ---- normalizations --------------------------------------------------------------------------------

RMS, GROUPS = ("RMSNormalization", 23), ("GroupNormalization", NEVER)
BATCH = {0: {0: "batch", 1: "length"}}


def fused_rms_norm(x, weight=None):
    return torch.ops.aten._fused_rms_norm(x, [6], weight, 1e-5)[0]


layer("rms_norm/1", lambda: nn.RMSNorm(6, eps=1e-5), (2, 3, 6), dynamic=BATCH, emits=RMS)
layer("rms_norm/2", lambda: nn.RMSNorm((4, 6), eps=1e-5), (2, 3, 4, 6), dynamic=BATCH, emits=RMS)
layer("rms_norm/plain", lambda: nn.RMSNorm(6, elementwise_affine=False), (2, 3, 6), dynamic=BATCH, emits=RMS)
layer("rms_norm/all", lambda: nn.RMSNorm((3, 6)), (3, 6), emits=RMS)
call("rms_norm/dynamic-size", lambda x: F.rms_norm(x, x.shape[1:], None, 1e-3), (2, 3, 6),
     dynamic=BATCH, emits=RMS, needs=(2, 4))
for value in (1e-6, 1e15, 1e25, math.inf, math.nan):
    layer(f"rms_norm/value/{value}", lambda: nn.RMSNorm(6, eps=1e-6), torch.tensor([[value, 1, 2, 3, 4, 5]]),
          emits=RMS)
layer("rms_norm/zeros", lambda: nn.RMSNorm(6, eps=0.0), torch.zeros(2, 6), emits=RMS)
for dtype, emits in [(torch.float64, (RMS[0], NEVER)), (torch.float16, RMS), (torch.bfloat16, RMS)]:
    layer(f"rms_norm/{dtype}", lambda d=dtype: nn.RMSNorm(6, eps=1e-5).to(d), ((2, 3, 6), dtype), emits=emits)
call("rms_norm/fused", fused_rms_norm, (2, 3, 6), (6,), dynamic=BATCH, emits=RMS, needs=(2, 9))
call("rms_norm/fused-plain", fused_rms_norm, (2, 3, 6), emits=RMS, needs=(2, 9))
layer("group_norm", lambda: nn.GroupNorm(3, 6), (2, 6, 4, 5), dynamic={0: {0: "batch", 2: "rows"}},
      emits=GROUPS)
# A runtime that subtracts squares is off by a tenth here; 1.13 itself is off by three percent.
layer("group_norm/large-mean", lambda: nn.GroupNorm(3, 6), torch.arange(240.0).view(2, 6, 4, 5) + 8000,
      emits=GROUPS, needs=(2, 0))


# ---- activations, pads, grids ----------------------------------------------------------------------

for approximate in ("none", "tanh"):
    layer(f"gelu/{approximate}", lambda a=approximate: nn.GELU(a), (3, 4), emits=("Gelu", 20))
layer("mish", nn.Mish, (3, 4), emits=("Mish", 18))
layer("hardswish", nn.Hardswish, (3, 4), emits=("HardSwish", 17))
call("bitwise_not", torch.bitwise_not, ((3, 4), torch.int32), emits=("BitwiseNot", NEVER))
SPACES = {0: {0: "batch", 2: "rows"}}
for pads in [(1, 2, 3, 1), (6, 6, 4, 5), (0, 0, 2, 0)]:
    call(f"circular/{pads}", lambda x, p=pads: F.pad(x, p, "circular"), (2, 3, 5, 6), dynamic=SPACES,
         emits=("Pad", 19))
for dtype in (torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int16, torch.bool):
    call(f"circular/{dtype}", lambda x: F.pad(x, (2, 1), "circular"), ((2, 3, 5), dtype), emits=("Pad", 19))
for dtype in (torch.float32, torch.float64):
    call(f"affine_grid/{dtype}", lambda x, t: F.affine_grid(t, x.shape, False), ((2, 3, 4, 5), dtype),
         ((2, 2, 3), dtype), dynamic={0: {0: "batch", 2: "rows"}, 1: {0: "batch"}})
    call(f"affine_grid/3d/{dtype}", lambda x, t: F.affine_grid(t, x.shape, False), ((2, 3, 4, 5, 6), dtype),
         ((2, 3, 4), dtype), dynamic={0: {2: "depth", 4: "columns"}})
call("affine_grid/corners", lambda x, t: F.affine_grid(t, x.shape, True), (2, 3, 4, 5), (2, 2, 3),
     dynamic={0: {2: "rows"}})
