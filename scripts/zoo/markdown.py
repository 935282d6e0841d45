"""Tables, cells and sections of the documents."""

import re
from pathlib import Path

FOLDERS = re.compile(r"/(?:[\w.+-]+/)+")


def plain(text: str) -> str:
    """Text for a table cell."""
    return text.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")


def line(cells: list) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def head(titles: list, numbers: int) -> list:
    """Titles and their rule; the last columns have numbers."""
    return [line(titles), line(["---"] * (len(titles) - numbers) + ["---:"] * numbers)]


def section_of(text: str, title: str) -> str:
    """A section of a document; "" if there is none."""
    found = re.search(rf"^{title}\n.*?(?=^## |\Z)", text, re.DOTALL | re.MULTILINE)
    return found[0] if found else ""


def put(path: Path, section: list) -> None:
    """Replaces a section of the document, or appends it. The lines begin with its title. The blank line before the next
    section stays."""
    text = path.read_text()
    new, old = "\n".join(section).rstrip("\n"), section_of(text, section[0])
    behind = old[len(old.rstrip("\n")):]
    path.write_text(text.replace(old, new + behind) if old else f"{text.rstrip()}\n\n{new}\n")


def errors_of(record: dict) -> list:
    """The cells of the difference and the error of a judged model."""
    if "difference" not in record:
        return ["", ""]
    # Without any error, nothing was evaluated in double precision, because an operator does not take it.
    is_known = record.get("error") or record.get("libtorch_error")
    error = f"{record['error']:.0e} ({record['libtorch_error']:.0e})" if is_known else ""
    return [f"{record['difference']:.0e}", error]
