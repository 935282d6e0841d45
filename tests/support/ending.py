"""Runs that a signal ends, at any of their calls or after any time: see tests/faults/acts.h. A folder of outputs has
the whole old ones or the whole new ones, and nothing else after the next run."""

import functools
import json
import os
import random
import shutil
import signal
import time
from dataclasses import dataclass
from pathlib import Path

import onnx
import torch
from google.protobuf.message import DecodeError
from torch import nn

import changing
import faulty
from compiled import save
from harness import (
    EXIT_CANNOT_WRITE, EXIT_INTERNAL, EXIT_INTERRUPTED, EXIT_OK, once_in_a_run, quick_scratch, run as run_program,
)

# A row for each command: its arguments for the old outputs, and for the new ones; the folder of neither exists if
# there are no old ones.
COMMANDS = {
    "export": ("o.pt --out out/m.onnx", "m.pt --out out/m.onnx"),
    "export_first": ("", "m.pt --out out/m.onnx --external-data always"),
    "export_pair": ("o.pt --out out/m.onnx --external-data always", "m.pt --out out/m.onnx --external-data always"),
    "export_pair_for_one": ("o.pt --out out/m.onnx", "m.pt --out out/m.onnx --external-data always"),
    "export_one_for_pair": ("o.pt --out out/m.onnx --external-data always", "m.pt --out out/m.onnx"),
    "export_sidecar": ("o.pt --out out/m.onnx", "m.pt --out out/m.onnx --sidecar"),
    "exported": ("", "m.pt2 --out out/m.onnx --external-data always"),
    "exported_pair": ("o.pt --out out/m.onnx --external-data always", "m.pt2 --out out/m.onnx --external-data always"),
    "extract": ("extract o.onnx --module second --out out/m.onnx --external-data always",
                "extract m.onnx --module first --out out/m.onnx --external-data always"),
    "split": ("", "split m.onnx --depth 1 --out-dir out/parts"),
    "split_pairs": ("", "split m.onnx --depth 1 --out-dir out/parts --external-data always"),
    "split_shared": ("", "split m.onnx --depth 1 --out-dir out/parts --share-weights"),
    "strip": ("o.pt --out out/m.onnx --external-data always", "strip m.onnx --out out/m.onnx"),
    "replace": ("o.pt --out out/m.onnx --external-data always",
                "replace m.onnx --module first --op my.domain:First --out out/m.onnx"),
    "sidecar": ("sidecar o.onnx --out out/m.json", "sidecar m.onnx --out out/m.json"),
    "quality": ("quality o.onnx --html out/page.html", "quality m.onnx --html out/page.html"),
}
STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
IGNORED = (signal.SIGPIPE, signal.SIGXFSZ)
TRIES = 8  # for each moment that must come before the end of a run
TEMPORARY = ".htp-trace-"
SIDECAR = "_hierarchy.json"  # written after its model


class Other(faulty.Layers):
    """The model of old outputs: with other weights."""

    def __init__(self):
        super().__init__()
        with torch.no_grad():
            self.second.weight.fill_(0.5)


def make_files(folder: Path) -> None:
    folder.mkdir()
    for name in ("m.pt", "m.pt2", "m.onnx", "m.onnx.data"):
        (folder / name).write_bytes(changing.files()[name])
    save(Other(), (torch.ones(2, 3, 6),), "traced", folder / "o.pt")
    result = run_program("o.pt", "--out", "o.onnx", "--include-torch-nn", "--quiet", cwd=folder)
    assert result.returncode == EXIT_OK, result.stderr


@functools.cache
def inputs() -> Path:
    """The folder of all inputs."""
    return once_in_a_run(Path(os.environ["HTP_TEST_OUTPUT"]) / "ending", make_files)


# ---- what there is ---------------------------------------------------------------------------------


def loaded(path: Path) -> bytes:
    """An ONNX model with its external data; the reason if it cannot be loaded."""
    try:
        return onnx.load(str(path)).SerializeToString(deterministic=True)
    except (DecodeError, OSError, ValueError, onnx.checker.ValidationError) as error:
        return repr(error).encode()


def meaning(folder: Path) -> dict:
    """What the files below a folder mean, but for temporary ones: of ONNX models with their external data, which are
    none of their own."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or any(part.startswith(TEMPORARY) for part in path.relative_to(folder).parts):
            continue
        name = str(path.relative_to(folder))
        if path.suffix == ".onnx":
            found[name] = loaded(path)
        elif name.endswith(SIDECAR):
            found[name] = json.loads(path.read_bytes())
            del found[name]["export"]["seconds"]
        elif path.suffix != ".data":
            found[name] = path.read_bytes()
    return found


def names(folder: Path) -> list:
    """All files, also hidden ones, without the numbers of data files."""
    return sorted(str(path.relative_to(folder)).replace(".1.data", ".data") for path in folder.rglob("*"))


@dataclass(frozen=True)
class Result:
    code: int
    told: tuple


def run(folder: Path, text: str, order: str = "") -> tuple:
    """Runs a command in the folder, which has no inputs: its arguments name those of inputs(). @return a Result, and a
    report"""
    known = {path.name for path in inputs().iterdir()}
    arguments = [str(inputs() / word) if word in known else word for word in text.split()]
    result, report = faulty.run_program([*arguments, "--quiet"], folder, order)
    return Result(result.returncode, tuple(result.stderr.splitlines())), report


@functools.cache
def old_outputs(command: str) -> dict:
    with quick_scratch() as folder:
        (folder / faulty.OUT).mkdir()
        if COMMANDS[command][0]:
            result, _ = run(folder, COMMANDS[command][0])
            assert result.code == EXIT_OK, result
        return faulty.contents(folder)


def prepare(folder: Path, command: str) -> None:
    """Puts the old outputs in place."""
    shutil.rmtree(folder / faulty.OUT, ignore_errors=True)
    (folder / faulty.OUT).mkdir()
    for name, content in old_outputs(command).items():
        (folder / name).write_bytes(content)


@dataclass(frozen=True)
class Ends:
    """Of a command without faults: outputs before and after it, their names, the size of the largest, seconds, and the
    places of calls that read or change files."""

    old: dict
    new: dict
    names: list
    largest: int
    seconds: float
    calls: list


@functools.cache
def ends(command: str) -> Ends:
    with quick_scratch() as folder:
        prepare(folder, command)
        old = meaning(folder / faulty.OUT)
        begin = time.monotonic()
        result, _ = run(folder, COMMANDS[command][1])
        seconds = time.monotonic() - begin
        assert result.code == EXIT_OK, result
        new, left = meaning(folder / faulty.OUT), names(folder / faulty.OUT)
        largest = max(path.stat().st_size for path in (folder / faulty.OUT).rglob("*") if path.is_file())
        prepare(folder, command)
        _, places = run(folder, COMMANDS[command][1], "list")
        calls = [place for place in places if place.call not in faulty.ALLOCATIONS]
        assert old != new
        return Ends(old, new, left, largest, seconds, calls)


# ---- what must come of it --------------------------------------------------------------------------


def allowed(number: signal.Signals, acted: faulty.Place) -> tuple:
    """Exit codes, of a signal that came. Before the program has set its handlers, a stop ends it. If the process that
    works on the model is killed, the other one reports it."""
    is_first = acted.process == 0
    if number == signal.SIGKILL:
        return (-number,) if is_first else (EXIT_OK, EXIT_INTERNAL)
    if number in IGNORED:
        return (EXIT_OK,)
    return (-number,) if is_first and acted.call == "default" else (EXIT_OK, EXIT_INTERRUPTED)


def complaint(folder: Path, command: str, order: str, codes, is_dead: bool, ended: set | None = None) -> str:
    """What is wrong with a run that is ended; empty if nothing is, and None if the order came too late. @p codes: those
    that are allowed, or a function of the report's line that returns them. @p is_dead: it could not remove anything.
    @p ended: receives the exit code."""
    known, out = ends(command), folder / faulty.OUT
    prepare(folder, command)
    before = names(out)
    result, acted = run(folder, COMMANDS[command][1], order)
    left, wrong = meaning(out), []
    if ended is not None:
        ended.add(result.code)
    if callable(codes):
        if not acted and result.code == EXIT_OK and left == known.new:
            return None
        codes = codes(acted[0]) if len(acted) == 1 else ()
    if result.code not in codes or len(result.told) > 1:
        wrong.append(f"the answer, after {[place.call for place in acted]}")
    without_sidecar = {**known.old, **{name: made for name, made in known.new.items() if not name.endswith(SIDECAR)}}
    if left not in ((known.old, without_sidecar, known.new) if result.code != EXIT_OK else (known.new,)):
        wrong.append(f"the outputs {names(out)}")
    if not is_dead and names(out) not in (before, known.names):
        wrong.append(f"debris {names(out)}")
    shutil.rmtree(out / "parts", ignore_errors=True)  # which no run replaces
    again, _ = run(folder, COMMANDS[command][1])
    if again.code != EXIT_OK or meaning(out) != known.new or names(out) != known.names:
        wrong.append(f"the next run: {again}, {names(out)}")
    return f"{command}, {order}: exit code {result.code}, {result.told[:20]}: {'; '.join(wrong)}" if wrong else ""


def raise_complaints(complaints: list) -> None:
    found = [text for text in complaints if text]
    assert complaints and not found, f"{len(found)} of {len(complaints)}\n" + "\n".join(found[:40])


def check_calls(command: str, number: signal.Signals, count: int = 0, calls: tuple = (), action: str = "signal") -> set:
    """The signal comes at so many calls of these names, or of any; at all if the count is 0. @return all exit codes"""
    places = [place for place in ends(command).calls if not calls or place.call in calls]
    codes = set()
    with quick_scratch() as folder:
        found = {place: complaint(folder, command, f"at:{place.name}:{action}:{number.value}",
                                  functools.partial(allowed, number), number == signal.SIGKILL, codes)
                 for place in faulty.evenly(places, count)}
    late = [str(place) for place, text in found.items() if text is None]
    assert not late, f"{command}, {number.name}: no signal at {late}"
    raise_complaints(list(found.values()))
    return codes


def check_stops(command: str, number: signal.Signals, count: int = 0) -> None:
    """A stop comes at so many calls, once, and twice in a row, which ends the program at once; at all calls if the
    count is 0. Some end it before its output is there."""
    codes = [check_calls(command, number, count, action=action) for action in ("signal", "signals")]
    assert EXIT_INTERRUPTED in set().union(*codes), f"{command}, {number.name}: {codes}"


def check_moments(command: str, number: signal.Signals, count: int, seed: int = 0) -> None:
    """The signal comes at so many random moments, in any process of the run."""
    generator = random.Random(f"{command} {number} {seed}")
    latest = int(ends(command).seconds * 1e6)
    first = {place.process: place for place in reversed(ends(command).calls)}
    found, late = [], 0  # those that came too late since the last one that did not
    with quick_scratch() as folder:
        for _ in range(count * TRIES):
            place = first[generator.choice(sorted(first))]
            moment = generator.randrange((latest >> late) + 1)
            text = complaint(folder, command, f"after:{place.name}:{moment}:signal:{number.value}",
                             functools.partial(allowed, number), number == signal.SIGKILL)
            late = late + 1 if text is None else 0
            found += [] if text is None else [text]
            if len(found) == count:
                break
    assert 2 * len(found) > count, f"{command}, {number.name}: {len(found)} of {count} came before the end"
    raise_complaints(found)


def check_limits(command: str, count: int) -> None:
    """No file may grow beyond a size."""
    largest = ends(command).largest
    with quick_scratch() as folder:
        raise_complaints([
            complaint(folder, command, f"limit:0:{largest * step // count}",
                      (EXIT_CANNOT_WRITE,) if step < count else (EXIT_OK,), False)
            for step in range(count + 1)])
