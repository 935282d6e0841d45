"""The section of docs/ZOO.md on programs of torch.export."""

from collections import Counter

from zoo.exported import differences
from zoo.markdown import FOLDERS, errors_of, head, line, plain
from zoo.results import FIXED, OUTCOMES, REFUSED, RIGHT, UNTRACEABLE, WRONG

TITLE = "## Programs of torch.export"
INTRODUCTION = """
Made by `make zoo ZOO="--pt2 --document"`. The same models, exported by PyTorch with `Dim.DYNAMIC` for every axis, else
with `Dim.AUTO`, else with fixed sizes (*way*; strict if nothing else works); those of torchvision without its own
operators, but the detectors with those of torchvision 0.28, loaded with stand-ins for the libraries of CUDA. Each file
is exported without libtorch and without flags, run at three choices of sizes, including batch 1 and sequence 1, and
compared with the eager model as in the first table; an output of few elements may have no error by chance, so PyTorch's
own error in it is that at any of the sizes. Of the models with SDPA, every 24th is measured. *tags*: whether all
properties of the first table hold; *twin*: whether the set of tags equals that of the TorchScript file of the same
model. *another program*: PyTorch made a program that runs operators in other modules than a trace, for example for a
slice of a whole axis, or a mask. *peer*: the model that `torch.onnx.export(dynamo=True)` makes of the same program,
judged in the same way. Here **right-fixed** means that torch.export, or a guard of its program, fixes an axis that the
eager model does not fix, and **untraceable** that PyTorch makes no program. A difference beside an error of libtorch's
of the same size is rounding: d_fine has feature maps of numbers up to 30,000.
"""
FINE = (RIGHT, FIXED)
CAUSE_LENGTH = 160


def twin_of(record: dict) -> str:
    if "twin" not in record:
        return ""
    found = record["twin"]
    if found["lost"] or found["made up"]:
        return differences.of(differences.OTHER_TAGS, record["name"]) or "OTHER"
    return "another program" if found["more"] or found["less"] else "equal"


def tags_of(record: dict) -> str:
    if "tags" not in record:
        return ""
    return "hold" if not record["tags"] else "NOT " + ",".join(record["tags"])


def reason_of(record: dict) -> str:
    told = FOLDERS.sub("", record.get("reason", ""))[:CAUSE_LENGTH]
    return "; ".join(filter(None, (told, differences.of(differences.NOT_RIGHT, record["name"]))))


# ---- counts --------------------------------------------------------------------------------------


def counted(name: str, records: list) -> str:
    counts = Counter(record["outcome"] for record in records)
    made = len(records) - counts[UNTRACEABLE]
    share = f"{100 * (counts[RIGHT] + counts[FIXED]) / made:.1f} % of {made:,}" if made else ""
    return line([name, *(f"{counts[outcome]:,}" for outcome in OUTCOMES), share])


def known(records: dict) -> list:
    """All records, except those without a program."""
    return [r for r in records.values() if "no choice of attention" not in r.get("reason", "")]


def count_rows(ours: dict, peers: dict) -> list:
    lines = head(["exporter", *OUTCOMES, "right of made"], len(OUTCOMES) + 1)
    lines.append(counted("htp-trace", known(ours)))
    if peers:
        both = {name: ours[name] for name in peers if name in ours}
        lines.append(counted("htp-trace, of what the peer was measured on", known(both)))
        lines.append(counted("dynamo=True", known(peers)))
    return lines


def peer_words(ours: dict, peers: dict) -> list:
    """The peer's right models against ours, as text."""
    right = [name for name, record in peers.items() if record["outcome"] in FINE and name in ours]
    missed = [name for name in right if ours[name]["outcome"] not in FINE]
    if not right:
        return []
    words = f"- Of the peer's {len(right)} right ones, {len(right) - len(missed)} are right here"
    return [f"{words}; the others: {', '.join(missed)}." if missed else f"{words}."]


def measured_words(records: list) -> str:
    """How many were measured, by kind of attention and for torchvision."""
    kinds = Counter("torchvision" if r["name"].startswith("torchvision.") else r["name"].rpartition(".")[2]
                    for r in records)
    return f"- Measured: {', '.join(f'{count} {kind}' for kind, count in kinds.most_common())}."


def twin_words(records: list) -> str:
    kinds = Counter(twin_of(record) for record in records if "twin" in record)
    told = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
    return f"- Tags beside those of the TorchScript file, of {sum(kinds.values())}: {told}."


def cost_words(costs: dict) -> list:
    """How the counts of `inspect --cost` compare with PyTorch's."""
    counted = [record for record in costs.values() if record["outcome"] in FINE + (WRONG,)]
    apart = [record for record in counted if record["outcome"] == WRONG]
    if not counted:
        return []
    words = f"- `inspect --cost`, of {len(counted)}: {len(counted) - len(apart)} count half of what" \
        " torch.utils.flop_counter counts"
    told = "; ".join(f"{record['name']}: {record['reason']}" for record in apart)
    unknown = [record["name"] for record in costs.values() if record["outcome"] == REFUSED]
    without = f" Without a count, since sizes depend on data or the program is refused: {', '.join(unknown)}." if unknown else ""
    return [(f"{words}; the others: {told}." if told else f"{words}.") + without]


def section(ours: dict, peers: dict, costs: dict) -> list:
    """The lines of the section. ours, peers and costs: records by name."""
    records = sorted(known(ours), key=lambda record: record["name"])
    made = [record for record in records if record["outcome"] != UNTRACEABLE]
    tagged = [record for record in made if "tags" in record]
    lines = [
        TITLE, INTRODUCTION, *count_rows(ours, peers), "",
        measured_words(records),
        f"- All tag properties hold for {sum(not r['tags'] for r in tagged)} of {len(tagged)} exports.",
        twin_words(made), *peer_words(ours, peers), *cost_words(costs), "",
    ]
    lines += head(["model", "way", "outcome", "why", "tags", "twin", "peer", "nodes", "difference", "error", "seconds"], 4)
    for record in made:
        lines.append(line([
            record["name"], record.get("way", ""), record["outcome"], plain(reason_of(record)), tags_of(record),
            twin_of(record), peers.get(record["name"], {}).get("outcome", ""), record.get("nodes", ""),
            *errors_of(record), record.get("seconds", ""),
        ]))
    lines += ["", "PyTorch makes no program of these:", "", *head(["model", "why"], 0)]
    for record in records:
        if record["outcome"] == UNTRACEABLE:
            lines.append(line([record["name"], plain(FOLDERS.sub("", record["reason"])[:CAUSE_LENGTH])]))
    return [*lines, ""]


# ---- what must not be ----------------------------------------------------------------------------


def is_failure(record: dict) -> bool:
    """Whether a record fails: a wrong number, a violated property of tags, or tags that differ without a reason."""
    return record["outcome"] == WRONG or bool(record.get("tags")) or twin_of(record) == "OTHER"
