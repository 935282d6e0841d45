"""One model under two sets of names. NAMES maps every class and attribute of the first."""

import torch
from torch import nn

NAMES = {
    "Net": "Zebra", "Encoder": "Apple", "Layer": "Net2", "encoder": "q", "layers": "blocks_",
    "head": "encoder", "linear": "weight_0",
}
MODES = ("traced",)


def module(name: str, children: dict, forward) -> nn.Module:
    made = type(name, (nn.Module,), {"forward": forward, "__module__": __name__})()
    for attribute, child in children.items():
        setattr(made, attribute, child)
    return made


def build(renamed: bool = False):
    name = NAMES.get if renamed else lambda text: text

    def layer_forward(self, x):
        return torch.tanh(getattr(self, name("linear"))(x))

    def encoder_forward(self, x):
        for layer in getattr(self, name("layers")):
            x = layer(x)
        return torch.sigmoid(x)

    def net_forward(self, x):
        x = getattr(self, name("encoder"))(x)
        return torch.relu(getattr(self, name("head"))(x))

    def layer():
        return module(name("Layer"), {name("linear"): nn.Linear(4, 4)}, layer_forward)

    layers = nn.ModuleList([layer(), layer()])
    encoder = module(name("Encoder"), {name("layers"): layers}, encoder_forward)
    children = {name("encoder"): encoder, name("head"): layer()}
    return module(name("Net"), children, net_forward), (torch.randn(2, 4),)
