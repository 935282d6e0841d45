"""Windows of images: pooling of integers, its indices, unfolding, folding, and sampling grids."""

import torch
from torch.nn import functional as F

from building import Cases

CASES = Cases()
call = CASES.call
IMAGE_AXES = {0: {0: "batch", 2: "height", 3: "width"}}
LARGE = 2**53

# ---- pooling of integers ---------------------------------------------------------------------------


def whole(*shape):
    """int64 with few values, so that there are ties, and differences that float64 cannot represent."""
    torch.manual_seed(3)
    return torch.randint(-3, 4, shape) + LARGE * torch.randint(-1, 2, shape)


POOLINGS = {
    "plain": dict(kernel_size=2), "padded": dict(kernel_size=3, stride=2, padding=1),
    "ceil": dict(kernel_size=3, stride=2, padding=1, ceil_mode=True),
    "dilated": dict(kernel_size=2, stride=1, dilation=3),
    "rectangle": dict(kernel_size=(3, 2), stride=(2, 1), padding=(1, 0), dilation=(1, 2)),
    "beyond-ceil": dict(kernel_size=2, stride=3, padding=1, ceil_mode=True),
}
for name, options in POOLINGS.items():
    for size in ((7, 9), (8, 10)):
        call(f"max_pool2d/{name}/{size[0]}x{size[1]}",
             lambda x, o=options: F.max_pool2d(x, return_indices=True, **o), whole(2, 3, *size), needs=(2, 0))
call("max_pool2d/values", lambda x: F.max_pool2d(x, 3, 2, 1), whole(2, 3, 8, 9), needs=(2, 0))
call("max_pool2d/lowest", lambda x: F.max_pool2d(x, 3, 2, 1, return_indices=True),
     torch.full((1, 2, 5, 6), -2**63), needs=(2, 0))
call("max_pool2d/unbatched", lambda x: F.max_pool2d(x, 2, return_indices=True), whole(3, 8, 9), needs=(2, 0))
call("max_pool2d/dynamic", lambda x: F.max_pool2d(x, 3, 2, 1, return_indices=True), whole(2, 3, 8, 9),
     dynamic=IMAGE_AXES, needs=(2, 0))
call("max_pool2d/dynamic-ceil", lambda x: F.max_pool2d(x, 3, 2, 1, ceil_mode=True, return_indices=True),
     whole(2, 3, 8, 9), dynamic=IMAGE_AXES, needs=(2, 0))
call("max_pool3d", lambda x: F.max_pool3d(x, (1, 2, 3), 2, (0, 1, 1), return_indices=True),
     whole(2, 3, 5, 6, 7), needs=(2, 0))
for dtype in (torch.int8, torch.int16, torch.int32, torch.uint8):
    call(f"max_pool2d/{dtype}", lambda x: F.max_pool2d(x, 3, 2, 1, return_indices=True),
         ((2, 3, 8, 9), dtype), needs=(2, 0))

# Windows that ONNX cannot express, because ceil_mode adds one to some axes only, are gathered.
for dtype in (torch.float32, torch.float16, torch.int8):
    call(f"max_pool3d/beyond-ceil/{dtype}",
         lambda x: F.max_pool3d(x, (3, 2, 3), None, 1, (1, 2, 1), ceil_mode=True, return_indices=True),
         ((1, 2, 3, 6, 5), dtype), needs=(2, 0))

# ---- indices of adaptive pooling -------------------------------------------------------------------

for size in (1, 3, (4, 5), (None, 2), (7, 11)):
    call(f"adaptive_max_pool2d/{size}",
         lambda x, s=size: F.adaptive_max_pool2d(x, s, return_indices=True), (2, 3, 8, 12))
call("adaptive_max_pool2d/ties", lambda x: F.adaptive_max_pool2d(x, (3, 5), return_indices=True),
     torch.randint(0, 2, (2, 3, 8, 12)).float())
call("adaptive_max_pool2d/dynamic", lambda x: F.adaptive_max_pool2d(x, 1, return_indices=True),
     (2, 3, 8, 12), dynamic=IMAGE_AXES)
call("adaptive_max_pool2d/unbatched", lambda x: F.adaptive_max_pool2d(x, 5, return_indices=True), (3, 8, 12))
call("adaptive_max_pool1d", lambda x: F.adaptive_max_pool1d(x, 4, return_indices=True), (2, 3, 10))
call("adaptive_max_pool3d", lambda x: F.adaptive_max_pool3d(x, (2, 4, 3), return_indices=True), (2, 3, 4, 6, 8))
call("adaptive_max_pool2d/float16", lambda x: F.adaptive_max_pool2d(x, 5, return_indices=True),
     ((2, 3, 8, 12), torch.float16))
call("adaptive_max_pool2d/float64", lambda x: F.adaptive_max_pool2d(x, 5, return_indices=True),
     ((2, 3, 8, 12), torch.float64))

# ---- pooling undone --------------------------------------------------------------------------------


def pool_and_back(axes, kernel, size, stride=None, padding=0):
    """Pools and runs the operators of F.max_unpool*d, which computes sizes in ways that are not traced."""
    pool, unpool = getattr(F, f"max_pool{axes}d"), getattr(torch._C._nn, f"max_unpool{axes}d")

    def run(x):
        values, indices = pool(x, kernel, stride, padding, return_indices=True)
        more = ((2,) * 3, (0,) * 3) if axes == 3 else ()
        return unpool(values, indices, x.shape[2:] if size == "same" else size, *more)

    return run


call("max_unpool2d", pool_and_back(2, 2, (8, 10)), (2, 3, 8, 10))
call("max_unpool2d/overlapping", pool_and_back(2, 3, (9, 7), 2, 1), (2, 3, 9, 7))
call("max_unpool2d/larger", pool_and_back(2, 2, (9, 11)), (2, 3, 8, 10))
call("max_unpool2d/unbatched", pool_and_back(2, 2, (8, 10)), (3, 8, 10))
call("max_unpool2d/float16", pool_and_back(2, 2, (8, 10)), ((2, 3, 8, 10), torch.float16))
call("max_unpool2d/float64", pool_and_back(2, 2, (8, 10)), ((2, 3, 8, 10), torch.float64))
call("max_unpool2d/dynamic", pool_and_back(2, 2, "same"), (2, 3, 8, 10), dynamic=IMAGE_AXES)
call("max_unpool3d", pool_and_back(3, 2, (4, 6, 8)), (2, 3, 4, 6, 8))
call("max_unpool3d/unbatched", pool_and_back(3, 2, (4, 6, 8)), (3, 4, 6, 8))

# ---- windows as columns, and back ------------------------------------------------------------------

FOLDINGS = {
    "plain": dict(kernel_size=2), "strided": dict(kernel_size=(2, 3), stride=(2, 1)),
    "all": dict(kernel_size=(3, 2), dilation=(1, 2), padding=(1, 2), stride=(2, 3)),
}
for name, options in FOLDINGS.items():
    call(f"unfold/{name}", lambda x, o=options: F.unfold(x, **o), (2, 3, 8, 9))
    call(f"unfold/{name}-dynamic", lambda x, o=options: F.unfold(x, **o), (2, 3, 8, 9), dynamic=IMAGE_AXES)
    columns = F.unfold(torch.zeros(2, 3, 8, 9), **options).shape
    call(f"fold/{name}", lambda x, o=options: F.fold(x, (8, 9), **o), tuple(columns),
         dynamic={0: {0: "batch"}})
    for dtype in (torch.float16, torch.bfloat16, torch.float64):
        call(f"fold/{name}/{dtype}", lambda x, o=options: F.fold(x, (8, 9), **o), (tuple(columns), dtype),
             dynamic={0: {0: "batch"}}, roundings=2)
call("unfold/unbatched", lambda x: F.unfold(x, 3, padding=1), (3, 8, 9))
call("fold/unbatched", lambda x: F.fold(x, (4, 5), 2), (12, 12))
for dtype in (torch.float16, torch.bfloat16, torch.float64):
    call(f"unfold/{dtype}", lambda x: F.unfold(x, 3, padding=1), ((2, 3, 8, 9), dtype))
call("unfold/infinite", lambda x: F.unfold(x, 2), torch.full((1, 2, 3, 4), float("inf")))
call("fold/there-and-back", lambda x: F.fold(F.unfold(x, 2), x.shape[2:], 2), (2, 3, 8, 9),
     dynamic=IMAGE_AXES)

# ---- sampling at the points of a grid --------------------------------------------------------------

GRID_AXES = {0: {0: "batch", 2: "height", 3: "width"}, 1: {0: "batch", 1: "rows", 2: "columns"}}


def grid(*shape):
    """Points inside and outside of the image, and some on its pixels and edges."""
    torch.manual_seed(4)
    points = torch.rand(shape) * 5 - 2.5
    points[:, 0] = torch.randint(-4, 5, points[:, 0].shape) / 2
    return points


for mode in ("bilinear", "nearest", "bicubic"):
    for padding in ("zeros", "border", "reflection"):
        for align in (True, False):
            call(f"grid_sample/{mode}-{padding}-{align}",
                 lambda x, g, m=mode, p=padding, a=align: F.grid_sample(x, g, m, p, a),
                 (2, 3, 5, 6), grid(2, 4, 7, 2), dynamic=GRID_AXES)
            if mode != "bicubic":
                call(f"grid_sample/3d-{mode}-{padding}-{align}",
                     lambda x, g, m=mode, p=padding, a=align: F.grid_sample(x, g, m, p, a),
                     (2, 3, 5, 6, 4), grid(2, 4, 3, 7, 3), opset=20, dynamic={0: {0: "batch"}, 1: {0: "batch"}},
                     # Before, halfway points of volumes were rounded away from zero, not to even.
                     needs=(2, 0) if mode == "nearest" else None)


def unbounded(axes, dtype=torch.float32):
    """Every pair of coordinates, including infinities and NaN."""
    values = [float("nan"), float("inf"), float("-inf"), 0.3, 5.0, -5.0]
    points = [[a, b] + [0.2] * (axes - 2) for a in values for b in values]
    points += [[0.2] * (axes - 1) + [a] for a in values]
    return torch.tensor(points, dtype=dtype).reshape(1, *[1] * (axes - 1), -1, axes)


for mode in ("bilinear", "nearest", "bicubic"):
    for padding in ("zeros", "border", "reflection"):
        for align in (True, False):
            call(f"grid_sample/unbounded-{mode}-{padding}-{align}",
                 lambda x, g, m=mode, p=padding, a=align: F.grid_sample(x, g, m, p, a),
                 (1, 3, 5, 6), unbounded(2))
            if mode != "bicubic":
                call(f"grid_sample/unbounded-3d-{mode}-{padding}-{align}",
                     lambda x, g, m=mode, p=padding, a=align: F.grid_sample(x, g, m, p, a),
                     (1, 3, 5, 6, 4), unbounded(3), opset=20,
                     needs=(2, 0) if mode == "nearest" else None)
    vast = torch.tensor([[1e30, 0.3], [-1e30, 0.3], [0.3, 1e30], [1e30, 1e30]]).reshape(1, 1, 4, 2)
    for padding in ("zeros", "border"):
        call(f"grid_sample/vast-{mode}-{padding}",
             lambda x, g, m=mode, p=padding: F.grid_sample(x, g, m, p, align_corners=False),
             (1, 3, 5, 6), vast)
    call(f"grid_sample/one-element-{mode}",
         lambda x, g, m=mode: F.grid_sample(x, g, m, align_corners=True), (1, 3, 1, 1), unbounded(2))
call("grid_sample/unbounded-float64", lambda x, g: F.grid_sample(x, g, align_corners=False),
     ((1, 3, 5, 6), torch.float64), unbounded(2, torch.float64), opset=20,
     below="runtimes do not compute it in float64")
call("grid_sample/unbounded-float16",
     lambda x, g: F.grid_sample(x, g, "nearest", align_corners=False),
     ((1, 3, 5, 6), torch.float16), unbounded(2, torch.float16), needs=(2, 0))
call("grid_sample/float64", lambda x, g: F.grid_sample(x, g, align_corners=False),
     ((2, 3, 5, 6), torch.float64), grid(2, 4, 7, 2).double(), opset=20,
     below="runtimes do not compute it in float64")
# PyTorch computes the points' positions in float16, too; for these it makes no difference.
call("grid_sample/float16", lambda x, g: F.grid_sample(x, g, align_corners=False),
     ((2, 3, 4, 8), torch.float16), (torch.randint(-9, 9, (2, 4, 7, 2)) / 8).half(), needs=(2, 0), roundings=2)
for align in (True, False):
    call(f"affine_grid/{align}", lambda t, a=align: F.affine_grid(t, [2, 3, 4, 5], a), (2, 2, 3))
    call(f"affine_grid/3d-{align}", lambda t, a=align: F.affine_grid(t, [2, 3, 4, 1, 5], a), (2, 3, 4))
    call(f"affine_grid/sampled-{align}",
         lambda x, t, a=align: F.grid_sample(x, F.affine_grid(t, [2, 3, 4, 5], a), align_corners=a),
         (2, 3, 5, 6), (2, 2, 3))
call("affine_grid/float64", lambda t: F.affine_grid(t, [2, 3, 4, 5], False), ((2, 2, 3), torch.float64))

# ---- windows at uneven places ------------------------------------------------------------------------

SAMPLES = {2: torch.tensor([[0.1, 0.9], [0.5, 0.0], [0.999, 0.3]]),
           3: torch.tensor([[0.1, 0.9, 0.4], [0.5, 0.0, 0.7], [0.999, 0.3, 0.2]])}
for axes, shape in {2: (2, 3, 9, 11), 3: (2, 3, 6, 9, 7)}.items():
    pool = getattr(torch.ops.aten, f"fractional_max_pool{axes}d")
    moving = {axis: f"size{axis}" for axis in range(2, 2 + axes)}
    samples = SAMPLES[axes][None].repeat(2, 1, 1)
    for name, window, sizes in [("square", [2] * axes, [3] * axes), ("uneven", [3, 1, 2][:axes], [1, 4, 5][:axes])]:
        def pooled(x, s, p=pool, w=window, o=sizes):
            return p(x, w, o, s)

        call(f"fractional_pool/{axes}d/{name}", pooled, shape, samples, dynamic={0: moving})
        call(f"fractional_pool/{axes}d/{name}/one", pooled, shape[1:], samples[:1])
        call(f"fractional_pool/{axes}d/{name}/float64", pooled, (shape, torch.float64), samples.double())
    torch.manual_seed(6)
    odd = torch.randn(shape)
    odd = torch.where(odd > 1, torch.nan, torch.where(odd < 0, -torch.inf, odd))
    call(f"fractional_pool/{axes}d/nan", lambda x, s, p=pool, n=axes: p(x, [2] * n, [3] * n, s), odd, samples)
