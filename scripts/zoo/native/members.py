"""The inputs with which a model is traced."""

from dataclasses import dataclass, field

from zoo.built import Built

# Default sizes of axes.
SIZES = {"batch": 1, "sequence": 512, "decoder_sequence": 128, "frames": 1000, "samples": 16000}


@dataclass
class NativeBuilt(Built):
    """sizes: of the axes, for tracing. is_scripted: scripted instead of traced."""

    sizes: dict = field(default_factory=dict)
    is_scripted: bool = False
