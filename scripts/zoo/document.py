"""docs/ZOO.md: results by architecture."""

from collections import Counter
from pathlib import Path

from zoo import table
from zoo.exported import document as exported
from zoo.markdown import FOLDERS, errors_of, head, line, plain, section_of
from zoo.native import document as native
from zoo.results import (
    DEFAULTS, FIXED, FUNCTIONS, OURS, OUTCOMES, PEERS, RIGHT, UNTRACEABLE, WRONG, Results,
)

INTRODUCTION = """# Architectures

Made by `make zoo ZOO=--document` from results; do not edit. Every architecture that the Auto classes of transformers
map to a base model is built tiny with random weights, once with eager attention and once with SDPA if it has both; of
torchvision, one member of each family. Each is traced, exported, run in ONNX Runtime at its traced sizes and at two
others for every axis that the program does not fix, and compared with libtorch's run of the same file.

**right**: computes what libtorch computes, with every axis dynamic that the program does not fix. **right-fixed**: the
same, with an axis fixed that the eager model does not fix. **refused**: the exporter refuses. **WRONG**: other
numbers, or a file that does not load or run. **untraceable**: cannot be built without downloads, or traced by PyTorch;
these do not count.

Numbers are compared with the program evaluated in double precision: right is an error of at most a few times that of
libtorch's own float32 result. *difference* is the largest one from libtorch's float32 numbers, *error* the largest one
from double precision, with libtorch's in brackets. *tags*: whether all properties in `scripts/zoo/tag_checks.py` hold.
*no flags*: an export without any `--input`; *no record*: the same for a copy without recorded inputs. Both choose the
dynamic axes themselves; the number after the outcome is the number of sizes at which these were compared, namely those
at which libtorch itself runs. Seconds are those of the whole process, on a busy machine.
"""
NAMES = {OURS: "htp-trace", "dynamo_false": "dynamo=False", "dynamo_true": "dynamo=True"}
FINE = (RIGHT, FIXED)
CAUSE_LENGTH = 160


# ---- counts --------------------------------------------------------------------------------------


def share(records: list) -> str:
    """The share of right ones among those traced."""
    traced = [r for r in records if r["outcome"] != UNTRACEABLE]
    fine = sum(r["outcome"] in FINE for r in traced)
    return f"{100 * fine / len(traced):.1f} % of {len(traced):,}" if traced else ""


def count_rows(columns: dict) -> list:
    lines = head(["exporter", *OUTCOMES, "right of traced"], len(OUTCOMES) + 1)
    for name in NAMES:
        results = columns[name]
        counts = Counter(record["outcome"] for record in results.records.values())
        if counts:
            numbers = [f"{counts[outcome]:,}" for outcome in OUTCOMES]
            lines.append(line([NAMES[name], *numbers, share(list(results.records.values()))]))
    return lines


def peer_rows(columns: dict) -> list:
    """Each peer and this program on architectures measured with both."""
    ours = columns[OURS].records
    lines = head(["peer", "both measured", "peer right", "peer WRONG", "htp-trace right",
                  "right here of the peer's right ones"], 5)
    for name in PEERS:
        theirs = columns[name].records
        common = [n for n in theirs if n in ours
                  and UNTRACEABLE not in (theirs[n]["outcome"], ours[n]["outcome"])]
        right = [n for n in common if theirs[n]["outcome"] in FINE]
        if common:
            lines.append(line([
                NAMES[name], len(common), len(right),
                sum(theirs[n]["outcome"] == WRONG for n in common),
                sum(ours[n]["outcome"] in FINE for n in common),
                sum(ours[n]["outcome"] in FINE for n in right),
            ]))
    return lines


def other_rows(records: list, functions: Results) -> list:
    """Tags, exports without flags, and modules as functions, as text."""
    tagged = [r for r in records if "tags" in r]
    architectures = {r["name"].removesuffix(".eager").removesuffix(".sdpa") for r in records
                     if r["outcome"] in FINE}
    return [
        f"- {len(architectures)} architectures are right.",
        f"- All tag properties hold for {sum(not r['tags'] for r in tagged)} of {len(tagged)}"
        " exports.",
        *(f"- Exports {table.defaults_in_words(records, name)}." for name in DEFAULTS),
        *([f"- {table.functions_in_words(functions).capitalize()}."] if functions.records else []),
    ]


# ---- architectures -------------------------------------------------------------------------------


def model_rows(columns: dict) -> list:
    peers = [name for name in PEERS if columns[name].records]
    titles = ["model", "kind", "outcome", "unsupported, or why", "tags", "no flags", "no record",
              *(NAMES[name] for name in peers), "nodes", "difference", "error", "seconds"]
    lines = head(titles, 4)
    for name, record in sorted(columns[OURS].records.items()):
        if record["outcome"] == UNTRACEABLE:
            continue
        causes = FOLDERS.sub("", "; ".join(table.causes_of(record)))[:CAUSE_LENGTH]
        lines.append(line([
            name, record.get("kind", ""), record["outcome"], plain(causes), table.tags_of(record),
            *(table.default_of(record, default) for default in DEFAULTS),
            *(columns[peer].records.get(name, {}).get("outcome", "") for peer in peers),
            record.get("nodes", ""), *errors_of(record), record.get("seconds", ""),
        ]))
    return lines


def untraceable_rows(records: list) -> list:
    lines = head(["model", "why"], 0)
    for record in sorted(records, key=lambda record: record["name"]):
        if record["outcome"] == UNTRACEABLE and "no choice of attention" not in record["reason"]:
            reason = FOLDERS.sub("", record["reason"])[:CAUSE_LENGTH]
            lines.append(line([record["name"], plain(reason)]))
    return lines


def write(path: Path, columns: dict) -> None:
    """Writes the document; sections of other measurements stay. columns: results by name, including ours."""
    records = list(columns[OURS].records.values())
    parts = [
        INTRODUCTION, "## Counts\n", *count_rows(columns), "", *other_rows(records, columns[FUNCTIONS]),
        "\nPyTorch's own exporters on the same files' models, judged in the same way, on what both"
        " were measured on:\n", *peer_rows(columns),
        "\n## Architectures\n", *model_rows(columns),
        "\n## Untraceable\n", *untraceable_rows(records),
    ]
    path.parent.mkdir(exist_ok=True)
    text = "\n".join(parts) + "\n"
    before = path.read_text() if path.exists() else ""
    kept = (section_of(before, title) for title in (exported.TITLE, native.TITLE))
    path.write_text("\n".join([text, *filter(None, kept)]))
