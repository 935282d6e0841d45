"""zoo.py --pt2: measures the architectures as programs of torch.export, and PyTorch's exporter on the same programs."""

import argparse
import json
import tempfile
from math import inf
from pathlib import Path

import harness
from zoo import markdown
from zoo.driver import Driver, Plan, known_of
from zoo.exported import document, slice
from zoo.results import PROGRAMS, PROGRAMS_COST, PROGRAMS_PEER, REFUSED, UNTRACEABLE, WRONG, Results

HERE = Path(__file__).resolve().parent
# The library of models, by the beginnings of their names.
MAKERS = {"torchvision.": "vision", "": "language"}


LARGE = 32 << 20  # bytes of a program


class ExportedDriver(Driver):
    """Measures programs. All but large ones stay in a folder for the next run."""

    def __init__(self, plan: Plan, results: Results):
        super().__init__(plan, results)
        self.files = plan.folder / "programs"
        self.files.mkdir(exist_ok=True)

    def names(self) -> list:
        """PyTorch's exporter is slow: small programs, and those that are here, come first."""
        if self.plan.column != PROGRAMS_PEER:
            return super().names()
        programs = {name: self.files / f"{name}.pt2" for name in super().names()}
        return sorted(programs, key=lambda name: programs[name].stat().st_size if programs[name].exists() else inf)

    def measure(self, name: str) -> dict:
        made = self.made(name)
        judged = {} if "outcome" in made else self.judged(name)
        self.drop_large(name)
        return {**made, **judged}

    def drop_large(self, name: str) -> None:
        files = [self.files / f"{name}{suffix}" for suffix in (".pt2", ".pt", ".npz", ".json")]
        if files[0].exists() and files[0].stat().st_size > LARGE:
            for file in files:
                file.unlink(missing_ok=True)

    def judged(self, name: str) -> dict:
        with tempfile.TemporaryDirectory(dir=self.plan.folder) as scratch:
            kind = "cost" if self.plan.column == PROGRAMS_COST else "ours"
            job = {"kind": kind, "stem": str(self.files / name), "scratch": scratch}
            if self.plan.column == PROGRAMS_PEER:
                job |= {"kind": "peer", "path": str(Path(scratch) / "peer.onnx")}
                refused = self.ask(self.maker(name), {**job, "program": f"{job['stem']}.pt2"}, REFUSED)
                if refused:
                    return refused
            return self.ask(self.judge, job, WRONG)

    def made(self, name: str) -> dict:
        """Makes a program. A failure of PyTorch is recorded for both columns."""
        failed = self.files / f"{name}.failed.json"
        if failed.exists() and not self.plan.remake:
            return json.loads(failed.read_text())
        made = super().made(name)
        if made.get("outcome") == UNTRACEABLE:
            failed.write_text(json.dumps(made))
        return made


def plan_of(arguments: argparse.Namespace, column: str, folder: Path, names: tuple = ()) -> Plan:
    return Plan(
        column=column,
        makers={
            start: (harness.VENV_PYTHON, "-B", HERE / "maker.py", library) for start, library in MAKERS.items()
        },
        judge=(harness.VENV_PYTHON, "-B", HERE / "judge.py"),
        folder=folder,
        names=names,
        only=arguments.only,
        shard=arguments.shard[0],
        shards=arguments.shard[1],
        redo=arguments.redo,
        remake=arguments.remake,
        timeout=arguments.timeout,
    )


def run_slice(arguments: argparse.Namespace) -> int:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        results = Results(folder, PROGRAMS)
        ExportedDriver(plan_of(arguments, PROGRAMS, folder, slice.NAMES), results).run()
    return 1 if slice.judge(results) else 0


def main(arguments: argparse.Namespace, folder: Path) -> int:
    """With --document, the section of docs/ZOO.md is written from known results."""
    if arguments.slice:
        return run_slice(arguments)
    for column in () if arguments.summary or arguments.document else arguments.pt2:
        ExportedDriver(plan_of(arguments, column, folder), Results(folder, column)).run()
    ours, peers, costs = (Results(folder, column).records for column in (PROGRAMS, PROGRAMS_PEER, PROGRAMS_COST))
    section = document.section(ours, peers, costs)
    if arguments.document:
        markdown.put(harness.ROOT / "docs" / "ZOO.md", section)
    print("\n".join(section))
    return 1 if any(map(document.is_failure, ours.values())) else 0
