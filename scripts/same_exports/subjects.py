"""What is exported: the TorchScript files of the tests and of the table of architectures."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator

import harness
import operator_files
import test_random_programs
from models.table import ALL

CUSTOM = harness.ROOT / "tests" / "custom"
BUILDING = harness.ROOT / "tests" / "operators" / "building.py"
OPSET = ("--opset", "18")


@dataclass(frozen=True)
class Subject:
    name: str
    path: Path
    flags: tuple


def operators() -> Iterator[Subject]:
    for file in operator_files.FILES:
        group = operator_files.group_of(file)
        folder, _ = operator_files.made(group)
        for path in sorted(folder.glob("*.pt")):
            yield Subject(f"operators/{group}/{path.stem}", path, OPSET)


def models() -> Iterator[Subject]:
    for model in ALL.values():
        if harness.is_loadable(model):
            path = harness.torchscript(model)
            yield Subject(f"models/{model.name}", path, tuple(harness.input_flags(model)))
            yield Subject(f"models/{model.name}/no-flags", path, ())


def flags_beside(path: Path) -> tuple:
    """Of the JSON file beside it: a list of inputs and flags, or one under a name."""
    beside = path.with_suffix(".json")
    told = json.loads(beside.read_text()) if beside.exists() else []
    texts = told["flags"] if isinstance(told, dict) else told
    flags = []
    for text in texts:
        flags += text.split("=", 1) if text.startswith("--") else ["--input", text]
    return tuple(flags)


def custom() -> Iterator[Subject]:
    """Scripted programs that the data decides, and those that keep something from call to call."""
    made = {
        "scripted": harness.made_by((CUSTOM / "scripted.py", BUILDING), harness.INTO),
        "state": harness.made_by((CUSTOM / "state.py",), harness.INTO),
    }
    if harness.holds("torchvision"):
        made["vision"] = harness.made_by((CUSTOM / "scripted.py", BUILDING), harness.INTO, "vision",
                                         python=harness.DEBIAN_PYTHON)
        made["detection"] = harness.made_by((CUSTOM / "detection.py",), harness.INTO,
                                            python=harness.DEBIAN_PYTHON)
    for group, folder in made.items():
        for path in sorted(folder.glob("*.pt")):
            yield Subject(f"custom/{group}/{path.stem}", path, flags_beside(path))
            yield Subject(f"custom/{group}/{path.stem}/no-flags", path, ())


def random(seeds: int) -> Iterator[Subject]:
    for first in range(0, seeds, test_random_programs.GROUP):
        for name, kind in test_random_programs.KINDS.items():
            for path in test_random_programs.made(name, first):
                yield Subject(f"random/{name}/{path.stem}", path, tuple(kind.flags))


def zoo(folder: Path) -> Iterator[Subject]:
    """Every axis that the program follows is dynamic; and without flags."""
    from zoo import inputs, judge

    for path in sorted(folder.glob("*.pt")):
        facts = json.loads(path.with_suffix(".json").read_text())
        arguments = [inputs.Argument.from_json(argument) for argument in facts["arguments"]]
        libraries = [part for one in facts["libraries"] for part in ("--load-library", one)]
        flags = judge.flags_of(arguments, facts["follows"])
        yield Subject(f"zoo/{path.stem}", path, (*libraries, *flags))
        yield Subject(f"zoo/{path.stem}/no-flags", path, tuple(libraries))


def of(tables: list, seeds: int, zoo_folder: Path, files: list) -> Iterator[Subject]:
    makers = {"operators": operators, "models": models, "custom": custom,
              "random": lambda: random(seeds), "zoo": lambda: zoo(zoo_folder)}
    for table in tables:
        yield from makers[table]()
    for path in files:
        yield Subject(str(path), path.resolve(), ())
