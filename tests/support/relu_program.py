"""The smallest program of torch.export: one relu, no weights. It is written without torch."""

import sys
import zipfile
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "fuzz" / "corpus_makers"))
from corpus_exported import programs  # noqa: E402


def relu_program(path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("net/archive_format", "pt2")
        archive.writestr("net/models/model.json", programs()["relu"])
        archive.writestr("net/data/weights/model_weights_config.json", '{"config": {}}')
    return path
