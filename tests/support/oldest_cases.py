"""Operator cases in the oldest ONNX Runtime, each at its lowest opset."""

import fnmatch
import json
import os
import subprocess
from pathlib import Path

import harness
import operator_files
from skips import OLDEST_PYTHON

WORKER = Path(__file__).resolve().parent / "oldest_runtime.py"
TABLE = operator_files.cases()
GROUPS = sorted({name.split("/")[0] for name in TABLE})
OPSETS = (17, 18, 19)  # known to ONNX Runtime 1.16; cases with a later one are left out
CRASHED = "the runtime crashed"

# Its messages about models that it cannot run, and why.
CANNOT = {
    "NOT_IMPLEMENTED : Could not find an implementation": "it has no kernel of the operator for that type",
    "Failed to find kernel for": "its optimiser makes a node that it has no kernel of for that type",
    CRASHED: "its optimiser crashes where it fuses what is in front of a LayerNormalization",
    "Can't reduce on dim with value of 0": "it does not reduce an axis without elements",
    "must be 1 instead of 0": "an operand comes out empty there, and in no later one",
    "Indices vs updates dimensions differs": "an operand comes out empty there, and in no later one",
}

NANS = "its Min, Max and Clip give the other operand where one is NaN"
HALVES = "it rounds on the way to a result of 16 bits elsewhere"
PADDED = "its DFT reads beyond operands that are to be filled up with zeros"

# Cases with other results there, and how they differ: patterns of names.
OTHERWISE = {
    "bits/gcd/int16": "its Mod of narrow ints is another one",
    "bits/gcd/int8": "its Mod of narrow ints is another one",
    "composite/linspace/[58]/float16": HALVES,
    "elementwise/maximum/nan": NANS,
    "elementwise/unary/erf/special": "its Erf of NaN is 1",
    "elementwise/unary/rsqrt/special": "its Sqrt of infinity is NaN",
    "elementwise/unary/sqrt/special": "its Sqrt of infinity is NaN",
    "empty/operands": "its concatenation counts operands without elements",
    "extreme/ceil/sign-of-zero/*": "its Ceil loses the sign of zero",
    "extreme/clamp/nan": NANS,
    "extreme/clamp/nan-and-number/*": NANS,
    "extreme/clamp/number-and-nan/*": NANS,
    "extreme/clamp/tensors/*": NANS,
    "extreme/hardtanh/nan": NANS,
    "length/linspace/float16": HALVES,
    "special/diff/*float16": HALVES,
    "special/hypot/special": NANS,
    "special/trunc/*float16": HALVES,
    "spectral/*/real/n=5/dynamic": PADDED,
    "spectral/fft/pairs/n=5/dynamic": PADDED,
    "spectral/ifft/pairs/n=5/dynamic": PADDED,
    "window/grid_sample/bicubic-border-*": "its bicubic GridSample takes borders otherwise",
}


def numbers_of(group: str) -> dict:
    """The number of files of each case that PyTorch makes."""
    _, entries = operator_files.made(group)
    return {name: entry["number"] for name, entry in entries.items() if "failure" not in entry}


def lowest(group: str, numbers: dict, opsets: tuple = OPSETS) -> list:
    """The request to tests/support/oldest_runtime.py for these cases; without those that need a later opset."""
    folder, _ = operator_files.made(group)
    told: dict = {}
    for opset in opsets:
        left = [name for name in numbers if name not in told and needs(name) <= opset]
        out = operator_files.exported(group, opset)[0] if left else None
        for name in left:
            model = out / f"{numbers[name]}.onnx"
            if model.exists():
                told[name] = {"name": name, "model": str(model), "arrays": str(folder / f"{numbers[name]}.npz"),
                              "roundings": TABLE[name].get("roundings", 1)}
    return list(told.values())


def needs(name: str) -> int:
    """The lowest opset of a case; a high one if it is refused at all."""
    return 99 if "refused" in TABLE[name] else TABLE[name].get("opset", 0)


def verdicts(told: list) -> dict:
    """By case: its error; None without one."""
    found: dict = {}
    while told:
        result = subprocess.run([str(OLDEST_PYTHON), str(WORKER)], input=json.dumps(told), text=True,
                                capture_output=True, timeout=1800)
        answers = [json.loads(line) for line in result.stdout.splitlines()]
        found.update({case["name"]: answer for case, answer in zip(told, answers)})
        told = told[len(answers):]
        if told:
            assert result.returncode < 0, result.stderr[-2000:]
            found[told.pop(0)["name"]] = CRASHED
    return found


def reasons(name: str, failure: str) -> list:
    """The rows of both tables that explain why a case fails."""
    return [text for text in CANNOT if text in failure] + [
        pattern for pattern in OTHERWISE if fnmatch.fnmatchcase(name, pattern)]


def check(found: dict) -> None:
    """All cases are right, or wrong for a reason in the tables; and no right case has a reason."""
    wrong = [f"{name}: {failure[:300]}" for name, failure in found.items()
             if failure and not reasons(name, failure)]
    right = [name for name, failure in found.items() if not failure and reasons(name, "")]
    assert not wrong, "\n".join(wrong)
    assert not right, f"a reason is not true: {right}"


def kept_verdicts(group: str) -> dict:
    """The verdicts of a whole group; computed once in a run."""
    kept = Path(os.environ["HTP_TEST_OUTPUT"]) / "oldest" / f"{group}.json"
    kept.parent.mkdir(parents=True, exist_ok=True)
    with harness.locked(kept.with_suffix(".lock")):
        if not kept.exists():
            kept.write_text(json.dumps(verdicts(lowest(group, numbers_of(group)))))
    return json.loads(kept.read_text())
