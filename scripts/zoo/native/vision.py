"""Models of torchvision at the sizes of their weights' transforms.

The PyTorch that records what a model was traced with makes them, from the Python code of Debian's
torchvision. Its operators are built for another libtorch: they are not loaded.
"""

import contextlib
import inspect
import sys
import types

import torch

DEBIAN_PACKAGES = "/usr/lib/python3/dist-packages"


@contextlib.contextmanager
def without_operators():
    """Lets torchvision be imported without loading and registering its operators."""
    sys.path.append(DEBIAN_PACKAGES)
    registering = types.ModuleType("without operators")
    registering._register_custom_op = lambda: None
    sys.modules["torchvision.ops._register_onnx_ops"] = registering
    load = torch.ops.load_library

    def refuse(path) -> None:
        raise OSError(f"{path} is for another libtorch")

    torch.ops.load_library = refuse
    try:
        yield
    finally:
        torch.ops.load_library = load


with without_operators():
    from zoo.vision import PREFIX, WITHOUT_BACKBONE, WITHOUT_INIT, Member

from zoo.built import settle  # noqa: E402  (the import above comes first)
from zoo.inputs import Argument  # noqa: E402
from zoo.native.members import SIZES, NativeBuilt  # noqa: E402

LIBRARIES = ()
PICTURE = (3, 224, 224)
CLIP = (3, 16, 112, 112)
# Its documentation requires at least 128; it is trained on frames of this size.
FRAME = (3, 368, 496)


def pictures(*names: str, options: tuple = ()) -> tuple:
    return tuple(Member(name, PICTURE, options) for name in names)


def segmenter(name: str) -> Member:
    return Member(f"segmentation.{name}", (3, 520, 520), WITHOUT_BACKBONE)


MEMBERS = (
    *pictures(
        "alexnet", "convnext_tiny", "densenet121", "efficientnet_b0", "efficientnet_v2_s", "maxvit_t",
        "mnasnet1_0", "mobilenet_v2", "mobilenet_v3_large", "mobilenet_v3_small", "regnet_x_400mf",
        "regnet_y_800mf", "resnet18", "resnet50", "resnext50_32x4d", "shufflenet_v2_x1_0",
        "squeezenet1_1", "swin_t", "vgg11_bn", "vit_b_16", "wide_resnet50_2",
    ),
    *pictures("googlenet", options=WITHOUT_INIT),
    Member("inception_v3", (3, 299, 299), WITHOUT_INIT),
    Member("efficientnet_b3", (3, 300, 300)),
    Member("swin_v2_t", (3, 256, 256)),
    segmenter("deeplabv3_mobilenet_v3_large"),
    segmenter("deeplabv3_resnet50"),
    segmenter("fcn_resnet50"),
    segmenter("lraspp_mobilenet_v3_large"),
    Member("video.mc3_18", CLIP),
    Member("video.mvit_v1_b", (3, 16, 224, 224)),
    Member("video.mvit_v2_s", (3, 16, 224, 224)),
    Member("video.r2plus1d_18", CLIP),
    Member("video.r3d_18", CLIP),
    Member("video.s3d", (3, 16, 224, 224)),
    Member("optical_flow.raft_small", FRAME, images=2),
    Member("optical_flow.raft_large", FRAME, images=2),
)
BY_NAME = {PREFIX + member.maker: member for member in MEMBERS}

# Batches of several images; other models are traced with one.
BATCHES = {"mobilenet_v2": 8, "resnet18": 4, "shufflenet_v2_x1_0": 4, "mobilenet_v3_small": 8}


def names() -> list:
    return list(BY_NAME)


def build(name: str) -> NativeBuilt:
    member = BY_NAME[name]
    torch.manual_seed(0)
    model = member.model().eval()
    settle(model)
    arguments = [
        Argument(parameter, ("batch", *member.size), "normal")
        for parameter in list(inspect.signature(model.forward).parameters)[: member.images]
    ]
    sizes = {**SIZES, "batch": BATCHES.get(member.maker, 1)}
    return NativeBuilt(model, arguments, sizes=sizes)
