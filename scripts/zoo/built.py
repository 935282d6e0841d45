"""An eager model that is ready to be traced."""

from dataclasses import dataclass, field

import torch


class CannotBuild(Exception):
    """An architecture that cannot be built here; the message says why."""


@dataclass
class Built:
    """A model, its arguments, and constants that are passed to forward besides."""

    model: torch.nn.Module
    arguments: list
    constants: dict = field(default_factory=dict)


def settle(model: torch.nn.Module) -> None:
    """Gives biases, scales and statistics values that reveal mistakes: no zeros, no ones."""
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() == 1 and parameter.is_floating_point():
                parameter.add_(0.1 * torch.randn(parameter.shape, generator=generator))
        for name, buffer in model.named_buffers():
            if name.endswith("running_mean"):
                buffer.add_(0.1 * torch.randn(buffer.shape, generator=generator))
            elif name.endswith("running_var"):
                buffer.mul_(0.5 + torch.rand(buffer.shape, generator=generator))


def spread(model: torch.nn.Module, *tensors) -> None:
    """Scales the weights so that layers return numbers around one on their first call: with random weights values
    vanish or explode, and equal scores have no order."""
    hooks = {}

    def scale(layer, given, result):
        hooks.pop(layer).remove()
        layer.weight.div_(result.square().mean().sqrt().clamp(min=1e-12))
        return layer.forward(*given)

    for layer in model.modules():
        if isinstance(layer, (torch.nn.Conv2d, torch.nn.ConvTranspose2d, torch.nn.Linear)):
            hooks[layer] = layer.register_forward_hook(scale)
    with torch.no_grad():
        model(*tensors)
    for hook in hooks.values():  # hooks of layers that did not run
        hook.remove()
