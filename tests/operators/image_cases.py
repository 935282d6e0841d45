"""Pooling, resizing, padding, and rearranging pixels."""

import math

import torch
from torch import nn
from torch.nn import functional as F

from building import Cases

CASES = Cases()
add, call, layer = CASES.add, CASES.call, CASES.layer

# ---- pooling ---------------------------------------------------------------------------------------

POOLINGS = [
    ("2", {"kernel_size": 2}),
    ("3s2p1", {"kernel_size": 3, "stride": 2, "padding": 1}),
    ("3s2-ceil", {"kernel_size": 3, "stride": 2, "ceil_mode": True}),
    ("3s2p1-ceil", {"kernel_size": 3, "stride": 2, "padding": 1, "ceil_mode": True}),
    ("2s3-ceil", {"kernel_size": 2, "stride": 3, "ceil_mode": True}),
    ("2s3p1-ceil", {"kernel_size": 2, "stride": 3, "padding": 1, "ceil_mode": True}),
    ("3s4p1-ceil", {"kernel_size": 3, "stride": 4, "padding": 1, "ceil_mode": True}),
]
SIZES = [(7, 9), (8, 10), (9, 7), (10, 11)]
for name, options in POOLINGS:
    for height, width in SIZES:
        where = f"{name}/{height}x{width}"
        shape = (2, 3, height, width)
        call(f"max_pool2d/{where}", lambda x, o=options: F.max_pool2d(x, **o), shape)
        call(f"max_pool2d-indices/{where}",
             lambda x, o=options: F.max_pool2d(x, return_indices=True, **o), shape)
        for include in (True, False):
            call(f"avg_pool2d/{where}/{include}",
                 lambda x, o=options, i=include: F.avg_pool2d(x, count_include_pad=i, **o), shape)
            for dtype in (torch.float64, torch.int64):
                call(f"avg_pool2d/{where}/{include}/{dtype}",
                     lambda x, o=options, i=include: F.avg_pool2d(x, count_include_pad=i, **o), (shape, dtype))
        call(f"avg_pool2d/{where}/divisor",
             lambda x, o=options: F.avg_pool2d(x, divisor_override=3, **o), shape)
call("max_pool2d/rectangle", lambda x: F.max_pool2d(x, (3, 2), (2, 1), (1, 0), (1, 2)), (2, 3, 9, 8))
call("max_pool2d/dilated-ceil",
     lambda x: F.max_pool2d(x, 2, 2, 1, 3, ceil_mode=True, return_indices=True), (2, 3, 10, 11))
call("max_pool2d/unbatched", lambda x: F.max_pool2d(x, 2, return_indices=True), (3, 8, 9))
call("max_pool1d", lambda x: F.max_pool1d(x, 3, 2, 1), (2, 3, 9))
call("max_pool1d/unbatched", lambda x: F.max_pool1d(x, 3, 2, 1), (3, 9))
call("max_pool1d/indices", lambda x: F.max_pool1d(x, 3, 2, 1, return_indices=True), (2, 3, 9))
call("max_pool3d", lambda x: F.max_pool3d(x, (1, 2, 3), 2, (0, 1, 1)), (2, 3, 5, 6, 7))
call("max_pool3d/indices", lambda x: F.max_pool3d(x, 2, return_indices=True), (2, 3, 5, 6, 7))
for dtype in [torch.float64, torch.float16, torch.bfloat16, torch.int32, torch.uint8]:
    call(f"max_pool2d/{dtype}", lambda x: F.max_pool2d(x, 3, 2, 1), ((2, 3, 8, 9), dtype))
call("max_pool2d/dynamic", lambda x: F.max_pool2d(x, 3, 2, 1, ceil_mode=True, return_indices=True),
     (2, 3, 8, 9), dynamic={0: {0: "batch", 2: "height", 3: "width"}})
PLANE = {0: {2: "height", 3: "width"}}
for name, window in (("2s3", (2, 3)), ("2s3p1", (2, 3, 1)), ("3s4p1", (3, 4, 1)), ("2s5d2p1", (2, 5, 1, 2))):
    for axes in ({0: {2: "height"}}, PLANE):
        call(f"max_pool2d/dynamic-ceil/{name}/{len(axes[0])}",
             lambda x, w=window: F.max_pool2d(x, *w, ceil_mode=True, return_indices=True), (2, 3, 8, 9),
             dynamic=axes, others=lambda: [[torch.randn(2, 3, n, 9)] for n in range(6, 14)])
    if len(window) < 4:
        for more in ({}, {"count_include_pad": False}, {"divisor_override": 3}):
            call(f"avg_pool2d/dynamic-ceil/{name}/{'-'.join(more) or 'plain'}",
                 lambda x, w=window, m=more: F.avg_pool2d(x, *w, ceil_mode=True, **m), (2, 3, 8, 9),
                 dynamic=PLANE, others=lambda: [[torch.randn(2, 3, n, n + 2)] for n in range(6, 14)])
call("avg_pool1d", lambda x: F.avg_pool1d(x, 3, 2, 1), (2, 3, 9))
call("avg_pool1d/unbatched", lambda x: F.avg_pool1d(x, 3, 2, 1, True, False), (3, 10))
call("avg_pool3d", lambda x: F.avg_pool3d(x, (1, 2, 3), 2, (0, 1, 1)), (2, 3, 5, 6, 7))
call("avg_pool3d/ceil", lambda x: F.avg_pool3d(x, 3, 2, 1, ceil_mode=True), (2, 3, 6, 7, 8))
call("avg_pool2d/unbatched", lambda x: F.avg_pool2d(x, 2), (3, 8, 9))
call("avg_pool2d/float16", lambda x: F.avg_pool2d(x, 2), ((2, 3, 8, 9), torch.float16))
call("avg_pool2d/bfloat16", lambda x: F.avg_pool2d(x, 2), ((2, 3, 8, 9), torch.bfloat16))
WHOLE = torch.arange(-216, 216).reshape(2, 3, 8, 9) * (2**54 + 12345)
for dtype in (torch.float64, torch.int64):
    call(f"avg_pool1d/{dtype}", lambda x: F.avg_pool1d(x, 3, 2, 1, True, False), ((2, 3, 10), dtype))
    call(f"avg_pool3d/{dtype}", lambda x: F.avg_pool3d(x, 3, 2, 1, ceil_mode=True), ((3, 6, 7, 8), dtype))
    for form, options in POOLINGS[:4]:
        for include in (True, False):
            call(f"avg_pool2d/{dtype}/dynamic-{form}/{include}",
                 lambda x, o=options, i=include: F.avg_pool2d(x, count_include_pad=i, **o), ((2, 3, 8, 9), dtype),
                 dynamic={0: {0: "batch", 2: "height", 3: "width"}})
    call(f"avg_pool2d/{dtype}/one-dynamic", lambda x: F.avg_pool2d(x, 3, 2, 1), ((2, 3, 8, 9), dtype),
         dynamic={0: {3: "width"}})
call("avg_pool2d/int64", lambda x: F.avg_pool2d(x, 3), WHOLE)
call("avg_pool2d/int64/divisor", lambda x: F.avg_pool2d(x, (2, 3), divisor_override=-7), WHOLE)
call("avg_pool2d/float64/divisor", lambda x: F.avg_pool2d(x, (2, 3), divisor_override=-7), WHOLE.double())
for size in [1, 2, 3, 5, (1, 3), (None, 2), (16, 12)]:
    call(f"adaptive_avg_pool2d/float64/{size}", lambda x, s=size: F.adaptive_avg_pool2d(x, s),
         ((2, 3, 8, 12), torch.float64))
    call(f"adaptive_avg_pool2d/float64/dynamic/{size}", lambda x, s=size: F.adaptive_avg_pool2d(x, s),
         ((2, 3, 8, 12), torch.float64), dynamic={0: {0: "batch", 2: "height"}})
call("adaptive_avg_pool1d/float64", lambda x: F.adaptive_avg_pool1d(x, 4), ((3, 12), torch.float64))
call("adaptive_avg_pool3d/float64", lambda x: F.adaptive_avg_pool3d(x, (1, 2, 3)), ((2, 3, 4, 6, 8), torch.float64))
call("avg_pool2d/dynamic", lambda x: F.avg_pool2d(x, 3, 2, 1, ceil_mode=True), (2, 3, 8, 9),
     dynamic={0: {0: "batch", 2: "height", 3: "width"}})
for size in [1, 2, 4, (1, 3), (None, 2), 3, 5, (7, 11), (1, 12)]:
    call(f"adaptive_avg_pool2d/{size}", lambda x, s=size: F.adaptive_avg_pool2d(x, s), (2, 3, 8, 12))
    call(f"adaptive_max_pool2d/{size}", lambda x, s=size: F.adaptive_max_pool2d(x, s), (2, 3, 8, 12))
call("adaptive_avg_pool2d/unbatched", lambda x: F.adaptive_avg_pool2d(x, 1), (3, 8, 12))
call("adaptive_avg_pool2d/unbatched-2", lambda x: F.adaptive_avg_pool2d(x, (2, 5)), (3, 8, 12))
call("adaptive_avg_pool1d", lambda x: F.adaptive_avg_pool1d(x, 4), (2, 3, 10))
call("adaptive_avg_pool3d", lambda x: F.adaptive_avg_pool3d(x, (1, 2, 3)), (2, 3, 4, 6, 8))
call("adaptive_max_pool1d", lambda x: F.adaptive_max_pool1d(x, 5, return_indices=True), (2, 3, 10))
call("adaptive_max_pool3d", lambda x: F.adaptive_max_pool3d(x, (1, 2, 3)), (2, 3, 4, 6, 8))
call("adaptive_max_pool2d/indices", lambda x: F.adaptive_max_pool2d(x, (2, 3), return_indices=True),
     (2, 3, 8, 12))
call("adaptive_max_pool2d/uneven-indices",
     lambda x: F.adaptive_max_pool2d(x, 5, return_indices=True), (2, 3, 8, 12))
call("adaptive_avg_pool2d/float16", lambda x: F.adaptive_avg_pool2d(x, 5), ((2, 3, 8, 12), torch.float16))
call("adaptive_avg_pool2d/dynamic", lambda x: F.adaptive_avg_pool2d(x, 1), (2, 3, 8, 12),
     dynamic={0: {0: "batch", 2: "height", 3: "width"}})
call("adaptive_avg_pool2d/dynamic-one", lambda x: F.adaptive_avg_pool2d(x, (1, 3)), (2, 3, 8, 12),
     dynamic={0: {0: "batch", 2: "height"}})
call("adaptive_max_pool2d/dynamic", lambda x: F.adaptive_max_pool2d(x, 1), (2, 3, 8, 12),
     dynamic={0: {0: "batch", 2: "height", 3: "width"}})
HEIGHT = {0: {2: "height"}}
SPACE = {0: {0: "batch", 2: "height", 3: "width"}}
for kind, pool in (("avg", F.adaptive_avg_pool2d), ("max", F.adaptive_max_pool2d)):
    call(f"adaptive_{kind}_pool2d/dynamic-height", lambda x, p=pool: p(x, 2), (2, 3, 8, 12), dynamic=HEIGHT)
    call(f"adaptive_{kind}_pool2d/dynamic-both", lambda x, p=pool: p(x, (3, 5)), (2, 3, 8, 12), dynamic=SPACE)
    call(f"adaptive_{kind}_pool2d/dynamic-half",
         lambda x, p=pool: p(x, (x.shape[2] // 2, x.shape[3] - 3)), (2, 3, 8, 12), dynamic=SPACE)
call("adaptive_max_pool2d/dynamic-indices",
     lambda x: F.adaptive_max_pool2d(x, (3, 5), return_indices=True), (2, 3, 8, 12), dynamic=SPACE)
call("adaptive_avg_pool1d/dynamic", lambda x: F.adaptive_avg_pool1d(x, 4), (2, 3, 10), dynamic={0: {2: "length"}})
call("adaptive_max_pool1d/dynamic", lambda x: F.adaptive_max_pool1d(x, 4), (2, 3, 10), dynamic={0: {2: "length"}})
call("adaptive_avg_pool3d/dynamic", lambda x: F.adaptive_avg_pool3d(x, (3, 2, 5)), (2, 3, 4, 6, 8),
     dynamic={0: {2: "depth", 4: "width"}})
call("adaptive_max_pool3d/dynamic", lambda x: F.adaptive_max_pool3d(x, (3, 2, 5)), (2, 3, 4, 6, 8),
     dynamic={0: {2: "depth", 4: "width"}})

# ---- resizing --------------------------------------------------------------------------------------

MODES = {1: ["nearest", "nearest-exact", "linear"], 3: ["nearest", "nearest-exact", "trilinear"],
         2: ["nearest", "nearest-exact", "bilinear", "bicubic"]}
SHAPES = {1: (2, 3, 7), 2: (2, 3, 6, 7), 3: (1, 2, 3, 4, 5)}
TARGETS = [
    {"scale_factor": 2}, {"scale_factor": 3.0}, {"scale_factor": 0.5}, {"scale_factor": 1.7},
    {"scale_factor": 1.7, "recompute_scale_factor": True}, {"size": 5}, {"size": 14}, {"size": 1},
    {"size": 9}, {"scale_factor": 1},
]
for axes, modes in MODES.items():
    for mode in modes:
        for target in TARGETS:
            name = "-".join(f"{key[:5]}{value}" for key, value in target.items())
            call(f"interpolate/{axes}d/{mode}/{name}",
                 lambda x, m=mode, t=target: F.interpolate(x, mode=m, **t), SHAPES[axes])
            if mode.endswith("near") or mode == "bicubic":
                call(f"interpolate/{axes}d/{mode}/corners/{name}",
                     lambda x, m=mode, t=target: F.interpolate(x, mode=m, align_corners=True, **t),
                     SHAPES[axes])
for size in [(3, 4), (12, 14), (5, 20)]:
    for mode in ["bilinear", "bicubic"]:
        call(f"interpolate/antialias/{mode}/{size}",
             lambda x, m=mode, s=size: F.interpolate(x, s, mode=m, antialias=True), (2, 3, 6, 7),
             opset=18)
for mode in ["bilinear", "bicubic"]:
    for name, size in {"rows": (2, 1), "kept": (6, 1), "one": (1, 1)}.items():
        call(f"interpolate/antialias/{mode}/width-1/{name}",
             lambda x, m=mode, s=size: F.interpolate(x, s, mode=m, antialias=True), (2, 3, 6, 7),
             opset=18, below="antialiasing needs opset 18",
             **({"refused": "repeats the first row"} if name == "rows" else {}))
call("interpolate/antialias/corners", lambda x: F.interpolate(
    x, (3, 4), mode="bilinear", antialias=True, align_corners=True), (2, 3, 6, 7),
    refused="antialiasing needs opset 18, and align_corners=False")
call("interpolate/nearest/14-to-2", lambda x: F.interpolate(x, size=2), (1, 1, 14))
call("interpolate/nearest/20-to-12", lambda x: F.interpolate(x, size=(12, 9)), (1, 1, 20, 27))
for mode in ["nearest", "nearest-exact", "bilinear", "bicubic"]:
    axes = {0: {0: "batch", 2: "height", 3: "width"}}
    call(f"interpolate/dynamic/{mode}/2", lambda x, m=mode: F.interpolate(x, scale_factor=2, mode=m),
         (2, 3, 6, 7), dynamic=axes)
    call(f"interpolate/dynamic/{mode}/to-size",
         lambda x, m=mode: F.interpolate(x, size=(8, 9), mode=m), (2, 3, 6, 7), dynamic=axes)
    call(f"interpolate/dynamic/{mode}/like-other",
         lambda x, y, m=mode: F.interpolate(x, size=y.shape[2:], mode=m), (2, 3, 6, 7), (1, 1, 9, 4),
         dynamic={0: {0: "batch", 2: "height"}, 1: {2: "to_height", 3: "to_width"}})
    for dtype in [torch.float16, torch.bfloat16]:
        # Before PyTorch 2 the weights of bicubic were bfloat16, too.
        call(f"interpolate/{mode}/{dtype}", lambda x, m=mode: F.interpolate(x, scale_factor=2, mode=m),
             ((2, 3, 6, 7), dtype), needs=(2, 0) if mode == "bicubic" else None)
for factor in (0.5, 1.5, 2.6, 49):
    call(f"interpolate/dynamic/nearest/by-{factor}", lambda x, f=factor: F.interpolate(x, scale_factor=f),
         (2, 3, 6), dynamic={0: {2: "length"}})
call("interpolate/dynamic/nearest/by-1.1", lambda x: F.interpolate(x, scale_factor=1.1), (2, 3, 6),
     dynamic={0: {2: "length"}}, refused="depends on the machine for some sizes")
for factor in (0.5, 0.25, 1.7, 2.5):
    call(f"interpolate/dynamic/nearest-exact/by-{factor}",
         lambda x, f=factor: F.interpolate(x, scale_factor=f, mode="nearest-exact"), (2, 3, 6),
         dynamic={0: {2: "length"}}, others=lambda: [[torch.randn(2, 3, n)] for n in (4, 13, 64, 201)])
call("interpolate/dynamic/nearest-exact/like-others",
     lambda x, y: F.interpolate(x, size=y.shape[2:], mode="nearest-exact"), (1, 1, 6), (1, 1, 9),
     dynamic={0: {2: "length"}, 1: {2: "to_length"}},
     others=lambda: [[torch.randn(1, 1, n), torch.randn(1, 1, m)]
                     for n, m in ((1, 1), (1, 7), (7, 1), (14, 5), (5, 14), (224, 97), (97, 224), (37, 512))])
call("interpolate/dynamic/nearest-exact/float64",
     lambda x, y: F.interpolate(x, size=y.shape[2:], mode="nearest-exact"), ((1, 1, 6), torch.float64), (1, 1, 9),
     dynamic={0: {2: "length"}}, refused="depends on the machine for some sizes")
call("interpolate/nearest/float64", lambda x: F.interpolate(x, scale_factor=2), ((2, 3, 6), torch.float64))
call("interpolate/nearest/uint8", lambda x: F.interpolate(x, scale_factor=2), ((2, 3, 6, 5), torch.uint8))
INTERPOLATIONS = (("linear", (2, 3, 7)), ("bilinear", (2, 3, 6, 7)), ("bicubic", (2, 3, 6, 7)),
                  ("trilinear", (1, 2, 3, 4, 5)))
for mode, shape in INTERPOLATIONS:
    axes = {0: {0: "batch"} | {n: f"size_{n}" for n in range(2, len(shape))}}
    for target in TARGETS + [{"scale_factor": 1.05}]:
        name = "-".join(f"{key[:5]}{value}" for key, value in target.items())
        for corners in (False, True):
            function = lambda x, m=mode, t=target, c=corners: F.interpolate(x, mode=m, align_corners=c, **t)
            call(f"interpolate/float64/{mode}/{name}/{corners}", function, (shape, torch.float64))
            call(f"interpolate/float64/{mode}/dynamic/{name}/{corners}", function, (shape, torch.float64), dynamic=axes)
    call(f"interpolate/float64/{mode}/one-dynamic", lambda x, m=mode: F.interpolate(x, scale_factor=2, mode=m),
         (shape, torch.float64), dynamic={0: {2: "size"}})
    infinite = torch.ones(shape).double()
    infinite[..., 2:, 2] = math.inf
    for size in (shape[2], 5):
        call(f"interpolate/float64/{mode}/infinite/{size}", lambda x, m=mode, s=size: F.interpolate(x, s, mode=m), infinite)
call("interpolate/float64/bilinear/like-other",
     lambda x, y: F.interpolate(x, size=y.shape[2:], mode="bilinear"), ((2, 3, 6, 7), torch.float64), (1, 1, 9, 4),
     dynamic={0: {0: "batch", 2: "height"}, 1: {2: "to_height", 3: "to_width"}})
for mode in ("bilinear", "bicubic"):
    for size in [(3, 4), (12, 14), (5, 20), (6, 3), (1, 7), (1, 1), (2, 2)]:
        call(f"interpolate/float64/antialias/{mode}/{size}",
             lambda x, m=mode, s=size: F.interpolate(x, s, mode=m, antialias=True), ((2, 3, 6, 7), torch.float64),
             dynamic={0: {0: "batch"}})
    for factor in (0.3, 0.5, 1.7):
        call(f"interpolate/float64/antialias/{mode}/by-{factor}",
             lambda x, m=mode, f=factor: F.interpolate(x, scale_factor=f, mode=m, antialias=True),
             ((2, 3, 16, 17), torch.float64))
    infinite = torch.ones(1, 1, 9, 9).double()
    infinite[..., 6, 7] = math.inf
    call(f"interpolate/float64/antialias/{mode}/infinite",
         lambda x, m=mode: F.interpolate(x, (4, 5), mode=m, antialias=True), infinite)
for name, options, refused in (("dynamic", {}, "antialiased float64 needs known sizes"),
                               ("corners", {"align_corners": True}, "antialiasing needs align_corners=False")):
    call(f"interpolate/float64/antialias/{name}",
         lambda x, o=options: F.interpolate(x, (3, 4), mode="bilinear", antialias=True, **o),
         ((2, 3, 6, 7), torch.float64), dynamic={0: {2: "height"}}, refused=refused)
call("interpolate/float64/antialias/width-1", lambda x: F.interpolate(x, (2, 1), mode="bilinear", antialias=True),
     ((2, 3, 6, 7), torch.float64), refused="repeats the first row")
call("upsample/bilinear-corners-dynamic",
     lambda x: F.interpolate(x, scale_factor=1.5, mode="bilinear", align_corners=True), (2, 3, 6, 7),
     dynamic={0: {2: "height", 3: "width"}})
# libtorch takes a factor beside sizes that do not follow from it, and finds places by the factor.
for name, function in (("nearest", torch._C._nn.upsample_nearest2d),
                       ("bilinear", lambda x, s, h, w: torch._C._nn.upsample_bilinear2d(x, s, False, h, w))):
    call(f"upsample/{name}/factor-of-sizes", lambda x, f=function: f(x, [2 * x.shape[2], 3 * x.shape[3]], 2.0, 3.0),
         (2, 3, 6, 7), dynamic={0: {2: "height", 3: "width"}})
    call(f"upsample/{name}/factor-of-other-sizes", lambda x, f=function: f(x, [2 * x.shape[2], 3 * x.shape[3]], 2.0, 1.0),
         (2, 3, 6, 7), dynamic={0: {2: "height", 3: "width"}}, refused="a scale factor of 1 does not give")
call("upsample/nearest/factor-of-other-fixed-sizes", lambda x: torch._C._nn.upsample_nearest2d(x, [11, 20], 1.5, 4.0),
     (2, 3, 6, 7))

# ---- padding ---------------------------------------------------------------------------------------

call("pad/constant", lambda x: F.pad(x, (1, 2)), (2, 3, 4))
call("pad/value", lambda x: F.pad(x, (1, 0, 2, 3), value=2.5), (2, 3, 4))
call("pad/all", lambda x: F.pad(x, (1, 0, 2, 3, 1, 1)), (2, 3, 4))
call("pad/negative", lambda x: F.pad(x, (-1, 2, 1, -2)), (2, 3, 4))
for mode in ("reflect", "replicate", "circular"):
    call(f"pad/negative/{mode}", lambda x, m=mode: F.pad(x, (-1, 2, 1, -2), m), (1, 2, 6, 5))
    call(f"pad/negative/{mode}/both", lambda x, m=mode: F.pad(x, (-2, -1, 2, 0), m), (1, 2, 6, 5))
call("pad/negative/replicate/all", lambda x: F.pad(x, (-4, 5), "replicate"), (1, 2, 4))
call("pad/negative/replicate/dynamic", lambda x: F.pad(x, (-1, 2), "replicate"), (2, 2, 5),
     dynamic={0: {2: "length"}})
call("pad/negative/circular/dynamic", lambda x: F.pad(x, (-1, 2), "circular"), (2, 2, 5),
     dynamic={0: {2: "length"}}, refused="wraps around at the other by more than its rest may hold")
for dtype in [torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int16,
              torch.int8, torch.uint8, torch.bool]:
    call(f"pad/constant/{dtype}", lambda x: F.pad(x, (1, 2, 3, 0), value=1), ((2, 3, 4), dtype))
call("pad/dynamic", lambda x: F.pad(x, (1, 2)), (2, 3, 4), dynamic={0: {0: "batch", 2: "length"}})
call("pad/to-size", lambda x: F.pad(x, (0, x.shape[0], 1, x.shape[1])), (2, 3, 4),
     dynamic={0: {0: "batch", 1: "length"}})
for mode in ["reflect", "replicate", "circular"]:
    call(f"pad/{mode}/1d", lambda x, m=mode: F.pad(x, (2, 1), mode=m), (2, 3, 5))
    call(f"pad/{mode}/2d", lambda x, m=mode: F.pad(x, (2, 1, 0, 3), mode=m), (2, 3, 5, 6))
    call(f"pad/{mode}/3d", lambda x, m=mode: F.pad(x, (2, 1, 0, 3, 1, 1), mode=m), (2, 3, 5, 6, 4))
    call(f"pad/{mode}/unbatched", lambda x, m=mode: F.pad(x, (2, 1, 0, 3), mode=m), (3, 5, 6))
    call(f"pad/{mode}/dynamic", lambda x, m=mode: F.pad(x, (2, 1, 0, 3), mode=m), (2, 3, 5, 6),
         dynamic={0: {0: "batch", 2: "height", 3: "width"}})
    for dtype in [torch.float64, torch.float16, torch.bfloat16]:
        call(f"pad/{mode}/{dtype}", lambda x, m=mode: F.pad(x, (2, 1), mode=m), ((2, 3, 5), dtype))
for name, make in [("reflection", nn.ReflectionPad2d), ("replication", nn.ReplicationPad2d),
                   ("zero", nn.ZeroPad2d)]:
    layer(f"pad/module-{name}", lambda make=make: make((1, 2, 0, 1)), (2, 3, 5, 6))

# ---- pixels and channels ---------------------------------------------------------------------------

for shape in [(2, 12, 3, 4), (12, 3, 4), (2, 3, 12, 3, 4)]:
    call(f"pixel_shuffle/{len(shape)}d", lambda x: F.pixel_shuffle(x, 2), shape)
for shape in [(2, 3, 4, 6), (3, 4, 6), (2, 2, 3, 4, 6)]:
    call(f"pixel_unshuffle/{len(shape)}d", lambda x: F.pixel_unshuffle(x, 2), shape)
call("pixel_shuffle/dynamic", lambda x: F.pixel_shuffle(x, 2), (2, 12, 3, 4),
     dynamic={0: {0: "batch", 2: "height", 3: "width"}})
call("pixel_unshuffle/dynamic", lambda x: F.pixel_unshuffle(x, 2), (2, 3, 4, 6), dynamic={0: {0: "batch"}})
for dtype in (torch.int64, torch.int32, torch.int8, torch.bool):
    call(f"pixel_shuffle/{dtype}", lambda x: F.pixel_shuffle(x, 2), ((2, 12, 3, 4), dtype),
         dynamic={0: {0: "batch", 2: "height", 3: "width"}})
    call(f"pixel_unshuffle/{dtype}", lambda x: F.pixel_unshuffle(x, 3), ((2, 2, 6, 9), dtype),
         dynamic={0: {0: "batch", 1: "channels"}})
call("pixel_shuffle/int64/5d", lambda x: F.pixel_shuffle(x, 2), ((2, 3, 12, 3, 4), torch.int64))
call("pixel_unshuffle/int64/3d", lambda x: F.pixel_unshuffle(x, 2), ((3, 4, 6), torch.int64))
call("channel_shuffle", lambda x: F.channel_shuffle(x, 3), (2, 6, 3, 4),
     dynamic={0: {0: "batch", 2: "height"}})
call("channel_shuffle/3d", lambda x: F.channel_shuffle(x, 2), (2, 6, 3))
