"""The exported subjects: TorchScript files of the tests and of the table of architectures."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator

import harness
import operator_files
import test_detection
import test_random_programs
import test_scripted
import test_state
from models.table import ALL

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


def custom() -> Iterator[Subject]:
    """Scripted programs with data-dependent control flow, and those with state."""
    made = [("scripted", test_scripted.made(), test_scripted.flags_of),
            ("state", test_state.made(), lambda _, name: test_state.facts_of(name)[0])]
    if harness.holds("torchvision"):
        made += [("vision", test_scripted.made("vision"), test_scripted.flags_of),
                 ("detection", test_detection.made(), lambda *_: test_detection.flags())]
    for group, folder, flags_of in made:
        for path in sorted(folder.glob("*.pt")):
            name = f"custom/{group}/{path.stem}"
            yield Subject(name, path, tuple(map(str, flags_of(folder, path.stem))))
            yield Subject(f"{name}/no-flags", path, ())


def random(seeds: int) -> Iterator[Subject]:
    for first in range(0, seeds, test_random_programs.GROUP):
        for name, kind in test_random_programs.KINDS.items():
            for path in test_random_programs.made(name, first):
                yield Subject(f"random/{name}/{path.stem}", path, tuple(kind.flags))


def zoo(folder: Path) -> Iterator[Subject]:
    """Each architecture with every axis dynamic that the program does not fix, and without flags."""
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
