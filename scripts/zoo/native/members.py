"""The inputs with which a model is traced."""

from dataclasses import dataclass, field

from zoo.built import Built

# Sizes of axes that nothing else decides.
SIZES = {"batch": 1, "sequence": 512, "decoder_sequence": 128, "frames": 1000, "samples": 16000}


@dataclass
class NativeBuilt(Built):
    """sizes: of the axes, where it is traced. It is scripted where is_scripted."""

    sizes: dict = field(default_factory=dict)
    is_scripted: bool = False
