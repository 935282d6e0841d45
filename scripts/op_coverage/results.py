"""A column's results in a file: one JSON object a line, appended while a run goes on. Of several lines for
one sample the last one counts, so that a run can be resumed and parts of it done again."""

import json
from pathlib import Path

DTYPES = ("float32", "int64", "bool", "float16")

# The columns of this program, on files of TorchScript and of torch.export, and the suffixes of these files.
OURS = "htp"
PROGRAMS = "htp_pt2"
FILES = {OURS: ".pt", PROGRAMS: ".pt2"}
# Those of PyTorch's exporters.
PEERS = ("dynamo_false", "dynamo_true")

RIGHT = "right"
REFUSED = "refused"
UNTRACEABLE = "untraceable"
WRONG = "WRONG"
# Wrong in ONNX Runtime, whatever the model: rules.py.
LIMIT = "runtime limit"
# Nothing to export: it is no inference, or PyTorch itself does not compute it.
NOT_INFERENCE = "not inference"
OUTCOMES = (RIGHT, REFUSED, UNTRACEABLE, WRONG, LIMIT, NOT_INFERENCE)

# The number in a record about the samples as a whole.
NO_SAMPLE = -1


class Results:
    """All results of a column. Shards that run at the same time append to the same file."""

    def __init__(self, folder: Path, column: str):
        self.samples = {}  # (entry, dtype) to sample's number to record
        self.jobs = {}  # (entry, dtype) to {"limit", "total"}
        self.path = folder / f"{column}.jsonl"
        self.file = None
        folder.mkdir(parents=True, exist_ok=True)
        if self.path.exists():
            self._read()

    def _read(self) -> None:
        for line in self.path.read_text().splitlines():
            try:
                self._note(json.loads(line))
            except json.JSONDecodeError:
                continue  # the last line of a run that was killed

    def _note(self, record: dict) -> None:
        job = (record["op"], record["dtype"])
        if "sample" in record:
            self.samples.setdefault(job, {})[record["sample"]] = record
        else:
            self.jobs[job] = record

    def add(self, record: dict) -> None:
        """Records and writes a sample's result, or that a job is complete up to a limit."""
        self._note(record)
        if self.file is None:
            self.file = open(self.path, "a")
        self.file.write(json.dumps(record) + "\n")
        self.file.flush()  # one write per line, so that lines of other shards do not mix in

    def is_complete(self, op: str, dtype: str, limit: int | None) -> bool:
        done = self.jobs.get((op, dtype))
        if done is None:
            return False
        covered = done["limit"] is None or (limit is not None and limit <= done["limit"])
        return covered or done["total"] < done["limit"]

    def numbers(self, op: str, dtype: str, outcomes: tuple = OUTCOMES) -> list:
        """The samples of a job that have one of these outcomes."""
        known = self.samples.get((op, dtype), {})
        return [number for number, record in known.items() if record["outcome"] in outcomes]

    def records(self, *outcomes: str) -> list:
        """All samples with one of these outcomes."""
        jobs = self.samples.values()
        return [r for job in jobs for r in job.values() if r["outcome"] in outcomes]
