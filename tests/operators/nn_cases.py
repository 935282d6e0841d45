"""Products, convolutions, normalizations and activation functions."""

import math

import torch
from torch import nn
from torch.nn import functional as F

from building import Cases, randomized

CASES = Cases()
add, call, layer = CASES.add, CASES.call, CASES.layer
NAN, INF = math.nan, math.inf


def with_whole_numbers(module):
    module = randomized(module)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.mul_(4).round_()
    return module


# ---- products --------------------------------------------------------------------------------------

for a, b in [
    ((3, 4), (4, 5)), ((4,), (4,)), ((4,), (4, 5)), ((3, 4), (4,)), ((2, 3, 4), (4, 5)),
    ((3, 4), (2, 4, 5)), ((2, 1, 3, 4), (5, 4, 2)), ((2, 3, 4), (4,)), ((4,), (2, 4, 3)),
]:
    call(f"matmul/{len(a)}x{len(b)}-{a[0]}", torch.matmul, a, b)
for dtype in [torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int8]:
    call(f"matmul/{dtype}", torch.matmul, ((3, 4), dtype), ((4, 5), dtype))
call("matmul/uint8-wraps", torch.matmul, (torch.full((2, 4), 200, dtype=torch.uint8)),
     torch.full((4, 2), 3, dtype=torch.uint8))
call("matmul/dynamic", torch.matmul, (2, 3, 4), (2, 4, 5),
     dynamic={0: {0: "batch", 1: "rows"}, 1: {0: "batch"}})
call("mm", torch.mm, (3, 4), (4, 5))
call("bmm", torch.bmm, (2, 3, 4), (2, 4, 5))
call("mv", torch.mv, (3, 4), (4,))
call("dot", torch.dot, (4,), (4,))
call("outer", torch.outer, (3,), (4,))
call("outer/int", torch.outer, ((3,), torch.int64), ((4,), torch.int64))
call("addmm", torch.addmm, (5,), (3, 4), (4, 5))
call("addmm/factors", lambda a, b, c: torch.addmm(a, b, c, beta=0.5, alpha=-2), (3, 5), (3, 4), (4, 5))
call("addmm/column", torch.addmm, (3, 1), (3, 4), (4, 5))
call("addmm/scalar", torch.addmm, (1,), (3, 4), (4, 5))
call("addmm/no-self", lambda a, b, c: torch.addmm(a, b, c, beta=0),
     torch.full((3, 5), NAN), (3, 4), (4, 5))
call("addmm/float64", lambda a, b, c: torch.addmm(a, b, c, beta=0.1, alpha=0.75),
     ((3, 5), torch.float64), ((3, 4), torch.float64), ((4, 5), torch.float64))
call("addmm/int64", lambda a, b, c: torch.addmm(a, b, c, beta=2, alpha=3),
     ((3, 5), torch.int64), ((3, 4), torch.int64), ((4, 5), torch.int64))
call("addmv", lambda a, b, c: torch.addmv(a, b, c, beta=2, alpha=0.3), (3,), (3, 4), (4,))
call("baddbmm", lambda a, b, c: torch.baddbmm(a, b, c, beta=2, alpha=0.3), (1, 5), (2, 3, 4), (2, 4, 5))
call("baddbmm/no-self", lambda a, b, c: torch.baddbmm(a, b, c, beta=0),
     torch.full((2, 3, 5), NAN), (2, 3, 4), (2, 4, 5))
call("addbmm", lambda a, b, c: torch.addbmm(a, b, c, beta=2, alpha=0.3), (3, 5), (2, 3, 4), (2, 4, 5))
call("addmm/nothing", lambda a, b, c: torch.addmm(a, b, c, beta=0.5, alpha=3), (5,), (3, 0), (0, 5),
     dynamic={1: {0: "rows"}})
call("addmm/nothing-no-self", lambda a, b, c: torch.addmm(a, b, c, beta=0), torch.full((3, 5), NAN), (3, 0), (0, 5))
call("addmm/nothing-int64", torch.addmm, ((3, 5), torch.int64), ((3, 0), torch.int64), ((0, 5), torch.int64))
call("addr", lambda a, b, c: torch.addr(a, b, c, beta=2, alpha=0.3), (3, 4), (3,), (4,))
for beta in (0, 1):
    for alpha in (0, 2):
        call(f"addr/bool/{beta}-{alpha}", lambda a, b, c, s=beta, t=alpha: torch.addr(a, b, c, beta=s, alpha=t),
             ((3, 4), torch.bool), ((3,), torch.bool), ((4,), torch.bool))
layer("linear/2d", lambda: nn.Linear(4, 5), (3, 4), dynamic={0: {0: "batch"}})
layer("linear/3d", lambda: nn.Linear(4, 5), (2, 3, 4), dynamic={0: {0: "batch", 1: "length"}})
layer("linear/1d", lambda: nn.Linear(4, 5), (4,))
layer("linear/no-bias", lambda: nn.Linear(4, 5, bias=False), (3, 4))
layer("linear/no-bias-3d", lambda: nn.Linear(4, 5, bias=False), (2, 3, 4))
layer("linear/float64", lambda: nn.Linear(4, 5).double(), ((3, 4), torch.float64))
layer("linear/float16", lambda: nn.Linear(4, 5).half(), ((3, 4), torch.float16))
layer("linear/bfloat16", lambda: nn.Linear(4, 5).bfloat16(), ((2, 3, 4), torch.bfloat16))
call("linear/weight-is-input", F.linear, (2, 3, 4), (5, 4), (5,))
call("linear/vector", F.linear, (3, 4), (4,))
call("linear/int", F.linear, ((3, 4), torch.int64), ((5, 4), torch.int64))
layer("bilinear", lambda: nn.Bilinear(3, 4, 5), (2, 3), (2, 4))
layer("bilinear/3d", lambda: nn.Bilinear(3, 4, 5, bias=False), (2, 6, 3), (2, 6, 4))
for equation, *shapes in [
    ("ij,jk->ik", (3, 4), (4, 5)), ("ij,jk", (3, 4), (4, 5)), ("ba,ac", (3, 4), (4, 5)),
    ("bhid,bhjd->bhij", (2, 3, 4, 5), (2, 3, 6, 5)), ("...ij,...jk->...ik", (2, 3, 4), (2, 4, 5)),
    ("...ij,jk", (2, 3, 4), (4, 5)), ("i,i->", (4,), (4,)), ("ij->ji", (3, 4)), ("ii->i", (4, 4)),
    ("ii", (4, 4)), ("ij->", (3, 4)), ("i,j->ij", (3,), (4,)), ("bn,anm,bm->ba", (2, 3), (4, 3, 5), (2, 5)),
    (" i j , j k -> i k ", (3, 4), (4, 5)), ("Ba,aC->BC", (3, 4), (4, 5)), ("aB,Bc", (3, 4), (4, 5)),
    ("...i->...", (2, 3, 4)), ("b...i,b...i->b...", (2, 3, 4), (2, 3, 4)), ("ij,jk->ik", (3, 1), (4, 5)),
    ("...ij->...ji", (2, 3, 4)), ("...a,...a->...", (2, 3, 4), (3, 4)), ("ab,cd->abcd", (2, 3), (4, 5)),
]:
    call(f"einsum/{equation}-{shapes[0]}", lambda *x, e=equation: torch.einsum(e, *x), *shapes)
call("einsum/ellipsis-summed", lambda a: torch.einsum("...i->i", a), (2, 3, 4))
call("einsum/float16", lambda a, b: torch.einsum("ij,jk->ik", a, b), ((3, 4), torch.float16),
     ((4, 5), torch.float16))
call("einsum/float64", lambda a, b: torch.einsum("ij,jk->ik", a, b), ((3, 4), torch.float64),
     ((4, 5), torch.float64))
call("einsum/int64", lambda a, b: torch.einsum("ij,jk->ik", a, b), ((3, 4), torch.int64),
     ((4, 5), torch.int64))
call("einsum/dynamic", lambda a, b: torch.einsum("bhid,bhjd->bhij", a, b), (2, 3, 4, 5), (2, 3, 6, 5),
     dynamic={0: {0: "batch", 2: "length"}, 1: {0: "batch"}})
call("tensordot", lambda a, b: torch.tensordot(a, b, dims=([1, 2], [0, 2])), (2, 3, 4), (3, 5, 4))
call("tensordot/number", lambda a, b: torch.tensordot(a, b, dims=1), (2, 3, 4), (4, 5))
call("inner", torch.inner, (2, 3), (4, 3))
call("inner/vectors", torch.inner, (3,), (3,))
call("inner/scalar", torch.inner, (), (3, 2))

# ---- convolutions ----------------------------------------------------------------------------------

for name, make, shape in [
    ("1d", lambda: nn.Conv1d(4, 6, 3), (2, 4, 9)),
    ("1d-all", lambda: nn.Conv1d(4, 6, 3, 2, 1, 2, 2), (2, 4, 9)),
    ("1d-same", lambda: nn.Conv1d(4, 6, 4, padding="same", dilation=3), (2, 4, 19)),
    ("1d-unbatched", lambda: nn.Conv1d(4, 6, 3), (4, 9)),
    ("2d", lambda: nn.Conv2d(3, 6, 3), (2, 3, 8, 9)),
    ("2d-all", lambda: nn.Conv2d(4, 8, (3, 2), (2, 1), (1, 0), (1, 2), 4), (2, 4, 8, 9)),
    ("2d-no-bias", lambda: nn.Conv2d(3, 6, 3, bias=False), (2, 3, 8, 9)),
    ("2d-same", lambda: nn.Conv2d(3, 6, (3, 4), padding="same"), (2, 3, 8, 9)),
    ("2d-valid", lambda: nn.Conv2d(3, 6, 3, padding="valid"), (2, 3, 8, 9)),
    ("2d-unbatched", lambda: nn.Conv2d(3, 6, 3, 2, 1), (3, 8, 9)),
    ("2d-depthwise", lambda: nn.Conv2d(6, 6, 3, padding=1, groups=6), (2, 6, 8, 9)),
    ("2d-circular", lambda: nn.Conv2d(3, 6, 3, padding=2, padding_mode="circular"), (2, 3, 8, 9)),
    ("2d-reflect", lambda: nn.Conv2d(3, 6, 3, padding=2, padding_mode="reflect"), (2, 3, 8, 9)),
    ("3d", lambda: nn.Conv3d(3, 4, (1, 2, 3), 1, (0, 1, 1)), (2, 3, 5, 6, 7)),
    ("3d-unbatched", lambda: nn.Conv3d(3, 4, 2), (3, 5, 6, 7)),
    ("transpose1d", lambda: nn.ConvTranspose1d(4, 6, 3, 2, 1, 1, 2), (2, 4, 9)),
    ("transpose2d", lambda: nn.ConvTranspose2d(4, 6, 3), (2, 4, 5, 6)),
    ("transpose2d-all", lambda: nn.ConvTranspose2d(4, 6, (3, 2), (2, 3), (1, 0), (1, 2), 2, True, (2, 1)),
     (2, 4, 5, 6)),
    ("transpose2d-crops", lambda: nn.ConvTranspose2d(4, 6, 3, 2, 3), (2, 4, 5, 6)),
    ("transpose2d-unbatched", lambda: nn.ConvTranspose2d(4, 6, 3, 2, bias=False), (4, 5, 6)),
    ("transpose2d-dilated", lambda: nn.ConvTranspose2d(4, 6, 3, 2, 3, 2, dilation=3), (2, 4, 5, 6)),
    ("transpose2d-beyond", lambda: nn.ConvTranspose2d(4, 6, 3, (1, 2), (0, 1), (2, 4), dilation=(3, 5)), (2, 4, 5, 6)),
    ("transpose2d-beyond-plain", lambda: nn.ConvTranspose2d(4, 6, 3, 1, 0, (0, 1), dilation=2, bias=False),
     (2, 4, 5, 6)),
    ("transpose3d", lambda: nn.ConvTranspose3d(2, 3, (1, 2, 3), 2, (0, 1, 1), 1), (2, 2, 3, 4, 5)),
]:
    layer(f"conv/{name}", make, shape)
    layer(f"conv/{name}/float64", lambda m=make: m().double(), (shape, torch.float64),
          dynamic=None if "unbatched" in name else {0: {0: "batch"}})
layer("conv/dynamic", lambda: nn.Conv2d(3, 6, 3, 2, 1), (2, 3, 8, 9),
      dynamic={0: {0: "batch", 2: "height", 3: "width"}})
layer("conv/dynamic-transpose", lambda: nn.ConvTranspose2d(3, 6, 3, 2, 1), (2, 3, 8, 9),
      dynamic={0: {0: "batch", 2: "height", 3: "width"}})
layer("conv/float16", lambda: nn.Conv2d(3, 6, 3).half(), ((2, 3, 8, 9), torch.float16))
# Integers, because PyTorch before 2.0 rounds each sum if the processor has no products of bfloat16.
add("conv/bfloat16", lambda: with_whole_numbers(nn.Conv2d(3, 6, 3).bfloat16()),
    torch.randint(-2, 3, (2, 3, 8, 9), generator=torch.Generator().manual_seed(4)).bfloat16())
EVERY_SIZE = {0: {0: "batch", 2: "height", 3: "width"}}
for name, make in {
        "plain": lambda: nn.Conv2d(4, 6, (3, 2), (2, 1), 1, (1, 2), 2),
        "same": lambda: nn.Conv2d(4, 6, (3, 4), padding="same", bias=False),
        "transpose": lambda: nn.ConvTranspose2d(4, 6, (3, 2), (2, 3), (1, 0), (1, 2), 2, True, (2, 1)),
}.items():
    layer(f"conv/float64/{name}/dynamic", lambda m=make: m().double(), ((2, 4, 8, 9), torch.float64),
          dynamic=EVERY_SIZE)
    layer(f"conv/float64/{name}/one-dynamic", lambda m=make: m().double(), ((2, 4, 8, 9), torch.float64),
          dynamic={0: {2: "height"}})
call("conv/float64/digits", lambda x, w: F.conv2d(x * 1e-12 + 1, w), ((2, 3, 8, 9), torch.float64),
     ((6, 3, 3, 3), torch.float64))
call("conv/float64/weight-is-open", F.conv2d, ((2, 3, 8, 9), torch.float64), ((6, 3, 3, 3), torch.float64),
     dynamic={1: {0: "channels"}}, refused="a weight of unknown size is not supported in float64")
call("conv/float64/infinite", lambda x, w: F.conv_transpose2d(x, w, stride=3, padding=1),
     ((1, 2, 3, 4), torch.float64), torch.tensor([1.0, INF, -2, 0]).double().expand(2, 3, 2, 4).contiguous())
for dtype in (torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8):
    high = 2**40 if dtype is torch.int64 else 100
    whole = torch.randint(0, high, (2, 4, 6, 5), generator=torch.Generator().manual_seed(1)).to(dtype)
    call(f"conv/{dtype}", lambda x, w, b: F.conv2d(x, w, b, 2, 1, 1, 2), whole, whole[:, :2, :3], whole[0, 0, 0, :2])
    call(f"conv/{dtype}/3d", lambda x, w: F.conv3d(x, w, None, 1, 1), whole[None], whole[:1, :2, None, :3, :2])
    call(f"conv/{dtype}/1d", lambda x, w: F.conv1d(x, w, padding="same"), whole[0], whole[1, :3, :, :3])
INT64 = torch.arange(-60, 60).reshape(1, 4, 6, 5) * (2**33 + 77777) + 3
call("conv/int64/dilated", lambda x, w: F.conv2d(x, w, None, 1, 2, 2, 4), INT64, INT64.reshape(20, 1, 3, 2))
for axes, transpose in enumerate((F.conv_transpose1d, F.conv_transpose2d, F.conv_transpose3d), 1):
    call(f"conv/int64/transpose{axes}d", lambda x, w, f=transpose: f(x, w, w[:2].flatten()[:2], 2, 1, 1, 2),
         INT64.reshape((1, 4) + (5, 3, 2)[:axes - 1] + (-1,)), INT64.reshape((4, 1) + (3, 2, 5)[:axes - 1] + (-1,)))
call("conv/weight-is-input", F.conv2d, (2, 3, 8, 9), (6, 3, 3, 3), (6,))
call("conv/mode", lambda x, w: torch._convolution_mode(x, w, None, [1, 1], "same", [1, 1], 1),
     (2, 3, 8, 9), (6, 3, 4, 3))

# ---- normalization ---------------------------------------------------------------------------------

for name, make, shape in [
    ("batch_norm/1d", lambda: nn.BatchNorm1d(4), (3, 4)),
    ("batch_norm/1d-3d", lambda: nn.BatchNorm1d(4), (3, 4, 5)),
    ("batch_norm/2d", lambda: nn.BatchNorm2d(4), (3, 4, 5, 6)),
    ("batch_norm/2d-eps", lambda: nn.BatchNorm2d(4, eps=0.3), (3, 4, 5, 6)),
    ("batch_norm/2d-plain", lambda: nn.BatchNorm2d(4, affine=False), (3, 4, 5, 6)),
    ("batch_norm/2d-no-statistics", lambda: nn.BatchNorm2d(4, track_running_stats=False), (3, 4, 5, 6)),
    ("batch_norm/3d", lambda: nn.BatchNorm3d(4), (3, 4, 5, 6, 2)),
    ("instance_norm/1d", lambda: nn.InstanceNorm1d(4), (3, 4, 5)),
    ("instance_norm/2d", lambda: nn.InstanceNorm2d(4, affine=True), (3, 4, 5, 6)),
    ("instance_norm/2d-unbatched", lambda: nn.InstanceNorm2d(4), (4, 5, 6)),
    ("instance_norm/2d-statistics", lambda: nn.InstanceNorm2d(4, affine=True, track_running_stats=True),
     (3, 4, 5, 6)),
    ("instance_norm/3d", lambda: nn.InstanceNorm3d(4, eps=0.2), (3, 4, 5, 6, 2)),
    ("layer_norm", lambda: nn.LayerNorm(6), (3, 4, 6)),
    ("layer_norm/eps", lambda: nn.LayerNorm(6, eps=0.2), (3, 4, 6)),
    ("layer_norm/two", lambda: nn.LayerNorm((4, 6)), (3, 4, 6)),
    ("layer_norm/all", lambda: nn.LayerNorm((3, 4, 6)), (3, 4, 6)),
    ("layer_norm/plain", lambda: nn.LayerNorm((4, 6), elementwise_affine=False), (3, 4, 6)),
    ("layer_norm/no-bias", lambda: nn.LayerNorm(6, bias=False), (3, 4, 6)),
    ("group_norm", lambda: nn.GroupNorm(2, 6), (3, 6, 4, 5)),
    ("group_norm/eps", lambda: nn.GroupNorm(3, 6, eps=0.2), (3, 6, 4, 5)),
    ("group_norm/plain", lambda: nn.GroupNorm(6, 6, affine=False), (3, 6, 4, 5)),
    ("group_norm/2d", lambda: nn.GroupNorm(2, 6), (3, 6)),
    ("group_norm/3d", lambda: nn.GroupNorm(1, 6), (3, 6, 7)),
    ("rms_norm", lambda: nn.RMSNorm(6), (3, 4, 6)),
    ("rms_norm/eps", lambda: nn.RMSNorm((4, 6), eps=0.2), (3, 4, 6)),
    ("rms_norm/plain", lambda: nn.RMSNorm(6, elementwise_affine=False), (3, 4, 6)),
    ("local_response_norm", lambda: nn.LocalResponseNorm(3), (2, 6, 5, 4)),
]:
    layer(name, make, shape)
NORMALIZATIONS = [
    ("batch_norm", lambda: nn.BatchNorm2d(4)), ("instance_norm", lambda: nn.InstanceNorm2d(4, affine=True)),
    ("layer_norm", lambda: nn.LayerNorm((5, 6))), ("group_norm", lambda: nn.GroupNorm(2, 4)),
    ("rms_norm", lambda: nn.RMSNorm((5, 6))), ("layer_norm-plain", lambda: nn.LayerNorm(6, 1e-5, False)),
]
for name, make in NORMALIZATIONS:
    for dtype in [torch.float64, torch.float16, torch.bfloat16]:
        add(f"{name}/{dtype}", lambda make=make, d=dtype: randomized(make()).to(d),
            ((3, 4, 5, 6), dtype), roundings=2 if name == "instance_norm" else 1)
    layer(f"{name}/dynamic", make, (3, 4, 5, 6), dynamic={0: {0: "batch"}})
layer("group_norm/dynamic-sizes", lambda: nn.GroupNorm(2, 4), (3, 4, 5, 6),
      dynamic={0: {0: "batch", 2: "height", 3: "width"}})
layer("batch_norm/float16-mixed", lambda: nn.BatchNorm2d(4), ((3, 4, 5, 6), torch.float16))
call("batch_norm/float64-plain", lambda x, m, v: F.batch_norm(x, m, v, eps=0.1),
     ((3, 4, 5), torch.float64), torch.randn(4).double(), torch.rand(4).double())
layer("weight_norm", lambda: nn.utils.weight_norm(nn.Linear(4, 5)), (3, 4))
layer("weight_norm/conv", lambda: nn.utils.weight_norm(nn.Conv1d(4, 5, 3), dim=1), (3, 4, 9))
layer("weight_norm/all", lambda: nn.utils.weight_norm(nn.Linear(4, 5), dim=None), (3, 4))

# ---- activations -----------------------------------------------------------------------------------

WIDE = torch.cat([torch.linspace(-8, 8, 65), torch.tensor([0.0, -0.0, 3, -3, 6, 30, -30, 100, -100])])
ACTIVATIONS = {
    "relu": F.relu, "relu6": F.relu6, "leaky_relu": F.leaky_relu,
    "leaky_relu-slope": lambda x: F.leaky_relu(x, 0.3), "leaky_relu-neg": lambda x: F.leaky_relu(x, -0.3),
    "elu": F.elu, "elu-alpha": lambda x: F.elu(x, 0.7), "selu": F.selu, "celu": F.celu,
    "elu-all": lambda x: torch.ops.aten.elu(x, 0.5, 1.5, 2.0), "celu-alpha": lambda x: F.celu(x, 0.7),
    "gelu": F.gelu, "gelu-tanh": lambda x: F.gelu(x, approximate="tanh"), "silu": F.silu,
    "hardtanh": F.hardtanh, "hardtanh-bounds": lambda x: F.hardtanh(x, -0.3, 2.5),
    "hardswish": F.hardswish, "hardsigmoid": F.hardsigmoid, "mish": F.mish, "softsign": F.softsign,
    "softplus": F.softplus, "softplus-beta": lambda x: F.softplus(x, 2.5),
    "softplus-threshold": lambda x: F.softplus(x, 0.5, 2), "softplus-high": lambda x: F.softplus(x, 3, 50),
    "log_sigmoid": F.logsigmoid, "tanhshrink": F.tanhshrink, "hardshrink": F.hardshrink,
    "hardshrink-0": lambda x: F.hardshrink(x, 0), "softshrink": lambda x: F.softshrink(x, 0.7),
    "threshold": lambda x: F.threshold(x, 0.5, -7.0), "rrelu": F.rrelu,
    "relu_": lambda x: F.relu_(x + 0), "hardswish_": lambda x: F.hardswish(x + 0, inplace=True),
    "silu_": lambda x: F.silu(x + 0, inplace=True), "softmin": lambda x: F.softmin(x, 0),
}
for name, function in ACTIVATIONS.items():
    call(f"activation/{name}", function, WIDE)
    for dtype in [torch.float64, torch.float16, torch.bfloat16]:
        call(f"activation/{name}/{dtype}", function, WIDE.to(dtype))
for dtype in [torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8]:
    whole = torch.arange(12).to(dtype) if dtype is torch.uint8 else torch.arange(-6, 6).to(dtype)
    call(f"activation/relu/{dtype}", F.relu, whole)
    call(f"activation/threshold/{dtype}", lambda x: F.threshold(x, 2, 7), whole)
for dtype in [torch.int64, torch.int32]:
    call(f"activation/hardtanh/{dtype}", lambda x: F.hardtanh(x, -2, 3), torch.arange(-6, 6).to(dtype))
for name, count, shape in [
    ("one", 1, (2, 3, 4)), ("channels", 3, (2, 3, 4, 5)), ("channels-2d", 3, (2, 3)), ("vector", 1, (4,)),
]:
    layer(f"prelu/{name}", lambda count=count: nn.PReLU(count), shape)
add("prelu/float64", lambda: nn.PReLU(3).double(), ((2, 3, 4), torch.float64))
call("glu", F.glu, (2, 3, 6))
call("glu/axis", lambda x: F.glu(x, 1), (2, 4, 6), dynamic={0: {0: "batch"}})
call("glu/float64", F.glu, ((2, 3, 6), torch.float64))
for name, function in [("softmax", F.softmax), ("log_softmax", F.log_softmax)]:
    for dim in (0, 1, -1):
        call(f"{name}/{dim}", lambda x, d=dim, f=function: f(x, d), (2, 3, 4))
    call(f"{name}/scalar", lambda x, f=function: f(x, 0), ())
    call(f"{name}/to-float64", lambda x, f=function: f(x, -1, dtype=torch.float64), (2, 3))
    call(f"{name}/to-bfloat16", lambda x, f=function: f(x, -1, dtype=torch.bfloat16), (2, 3))
    call(f"{name}/from-int", lambda x, f=function: f(x, -1, dtype=torch.float32), ((2, 3), torch.int64))
    for dtype in [torch.float64, torch.float16, torch.bfloat16]:
        call(f"{name}/{dtype}", lambda x, f=function: f(x, -1), ((2, 3), dtype))
BLIND = torch.tensor([[[-INF, -INF, -INF], [0, -INF, 2]], [[1, 2, 3], [-INF, INF, 1]]])
for dtype in [torch.float32, torch.float64, torch.float16, torch.bfloat16]:
    call(f"softmax/safe/{dtype}", lambda x: torch._safe_softmax(x, -1), BLIND.to(dtype), needs=(2, 5),
         dynamic={0: {0: "batch"}})
call("softmax/safe/axis", lambda x: torch._safe_softmax(x, 1), BLIND, needs=(2, 5))
call("softmax/safe/not-a-number", lambda x: torch._safe_softmax(x, 0),
     torch.tensor([[-INF, math.nan, 1], [-INF, 2, -INF]]), needs=(2, 5))
call("softmax/masked", lambda x: F.softmax(x, -1), torch.tensor([[-INF, -INF], [0, -INF]]))
