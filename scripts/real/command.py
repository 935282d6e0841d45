"""Exports TorchScript files that others published in packages on PyPI.

    real.py                  all files; prints what came out
    real.py --only REGEX     the packages whose name matches
    real.py --document       all files; writes docs/REAL.md

Files stay in build/real, and are fetched again only if their bytes differ from the table. Each export and its tags
must be right, or it must be refused for the reason in the table. HTP_BUILD and HTP_LIBTORCH_VERSION are those of the
tests. The last line is N passed, N failed, N skipped.
"""

import argparse
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "support"))

import harness  # noqa: E402  (needs the path above)

from quality.command import Tally  # noqa: E402
from real import document, download, table  # noqa: E402
from real.judge import Judged, judge  # noqa: E402

FOLDER = harness.ROOT / "build" / "real"


def parser() -> argparse.ArgumentParser:
    result = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    add = result.add_argument
    add("--only", default="", metavar="REGEX", help="only packages whose name matches")
    add("--document", action="store_true", help="write docs/REAL.md")
    return result


def failures(judged: Judged) -> list:
    """The failures of a case, as text."""
    if judged.is_fine:
        return []
    expected = f"not refused: {judged.case.refused}" if judged.case.refused else ""
    return [", ".join(filter(None, (judged.outcome, expected, judged.reason, *judged.problems)))]


def judge_package(package: table.Package, scratch: Path, tally: Tally) -> list:
    """A Judged of each case."""
    try:
        download.fetch(package, FOLDER)
    except download.NotFetched as error:
        tally.note(package.name, [str(error)])
        return []
    rows = []
    for file in package.files:
        for case in file.cases:
            path = download.path_of(FOLDER, package, file)
            rows.append(judge(package, file, case, path, scratch))
            name = f"{package.name}, {path.name}, {case.name}"
            print(f"{name}: {rows[-1].outcome}", file=sys.stderr, flush=True)
            tally.note(name, failures(rows[-1]))
    return rows


def main() -> int:
    arguments = parser().parse_args()
    if arguments.document and arguments.only:
        sys.exit("--document is of all packages")
    rows, tally = [], Tally()
    names = {package.name for package in table.PACKAGES}
    with tempfile.TemporaryDirectory(dir=harness.BUILD) as scratch:
        for package in table.PACKAGES:
            if re.search(arguments.only, package.name):
                rows += judge_package(package, Path(scratch), tally)
    if arguments.document and {row.package.name for row in rows} == names:
        document.write(harness.ROOT / "docs" / "REAL.md", rows)
    else:
        print("\n".join(document.tables(rows)))
    print(tally.line())
    return 1 if tally.failed else 0
