"""docs/OPERATORS.md: the table of lowerings, and what was measured of each operator."""

import subprocess
from collections import Counter, defaultdict
from pathlib import Path

from op_coverage.results import (
    DTYPES, LIMIT, OURS, PEERS, REFUSED, RIGHT, UNTRACEABLE, WRONG, Results,
)

INTRODUCTION = """# Operators

Made by `make op-coverage OP_COVERAGE=--document` from the table of lowerings and from results; not to
be edited. PyTorch's own operator database (`op_db`) is the measure: each of its samples is traced as
a module, exported at opset 18, run in ONNX Runtime, and compared with eager mode.

**right**: the same numbers. **refused**: the exporter says that it cannot. **untraceable**: PyTorch
does not trace it. **WRONG**: other numbers, or a model that does not run. **runtime limit**: wrong in
ONNX Runtime whatever the model, shown by `tests/test_runtime_limits.py`. Samples without anything to
compare (random, gradients, sparse) are left out.
"""
SHOWN = (RIGHT, REFUSED, UNTRACEABLE, WRONG, LIMIT)


def key_of(record: dict) -> tuple:
    return record["op"], record["dtype"], record["sample"]


def count_rows(columns: dict) -> list:
    """One line for each column and dtype. A peer may have been measured on fewer samples."""
    lines = ["| exporter | dtype | " + " | ".join(SHOWN) + " |", "| --- | --- |" + " ---: |" * len(SHOWN)]
    for name, results in columns.items():
        for dtype in DTYPES:
            records = [r for r in results.records(*SHOWN) if r["dtype"] == dtype]
            found = Counter(record["outcome"] for record in records)
            if records:
                numbers = " | ".join(f"{found[outcome]:,}" for outcome in SHOWN)
                lines.append(f"| {name} | {dtype} | {numbers} |")
    return lines


def comparison(columns: dict) -> list:
    """How many of a peer's right samples are right here, and the totals on the same samples."""
    ours = {key_of(r): r["outcome"] for r in columns[OURS].records(*SHOWN)}
    lines = []
    for peer in PEERS:
        if peer not in columns:
            continue
        theirs = {key_of(r): r["outcome"] for r in columns[peer].records(*SHOWN)}
        common = [key for key in theirs if key in ours]
        right = [key for key in common if theirs[key] == RIGHT]
        both = sum(ours[key] == RIGHT for key in right)
        total = sum(ours[key] == RIGHT for key in common)
        share = 100 * both / max(len(right), 1)
        lines.append(f"- {peer}: of {len(common):,} samples that both were measured on, it gets "
                     f"{len(right):,} right and htp-trace {total:,}; of its right ones htp-trace gets "
                     f"{share:.1f} % right.")
    return lines


def overloads(program: Path) -> dict:
    """The operators of the table of lowerings, with their overloads."""
    listing = subprocess.run([program, "ops"], capture_output=True, text=True, check=True, timeout=60)
    found = defaultdict(list)
    for key in listing.stdout.split():
        name, _, overload = key.partition(".")
        found[name].append(overload or "(default)")
    return found


def operator_rows(program: Path, results: Results) -> list:
    """Samples whose program holds an operator, by outcome; then those that have no lowering."""
    found = defaultdict(Counter)
    for record in results.records(RIGHT, REFUSED, WRONG, LIMIT):
        for kind in record.get("aten", ()):
            found[kind][record["outcome"]] += 1
    table = overloads(program)
    lines = ["| operator | overloads | right | refused |", "| --- | --- | ---: | ---: |"]
    for name in sorted(table):
        counts = found[name] + found[f"{name}_"]
        numbers = f"{counts[RIGHT]:,} | {counts[REFUSED]:,}" if counts else "|"
        lines.append(f"| `{name}` | {', '.join(table[name])} | {numbers} |")
    missing = {kind: counts[REFUSED] for kind, counts in found.items()
               if kind not in table and kind.removesuffix("_") not in table and counts[REFUSED]}
    lines += ["", "## Not lowered", "", "Operators of refused samples, with their number:", ""]
    ordered = sorted(missing, key=lambda kind: (-missing[kind], kind))
    lines.append(", ".join(f"`{kind}` {missing[kind]:,}" for kind in ordered) + ".")
    return lines


def write(path: Path, program: Path, columns: dict) -> None:
    """Writes the document. columns: name to results; ours must be there."""
    parts = [INTRODUCTION, "## Counts\n", *count_rows(columns), "", *comparison(columns), "",
             "## Table\n", "Samples count for every operator that their program holds.\n",
             *operator_rows(program, columns[OURS])]
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(parts) + "\n")
