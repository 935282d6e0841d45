"""Exports programs with torch.export, and writes their results.

Usage: make_programs.py DIR NAMES...   NAMES are modules of this folder that have PROGRAMS.

Writes, of each program, into DIR/NAME: MODE.pt2 for each of its modes (MODE.txt with the reason where torch.export
cannot), twin.pt (or twin.txt), numbers.npz with inputs and outputs at each choice of sizes, and hooks.json: the module
of each operator, by hooks of an eager run.
"""

import copy
import importlib
import inspect
import json
import sys
import warnings
from pathlib import Path

import numpy
import torch
import torch._dynamo
from torch.utils import _pytree as pytree

sys.path.append(str(Path(__file__).resolve().parent.parent / "support"))

from eager_steps import step_by_step  # noqa: E402  (needs the path above)
from modes import record_run  # noqa: E402
from program import arguments_of  # noqa: E402

warnings.filterwarnings("ignore")


def leaves(tree) -> list:
    """Tensors and numbers, flattened; None left out."""
    return [leaf for leaf in pytree.tree_leaves(tree) if leaf is not None]


def array(leaf) -> numpy.ndarray:
    return leaf.detach().numpy() if isinstance(leaf, torch.Tensor) else numpy.array(leaf)


# ---- dynamic shapes --------------------------------------------------------------------------------


def moving(samples: list):
    """The dynamic_shapes of one argument: the axes that differ between samples, and numbers."""
    def of(*leaves):
        if not isinstance(leaves[0], torch.Tensor):
            return torch.export.Dim.AUTO if len(set(leaves)) > 1 else None
        return {d: torch.export.Dim.AUTO for d in range(leaves[0].dim()) if len({leaf.shape[d] for leaf in leaves}) > 1}

    return pytree.tree_map(of, *samples)


def dynamic_shapes(net, given: list) -> dict:
    signature = inspect.signature(net.forward)
    bound = [signature.bind(*args, **kwargs).arguments for args, kwargs in given]
    return {name: moving([one[name] for one in bound]) for name in bound[0]}


# ---- files -----------------------------------------------------------------------------------------


def export_program(program, net, given: list, mode: str):
    args, kwargs = copy.deepcopy(given[0])
    shapes = program.dynamic or dynamic_shapes(net, given)
    exported = torch.export.export(net, args, kwargs, dynamic_shapes=shapes, strict="strict" in mode)
    return exported.run_decompositions() if "decomposed" in mode else exported


def write_numbers(program, net, given: list, folder: Path) -> None:
    numbers = {}
    alike = [all(leaf is other or leaf == other for leaf in others) if not isinstance(other, torch.Tensor) else False
             for other, *others in zip(*(leaves(one) for one in given))]
    for number, (args, kwargs) in enumerate(given):
        for index, leaf in enumerate(leaves((args, kwargs))):
            if not alike[index]:
                numbers[f"{number}/input/{index:03}"] = array(leaf).copy()
        with torch.no_grad():
            result = copy.deepcopy(net)(*copy.deepcopy(args), **copy.deepcopy(kwargs))
        for index, leaf in enumerate(leaves(result)):
            numbers[f"{number}/output/{index:03}"] = array(leaf)
    numpy.savez(folder / "numbers.npz", **numbers)


def write_twin(net, given: list, folder: Path) -> None:
    args, kwargs = copy.deepcopy(given[0])
    keys = {"example_kwarg_inputs": {**dict(zip(inspect.signature(net.forward).parameters, args)), **kwargs}}
    traced = torch.jit.trace(net, check_trace=False, strict=False, **(keys if kwargs else {"example_inputs": args}))
    torch.jit.save(traced, folder / "twin.pt")


def attempt(write, reason: Path) -> None:
    """Exports, if necessary twice: a cached compilation may break the first attempt."""
    for _ in range(2):
        try:
            write()
            reason.unlink(missing_ok=True)
            return
        except Exception as failure:  # any failure of PyTorch
            reason.write_text(f"{type(failure).__name__}: {failure}".strip()[:2000] + "\n")
            torch._dynamo.reset()


def make(program, folder: Path) -> None:
    folder.mkdir(parents=True)
    torch.manual_seed(5)
    net = program.net()
    if "Trained" not in type(net).__name__:
        net.eval()
    given = [arguments_of(program, sizes) for sizes in program.sizes]
    write_numbers(program, net, given, folder)
    for mode in program.modes:
        attempt(lambda mode=mode: torch.export.save(export_program(program, copy.deepcopy(net), given, mode),
                                                    folder / f"{mode}.pt2"), folder / f"{mode}.txt")
    if program.twin:
        attempt(lambda: write_twin(copy.deepcopy(net), given, folder), folder / "twin.txt")
    with step_by_step():
        ran = record_run(net, *copy.deepcopy(given[0]))
    (folder / "hooks.json").write_text(json.dumps(ran))


def main() -> None:
    into = Path(sys.argv[1])
    for name in sys.argv[2:]:
        for program in importlib.import_module(name).PROGRAMS:
            make(program, into / program.name)


if __name__ == "__main__":
    main()
