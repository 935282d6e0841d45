"""Detectors of torchvision, scripted as its documentation shows.

The number of detections is data-dependent. The exporter derives missing facts about their images.
"""

import functools

import torch
from torchvision import models

from zoo.built import settle, spread
from zoo.inputs import Argument, example
from zoo.native.members import SIZES, NativeBuilt
from zoo.vision import LIBRARIES, PREFIX, WITHOUT_BACKBONE  # noqa: F401

IMAGE = (3, 320, 480)
# Images are scaled to this instead of 800; the computation is the same.
SCALED = (("min_size", 320), ("max_size", 640))
# With random weights everything is a candidate, so few are kept, whatever their scores.
PROPOSALS = (
    *SCALED, ("rpn_pre_nms_top_n_test", 64), ("rpn_post_nms_top_n_test", 32), ("box_score_thresh", 0.0),
    ("box_detections_per_img", 8),
)
CANDIDATES = (("topk_candidates", 64), ("score_thresh", 0.0), ("detections_per_img", 8))
MEMBERS = {
    "fasterrcnn_mobilenet_v3_large_320_fpn": PROPOSALS,
    "fcos_resnet50_fpn": (*SCALED, *CANDIDATES),
    "keypointrcnn_resnet50_fpn": PROPOSALS,
    "maskrcnn_resnet50_fpn": PROPOSALS,
    "retinanet_resnet50_fpn": (*SCALED, *CANDIDATES),
    "ssd300_vgg16": CANDIDATES,
    "ssdlite320_mobilenet_v3_large": CANDIDATES,
}
START = f"{PREFIX}detection."


class Detections(torch.nn.Module):
    """Detections in one image, as tensors. Scripted detectors return losses, too."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, image: torch.Tensor):
        found = self.model([image])[1][0]
        return found["boxes"], found["labels"], found["scores"]


def names() -> list:
    return [START + name for name in MEMBERS]


def build(name: str) -> NativeBuilt:
    short = name.removeprefix(START)
    torch.manual_seed(0)
    options = dict((*WITHOUT_BACKBONE, ("num_classes", 5), *MEMBERS[short]))
    maker = functools.reduce(getattr, ("detection", short), models)
    model = maker(weights=None, **options).eval()
    settle(model)
    arguments = [Argument("image", IMAGE, "normal")]
    spread(model, list(example(arguments, SIZES)))
    return NativeBuilt(Detections(model), arguments, sizes=dict(SIZES), is_scripted=True)
