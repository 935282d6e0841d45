"""Measures which architectures of transformers and torchvision export with the right numbers.

    zoo.py [--columns htp,dynamo_false,dynamo_true] [--only REGEX]
    zoo.py --summary | --document [--also DIR]
    zoo.py --functions [--only REGEX]
    zoo.py --pt2[=pt2,pt2_dynamo,pt2_cost] [--only REGEX] [--summary | --document]
    zoo.py --native [--only REGEX] [--summary | --document]
    zoo.py --slice [--native | --pt2]

Results go to the build folder as they come, so a stopped run can be resumed. HTP_BUILD names the build folder, and
HTP_PYTHON the Python with ONNX Runtime, PyTorch and transformers, as for the tests. Models of torchvision are made by
Debian's Python, except for --pt2. The document combines two runs: transformers with the libtorch of .venv, and --only
torchvision with Debian's, in --also DIR.
"""

import argparse
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "support"))

import harness  # noqa: E402  (needs the path above)

from op_coverage.command import comma_list, shard  # noqa: E402
from zoo import document, slice, table  # noqa: E402
from zoo.driver import Driver, Plan  # noqa: E402
from zoo.exported import command as exported
from zoo.native import command as native  # noqa: E402
from zoo.results import (
    FUNCTIONS, OURS, OUTCOMES, PEERS, PROGRAMS, PROGRAMS_COST, PROGRAMS_PEER, WRONG, Results,
)  # noqa: E402

HERE = Path(__file__).resolve().parent


def parser() -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    add = result.add_argument
    add("--columns", type=comma_list((OURS, *PEERS)), default=(OURS,), metavar="LIST",
        help=f"which exporters: {OURS} (default), {', '.join(PEERS)}")
    add("--only", default="", metavar="REGEX", help="only architectures whose name matches")
    add("--shard", type=shard, default=(0, 1), metavar="I/N", help="only the I-th of N parts")
    add("--redo", type=comma_list(OUTCOMES), default=(), metavar="LIST",
        help="measure architectures with these outcomes again")
    add("--remake", action="store_true", help="make TorchScript files anew")
    add("--timeout", type=float, default=600, metavar="S", help="for each step (default 600)")
    add("--results", type=Path, default=harness.BUILD / "zoo", metavar="DIR",
        help="default: zoo in the build folder")
    add("--also", type=Path, action="append", default=[], metavar="DIR",
        help="results of another run that the summary and the document hold, too")
    add("--summary", action="store_true", help="measure nothing, print what is known")
    add("--document", action="store_true",
        help="measure nothing, write docs/ZOO.md from what is known")
    add("--slice", action="store_true",
        help="measure twenty architectures anew, and functions of eight, which must all be right")
    add("--functions", action="store_true",
        help="measure exports with modules as functions against those without")
    add("--pt2", type=comma_list((PROGRAMS, PROGRAMS_PEER, PROGRAMS_COST)), nargs="?", const=(PROGRAMS,), metavar="LIST",
        help=f"measure programs of torch.export: {PROGRAMS} (default), {PROGRAMS_PEER}, {PROGRAMS_COST}")
    add("--native", action="store_true",
        help="measure models at the sizes at which they are used, exported without flags; with"
        " --document, write their table in docs/ZOO.md")
    add("--jobs", type=int, default=1, metavar="N", help="architectures at a time (default 1)")
    return result


def plan_of(arguments: argparse.Namespace, column: str, folder: Path) -> Plan:
    return Plan(
        column=column,
        makers={
            start: (python, "-B", HERE / "maker.py")
            for start, python in (("torchvision.", harness.DEBIAN_PYTHON), ("", harness.VENV_PYTHON))
        },
        judge=(harness.VENV_PYTHON, "-B", HERE / "judge.py"),
        folder=folder,
        only=arguments.only,
        shard=arguments.shard[0],
        shards=arguments.shard[1],
        redo=arguments.redo,
        remake=arguments.remake,
        timeout=arguments.timeout,
    )


def measure(plan: Plan, results: Results, jobs: int) -> None:
    """Runs parts of the plan in parallel; they add to the same results."""
    parts = [
        replace(plan, shard=plan.shard * jobs + job, shards=plan.shards * jobs)
        for job in range(jobs)
    ]
    with ThreadPoolExecutor(jobs) as pool:
        list(pool.map(lambda part: Driver(part, results).run(), parts))


def run_slice(arguments: argparse.Namespace) -> int:
    """Both columns of the same files."""
    found = {}
    with tempfile.TemporaryDirectory() as name:
        for column, names in slice.PARTS.items():
            found[column] = Results(Path(name), column)
            plan = replace(plan_of(arguments, column, Path(name)), names=names)
            measure(plan, found[column], max(arguments.jobs, 2))
    return 1 if slice.judge(found) else 0


def run_functions(arguments: argparse.Namespace, folder: Path) -> int:
    results = Results(folder, FUNCTIONS)
    if not arguments.summary:
        measure(plan_of(arguments, FUNCTIONS, folder), results, arguments.jobs)
    table.print_functions(results)
    return 1 if results.with_outcome(WRONG) else 0


def known_columns(folders: list) -> dict:
    """All results, by the exporter."""
    columns = {}
    for name in (OURS, *PEERS, FUNCTIONS):
        columns[name] = Results(folders[0], name)
        for folder in folders[1:]:
            columns[name].records.update(Results(folder, name).records)
    return columns


def main() -> int:
    arguments = parser().parse_args()
    if arguments.pt2:
        return exported.main(arguments, arguments.results.resolve())
    if arguments.native:
        return native.main(arguments)
    if arguments.slice:
        return run_slice(arguments)
    folder = arguments.results.resolve()
    if arguments.functions:
        return run_functions(arguments, folder)
    for column in () if arguments.summary or arguments.document else arguments.columns:
        measure(plan_of(arguments, column, folder), Results(folder, column), arguments.jobs)
    columns = known_columns([folder, *arguments.also])
    if arguments.document:
        document.write(harness.ROOT / "docs" / "ZOO.md", columns)
    else:
        table.print_all(columns)
    return 1 if table.failures(columns[OURS]) else 0
