"""The file of results: one JSON object a line, appended while a run goes on. Of several lines for
one sample the last one counts, so that a run can be resumed and parts of it done again."""

import json
from pathlib import Path

DTYPES = ("float32", "int64", "bool", "float16")

# The column of this program, and those of PyTorch's exporters.
OURS = "htp"
PEERS = ("dynamo_false", "dynamo_true")

RIGHT = "right"
REFUSED = "refused"
UNTRACEABLE = "untraceable"
WRONG = "WRONG"
# Nothing is to be exported: no inference, or PyTorch itself does not compute it.
NOT_INFERENCE = "not inference"
OUTCOMES = (RIGHT, REFUSED, UNTRACEABLE, WRONG, NOT_INFERENCE)


def part_path(folder: Path, column: str, shard: int, shards: int) -> Path:
    """Each shard of a column writes a file of its own."""
    suffix = f"-{shard}-of-{shards}" if shards > 1 else ""
    return folder / f"{column}{suffix}.jsonl"


class Results:
    """All results of a column, of whatever shard; new ones go to one file."""

    def __init__(self, folder: Path, column: str, own: Path):
        self.samples = {}  # (operator, dtype, number) to record
        self.jobs = {}  # (operator, dtype) to {"limit", "total"}
        self.own = own
        self.file = None
        folder.mkdir(parents=True, exist_ok=True)
        parts = [folder / f"{column}.jsonl", *folder.glob(f"{column}-*-of-*.jsonl")]
        for path in sorted(filter(Path.exists, parts), key=lambda path: path.stat().st_mtime):
            self._read(path)

    def _read(self, path: Path) -> None:
        for line in path.read_text().splitlines():
            try:
                self._note(json.loads(line))
            except json.JSONDecodeError:
                continue  # the last line of a run that was killed

    def _note(self, record: dict) -> None:
        job = (record["op"], record["dtype"])
        if "sample" in record:
            self.samples[(*job, record["sample"])] = record
        else:
            self.jobs[job] = record

    def add(self, record: dict) -> None:
        """Notes and writes a sample's result, or that a job is complete up to a limit."""
        self._note(record)
        if self.file is None:
            self.file = open(self.own, "a")
        self.file.write(json.dumps(record) + "\n")
        self.file.flush()

    def is_complete(self, op: str, dtype: str, limit: int | None) -> bool:
        done = self.jobs.get((op, dtype))
        if done is None:
            return False
        covered = done["limit"] is None or (limit is not None and limit <= done["limit"])
        return covered or done["total"] < done["limit"]

    def numbers(self, op: str, dtype: str, outcomes: tuple = OUTCOMES) -> list:
        """The samples of a job that have one of these outcomes."""
        return [
            number for (o, d, number), record in self.samples.items()
            if (o, d) == (op, dtype) and record["outcome"] in outcomes
        ]
