"""A fast part of the measurement for continuous integration: one sample of every entry.

Failures are listed beside this file, so that regressions are found: lines of an entry and its outcome, in a file for
each libtorch, and in one for programs of torch.export.
"""

from pathlib import Path

from op_coverage.results import NOT_INFERENCE, OURS, OUTCOMES, RIGHT, UNTRACEABLE, WRONG, Results

HERE = Path(__file__).resolve().parent
# Outcomes without a program to export.
NOT_MADE = (NOT_INFERENCE, UNTRACEABLE)
HEADER = "# Entries whose first sample is not right; made by op_coverage.py --slice --record.\n"


def path_for(version: tuple, column: str) -> Path:
    name = f"{version[0]}.{version[1]}" if column == OURS else column
    return HERE / f"slice-{name}.txt"


def read(path: Path) -> dict:
    lines = [line.split("\t") for line in path.read_text().splitlines() if not line.startswith("#")]
    return dict(lines)


def record(path: Path, results: Results) -> None:
    others = [r for r in results.records(*OUTCOMES) if r["outcome"] not in (RIGHT, WRONG)]
    lines = sorted(f"{r['op']}\t{r['outcome']}\n" for r in others)
    path.write_text(HEADER + "".join(lines))


def failure_of(result: dict, expected: dict) -> str | None:
    """Why a sample fails the run. A listed one that became right passes, and is named."""
    op, outcome = result["op"], result["outcome"]
    if outcome == RIGHT:
        if op in expected:
            print(f"{op}: is right now, no more {expected[op]}: record the slice again")
        return None
    if outcome == expected.get(op) and outcome != WRONG:
        return None
    return f"{outcome}, not {expected.get(op, RIGHT)}: {result['reason']}"


def judge(path: Path, results: Results) -> int:
    """Prints each failure, and the line of counts. @return 0 if nothing failed."""
    expected = read(path)
    found = results.records(*OUTCOMES)
    failed = skipped = 0
    for result in sorted(found, key=lambda result: result["op"]):
        failure = failure_of(result, expected)
        if failure is not None:
            failed += 1
            print(f"FAILED {result['op']} {result['dtype']}: {failure}")
        elif result["outcome"] in NOT_MADE:
            skipped += 1
    print(f"{len(found) - failed - skipped} passed, {failed} failed, {skipped} skipped")
    return failed if found else 1
