"""The parts of a kind of random programs."""

from dataclasses import dataclass
from typing import Callable

TRIPS = (0, 1, 2, 3, 5)


@dataclass(frozen=True)
class Kind:
    template: str  # with BODY where the statements go
    statements: tuple
    conditions: tuple
    names: dict  # replacements for the braces of statements
    flags: tuple  # of the export
    inputs: Callable  # from a number
    most_branches: float = 0.13  # of the statements
    most_loops: float = 0.12
    largest: float = float("inf")  # output; larger ones have large rounding errors
