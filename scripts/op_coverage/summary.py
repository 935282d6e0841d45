"""The summary of a column's results."""

import re
from collections import Counter, defaultdict

from op_coverage.results import DTYPES, OUTCOMES, REFUSED, RIGHT, WRONG, Results

SHOWN = 8  # entries named per cause

# The name of an input, which does not matter to the cause.
GIVEN = re.compile(r'input "[^"]*"')


def causes_of(record: dict) -> list:
    """Why a sample failed: one cause, or one per missing operator."""
    causes = record.get("causes") or [record["reason"]]
    return sorted({GIVEN.sub("an input", cause) for cause in causes})


def counts(results: Results, dtypes: tuple = DTYPES) -> dict:
    """Outcome to number of samples, for each dtype."""
    table = {dtype: Counter() for dtype in dtypes}
    for record in results.records(*OUTCOMES):
        if record["dtype"] in table:
            table[record["dtype"]][record["outcome"]] += 1
    return table


def print_counts(column: str, results: Results) -> None:
    print(f"{column:14}" + "".join(f"{outcome:>15}" for outcome in OUTCOMES))
    table = counts(results)
    for dtype, row in table.items():
        print(f"  {dtype:12}" + "".join(f"{row[outcome]:15,}" for outcome in OUTCOMES))
    total = sum(table.values(), Counter())
    print(f"  {'all':12}" + "".join(f"{total[outcome]:15,}" for outcome in OUTCOMES))
    exportable = total[RIGHT] + total[REFUSED] + total[WRONG]
    if exportable:
        print(f"  right of what can be traced: {100 * total[RIGHT] / exportable:.1f} %")


def print_wrong(results: Results) -> None:
    wrong = results.records(WRONG)
    print(f"\nWRONG: {len(wrong)}")
    for record in sorted(wrong, key=lambda record: (record["op"], record["dtype"])):
        place = f"{record['op']} {record['dtype']} {record['sample']}"
        print(f"  {place} {record.get('arguments', '')}\n      {record['reason']}")


def print_grouped(results: Results, outcome: str) -> None:
    """Prints causes by the number of samples with only this one, then of all samples with it; with the entries of the
    database."""
    alone, samples, ops = Counter(), Counter(), defaultdict(Counter)
    for record in results.records(outcome):
        causes = causes_of(record)
        for cause in causes:
            samples[cause] += 1
            alone[cause] += len(causes) == 1
            ops[cause][record["op"]] += 1
    print(f"\n{outcome}, by cause: samples with this one alone, all samples with it, cause, entries")
    for cause in sorted(samples, key=lambda cause: (-alone[cause], -samples[cause], cause)):
        names = ", ".join(name for name, _ in ops[cause].most_common(SHOWN))
        more = f" and {len(ops[cause]) - SHOWN} more" if len(ops[cause]) > SHOWN else ""
        print(f"{alone[cause]:6,} {samples[cause]:6,}  {cause[:200]}  [{names}{more}]")
