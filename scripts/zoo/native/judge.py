"""The worker with ONNX Runtime: exports a file without any flag, and compares its numbers with
libtorch's at the sizes it was traced with and, where axes are dynamic, at others.

Jobs: {"kind": "native", "program": PATH of htp-trace, "stem": ..., "scratch": ...}.
"""

import json
import re
import resource
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts"), str(ROOT / "tests/support")]

from op_coverage.exporter import outcome_of  # noqa: E402  (needs the path above)
from op_coverage.processes import serve_torch_jobs  # noqa: E402
from zoo.compare import Differs  # noqa: E402
from zoo.defaults import Comparison  # noqa: E402
from zoo.judge import checked, loaded, verdict  # noqa: E402
from zoo.libtorch import Refuses  # noqa: E402
from zoo.results import FIXED, RIGHT, WRONG  # noqa: E402

TIMEOUT = 300
FEW = 8  # sizes such as batches


def smaller(share: float):
    """A size for an axis beside the traced one: one more if that is small, otherwise a multiple of 32."""

    def other(size: int) -> int:
        if size < FEW:
            return size + 1
        less = int(size * share)
        return less // 32 * 32 or less

    return other


# The first that libtorch takes; one other size is enough.
OTHERS = ((smaller(0.75), smaller(0.5), smaller(0.9)),)

NOTE = re.compile(r"htp-trace: (.*(?:fixed|dynamic).*)")


def run_exporter(program: str, path: str, out: Path, libraries: list) -> tuple:
    """The answer, or None; its notes about axes; seconds of computing; errors."""
    flags = [part for library in libraries for part in ("--load-library", library)]
    command = [program, path, "--out", str(out), "--verbose", "--json", *flags]
    begin = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    try:
        result = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return None, [], float(TIMEOUT), f"took longer than {TIMEOUT} s"
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - begin
    notes = [found[1] for line in result.stderr.splitlines() if (found := NOTE.fullmatch(line))]
    try:
        answer = json.loads(result.stdout.splitlines()[0])
    except (IndexError, json.JSONDecodeError):
        return None, notes, seconds, f"exit code {result.returncode}: {result.stderr.strip()[-300:]}"
    return answer, notes, seconds, ""


def dynamic_of(answer: dict) -> list:
    """The names of dynamic axes, in the order of the inputs."""
    axes = [axis for given in answer["inputs"] for axis in given["axes"] or [] if axis]
    return list(dict.fromkeys(axes))


def code_of(path: str) -> int:
    """The bytes of the program's code in an archive."""
    with zipfile.ZipFile(path) as archive:
        return sum(entry.file_size for entry in archive.infolist() if entry.filename.endswith(".py"))


def stages_of(answer: dict) -> dict:
    return {name: round(seconds, 2) for name, seconds in answer["seconds"].items()}


def input_of(facts: dict) -> str:
    """The sizes at which the model is used, as text."""
    shapes = [
        "x".join(str(facts["sizes"].get(dim, dim)) for dim in argument["dims"])
        for argument in facts["arguments"]
    ]
    return ", ".join(dict.fromkeys(shapes))


def compare(comparison: Comparison, facts: dict) -> dict:
    """Raises Differs and Refuses. If axes other than the given ones are dynamic, the model is compared at the given
    sizes."""
    sizes = facts["sizes"]
    for given, known in zip(comparison.arguments, facts["arguments"]):
        for axis, dim in zip(given.dims, known["dims"]):
            native = sizes.get(dim, dim)
            if isinstance(axis, str):
                comparison.example[axis] = native
            elif axis != native:
                reason = f"{given.name} has a dim of {axis}, not {native}"
                return {"outcome": FIXED, "reason": reason, "sizes": 0}
    comparison.run()
    if comparison.sizes == 0:
        raise Refuses("does not run at these sizes, or gives nothing finite")
    return {"outcome": RIGHT, "sizes": comparison.sizes}


def judge(job: dict) -> dict:
    program, facts = loaded(job)
    program.is_large = True
    out = program.scratch / "model.onnx"
    answer, notes, seconds, words = run_exporter(
        job["program"], program.path, out, program.libraries)
    record = {"input": input_of(facts), "seconds": round(seconds, 2), "notes": notes}
    if answer is None:
        return {**record, "outcome": WRONG, "reason": f"htp-trace: {words}"}
    refused = outcome_of(answer)
    if refused:
        return {**record, **refused}
    record |= {"dynamic": dynamic_of(answer), "nodes": answer["nodes"], "stages": stages_of(answer),
               "code": code_of(program.path)}
    try:
        checked(out)
        comparison = Comparison(out, program, answer, facts, OTHERS)
        return {**record, **compare(comparison, facts)}
    except (Differs, Refuses) as error:
        return {**record, **verdict(error)}


def perform(job: dict):
    yield judge(job)


if __name__ == "__main__":
    serve_torch_jobs(perform)
