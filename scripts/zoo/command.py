"""Measures which architectures of transformers and torchvision export with the right numbers.

    zoo.py [--columns htp,dynamo_false] [--only REGEX]
    zoo.py --summary

Results go to the build folder as they come; a run that is stopped goes on where it was. HTP_BUILD
names the build folder, and HTP_PYTHON the Python with ONNX Runtime, PyTorch and transformers, as
for the tests. Models of torchvision are made by Debian's Python.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

import harness  # noqa: E402  (needs the path above)

from op_coverage.command import comma_list, shard  # noqa: E402
from zoo import table  # noqa: E402
from zoo.driver import Driver, Plan  # noqa: E402
from zoo.results import OURS, OUTCOMES, PEER, Results  # noqa: E402


def parser() -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    add = result.add_argument
    add("--columns", type=comma_list((OURS, PEER)), default=(OURS,), metavar="LIST",
        help=f"which exporters: {OURS} (default), {PEER}")
    add("--only", default="", metavar="REGEX", help="only architectures whose name matches")
    add("--shard", type=shard, default=(0, 1), metavar="I/N", help="only the I-th of N parts")
    add("--redo", type=comma_list(OUTCOMES), default=(), metavar="LIST",
        help="measure architectures with these outcomes again")
    add("--remake", action="store_true", help="make TorchScript files anew")
    add("--timeout", type=float, default=600, metavar="S", help="for each step (default 600)")
    add("--results", type=Path, default=harness.BUILD / "zoo", metavar="DIR",
        help="default: zoo in the build folder")
    add("--summary", action="store_true", help="measure nothing, print what is known")
    return result


def plan_of(arguments: argparse.Namespace, column: str, folder: Path) -> Plan:
    return Plan(
        column=column,
        makers={"language": harness.VENV_PYTHON, "vision": harness.DEBIAN_PYTHON},
        judge=harness.VENV_PYTHON,
        folder=folder,
        only=arguments.only,
        shard=arguments.shard[0],
        shards=arguments.shard[1],
        redo=arguments.redo,
        remake=arguments.remake,
        timeout=arguments.timeout,
    )


def main() -> int:
    arguments = parser().parse_args()
    folder = arguments.results.resolve()
    for column in arguments.columns:
        if not arguments.summary:
            Driver(plan_of(arguments, column, folder), Results(folder, column)).run()
    ours, peer = Results(folder, OURS), Results(folder, PEER)
    table.print_all(ours, peer)
    return 1 if table.failures(ours) else 0
