"""The architectures of torchvision for the PyTorch that exports programs: from the Python code of Debian's
torchvision, whose operators are built for another libtorch and stay away."""

import zoo.native.vision  # noqa: F401  (imports torchvision without its operators)
from zoo.vision import build, names

__all__ = ["build", "names"]
