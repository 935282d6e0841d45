"""docs/OPERATORS.md: the table of lowerings, and the results for each operator."""

import re
import subprocess
from collections import Counter, defaultdict
from pathlib import Path

from op_coverage import peers, rules
from op_coverage.results import (
    DTYPES, LIMIT, OURS, PEERS, PROGRAMS, REFUSED, RIGHT, UNTRACEABLE, WRONG, Results,
)
from op_coverage.summary import causes_of

INTRODUCTION = """# Operators

Made by `make op-coverage OP_COVERAGE=--document` from the table of lowerings and from results; do not edit. The
measure is PyTorch's own operator database (`op_db`): each of its samples is traced as a module, exported at the lowest
opset from 18 on that it needs, run in ONNX Runtime, and compared with eager mode.

**right**: the same numbers. **refused**: the exporter refuses it. **untraceable**: PyTorch cannot trace it. **WRONG**:
other numbers, or a model that does not run. **runtime limit**: wrong in ONNX Runtime whatever the model. Samples
without comparable results are left out: random results, gradients, sparse tensors. `scripts/op_coverage/rules.py`
defines "the same".

`--opset` takes 17 to 23. Operators of later opsets are used if they compute the same: Gelu from 20 on,
RMSNormalization and Attention at 23; otherwise they are decomposed. GroupNormalization is always decomposed, because
its meaning changed at 21 and runtimes lose digits if the mean is large. RotaryEmbedding is not used: no aten operator
corresponds to it, and programs do not guarantee that the halves of their cosines are equal, which it assumes.
"""
SHOWN = (RIGHT, REFUSED, UNTRACEABLE, WRONG, LIMIT)
NAMES = {OURS: "htp-trace", PROGRAMS: "htp-trace, `.pt2`", "dynamo_false": "dynamo=False", "dynamo_true": "dynamo=True"}
CAUSES_SHOWN = 3
NAMES_SHOWN = 8
NUMBERS = re.compile(r"(?<![\w.])-?\d+(\.\d+)?(?![\w.]*::)")
FOLDERS = re.compile(r"/(?:[\w.+-]+/)+")


# ---- counts and peers ----------------------------------------------------------------------------


def count_rows(columns: dict) -> list:
    """One line for each column and dtype."""
    lines = [f"| exporter | dtype | {' | '.join(SHOWN)} |", "| --- | --- |" + " ---: |" * len(SHOWN)]
    for name, results in columns.items():
        for dtype in (*DTYPES, "all"):
            records = [r for r in results.records(*SHOWN) if dtype in (r["dtype"], "all")]
            found = Counter(record["outcome"] for record in records)
            if records:
                numbers = " | ".join(f"{found[outcome]:,}" for outcome in SHOWN)
                lines.append(f"| {NAMES.get(name, name)} | {dtype} | {numbers} |")
    return lines


def extent(results: Results) -> str:
    """How many samples of each entry and dtype were measured, as text."""
    limits = [job["limit"] for job in results.jobs.values() if job["limit"] is not None]
    if not limits:
        return "all samples"
    number = min(limits)
    first = "the first sample" if number == 1 else f"at least the first {number} samples"
    return f"{first} of each entry and dtype"


def extents(columns: dict) -> str:
    texts = [f"{NAMES.get(name, name)} on {extent(results)}" for name, results in columns.items()]
    return f"Measured: {'; '.join(texts)}."


def comparison_rows(compared: dict) -> list:
    lines = ["| peer | samples | right | WRONG | htp-trace right | of the peer's right ones |",
             "| --- | ---: | ---: | ---: | ---: | ---: |"]
    for name, comparison in compared.items():
        lines.append(
            f"| {NAMES[name]} | {len(comparison.common):,} | "
            f"{len(comparison.right):,} | {len(comparison.wrong):,} | {len(comparison.ours_right):,} | "
            f"{comparison.share():.1f} % |")
    return lines


def gap_rows(columns: dict, compared: dict) -> list:
    lines = ["| samples | entry | here | right with |", "| ---: | --- | --- | --- |"]
    for number, op, reason, names in peers.gaps(columns, compared):
        lines.append(f"| {number:,} | {op} | {plain(reason)} | {', '.join(NAMES[n] for n in names)} |")
    return lines


# ---- operators -----------------------------------------------------------------------------------


def overloads(program: Path) -> dict:
    """The operators of the table of lowerings, with their overloads."""
    listing = subprocess.run([program, "ops"], capture_output=True, text=True, check=True, timeout=60)
    found = defaultdict(list)
    for key in listing.stdout.split():
        name, _, overload = key.partition(".")
        found[name].append(overload or "(default)")
    return found


def share(counts: Counter) -> str:
    """Right ones of all: "12" if all are right, else "10/12"."""
    total = sum(counts.values())
    if not total:
        return ""
    return f"{total:,}" if counts[RIGHT] == total else f"{counts[RIGHT]:,}/{total:,}"


class Tally:
    """Outcomes of samples by dtype, and those of the peers on the same samples."""

    def __init__(self):
        self.ours = defaultdict(Counter)
        self.peers = defaultdict(Counter)
        self.causes = Counter()

    def add(self, record: dict, outcomes: dict) -> None:
        self.ours[record["dtype"]][record["outcome"]] += 1
        for name, outcome in outcomes.items():
            self.peers[name][outcome] += 1
        if record["outcome"] in (REFUSED, UNTRACEABLE, LIMIT):
            causes = [record["limit"]] if "limit" in record else causes_of(record)
            self.causes.update({f"{record['outcome']}: {cause}" for cause in causes})

    def all(self) -> Counter:
        return sum(self.ours.values(), Counter())

    def cells(self, names: list) -> list:
        total = self.all()
        return [*(share(self.ours[dtype]) for dtype in DTYPES),
                *(f"{total[name]:,}" if total[name] else "" for name in (REFUSED, UNTRACEABLE)),
                *(share(self.peers[name]) for name in names)]


def tallies(own: Results, columns: dict, keys_of) -> dict:
    """Tallies by the keys of keys_of(record)."""
    theirs = {name: peers.by_sample(columns[name]) for name in PEERS if name in columns}
    found = defaultdict(Tally)
    for record in own.records(*SHOWN):
        key = peers.key_of(record)
        outcomes = {name: samples[key]["outcome"] for name, samples in theirs.items() if key in samples}
        for name in keys_of(record):
            found[name].add(record, outcomes)
    return found


def operators_of(record: dict) -> set:
    """The operators of a sample's program; the table does not distinguish in-place forms."""
    return {kind.removesuffix("_") for kind in record.get("aten", ())}


def shared_operators(results: Results) -> dict:
    """Entry to the operators in all of its programs: the operators of a sample without a program."""
    shared = {}
    for record in results.records(*SHOWN):
        if "aten" in record:
            found = operators_of(record)
            shared[record["op"]] = shared.get(record["op"], found) & found
    return shared


def head(first: list, names: list, last: list = ()) -> list:
    titles = [*first, *DTYPES, REFUSED, UNTRACEABLE, *(NAMES[name] for name in names), *last]
    numbers = len(titles) - len(first) - len(last)
    rule = [" --- "] * len(first) + [" ---: "] * numbers + [" --- "] * len(last)
    return [f"| {' | '.join(titles)} |", f"|{'|'.join(rule)}|"]


def operator_rows(program: Path, columns: dict) -> list:
    names = [name for name in PEERS if name in columns]
    shared = shared_operators(columns[OURS])
    found = tallies(columns[OURS], columns,
                    lambda r: operators_of(r) if "aten" in r else shared.get(r["op"], ()))
    lines = head(["operator", "overloads"], names)
    table = overloads(program)
    for name in sorted(table):
        cells = [f"`{name}`", ", ".join(table[name]), *found[name.removesuffix("_")].cells(names)]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def program_rows(own: Results, columns: dict) -> list:
    """The operators of programs, by their names there: aten.add, with the overloads that were met."""
    names = [name for name in PEERS if name in columns]
    overloads = defaultdict(set)
    for record in own.records(*SHOWN):
        for kind in record.get("aten", ()):
            name, _, overload = kind.rpartition(".")
            overloads[name].add(overload)
    found = tallies(own, columns, lambda r: {kind.rpartition(".")[0] for kind in r.get("aten", ())})
    lines = head(["operator", "overloads"], names)
    for name in sorted(overloads):
        cells = [f"`{name}`", ", ".join(sorted(overloads[name])), *found[name].cells(names)]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def plain(text: str) -> str:
    """Text for a table cell, without folders of files."""
    return FOLDERS.sub("", text).replace("|", "\\|").replace("<", "&lt;")[:200]


def entry_rows(own: Results, columns: dict) -> list:
    """The entries of the database that are not right throughout, and why."""
    names = [name for name in PEERS if name in columns]
    lines = head(["entry"], names, ["why"])
    for op, tally in sorted(tallies(own, columns, lambda record: [record["op"]]).items()):
        total = tally.all()
        if total[RIGHT] < sum(total.values()):
            causes = [plain(cause) for cause, _ in tally.causes.most_common(CAUSES_SHOWN)]
            lines.append(f"| {' | '.join([op, *tally.cells(names), '; '.join(causes)])} |")
    return lines


def limit_rows(results: Results) -> list:
    found = Counter((record.get("limit"), record["op"]) for record in results.records(LIMIT))
    lines = ["| limit | entries, with samples |", "| --- | --- |"]
    for name, reason in rules.LIMITS.items():
        ops = [f"{op} {number:,}" for (limit, op), number in sorted(found.items()) if limit == name]
        lines.append(f"| {reason} | {', '.join(ops)} |")
    return lines


def refusal_rows(results: Results) -> list:
    """Why samples are refused, most samples first. A sample that several operators refuse counts for each of their
    reasons."""
    samples, operators = Counter(), defaultdict(set)
    for record in results.records(REFUSED):
        for cause in causes_of(record):
            name, _, reason = cause.partition(": ")
            is_operator = "::" in name and " " not in name
            reason = reason_of(plain(reason if is_operator else cause))
            samples[reason] += 1
            operators[reason].add(f"`{name}`" if is_operator else record["op"])
    lines = ["| samples | reason | operators |", "| ---: | --- | --- |"]
    for reason in sorted(samples, key=lambda reason: (-samples[reason], reason)):
        names = sorted(operators[reason])
        more = f" and {len(names) - NAMES_SHOWN} more" if len(names) > NAMES_SHOWN else ""
        lines.append(f"| {samples[reason]:,} | {reason} | {', '.join(names[:NAMES_SHOWN])}{more} |")
    return lines


def reason_of(text: str) -> str:
    """A reason without the numbers of one sample."""
    return NUMBERS.sub("N", text)


# ---- all of it -----------------------------------------------------------------------------------

PEERS_NOTE = """
## Peers

PyTorch's own exporters on the same samples, compared on those that both were measured on.
"""
LIMITS_NOTE = """
## Limits of ONNX Runtime

Shown with models made by hand in `tests/cases/exports/test_runtime_limits.py`.
"""
REFUSALS_NOTE = """
## Refusals by reason

Samples that htp-trace refuses. `core/lower/refusal/refusal.c` names what no exporter can write.
"""
TABLE_NOTE = """
## Table

The operators that have a lowering. A sample counts for every operator in its program: the number if all are right,
else right ones of all. Operators without a number are covered only by `tests/operators`.
"""


PROGRAMS_NOTE = """
## Programs of torch.export

The same samples, each exported by `torch.export` and read as a `.pt2` file. **untraceable**: PyTorch cannot export it,
or exports a program that computes something else.
"""
PROGRAMS_TABLE_NOTE = """
### Operators as programs name them

A sample counts for every operator in its program.
"""


def write(path: Path, program: Path, columns: dict, others: dict) -> None:
    """Writes the document. columns: results by name. others: those of other versions of libtorch, which are only
    counted. Unmeasured parts stay as they are."""
    known = path.read_text() if path.exists() else ""
    before, _, behind = known.partition(PROGRAMS_NOTE)
    if OURS in columns:
        before = measured(program, columns, others)
    if PROGRAMS in columns:
        behind = measured_programs(columns[PROGRAMS], columns)
    path.parent.mkdir(exist_ok=True)
    path.write_text(before + PROGRAMS_NOTE + behind)


def measured(program: Path, columns: dict, others: dict) -> str:
    compared = peers.comparisons(columns)
    counted = {**{name: one for name, one in columns.items() if name != PROGRAMS}, **others}
    parts = [INTRODUCTION, "## Counts\n", *count_rows(counted), "", extents(counted)]
    if compared:
        parts += [PEERS_NOTE, *comparison_rows(compared),
                  "\nWhere a peer is right and htp-trace is not:\n", *gap_rows(columns, compared)]
    parts += [REFUSALS_NOTE, *refusal_rows(columns[OURS]),
              LIMITS_NOTE, *limit_rows(columns[OURS]), TABLE_NOTE, *operator_rows(program, columns),
              "\n## Entries that are not right throughout\n", *entry_rows(columns[OURS], columns)]
    return "\n".join(parts) + "\n"


def measured_programs(own: Results, columns: dict) -> str:
    parts = ["", *count_rows({PROGRAMS: own}), "", extents({PROGRAMS: own}),
             "\n### Refusals of programs by reason\n", *refusal_rows(own),
             "\n### Entries whose programs are not right throughout\n", *entry_rows(own, columns),
             PROGRAMS_TABLE_NOTE, *program_rows(own, columns)]
    return "\n".join(parts) + "\n"
