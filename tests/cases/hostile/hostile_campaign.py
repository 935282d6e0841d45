"""The campaign of hostile models: each row of hostile_models.tsv is a file, a command, and what must come of it.

A row has five columns, separated by tabs: the module that makes the file (hostile_KIND.py), the name of what it makes there,
the command, its exit code, and a part of its message. In the command {in} is the folder of the file, {out} an output
folder with an earlier result.
"""

import importlib
import os
import shlex
from pathlib import Path
from typing import NamedTuple

from bounded_runs import Ended, run_bounded
from harness import EXIT_OK, EXIT_UNSUPPORTED, scratch

TABLE = Path(__file__).with_name("hostile_models.tsv")
FOUND = 6  # exit code of `validate` with findings
LONGEST = 9000  # bytes of a line
EARLIER = b"an earlier result"
# What a terminal obeys: control codes but line ends and tabs, and marks that turn the direction of text.
OBEYED = {chr(code) for code in (*range(0x20), *range(0x7F, 0xA0), *range(0x2028, 0x202F), *range(0x2066, 0x206A))} - set("\n\t")


class Row(NamedTuple):
    kind: str
    name: str
    command: str
    code: int
    message: str

    def case_name(self) -> str:
        word = self.command.split()[0]
        return f"{self.kind}/{self.name}/{'export' if word.startswith('{') else word}"


def rows() -> list:
    found = []
    for line in TABLE.read_text().splitlines():
        if line and not line.startswith("#"):
            kind, name, command, code, message = line.split("\t")
            found.append(Row(kind, name, command, int(code), message))
    return found


def snapshot(folder: Path) -> dict:
    """What is in a folder: kinds, sizes, and times of change."""
    facts = {path: os.lstat(path) for path in folder.rglob("*")}
    return {str(path): (fact.st_mode, fact.st_ino, fact.st_size, fact.st_mtime_ns) for path, fact in facts.items()
            if not path.is_dir() or path.is_symlink()}


def run_row(row: Row, folder: Path) -> Ended:
    values = {"in": folder / "in", "out": folder / "out"}
    command = [part.replace("{in}", str(values["in"])).replace("{out}", str(values["out"])) for part in shlex.split(row.command)]
    return run_bounded(*command, "--quiet", within=values["out"])


def check_message(row: Row, result: Ended) -> None:
    """One line on stderr, with details below it if the model is not supported; none of success."""
    lines = result.err.splitlines()
    if row.code in (EXIT_OK, FOUND):
        assert not lines, result.err[:2000]
        assert row.message in result.out, result.out[:2000]
        return
    assert result.out == "", result.out[:2000]
    assert lines and lines[0].startswith("htp-trace: ") and result.err.endswith("\n"), result.err[:2000]
    assert len(lines) == 1 or row.code == EXIT_UNSUPPORTED and all(line.startswith("  ") for line in lines[1:]), result.err[:2000]
    assert all(len(line.encode()) <= LONGEST for line in lines), f"a line of {max(map(len, lines))} characters"
    assert row.message in result.err, result.err[:2000]


def check(row: Row) -> None:
    maker = importlib.import_module(f"hostile_{row.kind}")
    with scratch() as folder:
        given, out = folder / "in", folder / "out"
        given.mkdir()
        out.mkdir()
        (out / "o.onnx").write_bytes(EARLIER)
        maker.make(row.name, given)
        before = {place: snapshot(place) for place in (given, out)}
        result = run_row(row, folder)
        assert result.code == row.code, f"exit code {result.code}, not {row.code}: {result.err[:2000]}"
        check_message(row, result)
        obeyed = OBEYED & set(result.out + result.err)
        assert not obeyed, f"a terminal obeys {obeyed}"
        result.check_cost()
        assert snapshot(given) == before[given], "the folder of the file was changed"
        after = snapshot(out)
        if row.code == EXIT_OK and "{out}" in row.command:
            is_file = "{out}/o.onnx" in row.command.split() and row.kind != "places"  # there, it may be a device
            assert not is_file or (out / "o.onnx").read_bytes() != EARLIER, "nothing is written"
            after = {path: fact for path, fact in after.items() if path in before[out]}
            assert not any(Path(path).name.startswith(".") for path in snapshot(out)), "something is left behind"
            assert after.keys() == before[out].keys()
        else:
            assert after == before[out], "the output folder was changed"
