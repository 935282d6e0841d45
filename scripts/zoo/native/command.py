"""zoo.py --native: measures the models of native sizes, and writes their table."""

import argparse
import shlex
import tempfile
from pathlib import Path

import harness
from zoo import markdown
from zoo.driver import Driver, Plan
from zoo.native import document, slice
from zoo.results import NATIVE, WRONG, Results

HERE = Path(__file__).resolve().parent
# The Python and the library of models, by the beginnings of their names.
MAKERS = {
    "torchvision.detection.": (harness.DEBIAN_PYTHON, "detection"),
    "torchvision.": (harness.VENV_PYTHON, "vision"),
    "": (harness.VENV_PYTHON, "language"),
}


def system_build() -> Path | None:
    """The program beside this one that was built with the libtorch of the system's torchvision."""
    for stamp in sorted(harness.BUILD.parent.glob("*/stamp/libtorch")):
        words = shlex.split(stamp.read_text())
        program = stamp.parents[1] / "htp-trace"
        if "root=/usr" in words and program.exists():
            return program
    return None


def plan_of(arguments: argparse.Namespace, folder: Path, names: tuple = ()) -> Plan:
    return Plan(
        column=NATIVE,
        makers={
            start: (python, "-B", HERE / "maker.py", library)
            for start, (python, library) in MAKERS.items()
        },
        judge=(harness.VENV_PYTHON, "-B", HERE / "judge.py"),
        folder=folder,
        exporters=(harness.PROGRAM, system_build()),
        names=names,
        only=arguments.only,
        shard=arguments.shard[0],
        shards=arguments.shard[1],
        redo=arguments.redo,
        remake=True,
        timeout=arguments.timeout,
    )


def run_slice(arguments: argparse.Namespace) -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        results = Results(folder, NATIVE)
        Driver(plan_of(arguments, folder, tuple(slice.AXES)), results).run()
    return 1 if slice.judge(results) else 0


def main(arguments: argparse.Namespace) -> int:
    """With --document the table of docs/ZOO.md is written from known results."""
    if arguments.slice:
        return run_slice(arguments)
    folder = arguments.results.resolve()
    results = Results(folder, NATIVE)
    if not arguments.summary:
        Driver(plan_of(arguments, folder), results).run()
    if arguments.document:
        markdown.put(harness.ROOT / "docs" / "ZOO.md", document.section(results))
    print("\n".join(document.section(results)))
    return 1 if results.with_outcome(WRONG) else 0
