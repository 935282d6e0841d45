"""docs/REAL.md: the outcome of each file."""

import shlex
from pathlib import Path

from real.judge import Judged
from zoo.markdown import FOLDERS, head, line, plain
from zoo.results import REFUSED

INTRODUCTION = """# Published files

Made by `make real REAL=--document`; do not edit. These are TorchScript files in packages on PyPI, fetched by the
packages' names; none of their contents are in this repository. Each is inspected, and exported with the flags that the
table lists: none if htp-trace finds the inputs itself. ONNX Runtime's numbers are compared with libtorch's at several
sizes of all axes that the file allows to vary; models with state are compared over several calls, each with the state
that the last one left.

**right**: computes what libtorch computes. **right-fixed**: the same, with an axis fixed that the file allows to vary.
**refused**: the exporter refuses, with the reason. **WRONG**: other numbers, or a file that does not load or run.
*difference* is the largest one from libtorch's numbers. *tags*: whether every node has a tag, `htp-trace validate`
finds nothing, and no oracle of `htp-trace quality` finds a node in the wrong place.
"""
REASON_LENGTH = 240


def name_of(row: Judged) -> str:
    return f"`{plain(Path(row.file.member).name)}`"


def is_first(rows: list, at: int) -> bool:
    return at == 0 or rows[at - 1].file is not rows[at].file


def file_rows(rows: list) -> list:
    """A line for each file."""
    lines = head(["package", "licence", "what for", "file", "modules", "parameters", "MB"], 3)
    for at, row in enumerate(rows):
        if is_first(rows, at):
            lines.append(line([
                f"{row.package.name} {row.package.version}", row.package.licence,
                row.package.subject, name_of(row), row.modules, f"{row.parameters:,}",
                f"{row.bytes / 1e6:.1f}",
            ]))
    return lines


def compared_in_words(row: Judged) -> list:
    if row.compared is None:
        return ["", ""]
    calls = f", {row.case.calls} calls each" if row.case.calls > 1 else ""
    states = f", {len(row.compared.states)} states" if row.compared.states else ""
    sizes = "1 size" if row.compared.sizes == 1 else f"{row.compared.sizes} sizes"
    return [f"{sizes}{calls}{states}", f"{row.compared.errors.difference:.0e}"]


def tags_in_words(row: Judged) -> str:
    if row.outcome == REFUSED:
        return ""
    return "broken" if row.problems else "fine"


def reason_in_words(row: Judged) -> str:
    """The reason as text, without folders of the machine that made the file or of this one."""
    words = "; ".join(filter(None, (row.reason, *row.problems)))
    return plain(FOLDERS.sub("", words)[:REASON_LENGTH])


def export_rows(rows: list) -> list:
    """A line for each export."""
    lines = head(["file", "export", "flags", "outcome", "why", "compared", "tags", "nodes",
                  "difference"], 2)
    for row in rows:
        sizes, difference = compared_in_words(row)
        flags = shlex.join(row.case.all_flags())
        lines.append(line([
            name_of(row), row.case.name, f"`{flags}`" if flags else "none",
            row.outcome, reason_in_words(row), sizes, tags_in_words(row), row.nodes or "",
            difference,
        ]))
    return lines


def tables(rows: list) -> list:
    return ["## Files\n", *file_rows(rows), "\n## Exports\n", *export_rows(rows)]


def write(path: Path, rows: list) -> None:
    path.write_text("\n".join([INTRODUCTION, *tables(rows)]) + "\n")
