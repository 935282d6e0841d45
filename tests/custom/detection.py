"""Makes TorchScript files of torchvision's detection models, small and with random weights.

Usage: detection.py DIR   Run by the Python that has torchvision.

Writes DIR/NAME.pt, and DIR/NAME.npz: N/input/0 and N/output/K for several images, of which the last
is black.
"""

import sys
from pathlib import Path

import numpy
import torch
from torchvision.models import detection

SIZES = {"min_size": 64, "max_size": 96}


class Detections(torch.nn.Module):
    """The detections in one image, as tensors."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, image):
        found = self.model([image])[0]
        return found["boxes"], found["labels"], found["scores"]


def faster_rcnn():
    return detection.fasterrcnn_mobilenet_v3_large_320_fpn(
        weights=None, weights_backbone=None, num_classes=5, box_score_thresh=0.0, **SIZES)


MODELS = {"faster_rcnn": faster_rcnn}


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in MODELS.items():
        torch.manual_seed(0)
        model = Detections(make().eval())
        with torch.no_grad():
            traced = torch.jit.trace(model, torch.rand(3, 80, 90), check_trace=False)
            traced.save(str(folder / f"{name}.pt"))
            arrays = {}
            for number, image in enumerate([*torch.rand(3, 3, 80, 90), torch.zeros(3, 80, 90)]):
                arrays[f"{number}/input/0"] = image.numpy()
                for k, output in enumerate(traced(image)):
                    arrays[f"{number}/output/{k}"] = output.numpy()
        numpy.savez(folder / f"{name}.npz", **arrays)


if __name__ == "__main__":
    main()
