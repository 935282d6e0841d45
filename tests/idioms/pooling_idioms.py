"""Pooling by the size of the picture, pyramids, attention by pooled features."""

import torch
import torch.nn.functional as F
from torch import nn

from writing import FREE_IMAGE, FREE_TOKENS, Idioms, Input, flags, floats, image

IDIOMS = Idioms()
call, add = IDIOMS.call, IDIOMS.add
SERIES = floats("batch", "features", "sequence")
VOLUME = floats("batch", 4, "depth", "height", "width")


# ---- the whole picture --------------------------------------------------------------------------------


class GemPool(nn.Module):
    """Generalised mean: learned power between the average and the maximum."""

    def __init__(self):
        super().__init__()
        self.p = nn.Parameter(torch.ones(1) * 3)

    def forward(self, x):
        x = x.clamp(min=1e-6).pow(self.p)
        return F.avg_pool2d(x, (x.size(-2), x.size(-1))).pow(1.0 / self.p)


class GlobalHead(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Conv2d(3, 8, 3, padding=1)
        self.head = nn.Linear(16, 5)

    def forward(self, x):
        x = torch.relu(self.features(x))
        average = F.avg_pool2d(x, kernel_size=x.size()[2:])
        largest = F.max_pool2d(x, kernel_size=x.size()[2:])
        return self.head(torch.cat([average, largest], 1).flatten(1))


class SqueezeExcite(nn.Module):
    def __init__(self, channels=8):
        super().__init__()
        self.reduce = nn.Conv2d(channels, 2, 1)
        self.expand = nn.Conv2d(2, channels, 1)

    def forward(self, x):
        scale = x.mean((2, 3), keepdim=True)
        return x * torch.sigmoid(self.expand(F.relu(self.reduce(scale))))


class EfficientChannelAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(1, 1, 3, padding=1, bias=False)

    def forward(self, x):
        y = F.adaptive_avg_pool2d(x, 1).squeeze(-1).transpose(-1, -2)
        y = self.conv(y).transpose(-1, -2).unsqueeze(-1)
        return x * y.sigmoid()


class ChannelSpatialAttention(nn.Module):
    """CBAM: which channels, then which places."""

    def __init__(self, channels=8):
        super().__init__()
        self.mlp = nn.Sequential(nn.Linear(channels, 4), nn.ReLU(), nn.Linear(4, channels))
        self.spatial = nn.Conv2d(2, 1, 7, padding=3)

    def forward(self, x):
        average = F.avg_pool2d(x, (x.size(2), x.size(3)), stride=(x.size(2), x.size(3)))
        largest = F.max_pool2d(x, (x.size(2), x.size(3)), stride=(x.size(2), x.size(3)))
        scale = torch.sigmoid(self.mlp(average.flatten(1)) + self.mlp(largest.flatten(1)))
        x = x * scale.unsqueeze(2).unsqueeze(3).expand_as(x)
        places = torch.cat((x.max(1)[0].unsqueeze(1), x.mean(1).unsqueeze(1)), dim=1)
        return x * torch.sigmoid(self.spatial(places))


class CoordinateAttention(nn.Module):
    def __init__(self, channels=8):
        super().__init__()
        self.mix = nn.Sequential(nn.Conv2d(channels, 8, 1), nn.BatchNorm2d(8), nn.Hardswish())
        self.rows, self.columns = nn.Conv2d(8, channels, 1), nn.Conv2d(8, channels, 1)

    def forward(self, x):
        h, w = x.size(2), x.size(3)
        rows = x.mean(3, keepdim=True)
        columns = x.mean(2, keepdim=True).permute(0, 1, 3, 2)
        rows, columns = torch.split(self.mix(torch.cat([rows, columns], 2)), [h, w], 2)
        return x * self.rows(rows).sigmoid() * self.columns(columns.permute(0, 1, 3, 2)).sigmoid()


class CovariancePool(nn.Module):
    def forward(self, x):
        x = x.flatten(2)
        x = x - x.mean(2, keepdim=True)
        return x @ x.transpose(1, 2) / (x.size(2) - 1)


class AttentionPool(nn.Module):
    """A learned query that looks at every place."""

    def __init__(self):
        super().__init__()
        self.score = nn.Conv2d(8, 1, 1)

    def forward(self, x):
        weights = self.score(x).flatten(2).softmax(-1)
        return (x.flatten(2) * weights).sum(-1)


def average_by_size(x):
    return F.avg_pool2d(x, x.size()[2:])


def maximum_by_size(x):
    return F.max_pool2d(x, x.size()[2:])


def average_by_size_1d(x):
    return F.avg_pool1d(x, x.size()[2:]).squeeze(-1)


def maximum_by_size_1d(x):
    return F.max_pool1d(x, x.size()[2:]).squeeze(-1)


def average_by_size_3d(x):
    return F.avg_pool3d(x, x.shape[2:])


def maximum_by_size_3d(x):
    return F.max_pool3d(x, [x.size(2), x.size(3), x.size(4)]).flatten(1)


def over_time(x):
    return F.max_pool2d(x, (1, x.size(3))).squeeze(3)


def pillars(x):
    return F.avg_pool2d(x, (x.size(2), 1))


def lp_by_size(x):
    return F.lp_pool2d(x.abs(), 2.0, x.size()[2:])


call("average-by-size", average_by_size, FREE_IMAGE)
call("maximum-by-size", maximum_by_size, FREE_IMAGE)
call("average-by-size-1d", average_by_size_1d, SERIES)
call("maximum-by-size-1d", maximum_by_size_1d, SERIES)
call("average-by-size-3d", average_by_size_3d, VOLUME)
call("maximum-by-size-3d", maximum_by_size_3d, VOLUME)
call("over-time", over_time, FREE_IMAGE)
call("pillars", pillars, FREE_IMAGE)
call("lp-by-size", lp_by_size, FREE_IMAGE)
add("generalised-mean", GemPool, FREE_IMAGE)
add("global-head", GlobalHead, image())
add("squeeze-excite", SqueezeExcite, image(8))
add("efficient-channel-attention", EfficientChannelAttention, FREE_IMAGE)
add("channel-spatial-attention", ChannelSpatialAttention, image(8))
add("coordinate-attention", CoordinateAttention, image(8))
add("covariance-pool", CovariancePool, FREE_IMAGE)
add("attention-pool", AttentionPool, image(8))

# ---- parts of the picture -----------------------------------------------------------------------------


class SpatialPyramid(nn.Module):
    """Features of the whole, of quarters and of sixteenths."""

    def forward(self, x):
        parts = [F.adaptive_max_pool2d(x, bins).flatten(1) for bins in (1, 2, 4)]
        return torch.cat(parts, 1)


class PyramidPooling(nn.Module):
    """PSPNet: pooled at several scales, and laid over the picture again."""

    def __init__(self):
        super().__init__()
        self.reduce = nn.ModuleList([nn.Conv2d(8, 2, 1) for _ in range(3)])

    def forward(self, x):
        parts = [x]
        for bins, reduce in zip((1, 2, 4), self.reduce):
            y = reduce(F.adaptive_avg_pool2d(x, bins))
            parts.append(F.interpolate(y, size=x.shape[-2:], mode="bilinear", align_corners=False))
        return torch.cat(parts, 1)


class AtrousPyramid(nn.Module):
    """ASPP, with a branch for the whole picture."""

    def __init__(self):
        super().__init__()
        self.branches = nn.ModuleList([nn.Conv2d(8, 4, 3, padding=d, dilation=d) for d in (1, 2, 4)])
        self.whole = nn.Conv2d(8, 4, 1)

    def forward(self, x):
        parts = [branch(x).relu() for branch in self.branches]
        whole = self.whole(F.adaptive_avg_pool2d(x, 1))
        parts.append(F.interpolate(whole, size=(x.size(2), x.size(3)), mode="nearest"))
        return torch.cat(parts, 1)


class FastPyramid(nn.Module):
    """SPPF: the same pooling again and again."""

    def __init__(self):
        super().__init__()
        self.pool = nn.MaxPool2d(5, 1, 2)

    def forward(self, x):
        y = self.pool(x)
        z = self.pool(y)
        return torch.cat((x, y, z, self.pool(z)), 1)


def halves(x):
    """Two parts of the height, each pooled: a formula of the size as a kernel."""
    return F.max_pool2d(x, (x.size(2) // 2, x.size(3)))


def quadrants(x):
    return F.avg_pool2d(x, (x.size(2) // 2, x.size(3) // 2))


def top_pool(x):
    """The mean of the four strongest responses of every channel."""
    return x.flatten(2).topk(4, dim=2)[0].mean(2)


def mixed_pool(x):
    return 0.5 * F.avg_pool2d(x, 2) + 0.5 * F.max_pool2d(x, 2)


def masked_mean(x, mask):
    mask = mask.unsqueeze(-1).to(x.dtype)
    return (x * mask).sum(1) / mask.sum(1).clamp(min=1e-9)


def masked_maximum(x, mask):
    return x.masked_fill(~mask.unsqueeze(-1), float("-inf")).max(1)[0]


def statistics_pool(x):
    """Means and deviations over time, as speaker embeddings have them."""
    return torch.cat((x.mean(1), x.std(1)), 1)


def last_step(x, lengths):
    index = (lengths - 1).view(-1, 1, 1).expand(x.size(0), 1, x.size(2))
    return x.gather(1, index).squeeze(1)


add("spatial-pyramid", SpatialPyramid, FREE_IMAGE)
add("pyramid-pooling", PyramidPooling, image(8))
add("atrous-pyramid", AtrousPyramid, image(8))
add("fast-pyramid", FastPyramid, FREE_IMAGE)
call("pooled-halves", halves, FREE_IMAGE)
call("pooled-quadrants", quadrants, FREE_IMAGE)
call("top-pool", top_pool, FREE_IMAGE)
call("mixed-pool", mixed_pool, FREE_IMAGE)
call("masked-mean", masked_mean, FREE_TOKENS, flags("batch", "sequence"))
call("masked-maximum", masked_maximum, FREE_TOKENS, flags("batch", "sequence"))
call("statistics-pool", statistics_pool, FREE_TOKENS)
call("last-step", last_step, FREE_TOKENS, Input(("batch",), torch.int64, 1, 5))
