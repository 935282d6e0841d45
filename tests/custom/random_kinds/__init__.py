"""The parts of programs for random_programs.py: templates, statements and inputs.

In statements {v} and {w} are tensors, {r} and {s} tensors of rows or sequences, {l} and {m} lists or images, {n} a
small number, {i} the counter of an enclosing loop, or another number.
"""

from . import changes, layers, parts, sizes
from .kind import Kind

KINDS = {"changes": changes.KIND, "parts": parts.KIND, "sizes": sizes.KIND, "layers": layers.KIND}

__all__ = ("KINDS", "Kind")
