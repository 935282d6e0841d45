"""Results of an eager model in its own precision, and in double precision, which shows the error of the former. Dtypes
that the model's code names are doubled as well, and sorts are stable, as in runtimes.
"""

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_map

from zoo.maker import leaves
from zoo.reference import WIDER, wider

SORTS = {torch.ops.aten.sort.default: torch.ops.aten.sort.stable}


class Stable(TorchDispatchMode):
    """Makes sorts stable."""

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        if function in SORTS:
            values, *rest = args
            names = dict(zip(("dim", "descending"), rest))
            return SORTS[function](values, stable=True, **names, **kwargs)
        return function(*args, **kwargs)


class Doubled(Stable):
    """Also doubles every dtype."""

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        def doubled(value):
            return WIDER.get(value, value) if isinstance(value, torch.dtype) else value

        args, kwargs = tree_map(doubled, (tuple(args), kwargs or {}))
        return super().__torch_dispatch__(function, types, args, kwargs)


def run(function, tensors: tuple, mode) -> list:
    with torch.no_grad(), mode:
        return [leaf.detach().numpy().copy() for leaf in leaves(function(*tensors))]


def outputs(function, tensors: tuple) -> list:
    """Raises what PyTorch raises."""
    return run(function, tensors, Stable())


def precise_outputs(model: torch.nn.Module, tensors: tuple) -> list | None:
    """The outputs of a doubled model; None if an operator does not take double precision."""
    known = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        return run(model, tuple(map(wider, tensors)), Doubled())
    except Exception:
        return None
    finally:
        torch.set_default_dtype(known)
