"""Meta kernels give the sizes, strides, offsets and aliasing of libtorch's kernels: over all operator cases, over calls
of rows of the table of lowerings, and in other layouts (tests/oracle). Every row is compared, or has its reason in
tests/support/not_compared.py.

Differences, and sizes that cannot be queried, have a row with the reason in tests/support/told_otherwise.py.
"""

import os
from pathlib import Path

import harness
import large_sizes
import no_free_axis
import not_compared
import operator_files
import row_calls
import size_oracle
import told_otherwise

CALLS = "calls of rows"
GROUPS = sorted([CALLS, *(operator_files.group_of(file) for file in operator_files.FILES)])
OPSET = 18
LAYOUTS = {"given", "dense", "transposed", "channels-last", "expanded", "sliced"}


def export_small_calls(folder: Path, log: Path) -> None:
    copies = row_calls.small(folder / "small")
    told = large_sizes.export(list(copies.values()), folder / "out", log, row_calls.OPSET, compares=True)
    refused = {row: row_calls.words_of(told[file.stem]) for row, file in copies.items()
               if told[file.stem]["status"] != "ok"}
    known = row_calls.refused()
    assert refused.keys() == known.keys(), refused
    assert all(part in refused[row] for row, part in known.items()), refused


def log_of(group: str) -> size_oracle.Log:
    """Findings over the cases of one file, or over calls of rows; once in a run."""
    folder = Path(os.environ["HTP_TEST_OUTPUT"]) / "told-sizes"

    def write(log: Path) -> None:
        log.touch()
        with harness.scratch() as out:
            if group == CALLS:
                export_small_calls(out, log)
            else:
                operator_files.export(group, out, OPSET, env=size_oracle.environment(log))

    return size_oracle.Log().read(harness.once_in_a_run(folder / f"{group}.log", write))


def all_logs() -> size_oracle.Log:
    log = size_oracle.Log()
    for group in GROUPS:
        log_of(group)
        log.read(Path(os.environ["HTP_TEST_OUTPUT"]) / "told-sizes" / f"{group}.log")
    return log


def excuses() -> dict:
    return told_otherwise.excuses(harness.libtorch_version())


@harness.case_for_each(GROUPS)
def told_as_given(group: str) -> None:
    log = log_of(group)
    assert log.calls > 0, "nothing was compared"
    wrong, _ = size_oracle.judge(log, excuses())
    assert not wrong, "\n".join(wrong[:20])


@harness.case
def layouts_are_asked() -> None:
    seen = {layout for _, layout in all_logs().layouts}
    assert LAYOUTS <= seen, seen


@harness.case
def excuses_are_needed() -> None:
    _, unused = size_oracle.judge(all_logs(), excuses())
    assert not unused, unused


@harness.case
def rows_are_compared() -> None:
    """Every row that this libtorch has, at least once."""
    checked = all_logs().checked
    rows = set(harness.run("ops").stdout.split()) & row_calls.made().operators
    names = {row: no_free_axis.ALIASES.get(row, row) for row in rows}
    missing = {row for row, name in names.items() if not {name, f"{name}_"} & checked}
    known = not_compared.ROWS & rows
    unknown = missing - known - set(no_free_axis.NOT_ASKED)
    assert not unknown and known <= missing, f"not compared: {unknown}; compared: {known - missing}"
