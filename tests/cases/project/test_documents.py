"""References in documents exist: files, headings, and sources."""

import functools
import re
from pathlib import Path

from harness import ROOT, case

DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
FENCES = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"^    [^\n]*$|`[^`\n]+`", re.MULTILINE)
LINK = re.compile(r"!?\[[^\]]*\]\(([^()\s]+)\)")
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
# `core/lower/emit/emit.h`, or the end of it: `emit/emit.h`. Not patterns with a star.
SOURCES = ("core", "include", "models", "scripts", "shim", "tests")
NAMED = re.compile(rf"`((?:{'|'.join(SOURCES)})/[\w./-]+|[\w/]+\.(?:c|h|def|cpp))`")
MOST_BYTES = {"README.md": 6 * 1024, "CONTRIBUTING.md": 8 * 1024}


def anchor(heading: str) -> str:
    """The anchor that GitHub makes."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def anchors(document: Path) -> set:
    return {anchor(heading) for heading in HEADING.findall(FENCES.sub("", document.read_text()))}


def broken(document: Path) -> list:
    prose = CODE.sub("", FENCES.sub("", document.read_text()))
    found = []
    for link in LINK.findall(prose):
        path, _, name = link.partition("#")
        if re.match(r"\w+:", path):
            continue
        target = document.parent / path if path else document
        if not target.resolve().is_relative_to(ROOT) or not target.exists():
            found.append(f"{document.name}: {link} is not there")
        elif name and target.suffix == ".md" and name not in anchors(target):
            found.append(f"{document.name}: {link} is no heading")
    return found


@functools.cache
def sources() -> list:
    return [f"/{path.relative_to(ROOT)}" for folder in SOURCES for path in (ROOT / folder).rglob("*")]


def is_there(path: str) -> bool:
    whole = path.split("/")[0] in SOURCES
    return (ROOT / path).exists() if whole else any(source.endswith(f"/{path}") for source in sources())


@case
def links_resolve():
    assert len(DOCUMENTS) > 8, DOCUMENTS
    wrong = [line for document in DOCUMENTS for line in broken(document)]
    assert not wrong, "\n".join(wrong)


@case
def named_files_are_there():
    named = {(document.name, path) for document in DOCUMENTS for path in NAMED.findall(document.read_text())}
    assert len(named) > 40, named
    wrong = sorted(f"{name}: {path}" for name, path in named if not is_there(path))
    assert not wrong, "\n".join(wrong)


@case
def documents_that_come_first_are_short():
    long = {name: (ROOT / name).stat().st_size for name, most in MOST_BYTES.items()
            if (ROOT / name).stat().st_size > most}
    assert not long, long


@case
def every_document_is_linked():
    """From the README, or from a document that it links."""
    linked, new = set(), {ROOT / "README.md"}
    while new:
        linked |= new
        texts = [(path.parent, LINK.findall(path.read_text())) for path in new if path.suffix == ".md"]
        found = {(folder / link.partition("#")[0]).resolve() for folder, links in texts for link in links}
        new = {path for path in found if path.is_file()} - linked
    lost = [str(path.relative_to(ROOT)) for path in DOCUMENTS if path not in linked]
    assert not lost, lost
