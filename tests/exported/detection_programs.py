"""Programs whose sizes the data decides: what is found, ranked, suppressed and looked at once more, as detectors do.

torchvision's operators are written in Python here: it need not be installed.
"""

import torch
from torch import nn

from plain_programs import Block, floats
from program import Program

LIBRARY = torch.library.Library("torchvision", "FRAGMENT")
SOME = ("plain", "decomposed")
ONE = ("plain",)


def suppressed(boxes, scores, threshold):
    """The places of the boxes that overlap no better one, the best first."""
    area = (boxes[:, 2:] - boxes[:, :2]).prod(1)
    kept = []
    for i in scores.argsort(descending=True, stable=True).tolist():
        corners = torch.max(boxes[i, :2], boxes[kept, :2]), torch.min(boxes[i, 2:], boxes[kept, 2:])
        shared = (corners[1] - corners[0]).clamp(min=0).prod(1)
        if not (shared / (area[i] + area[kept] - shared) > threshold).any():
            kept.append(i)
    return torch.tensor(kept, dtype=torch.int64)


def looked_at(x, regions, scale, rows, columns, ratio, aligned):
    """The means of regions' bins, for whole pixels between the borders."""
    size = torch.tensor([x.shape[3], x.shape[2]])
    begin, end = (regions[:, 1:3] * scale - 0.5), (regions[:, 3:] * scale - 0.5)
    made = []
    for image, low, high in zip(regions[:, 0].long().tolist(), begin, end):
        steps = [(torch.arange(n * ratio) + 0.5) / (n * ratio) for n in (columns, rows)]
        points = [low[i] + (high[i] - low[i]) * steps[i] for i in range(2)]
        grid = torch.stack(torch.meshgrid(*points, indexing="xy"), -1) * 2 / (size - 1) - 1
        found = nn.functional.grid_sample(x[image, None], grid[None], padding_mode="border", align_corners=True)
        made.append(nn.functional.avg_pool2d(found, ratio)[0])
    return torch.stack(made) if made else x.new_zeros(0, x.shape[1], rows, columns)


def register() -> None:
    LIBRARY.define("nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    LIBRARY.define("roi_align(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width,"
                   " int sampling_ratio, bool aligned) -> Tensor")
    LIBRARY.impl("nms", suppressed, "CPU")
    LIBRARY.impl("roi_align", looked_at, "CPU")
    torch.library.register_fake(
        "torchvision::nms", lambda boxes, scores, threshold: boxes.new_empty(
            torch.library.get_ctx().new_dynamic_size(), dtype=torch.int64))
    torch.library.register_fake(
        "torchvision::roi_align", lambda x, regions, scale, rows, columns, ratio, aligned: x.new_empty(
            regions.shape[0], x.shape[1], rows, columns))


register()
vision = torch.ops.torchvision


class Selections(nn.Module):
    """Two sizes between the same bounds."""

    def forward(self, x, y):
        found, other = x[x > 0], y[y > 0]
        return found, torch.zeros(other.shape[0]), torch.full((other.shape[0], found.shape[0]), 2.0)


class Ranked(nn.Module):
    """The best ones, as far as there are so many."""

    def forward(self, x, y):
        found, other = x[x > 0], y[y > 0]
        best, places = found.topk(torch.sym_min(4, found.shape[0]))
        others, _ = other.topk(torch.sym_min(4, other.shape[0]))
        return best * 2, places, torch.cat([others, best]), torch.zeros(others.shape[0] + 1)


class Rest(nn.Module):
    """What is left of a fixed size."""

    def forward(self, x):
        found = x[x > 0]
        return nn.functional.pad(found, (0, x.shape[0] - found.shape[0]))


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.head, self.block = nn.Conv2d(3, 4, 3, 2, 1), nn.Conv2d(4, 5, 1), Block()
        self.refine = nn.Linear(4 * 2 * 2, 8)

    def forward(self, x):
        features = self.body(x).tanh()
        found = self.head(features)[0].flatten(1).T
        place = torch.arange(found.shape[0]) % features.shape[3]
        middle = torch.stack([place, torch.arange(found.shape[0]) // features.shape[3]], 1) * 2 + 1.0
        likely = found[:, 4] > 0
        middle, size, scores = middle[likely], found[likely, :2].sigmoid() * 4 + 1, found[likely, 4]
        scores, best = scores.topk(torch.sym_min(12, scores.shape[0]))
        boxes = torch.cat([middle[best] - size[best], middle[best] + size[best]], 1).clamp(2, 22)
        kept = vision.nms(boxes, scores, 0.3)
        boxes, scores = boxes[kept], scores[kept]
        regions = torch.cat([torch.zeros_like(boxes[:, :1]), boxes], 1)
        seen = vision.roi_align(features, regions, 0.5, 2, 2, 2, True)
        return boxes, scores, self.block(self.refine(seen.flatten(1))).softmax(1)


def of_sizes(*shapes):
    """The same sizes each time, with other numbers."""
    return lambda seed: tuple(torch.randn(shape, generator=torch.Generator().manual_seed(seed + i))
                              for i, shape in enumerate(shapes))


SEEDS = ((1,), (2,), (3,))
PROGRAMS = (
    Program("selections", Selections, of_sizes((10,), (10,)), SEEDS, modes=SOME, twin=False),
    Program("selections_of_any", Selections, floats(("b", "s"), ("b", "s")), modes=ONE, twin=False),
    Program("ranked", Ranked, of_sizes((10,), (10,)), SEEDS, modes=SOME, twin=False),
    Program("ranked_of_any", Ranked, floats(("b", "s"), ("b", "s")), ((4, 6), (1, 3), (5, 9)), modes=ONE, twin=False),
    Program("rest", Rest, of_sizes((9,)), SEEDS, modes=ONE, twin=False),
    Program("detector", Detector, of_sizes((1, 3, 24, 24)), SEEDS, modes=SOME, twin=False),
)
