"""Generated documents equal the current output of their commands, for the cheapest part of each: introductions, lists,
and one small model measured again. Each command's slice in .ci/run measures the rest."""

import json
import re
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "scripts"))

from harness import ROOT, case, export, input_flags, run, scratch, skip_unless, torchscript  # noqa: E402

from models.table import ALL  # noqa: E402  (needs the paths above)
from op_coverage import document as operators  # noqa: E402
from quality import document as quality  # noqa: E402
from quality import driver, page  # noqa: E402
from quality.files import Files  # noqa: E402
from quality.taggers import OURS  # noqa: E402
from real import document as real  # noqa: E402
from real.table import PACKAGES  # noqa: E402
from zoo import document as zoo  # noqa: E402
from zoo.exported import document as programs  # noqa: E402
from zoo.native import document as native  # noqa: E402
from zoo.results import FIXED, OUTCOMES, UNTRACEABLE  # noqa: E402

DOCS = ROOT / "docs"
MEASURED = "reuse"  # small, and both in QUALITY.md and on its page
PLACE = re.compile(r"[^\s\"]*\.venv|/(?:home|root|tmp|work|build)/")


def text_of(name: str) -> str:
    return (DOCS / name).read_text()


def rows(text: str, heading: str) -> list:
    """The cells of the first table below a heading, without its titles."""
    section = text.split(f"\n{heading}\n", 1)[1].split("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines[2:]]


def without_json(html: str) -> str:
    begin = html.index(page.BEGIN) + len(page.BEGIN)
    return html[:begin] + html[html.index(page.END, begin):]


def json_of(html: str) -> dict:
    begin = html.index(page.BEGIN) + len(page.BEGIN)
    return json.loads(html[begin:html.index(page.END, begin)])


# ---- OPERATORS.md ----------------------------------------------------------------------------------------


@case
def operators_are_those_of_the_table():
    text = text_of("OPERATORS.md")
    assert text.startswith(operators.INTRODUCTION)
    assert operators.PROGRAMS_NOTE in text and operators.PROGRAMS_TABLE_NOTE in text
    told = {cells[0].strip("`"): cells[1] for cells in rows(text, "## Table")}
    found = {}
    for key in run("ops").stdout.split():
        name, _, overload = key.partition(".")
        found.setdefault(name, []).append(overload or "(default)")
    wanted = {name: ", ".join(overloads) for name, overloads in found.items()}
    assert told == wanted, {name: (told.get(name), wanted.get(name)) for name in told.keys() ^ wanted.keys()}


# ---- ZOO.md, REAL.md -------------------------------------------------------------------------------------


@case
def architectures_are_as_many_as_are_counted():
    text = text_of("ZOO.md")
    assert text.startswith(zoo.INTRODUCTION)
    assert native.INTRODUCTION in text
    assert programs.INTRODUCTION in text
    outcomes = Counter(cells[2] for cells in rows(text, "## Architectures"))
    ours = next(cells for cells in rows(text, "## Counts") if cells[0] == "htp-trace")
    counted = dict(zip(OUTCOMES, (int(cell.replace(",", "")) for cell in ours[1:])))
    assert FIXED in counted
    for outcome in OUTCOMES:
        if outcome != UNTRACEABLE:
            assert outcomes[outcome] == counted[outcome], (outcome, outcomes[outcome], counted[outcome])
    assert not PLACE.search(text), PLACE.search(text)[0]


@case
def published_files_are_those_of_the_table():
    text = text_of("REAL.md")
    assert text.startswith(real.INTRODUCTION)
    told = [(cells[0], cells[1]) for cells in rows(text, "## Exports")]
    wanted = [(f"`{Path(file.member).name}`", one.name)
              for package in PACKAGES for file in package.files for one in file.cases]
    assert told == wanted, (told, wanted)


# ---- QUALITY.md, quality.html ----------------------------------------------------------------------------


def shown_model(document: dict) -> dict:
    return next(model for model in document["models"] if model["file"] == f"{MEASURED}, {OURS.name}")


def unmeasured(document: dict) -> dict:
    """Without parts that a run or a file's encoding may change."""
    kept = ("nodes", "metrics", "modules", "nodes_table", "specificity")
    return {key: document[key] for key in kept}


@case
def one_model_has_the_quality_that_is_told():
    skip_unless("PyTorch 2")
    model = ALL[MEASURED]
    with scratch() as folder:
        files = Files(model, torchscript(model))
        ours = driver.ours_in(folder, MEASURED)
        driver.run(files.torchscript, "--out", ours, *input_flags(model))
        found = driver.measured(files, ours, folder)
        driver.run("quality", ours, "--html", folder / "page.html")
        html = (folder / "page.html").read_text()
    text, shown = text_of("QUALITY.md"), text_of("quality.html")
    assert text.startswith(quality.introduction())
    assert quality.model_rows([found])[2] in text.splitlines(), quality.model_rows([found])[2]
    assert without_json(html) == without_json(shown), "make quality: the page is another one now"
    assert not PLACE.search(shown), PLACE.search(shown)[0]
    wanted, told = (unmeasured(one) for one in (page.named(found[0]), shown_model(json_of(shown))))
    assert wanted == told, [key for key in wanted if wanted[key] != told[key]]


# ---- pictures and manuals --------------------------------------------------------------------------------


@case
def the_picture_is_that_of_the_model():
    """Its contents, in order; positions of boxes are graphviz's."""
    skip_unless("graphviz")
    skip_unless("PyTorch 2")
    with scratch() as folder:
        assert export(ROOT / "models" / "bert-tiny.pt", folder / "bert-tiny.onnx").returncode == 0
        drawn = run("graph", folder / "bert-tiny.onnx", "--depth", "3", "--format", "svg", "--out",
                    folder / "bert-tiny.svg")
        assert drawn.returncode == 0, drawn.stderr
        words = [re.findall(r"<(?:text|title)[^>]*>([^<]*)<", svg) for svg in
                 ((folder / "bert-tiny.svg").read_text(), text_of("bert-tiny.svg"))]
    assert len(words[0]) > 30 and words[0] == words[1], words


@case
def manuals_say_the_version():
    version = run("--version").stdout.split()[1]
    pages = sorted((DOCS / "man").glob("*.1"))
    assert len(pages) > 10, pages
    wrong = [path.name for path in pages if f'"htp-trace {version}"' not in path.read_text()]
    assert not wrong, (version, wrong)
