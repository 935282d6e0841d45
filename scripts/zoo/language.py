"""The architectures of the transformers library: all that its Auto classes map to a base model."""

import torch
import transformers
from transformers.models.auto.configuration_auto import CONFIG_MAPPING
from transformers.models.auto.modeling_auto import MODEL_MAPPING_NAMES

from zoo import inputs, shrink
from zoo.built import Built, CannotBuild, settle
from zoo.special import SPECIAL, Special

ATTENTIONS = ("eager", "sdpa")
LIBRARIES = ()  # no operators of its own
LIMIT_PARAMETERS = 36_000_000

transformers.logging.set_verbosity_error()


def architectures() -> dict:
    """Architecture to the name of its class."""
    known = dict(MODEL_MAPPING_NAMES)
    known.update({name: row.model for name, row in SPECIAL.items() if row.model})
    return {name: c if isinstance(c, str) else c[0] for name, c in known.items()}


def names() -> list:
    """ARCHITECTURE.ATTENTION, eager ones first."""
    return [f"{name}.{attention}" for attention in ATTENTIONS for name in architectures()]


def class_of(architecture: str):
    try:
        return getattr(transformers, architectures()[architecture])
    except AttributeError as error:
        raise CannotBuild(f"not in this release: {error}") from None


def has_choice(model_class, attention: str) -> bool:
    """Whether a class has a choice of attention; one without attention counts as eager."""
    return attention == "eager" or bool(getattr(model_class, "_supports_sdpa", False))


def parts_of(config):
    """A configuration and those inside it."""
    yield config
    for key in config.sub_configs:
        if getattr(config, key, None) is not None:
            yield from parts_of(getattr(config, key))


def configuration(architecture: str, attention: str, special: Special, kept=shrink.NONE):
    """A tiny configuration, except for fields whose names match kept."""
    config = shrink.shrunk(CONFIG_MAPPING[architecture], special.config, kept=kept)
    for part in parts_of(config):
        if hasattr(part, "use_cache"):
            part.use_cache = False
    config._attn_implementation = attention
    return config


def instance(model_class, config, special: Special) -> torch.nn.Module:
    """The model with weights that depend on the fixed seed alone."""
    with torch.device("meta"):
        count = sum(parameter.numel() for parameter in model_class(config).parameters())
    if count > LIMIT_PARAMETERS:
        raise CannotBuild(f"{count:,} parameters are left after shrinking")
    torch.manual_seed(0)
    model = model_class(config).float().eval()
    for name, value in special.after:
        getattr(model, name)(value)
    settle(model)
    return model


def working_arguments(model, config, special: Special, constants: dict, sizes: dict) -> list:
    """The first of the candidates with which the model runs. Raises the first one's error."""
    first = None
    for arguments in inputs.candidates(model, config, special.inputs):
        tensors = inputs.example(arguments, sizes)
        given = {argument.name: tensor for argument, tensor in zip(arguments, tensors)}
        try:
            with torch.no_grad():
                model(**given, **constants)
            return arguments
        except Exception as error:
            first = first or error
    raise first


def build(name: str) -> Built:
    """Raises CannotBuild, or whatever the library raises."""
    architecture, _, attention = name.rpartition(".")
    special = SPECIAL.get(architecture, Special())
    if special.reason:
        raise CannotBuild(special.reason)
    model_class = class_of(architecture)
    if not has_choice(model_class, attention):
        raise CannotBuild("no choice of attention")
    config = configuration(architecture, attention, special)
    model = instance(model_class, config, special)
    constants = {"return_dict": False, **special.constants}
    arguments = working_arguments(model, config, special, constants, inputs.TRACED)
    return Built(model, arguments, constants)
