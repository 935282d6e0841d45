"""The architectures of torchvision for the PyTorch that exports programs: from the Python code of Debian's
torchvision, without its operators, which are built for another libtorch."""

import zoo.native.vision  # noqa: F401  (imports torchvision without its operators)
from zoo.vision import build, names

__all__ = ["build", "names"]
