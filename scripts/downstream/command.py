"""Compares exports with those of PyTorch's two exporters in downstream tools.

    downstream.py                 all models and tools; writes docs/DOWNSTREAM.md
    downstream.py --only REGEX    models whose name matches; prints figures that are worse
    downstream.py --tool REGEX    only tools whose name matches
    downstream.py --slice         two models, and the tools that the tests' environment has

It fails if a figure is worse than the better peer's and downstream/reasons.py has no reason. Answers are kept in
build/downstream/answers.jsonl; --resume reuses them for unchanged files. HTP_BUILD, HTP_LIBTORCH and HTP_PYTHON are
those of the tests. The last line is N passed, N failed, N skipped.
"""

import argparse
import re
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "support"))

import harness  # noqa: E402  (needs the path above)

from downstream import document, driver, machines  # noqa: E402
from downstream.files import OURS, subject_of  # noqa: E402
from downstream.metrics import behind  # noqa: E402
from downstream.reasons import REASONS, reason_for  # noqa: E402
from downstream.tools import load_tools  # noqa: E402
from models.table import DOWNSTREAM  # noqa: E402

SLICE = ("llama-sdpa", "tagger")
ANSWERS = machines.FOLDER / "answers.jsonl"
EARLIEST = (2, 0)
# Times need a quiet machine, which a slice does not have.
TIMES = ("load", "latency")


def parser() -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    add = result.add_argument
    add("--only", default="", metavar="REGEX", help="only models whose name matches")
    add("--tool", default="", metavar="REGEX", help="only tools whose name matches")
    add("--slice", action="store_true", help=f"only {', '.join(SLICE)}, and tools at hand")
    add("--resume", action="store_true", help="no tool is given the same file again")
    return result


def chosen(arguments: argparse.Namespace) -> list:
    return [
        model for model in DOWNSTREAM
        if re.search(arguments.only, model.name)
        and (not arguments.slice or model.name in SLICE)
    ]


def failures(model: str, found: dict, used: set, with_times: bool) -> list:
    """Describes figures that are worse without a reason. Adds the reasons in use to `used`."""
    result = []
    for metric, ours, best in behind(found):
        number = reason_for(model, metric.tool, metric.figure)
        if number is not None:
            used.add(number)
        elif with_times or metric.figure not in TIMES:
            why = found[OURS].get(metric.tool, {})
            why = why.get("error") or why.get("wrong") or ""
            result.append(f"{metric.tool}: {metric.figure}: {ours} against {best} {why}".strip())
    return result


def measured(model, tools: list, is_slice: bool, known: driver.Answers) -> dict:
    with tempfile.TemporaryDirectory(dir=harness.CACHE) as folder:
        subject = subject_of(model, Path(folder))
        answers = driver.measure(subject, tools, is_slice, Path(folder), known)
        sizes = {name: path.stat().st_size for name, path in subject.paths.items() if path}
    return {"model": model.name, "refusals": subject.refusals, "bytes": sizes, "answers": answers}


def measure_all(arguments: argparse.Namespace, tools: list) -> list:
    known = driver.Answers(None if arguments.slice else ANSWERS, arguments.resume)
    records, start, models = [], time.monotonic(), chosen(arguments)
    for number, model in enumerate(models, 1):
        records.append(measured(model, tools, arguments.slice, known))
        minutes = (time.monotonic() - start) / 60
        print(f"{number} of {len(models)}, {model.name}: {minutes:.1f} minutes", file=sys.stderr,
              flush=True)
    return records


def judge(records: list, is_whole: bool) -> int:
    """Prints failures, and the line of counts."""
    used, failed = set(), 0
    for record in records:
        words = failures(record["model"], record["answers"], used, is_whole)
        for line in words:
            print(f"FAILED {record['model']}: {line}")
        failed += bool(words)
    if is_whole:
        for number, row in enumerate(REASONS):
            if number not in used:
                print(f"FAILED a reason that nothing needs: {row[:3]}")
                failed += 1
    print(f"{len(records) - min(failed, len(records))} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


def main() -> int:
    arguments = parser().parse_args()
    load_tools()
    if harness.libtorch_version() < EARLIEST:
        print("0 passed, 0 failed, 1 skipped")
        return 0
    machines.FOLDER.mkdir(parents=True, exist_ok=True)
    tools = [name for name in driver.tools_here(arguments.slice)
             if re.search(arguments.tool, name)]
    records = measure_all(arguments, tools)
    is_whole = not (arguments.only or arguments.tool or arguments.slice)
    if is_whole:
        document.write(records)
    return judge(records, is_whole)
