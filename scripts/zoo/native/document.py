"""The second table of docs/ZOO.md: results of each model at its native size."""

import re
import statistics
from collections import Counter

from zoo.markdown import FOLDERS, head, line, plain
from zoo.results import FIXED, OUTCOMES, REFUSED, RIGHT, UNTRACEABLE, Results

TITLE = "## Native sizes"
INTRODUCTION = """
Made by `make zoo ZOO="--native --document"`. Models at the sizes at which they are used: those of torchvision whole,
with random weights, those of transformers narrow and with few layers. Each is traced at that size (detectors are
scripted), exported without any flag, and compared with libtorch's run of the same file at that size and at one more
for every dynamic axis of the export; *sizes* is the number of sizes at which libtorch itself runs. Seconds are
processor time of the whole process. *fixed*: axes that the program fixes, except channels, and by what, as `--verbose`
reports.
"""
SLOW = 3  # times the median
WHY_LENGTH = 150

FIX = re.compile(r"(\S+) is fixed to (\d+): (.*)")
CHANNELS = re.compile(r"to have \S+ channels|mat1 and mat2|running_mean")
OPERATOR = re.compile(r"(aten::\w+(?:\.\w+)?)(?: raised)? in (?:the root module|([\w.]+))")


# ---- cells ---------------------------------------------------------------------------------------


def why(words: str) -> str:
    """The operator and its module, or the words themselves."""
    found = OPERATOR.match(words)
    if not found:
        return FOLDERS.sub("", words)[:WHY_LENGTH]
    return f"{found[1]} in {found[2]}" if found[2] else found[1]


def fixed_of(record: dict) -> str:
    """Which axes are fixed, and why; one entry per cause. Notes of another form are quoted."""
    causes, others = {}, []
    for note in record.get("notes", []):
        found = FIX.match(note)
        if not found:
            others.append(FOLDERS.sub("", note)[:WHY_LENGTH])
        elif not CHANNELS.search(found[3]):
            causes.setdefault(why(found[3]), []).append(found[1])
    told = [f"{', '.join(axes)}: {cause}" for cause, axes in causes.items()]
    return "; ".join(told + others)


def reason_of(record: dict) -> str:
    if record["outcome"] == RIGHT:
        return fixed_of(record)
    return FOLDERS.sub("", record.get("reason", ""))[:2 * WHY_LENGTH]


def rows(records: list) -> list:
    lines = head(["model", "input", "outcome", "dynamic axes", "fixed, or why not", "sizes", "nodes",
                  "seconds"], 3)
    for record in records:
        lines.append(line([
            record["name"], record.get("input", ""), record["outcome"],
            ", ".join(record.get("dynamic", [])), plain(reason_of(record)), record.get("sizes", ""),
            record.get("nodes", ""), f"{record['seconds']:.2f}" if "seconds" in record else "",
        ]))
    return lines


# ---- words ---------------------------------------------------------------------------------------


# Parts of a stage's time.
STAGES = {
    "loaded": "libtorch reads {code:.1f} MB of code",
    "inputs": "inputs are guessed and tried",
    "traced": "what becomes {nodes} nodes runs at each choice of sizes",
    "lowered": "{nodes} nodes are made",
    "tagged": "{nodes} nodes are tagged",
    "written": "{nodes} nodes and the weights are written",
}
LARGE = 0.1  # of the time; smaller stages are not shown


def why_slow(record: dict) -> str:
    """How its time was spent, longest first."""
    stages = record["stages"]
    whole = sum(stages.values()) or 1
    shares = {stage: seconds / whole for stage, seconds in stages.items() if seconds > LARGE * whole}
    facts = {"code": record["code"] / 1e6, "nodes": record["nodes"]}
    return "; ".join(
        f"{100 * shares[stage]:.0f} % {stage}: {STAGES[stage].format(**facts)}"
        for stage in sorted(shares, key=shares.get, reverse=True))


def slow_ones(timed: list) -> list:
    """The median, and the table of those that take many times as long."""
    middle = statistics.median(record["seconds"] for record in timed)
    slow = [record for record in timed if record["seconds"] > SLOW * middle]
    slow.sort(key=lambda record: -record["seconds"])
    words = f"- The median is {middle:.2f} seconds, all together {sum(r['seconds'] for r in timed):.0f}."
    if not slow:
        return [f"{words} None is over {SLOW} times the median."]
    rows = [
        line([record["name"], why_slow(record), f"{record['seconds']:.2f}",
              f"{record['seconds'] / middle:.1f}"])
        for record in slow
    ]
    titles = [f"over {SLOW} times the median", "why", "seconds", "times the median"]
    return [words, "", *head(titles, 2), *rows]


def count_words(records: list) -> str:
    counts = Counter(record["outcome"] for record in records)
    told = ", ".join(f"{counts[outcome]} {outcome}" for outcome in OUTCOMES if counts[outcome])
    return f"- {len(records)} models: {told}."


def axes_words(records: list) -> str:
    written = [record for record in records if record["outcome"] in (RIGHT, FIXED)]
    none = [record["name"] for record in written if not record["dynamic"]]
    words = f"- {len(written) - len(none)} of {len(written)} have dynamic axes"
    return f"{words}; without any: {', '.join(none)}." if none else f"{words}."


def section(results: Results) -> list:
    """The lines of the section."""
    records = sorted(results.records.values(), key=lambda record: record["name"])
    made = [record for record in records if record["outcome"] != UNTRACEABLE]
    timed = [record for record in made if record["outcome"] != REFUSED and "seconds" in record]
    lost = [record for record in records if record["outcome"] == UNTRACEABLE]
    return [
        TITLE, INTRODUCTION, count_words(made), axes_words(made), *(slow_ones(timed) if timed else []),
        "", *rows(made),
        *(f"\nNot made: {record['name']}: {plain(record['reason'])}" for record in lost), "",
    ]
