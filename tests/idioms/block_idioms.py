"""Blocks of networks for pictures: shuffles, patches, windows, skips, norms, activations."""

import torch
import torch.nn.functional as F
from torch import nn

from writing import FREE_IMAGE, Idioms, floats, image, tokens

IDIOMS = Idioms()
call, add = IDIOMS.call, IDIOMS.add
VOLUME = floats("batch", 2, "depth", "height", "width")

# ---- shuffles and patches -----------------------------------------------------------------------------


class ShuffleUnit(nn.Module):
    """ShuffleNetV2: half of the channels is left alone, and both are mixed."""

    def __init__(self, channels=8):
        super().__init__()
        half = channels // 2
        self.branch = nn.Sequential(nn.Conv2d(half, half, 1), nn.BatchNorm2d(half), nn.ReLU(),
                                    nn.Conv2d(half, half, 3, padding=1, groups=half), nn.BatchNorm2d(half))

    def forward(self, x):
        a, b = x.chunk(2, dim=1)
        x = torch.cat((a, self.branch(b)), 1)
        n, c, h, w = x.size()
        return x.view(n, 2, c // 2, h, w).transpose(1, 2).reshape(n, c, h, w)


class PixelUpsampler(nn.Module):
    """Super-resolution by a sub-pixel convolution."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 12, 3, padding=1)
        self.shuffle = nn.PixelShuffle(2)

    def forward(self, x):
        return self.shuffle(self.conv(x)).clamp(0, 1)


class PixelDownsampler(nn.Module):
    def __init__(self):
        super().__init__()
        self.unshuffle = nn.PixelUnshuffle(2)
        self.conv = nn.Conv2d(12, 8, 3, padding=1)

    def forward(self, x):
        return F.leaky_relu(self.conv(self.unshuffle(x)), 0.2)


class PatchEmbedding(nn.Module):
    """Patches of a strided convolution, as tokens, with a class token."""

    def __init__(self):
        super().__init__()
        self.project = nn.Conv2d(3, 16, 4, 4)
        self.first = nn.Parameter(torch.randn(1, 1, 16))

    def forward(self, x):
        x = self.project(x).flatten(2).transpose(1, 2)
        return torch.cat((self.first.expand(x.size(0), -1, -1), x), 1)


class InterpolatedPositions(nn.Module):
    """Positions that were learned for 4x4 patches, resized to those there are."""

    def __init__(self):
        super().__init__()
        self.project = nn.Conv2d(3, 16, 4, 4)
        self.positions = nn.Parameter(torch.randn(1, 16, 4, 4))

    def forward(self, x):
        x = self.project(x)
        positions = F.interpolate(self.positions, size=x.shape[-2:], mode="bilinear", align_corners=False)
        return (x + positions).flatten(2).transpose(1, 2)


class PatchMerging(nn.Module):
    """Swin: every second row and column, side by side."""

    def __init__(self):
        super().__init__()
        self.reduce = nn.Linear(32, 16, bias=False)
        self.norm = nn.LayerNorm(32)

    def forward(self, x):
        x = F.pad(x, (0, 0, 0, x.size(2) % 2, 0, x.size(1) % 2))
        parts = [x[:, 0::2, 0::2], x[:, 1::2, 0::2], x[:, 0::2, 1::2], x[:, 1::2, 1::2]]
        return self.reduce(self.norm(torch.cat(parts, -1)))


class Focus(nn.Module):
    """YOLOv5: space to depth by slices."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(12, 8, 1)

    def forward(self, x):
        parts = [x[..., ::2, ::2], x[..., 1::2, ::2], x[..., ::2, 1::2], x[..., 1::2, 1::2]]
        return F.silu(self.conv(torch.cat(parts, 1)))


class ShiftedWindows(nn.Module):
    """Windows of four by four that attend within, on a rolled and padded picture."""

    def __init__(self, features=8):
        super().__init__()
        self.qkv = nn.Linear(features, 3 * features)
        self.bias = nn.Parameter(torch.randn(16, 16))

    def forward(self, x):
        b, h, w, c = x.shape
        x = F.pad(x, (0, 0, 0, (4 - w % 4) % 4, 0, (4 - h % 4) % 4))
        rows, columns = x.size(1) // 4, x.size(2) // 4
        x = torch.roll(x, shifts=(-2, -2), dims=(1, 2))
        x = x.view(b, rows, 4, columns, 4, c).permute(0, 1, 3, 2, 4, 5).reshape(-1, 16, c)
        q, k, v = self.qkv(x).chunk(3, -1)
        x = (q @ k.transpose(1, 2) * c**-0.5 + self.bias).softmax(-1) @ v
        x = x.view(b, rows, columns, 4, 4, c).permute(0, 1, 3, 2, 4, 5).reshape(b, rows * 4, columns * 4, c)
        return torch.roll(x, shifts=(2, 2), dims=(1, 2))[:, :h, :w].contiguous()


def channel_shuffle(x):
    return F.channel_shuffle(x, 4)


def depth_to_space(x):
    n, c, h, w = x.shape
    x = x.view(n, 2, 2, c // 4, h, w).permute(0, 3, 4, 1, 5, 2)
    return x.reshape(n, c // 4, h * 2, w * 2)


def patchify(x):
    n, c, h, w = x.shape
    x = x.reshape(n, c, h // 4, 4, w // 4, 4)
    return torch.einsum("nchpwq->nhwpqc", x).reshape(n, (h // 4) * (w // 4), 16 * c)


def blocks_by_unfold(x):
    """Blocks of the picture as columns, weighed, and laid together again."""
    columns = F.unfold(x, kernel_size=4, stride=4)
    columns = columns * columns.softmax(1)
    return F.fold(columns, output_size=(x.size(2), x.size(3)), kernel_size=4, stride=4)


def local_average(x):
    """Neighbourhoods of three by three, each divided by how often a pixel was in one."""
    size = (x.size(2), x.size(3))
    ones = F.fold(F.unfold(torch.ones_like(x), 3, padding=1), size, 3, padding=1)
    return F.fold(F.unfold(x, 3, padding=1), size, 3, padding=1) / ones


def tensor_unfold(x):
    return x.unfold(2, 4, 4).unfold(3, 4, 4).amax((-1, -2))


def pixel_shuffle(x):
    return F.pixel_shuffle(x, 2)


def pixel_unshuffle(x):
    return F.pixel_unshuffle(x, 2)


add("shuffle-unit", ShuffleUnit, image(8))
add("pixel-upsampler", PixelUpsampler, image())
add("pixel-downsampler", PixelDownsampler, image(), multiple=2)
call("pixel-shuffle", pixel_shuffle, FREE_IMAGE)
call("pixel-unshuffle", pixel_unshuffle, FREE_IMAGE, multiple=2)
add("patch-embedding", PatchEmbedding, image())
add("interpolated-positions", InterpolatedPositions, image())
add("patch-merging", PatchMerging, floats("batch", "height", "width", 8))
add("focus", Focus, image(), multiple=2)
add("shifted-windows", ShiftedWindows, floats("batch", "height", "width", 8))
call("channel-shuffle", channel_shuffle, FREE_IMAGE)
call("depth-to-space", depth_to_space, FREE_IMAGE)
call("patchify", patchify, FREE_IMAGE, multiple=4)
call("blocks-by-unfold", blocks_by_unfold, FREE_IMAGE, multiple=4)
call("local-average", local_average, FREE_IMAGE)
call("tensor-unfold", tensor_unfold, FREE_IMAGE)

# ---- scales and skips ---------------------------------------------------------------------------------


class UNet(nn.Module):
    """Down and up again, padded to the size of what was skipped."""

    def __init__(self):
        super().__init__()
        self.enter, self.down = nn.Conv2d(3, 4, 3, padding=1), nn.Conv2d(4, 8, 3, 2, 1)
        self.up, self.leave = nn.ConvTranspose2d(8, 4, 2, 2), nn.Conv2d(8, 2, 3, padding=1)

    def forward(self, x):
        skip = F.relu(self.enter(x))
        x = self.up(F.relu(self.down(skip)))
        dy, dx = skip.size(2) - x.size(2), skip.size(3) - x.size(3)
        x = F.pad(x, [dx // 2, dx - dx // 2, dy // 2, dy - dy // 2])
        return self.leave(torch.cat([skip, x], 1))


class UNet3d(nn.Module):
    def __init__(self):
        super().__init__()
        self.enter, self.down = nn.Conv3d(2, 4, 3, padding=1), nn.Conv3d(4, 6, 3, 2, 1)
        self.leave = nn.Conv3d(10, 2, 1)

    def forward(self, x):
        skip = F.elu(self.enter(x))
        x = F.elu(self.down(skip))
        x = F.interpolate(x, size=skip.shape[2:], mode="trilinear", align_corners=True)
        return self.leave(torch.cat([skip, x], 1))


class FeaturePyramid(nn.Module):
    """FPN: from the coarsest features down, by the nearest pixel."""

    def __init__(self):
        super().__init__()
        self.levels = nn.ModuleList([nn.Conv2d(3 if i == 0 else 8, 8, 3, 2, 1) for i in range(3)])
        self.sides = nn.ModuleList([nn.Conv2d(8, 4, 1) for _ in range(3)])

    def forward(self, x):
        made = []
        for level, side in zip(self.levels, self.sides):
            x = level(x).relu()
            made.append(side(x))
        a, b, c = made
        b = b + F.interpolate(c, size=b.shape[-2:], mode="nearest")
        a = a + F.interpolate(b, size=a.shape[-2:], mode="nearest")
        return a, b, c


class StyleTransfer(nn.Module):
    """Reflected borders, instance norms, and doubled pixels."""

    def __init__(self):
        super().__init__()
        self.pad = nn.ReflectionPad2d(2)
        self.down, self.norm = nn.Conv2d(3, 8, 5, 2), nn.InstanceNorm2d(8, affine=True)
        self.last_pad, self.last = nn.ReflectionPad2d(1), nn.Conv2d(8, 3, 3)

    def forward(self, x):
        x = F.relu(self.norm(self.down(self.pad(x))))
        x = F.interpolate(x, scale_factor=2.0, mode="nearest")
        return torch.tanh(self.last(self.last_pad(x)))


class AdaptiveInstanceNorm(nn.Module):
    def forward(self, content, style):
        mean, deviation = style.mean((2, 3), keepdim=True), style.std((2, 3), keepdim=True)
        return F.instance_norm(content) * deviation + mean


class SpatiallyAdaptiveNorm(nn.Module):
    """SPADE: a map of another size tells scale and shift."""

    def __init__(self):
        super().__init__()
        self.norm = nn.InstanceNorm2d(4)
        self.scale, self.shift = nn.Conv2d(2, 4, 3, padding=1), nn.Conv2d(2, 4, 3, padding=1)

    def forward(self, x, segments):
        segments = F.interpolate(segments, size=x.size()[2:], mode="nearest")
        return self.norm(x) * (1 + self.scale(segments)) + self.shift(segments)


class GuidedUpsampling(nn.Module):
    """A coarse map, resized to a picture of another size."""

    def forward(self, coarse, guide):
        fine = F.interpolate(coarse, size=guide.shape[-2:], mode="bicubic", align_corners=False)
        return fine * guide.mean(1, keepdim=True)


def nearest_by_tensor(x, y):
    return F.interpolate(x, size=y.shape[-2:])


def nearest_exact_by_tensor(x, y):
    return F.interpolate(x, size=y.shape[-2:], mode="nearest-exact")


def nearest_by_factors(x):
    return F.interpolate(x, scale_factor=(1.5, 2.5))


def half_size(x):
    return F.interpolate(x, size=(x.size(2) // 2, x.size(3) // 2), mode="bilinear", align_corners=False)


def half_by_area(x):
    return F.interpolate(x, scale_factor=0.5, mode="area")


COARSE = floats("batch", 2, "length", "time")
add("u-net", UNet, image())
add("u-net-3d", UNet3d, VOLUME)
add("feature-pyramid", FeaturePyramid, image())
add("style-transfer", StyleTransfer, image())
add("adaptive-instance-norm", AdaptiveInstanceNorm, FREE_IMAGE, floats("batch", "channels", "length", "time"))
add("spatially-adaptive-norm", SpatiallyAdaptiveNorm, image(4), COARSE)
add("guided-upsampling", GuidedUpsampling, COARSE, image())
call("nearest-by-tensor", nearest_by_tensor, COARSE, image())
call("nearest-exact-by-tensor", nearest_exact_by_tensor, COARSE, image())
call("nearest-by-factors", nearest_by_factors, FREE_IMAGE)
call("half-size", half_size, FREE_IMAGE)
call("half-by-area", half_by_area, FREE_IMAGE, multiple=2)

# ---- norms and activations ----------------------------------------------------------------------------


class Normed(nn.Module):
    def __init__(self, norm, act):
        super().__init__()
        self.conv, self.norm, self.act = nn.Conv2d(3, 8, 3, padding=1), norm, act

    def forward(self, x):
        return self.act(self.norm(self.conv(x)))


class ChannelsFirstNorm(nn.Module):
    """ConvNeXt: a layer norm over channels, written out."""

    def __init__(self):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.randn(3)), nn.Parameter(torch.randn(3))

    def forward(self, x):
        mean = x.mean(1, keepdim=True)
        variance = (x - mean).pow(2).mean(1, keepdim=True)
        x = (x - mean) / torch.sqrt(variance + 1e-6)
        return self.weight[:, None, None] * x + self.bias[:, None, None]


class GlobalResponseNorm(nn.Module):
    def __init__(self):
        super().__init__()
        self.gamma, self.beta = nn.Parameter(torch.randn(8)), nn.Parameter(torch.randn(8))

    def forward(self, x):
        norm = torch.norm(x, p=2, dim=(1, 2), keepdim=True)
        norm = norm / (norm.mean(dim=-1, keepdim=True) + 1e-6)
        return self.gamma * (x * norm) + self.beta + x


class InvertedResidual(nn.Module):
    """MobileNetV3: hard activations around a depthwise convolution."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(8, 16, 1, bias=False), nn.BatchNorm2d(16), nn.Hardswish(),
            nn.Conv2d(16, 16, 3, padding=1, groups=16, bias=False), nn.BatchNorm2d(16), nn.ReLU6(),
            nn.Conv2d(16, 8, 1, bias=False), nn.BatchNorm2d(8))

    def forward(self, x):
        return x + F.hardtanh(self.layers(x)) * F.hardsigmoid(x)


class GatedConvolution(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1)

    def forward(self, x):
        return F.glu(self.conv(x), dim=1)


def stochastic_norm(x):
    """Batch statistics at inference."""
    mean, variance = x.mean((0, 2, 3), keepdim=True), x.var((0, 2, 3), unbiased=False, keepdim=True)
    return (x - mean) * torch.rsqrt(variance + 1e-5)


def free_instance_norm(x):
    return F.instance_norm(x)


def free_instance_norm_1d(x):
    return F.instance_norm(x.transpose(1, 2))


add("group-norm", lambda: Normed(nn.GroupNorm(2, 8), nn.SiLU()), image())
add("instance-norm", lambda: Normed(nn.InstanceNorm2d(8), nn.LeakyReLU(0.1)), image())
add("instance-norm-tracked",
    lambda: Normed(nn.InstanceNorm2d(8, affine=True, track_running_stats=True), nn.Mish()), image())
add("parametric-relu", lambda: Normed(nn.BatchNorm2d(8), nn.PReLU(8)), image())
call("free-instance-norm", free_instance_norm, FREE_IMAGE)
call("free-instance-norm-1d", free_instance_norm_1d, tokens("features"))
add("channels-first-norm", ChannelsFirstNorm, image())
add("global-response-norm", GlobalResponseNorm, floats("batch", "height", "width", 8))
add("inverted-residual", InvertedResidual, image(8))
add("gated-convolution", GatedConvolution, image())
call("statistics-of-batch", stochastic_norm, FREE_IMAGE)
