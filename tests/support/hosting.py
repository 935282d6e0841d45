"""Hosts of the library in which no file may grow beyond a size, nobody reads a pipe, or external data are cut short while
they are read: tests/faults/hosting.h. No signal is ignored there, and each would end the process."""

import errno
from pathlib import Path

import changing
import ending
import faulty
import short_data
from harness import EXIT_BAD_INPUT, EXIT_CANNOT_WRITE, EXIT_INTERNAL, EXIT_OK, quick_scratch

# A row for each: the model of ending.inputs(), the output, and the exit codes beyond the size.
WORKS = {
    "export": ("m.pt", "out/m.onnx", (EXIT_CANNOT_WRITE,)),
    "export_pair": ("m.pt", "out/m.onnx", (EXIT_CANNOT_WRITE,)),
    "export_memory": ("m.pt", "out/m.onnx", (EXIT_CANNOT_WRITE, EXIT_INTERNAL)),  # of the model's own file in memory
    "split": ("m.onnx", "out/parts", (EXIT_CANNOT_WRITE,)),
    "draw": ("m.onnx", "out/m.dot", (EXIT_CANNOT_WRITE,)),
}

# What copies or reads external data, and its output.
READERS = {"split": "out/parts", "strip": "out/m.onnx", "compare": "-"}

# The same for memory that runs out. ask_again asks a model once more if a call fails, and a new one; all answers are equal.
ASKERS = {**READERS, "ask_again": "out/part.onnx"}


def run(work: str, model: Path, output: str, folder: Path, order: str = "list") -> tuple:
    """@return the answer, the names that it leaves, and the report"""
    (folder / faulty.OUT).mkdir(exist_ok=True)
    result, report = faulty.run_program(["host", work, str(model), output], folder, order)
    return result, ending.names(folder / faulty.OUT), report


def check_limits(work: str, count: int) -> None:
    """A file may grow to so many parts of the size of the largest one."""
    name, output, codes = WORKS[work]
    model = ending.inputs() / name
    with quick_scratch() as folder:
        result, _, _ = run(work, model, output, folder)
        assert result.returncode == EXIT_OK, result.stderr
        sizes = [path.stat().st_size for path in (folder / faulty.OUT).rglob("*") if path.is_file()]
        largest = max(*sizes, model.stat().st_size)
    complaints = []
    for step in range(count + 1):
        bytes_left = largest * step // count
        with quick_scratch() as folder:
            result, left, _ = run(work, model, output, folder, f"limit:0:{bytes_left}")
        lines = result.stderr.splitlines()
        is_whole = result.returncode == EXIT_OK and bytes_left >= max(sizes)
        is_refused = result.returncode in codes and not left and len(lines) <= 1 and bytes_left < largest
        complaints.append("" if is_whole or is_refused else
                          f"{work}, at {bytes_left} of {largest}: exit code {result.returncode}, {lines[:20]}, {left}")
    ending.raise_complaints(complaints)


def check_pipe() -> None:
    with quick_scratch() as folder:
        result, left, _ = run("export_pipe", ending.inputs() / "m.pt", "-", folder)
    assert result.returncode == EXIT_CANNOT_WRITE and not left, (result.returncode, result.stderr, left)
    assert len(result.stderr.splitlines()) == 1 and "/proc/self/fd/" in result.stderr, result.stderr


def run_on_pair(work: str, folder: Path, order: str) -> tuple:
    """The same on a fresh model with external data in the folder."""
    changing.restore(folder, [short_data.MODEL, short_data.DATA])
    return run(work, folder / short_data.MODEL, ASKERS[work], folder, order)


def check_cut(work: str, count: int = 0) -> None:
    """External data are cut short at so many calls; at all if the count is 0."""
    complaints, codes = [], set()
    with quick_scratch() as folder:
        usual, whole, listed = run_on_pair(work, folder, "list")
        assert usual.returncode == EXIT_OK, usual.stderr
        places = [place for place in listed if place.call not in faulty.ALLOCATIONS]
        opened = [place for place in places if place.call in ("mapped", "open")]
        for place in [*faulty.evenly(places, count), *(opened if count else ())]:
            result, left, acted = run_on_pair(work, folder, f"at:{place.name}:cut:{folder / short_data.DATA}")
            lines = result.stderr.splitlines()
            is_refused = result.returncode == EXIT_BAD_INPUT and not left and len(lines) == 1
            is_right = is_refused or (result.returncode == EXIT_OK and left == whole)
            codes.add(result.returncode)
            complaints.append("" if is_right and len(acted) == 1 else
                              f"{work}, cut at {place}: exit code {result.returncode}, {lines[:20]}, {left}")
    ending.raise_complaints(complaints)
    assert EXIT_BAD_INPUT in codes, f"{work}: {codes}"


def check_memory(work: str) -> None:
    """Memory runs out at each place: a status, and the model stays as it was."""
    complaints = []
    with quick_scratch() as folder:
        usual, whole, listed = run_on_pair(work, folder, "list")
        assert usual.returncode == EXIT_OK, usual.stderr
        places = [place for place in listed if place.call in faulty.ALLOCATIONS]
        for place in places:
            result, left, acted = run_on_pair(work, folder, f"once:{errno.ENOMEM}:{place.name}")
            is_told = result.returncode in (EXIT_INTERNAL, EXIT_CANNOT_WRITE) and "memory" in result.stderr and not left
            is_right = result.returncode == EXIT_OK and left == whole or is_told and work in READERS
            complaints.append("" if is_right and acted else
                              f"{work}, {place}: exit code {result.returncode}, {result.stderr[-300:]}, {left}")
    assert places
    ending.raise_complaints(complaints)
