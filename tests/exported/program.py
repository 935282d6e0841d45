"""A program for torch.export: a net, and its inputs at three choices of sizes."""

from dataclasses import dataclass

MODES = ("plain", "strict", "decomposed", "strict-decomposed")


@dataclass(frozen=True)
class Program:
    """@p inputs makes the arguments of forward() from sizes: a tuple, or a tuple and a dict of keywords. The
    first sizes are exported; axes that have others in the next ones are dynamic, unless @p dynamic names
    dynamic shapes as torch.export takes them. @p modes are those that torch.export can do."""

    name: str
    net: object
    inputs: object
    sizes: tuple = ((2, 6), (1, 1), (5, 9))
    dynamic: object = None
    modes: tuple = MODES
    twin: bool = True  # whether TorchScript traces the same


def arguments_of(program: Program, sizes: tuple) -> tuple:
    """The arguments and keywords, with numbers that are the same in every process."""
    import torch

    torch.manual_seed(11)
    given = program.inputs(*sizes)
    keyed = isinstance(given, tuple) and len(given) == 2 and isinstance(given[1], dict) and isinstance(given[0], tuple)
    return given if keyed else (given, {})
