"""Runs of the program with faults on purpose, and what must come of them: see tests/faults/faulty.c."""

import errno
import functools
import json
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import onnxruntime
import torch
from torch import nn

import started
import written_programs as written
from compiled import save
from harness import (
    BUILD, EXIT_CANNOT_WRITE, EXIT_INTERNAL, EXIT_OK, ROOT, TIMEOUT, export, once_in_a_run, quick_scratch,
)

FAULTY = BUILD / "htp-trace-faulty"
EXPORTED = ROOT / "tests" / "exported" / "versions" / "2.9" / "norms" / "plain.pt2"
ALLOCATIONS = ("malloc", "calloc", "realloc", "mmap", "new")
READS = ("read", "pread", "__pread_chk", "fstat", "stat", "fopen", "fread", "fseeko", "fclose", "open_to_read",
         "mapped")
UNSYNCED = "unsynced"  # what is reported of a file that is renamed before it is on disk
SECONDS = r'"seconds":\s*(\{[^}]*\}|[^,}]*)'  # what a run took, in JSON
OUT = "out"  # the folder that a run may write to


WIDTH, LARGE = 80, 224  # a weight of 70 kB: files of external data are made, and mapped
ELEMENTS = 20_000  # of the weight of a program of torch.export


class Layers(nn.Module):
    """Some modules, weights to be laid out anew, and a size that is computed."""

    def __init__(self):
        super().__init__()
        self.first = nn.Sequential(nn.Linear(6, WIDTH), nn.LayerNorm(WIDTH), nn.GELU())
        self.second = nn.Linear(WIDTH, LARGE)

    def forward(self, x):
        x = self.first(x)
        return self.second(x.reshape(x.shape[0] * x.shape[1], WIDTH)).softmax(-1)


def make_program(path: Path) -> None:
    """A program of torch.export that adds a large weight."""
    made, saved = written.program(), written.config()
    made["graph_module"]["graph"]["tensor_values"] = {
        "w": written.meta(ELEMENTS), "x": written.meta(3, ELEMENTS), "y": written.meta(3, ELEMENTS)}
    saved["config"]["holder.inner.w"]["tensor_meta"] = written.meta(ELEMENTS)
    written.write(path, {**written.records(), "models/model.json": json.dumps(made).encode(),
                         "data/weights/model_weights_config.json": json.dumps(saved).encode(),
                         "data/weights/weight_0": b"\1\0\0\x3f" * ELEMENTS})


@functools.cache
def inputs() -> dict:
    """The models that commands read."""
    folder = Path(os.environ["HTP_TEST_OUTPUT"])

    def make_onnx(source: Path, path: Path) -> None:
        unready = path.with_suffix(".onnx")
        export(source, unready, "--include-torch-nn", "--quiet")
        unready.rename(path)

    files = {"pt": once_in_a_run(folder / "faulty.pt", lambda path: save(
        Layers(), (torch.ones(2, 3, 6),), "traced", path))}
    files["onnx"] = once_in_a_run(folder / "faulty.onnx", functools.partial(make_onnx, files["pt"]))
    files["pt2"] = EXPORTED
    files["onnx2"] = once_in_a_run(folder / "faulty2.onnx", functools.partial(make_onnx, EXPORTED))
    files["large"] = once_in_a_run(folder / "faulty.pt2", make_program)
    files["runtime"] = sorted(Path(onnxruntime.__file__).parent.glob("capi/libonnxruntime.so.*"))[0]
    return files


# A row for each command: names of inputs() are replaced by paths.
COMMANDS = {
    "export": ["pt", "--out", "out/m.onnx"],
    "export_pair": ["pt", "--out", "out/m.onnx", "--external-data", "always"],
    "exported": ["pt2", "--out-dir", "out/new/folder"],
    "exported_pair": ["large", "--out", "out/m.onnx", "--external-data", "always"],
    "inspect": ["inspect", "onnx", "--json"],
    "inspect_program": ["inspect", "pt", "--json"],
    "inspect_exported": ["inspect", "pt2", "--json"],
    "extract": ["extract", "onnx", "--module", "first", "--out", "out/m.onnx"],
    "split": ["split", "onnx", "--depth", "1", "--out-dir", "out/parts", "--external-data", "always"],
    "quality": ["quality", "onnx", "--html", "out/page.html"],
    "quality_program": ["quality", "onnx", "--reference", "pt", "--html", "out/page.html"],
    "quality_exported": ["quality", "onnx2", "--reference", "pt2", "--html", "out/page.html"],
    "verify": ["verify", "onnx", "onnx", "--onnxruntime", "runtime"],
    "verify_program": ["verify", "pt", "onnx", "--onnxruntime", "runtime"],
    "verify_exported": ["verify", "pt2", "onnx2", "--onnxruntime", "runtime"],
    "sandbox": ["enter-sandbox", "pt", "pt2", "onnx"],  # of the C API: tests/faults/entering.h
}
# Commands that write several outputs one after the other, each whole or not at all; of this table and others.
SEVERAL = ("export_sidecar", "exported_sidecar", "exported_report", "sidecar_json", "inspect_cost", "verify_save")
WRITERS = ("export", "export_pair", "exported", "exported_pair", "extract", "split", "quality")


@dataclass(frozen=True)
class Place:
    """Where a fault may be, or was, as faulty.c reports it."""

    name: str
    call: str  # or what was done
    addresses: tuple

    @property
    def process(self) -> int:
        """Of a place that is no allocation: 0 for the first one."""
        return int(self.name, 16) >> 32

    def __str__(self):
        return f"{self.call} at {self.name} ({' '.join(self.addresses)})"


def run_program(arguments: list, folder: Path, order: str = "") -> tuple:
    """Runs the program in a folder, with an order of faulty.c. @return its answer, and its report: a Place for each
    fault"""
    report = folder / "report"
    report.unlink(missing_ok=True)
    orders = [f"report={report}", f"fault={order}"] if order else []
    result = started.run(FAULTY, [str(FAULTY), *orders, *arguments], TIMEOUT, folder)
    result.stdout = re.sub(SECONDS, "", result.stdout)
    lines = report.read_text().splitlines() if order else []
    return result, [Place(words[0], words[1], tuple(words[2:])) for words in map(str.split, lines)]


def run_command(command: str, folder: Path, order: str = "") -> tuple:
    """Runs a command of COMMANDS in a folder: run_program()."""
    (folder / OUT).mkdir(exist_ok=True)
    return run_program([str(inputs().get(word, word)) for word in COMMANDS[command]], folder, order)


def contents(folder: Path) -> dict:
    """All files below the folder of outputs, also hidden ones, without what runs took."""
    return {str(path.relative_to(folder)): re.sub(SECONDS.encode(), b"", path.read_bytes())
            for path in sorted((folder / OUT).rglob("*")) if path.is_file()}


def tells_failure(content: bytes) -> bool:
    """Whether a file is the object of JSON that a failure leaves."""
    return content.startswith(b"{") and b'"failed"' in content and json.loads(content)["status"] == "failed"


def are_whole(command: str, left: dict, written: dict) -> bool:
    """Whether outputs are complete or not at all there."""
    if command not in SEVERAL:
        return left in ({}, written)
    return {name: content for name, content in left.items() if not tells_failure(content)}.items() <= written.items()


@functools.cache
def places(command: str, run=run_command) -> tuple:
    """All places of a command's run, and what it writes and prints without faults. run() is run_command(), or the same
    for the commands of another table."""
    with quick_scratch() as folder:
        run(command, folder)  # what only the first run does
    with quick_scratch() as folder:
        result, found = run(command, folder, "list")
        assert result.returncode == EXIT_OK, result.stderr[-3000:]
        unsynced = [str(place) for place in found if place.call == UNSYNCED]
        assert not unsynced, f"{command}: renames files that are not on disk: {unsynced}"
        return found, contents(folder), result


def has_acted(acted: list) -> bool:
    """Whether a fault came, and no file was renamed before it was on disk."""
    return bool(acted) and all(place.call != UNSYNCED for place in acted)


def evenly(things: list, count: int) -> list:
    """Some of them, from the whole list; all if count is 0, and no order asks for fewer (`make faults PLACES=N`)."""
    count = count or int(os.environ.get("HTP_PLACES", "0"))
    step = max(1, len(things) // count) if count else 1
    return things[::step]


# ---- memory ----------------------------------------------------------------------------------------


@functools.cache
def is_of_libtorch(place: Place) -> bool:
    """Whether a place is in a function of libtorch's headers that ends the process without memory: the move of a
    c10::Dict, which is declared not to throw."""
    shim = next(BUILD.glob("libhtp-shim-*.so"))
    found = subprocess.run(["addr2line", "-Cie", str(shim), f"0x{place.addresses[0]}"], capture_output=True, text=True)
    return place.call == "new" and "/c10/util/order_preserving_flat_hash_map.h" in found.stdout


ATTEMPTS = 4  # seconds in outputs make texts grow at other places


def complaint_about_memory(command: str, place: Place, mode: str, run) -> str:
    """What is wrong with a run in which memory runs out; empty if nothing is. It ends as without the fault if the
    memory was for something that it can do without."""
    _, written, usual = places(command, run)
    for _ in range(ATTEMPTS):
        with quick_scratch() as folder:
            result, acted = run(command, folder, f"{mode}:{errno.ENOMEM}:{place.name}")
            left = contents(folder)
        if acted:
            break
    lines = result.stderr.splitlines()
    if result.returncode == EXIT_OK:
        wrong = left != written or result.stdout != usual.stdout
    else:
        named = [line for line in lines if "out of memory" in line or "Cannot allocate memory" in line]
        is_whole = are_whole(command, left, written)  # memory may run out behind the output
        wrong = result.returncode not in (EXIT_INTERNAL, EXIT_CANNOT_WRITE) or not named or not is_whole
        wrong = wrong or not set(lines) <= {*named, *usual.stderr.splitlines()}
        wrong = wrong and ("LeakSanitizer" in result.stderr or not is_of_libtorch(place))
    wrong = wrong or not has_acted(acted)
    return f"{command}, {mode} {place}: {len(acted)} faults, exit code {result.returncode}, {sorted(left)}, " \
        f"{lines[:40]}" if wrong else ""


def check_memory(command: str, mode: str, count: int = 0, run=run_command) -> None:
    found = [place for place in places(command, run)[0] if place.call in ALLOCATIONS]
    complaints = [complaint_about_memory(command, place, mode, run) for place in evenly(found, count)]
    complaints = [complaint for complaint in complaints if complaint]
    assert found and not complaints, f"{len(complaints)} of {len(found)} places\n" + "\n".join(complaints[:40])


# ---- writes ----------------------------------------------------------------------------------------

# A fault: the orders of faulty.c without a place, and the calls that it is for; all if there are none.
WRITE_FAULTS = {
    "no_space": (f"from:{errno.ENOSPC}", ("write", "pwrite", "fallocate", "ftruncate", "mkdir", "open", "link")),
    "io_error": (f"once:{errno.EIO}", ()),
    "interrupt": (f"once:{errno.EINTR}", ("write", "pwrite", "fallocate", "ftruncate", "fsync", "flock", "close")),
    "half": ("half:0", ("write", "pwrite", "copy_file_range", "sendfile")),
}
HARMLESS = ("interrupt", "half")
# A disk without room is told before anything is written.
REFUSED = {("no_space", "fallocate")}


def complaint_about_write(command: str, place: Place, fault: str, run) -> str:
    """What is wrong with a run in which a call fails; empty if nothing is."""
    _, written, usual = places(command, run)
    with quick_scratch() as folder:
        result, acted = run(command, folder, f"{WRITE_FAULTS[fault][0]}:{place.name}")
        left = contents(folder)
    lines = [line for line in result.stderr.splitlines() if line not in usual.stderr.splitlines()]
    if result.returncode == EXIT_OK:
        wrong = (fault, place.call) in REFUSED
        wrong = wrong or left != written and not (place.call in ("unlink", "unlinkat") and written.items() <= left.items())
    else:
        codes = (EXIT_CANNOT_WRITE, *([EXIT_INTERNAL] if place.call == "memfd_create" else []))  # a file in memory
        wrong = fault in HARMLESS or result.returncode not in codes
        wrong = wrong or not lines or len(lines) > 1 and command not in SEVERAL
        wrong = wrong or not are_whole(command, left, written)
    wrong = wrong or not has_acted(acted)
    return f"{command}, {fault} {place}: {len(acted)} faults, exit code {result.returncode}, {sorted(left)}, " \
        f"{lines[-25:]}" if wrong else ""


def check_writes(command: str, fault: str, count: int = 0, run=run_command) -> None:
    calls = WRITE_FAULTS[fault][1]
    found = [place for place in places(command, run)[0]
             if place.call not in ALLOCATIONS + READS and (not calls or place.call in calls)]
    complaints = [complaint_about_write(command, place, fault, run) for place in evenly(found, count)]
    complaints = [complaint for complaint in complaints if complaint]
    assert found and not complaints, f"{len(complaints)} of {len(found)} places\n" + "\n".join(complaints[:40])
