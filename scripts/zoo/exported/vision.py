"""The architectures of torchvision for the PyTorch that exports programs: from that Python's torchvision where it has
one; otherwise from the Python code of Debian's, without its operators, which are built for another libtorch."""

from importlib.util import find_spec

if find_spec("torchvision") is None:
    import zoo.native.vision  # noqa: F401  (imports torchvision without its operators)

from zoo.vision import build, names  # noqa: E402  (the import above comes first)

__all__ = ["build", "names"]
