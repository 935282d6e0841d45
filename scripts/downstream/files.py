"""The compared files: one model exported by this program and by PyTorch's two exporters with their defaults, and
libtorch's results at several sizes."""

import hashlib
import json
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import harness

from models.table import Model
from quality.files import export
from quality.taggers import Tagger

HERE = Path(__file__).resolve().parent
WORKER = HERE.parent / "quality" / "exporters.py"
OURS = "htp-trace"
# As users run them: norms are folded, unlike in the files for comparing tags.
PEERS = (
    Tagger("older-folded", "dynamo=False", "as it comes"),
    Tagger("newer", "dynamo=True", "as it comes"),
)
FACTS = "facts.json"


@dataclass
class Subject:
    model: Model
    data: Path
    with_metadata: Path  # this program's file, its tags as metadata alone
    paths: dict = field(default_factory=dict)  # exporter's name -> path, or None
    refusals: dict = field(default_factory=dict)


def digest_of(model: Model) -> str:
    digest = hashlib.sha256(harness.maker_hash(model).encode())
    for path in (harness.REQUIREMENTS, WORKER, HERE / "reference.py"):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def make(model: Model, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    command = [harness.VENV_PYTHON, "-B", HERE / "reference.py", model.name,
               harness.torchscript(model), folder / "data.npz"]
    subprocess.run(list(map(str, command)), check=True)
    facts = {}
    for peer in PEERS:
        # Tools distinguish models only by the names of their folders.
        place = folder / peer.key / model.name
        place.mkdir(parents=True, exist_ok=True)
        facts[peer.name] = export(peer, model, place)
    (folder / FACTS).write_text(json.dumps(facts))


def ours(model: Model, folder: Path, *flags) -> Path:
    path = folder / model.name / "model.onnx"
    path.parent.mkdir(parents=True)
    harness.export(harness.torchscript(model), path, *harness.input_flags(model), *flags)
    return path


def subject_of(model: Model, scratch: Path) -> Subject:
    """Makes all files of a model; those of peers are kept for the next run."""
    folder = harness.CACHE / f"downstream-{model.name}-{digest_of(model)}"
    with harness.locked(harness.CACHE / f"downstream-{model.name}.lock"):
        if not (folder / FACTS).exists():
            make(model, folder)
    facts = json.loads((folder / FACTS).read_text())
    found = Subject(model, folder / "data.npz", ours(model, scratch / "metadata", "--tags", "metadata"))
    found.paths[OURS] = ours(model, scratch / "ours")
    for peer in PEERS:
        fact = facts[peer.name]
        found.refusals[peer.name] = fact.get("refusal", "")
        path = folder / peer.key / model.name / f"{peer.key}.onnx"
        found.paths[peer.name] = None if found.refusals[peer.name] else path
        if fact.get("is_fixed"):
            found.refusals[peer.name] = "its axes are fixed"
    return found
