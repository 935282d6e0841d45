"""Measures which samples of PyTorch's operator database export with the right numbers.

    op_coverage.py [--columns htp,htp_pt2,dynamo_false,dynamo_true] [--ops REGEX] [--dtypes LIST]
    op_coverage.py --summary
    op_coverage.py --document [--also VERSION=DIR]
    op_coverage.py --slice [--columns htp,htp_pt2] [--record]

Results go to the build folder as they come, so a stopped run can be resumed. HTP_BUILD names the build folder, and
HTP_PYTHON the Python with ONNX Runtime and PyTorch, as for the tests.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "support"))

import harness  # noqa: E402  (needs the path above)
import size_oracle  # noqa: E402
import told_otherwise  # noqa: E402

from op_coverage import document, peers, slice, summary  # noqa: E402
from op_coverage.driver import SIZES, Driver, Plan  # noqa: E402
from op_coverage.results import (  # noqa: E402
    DTYPES, FILES, NOT_INFERENCE, OURS, OUTCOMES, PEERS, REFUSED, UNTRACEABLE, WRONG, Results,
)


def comma_list(allowed: tuple):
    """An argument type: some of these words, separated by commas."""

    def parse(text: str) -> tuple:
        words = tuple(text.split(","))
        for word in words:
            if word not in allowed:
                raise argparse.ArgumentTypeError(f"{word} is none of {', '.join(allowed)}")
        return words

    return parse


def shard(text: str) -> tuple:
    number, _, count = text.partition("/")
    if not (number.isdigit() and count.isdigit() and 1 <= int(number) <= int(count)):
        raise argparse.ArgumentTypeError("a shard is 1/4, 2/4...")
    return int(number) - 1, int(count)


def named_folder(text: str) -> tuple:
    name, _, folder = text.partition("=")
    return name, Path(folder)


def parser() -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    add = result.add_argument
    add("--columns", type=comma_list((*FILES, *PEERS)), default=(OURS,), metavar="LIST",
        help=f"which exporters: {OURS} (default), {', '.join((*FILES, *PEERS)[1:])}")
    add("--ops", default="", metavar="REGEX", help="only entries whose name matches")
    add("--dtypes", type=comma_list(DTYPES), default=DTYPES, metavar="LIST",
        help=f"only these (default {','.join(DTYPES)})")
    add("--limit-samples", type=int, metavar="N", help="only the first N samples of each entry")
    add("--shard", type=shard, default=(0, 1), metavar="I/N", help="only the I-th of N parts")
    add("--redo", type=comma_list(OUTCOMES), default=(), metavar="LIST",
        help="measure samples with these outcomes again")
    add("--timeout", type=float, default=60, metavar="S", help="for each sample (default 60)")
    add("--keep", type=Path, metavar="DIR", help="keep the files of wrong results there")
    add("--results", type=Path, default=harness.BUILD / "op-coverage", metavar="DIR",
        help="default: op-coverage in the build folder")
    add("--document", action="store_true",
        help="measure nothing, write docs/OPERATORS.md from what is known")
    add("--also", type=named_folder, action="append", default=[], metavar="VERSION=DIR",
        help="count in the document also the results with another libtorch")
    add("--summary", action="store_true", help="measure nothing, print what is known")
    add("--slice", action="store_true",
        help="measure the first sample of every entry anew, and compare with what is recorded")
    add("--record", action="store_true", help="record the slice instead")
    return result


def lent(folder: Path) -> dict:
    """An environment that lends Debian's Python the one module which PyTorch's operator database needs and Debian
    lacks: a pure Python module of .venv."""
    where = "import expecttest; print(expecttest.__path__[0])"
    command = [harness.VENV_PYTHON, "-c", where]
    package = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    modules = folder / "modules"
    modules.mkdir(parents=True, exist_ok=True)
    link = modules / "expecttest"
    if not link.exists():
        link.symlink_to(package)
    return {**os.environ, "PYTHONPATH": str(modules)}


def plan_of(arguments: argparse.Namespace, column: str, folder: Path) -> Plan:
    is_old = harness.libtorch_version() < (2, 0)
    return Plan(
        column=column,
        program=harness.PROGRAM,
        maker=harness.DEBIAN_PYTHON if is_old else harness.VENV_PYTHON,
        comparer=harness.VENV_PYTHON,
        folder=folder,
        dtypes=arguments.dtypes,
        ops=arguments.ops,
        limit=arguments.limit_samples,
        shard=arguments.shard[0],
        shards=arguments.shard[1],
        redo=arguments.redo,
        timeout=arguments.timeout,
        keep=arguments.keep,
        environment=lent(folder) if is_old else None,
        first_dtype=arguments.slice,
    )


def print_summary(column: str, results: Results) -> None:
    summary.print_counts(column, results)
    for outcome in (NOT_INFERENCE, UNTRACEABLE, REFUSED):
        summary.print_grouped(results, outcome)
    summary.print_wrong(results)


def judge_sizes(folder: Path) -> int:
    """Counts sizes that differ from those of libtorch's kernels without a known reason."""
    log = size_oracle.Log().read(folder / SIZES)
    excuses = told_otherwise.excuses(harness.libtorch_version()) | told_otherwise.OVER_SAMPLES
    wrong, _ = size_oracle.judge(log, excuses)
    print(f"sizes: {log.calls} calls of {len(log.checked)} operators compared, {len(wrong)} told wrongly")
    print(*(f"  {line}" for line in wrong), sep="\n", end="\n" if wrong else "")
    return len(wrong)


def known_columns(folder: Path) -> dict:
    names = [name for name in (*FILES, *PEERS) if (folder / f"{name}.jsonl").exists()]
    return {name: Results(folder, name) for name in names}


def run_slice(arguments: argparse.Namespace, column: str) -> int:
    arguments.limit_samples = 1
    with tempfile.TemporaryDirectory() as name:
        results = Results(Path(name), column)
        Driver(plan_of(arguments, column, Path(name)), results).run()
        wrong = judge_sizes(Path(name)) if column == OURS else 0
    path = slice.path_for(harness.libtorch_version(), column)
    if arguments.record:
        slice.record(path, results)
    return 1 if slice.judge(path, results) or wrong else 0


def main() -> int:
    arguments = parser().parse_args()
    if arguments.slice:
        return max(run_slice(arguments, column) for column in arguments.columns)
    folder = arguments.results.resolve()
    if arguments.document:
        others = {f"htp-trace, libtorch {name}": Results(path, OURS) for name, path in arguments.also}
        path = harness.ROOT / "docs" / "OPERATORS.md"
        document.write(path, harness.PROGRAM, known_columns(folder), others)
        return 0
    wrong = 0
    for column in arguments.columns:
        results = Results(folder, column)
        if not arguments.summary:
            Driver(plan_of(arguments, column, folder), results).run()
        print_summary(column, results)
        if column in FILES:
            wrong += len(results.records(WRONG))
    wrong += judge_sizes(folder) if OURS in arguments.columns else 0
    known = known_columns(folder)
    if arguments.summary and len(known) > 1 and OURS in known:
        peers.print_gaps(known)
    return 1 if wrong else 0
