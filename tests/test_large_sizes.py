"""Sizes that people use cost no arithmetic: every row of the table of lowerings is exported with free axes
that are large (tests/large_sizes.py), none is refused, and no real kernel runs on more than a few elements.

Rows that no case has a free axis of are in tests/no_free_axis.py, with the reason.
"""

import os
from pathlib import Path

import harness
import large_sizes
import no_free_axis
import operator_files
import size_oracle

TABLE = large_sizes.table()
GROUPS = sorted({name.split("/")[0] for name in TABLE})
MOST_ELEMENTS = 4096  # of a tensor that stands in for another one: core/interpret/lanes/stand_ins.c


def members(group: str) -> dict:
    """The cases of a group that the PyTorch under test makes, by number: their inputs."""
    _, entries = operator_files.made(group)
    known = {name: inputs for name, inputs in TABLE.items() if name.startswith(f"{group}/")}
    assert known.keys() <= entries.keys(), known.keys() - entries.keys()
    return {entries[name]["number"]: (name, inputs) for name, inputs in known.items()
            if "failure" not in entries[name]}


def log_path(group: str) -> Path:
    return Path(os.environ["HTP_TEST_OUTPUT"]) / "large-sizes" / f"{group}.log"


def exported(group: str) -> tuple:
    """What the program tells of each case of a group, by name, and what ran."""
    source, _ = operator_files.made(group)
    cases = members(group)
    log = log_path(group)
    log.parent.mkdir(exist_ok=True)
    with harness.scratch() as folder:
        files = []
        for number, (_, inputs) in cases.items():
            files.append(folder / f"{number}.pt")
            large_sizes.with_inputs(source / f"{number}.pt", files[-1], inputs)
        told = large_sizes.export(files, folder / "out", log)
    return {cases[number][0]: answer for number, answer in told.items()}, size_oracle.Log().read(log)


@harness.case_for_each(GROUPS)
def large_as_small(group: str) -> None:
    """Axes that are named move, or the export is refused."""
    told, log = exported(group)
    refused = {name: answer["error"] for name, answer in told.items() if answer["status"] != "ok"}
    assert not refused, refused
    large = {name: count for name, count in log.reached.items()
             if count > MOST_ELEMENTS and not size_oracle.is_of_library(name)}
    assert not large, large


@harness.case
def rows_have_large_cases() -> None:
    harness.skip_unless("PyTorch 2")
    rows = set(harness.run("ops").stdout.split())
    ran = set()
    for group in GROUPS:
        _, log = exported(group)
        ran = ran.union(*log.ran.values())
    missing = {row for row in rows if row not in ran and f"{row}_" not in ran}
    known = set(no_free_axis.ROWS)
    assert missing == known, f"no large case: {missing - known}; has one: {known - missing}"
