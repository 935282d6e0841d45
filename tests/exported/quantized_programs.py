"""Programs as pt2e quantises them: levels are tensors of integers, and quantized_decomposed takes them to numbers
and back. Its operators are Python in PyTorch, which registers them at the import."""

import torch
import torch.ao.quantization.fx._decomposed  # noqa: F401  (registers them)
from torch import nn
from torch.nn import functional

from plain_programs import floats
from program import Program

levels = torch.ops.quantized_decomposed
SOME = ("plain", "decomposed")


def there_and_back(x, scale, zero_point, low, high, dtype, **options):
    quantised = levels.quantize_per_tensor(x, scale, zero_point, low, high, dtype)
    return levels.dequantize_per_tensor(quantised, scale, zero_point, low, high, dtype, **options)


class Weight(nn.Module):
    """A weight of int8 with a scale for each output channel."""

    def __init__(self, *shape, zero_points=True):
        super().__init__()
        self.register_buffer("levels", torch.randint(-127, 128, shape, dtype=torch.int8))
        self.register_buffer("scales", torch.rand(shape[0]) * 0.01 + 0.001)
        self.register_buffer("zero_points", torch.randint(-3, 4, shape[:1]) if zero_points else None)

    def forward(self):
        return levels.dequantize_per_channel(self.levels, self.scales, self.zero_points, 0, -127, 127, torch.int8)


class Network(nn.Module):
    """A network as quantised by pt2e: activations per tensor, weights per channel."""

    def __init__(self):
        super().__init__()
        self.filters, self.weight = Weight(4, 3, 3, 3, zero_points=False), Weight(5, 4)
        self.bias = nn.Parameter(torch.randn(5))

    def forward(self, x):
        x = there_and_back(x, 0.05, 3, -128, 127, torch.int8)
        y = functional.relu(functional.conv2d(x, self.filters(), padding=1))
        y = there_and_back(y, 0.011, -128, -128, 127, torch.int8).mean((2, 3))
        y = there_and_back(y, 0.0025, 0, 0, 255, torch.uint8)
        return there_and_back(functional.linear(y, self.weight(), self.bias), 0.02, 100, 0, 255, torch.uint8)


class Ranges(nn.Module):
    """Ranges narrower than their dtypes, wider dtypes, halves, and numbers halfway between two levels."""

    def forward(self, x):
        edges = levels.quantize_per_tensor(torch.round(x * 8) / 4, 0.5, -1, -128, 127, torch.int8)
        few = levels.quantize_per_tensor(x, 0.3, 7, 0, 15, torch.uint8)
        wide = levels.quantize_per_tensor(x, 0.0001, 12, -32768, 32767, torch.int16)
        whole = levels.quantize_per_tensor(x, 0.00001, 0, -(2**31), 2**31 - 1, torch.int32)
        back = (levels.dequantize_per_tensor(few, 0.3, 7, 0, 15, torch.uint8),
                levels.dequantize_per_tensor(few, 0.3, 300, 0, 15, torch.uint8),
                levels.dequantize_per_tensor(wide, 0.0001, 12, -32768, 32767, torch.int16),
                levels.dequantize_per_tensor(whole, 0.00001, 0, -(2**31), 2**31 - 1, torch.int32),
                levels.dequantize_per_tensor(few, 0.3, 7, 0, 15, torch.uint8, out_dtype=torch.float16))
        half = there_and_back(x.half(), 0.01, 5, -127, 127, torch.int8, out_dtype=torch.float16)
        return edges, few, wide, whole, back, half


class ByTensors(nn.Module):
    """Tensors as scales, of one and of more elements, along another axis than the first."""

    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.tensor([0.037]))
        self.register_buffer("zero_point", torch.tensor([4]))
        self.register_buffer("scales", torch.rand(6) * 0.1 + 0.01)
        self.register_buffer("zero_points", torch.randint(-9, 9, (6,), dtype=torch.int32))
        self.register_buffer("beyond", torch.randint(200, 300, (6,)))
        self.register_buffer("low", torch.tensor(-100))
        self.register_buffer("high", torch.tensor(100))

    def forward(self, x):
        scale, zero_point, int8 = self.scale, self.zero_point, torch.int8
        one = levels.quantize_per_tensor.tensor(x, scale, zero_point, -128, 127, int8)
        two = levels.quantize_per_tensor.tensor2(x, scale, zero_point, self.low, self.high, int8)
        many = levels.quantize_per_channel(x, self.scales, self.zero_points, -1, -8, 7, int8)
        wide = levels.quantize_per_channel(x, self.scales.double(), self.zero_points, 1, -128, 127, int8)
        return one, two, many, wide, (
            levels.dequantize_per_tensor.tensor(one, scale, zero_point, -128, 127, int8),
            levels.dequantize_per_tensor.tensor2(two, scale, zero_point, self.low, self.high, int8),
            levels.dequantize_per_channel(many, self.scales, self.zero_points, 1, -8, 7, int8),
            levels.dequantize_per_channel(many, self.scales, self.beyond, 1, -8, 7, int8),
            levels.dequantize_per_channel(wide, self.scales.double(), self.zero_points, 1, -128, 127, int8),
            levels.convert_element_type.no_fuse(x, torch.float16))


class Dynamic(nn.Module):
    """Dynamically quantised activations, per tensor and per token; weights of int4 in groups."""

    def __init__(self):
        super().__init__()
        self.register_buffer("levels", torch.randint(-8, 8, (6, 8), dtype=torch.int8))
        self.register_buffer("scales", torch.rand(6, 2) * 0.1 + 0.01)
        self.register_buffer("zero_points", torch.randint(-3, 4, (6, 2), dtype=torch.int32))
        self.plain = Weight(5, 6)

    def forward(self, x):
        int8 = torch.int8
        scales, zero_points = levels.choose_qparams_per_token_asymmetric(x, int8)
        tokens = levels.quantize_per_token(x, scales, zero_points, -128, 127, int8)
        weight = levels.dequantize_per_channel_group(self.levels, self.scales, self.zero_points, -8, 7, int8, 4,
                                                     torch.float32)
        again = levels.quantize_per_channel_group(weight, self.scales, self.zero_points, -8, 7, int8, 4)
        y = levels.dequantize_per_token(tokens, scales, zero_points, -128, 127, int8, torch.float32) @ weight.t()
        scale, zero_point = levels.choose_qparams.tensor(x, -128, 127, 2**-12, int8)
        one = levels.quantize_per_tensor.tensor(x[..., 2:], scale, zero_point, -128, 127, int8)
        even, middle = levels.choose_qparams_symmetric.tensor(x, 0, 255, 2**-12, torch.uint8)
        z = levels.dequantize_per_tensor.tensor(one, scale, zero_point, -128, 127, int8) @ self.plain().t()
        return scales, zero_points, tokens, again, y, even, middle, z


class FloatScales(nn.Module):
    """Scales of float32 that the program declares as float64."""

    def forward(self, x):
        scales, zero_points = levels.choose_qparams_per_token(x, torch.int8)
        return levels.quantize_per_token(x, scales, zero_points, -128, 127, torch.int8)


PROGRAMS = (
    Program("quantised", Network, lambda b, h, w: (torch.randn(b, 3, h, w),), ((2, 6, 8), (1, 4, 4), (3, 5, 9)),
            modes=SOME, twin=False),
    Program("ranges", Ranges, floats(("b", "s")), modes=SOME, twin=False),
    Program("by_tensors", ByTensors, floats(("b", 6)), modes=SOME, twin=False),
    Program("dynamic_quantised", Dynamic, floats(("b", "s", 8)), modes=SOME, twin=False),
    Program("float_scales", FloatScales, floats(("b", "s")), modes=SOME, twin=False),
)
