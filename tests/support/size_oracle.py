"""Findings of tests/oracle during exports: whether sizes, strides and memory of meta kernels equal those of libtorch's
kernels."""

import os
from collections import defaultdict
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

import harness

LIBRARY = harness.BUILD / "libhtp-oracle.so"


@dataclass
class Log:
    """The results of one or more runs of the program."""

    calls: int = 0
    checked: set = field(default_factory=set)  # operators
    layouts: set = field(default_factory=set)  # (operator, layout)
    found: dict = field(default_factory=dict)  # (operator, what differs): an example
    skipped: dict = field(default_factory=dict)  # (operator, reason): an example
    ran: dict = field(default_factory=dict)  # path of a model: operators
    reached: dict = field(default_factory=lambda: defaultdict(int))  # operator: elements of probes

    def read(self, path: Path) -> "Log":
        for line in path.read_text(errors="replace").splitlines() if path.exists() else ():
            kind, name, *rest = line.split("\t")
            if kind == "ran":
                self.ran.setdefault(name, set()).update(rest)
            elif kind == "call":
                self.calls += 1
            elif kind == "checked":
                self.checked.add(name)
                self.layouts.add((name, rest[0].split("/")[0]))
            elif kind == "found":
                self.found.setdefault((name, rest[1]), f"{rest[0]}: {' '.join(rest[2:])}")
            elif kind == "skipped":
                self.skipped.setdefault((name, rest[0]), " ".join(rest[1:]))
            elif kind == "reached":
                self.reached[name] = max(self.reached[name], int(rest[0]))
        return self


def environment(log: Path) -> dict:
    return {**os.environ, "HTP_SHIM": str(LIBRARY), "HTP_ORACLE_LOG": str(log)}


def known(table: dict, name: str, what: str) -> str | None:
    """The key of a side table's row for an operator and a finding."""
    rows = (key for key in table if key[1] == what and fnmatchcase(name, key[0]))
    return next(rows, None)


def judge(log: Log, table: dict) -> tuple:
    """Findings without a row in the side table, and rows without findings."""
    excused = {key: known(table, *key) for key in log.found}
    wrong = [f"{key[0]} ({key[1]}): {log.found[key]}" for key in sorted(log.found) if not excused[key]]
    return wrong, sorted(table.keys() - set(excused.values()))


def is_of_library(name: str) -> bool:
    """Whether an operator is neither libtorch's nor torchvision's."""
    return name.split("::")[0] not in ("aten", "prim", "quantized", "_quantized", "torchvision")
