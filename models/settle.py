"""Weights that would show a mistake: no zero biases, no unit scales, outputs of order 1."""

import torch
from torch import nn


def randomise(model: nn.Module, seed: int = 0) -> None:
    """Fill every parameter so that activations keep order 1 and nothing is a no-op."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            vector = parameter.numel() == parameter.shape[0]
            if vector and name.endswith("bias"):
                parameter.copy_(torch.randn(parameter.shape, generator=generator) * 0.1)
            elif vector:
                parameter.copy_(torch.rand(parameter.shape, generator=generator) + 0.5)
            else:
                fan_in = parameter[0].numel()
                noise = torch.randn(parameter.shape, generator=generator)
                parameter.copy_(noise / fan_in**0.5)


def settle_batch_norms(model: nn.Module, batch: torch.Tensor) -> None:
    """Give every BatchNorm the statistics of one batch, so that folding errors would show."""
    norms = [m for m in model.modules() if isinstance(m, nn.modules.batchnorm._BatchNorm)]
    for norm in norms:
        norm.momentum = None
        norm.train()
    with torch.no_grad():
        model(batch)
    for norm in norms:
        norm.momentum = 0.1
        norm.eval()


def scale_head(model: nn.Module, head: nn.Linear, batch: torch.Tensor) -> None:
    """Scale the last layer so that the outputs have a standard deviation of one."""
    with torch.no_grad():
        deviation = model(batch).std()
        head.weight /= deviation
        head.bias /= deviation
