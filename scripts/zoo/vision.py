"""The architectures of torchvision, one small member of each family, with random weights."""

import functools
import inspect
from dataclasses import dataclass
from typing import Callable

import torch
from torchvision import extension, models
from torchvision.models.video.mvit import MSBlockConfig, MViT

from zoo.built import Built, settle, spread
from zoo.inputs import Argument, example

PREFIX = "torchvision."
LIBRARIES = (extension._get_extension_path("_C"),)  # its operators


@dataclass(frozen=True)
class Member:
    """A maker in torchvision.models by its dotted name, the size of the image or film that it takes, and its options.
    batch: None if it can be any. images: how many it takes. build: makes the model instead, if the maker only makes
    large ones. is_ranking: scores decide which results come out, and in which order."""

    maker: str
    size: tuple = (3, 64, 64)
    options: tuple = ()
    batch: int | None = None
    images: int = 1
    build: Callable | None = None
    is_ranking: bool = False

    def model(self) -> torch.nn.Module:
        if self.build:
            return self.build()
        maker = functools.reduce(getattr, self.maker.split("."), models)
        return maker(weights=None, **dict(self.options))


def multiscale(is_second: bool) -> torch.nn.Module:
    """A multiscale vision transformer of three blocks, as the first or second version has them."""
    kernel = [3, 3, 3]
    stages = ((1, 16, 32, 1, 4), (2, 32, 32, 2, 2), (2, 32, 32, 1, 2))
    blocks = [
        MSBlockConfig(heads, width, next_width, kernel, kernel, [1, q, q], [1, kv, kv])
        for heads, width, next_width, q, kv in stages
    ]
    return MViT(
        spatial_size=(64, 64), temporal_size=4, block_setting=blocks, residual_pool=is_second,
        residual_with_cls_embed=not is_second, rel_pos_embed=is_second, proj_after_attn=is_second,
        num_classes=10,
    )


def multi_axis() -> torch.nn.Module:
    """A multi-axis vision transformer of two blocks."""
    return models.maxvit.MaxVit(
        input_size=(64, 64), stem_channels=16, partition_size=4, block_channels=[16, 32],
        block_layers=[1, 1], head_dim=8, stochastic_depth_prob=0.0, num_classes=10,
    )


WITHOUT_BACKBONE = (("weights_backbone", None),)
WITHOUT_INIT = (("init_weights", False),)


def segmenter(name: str) -> Member:
    return Member(f"segmentation.{name}", options=WITHOUT_BACKBONE)


def detector(name: str, *options: tuple, size: int = 128) -> Member:
    options = (*WITHOUT_BACKBONE, ("num_classes", 5), *options)
    return Member(f"detection.{name}", (3, size, size), options, batch=1, is_ranking=True)


# With random weights nothing is likely and everything is a candidate, so few are kept, whatever their scores, of a
# small image.
SMALL_IMAGE = (("min_size", 128), ("max_size", 128))
FEW_PROPOSALS = (
    *SMALL_IMAGE, ("rpn_pre_nms_top_n_test", 16), ("rpn_post_nms_top_n_test", 8),
    ("box_score_thresh", 0.0), ("box_detections_per_img", 4),
)
FEW_CANDIDATES = (("topk_candidates", 16), ("score_thresh", 0.0), ("detections_per_img", 4))


MEMBERS = (
    Member("alexnet"),
    Member("convnext_tiny"),
    Member("densenet121"),
    Member("efficientnet_b0"),
    Member("efficientnet_v2_s"),
    Member("googlenet", options=WITHOUT_INIT),
    Member("inception_v3", (3, 96, 96), WITHOUT_INIT),
    Member("maxvit", (3, 64, 64), build=multi_axis),
    Member("mnasnet0_5"),
    Member("mobilenet_v2"),
    Member("mobilenet_v3_small"),
    Member("regnet_x_400mf"),
    Member("regnet_y_400mf"),
    Member("resnet18"),
    Member("resnext50_32x4d"),
    Member("shufflenet_v2_x0_5"),
    Member("squeezenet1_1"),
    Member("swin_t"),
    Member("swin_v2_t"),
    Member("vgg11"),
    Member("vgg11_bn"),
    Member("vit_b_16", (3, 64, 64), (("image_size", 64),)),
    Member("wide_resnet50_2"),
    segmenter("deeplabv3_mobilenet_v3_large"),
    segmenter("fcn_resnet50"),
    segmenter("lraspp_mobilenet_v3_large"),
    Member("video.mc3_18", (3, 8, 32, 32)),
    Member("video.mvit_v1", (3, 4, 64, 64), build=lambda: multiscale(False)),
    Member("video.mvit_v2", (3, 4, 64, 64), build=lambda: multiscale(True)),
    Member("video.r2plus1d_18", (3, 8, 32, 32)),
    Member("video.r3d_18", (3, 8, 32, 32)),
    Member("video.s3d", (3, 16, 224, 224), batch=1),
    detector("fasterrcnn_mobilenet_v3_large_fpn", *FEW_PROPOSALS),
    detector("fcos_resnet50_fpn", *SMALL_IMAGE, *FEW_CANDIDATES),
    detector("keypointrcnn_resnet50_fpn", *FEW_PROPOSALS),
    detector("maskrcnn_resnet50_fpn", *FEW_PROPOSALS),
    detector("retinanet_resnet50_fpn", *SMALL_IMAGE, *FEW_CANDIDATES),
    detector("ssd300_vgg16", *FEW_CANDIDATES),
    detector("ssdlite320_mobilenet_v3_large", *FEW_CANDIDATES, size=320),
    Member("optical_flow.raft_small", (3, 128, 128), images=2),
)
BY_NAME = {PREFIX + member.maker: member for member in MEMBERS}


def names() -> list:
    return list(BY_NAME)


def build(name: str) -> Built:
    member = BY_NAME[name]
    torch.manual_seed(0)
    model = member.model().eval()
    parameters = inspect.signature(model.forward).parameters
    arguments = [
        Argument(parameter, (member.batch or "batch", *member.size), "normal")
        for parameter in list(parameters)[: member.images]
    ]
    settle(model)
    if member.is_ranking:
        spread(model, *example(arguments, {}))
    return Built(model, arguments)
