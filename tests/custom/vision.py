"""Makes TorchScript files that call torchvision's operators.

Usage: vision.py LIBRARY DIR   Run by the Python whose torch the library was built for.

Writes DIR/NAME.pt, and DIR/NAME.npz: N/input/ARGUMENT and N/output for two sets of inputs, the second with other
sizes.
"""

import sys
from pathlib import Path

import numpy
import torch

torch.ops.load_library(sys.argv[1])
vision = torch.ops.torchvision

ROIS = torch.tensor([
    [0, 1, 2, 9, 8], [1, 0, 0, 14, 11], [0, 3.3, 4.4, 3.5, 4.6], [1, -3, -2, 5, 6], [0, 10, 8, 30, 25],
    [1, 6, 6, 2, 3], [0, 2, 2, 2, 2], [1, 1.5, 2.5, 7.5, 9.5], [0, 100, 100, 110, 110],
])


class Function(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


def images(channels=8, dtype=torch.float32):
    return (torch.randn(2, channels, 12, 15, dtype=dtype), ROIS.to(dtype)), \
        (torch.randn(2, channels, 9, 20, dtype=dtype), ROIS[:5].to(dtype))


def boxes():
    corners = torch.rand(40, 2) * 20
    found = torch.cat([corners, corners + torch.rand(40, 2) * 10], 1)
    scores = torch.rand(40).mul(8).round() / 8  # many are equal
    found[20:] = found[:20] + 0.5
    return (found, scores), (found[:9], scores[:9])


def convolved(groups, offset_groups, masked):
    def make(rows):
        x = torch.randn(2, 4, rows, 8)
        offset = torch.randn(2, 2 * offset_groups * 6, rows, 4) * 2
        return x, offset, torch.rand(2, offset_groups * 6, rows, 4)

    weight, bias = torch.randn(6, 4 // groups, 3, 2), torch.randn(6)

    def function(x, offset, mask):
        if not masked:
            mask = torch.zeros(2, 1)
        return vision.deform_conv2d(x, weight, offset, mask, bias, 1, 2, 1, 1, 1, 2, groups, offset_groups, masked)

    return function, (make(7), make(5))


def cases():
    for aligned in (False, True):
        for ratio in (-1, 0, 2):
            for scale in (1.0, 0.3):
                yield (f"roi_align-{aligned}-{ratio}-{scale}",
                       lambda x, r, a=(scale, 3, 4, ratio, aligned): vision.roi_align(x, r, *a), images())
    yield "roi_align-float64", lambda x, r: vision.roi_align(x, r, 0.3, 3, 4, 2, True), images(8, torch.float64)
    for scale in (1.0, 0.5, 0.3):
        yield f"roi_pool-{scale}", lambda x, r, s=scale: vision.roi_pool(x, r, s, 3, 4)[0], images()
        for ratio in (-1, 2) if scale == 1 else (2,):
            yield (f"ps_roi_align-{scale}-{ratio}",
                   lambda x, r, s=scale, n=ratio: vision.ps_roi_align(x, r, s, 2, 3, n)[0], images(12))
    for threshold in (0.0, 0.3, 0.5, 0.7, 1.0):
        yield f"nms-{threshold}", lambda b, s, t=threshold: vision.nms(b, s, t), boxes()
    yield "nms-then", lambda b, s: b[vision.nms(b, s, 0.4)] * 2, boxes()
    for groups, offset_groups, masked in ((1, 1, False), (2, 2, True), (1, 4, True)):
        yield f"deform_conv2d-{groups}-{offset_groups}-{masked}", *convolved(groups, offset_groups, masked)
    yield "ps_roi_pool", lambda x, r: vision.ps_roi_pool(x, r, 0.5, 2, 2)[0], images()
    yield "nms-float64", lambda b, s: vision.nms(b.double(), s.double(), 0.4), boxes()


def main() -> None:
    folder = Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    for name, function, inputs in cases():
        traced = torch.jit.trace(Function(function), inputs[0], check_trace=False)
        torch.jit.save(traced, str(folder / f"{name}.pt"))
        arrays = {}
        for number, values in enumerate(inputs):
            for i, value in enumerate(values):
                arrays[f"{number}/input/{i}"] = value.numpy()
            arrays[f"{number}/output"] = function(*values).numpy()
        numpy.savez(folder / f"{name}.npz", **arrays)


main()
