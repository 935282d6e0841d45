"""Runs the cases of every tests/cases/*/test_*.py; the last line is `N passed, N failed, N skipped`.

HTP_SHARE=1/2 takes the first of two shares.
"""

import argparse
import ctypes
import functools
import importlib
import multiprocessing
import os
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "support"))

import torch  # noqa: E402

import harness  # noqa: E402  (needs the path above)

OK, FAILED, SKIPPED = "ok", "FAILED", "skipped"
SLOW_FIRST = ("large", "gpt2", "vit-b-16", "convnext", "resnet50", "damage")
SHOWN = 10  # of the slowest cases


def load_cases() -> None:
    for file in sorted(HERE.glob("cases/*/test_*.py")):
        try:
            importlib.import_module(file.stem)
        except Exception:
            failure = traceback.format_exc(limit=-3)
            name = f"{file.stem.removeprefix('test_')}/import"
            harness.CASES.append(harness.Case(name, broken_import, (failure,)))


def start_worker(runner: int) -> None:
    """A worker ends with the runner, however that ends. The workers share the cores: one thread
    each for torch, as onnxruntime is told to use."""
    set_parent_death_signal = 1
    ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)
    if os.getppid() != runner:  # gone already
        os._exit(1)
    warnings.filterwarnings("ignore")
    load_cases()
    torch.set_num_threads(1)


def collect(filters: list, with_slow: bool) -> list:
    load_cases()
    cases = [c for c in harness.CASES if not filters or any(f in c.name for f in filters)]
    if not with_slow and not filters:
        cases = [c for c in cases if not c.name.startswith("slow_")]

    of = harness.share()
    cases = [c for c in cases if harness.is_in_share(c.name, of)]
    return sorted(cases, key=ranks(cases).get)


def ranks(cases: list) -> dict:
    """In which order cases run: the slow ones first, so that no worker waits at the end for another one; then
    one of each kind, which makes what others of it need, so that none waits for what another one makes."""
    found, kinds = {}, set()
    for case in cases:
        hits = [i for i, word in enumerate(SLOW_FIRST) if word in case.name]
        kind = "/".join(case.name.split("/")[:3])
        found[case] = min(hits, default=len(SLOW_FIRST) + (kind in kinds))
        kinds.add(kind)
    return found


def broken_import(failure: str) -> None:
    raise ImportError(failure)


@functools.cache
def cases_by_name() -> dict:
    return {case.name: case for case in harness.CASES}


def perform(name: str) -> tuple:
    """Runs one case in a worker; returns its name, seconds, outcome, and reason."""
    begin = time.monotonic()
    outcome, why = OK, ""
    try:
        harness.skip_unless_it_runs_here(name)
        cases_by_name()[name]()
    except harness.Skipped as skipped:
        outcome, why = (SKIPPED, str(skipped)) if str(skipped) else (FAILED, "skipped without a reason")
    except Exception:
        outcome, why = FAILED, traceback.format_exc(limit=-6)
    return name, time.monotonic() - begin, outcome, why


def print_slowest(seconds: dict) -> None:
    slowest = sorted(seconds, key=seconds.get, reverse=True)[:SHOWN]
    print(f"  the slowest of {len(seconds)} cases, which took {sum(seconds.values()):.0f} s together:")
    for name in slowest:
        print(f"    {seconds[name]:6.1f} s {name}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("filters", nargs="*", help="run the cases whose name holds one of these")
    parser.add_argument("--slow", action="store_true", help="also the cases that take minutes")
    parser.add_argument("--jobs", type=int, default=2, help="cases at a time (default 2)")
    parser.add_argument("--list", action="store_true", help="only print the names")
    arguments = parser.parse_args()
    cases = collect(arguments.filters, arguments.slow)
    if arguments.list:
        print(*(c.name for c in cases), sep="\n")
        return 0
    counts, spent = Counter(), {}
    with tempfile.TemporaryDirectory(prefix="tests-", dir=harness.BUILD) as folder:
        os.environ["HTP_TEST_OUTPUT"] = folder
        # Not forked: the libraries that the tests import have threads already.
        fresh = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(arguments.jobs, fresh, start_worker, (os.getpid(),)) as pool:
            for name, seconds, outcome, why in pool.map(perform, [c.name for c in cases]):
                counts[outcome] += 1
                spent[name] = seconds
                print(f"  {outcome:7} {name} ({seconds:.1f} s)", flush=True)
                if why:
                    print("    " + why.rstrip().replace("\n", "\n    "), flush=True)
    print_slowest(spent)
    print(f"{counts[OK]} passed, {counts[FAILED]} failed, {counts[SKIPPED]} skipped")
    return 1 if counts[FAILED] or not counts[OK] else 0


if __name__ == "__main__":
    sys.exit(main())
