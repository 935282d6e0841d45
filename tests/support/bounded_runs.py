"""Runs of htp-trace on hostile files, which must end within seconds and little memory, with one line, and nothing left."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from harness import EXIT_UNSUPPORTED, PROGRAM

MEASURED = Path(__file__).with_name("measured.py")
MEMORY = 1 << 30
SECONDS = 10  # of processors: other processes do not count
PATIENCE = 60  # seconds of the clock, on a busy machine


class Ended(NamedTuple):
    code: int
    out: str
    err: str
    seconds: float
    memory: int

    def check_cost(self) -> None:
        assert self.seconds <= SECONDS and self.memory <= MEMORY, f"{self.seconds:.1f} s, {self.memory >> 20} MiB"


def run_bounded(*arguments, within=None) -> Ended:
    """@param within: the working folder"""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, tempfile.NamedTemporaryFile() as report:
        measured = [sys.executable, "-I", "-S", str(MEASURED), report.name, str(PATIENCE)]
        subprocess.run([*measured, str(PROGRAM), *map(str, arguments)], stdout=out, stderr=err, check=True, cwd=within)
        for stream in (out, err):
            stream.seek(0)
        cost = json.loads(Path(report.name).read_text())
        assert cost["code"] is not None, f"it ran for more than {PATIENCE} s"
        return Ended(cost["code"], out.read().decode(), err.read().decode(), cost["seconds"], cost["bytes"])


def check_bounded(folder: Path, words: str, *arguments, code=EXIT_UNSUPPORTED) -> Ended:
    """Expects a refusal: one line with these words, and no new file in the folder."""
    before = sorted(folder.iterdir())
    ended = run_bounded(*arguments)
    assert ended.code == code, f"{ended.code}: {ended.err[-800:]}"
    is_list = "cannot be exported" in ended.err  # of operators
    assert words in ended.err and (is_list or ended.err.count("\n") == 1), ended.err
    ended.check_cost()
    assert sorted(folder.iterdir()) == before
    return ended
