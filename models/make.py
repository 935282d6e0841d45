"""Makes sample models: python models/make.py [--into FOLDER] NAME...

Run with the PyTorch that models/table.py names. Writes NAME.pt and NAME.json, each by rename.
"""

import argparse
import importlib
import json
import os
import sys
import tempfile
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import torch

from models import neutral, record, settle
from models.table import ALL, Model


def example_inputs(model: Model, sizes: dict, seed: int = 7) -> tuple:
    generator = torch.Generator().manual_seed(seed)
    tensors = []
    for item in model.inputs:
        shape = item.shape(sizes)
        if item.kind == "normal":
            tensors.append(torch.randn(shape, generator=generator))
        elif item.kind == "ids":
            tensors.append(torch.randint(0, item.high, shape, generator=generator))
        elif item.kind == "flags":
            tensors.append(torch.randint(0, 2, shape, generator=generator))
        else:
            lengths = torch.randint(1, shape[1] + 1, (shape[0], 1), generator=generator)
            tensors.append((torch.arange(shape[1])[None, :] < lengths).to(torch.int64))
    return tuple(tensors)


def build(model: Model) -> torch.nn.Module:
    """The eager model, in eval mode, with weights that depend on the fixed seed alone."""
    file, function = model.maker.split(":")
    maker = importlib.import_module(f"models.{file}")
    torch.manual_seed(0)
    eager = getattr(maker, function)(**model.options).eval()
    if model.mode != "unsettled":
        settle.randomise(eager)
        getattr(maker, "settle", lambda eager: None)(eager)
    return eager


def compile_model(model: Model, eager: torch.nn.Module, inputs: tuple) -> torch.jit.ScriptModule:
    if model.mode == "scripted":
        return torch.jit.script(eager)
    return torch.jit.trace(eager, inputs, strict=False, check_trace=False)


def flatten(value) -> list:
    return [value] if isinstance(value, torch.Tensor) else [t for v in value for t in flatten(v)]


def verify(model: Model, eager: torch.nn.Module, compiled: torch.jit.ScriptModule) -> None:
    """The compiled model must equal the eager one at other sizes than those it was traced with."""
    if not model.others:
        return
    inputs = example_inputs(model, model.others[-1], seed=11)
    for wanted, got in zip(flatten(eager(*inputs)), flatten(compiled(*inputs))):
        torch.testing.assert_close(got, wanted, rtol=1e-4, atol=1e-5)
        scale = wanted.abs().mean().item()
        assert 0.1 < scale < 10, f"{model.name}: outputs of order {scale}"


def make(model: Model, folder: Path) -> None:
    eager = build(model)
    inputs = example_inputs(model, model.traced)
    with torch.set_grad_enabled(model.mode == "with-grad"):
        compiled = compile_model(model, eager, inputs)
        operators = None
        if model.mode != "scripted":
            operators = record.traced_operators(eager, inputs)
    with torch.no_grad():
        verify(model, eager, compiled)
    facts = {
        "name": model.name,
        "torch": torch.__version__,
        "parameter_count": sum(p.numel() for p in eager.parameters()),
        "modules": record.module_tree(eager),
        "parameters": record.parameter_table(eager),
        "operators": operators,
    }
    write(folder / f"{model.name}.json", lambda path: path.write_text(json.dumps(facts)))
    write(folder / f"{model.name}.pt", lambda path: save(compiled, path))


def save(compiled: torch.jit.ScriptModule, path: Path) -> None:
    own = path.with_name("own")
    torch.jit.save(compiled, str(own))
    neutral.copy_archive(str(own), str(path))
    own.unlink()


def write(path: Path, save) -> None:
    """By rename; under its own name already before that, which PyTorch writes into the file."""
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".") as folder:
        save(Path(folder) / path.name)
        os.replace(Path(folder) / path.name, path)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--into", type=Path, default=Path("build/models"))
    parser.add_argument("names", nargs="+", metavar="NAME", choices=sorted(ALL))
    arguments = parser.parse_args()
    arguments.into.mkdir(parents=True, exist_ok=True)
    warnings.filterwarnings("ignore")
    torch.set_num_threads(2)
    for name in arguments.names:
        make(ALL[name], arguments.into)
    return 0


if __name__ == "__main__":
    sys.exit(main())
