"""Models of torchvision, with random weights."""

import torch
import torchvision
from torch import nn

from models.settle import scale_head, settle_batch_norms


def last_linear(model: nn.Module) -> nn.Linear:
    return [module for module in model.modules() if isinstance(module, nn.Linear)][-1]


def classifier(architecture: str) -> nn.Module:
    return getattr(torchvision.models, architecture)(weights=None)


def small_vit() -> nn.Module:
    """A vision transformer that is traced with gradients on, so its attention is not fused."""
    return torchvision.models.VisionTransformer(
        image_size=32, patch_size=8, num_layers=2, num_heads=2, hidden_dim=32, mlp_dim=64,
        num_classes=10,
    )


def settle(model: nn.Module) -> None:
    """BatchNorm statistics of a real batch, and then logits with a standard deviation of one."""
    if not any(isinstance(module, nn.BatchNorm2d) for module in model.modules()):
        return
    images = torch.randn(8, 3, 128, 128, generator=torch.Generator().manual_seed(1))
    settle_batch_norms(model, images)
    scale_head(model, last_linear(model), images[:1])
