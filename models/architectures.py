"""Architectures of the transformers library by the names of their classes, with random weights:
nothing is downloaded."""

import inspect

import torch
import transformers
from torch import nn

transformers.logging.set_verbosity_error()


def leaves(value) -> list:
    """All tensors of what forward returned; caches and numbers are left out."""
    if isinstance(value, torch.Tensor):
        return [value]
    return [t for item in value for t in leaves(item)] if isinstance(value, (list, tuple)) else []


def with_plain_forward(model: nn.Module, arguments: tuple, constants: dict) -> nn.Module:
    """Makes forward take these arguments by position and return tensors; the class stays."""
    forward = model.forward

    def plain_forward(*tensors):
        given = dict(zip(arguments, tensors))
        return tuple(leaves(forward(**given, **constants, return_dict=False)))

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter(name, kind) for name in arguments]
    plain_forward.__signature__ = inspect.Signature(parameters)
    model.forward = plain_forward
    return model


def architecture(
    model: str, arguments: tuple, fields: dict, constants: dict | None = None
) -> nn.Module:
    """A class of transformers, out of a configuration with these fields."""
    kind = getattr(transformers, model)
    config = kind.config_class(**fields)
    config._attn_implementation = "eager"
    return with_plain_forward(kind(config), arguments, constants or {})
