"""docs/QUALITY.md: results by model and tagger."""

import re
from collections import defaultdict
from pathlib import Path

from quality import published
from quality.driver import Measured
from quality.metrics import METRICS, Metric
from quality.taggers import GUESS, OURS, TAGGERS, Tagger

INTRODUCTION = """# Quality of tags

Made by `make quality`; do not edit. Each model is exported by htp-trace and by three others, and `htp-trace quality`
measures the tags of all. Models are built with random weights; most are small, and all have layers, stages or experts
of equal structure, which can be mistaken for each other. [quality.html](quality.html) shows some of them node by node.

{taggers}

The last follows the rules that earlier tools publish: the scope in a node's name, else its nearest ancestor, else the
root; class names with only the last number of the path; no classes of `torch.nn`. `scripts/quality/guess.py` states
them.

## How to read it

Three oracles know a module's true nodes; none shares code with the tagger: *weights* (a node that reads a module's
weight belongs to it or to an enclosing module), *calls* (the TorchScript program's own calls, followed in its code
alone) and *structure* (equal layers must be tagged equally). Nodes of other exporters' files are first matched to this
program's, as by `htp-trace compare`; unmatched ones are not judged by *calls*.

- *nodes*, *matched*: all nodes of the file, and those whose module is known by *calls*
- *at the root*: nodes tagged with the model itself, rightly or not
{columns}

n/a: the metric does not apply; [see below](#not-applicable). A share is rounded down, so 100 % means all.
`make quality` requires of htp-trace on every model coverage 100 %, no node in the wrong place by any oracle, tensors
100 %, injective 100 % and separation 100 %; otherwise it fails and lists the nodes.
"""
CONTAMINATION = "contamination."
FOLDERS = re.compile(r"/(?:[\w.+-]+/)+")


def plain(text: str) -> str:
    """Text for a table cell."""
    return text.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")


def line(cells: list) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def head(titles: list, texts: int) -> list:
    """Titles and their rule; the first columns have text, the others numbers."""
    return [line(titles), line(["---"] * texts + ["---:"] * (len(titles) - texts))]


# ---- figures -------------------------------------------------------------------------------------


def share(count: int, of: int) -> str:
    """Rounded down to a tenth of a percent."""
    tenths = 1000 * count // of
    return f"{tenths // 10} %" if tenths % 10 == 0 else f"{tenths / 10:.1f} %"


def cell(metric: Metric, found: dict) -> str:
    if found["percent"] is None:
        return "n/a"
    if metric.is_error:
        return f"{found['count']:,} of {found['of']:,}"
    return share(found["count"], found["of"])


def sum_of(metric: Metric, measured: list) -> dict:
    """The total over several models to which it applies."""
    known = [m.document["metrics"][metric.key] for m in measured]
    known = [found for found in known if found["percent"] is not None]
    count, of = (sum(found[key] for found in known) for key in ("count", "of"))
    return {"count": count, "of": of, "percent": 100 * count / of if of else None}


def at_root(document: dict) -> int:
    """Nodes tagged with the root alone."""
    return sum(module["own"] for module in document["modules"] if module["parent"] is None)


def matched(document: dict) -> int:
    """Nodes whose module the reference knows."""
    return document["reference"]["matched"] if document["reference"] else 0


def flat(rows: list) -> list:
    return [measured for row in rows for measured in row]


def of_tagger(rows: list, tagger: Tagger) -> list:
    """Models with a document."""
    return [m for m in flat(rows) if m.tagger is tagger and m.document]


# ---- tables --------------------------------------------------------------------------------------


def total_rows(rows: list) -> list:
    titles = ["tagger", "models", "nodes", "matched", "at the root",
              *(metric.title for metric in METRICS)]
    lines = head(titles, 1)
    for tagger in TAGGERS:
        measured = of_tagger(rows, tagger)
        if not measured:
            continue
        documents = [m.document for m in measured]
        nodes = sum(document["nodes"] for document in documents)
        known, root = (sum(map(count, documents)) for count in (matched, at_root))
        cells = (cell(metric, sum_of(metric, measured)) for metric in METRICS)
        lines.append(line([tagger.name, len(measured), f"{nodes:,}", f"{known:,}",
                           share(root, nodes), *cells]))
    return lines


def model_rows(rows: list) -> list:
    titles = ["model", "tagger", "nodes", "matched", "at the root",
              *(metric.title for metric in METRICS)]
    lines = head(titles, 2)
    for measured in flat(rows):
        name = measured.model if measured.tagger is OURS else ""
        document = measured.document
        if not document:
            continue
        cells = (cell(metric, document["metrics"][metric.key]) for metric in METRICS)
        lines.append(line([
            name, measured.tagger.name + (" (fixed axes)" if measured.is_fixed else ""),
            *(f"{n:,}" for n in (document["nodes"], matched(document), at_root(document))), *cells,
        ]))
    return lines


def refusal_rows(rows: list) -> list:
    refused = [m for m in flat(rows) if m.refusal]
    if not refused:
        return ["Nothing."]
    return head(["model", "tagger", "why"], 3) + [
        line([m.model, m.tagger.name, plain(FOLDERS.sub("", m.refusal))]) for m in refused
    ]


def reason_rows(rows: list) -> list:
    """Why metrics do not apply: reasons with the models, and the taggers."""
    found = defaultdict(lambda: defaultdict(list))
    for measured in flat(rows):
        for metric in METRICS if measured.document else ():
            known = measured.document["metrics"][metric.key]
            if known["percent"] is None:
                found[metric.title, known.get("reason", "")][measured.tagger.name].append(
                    measured.model)
    lines = head(["column", "why", "tagger", "models"], 4)
    for (title, reason), taggers in sorted(found.items()):
        for tagger, models in taggers.items():
            lines.append(line([title, plain(reason), tagger, ", ".join(models)]))
    return lines if found else ["Nothing."]


# ---- published figures ---------------------------------------------------------------------------


def contaminated(measured: Measured) -> int:
    """Nodes in the wrong place by any oracle."""
    return sum(
        any(problem.startswith(CONTAMINATION) for problem in row["problems"])
        for row in measured.problems()
    )


def separation(measured: Measured) -> str:
    found = measured.document["metrics"]["separation"]
    if found["percent"] is None:
        return f"n/a: {found.get('reason', '')}"
    return f"{found['count']:,} of {found['of']:,} layers apart"


def seconds(measured: Measured) -> str:
    return f"{float(f'{measured.seconds:.1g}'):g} s" if measured.seconds else ""


def root(measured: Measured) -> str:
    """Nodes tagged with the root, and how many of them ran in a module below it."""
    document = measured.document
    lost = document["specificity"]["root"]
    return f"{at_root(document):,} of {document['nodes']:,}, {lost:,} of them known to be deeper"


WORDS = {
    "root": root,
    "contaminated": lambda m: f"{contaminated(m):,} of {m.document['nodes']:,}",
    "separation": separation,
    "seconds": seconds,
}


def published_rows(rows: list) -> list:
    lines = head(["figure", "published", "model here", OURS.name, GUESS.name], 5)
    for figure in published.FIGURES:
        cells = []
        for tagger in (OURS, GUESS):
            found = [m for m in of_tagger(rows, tagger) if m.model == figure.beside]
            cells.append(plain(WORDS[figure.ours](found[0])) if found else "")
        lines.append(line([figure.what, figure.figure, figure.beside, *cells]))
    return lines


# ---- the document --------------------------------------------------------------------------------


def tables(rows: list) -> list:
    """The results of models, also for a terminal."""
    return [
        *model_rows(rows), "\n## Not exported\n", *refusal_rows(rows),
        "\n## Not applicable\n", *reason_rows(rows),
    ]


def introduction() -> str:
    taggers = "\n".join(f"- **{tagger.name}**: {tagger.means}" for tagger in TAGGERS)
    columns = "\n".join(f"- *{metric.title}*: {metric.means}" for metric in METRICS)
    return INTRODUCTION.format(taggers=taggers, columns=columns)


PUBLISHED = """
## Beside published figures

Figures that earlier tools publish were not measured here. They stand beside measurements of the nearest model, by this
program and by the tagger that follows their rules. Files differ: theirs come from other versions of PyTorch and of the
libraries, and from several taggers, by their own measures. Nodes of a model's own forward, such as BERT's masks, are
rightly at the root. Seconds are those of the whole process, which opens libtorch first: the fastest of three, rounded
to one digit. All other numbers are the same in every run.
"""


def write(path: Path, rows: list) -> None:
    """Writes the document."""
    parts = [
        introduction(), "## All models\n", *total_rows(rows), PUBLISHED, *published_rows(rows),
        "\n## Models\n", *tables(rows),
    ]
    path.parent.mkdir(exist_ok=True)
    path.write_text("\n".join(parts) + "\n")
