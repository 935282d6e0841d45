"""Runs of the program as digests: equal texts or files have equal digests."""

import hashlib
import json
import os
import tempfile
from pathlib import Path
from typing import Iterator

import started

TIMEOUT = 600
# Both write into a folder of the same name, because messages contain paths.
OUT = "x.onnx"
SHOWN = 160  # characters of a text


def digest_of(*paths: Path) -> str:
    digest = hashlib.sha256()
    for path in paths:
        with open(path, "rb") as file:
            digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()[:16]


def told(text: str) -> str:
    """A short form of a text; equal for equal texts only."""
    text = text.strip()
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}... {digest}"


def asked_of(path, flags: tuple) -> dict:
    """The arguments of each run. Inspecting takes no flags, so it only runs without them."""
    path = str(path)
    asked = {"export": (path, "--out", OUT, *flags), "trace": (path, "--dump-after", "trace", *flags)}
    return asked if flags else {**asked, "inspect": ("inspect", path, "--json")}


def results_of(program: Path, path: Path, flags: tuple) -> dict:
    """Output and files of a program for one subject, by kind of run."""
    found = {}
    home = os.getcwd()
    for action, arguments in asked_of(path, flags).items():
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                result = started.run(program, [str(program), *arguments], TIMEOUT)
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
    """The subject, its key, and the results of the old program, unless known, and of the new one."""
    subject, key, known = asked
    old, new = PROGRAMS
    was = known or results_of(old, subject.path, subject.flags)
    return subject, key, was, results_of(new, subject.path, subject.flags)


# ---- results of the old build ------------------------------------------------------------------


class Known:
    """Results of one build, kept in a file in its folder."""

    def __init__(self, build: Path):
        version = digest_of(build / "htp-trace-started", next(build.glob("libhtp-shim-*.so")))
        self.path = build / f"same-exports-{version}.jsonl"
        self.results = {}
        if self.path.exists():
            for line in self.path.read_text().splitlines():
                key, result = json.loads(line)
                self.results[key] = result

    @staticmethod
    def key(subject) -> str:
        words = [word for one in asked_of("", subject.flags).values() for word in one]
        return " ".join((digest_of(subject.path), *words))

    def joined(self, subjects) -> Iterator[tuple]:
        """Each with its key and known result, or None."""
        for subject in subjects:
            key = self.key(subject)
            yield subject, key, self.results.get(key)

    def add(self, key: str, result: dict) -> None:
        if key not in self.results:
            self.results[key] = result
            with open(self.path, "a") as file:
                file.write(json.dumps([key, result]) + "\n")
