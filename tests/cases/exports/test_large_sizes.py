"""Realistic sizes cost no arithmetic: every row of the table of lowerings is exported with free axes that are large
(tests/support/large_sizes.py), none is refused, and no real kernel runs on more than a few elements.

Rows that those cases do not run are called alone (tests/operators/large_rows.txt). Rows that libtorch never runs at
large sizes are in tests/support/no_free_axis.py, with the reason.
"""

import functools
import json
import os
from pathlib import Path

import harness
import large_sizes
import no_free_axis
import operator_files
import row_calls
import size_oracle

TABLE = large_sizes.table()
GROUPS = sorted({name.split("/")[0] for name in TABLE})
MOST_ELEMENTS = 4096  # of a probe: core/interpret/lanes/probe.c


def members(group: str) -> dict:
    """The cases of a group that the PyTorch under test makes, by number: their inputs."""
    _, entries = operator_files.made(group)
    known = {name: inputs for name, inputs in TABLE.items() if name.startswith(f"{group}/")}
    assert known.keys() <= entries.keys(), known.keys() - entries.keys()
    return {entries[name]["number"]: (name, inputs) for name, inputs in known.items()
            if "failure" not in entries[name]}


def export(group: str, told_to: Path, log: Path) -> None:
    """Writes the program's answer for each case, by number, and the operators that ran."""
    source, _ = operator_files.made(group)
    with harness.scratch() as folder:
        files = []
        for number, (_, inputs) in members(group).items():
            files.append(folder / f"{number}.pt")
            large_sizes.with_inputs(source / f"{number}.pt", files[-1], inputs)
        told_to.write_text(json.dumps(large_sizes.export(files, folder / "out", log)))


def exported(group: str) -> tuple:
    """The program's answer for each case of a group, by name, and the operators that ran; once in a run."""
    folder = Path(os.environ["HTP_TEST_OUTPUT"]) / "large-sizes"
    told, log = folder / f"{group}.json", folder / f"{group}.log"
    harness.once_in_a_run(told, lambda into: export(group, into, log))
    answers = json.loads(told.read_text())
    return {name: answers[number] for number, (name, _) in members(group).items()}, size_oracle.Log().read(log)


@harness.case_for_each(GROUPS)
def large_as_small(group: str) -> None:
    """Named axes are dynamic, or the export is refused."""
    told, log = exported(group)
    refused = {name: answer["error"] for name, answer in told.items() if answer["status"] != "ok"}
    earlier = {} if harness.holds("PyTorch 2") else {
        name: part for name, part in no_free_axis.EARLIER.items() if name.startswith(f"{group}/")}
    assert refused.keys() == earlier.keys(), refused
    assert all(part in refused[name] for name, part in earlier.items()), refused
    large = {name: count for name, count in log.reached.items()
             if count > MOST_ELEMENTS and not size_oracle.is_of_library(name)}
    assert not large, large


@functools.cache
def called() -> tuple:
    """For each call of large_rows.txt, by row: the program's answer, the overloads in its file, and those that libtorch
    ran."""
    calls = row_calls.made()
    with harness.scratch() as folder:
        log = folder / "log"
        told = large_sizes.export(list(calls.files.values()), folder / "out", log, row_calls.OPSET)
        read = size_oracle.Log().read(log)
    asked = {row: read.ran.get(str(file), set()) for row, file in calls.files.items()}
    return {row: told[file.stem] for row, file in calls.files.items()}, calls.held, asked, read.reached


def runs(row: str, names: set) -> bool:
    return row in names or f"{row}_" in names


def wrong(row: str) -> str | None:
    """Differences from the side tables for the call of a row."""
    told, held, asked, _ = called()
    text = row_calls.words_of(told[row])
    if row in row_calls.refused():
        return None if row_calls.refused()[row] in text else text
    if told[row]["status"] != "ok":
        return text
    name = no_free_axis.ALIASES.get(row, row)
    if name not in held[row]:
        return f"{name} is not called: {held[row]}"
    if runs(name, asked[row]) == (row in no_free_axis.NOT_ASKED):
        return f"libtorch is asked for {asked[row]}"
    return None


@harness.case
def calls_of_rows() -> None:
    """Each is exported with its axes, or refused as recorded; and runs its row in libtorch, or not, as recorded."""
    told, *_, reached = called()
    found = {row: wrong(row) for row in told if wrong(row)}
    assert not found, found
    large = {name: count for name, count in reached.items() if count > MOST_ELEMENTS}
    assert not large, large


@harness.case
def rows_have_large_cases() -> None:
    harness.skip_unless("PyTorch 2")
    rows = set(harness.run("ops").stdout.split())
    ran = set()
    for group in GROUPS:
        _, log = exported(group)
        ran = ran.union(*log.ran.values())
    told, _, asked, _ = called()
    ran = ran.union(*(asked[row] for row in told if told[row]["status"] == "ok"))
    missing = {row for row in rows if not runs(row, ran)}
    known = set(no_free_axis.ROWS)
    assert missing == known, f"no large case: {missing - known}; has one: {known - missing}"
