"""Measures tags of this program's exports, and of other exporters' files, by `htp-trace quality`.

    quality.py                  all models; writes docs/QUALITY.md and docs/quality.html
    quality.py --only REGEX     models whose name matches; prints their tables
    quality.py --slice          four small ones

Each model's export must have every tag right; wrong ones fail, with the nodes. HTP_BUILD, HTP_LIBTORCH and HTP_PYTHON
are those of the tests. The last line is N passed, N failed, N skipped.
"""

import argparse
import re
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "support"))

import harness  # noqa: E402  (needs the path above)

from models.table import QUALITY  # noqa: E402
from quality import document, driver, expectations, page  # noqa: E402

SLICE = ("test-transformer", "bert-tiny-30522", "reuse", "branching")
EARLIEST = (2, 0)
TOO_EARLY = "the models are made by a PyTorch whose files this libtorch does not read"


def parser() -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    add = result.add_argument
    add("--only", default="", metavar="REGEX", help="only models whose name matches")
    add("--slice", action="store_true", help=f"only {', '.join(SLICE)}")
    return result


def chosen(arguments: argparse.Namespace) -> list:
    return [
        model for model in QUALITY
        if re.search(arguments.only, model.name)
        and (not arguments.slice or model.name in SLICE)
    ]


class Tally:
    """Counts models, and prints failures."""

    def __init__(self):
        self.passed = 0
        self.failed = 0
        self.skipped = 0

    def note(self, name: str, failures: list) -> None:
        for words in failures:
            print(f"FAILED {name}: {words}")
        self.failed += bool(failures)
        self.passed += not failures

    def line(self) -> str:
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


def measure_all(models: list, folder: Path, tally: Tally) -> list:
    """Measures the models. @return the results by model"""
    rows, start = [], time.monotonic()
    for number, model in enumerate(models, 1):
        try:
            found = driver.measure(model, folder)
            tally.note(model.name, expectations.failures(found[0]))
            rows.append(found)
        except driver.Fails as error:
            tally.note(model.name, [str(error)])
        minutes = (time.monotonic() - start) / 60
        print(f"{number} of {len(models)}, {model.name}: {minutes:.1f} minutes", file=sys.stderr,
              flush=True)
    return rows


def write_documents(rows: list, folder: Path) -> None:
    docs, alone = harness.ROOT / "docs", folder / "page.html"
    document.write(docs / "QUALITY.md", rows)
    driver.run("quality", driver.ours_in(folder, rows[0][0].model), "--html", alone)
    page.write(docs / "quality.html", alone, rows)


def main() -> int:
    arguments = parser().parse_args()
    models, tally = chosen(arguments), Tally()
    if harness.libtorch_version() < EARLIEST:
        tally.skipped = len(models)
        print(f"skipped: {TOO_EARLY}")
    else:
        with tempfile.TemporaryDirectory(dir=harness.BUILD) as folder:
            rows = measure_all(models, Path(folder), tally)
            if len(rows) == len(QUALITY):
                write_documents(rows, Path(folder))
            else:
                print("\n".join(document.tables(rows)))
    print(tally.line())
    return 1 if tally.failed else 0
