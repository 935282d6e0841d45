"""The worker with ONNX Runtime: exports a TorchScript file, or takes a peer's model, runs it at
several sizes, compares with libtorch's run of the same file, and checks the tags."""

import json
import subprocess
import sys
import time
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts"), str(ROOT / "tests")]

import onnx  # noqa: E402  (needs the path above)
import torch  # noqa: E402

import harness  # noqa: E402
import numbers_check  # noqa: E402
from op_coverage.exporter import outcome_of  # noqa: E402
from op_coverage.processes import serve_jobs  # noqa: E402
from zoo import inputs, reference, tag_checks  # noqa: E402
from zoo.compare import Differs, Errors, compare  # noqa: E402
from zoo.results import FIXED, REFUSED, RIGHT, UNTRACEABLE, WRONG  # noqa: E402

SEED = 23


def first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0][:400] if lines else type(error).__name__


# ---- numbers -------------------------------------------------------------------------------------


def feed(session, arguments: list, tensors: tuple) -> list:
    """What ONNX Runtime computes. A peer may have dropped inputs that it does not need."""
    given = {a.name: tensor.numpy() for a, tensor in zip(arguments, tensors)}
    taken = [argument.name for argument in session.get_inputs()]
    unknown = [name for name in taken if name not in given]
    if unknown:
        raise Differs("inputs", f"{unknown} are no arguments of forward")
    try:
        return session.run(None, {name: given[name] for name in taken})
    except Exception as error:
        raise Differs("does not run", first_line(error)) from None


def compare_at(session, pt: str, arguments: list, sizes: dict, must_run: bool) -> Errors:
    """Nothing is compared where libtorch itself does not run at these sizes."""
    tensors = inputs.example(arguments, sizes, SEED)
    try:
        wanted = reference.outputs(pt, tensors)
    except Exception as error:
        if must_run:
            raise Differs("libtorch", first_line(error)) from None
        return Errors()
    got = feed(session, arguments, tensors)
    where = " ".join(f"{axis}={sizes[axis]}" for axis in inputs.axes_of(arguments))
    where = f"at {where}" if where else "at its size"
    return compare(got, wanted, reference.precise_outputs(pt, tensors), where)


def session_of(path: Path):
    try:
        return numbers_check.session(path)
    except Exception as error:
        raise Differs("does not load", first_line(error)) from None


def check_numbers(path: Path, pt: str, arguments: list, dynamic: list) -> dict:
    """Raises Differs; otherwise the largest errors at all sizes."""
    session = session_of(path)
    worst = compare_at(session, pt, arguments, inputs.TRACED, True)
    for others in (inputs.OTHER, inputs.SMALL) if dynamic else ():
        sizes = {**inputs.TRACED, **{axis: others[axis] for axis in dynamic}}
        worst.join(compare_at(session, pt, arguments, sizes, False))
    found = {"difference": worst.difference}
    return {**found, "error": worst.ours, "libtorch_error": worst.libtorch}


# ---- this program --------------------------------------------------------------------------------


def run_exporter(pt: str, out: Path, *flags) -> dict:
    """{} where a model was written, an outcome otherwise."""
    try:
        result = harness.run(pt, "--out", out, "--quiet", "--json", *flags)
        answer = json.loads(result.stdout.splitlines()[0])
    except subprocess.TimeoutExpired:
        return {"outcome": WRONG, "reason": f"htp-trace: took longer than {harness.TIMEOUT} s"}
    except (IndexError, json.JSONDecodeError):
        words = f"htp-trace: exit code {result.returncode} {result.stderr.strip()[-300:]}"
        return {"outcome": WRONG, "reason": words}
    return outcome_of(answer)


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


def export(pt: str, out: Path, facts: dict) -> dict:
    """The first attempt that is not refused, compared."""
    arguments = [inputs.Argument.from_json(argument) for argument in facts["arguments"]]
    refusals = []
    for dynamic in attempts(facts["follows"]):
        begin = time.monotonic()
        record = run_exporter(pt, out, *flags_of(arguments, dynamic))
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
        record |= check_numbers(out, pt, arguments, dynamic)
    except Differs as error:
        kind, words = error.args
        return {**record, "outcome": WRONG, "reason": f"{kind}: {words}"}
    return {**record, **judged(facts, dynamic, refusals)}


def judged(facts: dict, dynamic: list, refusals: list) -> dict:
    """Right, or right with fixed axes and why."""
    refused = [axis for axis in facts["follows"] if axis not in dynamic]
    if not refused and not facts["baked"]:
        return {"outcome": RIGHT}
    reasons = [f"{axis}: fixed by the traced program" for axis in facts["baked"]]
    reasons += [f"{' '.join(refused)}: {refusals[0]['reason']}"] if refused else []
    return {"outcome": FIXED, "fixed": refused + facts["baked"], "reason": "; ".join(reasons)}


def derived(pt: str, out: Path, facts: dict) -> dict:
    """How an export without any --input comes out."""
    record = run_exporter(pt, out)
    if record:
        return {"outcome": record["outcome"], "reason": record["reason"]}
    arguments = [inputs.Argument.from_json(argument) for argument in facts["arguments"]]
    try:
        session = session_of(out)
        shapes = {argument.name: argument.shape for argument in session.get_inputs()}
        sized = [inputs.resized(a, shapes.get(a.name, [])) for a in arguments]
        compare_at(session, pt, sized, inputs.TRACED, False)
        named = set(inputs.axes_of(sized)).intersection(facts["follows"])
        others = {axis: inputs.OTHER[axis] for axis in named}
        compare_at(session, pt, sized, {**inputs.TRACED, **others}, False)
    except Differs as error:
        return {"outcome": WRONG, "reason": ": ".join(error.args)}
    return {"outcome": RIGHT}


def judge(job: dict) -> dict:
    stem = Path(job["stem"])
    facts = json.loads(stem.with_name(stem.name + ".json").read_text())
    pt, out = f"{stem}.pt", Path(job["scratch"]) / "model.onnx"
    record = export(pt, out, facts)
    if record["outcome"] in (RIGHT, FIXED):
        arguments = [inputs.Argument.from_json(argument) for argument in facts["arguments"]]
        untagged = Path(job["scratch"]) / "untagged.onnx"
        flags = (*flags_of(arguments, record["dynamic"]), "--tags", "none")
        is_written = not run_exporter(pt, untagged, *flags)
        checked_tags = tag_checks.check(out, untagged if is_written else None, facts)
        record["nodes"], record["tags"] = checked_tags
    record["derived"] = derived(pt, Path(job["scratch"]) / "derived.onnx", facts)
    return record


# ---- the peer ------------------------------------------------------------------------------------


def judge_peer(job: dict) -> dict:
    stem = Path(job["stem"])
    facts = json.loads(stem.with_name(stem.name + ".json").read_text())
    arguments = [inputs.Argument.from_json(argument) for argument in facts["arguments"]]
    dynamic, path = job["dynamic"], Path(job["path"])
    record = {"dynamic": dynamic}
    try:
        record |= check_numbers(path, f"{stem}.pt", arguments, dynamic)
        record["nodes"] = len(onnx.load(str(path)).graph.node)
    except Differs as error:
        # What libtorch itself does not run here cannot be judged.
        outcome = UNTRACEABLE if error.args[0] == "libtorch" else WRONG
        return {**record, "outcome": outcome, "reason": ": ".join(error.args)}
    is_whole = set(dynamic) == set(facts["follows"]) and not facts["baked"]
    return {**record, "outcome": RIGHT if is_whole else FIXED}


def perform(job: dict):
    yield judge(job) if job["kind"] == "ours" else judge_peer(job)


def main() -> None:
    warnings.filterwarnings("ignore")
    torch.set_num_threads(1)
    serve_jobs(perform)


if __name__ == "__main__":
    main()
