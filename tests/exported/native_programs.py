"""Programs at the sizes at which models are used: 224 to 512 pixels, and 512 tokens. Their widths are small."""

import torch
from torch import nn
from torch.nn import functional

from plain_programs import Detection, Resnet, images
from program import Program
from transformer_programs import DECODER, SMALL, ids, ids_alone, net

ONE = ("plain",)
SIZES = ((2, 224, 224), (1, 512, 384), (1, 256, 320))
TOKENS = ((2, 128), (1, 512), (3, 1))
LONG = {"num_hidden_layers": 1, "max_position_embeddings": 512}
PATCHES = {**SMALL, **LONG, "image_size": 224, "patch_size": 16}


class Segmented(nn.Module):
    """Down, up, and a class for each pixel."""

    def __init__(self):
        super().__init__()
        self.down = nn.ModuleList(nn.Conv2d(i, o, 3, 2, 1) for i, o in ((3, 4), (4, 8), (8, 8)))
        self.up = nn.ModuleList(nn.Conv2d(i, o, 1) for i, o in ((16, 8), (12, 4)))
        self.head = nn.Conv2d(4, 3, 1)

    def forward(self, x):
        seen = [x]
        for down in self.down:
            seen.append(functional.silu(down(seen[-1])))
        y = seen.pop()
        for up in self.up:
            beside = seen.pop()
            y = up(torch.cat([functional.interpolate(y, size=beside.shape[-2:], mode="nearest"), beside], 1))
        return functional.interpolate(self.head(y), size=x.shape[-2:], mode="bilinear", align_corners=False)


PROGRAMS = (
    Program("bert_long", net("BertModel", "BertConfig", **{**SMALL, **LONG}), ids, TOKENS, modes=ONE),
    Program("llama_long", net("LlamaModel", "LlamaConfig", **{**DECODER, **LONG}), ids_alone, TOKENS, modes=ONE),
    Program("vit_native", net("ViTModel", "ViTConfig", **PATCHES),
            lambda b: (torch.randn(b, 3, 224, 224),), ((2,), (1,), (3,)), modes=ONE),
    Program("resnet_native", Resnet, images(3), SIZES, modes=ONE),
    Program("segmented_native", Segmented, images(3), SIZES, modes=ONE),
    Program("detection_native", Detection, images(3), SIZES, modes=ONE),
)
