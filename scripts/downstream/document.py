"""docs/DOWNSTREAM.md: what tools make of exports."""

import importlib.metadata
import subprocess

from downstream import machines
from downstream.driver import WITHOUT_ATTRIBUTES
from downstream.files import OURS, PEERS
from downstream.metrics import LESS, METRICS, MORE, RUNS_RIGHT, behind, value_of, yardsticks
from downstream.reasons import REASONS, reason_for
from zoo.markdown import head, line, plain

OUT = machines.ROOT / "docs" / "DOWNSTREAM.md"
INTRODUCTION = """# Exports in the tools that come next

Made by `make downstream`; not to be edited. Models of the kinds that people deploy are exported by
htp-trace and by both of PyTorch's exporters (`torch.onnx.export` with `dynamo=False` and
`dynamo=True`), as they come, with the same dynamic axes. Each file is given to the tools below. *Right*
is what loads, and gives libtorch's numbers within a thousandth of the largest element, at the size of
the example and at two others.

Tools that take no attribute besides an operator's own ({without}) are given the export with
`--tags metadata`.

Sizes of what quantisers make are told without metadata, texts and tags, of which this program writes
more.

A peer is a yardstick where its file is right in ONNX Runtime at all sizes. `make downstream` fails where
a figure is behind the better yardstick's without a reason, which is written [below](#reasons).

{versions}
"""
EXPORTERS = (OURS, *(peer.name for peer in PEERS))


def versions() -> str:
    command = [str(machines.python()), "-m", "pip", "list", "--format=freeze"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    wanted = [row.split("==")[0].lower() for row in machines.REQUIREMENTS.read_text().splitlines()
              if "==" in row]
    found = [row.replace("==", " ") for row in listed if row.split("==")[0].lower() in wanted]
    torch = importlib.metadata.version("torch").split("+")[0]
    return f"Versions: torch {torch}, {', '.join(found)}, {machines.WEB_PACKAGE.replace('@', ' ')}."


def cell(value, metric) -> str:
    if value is None:
        return "no"
    if metric.figure == "bytes":
        return f"{value / 1e6:.1f}"
    if metric.figure in ("load", "latency"):
        return f"{value * 1e3:.1f}"
    if metric.better in (LESS, MORE):
        return str(value)
    return "yes" if value else "no"


def right_table(records: list) -> list:
    """A row for each tool: how many models are right, by exporter."""
    rows = head(["tool", *EXPORTERS], len(EXPORTERS))
    for tool in RUNS_RIGHT:
        counts = []
        for exporter in EXPORTERS:
            answers = [record["answers"][exporter].get(tool, {}) for record in records]
            asked = [answer for answer in answers if "none" not in answer]
            counts.append(f"{sum(bool(a.get('right')) for a in asked)} of {len(asked)}")
        rows.append(line([tool, *counts]))
    return rows


def model_table(record: dict) -> list:
    rows = head(["figure", *EXPORTERS], len(EXPORTERS))
    sizes = [f"{record['bytes'][name] / 1e6:.1f}" if name in record["bytes"] else "no file"
             for name in EXPORTERS]
    rows.append(line(["file, MB", *sizes]))
    for metric in METRICS:
        values = [value_of(record["answers"][name], metric) for name in EXPORTERS]
        if metric.better in (LESS, MORE) and any(value is not None for value in values):
            title = f"{metric.tool}: {metric.title}"
            rows.append(line([title, *(cell(value, metric) for value in values)]))
    return rows


def words_of(answer: dict) -> str:
    return answer.get("error") or (f"wrong: {answer['wrong']}" if "wrong" in answer else "")


def trouble(record: dict) -> list:
    """What tools said where they made nothing of a file of this program."""
    rows = []
    for tool in RUNS_RIGHT:
        words = words_of(record["answers"][OURS].get(tool, {}))
        if words:
            others = [name for name in EXPORTERS[1:]
                      if record["answers"][name].get(tool, {}).get("right")]
            known = f" ({' and '.join(others)}: right)" if others else ""
            rows.append(f"- {tool}: {plain(words)}{known}")
    return rows


def section(record: dict) -> list:
    lines = [f"## {record['model']}", "", *model_table(record), ""]
    for peer, words in record["refusals"].items():
        if words:
            lines += [f"{peer}: {plain(words)}.", ""]
    left_out = [name for name in EXPORTERS[1:] if name not in yardsticks(record["answers"])]
    if left_out:
        lines += [f"No yardstick: {', '.join(left_out)}.", ""]
    found = trouble(record)
    return lines + ([*found, ""] if found else [])


def reasons(records: list) -> list:
    rows = []
    for number, (_, _, _, words) in enumerate(REASONS):
        where = [
            f"{record['model']} ({metric.tool}, {metric.figure})"
            for record in records for metric, _, _ in behind(record["answers"])
            if reason_for(record["model"], metric.tool, metric.figure) == number
        ]
        rows.append(f"- {words} {', '.join(where)}.")
    return rows or ["None is behind."]


def write(records: list) -> None:
    lines = [INTRODUCTION.format(versions=versions(), without=", ".join(WITHOUT_ATTRIBUTES)), "## Right, of all models", "",
             *right_table(records), "", "## Reasons", "", *reasons(records), ""]
    for record in records:
        lines += section(record)
    OUT.write_text("\n".join(lines).rstrip() + "\n")
