"""The worker with ONNX Runtime: exports a program of torch.export, or takes the peer's model of it, and compares
numbers with an eager run, and tags with the TorchScript file of the same model.

Jobs: {"kind": "ours", "peer" or "cost", "stem": ..., "scratch": ..., "path": of the peer's model}.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts"), str(ROOT / "tests/support")]

import numpy  # noqa: E402  (needs the path above)
import onnx  # noqa: E402

import harness  # noqa: E402
import onnx_facts  # noqa: E402
from commands import NO_SHIM  # noqa: E402
from op_coverage.exporter import outcome_of  # noqa: E402
from op_coverage.processes import serve_torch_jobs  # noqa: E402
from tags import Tree  # noqa: E402
from zoo import inputs, tag_checks  # noqa: E402
from zoo.compare import Differs, Errors, compare, sound_error  # noqa: E402
from zoo.exported import costs  # noqa: E402
from zoo.judge import arguments_of, checked, verdict  # noqa: E402
from zoo.results import FIXED, RIGHT, WRONG  # noqa: E402
from zoo.running import feed, session_of  # noqa: E402


# ---- numbers -------------------------------------------------------------------------------------


def known(arrays, place: int, precision: str) -> list | None:
    names = [name for name in arrays.files if name.startswith(f"{place}/{precision}/")]
    return [arrays[f"{place}/{precision}/{number}"] for number in range(len(names))] or None


def own_errors(arrays, facts: dict) -> list:
    """PyTorch's largest error in each output, at any sizes."""
    found = []
    for number in range(len(facts["places"])):
        wanted, precise = known(arrays, number, "single") or [], known(arrays, number, "double") or []
        found.append(list(map(sound_error, wanted, precise)))
    return list(map(max, *found)) if len({len(errors) for errors in found}) == 1 < len(found) else []


def fixed_in(session, facts: dict) -> list:
    """The axes of the program that are numbers in the model."""
    taken = {argument.name: argument.shape for argument in session.get_inputs()}
    return sorted({
        dim for argument in arguments_of(facts) if argument.name in taken
        for dim, size in zip(argument.dims, taken[argument.name]) if dim in facts["dynamic"] and isinstance(size, int)
    })


def check_numbers(path: Path, stem: Path, facts: dict) -> dict:
    """Raises Differs; otherwise the largest errors over all samples that the model takes, and their number."""
    session, arguments, worst = session_of(path), arguments_of(facts), Errors()
    fixed = fixed_in(session, facts)
    taken = [place for place in facts["places"] if all(place["sizes"][a] == inputs.TRACED[a] for a in fixed)]
    with numpy.load(f"{stem}.npz") as arrays:
        elsewhere = own_errors(arrays, facts)
        for number, place in enumerate(facts["places"]):
            if place not in taken:
                continue
            tensors = inputs.example(arguments, place["sizes"], place["seed"])
            where = "at " + (" ".join(f"{a}={place['sizes'][a]}" for a in inputs.axes_of(arguments)) or "its size")
            got = feed(session, arguments, tensors, where)
            wanted = known(arrays, number, "single") or []
            worst.join(compare(got, wanted, known(arrays, number, "double"), where, elsewhere=elsewhere))
    errors = {"difference": worst.difference, "error": worst.ours, "libtorch_error": worst.libtorch}
    return {"places": len(taken), **errors}


# ---- this program --------------------------------------------------------------------------------


def run_exporter(path: str, out: Path, *flags, **options) -> dict:
    """{} if a model was written, an outcome otherwise."""
    try:
        result = harness.run(path, "--out", out, "--quiet", "--json", *flags, **options)
        return outcome_of(json.loads(result.stdout.splitlines()[0]))
    except subprocess.TimeoutExpired:
        return {"outcome": WRONG, "reason": f"htp-trace: took longer than {harness.TIMEOUT} s"}
    except (IndexError, json.JSONDecodeError):
        words = f"htp-trace: exit code {result.returncode} {result.stderr.strip()[-300:]}"
        return {"outcome": WRONG, "reason": words}


def without_libtorch(path: str, out: Path, *flags) -> dict:
    return run_exporter(path, out, *flags, env={**os.environ, **NO_SHIM})


def tags_in(path: Path) -> set:
    return {onnx_facts.tag_of(node) for node in onnx_facts.nodes_of(onnx.load(str(path)).graph)}


def check_twin(stem: Path, facts: dict, scratch: Path) -> dict:
    """The tags that only one of the two files has. Both are exported without folding, since a program folds less. Tags
    that differ because PyTorch's program runs operators in other modules count separately."""
    outs = scratch / "program.onnx", scratch / "twin.onnx"
    if not facts["twin"] or run_exporter(f"{stem}.pt", outs[1], "--no-fold"):
        return {}
    if without_libtorch(f"{stem}.pt2", outs[0], "--no-fold"):
        return {}
    own, other = map(tags_in, outs)
    tree = Tree(facts["modules"])
    ran = {tree.tag(path) for path in facts["ran"] if path in tree.classes}
    found = {"more": own - other, "less": other - own, "lost": (other - own) & ran, "made up": own - other - ran}
    return {"twin": {name: sorted(tags) for name, tags in found.items()}}


def check_tags(stem: Path, out: Path, facts: dict, scratch: Path) -> dict:
    untagged = scratch / "untagged.onnx"
    refused = without_libtorch(f"{stem}.pt2", untagged, "--tags", "none")
    nodes, broken = tag_checks.check(out, None if refused else untagged, facts)
    return {"nodes": nodes, "tags": broken, **check_twin(stem, facts, scratch)}


def judged(out: Path, facts: dict) -> dict:
    """The outcome of a right export: right, or right-fixed."""
    here = fixed_in(session_of(out), facts)
    if not here and not facts["fixed"]:
        return {"outcome": RIGHT}
    reasons = [f"{axis}: fixed by torch.export" for axis in facts["fixed"]] + [f"{axis}: fixed here" for axis in here]
    return {"outcome": FIXED, "fixed": facts["fixed"] + here, "reason": "; ".join(reasons)}


def judge(job: dict) -> dict:
    stem, scratch = Path(job["stem"]), Path(job["scratch"])
    facts, out = json.loads(Path(f"{stem}.json").read_text()), scratch / "model.onnx"
    record = {"way": facts["way"]}
    begin = time.monotonic()
    refused = without_libtorch(f"{stem}.pt2", out)
    record["seconds"] = round(time.monotonic() - begin, 2)
    if refused:
        return {**record, **refused}
    try:
        checked(out)
        record |= check_numbers(out, stem, facts)
    except Differs as error:
        return {**record, **verdict(error), **check_tags(stem, out, facts, scratch)}
    return {**record, **judged(out, facts), **check_tags(stem, out, facts, scratch)}


# ---- the peer ------------------------------------------------------------------------------------


def judge_peer(job: dict) -> dict:
    stem, path = Path(job["stem"]), Path(job["path"])
    facts = json.loads(Path(f"{stem}.json").read_text())
    try:
        record = {**check_numbers(path, stem, facts), **judged(path, facts)}
        return {**record, "nodes": len(onnx.load(str(path)).graph.node)}
    except Differs as error:
        return verdict(error)


KINDS = {"ours": judge, "peer": judge_peer, "cost": costs.judge}


def perform(job: dict):
    yield KINDS[job["kind"]](job)


if __name__ == "__main__":
    serve_torch_jobs(perform)
