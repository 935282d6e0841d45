"""Runs of the program whose results are digests: a text or file that is the same has the same one."""

import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import Iterator

import started

TIMEOUT = 600
# Both write into a folder of the same name, as messages have paths.
OUT = "x.onnx"
ACTIONS = {"export": ("--out", OUT), "trace": ("--dump-after", "trace"), "inspect": ()}
SHOWN = 160  # characters of a text


def digest_of(*paths: Path) -> str:
    digest = hashlib.sha256()
    for path in paths:
        with open(path, "rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()[:16]


def told(text: str) -> str:
    """Short, and another one for another text."""
    text = text.strip()
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}... {digest}"


def results_of(program: Path, path: Path, flags: tuple) -> dict:
    """What a program prints and writes for one file, by what was asked of it. What it derives of a
    file is told by inspect, which is not asked twice."""
    found = {}
    home = os.getcwd()
    for action, asked in ACTIONS.items():
        if action == "inspect":
            if flags:
                continue
            command = [str(program), action, str(path), "--json"]
        else:
            command = [str(program), str(path), *asked, *flags]
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                result = started.run(program, command, TIMEOUT)
            finally:
                os.chdir(home)
            found[f"{action}: exit code"] = result.returncode
            found[f"{action}: standard output"] = told(result.stdout)
            found[f"{action}: standard error"] = told(result.stderr)
            for written in sorted(Path(folder).iterdir()):
                found[f"{action}: {written.name}"] = digest_of(written)
    return found


# ---- in the processes that run ---------------------------------------------------------------------

PROGRAMS: list = []


def begin(*builds: Path) -> None:
    PROGRAMS[:] = [build / "htp-trace-started" for build in builds]


def both(asked: tuple) -> tuple:
    """The subject, and the results of the old program, unless they are known, and of the new one."""
    subject, known = asked
    old, new = PROGRAMS
    was = known or results_of(old, subject.path, subject.flags)
    return subject, was, results_of(new, subject.path, subject.flags)


# ---- what is known of the old one ------------------------------------------------------------------


class Known:
    """Results of one build, which a file in its folder keeps."""

    def __init__(self, build: Path):
        version = digest_of(build / "htp-trace-started", build / "libhtp-shim.so")
        self.path = build / f"same-exports-{version}.jsonl"
        self.results = {}
        if self.path.exists():
            for line in self.path.read_text().splitlines():
                key, result = json.loads(line)
                self.results[key] = result

    @staticmethod
    def key(subject) -> str:
        return " ".join((digest_of(subject.path), *ACTIONS, *subject.flags))

    def joined(self, subjects) -> Iterator[tuple]:
        for subject in subjects:
            yield subject, self.results.get(self.key(subject))

    def add(self, subject, result: dict) -> None:
        key = self.key(subject)
        if key not in self.results:
            self.results[key] = result
            with open(self.path, "a") as file:
                file.write(json.dumps([key, result]) + "\n")
