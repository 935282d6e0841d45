"""Rounding to the levels of quantised numbers."""

import math

import torch
from torch import nn

from building import Cases

CASES = Cases()
add, call = CASES.add, CASES.call
aten = torch.ops.aten
ROWS = {0: {0: "batch", 1: "rows"}}


def halfway(scale, *shape):
    """Multiples of half a scale: every second one lies between two levels."""
    count = math.prod(shape)
    return (torch.arange(count) - count // 2).float().view(shape) * (scale / 2)


def whole(*values):
    return torch.tensor(values, dtype=torch.int32)


LEVELS = [(0, -128, 127), (128, 0, 255), (5, 0, 127), (-7, -128, 127), (0, -32768, 32767)]
for scale in (0.1, 1 / 3, 0.037, 2.0):
    for zero_point, low, high in LEVELS:
        name = f"{scale:.3}/{zero_point}/{low}"
        call(f"tensor/{name}",
             lambda x, a=(scale, zero_point, low, high): torch.fake_quantize_per_tensor_affine(x, *a),
             halfway(scale, 7, 12, 10), dynamic=ROWS)
    call(f"channels/{scale:.3}",
         lambda x, s: torch.fake_quantize_per_channel_affine(x, s, whole(3, 0, 100), 1, 0, 255),
         halfway(scale, 7, 3, 40), torch.tensor([scale, scale / 3, scale * 1.7]),
         dynamic={0: {0: "batch", 2: "columns"}})
call("tensors", lambda x, s, z: torch.fake_quantize_per_tensor_affine(x, s, z, -128, 127),
     halfway(0.07, 20, 20), torch.tensor([0.07]), whole(-3), dynamic=ROWS)
call("tensors/no-dims", lambda x, s, z: torch.fake_quantize_per_tensor_affine(x, s, z, -128, 127),
     halfway(0.07, 20, 20), torch.tensor(0.07), torch.tensor(-3, dtype=torch.int32))
for axis in (0, 2):
    call(f"channels/axis/{axis}",
         lambda x, s, a=axis: torch.fake_quantize_per_channel_affine(x, s, whole(0, 0, 0, 0), a, -8, 7),
         halfway(0.3, 4, 3, 4), torch.tensor([0.1, 0.2, 0.3, 0.4]))
for dtype in (torch.float16, torch.bfloat16):
    call(f"tensor/{dtype}", lambda x: torch.fake_quantize_per_tensor_affine(x, 0.1, 3, 0, 255),
         halfway(0.1, 20, 20).to(dtype), needs=(2, 0))
call("tensor/float64", lambda x: torch.fake_quantize_per_tensor_affine(x, 0.1, 3, 0, 255),
     ((3, 4), torch.float64), refused="runtimes do not compute it in float64")
call("levels-of-32-bits", lambda x: torch.fake_quantize_per_tensor_affine(x, 0.1, 0, -2**31, 2**31 - 1),
     (3, 4), refused="levels from -2147483648 to 2147483647 are not supported")
ODD = torch.tensor([math.nan, -math.inf, 0.0, -0.0, -1e30, 3e9, -3e9, 1e10, 1e-40, 25.2, 25.25])
call("tensor/odd", lambda x: torch.fake_quantize_per_tensor_affine(x, 0.1, 3, 0, 255), ODD)
call("tensor/infinite", lambda x: torch.fake_quantize_per_tensor_affine(x, 0.1, 3, 0, 255),
     torch.tensor([math.inf, 1e30]))
call("channels/odd", lambda x: torch.fake_quantize_per_channel_affine(x, torch.tensor([0.1]), whole(3), 0, 0, 255),
     torch.cat([ODD, torch.tensor([math.inf, 1e30])])[None])
call("mask", lambda x: aten.fake_quantize_per_tensor_affine_cachemask(x, 0.1, 3, 0, 255),
     halfway(0.1, 20, 40), dynamic=ROWS)
call("mask/odd", lambda x: aten.fake_quantize_per_tensor_affine_cachemask(x, 0.1, 3, 0, 255), ODD)
call("mask/channels",
     lambda x: aten.fake_quantize_per_channel_affine_cachemask(x, torch.tensor([0.1, 0.2]), whole(3, 4), 0, 0, 9),
     halfway(0.1, 2, 40))


class Aware(nn.Module):
    """A layer as training aware of quantisation leaves it, with its observers off."""

    def __init__(self, channels):
        super().__init__()
        quantization = torch.ao.quantization
        weights = quantization.default_per_channel_weight_fake_quant if channels else \
            quantization.default_weight_fake_quant
        self.linear = nn.Linear(6, 5)
        self.weights = weights()
        self.inputs = quantization.default_fake_quant()
        with torch.no_grad():
            self.weights(self.linear.weight)
            self.inputs(torch.randn(8, 6))
        self.apply(quantization.disable_observer)

    def forward(self, x):
        return nn.functional.linear(self.inputs(x), self.weights(self.linear.weight), self.linear.bias)


for channels in (False, True):
    add(f"aware/{channels}", lambda c=channels: seeded_aware(c), (4, 6), dynamic={0: {0: "batch"}})


def seeded_aware(channels):
    torch.manual_seed(4)
    return Aware(channels).eval()
