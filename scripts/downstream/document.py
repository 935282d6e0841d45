"""docs/DOWNSTREAM.md: results of other tools on exports."""

import importlib.metadata
import subprocess

from downstream import driver, machines
from downstream.files import OURS, PEERS
from downstream.metrics import LESS, METRICS, MORE, RUNS_RIGHT, TIMES, behind, value_of, yardsticks
from downstream.reasons import REASONS, reason_for
from downstream.tools.quantisers import BLOCK
from downstream.tools.rewriters import TAGGED
from downstream.tools.times import ROUNDS
from zoo.markdown import FOLDERS, head, line, plain

OUT = machines.ROOT / "docs" / "DOWNSTREAM.md"
EXPORTERS = (OURS, *(peer.name for peer in PEERS))
GROUPS = (
    ("Text", {
        "bert-wide": "BERT, 2 layers of width 768", "bert-64-layers": "64 layers of a transformer",
        "gpt2-sdpa": "GPT-2", "llama-sdpa": "Llama", "small-t5": "T5",
    }),
    ("Pictures and sound, by transformers", {"vit-sdpa": "ViT", "small-whisper": "Whisper"}),
    ("Pictures, by convolutions", {
        "resnet50-plain": "ResNet-50", "mobilenet": "blocks of MobileNetV3", "unet": "UNet",
        "segmenter": "segmentation as in DeepLab",
    }),
    ("Loops and sizes that the data decides", {
        "tagger": "LSTM tagger", "smoother": "scripted loop", "detector": "scripted detector",
    }),
)
TEXT = """# Exports in downstream tools

Made by `make downstream`; do not edit. An export is useful if the next tool takes it: here {models} models of kinds
that people deploy go through {tools} tools, beside the files of PyTorch's two exporters.

## How it is measured

- Each model is exported by htp-trace, by `torch.onnx.export(dynamo=False)` and by
  `torch.onnx.export(dynamo=True)`, as they come, with opset 18 and the same dynamic axes.
- *Right*: the file loads and gives libtorch's numbers within a thousandth of the largest element of each output, at
  the size of the example and at two others. For quantisers it is enough that the result runs at all sizes.
- A cell has three figures: **htp-trace / dynamo=False / dynamo=True**. *no*: the tool failed on the file, or gave a
  wrong result. A dash: there is no file.
- A peer is a yardstick if its file is right in ONNX Runtime at all sizes. `make downstream` fails if a figure of
  htp-trace is worse than the better yardstick's without a recorded reason; those with one have a footnote.
- Sizes of quantised files are without metadata, texts and tags, of which htp-trace writes more. Static quantisation
  calibrates with the example; 4 bits are in blocks of {block}.
- Times are processor time, not wall time, with one thread: loading in ONNX Runtime and OpenVINO (with all
  optimisations), and running at the size of the example. All files of a model are timed in turn in one process,
  {rounds} rounds; medians count. They compare with each other, not with other machines. Worse means by more than a
  tenth.
- Each process of a tool gets {seconds} s of processor time, whatever the exporter.
- Tools that reject attributes besides an operator's own get the export with `--tags metadata`: {without}.

{versions}
"""
LEFT_OUT = """## What is not compared

- Accuracy of quantised models: that depends on the tools and on real data.
- GPUs and other execution providers: there are none here.
- Files with `--functions`, which only ONNX Runtime takes; `htp-trace inline` makes them flat.
- Tools that are on neither PyPI nor npm, or need a toolchain of their own (TensorRT, TVM, tract, pnnx).
- onnx2torch knows few operators of newer opsets. It gets a stub of torchvision, which it imports for two operators
  that no model here has.
"""


def versions() -> str:
    command = [str(machines.python()), "-m", "pip", "list", "--format=freeze"]
    listed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    wanted = [row.split("==")[0].lower() for row in machines.REQUIREMENTS.read_text().splitlines()
              if "==" in row]
    found = [row.replace("==", " ") for row in listed if row.split("==")[0].lower() in wanted]
    torch = importlib.metadata.version("torch").split("+")[0]
    others = [machines.TORCH_PACKAGE.replace("==", " "), machines.WEB_PACKAGE.replace("@", " ")]
    return f"Versions: torch {torch}, {', '.join([*found, *others])}."


def introduction(records: list) -> str:
    tools = {tool for record in records for tool in record["answers"][OURS]} - set(TIMES)
    return TEXT.format(
        models=len(records), tools=len(tools), block=BLOCK, rounds=ROUNDS, versions=versions(),
        seconds=driver.PROCESSOR_SECONDS, without=", ".join(driver.WITHOUT_ATTRIBUTES),
    )


def text_of(value, metric) -> str:
    if value is None:
        return "no"
    if metric.figure == "bytes":
        return f"{value / 1e6:.1f}"
    if metric.figure in ("load", "latency"):
        return f"{value * 1e3:.3g}"
    if metric.better in (LESS, MORE):
        return str(value)
    return "yes" if value else "no"


def mark(record: dict, metric) -> str:
    """The footnote of a figure that is worse."""
    if all(other is not metric for other, _, _ in behind(record["answers"])):
        return ""
    number = reason_for(record["model"], metric.tool, metric.figure)
    return " **behind**" if number is None else f"[^{number + 1}]"


def cell(record: dict, metric) -> str:
    answers = [record["answers"][name] for name in EXPORTERS]
    if all("none" in answer.get(metric.tool, {"none": ""}) for answer in answers):
        return ""
    values = [text_of(value_of(found, metric), metric) if found else "–" for found in answers]
    return " / ".join(values) + mark(record, metric)


def sizes_of(record: dict) -> str:
    return " / ".join(f"{record['bytes'][name] / 1e6:.1f}" if name in record["bytes"] else "–"
                      for name in EXPORTERS)


def summary(records: list) -> list:
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


def table(records: list, titles: dict, metrics: list, first: list) -> list:
    """A row for each figure, a column for each model."""
    rows = head(["", *(titles[record["model"]] for record in records)], len(records)) + first
    for metric in metrics:
        cells = [cell(record, metric) for record in records]
        title = f"{metric.tool}: {metric.title}" if metric.title else metric.tool
        if any(cells):
            rows.append(line([title, *cells]))
    return rows


def tags_left(records: list) -> list:
    """The tags that remain in this program's nodes, by tool."""
    rows = []
    for tool in TAGGED:
        shares = [record["answers"][OURS].get(tool, {}).get("tags") for record in records]
        rows.append(line([f"{tool}: nodes with a tag, htp-trace",
                          *("" if share is None else f"{share:.0%}" for share in shares)]))
    return rows


def words_of(answer: dict) -> str:
    words = answer.get("error") or (f"wrong: {answer['wrong']}" if "wrong" in answer else "")
    return FOLDERS.sub("", words)


def notes(record: dict, title: str) -> list:
    """Refusals of exporters, and errors of tools on this program's file."""
    rows = [f"{title}, {peer}: {plain(words)}." for peer, words in record["refusals"].items() if words]
    left_out = [name for name in EXPORTERS[1:]
                if record["answers"][name] and name not in yardsticks(record["answers"])]
    rows += [f"{title}: {name} is no yardstick: it is not right in ONNX Runtime." for name in left_out]
    for tool in RUNS_RIGHT:
        words = words_of(record["answers"][OURS].get(tool, {}))
        if words:
            rows.append(f"{title}, {tool}: {plain(words)}")
    return [f"- {row}" for row in rows]


def section(title: str, records: list, titles: dict) -> list:
    right = [metric for metric in METRICS if metric.better not in (LESS, MORE)]
    figures = [metric for metric in METRICS if metric.better in (LESS, MORE)]
    sizes = [line(["file, MB", *map(sizes_of, records)])]
    said = [row for record in records for row in notes(record, titles[record["model"]])]
    return [
        f"## {title}", "", *table(records, titles, right, []), "",
        *table(records, titles, figures, sizes), *tags_left(records), "",
        *([*said, ""] if said else []),
    ]


def write(records: list) -> None:
    lines = [introduction(records), "## Right, of all models", "", *summary(records), ""]
    for title, titles in GROUPS:
        members = [record for name in titles for record in records if record["model"] == name]
        lines += section(title, members, titles)
    lines += [LEFT_OUT, *(f"[^{number}]: {words}" for number, (*_, words) in enumerate(REASONS, 1))]
    OUT.write_text("\n".join(lines).rstrip() + "\n")
