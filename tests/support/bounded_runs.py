"""Runs of htp-trace on hostile files, which must end within seconds and little memory, with one line, and nothing left."""

import os
import resource
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

from harness import EXIT_UNSUPPORTED, PROGRAM

ADDRESSES = 4 << 30  # address space of a run; libtorch itself takes about one of it
MEMORY = 1 << 30
SECONDS = 10  # of processors: other processes do not count
LONGEST = 120  # seconds of the clock


class Ended(NamedTuple):
    code: int
    out: str
    err: str
    seconds: float
    memory: int


def bounded() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESSES, ADDRESSES))
    resource.setrlimit(resource.RLIMIT_CPU, (LONGEST, LONGEST))


def run_bounded(*arguments) -> Ended:
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        process = subprocess.Popen([str(PROGRAM), *map(str, arguments)], stdout=out, stderr=err, preexec_fn=bounded)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        for stream in (out, err):
            stream.seek(0)
        return Ended(process.returncode, out.read(), err.read(), usage.ru_utime + usage.ru_stime,
                     usage.ru_maxrss * 1024)


def check_bounded(folder: Path, words: str, *arguments, code=EXIT_UNSUPPORTED) -> Ended:
    """Expects a refusal: one line with these words, and no new file in the folder."""
    before = sorted(folder.iterdir())
    ended = run_bounded(*arguments)
    assert ended.code == code, f"{ended.code}: {ended.err[-800:]}"
    is_list = "cannot be exported" in ended.err  # of operators
    assert words in ended.err and (is_list or ended.err.count("\n") == 1), ended.err
    assert ended.seconds < SECONDS, f"{ended.seconds} s"
    assert ended.memory < MEMORY, f"{ended.memory >> 20} MB"
    assert sorted(folder.iterdir()) == before
    return ended
