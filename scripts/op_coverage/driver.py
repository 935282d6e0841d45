"""The remaining measurements, in batches through PyTorch, the exporter and ONNX Runtime."""

import re
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import size_oracle
from op_coverage import exporter
from op_coverage.processes import Lost, Worker
from op_coverage.results import FILES, NO_SAMPLE, REFUSED, UNTRACEABLE, WRONG, Results

HERE = Path(__file__).resolve().parent
SIZES = "sizes.log"  # findings of tests/oracle during exports


@dataclass
class Plan:
    """The parameters of a run. maker and comparer are the Pythons of these workers."""

    column: str
    program: Path
    maker: str
    comparer: str
    folder: Path
    dtypes: tuple
    ops: str = ""
    limit: int | None = None
    shard: int = 0
    shards: int = 1
    redo: tuple = ()
    timeout: float = 60
    batch: int = 100
    keep: Path | None = None
    environment: dict | None = None  # of the maker
    first_dtype: bool = False  # only the first dtype of each entry


@dataclass
class Batch:
    """Samples on the way from PyTorch to ONNX Runtime, and the jobs that they complete."""

    folder: Path
    records: list = field(default_factory=list)
    jobs: list = field(default_factory=list)


class Driver:
    """Measures one column."""

    def __init__(self, plan: Plan, results: Results):
        self.plan = plan
        self.results = results
        self.log = plan.folder / f"{plan.column}.log"
        self.maker = Worker([plan.maker, "-B", HERE / "maker.py"], self.log, plan.environment)
        self.comparer = Worker([plan.comparer, "-B", HERE / "comparer.py"], self.log)
        self.start = time.monotonic()

    # ---- remaining measurements

    def jobs(self) -> list:
        """Pairs of an entry and a dtype that are not complete, or have samples to repeat."""
        (listed,) = self.maker.serve({"kind": "list", "dtypes": self.plan.dtypes}, 600)
        pattern = re.compile(self.plan.ops)
        last = 1 if self.plan.first_dtype else None
        pairs = [(op, dtype) for op in listed if pattern.search(op) for dtype in listed[op][:last]]
        pairs = pairs[self.plan.shard::self.plan.shards]
        return [pair for pair in pairs if self._is_to_do(*pair)]

    def _is_to_do(self, op: str, dtype: str) -> bool:
        if not self.results.is_complete(op, dtype, self.plan.limit):
            return True
        again = self.results.numbers(op, dtype, self.plan.redo)
        return any(self.plan.limit is None or number < self.plan.limit for number in again)

    # ---- doing it

    def run(self) -> None:
        jobs = self.jobs()
        with tempfile.TemporaryDirectory(dir=self.plan.folder) as scratch:
            batch = Batch(Path(scratch))
            for number, (op, dtype) in enumerate(jobs):
                self.make(batch, number, op, dtype)
                if len(batch.records) >= self.plan.batch:
                    self.finish(batch)
                    batch = Batch(Path(scratch))
                    self.say(f"{number + 1} of {len(jobs)} jobs")
            self.finish(batch)
            self.say(f"{len(jobs)} jobs")
        self.maker.end()
        self.comparer.end()

    def say(self, text: str) -> None:
        minutes = (time.monotonic() - self.start) / 60
        print(f"{self.plan.column}: {text}, {minutes:.1f} minutes", file=sys.stderr, flush=True)

    def make(self, batch: Batch, number: int, op: str, dtype: str) -> None:
        """PyTorch's part of a job; continues after a sample at which the worker was lost."""
        key = {"op": op, "dtype": dtype}
        again = set(self.results.numbers(op, dtype, self.plan.redo))
        skip = [done for done in self.results.numbers(op, dtype) if done not in again]
        job = {"kind": "make", **key, "limit": self.plan.limit, "column": self.plan.column,
               "folder": str(batch.folder), "number": number}
        total = None
        while total is None:
            begun = NO_SAMPLE
            try:
                for message in self.maker.serve({**job, "skip": skip}, self.plan.timeout):
                    begun = message.get("begin", begun)
                    total = message.get("total", total)
                    if "sample" in message:
                        skip.append(message["sample"])
                        batch.records.append({**key, **message})
            except Lost as lost:
                outcome = UNTRACEABLE if self.plan.column in FILES else REFUSED
                record = {"sample": begun, "outcome": outcome, "reason": f"PyTorch: {lost}"}
                batch.records.append({**key, **record})
                skip.append(begun)
                if begun == NO_SAMPLE:  # it failed while drawing samples
                    total = 0
        if not self.results.is_complete(op, dtype, self.plan.limit):
            batch.jobs.append({**key, "limit": self.plan.limit, "total": total})

    def finish(self, batch: Batch) -> None:
        """The exporter's and ONNX Runtime's part, and the results into their file."""
        stems = [record["stem"] for record in batch.records if "stem" in record]
        plan, suffix = self.plan, FILES.get(self.plan.column)
        if suffix and stems:
            environment = size_oracle.environment(plan.folder / SIZES)
            outcomes = exporter.export(plan.program, stems, suffix, self.log, plan.timeout, environment)
        else:
            outcomes = dict.fromkeys(stems, {})
        for record in batch.records:
            stem = record.pop("stem", None)
            names = record.pop("names", None)
            if stem is not None:
                record.update(outcomes[stem] or self.compare(record["op"], stem, names))
                self.put_away(stem, record)
            self.results.add(record)
        for job in batch.jobs:
            self.results.add(job)

    def compare(self, op: str, stem: str, names: list) -> dict:
        job = {"op": op, "stem": stem, "names": names, "strict": self.plan.column in FILES}
        try:
            (answer,) = self.comparer.serve(job, self.plan.timeout)
        except Lost as lost:
            return {"outcome": WRONG, "reason": f"does not run: ONNX Runtime: {lost}"}
        return answer

    def put_away(self, stem: str, record: dict) -> None:
        """Removes a sample's files, or keeps those of a wrong result."""
        for file in Path(stem).parent.glob(f"{Path(stem).name}.*"):
            if self.plan.keep is not None and record["outcome"] == WRONG:
                self.plan.keep.mkdir(parents=True, exist_ok=True)
                name = f"{record['op']}-{record['dtype']}-{record['sample']}{file.suffix}"
                shutil.move(file, self.plan.keep / name)
            else:
                file.unlink()
