"""The worker with ONNX Runtime: exports a TorchScript file, or takes a peer's model, runs it at
several sizes, compares with libtorch's run of the same file, and checks the tags."""

import contextlib
import json
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts"), str(ROOT / "tests/support")]

import onnx  # noqa: E402  (needs the path above)

import functions_check  # noqa: E402
import functions_files  # noqa: E402
import harness  # noqa: E402
from op_coverage.exporter import outcome_of  # noqa: E402
from op_coverage.processes import serve_torch_jobs  # noqa: E402
from zoo import defaults, inputs, tag_checks  # noqa: E402
from zoo.compare import Differs, Errors  # noqa: E402
from zoo.libtorch import Program, Refuses  # noqa: E402
from zoo.results import FIXED, FUNCTIONS, RIGHT, UNTRACEABLE, WRONG  # noqa: E402
from zoo.running import compare_at, first_line, session_of  # noqa: E402

SEEDS = (23, 31, 37)


# ---- numbers -------------------------------------------------------------------------------------


def check_numbers(path: Path, program: Program, arguments: list, dynamic: list) -> dict:
    """Raises Differs or Refuses; otherwise the largest errors, at all sizes, or for several inputs if no size
    varies."""
    session = session_of(path)
    worst = Errors()
    for seed in SEEDS[:1] if dynamic else SEEDS:
        worst.join(compare_at(session, program, arguments, inputs.TRACED, seed))
    for others in (inputs.OTHER, inputs.SMALL) if dynamic else ():
        sizes = {**inputs.TRACED, **{axis: others[axis] for axis in dynamic}}
        with contextlib.suppress(Refuses):  # nothing to compare with
            worst.join(compare_at(session, program, arguments, sizes, SEEDS[0]))
    found = {"difference": worst.difference}
    return {**found, "error": worst.ours, "libtorch_error": worst.libtorch}


def verdict(error: Differs | Refuses) -> dict:
    """The outcome of an error. If libtorch itself does not run at the traced sizes, there is nothing to judge."""
    if isinstance(error, Refuses):
        return {"outcome": UNTRACEABLE, "reason": f"libtorch: {error}"}
    return {"outcome": WRONG, "reason": ": ".join(error.args)}


# ---- this program --------------------------------------------------------------------------------


def run_exporter(program: Program, out: Path, *flags) -> tuple:
    """{} if a model was written, an outcome otherwise; and the exporter's answer."""
    libraries = [part for library in program.libraries for part in ("--load-library", library)]
    try:
        always = ("--out", out, "--quiet", "--json")
        result = harness.run(program.path, *always, *libraries, *flags)
        answer = json.loads(result.stdout.splitlines()[0])
    except subprocess.TimeoutExpired:
        words = f"htp-trace: took longer than {harness.TIMEOUT} s"
        return {"outcome": WRONG, "reason": words}, {}
    except (IndexError, json.JSONDecodeError):
        words = f"htp-trace: exit code {result.returncode} {result.stderr.strip()[-300:]}"
        return {"outcome": WRONG, "reason": words}, {}
    return outcome_of(answer), answer


def flags_of(arguments: list, dynamic: list) -> list:
    flags = []
    for argument in arguments:
        dims = [
            f"{dim}={inputs.TRACED[dim]}" if dim in dynamic else str(inputs.TRACED.get(dim, dim))
            for dim in argument.dims
        ]
        flags += ["--input", f"{argument.name}:{argument.dtype}[{','.join(dims)}]"]
    return flags


def attempts(follows: list) -> list:
    """Sets of dynamic axes to try: all, each one alone, none."""
    single = [[axis] for axis in follows] if len(follows) > 1 else []
    return [follows, *single, *([[]] if follows else [])]


def checked(path: Path) -> None:
    try:
        onnx.checker.check_model(str(path), full_check=True)
    except Exception as error:
        raise Differs("checker", first_line(error)) from None


def arguments_of(facts: dict) -> list:
    return [inputs.Argument.from_json(argument) for argument in facts["arguments"]]


def export(program: Program, out: Path, facts: dict) -> dict:
    """The first attempt that is not refused, compared."""
    arguments, refusals = arguments_of(facts), []
    for dynamic in attempts(facts["follows"]):
        begin = time.monotonic()
        record, _ = run_exporter(program, out, *flags_of(arguments, dynamic))
        seconds = round(time.monotonic() - begin, 2)
        if not record:
            break
        if record["outcome"] == WRONG:
            return {**record, "dynamic": dynamic}
        refusals.append(record)
    if record:
        return {**refusals[-1], "fixed_reasons": [r["reason"] for r in refusals[:-1]]}
    record = {"dynamic": dynamic, "seconds": seconds}
    try:
        checked(out)
        record |= check_numbers(out, program, arguments, dynamic)
    except (Differs, Refuses) as error:
        return {**record, **verdict(error)}
    return {**record, **judged(facts, dynamic, refusals)}


def judged(facts: dict, dynamic: list, refusals: list) -> dict:
    """Right, or right with fixed axes and why."""
    refused = [axis for axis in facts["follows"] if axis not in dynamic]
    if not refused and not facts["baked"]:
        return {"outcome": RIGHT}
    reasons = [f"{axis}: fixed by the traced program" for axis in facts["baked"]]
    reasons += [f"{' '.join(refused)}: {refusals[0]['reason']}"] if refused else []
    return {"outcome": FIXED, "fixed": refused + facts["baked"], "reason": "; ".join(reasons)}


def exported_by_default(program: Program, out: Path, facts: dict) -> dict:
    """The outcome of an export without any --input."""
    record, answer = run_exporter(program, out)
    if record:
        return {"outcome": record["outcome"], "reason": record["reason"]}
    return defaults.check(out, program, answer, facts)


def check_defaults(program: Program, facts: dict) -> dict:
    """The outcomes for the file itself and, if it records inputs, for a copy without them."""
    scratch = program.scratch
    record = {"derived": exported_by_default(program, scratch / "derived.onnx", facts)}
    bare = scratch / "bare.pt"
    if defaults.forget_inputs(program.path, bare):
        program = Program(str(bare), facts, scratch)
        record["bare"] = exported_by_default(program, scratch / "bare.onnx", facts)
    return record


def check_tags(program: Program, out: Path, facts: dict, dynamic: list) -> dict:
    untagged = program.scratch / "untagged.onnx"
    flags = (*flags_of(arguments_of(facts), dynamic), "--tags", "none")
    refused, _ = run_exporter(program, untagged, *flags)
    nodes, broken = tag_checks.check(out, None if refused else untagged, facts)
    return {"nodes": nodes, "tags": broken}


def loaded(job: dict) -> tuple:
    """The TorchScript file of a job, and the facts about it."""
    stem = Path(job["stem"])
    facts = json.loads(stem.with_name(stem.name + ".json").read_text())
    return Program(f"{stem}.pt", facts, Path(job["scratch"])), facts


def judge(job: dict) -> dict:
    program, facts = loaded(job)
    out = program.scratch / "model.onnx"
    record = export(program, out, facts)
    if record["outcome"] in (RIGHT, FIXED):
        record |= check_tags(program, out, facts, record["dynamic"])
    if record["outcome"] != UNTRACEABLE:
        record |= check_defaults(program, facts)
    return record


# ---- modules as functions ------------------------------------------------------------------------


def feeds_of(arguments: list, dynamic: list) -> list:
    """Inputs at the sizes at which numbers are judged."""
    found = [inputs.example(arguments, inputs.TRACED, SEEDS[0])]
    for others in (inputs.OTHER, inputs.SMALL) if dynamic else ():
        sizes = {**inputs.TRACED, **{axis: others[axis] for axis in dynamic}}
        with contextlib.suppress(RuntimeError):  # fixed values of one size
            found.append(inputs.example(arguments, sizes, SEEDS[0]))
    return found


def judge_functions(job: dict) -> dict:
    """Judges the first attempt that is not refused, and the same with functions."""
    program, facts = loaded(job)
    arguments = arguments_of(facts)
    for dynamic in attempts(facts["follows"]):
        flags = flags_of(arguments, dynamic)
        record, _ = run_exporter(program, program.scratch / "model.onnx", *flags)
        if not record or record["outcome"] == WRONG:
            break
    if record:
        return record
    flags += [part for library in program.libraries for part in ("--load-library", library)]
    feeds = feeds_of(arguments, dynamic)
    found = functions_check.failures(
        program.scratch, Path(program.path), flags, functions_files.selected(), feeds)
    functions, calls, broken = found
    record = {"functions": functions, "calls": calls, "broken": broken, "dynamic": dynamic}
    words = "; ".join(f"{name}: {words}" for name, words in broken.items())
    return {**record, "outcome": WRONG, "reason": words} if broken else {**record, "outcome": RIGHT}


# ---- the peer ------------------------------------------------------------------------------------


def judge_peer(job: dict) -> dict:
    program, facts = loaded(job)
    dynamic, path = job["dynamic"], Path(job["path"])
    record = {"dynamic": dynamic}
    try:
        record |= check_numbers(path, program, arguments_of(facts), dynamic)
        record["nodes"] = len(onnx.load(str(path)).graph.node)
    except (Differs, Refuses) as error:
        return {**record, **verdict(error)}
    is_whole = set(dynamic) == set(facts["follows"]) and not facts["baked"]
    return {**record, "outcome": RIGHT if is_whole else FIXED}


KINDS = {"ours": judge, FUNCTIONS: judge_functions, "peer": judge_peer}


def perform(job: dict):
    yield KINDS[job["kind"]](job)


if __name__ == "__main__":
    serve_torch_jobs(perform)
