"""Inputs of models: arguments of forward with named axes, and values."""

import inspect
import itertools
from dataclasses import asdict, dataclass

import torch

from models.table import Input

# Sizes of the axes for tracing, and others at which a model must work, too.
TRACED = {"batch": 2, "sequence": 8, "decoder_sequence": 6, "frames": 64, "samples": 2048}
OTHER = {"batch": 3, "sequence": 13, "decoder_sequence": 9, "frames": 96, "samples": 3200}
SMALL = {"batch": 1, "sequence": 5, "decoder_sequence": 4, "frames": 48, "samples": 1600}

# Ids in this range are no special tokens; see shrink.token.
IDS_LOW, IDS_HIGH = 3, 32
BOX_HIGH = 60  # below shrink.POSITIONS


@dataclass(frozen=True)
class Argument(Input):
    """An argument of forward. The kinds are those of VALUES below; values are the numbers
    of "rows"; cast is a dtype other than that of its kind."""

    values: tuple = ()
    cast: str = ""

    @property
    def dtype(self) -> str:
        return self.cast or VALUES[self.kind][0]

    @staticmethod
    def from_json(facts: dict) -> "Argument":
        tuples = {key: tuple(facts[key]) for key in ("dims", "values")}
        return Argument(**{**facts, **tuples})

    def to_json(self) -> dict:
        return asdict(self)


# ---- values --------------------------------------------------------------------------------------


def ids(item: Argument, shape: list, generator) -> torch.Tensor:
    low = min(IDS_LOW, item.high - 1)
    return torch.randint(low, max(low + 1, min(item.high, IDS_HIGH)), shape, generator=generator)


def mask(item: Argument, shape: list, generator) -> torch.Tensor:
    """Rows of ones followed by zeros; at least half of each row is ones."""
    half, per_row = shape[-1] // 2 + 1, (*shape[:-1], 1)
    lengths = torch.randint(half, shape[-1] + 1, per_row, generator=generator)
    return (torch.arange(shape[-1]) < lengths).to(torch.int64)


def boxes(item: Argument, shape: list, generator) -> torch.Tensor:
    """Boxes of left, top, right, bottom, with ascending coordinates."""
    corners = torch.randint(0, item.high, (*shape[:-1], 2, 2), generator=generator)
    return corners.sort(dim=-2).values.flatten(-2)


def rows(item: Argument, shape: list, generator) -> torch.Tensor:
    return torch.tensor(item.values, dtype=torch.int64).reshape(shape)


VALUES = {
    "normal": ("float32", lambda item, shape, g: torch.randn(shape, generator=g)),
    "unit": ("float32", lambda item, shape, g: torch.rand(shape, generator=g)),
    "ids": ("int64", ids),
    "index": ("int64", lambda item, shape, g: torch.randint(0, item.high, shape, generator=g)),
    "mask": ("int64", mask),
    "ones": ("int64", lambda item, shape, g: torch.ones(shape, dtype=torch.int64)),
    "zeros": ("int64", lambda item, shape, g: torch.zeros(shape, dtype=torch.int64)),
    "flags": ("bool", lambda item, shape, g: torch.rand(shape, generator=g) < 0.25),
    "boxes": ("int64", boxes),
    "rows": ("int64", rows),
}


def example(arguments: list, sizes: dict, seed: int = 7) -> tuple:
    """Tensors for all arguments."""
    generator = torch.Generator().manual_seed(seed)
    made = [VALUES[a.kind][1](a, a.shape(sizes), generator) for a in arguments]
    return tuple(tensor.to(getattr(torch, a.dtype)) for a, tensor in zip(arguments, made))


def axes_of(arguments: list) -> list:
    """The names of the axes, batch first."""
    names = {dim for argument in arguments for dim in argument.dims if isinstance(dim, str)}
    return sorted(names, key=lambda name: (name != "batch", name))


# ---- inputs of transformers models ----------------------------------------------


def look_up(config, names: tuple, parts: tuple = ()):
    """The value of the first of these fields in the configuration or one of its parts."""
    for holder in (*(getattr(config, part, None) for part in parts), config):
        for name in names:
            value = getattr(holder, name, None)
            if value is not None:
                return value
    return None


def pair(size) -> tuple:
    return tuple(size)[-2:] if isinstance(size, (list, tuple)) else (size, size)


VISION = ("vision_config", "image_model_config", "backbone_config", "encoder")
AUDIO = ("audio_config", "encoder_config", "audio_encoder_config", "speech_config")
TEXT = ("text_config", "decoder", "text_encoder")


def text(config, name: str) -> list:
    names = ("vocab_size", "src_vocab_size", "encoder_vocab_size")
    vocabulary = look_up(config, names, TEXT) or IDS_HIGH
    return [Argument(name, ("batch", "sequence"), "ids", vocabulary)]


def decoder_text(config, name: str) -> list:
    return [Argument(name, ("batch", "decoder_sequence"), "ids", IDS_HIGH)]


def image(config, name: str) -> list:
    """One image; or a short film, in either order of frames and channels."""
    channels = look_up(config, ("num_channels", "in_channels", "in_chans"), VISION) or 3
    channels = channels if isinstance(channels, int) else 3
    size = pair(look_up(config, ("image_size", "img_size", "input_size"), VISION) or 64)
    frames = look_up(config, ("num_frames", "frames_per_clip"), VISION) or 4
    return [
        Argument(name, ("batch", channels, *size), "normal"),
        Argument(name, ("batch", frames, channels, *size), "normal"),
        Argument(name, ("batch", channels, frames, *size), "normal"),
    ]


def spectrum(config, name: str) -> list:
    """A mel spectrogram, in either order; of fixed length if the model has positions."""
    names = ("num_mel_bins", "input_feat_per_channel", "feature_size", "n_mels", "input_feat_size",
             "num_mel_bands", "input_dim", "feature_projection_input_dim", "spec_size", "mel_dim")
    bins = look_up(config, names, AUDIO) or 80
    positions = look_up(config, ("max_source_positions",), AUDIO)
    length = "frames" if positions is None else 2 * positions
    return [
        Argument(name, ("batch", length, bins), "normal"),
        Argument(name, ("batch", bins, length), "normal"),
        Argument(name, ("batch", "frames", bins), "normal"),
        Argument(name, ("batch", 1, look_up(config, ("max_length",)) or 64, bins), "normal"),
    ]


def wave(config, name: str) -> list:
    """A waveform, with or without a channel dim; or patches of a spectrogram."""
    channels = look_up(config, ("audio_channels",)) or 1
    length, bins = look_up(config, ("max_length",)) or 64, look_up(config, ("num_mel_bins",)) or 80
    return [
        Argument(name, ("batch", "samples"), "normal"),
        Argument(name, ("batch", channels, "samples"), "normal"),
        Argument(name, ("batch", length, bins), "normal"),
        Argument(name, ("batch", "sequence", bins), "normal"),
    ]


def hidden_states(config, name: str) -> list:
    width = look_up(config, ("hidden_size", "d_model"))
    return [Argument(name, ("batch", "sequence", width), "normal")]


def text_mask(config, name: str) -> list:
    return [Argument(name, ("batch", "sequence"), "mask")]


def word_boxes(config, name: str) -> list:
    return [Argument(name, ("batch", "sequence", 4), "boxes", BOX_HIGH)]


# Arguments passed if forward has them: a whole group if the first one exists.
GROUPS = (
    ("input_ids", "attention_mask", "bbox", "decoder_input_ids"),
    ("pixel_values",),
    ("pixel_values_videos",),
    ("input_values",),
    ("input_features",),
    ("decoder_input_ids",),
)

# Layouts of an argument, the likeliest first.
LAYOUTS = {
    "input_ids": text,
    "attention_mask": text_mask,
    "decoder_input_ids": decoder_text,
    "bbox": word_boxes,
    "pixel_values": image,
    "pixel_values_videos": image,
    "input_values": wave,
    "input_features": spectrum,
    "inputs_embeds": hidden_states,
    "hidden_states": hidden_states,
}

# A configuration with one of these has a placeholder token for other modalities: such a model also runs on text alone.
PLACEHOLDERS = (
    "image_token_id", "image_token_index", "audio_token_id", "audio_token_index",
    "speech_token_id", "video_token_id", "mask_token_index", "image_tok_id",
)


SPOKEN = ("input_ids", "decoder_input_ids")


class NoInputs(Exception):
    """A model whose arguments are not known."""


def required(model) -> list:
    parameters = inspect.signature(model.forward).parameters.values()
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return [p.name for p in parameters if p.kind in kinds and p.default is p.empty]


def names_of(model, config) -> list:
    """The arguments to pass, in the order of forward."""
    there = list(inspect.signature(model.forward).parameters)
    wanted = set(required(model))
    speaks = any(getattr(config, name, None) is not None for name in PLACEHOLDERS)
    for group in GROUPS:
        is_placed = speaks and group[0] not in SPOKEN and "input_ids" in there
        if group[0] in there and not is_placed:
            wanted.update(name for name in group if name in there)
    if not wanted:
        wanted.add(model.main_input_name)
    return [name for name in there if name in wanted]


def candidates(model, config, special: dict):
    """Lists of arguments to try, the likeliest first. special gives arguments by name; None
    leaves one out."""
    names = [name for name in names_of(model, config) if special.get(name, "") is not None]
    names += [name for name in special if name not in names and special[name] is not None]
    unknown = [name for name in names if name not in LAYOUTS and name not in special]
    if unknown:
        raise NoInputs(f"no values known for {', '.join(unknown)}")
    layouts = [special[n] if n in special else LAYOUTS[n](config, n) for n in names]
    order = list(inspect.signature(model.forward).parameters)
    for arguments in itertools.product(*layouts):
        yield sorted(arguments, key=lambda item: order.index(item.name))
