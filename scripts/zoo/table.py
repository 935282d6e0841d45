"""The table of results: a line per architecture, and the causes of failures."""

from collections import Counter, defaultdict

from zoo.results import (
    DEFAULTS, ENOUGH, FIXED, FUNCTIONS, OURS, OUTCOMES, PEERS, REFUSED, RIGHT, UNTRACEABLE, WRONG, Results,
)

SHOWN = 8  # architectures named per cause
ROW = "{:52} {:10} {:>6} {:12} {:>9} {:16} {:>7} {:10} {:10} {:12} {:12} {}"


def default_outcomes(record: dict) -> list:
    """The outcomes of exports without --input."""
    return [record[name]["outcome"] for name in DEFAULTS if name in record]


def is_failure(record: dict) -> bool:
    """Failures: a wrong number, or a violated property of tags."""
    return WRONG in (record["outcome"], *default_outcomes(record)) or bool(record.get("tags"))


def failures(results: Results) -> list:
    return [record for record in results.records.values() if is_failure(record)]


def tags_of(record: dict) -> str:
    if "tags" not in record:
        return ""
    return "hold" if not record["tags"] else "NOT " + ",".join(record["tags"])


def default_of(record: dict, name: str) -> str:
    """The outcome of an export without --input, and the number of sizes at which its dynamic dims were right."""
    found = record.get(name, {})
    sizes = f" {found['sizes']}" if found.get("dynamic") and "sizes" in found else ""
    return found.get("outcome", "") + sizes


def row(record: dict, peers: list) -> str:
    difference = f"{record['difference']:.1e}" if "difference" in record else ""
    return ROW.format(
        record["name"], record.get("kind", ""), record.get("nodes", ""),
        record["outcome"], difference, tags_of(record),
        record.get("seconds", ""), *(default_of(record, name) for name in DEFAULTS),
        *(peer.get("outcome", "") for peer in peers), "; ".join(causes_of(record))[:160],
    ).rstrip()


def causes_of(record: dict) -> list:
    """Why it is not right: one cause, or one per missing operator."""
    return record.get("causes") or ([record["reason"]] if "reason" in record else [])


def print_table(columns: dict) -> None:
    print(ROW.format("architecture", "kind", "nodes", "outcome", "max diff", "tags", "seconds",
                     "no flags", "no record", *PEERS, "unsupported, or why"))
    for name, record in sorted(columns[OURS].records.items()):
        if record["outcome"] != UNTRACEABLE:
            print(row(record, [columns[peer].records.get(name, {}) for peer in PEERS]))


def print_counts(column: str, results: Results) -> None:
    counts = Counter(record["outcome"] for record in results.records.values())
    print(f"{column:14}" + "".join(f"{o:>14}{counts[o]:5}" for o in OUTCOMES))
    made = sum(counts.values()) - counts[UNTRACEABLE]
    if made:
        print(f"{'':14} right of what can be traced: "
              f"{100 * (counts[RIGHT] + counts[FIXED]) / made:.1f} % of {made}")


def print_grouped(results: Results, outcome: str) -> None:
    """Prints causes by the number of architectures with only this one, then of all with it."""
    alone, named = Counter(), defaultdict(list)
    for record in results.with_outcome(outcome):
        causes = set(causes_of(record))
        for cause in causes:
            named[cause].append(record["name"])
            alone[cause] += len(causes) == 1
    print(f"\n{outcome}, by cause: blocked by it alone, all that have it, cause, architectures")
    for cause in sorted(named, key=lambda cause: (-alone[cause], -len(named[cause]), cause)):
        names = ", ".join(named[cause][:SHOWN])
        more = f" and {len(named[cause]) - SHOWN} more" if len(named[cause]) > SHOWN else ""
        print(f"{alone[cause]:5} {len(named[cause]):5}  {cause[:240]}  [{names}{more}]")


def print_broken_tags(results: Results) -> None:
    broken = [record for record in results.records.values() if record.get("tags")]
    print(f"\ntag properties that do not hold: {len(broken)}")
    for record in broken:
        for name, words in record["tags"].items():
            print(f"  {record['name']}: {name}: {words}")


def defaults_in_words(records: list, name: str) -> str:
    """Outcomes of exports without any --input, and how far their dynamic dims were tested."""
    known = [record[name] for record in records if name in record]
    counts = Counter(found["outcome"] for found in known)
    claims = [found for found in known if found.get("dynamic") and "sizes" in found]
    enough = sum(found["sizes"] >= ENOUGH for found in claims)
    words = ", ".join(f"{count} {outcome}" for outcome, count in counts.most_common())
    return (f"{DEFAULTS[name]}: {words}; {enough} of {len(claims)} with dynamic dims"
            f" compared at {ENOUGH} sizes or more")


def print_defaults(results: Results) -> None:
    records = list(results.records.values())
    for name in DEFAULTS:
        print("\n" + defaults_in_words(records, name))
        for record in records:
            found = record.get(name, {"outcome": RIGHT})
            if found["outcome"] not in (RIGHT, record["outcome"]):
                print(f"  {record['name']}: {found['outcome']}: {found['reason'][:200]}")


def functions_in_words(results: Results) -> str:
    right, wrong = results.with_outcome(RIGHT), results.with_outcome(WRONG)
    functions, calls = (sum(r[key] for r in right) for key in ("functions", "calls"))
    return (f"with modules as functions {len(right)} of {len(right) + len(wrong)} are the exports"
            f" without: {functions:,} functions, which run {calls:,} times")


def print_functions(results: Results) -> None:
    for record in sorted(results.with_outcome(RIGHT), key=lambda record: record["name"]):
        print(f"{record['name']:52} {record['functions']:6} functions, {record['calls']:6} calls")
    print_grouped(results, WRONG)
    print()
    print_counts(FUNCTIONS, results)
    print(functions_in_words(results))


def print_all(columns: dict) -> None:
    """columns: name of the exporter to its results."""
    ours = columns[OURS]
    print_table(columns)
    print()
    for column, results in columns.items():
        if results.records:
            print_counts(column, results)
    if columns[FUNCTIONS].records:
        print("\n" + functions_in_words(columns[FUNCTIONS]))
    print_defaults(ours)
    print_broken_tags(ours)
    for outcome in (UNTRACEABLE, FIXED, REFUSED, WRONG):
        print_grouped(ours, outcome)
