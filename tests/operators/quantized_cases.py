"""Quantised tensors, and layers whose weights are packed."""

import math

import torch
from torch import nn

from building import BATCH, Cases
from quantize_cases import ODD, ROWS, halfway

CASES = Cases()
add, call = CASES.add, CASES.call
ops = torch.ops.quantized
QUINT8 = torch.quint8
# Scales as an observer finds them, and others.
INPUT, OUTPUT, OTHER = (0.037119618, 113), (0.1128351, 131), (0.028301472, 7)
# FBGEMM sums two products in 16 bits if the processor has no instruction for four (VNNI): sums that do not fit are
# saturated there, and right elsewhere. Weights of half the levels fit with any input, those of all levels with inputs
# of half the levels, which is what PyTorch calls reduce_range.
HALF, WHOLE = 63, 127
# FBGEMM has x86-64 only, and the PyTorch 1.13 that is tested was built without.
NEEDS = (2, 0)


def quantize(x, scale, zero_point, dtype=QUINT8):
    return torch.quantize_per_tensor(x, scale, zero_point, dtype)


def both(x):
    """The levels and their numbers."""
    return x.int_repr(), x.dequantize()


def levels(*shape, scale=INPUT[0]):
    return torch.randn(shape, generator=torch.Generator().manual_seed(5)) * scale * 60


# ---- numbers to levels and back ---------------------------------------------------------------------

for scale in (0.1, 1 / 3, 0.037, 2.0):
    for dtype, zero_point in ((QUINT8, 0), (QUINT8, 128), (torch.qint8, -7), (torch.qint8, 5)):
        call(f"tensor/{scale:.3}/{zero_point}/{dtype}",
             lambda x, a=(scale, zero_point, dtype): both(quantize(x, *a)), halfway(scale, 7, 12, 10),
             dynamic=ROWS)
call("tensor/odd", lambda x: both(quantize(x, 0.1, 3)), ODD)
call("tensor/odd/qint8", lambda x: both(quantize(x, 0.1, -3, torch.qint8)), ODD)
call("tensor/infinite", lambda x: both(quantize(x, 0.1, 3)), torch.tensor([math.inf, 1e30, math.nan] * 9))
call("tensor/no-dims", lambda x: both(quantize(x, 0.1, 3)), torch.tensor(1.25))
call("tensors", lambda x: both(quantize(x, torch.tensor([0.07]), torch.tensor([3]))), halfway(0.07, 20, 20))
call("number", lambda x: (quantize(x, 0.07, 3).q_scale() * x, quantize(x, 0.07, 3).q_zero_point() + x), (3, 4))
for axis in (0, 1, 2):
    call(f"channels/{axis}",
         lambda x, a=axis: both(torch.quantize_per_channel(
             x, torch.tensor([0.1, 0.07, 1 / 3]), torch.tensor([3, 0, 200]), a, QUINT8)),
         halfway(0.1, 3, 3, 3))
call("channels/double", lambda x: both(torch.quantize_per_channel(
    x, torch.tensor([0.1, 0.07], dtype=torch.float64), torch.tensor([3, -9]), 1, torch.qint8)),
    halfway(0.1, 40, 2), dynamic=BATCH)
call("channels/odd", lambda x: both(torch.quantize_per_channel(
    x, torch.tensor([0.1, 0.1]), torch.tensor([3, 3]), 0, QUINT8)),
    torch.cat([ODD, torch.tensor([math.inf, 1e30])]).repeat(2, 1))
call("scale-of-input", lambda x: quantize(x, x.abs().amax() / 100, torch.tensor(3)).dequantize(), (3, 4),
     refused="its scale or zero point depends on the model's input")
call("qint32", lambda x: quantize(x, 0.1, 0, torch.qint32).dequantize(), (3, 4),
     refused="only levels of 8 bits (qint8, quint8)")

# ---- levels as they are -----------------------------------------------------------------------------

KEEPERS = {
    "view": lambda q: q.view(2, -1),
    "reshape": lambda q: q.reshape(-1),
    "flatten": lambda q: q.flatten(1),
    "permute": lambda q: q.permute(0, 2, 3, 1),
    "transpose": lambda q: q.transpose(1, 2),
    "unsqueeze": lambda q: q.unsqueeze(0),
    "squeeze": lambda q: q[:1].squeeze(0),
    "slice": lambda q: q[:, 1:, ::2],
    "select": lambda q: q[:, 1],
    "clone": lambda q: q.clone().detach().contiguous(),
    "relu": lambda q: q.relu(),
    "relu_": lambda q: q.relu_(),
    "max_pool2d": lambda q: nn.functional.max_pool2d(q, 2, 1, 1),
    "cat": lambda q: torch.cat([q, q], 1),
    "size": lambda q: q.view(q.shape[0], q.numel() // q.shape[0]),
}
for name, keep in KEEPERS.items():
    call(name, lambda x, f=keep: both(f(quantize(x, *INPUT))), levels(2, 3, 6, 4), dynamic=BATCH)
    call(f"{name}/qint8", lambda x, f=keep: both(f(quantize(x, 0.04, -3, torch.qint8))), levels(2, 3, 6, 4))
for name, other in {
        "sigmoid": torch.sigmoid,
        "add_scalar": lambda q: ops.add_scalar(q, 2.0),
        "mean": lambda q: q.mean(-1),
        "split": lambda q: q.split(1)[0],
        "fill": lambda q: q.fill_(1.5),
}.items():
    call(f"other/{name}", lambda x, f=other: f(quantize(x, *INPUT)).dequantize(), levels(2, 3),
         refused="there is no lowering for it with quantised numbers")
call("channels/clone", lambda x: torch.quantize_per_channel(
    x, torch.tensor([0.1, 0.07]), torch.tensor([3, 0]), 0, QUINT8).clone().dequantize(), (2, 3),
    refused="tensors with a scale for each channel can only be dequantised")


class Branch(nn.Module):
    def forward(self, x):
        q = torch.quantize_per_tensor(x, 0.1, 3, 13)
        if bool(x.sum() > 0):
            q = q.relu()
        return q.dequantize()


class Within(nn.Module):
    def forward(self, x):
        if bool(x.sum() > 0):
            x = torch.quantize_per_tensor(x, 0.1, 3, 13).relu().dequantize()
        return x


add("branch", Branch, (3, 4), script=True, refused="there is no lowering for it with quantised numbers")
add("within-branch", Within, (3, 4), script=True, others=lambda: [[torch.ones(3, 4)], [-torch.ones(3, 4)]])

# ---- arithmetic of levels ---------------------------------------------------------------------------

for name in ("add", "add_relu", "mul", "mul_relu"):
    call(f"math/{name}",
         lambda x, y, f=getattr(ops, name): both(f(quantize(x, *INPUT), quantize(y, *OTHER), *OUTPUT)),
         levels(9, 40), levels(9, 40).flip(0), dynamic={0: {0: "batch"}, 1: {0: "batch"}})
    call(f"math/{name}/broadcast",
         lambda x, y, f=getattr(ops, name): both(f(quantize(x, *INPUT), quantize(y, *INPUT), *OUTPUT)),
         levels(9, 40), levels(1, 40))
call("math/mul/halves", lambda x, y: both(ops.mul(quantize(x, 0.5, 3), quantize(y, 0.25, 9), 1.0, 40)),
     levels(9, 40, scale=0.5), levels(9, 40, scale=0.25))
call("math/add/halves", lambda x, y: ops.add(quantize(x, 0.5, 3), quantize(y, 0.25, 9), 1.0, 41).dequantize(),
     levels(9, 40, scale=0.5), levels(9, 40, scale=0.25),
     refused="libtorch rounds some levels in more than one way", needs=NEEDS)
call("cat/scales", lambda x, y: both(torch.cat([quantize(x, *INPUT), quantize(y, *OTHER)], 1)),
     levels(9, 40), levels(9, 5), dynamic={0: {0: "batch"}, 1: {0: "batch"}})
call("cat/quantized", lambda x, y: both(ops.cat([quantize(x, *INPUT), quantize(y, *OTHER)], 1, *OUTPUT)),
     levels(9, 40), levels(9, 5))
call("cat/halves", lambda x, y: torch.cat([quantize(x, 1.0, 3), quantize(y, 0.5, 9)], 1).dequantize(),
     levels(9, 40), levels(9, 5), refused="libtorch rounds some levels in more than one way")

# ---- layers -----------------------------------------------------------------------------------------


def packed(features, channels, bias=True, scale=0.01, most=HALF):
    """Packed weights of a layer with 19 outputs, whose levels are at most `most`."""
    torch.manual_seed(features)
    steps = (torch.randn(19, features) * 50).round().clamp(-most, most)
    shift = torch.randn(19) if bias else None
    if channels:
        scales = torch.rand(19).double() * scale + scale / 10
        weight = torch.quantize_per_channel(
            (steps * scales[:, None]).float(), scales, torch.zeros(19, dtype=torch.int64), 0, torch.qint8)
    else:
        weight = torch.quantize_per_tensor(steps * scale, scale, 0, torch.qint8)
    return ops.linear_prepack(weight, shift)


class Layer(nn.Module):
    """A layer with packed weights, of levels or of numbers."""

    def __init__(self, kind, weights, *arguments):
        super().__init__()
        self.kind = kind
        self.arguments = arguments
        # torch.jit.trace() keeps a module's contents.
        self.holder = torch.ao.nn.quantized.modules.linear.LinearPackedParams()
        self.holder._packed_params = weights

    def forward(self, x):
        function = getattr(ops, self.kind)
        if self.kind.endswith("dynamic"):
            return function(x, self.holder._packed_params, *self.arguments)
        return both(function(quantize(x, *INPUT), self.holder._packed_params, *OUTPUT))


def stored(kind, *weights, arguments=()):
    return lambda: Layer(kind, packed(*weights), *arguments)


for kind in ("linear", "linear_relu"):
    for channels in (False, True):
        for bias in (False, True):
            add(f"{kind}/{channels}/{bias}", stored(kind, 33, channels, bias), levels(40, 33), dynamic=BATCH,
                needs=NEEDS)
    add(f"{kind}/3d", stored(kind, 33, True), levels(2, 7, 33), dynamic=ROWS, needs=NEEDS)
    add(f"{kind}/long", stored(kind, 3000, True, True, 0.002), levels(9, 3000), dynamic=BATCH, needs=NEEDS)
    add(f"{kind}/whole", stored(kind, 33, True, True, 0.01, WHOLE),
        levels(40, 33).clamp(max=INPUT[0] * (WHOLE - INPUT[1])), dynamic=BATCH, needs=NEEDS)
for arguments in ((), (True,)):
    for channels in (False, True):
        for size in (1.0, 1e-3, 1e-7, 0.0):
            add(f"dynamic/{len(arguments)}/{channels}/{size}",
                stored("linear_dynamic", 33, channels, True, 0.01, WHOLE if arguments else HALF,
                       arguments=arguments), levels(40, 33) * size, dynamic=BATCH, needs=NEEDS)
add("dynamic/no-bias", stored("linear_dynamic", 33, True, False), levels(40, 33), dynamic=BATCH, needs=NEEDS)
add("dynamic/relu", stored("linear_relu_dynamic", 33, True), levels(4, 5, 33), dynamic=BATCH, needs=NEEDS)
add("dynamic/ends", stored("linear_dynamic", 33, True), levels(4, 33).abs(), needs=NEEDS,
    others=lambda: [[-levels(4, 33).abs()], [torch.zeros(4, 33)], [levels(4, 33) * 1e-38]])


class Net(nn.Module):
    """A model processed by the quantisation tools."""

    def __init__(self):
        super().__init__()
        quantization = torch.ao.quantization
        self.begin, self.end = quantization.QuantStub(), quantization.DeQuantStub()
        self.first, self.act, self.last = nn.Linear(300, 300), nn.ReLU(), nn.Linear(300, 5)

    def forward(self, x):
        return self.end(self.last(self.act(self.first(self.begin(x)))))


def converted():
    torch.manual_seed(3)
    quantization = torch.ao.quantization
    net = Net().eval()
    net.qconfig = quantization.get_default_qconfig("fbgemm")
    net = quantization.prepare(quantization.fuse_modules(net, [["first", "act"]]))
    net(torch.randn(64, 300))
    return quantization.convert(net)


def dynamic_net():
    torch.manual_seed(3)
    net = nn.Sequential(nn.Linear(300, 300), nn.Tanh(), nn.Linear(300, 5)).eval()
    return torch.ao.quantization.quantize_dynamic(net, {nn.Linear})


for script in (False, True):
    add(f"net/{script}", converted, (9, 300), dynamic=BATCH, script=script, needs=NEEDS)
    add(f"net/dynamic/{script}", dynamic_net, (9, 300), dynamic=BATCH, script=script, needs=NEEDS)


class Convolution(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.ao.nn.quantized.Conv2d(3, 4, 3)

    def forward(self, x):
        return self.layer(quantize(x, *INPUT)).dequantize()


add("conv2d", Convolution, levels(2, 3, 6, 6),
    refused="libtorch rounds it differently on machines with other instructions")
