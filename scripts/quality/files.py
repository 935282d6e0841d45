"""The measured files: for each model a TorchScript file, and files of other taggers. They are made once and kept with
the tests' sample models, since they do not depend on this program."""

import hashlib
import json
import resource
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import harness

from models.table import Model
from quality.taggers import GUESS, OLDER, OTHERS, REFUSED, Tagger

HERE = Path(__file__).resolve().parent
WORKER = HERE / "exporters.py"
SECONDS = 600
MEMORY = 16 << 30  # of address space; PyTorch maps more than it uses
FACTS = "facts.json"


@dataclass
class Peer:
    """A file of another tagger. refusal: why there is none. is_fixed: its axes are not dynamic."""

    tagger: Tagger
    path: Path | None
    refusal: str = ""
    is_fixed: bool = False


@dataclass
class Files:
    model: Model
    torchscript: Path
    peers: list = field(default_factory=list)


def digest_of(model: Model) -> str:
    """Changes when the makers of the files change."""
    digest = hashlib.sha256(harness.maker_hash(model).encode())
    for path in (harness.REQUIREMENTS, WORKER, HERE / "guess.py"):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def limited() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def export(tagger: Tagger, model: Model, folder: Path) -> dict:
    """One file in the folder.
    @return facts about it"""
    out, older = (folder / f"{key}.onnx" for key in (tagger.key, OLDER.key))
    command = [harness.VENV_PYTHON, "-B", WORKER, tagger.key, model.name, out]
    if tagger is GUESS:
        command.append(older)
    try:
        result = subprocess.run(
            list(map(str, command)), capture_output=True, text=True, timeout=SECONDS,
            preexec_fn=limited,
        )
    except subprocess.TimeoutExpired:
        return {"refusal": f"took longer than {SECONDS} s"}
    lines = [line for line in result.stderr.splitlines() if line.strip()]
    if result.returncode == REFUSED:
        return {"refusal": lines[-1]}
    if result.returncode != 0:
        return {"refusal": f"exit code {result.returncode}: {lines[-1] if lines else ''}"}
    return {"is_fixed": result.stdout.strip().endswith("fixed")}


def make_peers(model: Model, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    facts = {}
    for tagger in OTHERS:
        if tagger is GUESS and "refusal" in facts[OLDER.key]:
            facts[GUESS.key] = {"refusal": f"needs the file of {OLDER.name}"}
        else:
            facts[tagger.key] = export(tagger, model, folder)
    facts[GUESS.key].setdefault("is_fixed", facts[OLDER.key].get("is_fixed", False))
    (folder / FACTS).write_text(json.dumps(facts))


def peers_of(model: Model) -> list:
    folder = harness.CACHE / f"quality-{model.name}-{digest_of(model)}"
    with harness.locked(harness.CACHE / f"quality-{model.name}.lock"):
        if not (folder / FACTS).exists():
            make_peers(model, folder)
    facts = json.loads((folder / FACTS).read_text())
    return [
        Peer(tagger, None if "refusal" in fact else folder / f"{tagger.key}.onnx",
             fact.get("refusal", ""), fact.get("is_fixed", False))
        for tagger, fact in ((tagger, facts[tagger.key]) for tagger in OTHERS)
    ]


def files_of(model: Model) -> Files:
    return Files(model, harness.torchscript(model), peers_of(model))
