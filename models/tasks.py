"""Networks of the kinds that people deploy, of torch.nn modules only: a tagger of sentences, images to images, a small
classifier for phones, segmentation, and detection with its suppression of boxes."""

from typing import Tuple

import torch
from torch import nn
from torch.nn import functional as F

from models.settle import settle_batch_norms


class Tagger(nn.Module):
    """A label for each word: embedding, two layers of a bidirectional LSTM, a linear layer."""

    def __init__(self, vocabulary: int, width: int, labels: int):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.lstm = nn.LSTM(width, width, num_layers=2, batch_first=True, bidirectional=True)
        self.classifier = nn.Linear(2 * width, labels)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        states, _ = self.lstm(self.embedding(tokens))
        return self.classifier(states)


def convolution(channels: int, wanted: int, size: int = 3, stride: int = 1, groups: int = 1,
                dilation: int = 1, activation: type = nn.ReLU) -> nn.Sequential:
    """Convolution without bias, normalisation and an activation."""
    return nn.Sequential(
        nn.Conv2d(channels, wanted, size, stride, dilation * (size // 2), dilation, groups,
                  bias=False),
        nn.BatchNorm2d(wanted),
        activation(),
    )


class UNet(nn.Module):
    """Three levels, each concatenated with the upsampled next one."""

    def __init__(self, width: int):
        super().__init__()
        widths = [width, 2 * width, 4 * width]
        self.down = nn.ModuleList(
            nn.Sequential(convolution(channels, wanted), convolution(wanted, wanted))
            for channels, wanted in zip([3, *widths], widths)
        )
        self.up = nn.ModuleList(
            nn.ConvTranspose2d(wanted, wanted // 2, 2, 2) for wanted in reversed(widths[1:])
        )
        self.joined = nn.ModuleList(
            convolution(wanted, wanted // 2) for wanted in reversed(widths[1:])
        )
        self.head = nn.Conv2d(width, 2, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        levels = []
        for number, level in enumerate(self.down):
            x = level(x if number == 0 else F.max_pool2d(x, 2))
            levels.append(x)
        for up, joined, level in zip(self.up, self.joined, reversed(levels[:-1])):
            x = joined(torch.cat([level, up(x)], 1))
        return self.head(x)


class SqueezeExcitation(nn.Module):
    def __init__(self, channels: int):
        super().__init__()
        self.reduce = nn.Conv2d(channels, channels // 4, 1)
        self.expand = nn.Conv2d(channels // 4, channels, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        scale = F.relu(self.reduce(F.adaptive_avg_pool2d(x, 1)))
        return x * F.hardsigmoid(self.expand(scale))


class InvertedResidual(nn.Module):
    def __init__(self, channels: int, wanted: int, stride: int):
        super().__init__()
        wide = 4 * channels
        self.is_residual = stride == 1 and channels == wanted
        self.block = nn.Sequential(
            convolution(channels, wide, 1, activation=nn.Hardswish),
            convolution(wide, wide, 5, stride, groups=wide, activation=nn.Hardswish),
            SqueezeExcitation(wide),
            convolution(wide, wanted, 1, activation=nn.Identity),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.block(x)
        return x + y if self.is_residual else y


class MobileNet(nn.Module):
    """Inverted residuals with squeeze and excitation, as in MobileNetV3."""

    def __init__(self, width: int, classes: int):
        super().__init__()
        self.stem = convolution(3, width, stride=2, activation=nn.Hardswish)
        plan = ((width, width, 1), (width, 2 * width, 2), (2 * width, 2 * width, 1),
                (2 * width, 4 * width, 2), (4 * width, 4 * width, 1))
        self.features = nn.Sequential(*(InvertedResidual(*block) for block in plan))
        self.classifier = nn.Linear(4 * width, classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.classifier(self.features(self.stem(x)).mean([2, 3]))


class Segmenter(nn.Module):
    """Dilated convolutions of several rates and the image's mean, as in DeepLab, with the result scaled to the size of
    the image."""

    def __init__(self, width: int, classes: int):
        super().__init__()
        self.backbone = nn.Sequential(
            convolution(3, width, stride=2), convolution(width, width, stride=2),
            convolution(width, 2 * width, dilation=2),
        )
        self.branches = nn.ModuleList(
            convolution(2 * width, width, 3, dilation=rate) for rate in (1, 3, 6)
        )
        self.pooled = nn.Conv2d(2 * width, width, 1)
        self.project = convolution(4 * width, width, 1)
        self.classifier = nn.Conv2d(width, classes, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        features = self.backbone(x)
        mean = F.relu(self.pooled(F.adaptive_avg_pool2d(features, 1)))
        mean = F.interpolate(mean, features.shape[-2:], mode="bilinear", align_corners=False)
        found = [branch(features) for branch in self.branches]
        found = self.classifier(self.project(torch.cat([*found, mean], 1)))
        return F.interpolate(found, x.shape[-2:], mode="bilinear", align_corners=False)


def overlaps(box: torch.Tensor, boxes: torch.Tensor) -> torch.Tensor:
    """Intersection over union of one box with others, all as corners."""
    low = torch.maximum(box[:2], boxes[:, :2])
    high = torch.minimum(box[2:], boxes[:, 2:])
    common = (high - low).clamp(min=0.0).prod(1)
    areas = (boxes[:, 2:] - boxes[:, :2]).prod(1)
    return common / ((box[2:] - box[:2]).prod() + areas - common)


class Detector(nn.Module):
    """Boxes without anchors; of overlapping ones, the one with the highest score is kept. For scripting, since the
    number of boxes is data-dependent."""

    def __init__(self, width: int, candidates: int):
        super().__init__()
        self.candidates = candidates
        self.backbone = nn.Sequential(
            convolution(3, width, stride=2), convolution(width, width, stride=2),
            convolution(width, width, stride=2),
        )
        self.scores = nn.Conv2d(width, 1, 1)
        self.sizes = nn.Conv2d(width, 4, 1)

    def forward(self, x: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
        features = self.backbone(x)
        scores = self.scores(features)[0].flatten().sigmoid()
        columns = features.shape[-1]
        sizes = F.softplus(self.sizes(features))[0].flatten(1).t() / columns
        places = torch.arange(scores.shape[0])
        centres = torch.stack([places % columns, places // columns], 1).to(sizes.dtype) / columns
        best, order = scores.topk(self.candidates)
        boxes = torch.cat([centres - sizes[:, :2], centres + sizes[:, 2:]], 1)[order]
        is_kept = torch.ones([self.candidates], dtype=torch.bool)
        for i in range(self.candidates):
            later = torch.arange(self.candidates) > i
            is_hidden = later & is_kept[i] & (overlaps(boxes[i], boxes) > 0.5)
            is_kept = is_kept & ~is_hidden
        return boxes[is_kept], best[is_kept]


class Smoother(nn.Module):
    """A recurrence written as a loop over time, for scripting."""

    def __init__(self, width: int):
        super().__init__()
        self.cell = nn.GRUCell(width, width)
        self.head = nn.Linear(width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        state = torch.zeros_like(x[:, 0])
        states = []
        for step in range(x.shape[1]):
            state = self.cell(x[:, step], state)
            states.append(self.head(state))
        return torch.stack(states, 1)


def tagger(vocabulary: int = 5000, width: int = 128, labels: int = 17) -> nn.Module:
    return Tagger(vocabulary, width, labels)


def unet(width: int = 32) -> nn.Module:
    return UNet(width)


def mobilenet(width: int = 24, classes: int = 100) -> nn.Module:
    return MobileNet(width, classes)


def segmenter(width: int = 48, classes: int = 21) -> nn.Module:
    return Segmenter(width, classes)


def detector(width: int = 32, candidates: int = 32) -> nn.Module:
    return Detector(width, candidates)


def smoother(width: int = 64) -> nn.Module:
    return Smoother(width)


def settle(model: nn.Module) -> None:
    if any(isinstance(module, nn.BatchNorm2d) for module in model.modules()):
        images = torch.randn(4, 3, 64, 64, generator=torch.Generator().manual_seed(1))
        settle_batch_norms(model, images)
