"""Layouts of outputs: contiguous() returns the tensor itself or a copy, and an in-place change shows which. Kernels
keep channels last, or do not; some make transposed operands contiguous."""

import torch
from torch import nn
import torch.nn.functional as F

from building import BATCH, Cases, randomized

CASES = Cases()

# Of planes: batch, 4 channels, 5 rows, 6 columns.
PLANES = {
    "conv": lambda: nn.Conv2d(4, 6, 3, padding=1),
    "conv-in-groups": lambda: nn.Conv2d(4, 4, 3, groups=4),
    "conv-strided": lambda: nn.Conv2d(4, 6, 3, 2),
    "conv-dilated": lambda: nn.Conv2d(4, 6, 3, dilation=2, padding=2),
    "conv-transposed": lambda: nn.ConvTranspose2d(4, 6, 3),
    "conv-of-channels-last": lambda: nn.Conv2d(4, 6, 3).to(memory_format=torch.channels_last),
    "batch-norm": lambda: nn.BatchNorm2d(4),
    "group-norm": lambda: nn.GroupNorm(2, 4),
    "instance-norm": lambda: nn.InstanceNorm2d(4, affine=True),
    "layer-norm": lambda: lambda x: F.layer_norm(x, x.shape[3:]),
    "max-pool": lambda: nn.MaxPool2d(3, 1, 1),
    "avg-pool": lambda: nn.AvgPool2d(3, 1, 1),
    "adaptive-pool": lambda: nn.AdaptiveAvgPool2d(3),
    "adaptive-max-pool": lambda: nn.AdaptiveMaxPool2d(3),
    "upsample": lambda: nn.Upsample(scale_factor=2),
    "upsample-linear": lambda: nn.Upsample(scale_factor=2, mode="bilinear"),
    "pad": lambda: nn.ZeroPad2d(1),
    "pad-reflected": lambda: nn.ReflectionPad2d(1),
    "pad-replicated": lambda: nn.ReplicationPad2d(1),
    "pixel-shuffle": lambda: nn.PixelShuffle(2),
    "pixel-unshuffle": lambda: nn.PixelUnshuffle(1),
    "channel-shuffle": lambda: nn.ChannelShuffle(2),
    "prelu": lambda: nn.PReLU(4),
    "softmax": lambda: nn.Softmax(1),
    "where": lambda: lambda x: torch.where(x > 0, x, -x),
    "where-of-both": lambda: lambda x: torch.where(x > 0, x.contiguous(), x),
    "sum-of-both": lambda: lambda x: x.contiguous() + x,
    "roll": lambda: lambda x: x.roll(1, 2),
    "flip": lambda: lambda x: x.flip(2),
    "cat": lambda: lambda x: torch.cat([x, x], 1),
    "select": lambda: lambda x: x.index_select(1, torch.tensor([0, 1])),
    "attention": lambda: lambda x: F.scaled_dot_product_attention(x, x, x),
}
# Of sequences: batch, 4 channels, 6 steps.
SEQUENCES = {
    "conv": lambda: nn.Conv1d(4, 6, 3),
    "batch-norm": lambda: nn.BatchNorm1d(4),
    "group-norm": lambda: nn.GroupNorm(2, 4),
    "max-pool": lambda: nn.MaxPool1d(2),
    "avg-pool": lambda: nn.AvgPool1d(2),
    "adaptive-pool": lambda: nn.AdaptiveAvgPool1d(2),
    "pad-reflected": lambda: nn.ReflectionPad1d(1),
    "prelu": lambda: nn.PReLU(4),
    "where": lambda: lambda x: torch.where(x > 0, x, -x),
    "lstm": lambda: nn.LSTM(6, 3, batch_first=True),
    "gru": lambda: nn.GRU(6, 3, 2, bidirectional=True),
    "attention": lambda: nn.MultiheadAttention(6, 2, batch_first=True),
    "encoder": lambda: nn.TransformerEncoderLayer(6, 2, 8, batch_first=True),
    "products": lambda: lambda x: x @ x.transpose(1, 2),
}
VOLUMES = {
    "conv": lambda: nn.Conv3d(4, 6, 2),
    "batch-norm": lambda: nn.BatchNorm3d(4),
    "max-pool": lambda: nn.MaxPool3d(2, 1),
    "pad-replicated": lambda: nn.ReplicationPad3d(1),
}
# oneDNN and others give different layouts: whether contiguous() copies depends on the build.
AS_BUILT = {
    "channels-last/conv", "channels-last/conv-in-groups", "channels-last/conv-strided",
    "channels-last/conv-of-channels-last", "transposed/conv-of-channels-last", "contiguous/conv-of-channels-last",
    "volumes/conv",
}
PLANE_ORDERS = [(0, 1, 2, 3), (0, 2, 3, 1), (0, 1, 3, 2), (0, 2, 1, 3)]
SEQUENCE_ORDERS = [(0, 1, 2), (0, 2, 1), (1, 0, 2)]
VOLUME_ORDERS = [(0, 1, 2, 3, 4), (0, 2, 3, 4, 1), (0, 1, 2, 4, 3)]


class Probe(nn.Module):
    """An operator's result, after changes of the results of contiguous() in each order of its dims."""

    def __init__(self, operator, seen_as, orders):
        super().__init__()
        self.operator, self.seen_as, self.orders = operator, seen_as, orders

    def forward(self, x):
        outputs = []
        for order in self.orders:
            x_seen = self.seen_as(x)
            y = (self.operator(x_seen, x_seen, x_seen)
                 if isinstance(self.operator, nn.MultiheadAttention) else self.operator(x_seen))
            y = y[0] if isinstance(y, tuple) else y
            y.permute(order).contiguous().add_(3)
            outputs.append(y.clone())
        return tuple(outputs)


def made(make, *arguments):
    operator = make()
    return Probe(randomized(operator) if isinstance(operator, nn.Module) else operator, *arguments).eval()


def probe(name, make, seen_as, orders, sizes):
    refused = "and whether that shares its memory depends on how libtorch was built" if name in AS_BUILT else None
    needs = (2, 0) if name == "volumes/conv" else None
    CASES.add(name, lambda: made(make, seen_as, orders), sizes, dynamic=BATCH, refused=refused, needs=needs)


for name, make in PLANES.items():
    probe(f"channels-last/{name}", make, lambda x: x.permute(0, 3, 1, 2), PLANE_ORDERS, (2, 5, 6, 4))
    probe(f"transposed/{name}", make, lambda x: x.transpose(2, 3), PLANE_ORDERS, (2, 4, 6, 5))
for name in ("conv", "conv-of-channels-last", "attention", "pixel-unshuffle"):
    probe(f"contiguous/{name}", PLANES[name], lambda x: x * 1, PLANE_ORDERS, (2, 4, 5, 6))
for name in ("attention", "where"):
    probe(f"heads/{name}", PLANES[name], lambda x: x.transpose(1, 2), PLANE_ORDERS, (2, 5, 4, 6))
for name, make in SEQUENCES.items():
    probe(f"sequences/{name}", make, lambda x: x.transpose(1, 2), SEQUENCE_ORDERS, (2, 6, 4))
for name, make in VOLUMES.items():
    probe(f"volumes/{name}", make, lambda x: x.permute(0, 4, 1, 2, 3), VOLUME_ORDERS, (2, 3, 4, 5, 4))


class RowsOfPixels(nn.Module):
    """Channels last on both sides of a convolution: view() is possible."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, padding=1)

    def forward(self, x):
        y = self.conv(x.permute(0, 3, 1, 2)).permute(0, 2, 3, 1)
        return y.view(y.size(0), -1, y.size(3))


PIXELS = {0: {0: "batch", 1: "height", 2: "width"}}
CASES.layer("rows-of-pixels", RowsOfPixels, (1, 5, 6, 3), dynamic=PIXELS)
CASES.layer("rows-of-pixels-scripted", lambda: torch.jit.script(RowsOfPixels()), (1, 5, 6, 3), dynamic=PIXELS)
