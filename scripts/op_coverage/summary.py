"""What a column's results come to."""

import re
from collections import Counter, defaultdict

from op_coverage.results import DTYPES, OUTCOMES, REFUSED, RIGHT, WRONG, Results

# Of a reason, what differs between samples that are refused for the same one.
PLACE = re.compile(r"; \d+ times?, first .*$|, in the root module.*$| at \S+:\d+")


def causes_of(record: dict) -> list:
    """The distinct reasons of a refusal, without places."""
    return sorted({PLACE.sub("", part) for part in record.get("reason", "").split("; aten::")})


def counts(results: Results, dtypes: tuple = DTYPES) -> dict:
    """Outcome to number of samples, for each dtype."""
    table = {dtype: Counter() for dtype in dtypes}
    for record in results.samples.values():
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
    wrong = [record for record in results.samples.values() if record["outcome"] == WRONG]
    print(f"\nWRONG: {len(wrong)}")
    for record in sorted(wrong, key=lambda record: (record["op"], record["dtype"])):
        place = f"{record['op']} {record['dtype']} {record['sample']}"
        print(f"  {place} {record.get('arguments', '')}\n      {record['reason']}")


def print_grouped(results: Results, outcome: str) -> None:
    """Reasons by the number of samples, with the operators that have them."""
    samples, ops = Counter(), defaultdict(Counter)
    for record in results.samples.values():
        if record["outcome"] == outcome:
            for cause in causes_of(record):
                samples[cause] += 1
                ops[cause][record["op"]] += 1
    print(f"\n{outcome}, by reason")
    for cause, count in samples.most_common():
        names = ", ".join(name for name, _ in ops[cause].most_common(8))
        more = f" and {len(ops[cause]) - 8} more" if len(ops[cause]) > 8 else ""
        print(f"  {count:6,}  {cause[:200]}  [{names}{more}]")
