"""Tables and cells of the documents."""

import re

FOLDERS = re.compile(r"/(?:[\w.+-]+/)+")


def plain(text: str) -> str:
    """Text that a table's cell can hold."""
    return text.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")


def line(cells: list) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def head(titles: list, numbers: int) -> list:
    """Titles and their rule; the last columns hold numbers."""
    return [line(titles), line(["---"] * (len(titles) - numbers) + ["---:"] * numbers)]
