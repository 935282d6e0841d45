"""docs/quality.html: the page of `htp-trace quality --html`, with several models in it."""

import json
from pathlib import Path

import harness

from quality import published
from quality.driver import Measured
from quality.taggers import GUESS, OURS

# Few enough for a page of less than LARGEST bytes. Other taggers' files of the first one show wrong tags.
SHOWN = (
    ("bert-tiny-30522", (OURS, GUESS)),
    ("experts", (OURS, GUESS)),
    ("resnet18-plain", (OURS, GUESS)),
    ("reuse", (OURS, GUESS)),
    ("branching", (OURS,)),
)
LARGEST = 1 << 20
BEGIN = '<script type="application/json" id="document">\n'
END = "\n</script>"
# Escapes for JSON within HTML and JavaScript.
ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def escaped(document: dict) -> str:
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return "".join(ESCAPES.get(letter, letter) for letter in text)


def named(measured: Measured) -> dict:
    """The document of a model with the names of this benchmark in place of paths."""
    document = {**measured.document, "file": f"{measured.model}, {measured.tagger.name}"}
    if document["reference"]:
        document["reference"] = {**document["reference"], "file": f"{measured.model}.pt"}
    return document


def figures() -> list:
    return [
        {"what": figure.what, "figure": figure.figure, "model_here": figure.beside}
        for figure in published.FIGURES
    ]


def shown(rows: list) -> list:
    by_key = {(m.model, m.tagger): m for row in rows for m in row if m.document}
    wanted = [(model, tagger) for model, taggers in SHOWN for tagger in taggers]
    return [named(by_key[key]) for key in wanted if key in by_key]


def write(path: Path, page: Path, rows: list) -> None:
    """Writes the page of several models. page: one of a single model, by the program."""
    text = page.read_text()
    begin = text.index(BEGIN) + len(BEGIN)
    end = text.index(END, begin)
    document = {"htp_quality": 1, "models": shown(rows), "published": figures()}
    result = text[:begin] + escaped(document) + text[end:]
    assert len(result.encode()) < LARGEST, f"{path}: {len(result)} bytes"
    assert str(harness.ROOT) not in result, f"{path}: it tells where it was made"
    path.write_text(result)
