"""Compares the output of two builds for the same TorchScript files: what they print, and every byte of the exports.

    scripts/same-exports OLD NEW [--tables LIST] [--only REGEX] [--seeds N] [--zoo DIR] [FILE...]

OLD and NEW are build folders (build/2.13.0) with one version of libtorch. Each file is exported by both, and its trace
is dumped: `--dump-after trace`. Standard output and error, exit code and files must be equal. OLD's results are kept
in its folder, so that the next NEW costs half. The exit code is 1 if something differs; the last line is `N same, N
differ`.
"""

import argparse
import os
import re
import sys
from multiprocessing import Pool
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[1]
TABLES = ("operators", "models", "custom", "random", "zoo")
MOST_TOLD = 40  # files shown per kind of difference; others are only named


def parser() -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    add = result.add_argument
    add("old", type=Path, help="a build folder: what is to be kept")
    add("new", type=Path, help="another one")
    add("files", type=Path, nargs="*", metavar="FILE", help="TorchScript files beside the tables'")
    add("--tables", default=",".join(TABLES), metavar="LIST",
        help="of the tests and of `make zoo`: all by default, \"\" for none")
    add("--only", default="", metavar="REGEX", help="only files whose name matches")
    add("--seeds", type=int, default=2000, metavar="N", help="of random programs (default 2000)")
    add("--zoo", type=Path, metavar="DIR", help="files that `make zoo` made (default: those of OLD)")
    add("--jobs", type=int, default=os.cpu_count(), metavar="N", help="at a time")
    return result


def differences(old: dict, new: dict) -> list:
    """The differences of two runs, a line each."""
    found = []
    for part in sorted(old.keys() | new.keys()):
        was, now = old.get(part), new.get(part)
        if was != now:
            found.append(f"{part}: {'' if was is None else was} became {'' if now is None else now}")
    return found


def main() -> int:
    arguments = parser().parse_args()
    old, new = arguments.old.resolve(), arguments.new.resolve()
    # The makers of the tests' files need to know the libtorch of the build under test.
    os.environ["HTP_BUILD"] = str(new)
    os.environ["OMP_NUM_THREADS"] = "1"
    sys.path.insert(0, str(SCRIPTS.parent / "tests" / "support"))

    from same_exports import runs, subjects

    tables = [table for table in arguments.tables.split(",") if table]
    zoo = arguments.zoo or old / "zoo" / "models"
    chosen = subjects.of(tables, arguments.seeds, zoo, arguments.files)
    pattern = re.compile(arguments.only)
    chosen = (subject for subject in chosen if pattern.search(subject.name))
    known = runs.Known(old)
    same = differ = 0
    with Pool(arguments.jobs, runs.begin, (old, new)) as pool:
        for subject, key, was, now in pool.imap(runs.both, known.joined(chosen), chunksize=4):
            known.add(key, was)
            lines = differences(was, now)
            same, differ = (same + 1, differ) if not lines else (same, differ + 1)
            if lines:
                print(f"{subject.name}: {subject.path} {' '.join(subject.flags)}", flush=True)
            if lines and differ <= MOST_TOLD:
                print(*(f"    {line[:400]}" for line in lines), sep="\n", flush=True)
            if (same + differ) % 500 == 0:
                print(f"{same} same, {differ} differ so far", file=sys.stderr, flush=True)
    print(f"{same} same, {differ} differ")
    return 1 if differ else 0
