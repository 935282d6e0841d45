"""Small models of each source, every truncation and every flipped bit of which ends in an answer."""

import functools
import os
import zipfile
from dataclasses import dataclass
from pathlib import Path

import onnx
import torch
from torch import nn

import faulty
from compiled import save
from harness import (
    EXIT_BAD_INPUT, EXIT_OK, EXIT_UNSUPPORTED, EXIT_USAGE, ROOT, TIMEOUT, export, once_in_a_run, quick_scratch, run,
)

LARGEST = 100_000  # bytes of a model
TRUNCATED_AT, FLIPPED_AT = 64, 97  # bytes between two damages
ANSWERS = (EXIT_OK, EXIT_USAGE, EXIT_BAD_INPUT, EXIT_UNSUPPORTED)
VERSIONS = ROOT / "tests" / "exported" / "versions"
# Records whose checksums are not compared: source lines, and archives of weights in a program.
UNCHECKED = (".debug_pkl", ".pt")
LEAST_WEIGHT = 64  # bytes; less could be found elsewhere in an ONNX file

# ---- models ----------------------------------------------------------------------------------------


class Steps(nn.Module):
    """Branches, loops and containers."""

    factors: list[float]

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])
        self.factors = [0.5, 2.0]

    def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
        found = {"x": x}
        for layer in self.layers:
            x = layer(x)
        for factor in self.factors:
            if bool(x.sum() > 0):
                x = x * factor
        found["y"] = x
        return found


class Pictures(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2))
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        return self.head(self.body(x).mean((2, 3)))


class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(16, 4)
        self.layer = nn.LSTM(4, 4, batch_first=True)

    def forward(self, words):
        return self.layer(self.table(words))[0]


class Counting(nn.Module):
    """State, and a number of no tensor."""

    calls: int

    def __init__(self):
        super().__init__()
        self.register_buffer("sum", torch.zeros(4))
        self.calls = 3

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        self.sum = self.sum + x
        return self.sum.clone(), x * self.calls


PICTURE = "x:float32[n=2,1,height=8,width=6]"
TORCHSCRIPT = {
    "layers": (faulty.Layers, (torch.ones(2, 3, 6),), "traced", "x:float32[n=2,t=3,6]"),
    "steps": (Steps, (torch.ones(2, 4),), "scripted", "x:float32[n=2,4]"),
    "pictures": (Pictures, (torch.ones(2, 1, 8, 6),), "traced", PICTURE),
    "words": (Words, (torch.zeros(2, 3, dtype=torch.int64),), "traced", "words:int64[n=2,t=3]"),
    "counting": (Counting, (torch.ones(4),), "scripted", "x:float32[4]"),
}
EXPORTED = {
    "branch": VERSIONS / "2.15" / "branch" / "plain.pt2",
    "constants": VERSIONS / "2.15" / "constants" / "plain.pt2",
    "counter": VERSIONS / "2.15" / "counter" / "decomposed.pt2",
    "norms": VERSIONS / "2.9" / "norms" / "plain.pt2",
    "tied": VERSIONS / "2.6" / "tied" / "plain.pt2",  # with pickled weights
}
# An ONNX model: its source, and how it is exported.
ONNX = {
    "layers": ("pt", "layers", ("--include-torch-nn",)),
    "functions": ("pt", "layers", ("--functions",)),
    "steps": ("pt", "steps", ()),
    "branch": ("pt2", "branch", ()),
    "constants": ("pt2", "constants", ("--tags", "doc-string")),
}
NAMES = {"pt": TORCHSCRIPT, "pt2": EXPORTED, "onnx": ONNX}


def made_torchscript(name: str) -> Path:
    net, inputs, mode, _ = TORCHSCRIPT[name]
    return once_in_a_run(Path(os.environ["HTP_TEST_OUTPUT"]) / f"damaged-{name}.pt", lambda path: save(
        net(), inputs, mode, path))


def flags_of(source: str, name: str) -> list:
    return ["--input", TORCHSCRIPT[name][3]] if source == "pt" else []


def made_onnx(name: str) -> Path:
    def make(path: Path) -> None:
        unready = path.with_suffix(".onnx")
        export(whole(source, of), unready, "--quiet", *flags_of(source, of), *flags)
        unready.rename(path)

    source, of, flags = ONNX[name]
    return once_in_a_run(Path(os.environ["HTP_TEST_OUTPUT"]) / f"damaged-onnx-{name}.onnx", make)


def whole(source: str, name: str) -> Path:
    """The undamaged model."""
    if source == "pt2":
        return EXPORTED[name]
    return made_torchscript(name) if source == "pt" else made_onnx(name)


# ---- what is damaged -------------------------------------------------------------------------------


@functools.cache
def records(path: Path) -> dict:
    """The ranges of an archive's records, by name."""
    found, content = {}, path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        for record in archive.infolist():
            head = record.header_offset
            lengths = [int.from_bytes(content[head + at:head + at + 2], "little") for at in (26, 28)]
            begin = head + 30 + sum(lengths)
            found[record.filename] = range(begin, begin + record.compress_size)
    return found


def weights_of_archive(path: Path, content: bytes) -> list:
    """The ranges of the records with weights."""
    last = {name: name.rpartition("/")[2] for name in records(path)}
    return [where for name, where in records(path).items()
            if last[name].isdigit() or last[name].startswith(("weight_", "tensor_"))]


def weights_of_onnx(path: Path, content: bytes) -> list:
    model = onnx.load(str(path))
    weights = [tensor.raw_data for tensor in model.graph.initializer if len(tensor.raw_data) >= LEAST_WEIGHT]
    return [range(content.find(data), content.find(data) + len(data)) for data in weights]


@functools.cache
def flips(source: str, name: str) -> list:
    """The places of bits that are flipped: every 97th byte that is no weight's."""
    path = whole(source, name)
    content = path.read_bytes()
    weights = (weights_of_onnx if source == "onnx" else weights_of_archive)(path, content)
    return [at for at in range(0, len(content), FLIPPED_AT) if not any(at in weight for weight in weights)]


@dataclass(frozen=True)
class Damage:
    """What is done to a model at a byte."""

    kind: str
    at: int

    def __str__(self):
        return f"{self.kind} at byte {self.at}"

    def of(self, content: bytes) -> bytes:
        if self.kind == "truncated":
            return content[:self.at]
        changed = bytearray(content)
        changed[self.at] ^= 1 << self.at // FLIPPED_AT % 8
        return bytes(changed)


def damages(source: str, name: str) -> list:
    size = whole(source, name).stat().st_size
    assert size <= LARGEST, f"{source}, {name}: {size} bytes"
    return [Damage("truncated", at) for at in range(0, size, TRUNCATED_AT)] + \
        [Damage("flipped", at) for at in flips(source, name)]


# ---- the answers -----------------------------------------------------------------------------------


def run_on(source: str, name: str, content: bytes, folder: Path) -> tuple:
    """The answer to a model with this content, and what it leaves: contents by name."""
    file, out = folder / f"damaged.{source}", folder / "out" / "m.onnx"
    file.write_bytes(content)
    out.parent.mkdir(exist_ok=True)
    arguments = ["inspect", file] if source == "onnx" else [file, "--out", out, *flags_of(source, name), "--quiet"]
    result = run(*arguments, timeout=TIMEOUT)
    left = {path.name: path.read_bytes() for path in sorted(out.parent.iterdir())}
    for path in out.parent.iterdir():
        path.unlink()
    return result, left


def complaint(source: str, name: str, damage: Damage, usual: dict, folder: Path) -> str:
    """What is wrong with the answer to a damaged model; empty if nothing is. Without damage it leaves @p usual. The
    records of an archive have checksums, so their damage is found if they are read."""
    result, left = run_on(source, name, damage.of(whole(source, name).read_bytes()), folder)
    lines = result.stderr.splitlines()
    if result.returncode == EXIT_OK:
        is_checked = source != "onnx" and any(
            damage.at in where for record, where in records(whole(source, name)).items() if not record.endswith(UNCHECKED))
        wrong = damage.kind == "truncated" or lines or list(left) != list(usual) or (is_checked and left != usual)
    else:
        allowed = (EXIT_BAD_INPUT,) if damage.kind == "truncated" else ANSWERS
        is_crash = lines and "(SIG" in lines[0]  # also beyond a mapping's end: the file does not change during the run
        is_told = lines and lines[0].startswith("htp-trace: ") and f"damaged.{source}" in lines[0] and not is_crash
        is_short = len(lines) == 1 or result.returncode == EXIT_UNSUPPORTED
        wrong = result.returncode not in allowed or not is_told or not is_short or left
    return f"{source}, {name}, {damage}: exit code {result.returncode}, {sorted(left)}, {lines[:20]}" if wrong else ""


def check(source: str, name: str, step: int = 1, first: int = 0) -> None:
    """Every step-th damage of a model."""
    chosen = damages(source, name)[first::step]
    with quick_scratch() as folder:
        result, usual = run_on(source, name, whole(source, name).read_bytes(), folder)
        assert result.returncode == EXIT_OK, result.stderr
        complaints = [complaint(source, name, damage, usual, folder) for damage in chosen]
    complaints = [text for text in complaints if text]
    assert chosen and not complaints, f"{len(complaints)} of {len(chosen)}\n" + "\n".join(complaints[:40])
