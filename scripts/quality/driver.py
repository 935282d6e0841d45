"""One model: its export, and the answers of `htp-trace quality` about that and the others' files."""

import json
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import harness

from models.table import Model
from quality import published
from quality.files import Files, files_of
from quality.taggers import OURS, Tagger

SECONDS = 300
RUNS = 3  # of a timed export; the fastest counts


class Fails(Exception):
    """A failed run of the program, with its message."""


@dataclass
class Measured:
    """One tagger's result for a model. document: the model in the JSON of `htp-trace quality`; None with a refusal."""

    model: str
    tagger: Tagger
    document: dict | None = None
    refusal: str = ""
    is_fixed: bool = False
    seconds: float = 0.0  # of an export of ours

    def problems(self) -> list:
        """The rows of nodes with problems, as dictionaries."""
        table = self.document["nodes_table"]
        rows = (dict(zip(table["columns"], row)) for row in table["rows"])
        return [row for row in rows if row["problems"]]


def run(*arguments) -> float:
    """Runs the program. @return how long that took. Raises Fails."""
    begin = time.monotonic()
    command = [str(harness.PROGRAM), *map(str, arguments)]
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        raise Fails(f"{arguments[0]}: took longer than {SECONDS} s") from None
    if result.returncode != harness.EXIT_OK:
        last = (result.stderr.strip().splitlines() or [""])[-1]
        raise Fails(f"exit code {result.returncode}: {last}")
    return time.monotonic() - begin


def quality_arguments(ours: Path, files: Files, peers: list) -> list:
    arguments = ["quality", ours, "--reference", files.torchscript]
    arguments += harness.input_flags(files.model)
    for peer in peers:
        arguments += ["--against", peer.path]
    return arguments


def measured(files: Files, ours: Path, folder: Path) -> list:
    """The program's answer about an export of ours and the files beside it. Raises Fails."""
    peers = [peer for peer in files.peers if peer.path]
    out = folder / "quality.json"
    run(*quality_arguments(ours, files, peers), "--json", out)
    documents = json.loads(out.read_text())["models"]
    assert len(documents) == 1 + len(peers), f"{out}: {len(documents)} models"
    found = [Measured(files.model.name, OURS, documents[0])]
    of_peers = dict(zip((peer.tagger.key for peer in peers), documents[1:]))
    for peer in files.peers:
        found.append(Measured(files.model.name, peer.tagger, of_peers.get(peer.tagger.key),
                              peer.refusal, peer.is_fixed))
    return found


def ours_in(folder: Path, name: str) -> Path:
    return folder / f"{name}.onnx"


def measure(model: Model, folder: Path) -> list:
    """A Measured of each tagger, ours first. Raises Fails."""
    files = files_of(model)
    ours = ours_in(folder, model.name)
    seconds = min(
        run(files.torchscript, "--out", ours, *harness.input_flags(model))
        for _ in range(RUNS if model.name in published.TIMED else 1)
    )
    found = measured(files, ours, folder)
    found[0].seconds = seconds
    return found
