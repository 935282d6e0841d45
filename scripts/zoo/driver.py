"""The remaining measurements, through PyTorch, the exporter and ONNX Runtime."""

import json
import re
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from op_coverage.processes import Lost, Worker
from zoo.results import (
    FIXED, FUNCTIONS, NATIVE, OURS, REFUSED, RIGHT, UNTRACEABLE, WRONG, Results,
)

HERE = Path(__file__).resolve().parent


# Kinds of a model's inputs, by prefixes of argument names.
KINDS = (
    ("text", ("input_ids", "decoder_input_ids", "bbox")),
    ("vision", ("pixel", "x", "image", "prompt_pixel", "visual")),
    ("audio", ("input_features", "input_values", "audio", "latents")),
)


def known_of(facts: dict) -> dict:
    """A model's description in a record: its class, and the kind of its inputs."""
    names = [argument["name"] for argument in facts["arguments"]]
    found = [kind for kind, starts in KINDS if any(name.startswith(starts) for name in names)]
    kind = found[0] if len(found) == 1 else "multimodal" if found else "other"
    return {"class": facts["class"], "kind": kind}


@dataclass
class Plan:
    """The parameters of a run. makers: commands of workers by prefixes of their models' names; the first match counts.
    judge: the command of a worker. exporters: for models of native sizes, with libtorch's operators only, and for
    others, or None."""

    column: str
    makers: dict
    judge: tuple
    folder: Path
    exporters: tuple = ()
    names: tuple = ()  # instead of all whose name matches
    only: str = ""
    shard: int = 0
    shards: int = 1
    redo: tuple = ()
    remake: bool = False
    timeout: float = 300


class Driver:
    """Measures one column. TorchScript files stay in the folder for the next run."""

    def __init__(self, plan: Plan, results: Results):
        self.plan = plan
        self.results = results
        self.files = plan.folder / "models"
        self.files.mkdir(parents=True, exist_ok=True)
        log = plan.folder / f"{plan.column}.log"
        self.makers = {start: Worker(command, log) for start, command in plan.makers.items()}
        self.judge = Worker(plan.judge, log)
        self.start = time.monotonic()

    def maker(self, name: str) -> Worker:
        return next(worker for start, worker in self.makers.items() if name.startswith(start))

    # ---- remaining measurements

    def names(self) -> list:
        pattern = re.compile(self.plan.only)
        listed = list(self.plan.names) or self.listed(pattern)
        listed = listed[self.plan.shard::self.plan.shards]
        return [name for name in listed if self._is_to_do(name)]

    def listed(self, pattern: re.Pattern) -> list:
        """The names that the makers offer and that match."""
        listed = []
        for worker in self.makers.values():
            (names,) = worker.serve({"kind": "list"}, self.plan.timeout)
            found = [name for name in names if pattern.search(name)]
            listed += found
            if not found:
                worker.end()
        return listed

    def _is_to_do(self, name: str) -> bool:
        known = self.results.records.get(name)
        return known is None or known["outcome"] in self.plan.redo

    # ---- doing it

    def run(self) -> None:
        names = self.names()
        for number, name in enumerate(names, 1):
            begin = time.monotonic()
            record = {"name": name, **self.measure(name)}
            record["total_seconds"] = round(time.monotonic() - begin, 1)
            self.results.add(record)
            self.say(f"{number} of {len(names)}, {name}: {record['outcome']}")
        for worker in (*self.makers.values(), self.judge):
            worker.end()

    def say(self, text: str) -> None:
        minutes = (time.monotonic() - self.start) / 60
        print(f"{self.plan.column}: {minutes:.1f} minutes: {text}", file=sys.stderr, flush=True)

    def ask(self, worker: Worker, job: dict, lost_outcome: str) -> dict:
        try:
            (answer,) = worker.serve(job, self.plan.timeout)
        except Lost as lost:
            return {"outcome": lost_outcome, "reason": f"{job['kind']}: {lost}"}
        return answer

    def measure(self, name: str) -> dict:
        made = self.made(name)
        if "outcome" in made:
            return made
        with tempfile.TemporaryDirectory(dir=self.plan.folder) as scratch:
            if self.plan.column == NATIVE:
                judged = self.native(name, scratch)
            elif self.plan.column in (OURS, FUNCTIONS):
                kind = "ours" if self.plan.column == OURS else FUNCTIONS
                job = {"kind": kind, "stem": str(self.files / name), "scratch": scratch}
                judged = self.ask(self.judge, job, WRONG)
            else:
                judged = self.peer(name, Path(scratch))
        return {**made, **judged}

    def made(self, name: str) -> dict:
        """Facts about a model's TorchScript file, which is made if missing."""
        facts = self.files / f"{name}.json"
        if self.plan.remake or not facts.exists():
            job = {"kind": "make", "name": name, "folder": str(self.files)}
            answer = self.ask(self.maker(name), job, UNTRACEABLE)
            if "outcome" in answer:
                return answer
        return known_of(json.loads(facts.read_text()))

    def native(self, name: str, scratch: str) -> dict:
        """Measures a model at its native size. Its file is removed afterwards, since it may be large."""
        files = [self.files / f"{name}{suffix}" for suffix in (".pt", ".json")]
        has_operators = bool(json.loads(files[1].read_text())["libraries"])
        exporter = self.plan.exporters[has_operators]
        if exporter:
            stem = str(self.files / name)
            job = {"kind": NATIVE, "stem": stem, "scratch": scratch, "program": str(exporter)}
            judged = self.ask(self.judge, job, WRONG)
        else:
            judged = {"outcome": UNTRACEABLE, "reason": "no build with the libtorch of its operators"}
        for file in files:
            file.unlink()
        return judged

    def peer(self, name: str, scratch: Path) -> dict:
        """PyTorch's exporter with all axes that the traced program does not fix; then with none."""
        facts = json.loads((self.files / f"{name}.json").read_text())
        first = None
        for dynamic in [facts["follows"], []] if facts["follows"] else [[]]:
            path = str(scratch / f"peer-{len(dynamic)}.onnx")
            job = {"kind": "peer", "name": name, "follows": dynamic, "path": path,
                   "dynamo": self.plan.column == "dynamo_true"}
            record = self.ask(self.maker(name), job, REFUSED)
            if not record:
                stem = str(self.files / name)
                job = {"kind": "peer", "stem": stem, "dynamic": dynamic, "path": path,
                       "scratch": str(scratch)}
                record = self.ask(self.judge, job, WRONG)
            if record["outcome"] in (RIGHT, FIXED):
                return {**record, "fixed_reasons": [first["reason"]] if first else []}
            first = first or record
        return first
