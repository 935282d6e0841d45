"""A column's results in a file: one JSON object a line. Of several lines for one architecture the
last one counts, so that a run can be resumed and parts of it done again."""

import json
from pathlib import Path

# The column of this program, and those of PyTorch's two exporters.
OURS = "htp"
PEERS = ("dynamo_false", "dynamo_true")

# The column of this program's exports with modules as functions, which are compared with those without.
FUNCTIONS = "functions"

# The column of models at native sizes, which are other models than in the other columns.
NATIVE = "native"

# The columns of the same models as programs of torch.export: of this program, and of PyTorch's exporter.
PROGRAMS = "pt2"
PROGRAMS_PEER = "pt2_dynamo"

# The column of what these programs cost, held against PyTorch's counter.
PROGRAMS_COST = "pt2_cost"

RIGHT = "right"
FIXED = "right-fixed"  # with at least one axis fixed that the eager model does not fix
REFUSED = "refused"
UNTRACEABLE = "untraceable"
WRONG = "WRONG"
OUTCOMES = (RIGHT, FIXED, REFUSED, WRONG, UNTRACEABLE)

# Fields of a record for exports without any --input: of the file, and of a copy without its recorded inputs. ENOUGH:
# the number of sizes at which a dynamic dim should be compared.
DEFAULTS = {"derived": "without --input", "bare": "without --input and recorded inputs"}
ENOUGH = 3


class Results:
    """All results of a column by the architecture's name. Parts of a run append to one file."""

    def __init__(self, folder: Path, column: str):
        self.records = {}
        self.path = folder / f"{column}.jsonl"
        folder.mkdir(parents=True, exist_ok=True)
        if self.path.exists():
            for line in self.path.read_text().splitlines():
                self._note(line)

    def _note(self, line: str) -> None:
        try:
            record = json.loads(line)
        except json.JSONDecodeError:
            return  # the last line of a run that was killed
        self.records[record["name"]] = record

    def add(self, record: dict) -> None:
        self.records[record["name"]] = record
        with open(self.path, "a") as file:
            file.write(json.dumps(record) + "\n")

    def with_outcome(self, *outcomes: str) -> list:
        return [r for r in self.records.values() if r["outcome"] in outcomes]
