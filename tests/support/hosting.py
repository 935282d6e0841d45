"""Hosts of the library in which no file may grow beyond a size, or nobody reads a pipe: tests/faults/hosting.h. Neither
signal is ignored there, and both would end the process."""

from pathlib import Path

import ending
import faulty
from harness import EXIT_CANNOT_WRITE, EXIT_INTERNAL, EXIT_OK, quick_scratch

# A row for each: the model of ending.inputs(), the output, and the exit codes beyond the size.
WORKS = {
    "export": ("m.pt", "out/m.onnx", (EXIT_CANNOT_WRITE,)),
    "export_pair": ("m.pt", "out/m.onnx", (EXIT_CANNOT_WRITE,)),
    "export_memory": ("m.pt", "out/m.onnx", (EXIT_CANNOT_WRITE, EXIT_INTERNAL)),  # of the model's own file in memory
    "split": ("m.onnx", "out/parts", (EXIT_CANNOT_WRITE,)),
    "draw": ("m.onnx", "out/m.dot", (EXIT_CANNOT_WRITE,)),
}


def run(work: str, model: str, output: str, folder: Path, order: str = "list") -> tuple:
    """@return the answer, and what it leaves"""
    (folder / faulty.OUT).mkdir(exist_ok=True)
    result, _ = faulty.run_program(["host", work, str(ending.inputs() / model), output], folder, order)
    return result, ending.names(folder / faulty.OUT)


def check_limits(work: str, count: int) -> None:
    """A file may grow to so many parts of the size of the largest one."""
    model, output, codes = WORKS[work]
    with quick_scratch() as folder:
        result, _ = run(work, model, output, folder)
        assert result.returncode == EXIT_OK, result.stderr
        sizes = [path.stat().st_size for path in (folder / faulty.OUT).rglob("*") if path.is_file()]
        largest = max(*sizes, (ending.inputs() / model).stat().st_size)
    complaints = []
    for step in range(count + 1):
        bytes_left = largest * step // count
        with quick_scratch() as folder:
            result, left = run(work, model, output, folder, f"limit:0:{bytes_left}")
        lines = result.stderr.splitlines()
        is_whole = result.returncode == EXIT_OK and bytes_left >= max(sizes)
        is_refused = result.returncode in codes and not left and len(lines) <= 1 and bytes_left < largest
        complaints.append("" if is_whole or is_refused else
                          f"{work}, at {bytes_left} of {largest}: exit code {result.returncode}, {lines[:20]}, {left}")
    ending.raise_complaints(complaints)


def check_pipe() -> None:
    with quick_scratch() as folder:
        result, left = run("export_pipe", "m.pt", "-", folder)
    assert result.returncode == EXIT_CANNOT_WRITE and not left, (result.returncode, result.stderr, left)
    assert len(result.stderr.splitlines()) == 1 and "/proc/self/fd/" in result.stderr, result.stderr
