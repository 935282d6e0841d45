"""Findings of `htp-trace validate` in models that onnx.checker and ONNX Runtime refuse, and in others. The models are
those of the onnx package's backend tests, and mutants of them.
"""

import functools
import json
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import onnx

import harness
from model_mutations import mutants

SCRIPT = Path(__file__).resolve().parent / "onnx_models.py"
WORKER = Path(__file__).resolve().parent / "model_verdicts.py"
CRASHED = "it crashes"
FOUND = 0.95  # of models that both refuse, at least

RULES = ("core/onnx/shape_inference/infer_rules.def", r'^HTP_INFER\w*\("(\w+)"')
CHECKS = ("core/query/validate/operand_checks.def", r'^OPERANDS\("(\w+)"')
OPERATOR = re.compile(r"op_type:(\w+)")

# Models that both refuse but `validate` accepts, by onnx.checker's message, and why: the first operator in the message
# has no row in the table; if it has one, HAS_ROW is the reason.
NOT_FOUND = {
    r"Inferred (shape|elem type)|inferred and declared|has inconsistent type":
        (RULES, "what the operator gives is not followed"),
    r"expected to have rank|must have at least|shall be \d|must be \d?N?-?[dD]|must be rank|must be a scalar"
    r"|ND tensor|[Ii]nputs? shape|must be \d-dimensional|\d-?D tensor|\dD inputs|[Ss]ame rank":
        (CHECKS, "ranks of the operator are not looked at"),
    r"Incompatible dimensions|Dimension mismatch|dim(ension)? value mismatch|last dim|bit-width":
        (CHECKS, "dims of the operator's operands are not held against each other"),
    r"axis|axes|perm|Attribute \w+ has incorrect|[Bb]locksize|must only contain|Invalid value|evenly":
        (CHECKS, "attributes of the operator are not held against ranks"),
    r"Number of elements|Length of input|Invalid position|starts and ends|cannot be represented"
    r"|Invalid tensor data type|has unsupported type":
        (None, "contents of operands are not looked at"),
    r"requires \w+ input|must be (provided|requested)|complex input|same elem type|num_heads"
    r"|allowed output sizes":
        (None, "what operands ask of one another is known of few operators"),
    r"Graph (attribute|has)|Inference error": (None, "bodies are looked into for If, Loop and Scan alone"),
    r"Field 'name' of": (None, "arguments of training graphs are not looked at"),
}
HAS_ROW = "the operator's row asks less than the checker does, or the type of an operand does not follow from rows"

FIRST_OPSET = 7  # whose dims are followed


@functools.cache
def folder() -> Path:
    return harness.made_by((SCRIPT,), "--into", harness.INTO, python=harness.VENV_PYTHON)


def names() -> list:
    return sorted(file.stem for file in folder().glob("*.onnx"))


@dataclass
class Verdict:
    name: str  # model and mutation
    checker: str  # why it is refused; "" if it is not
    runtime: str
    findings: list
    opsets: dict  # by domain


def verdicts_of(files: list) -> list:
    """The verdicts of onnx.checker and ONNX Runtime on each; a crash is a refusal."""
    found: list = []
    while len(found) < len(files):
        left = files[len(found):]
        result = subprocess.run([harness.VENV_PYTHON, str(WORKER)], input="".join(f"{file}\n" for file in left),
                                text=True, capture_output=True, timeout=3600)
        found += [json.loads(line) for line in result.stdout.splitlines()]
        if len(found) < len(files):
            assert result.returncode < 0, result.stderr[-2000:]
            found.append(("", CRASHED))
    return found


def findings_of(file: Path) -> list:
    result = harness.run("validate", file, "--json")
    if result.returncode == harness.EXIT_BAD_INPUT:
        return [result.stderr]
    assert result.returncode in (harness.EXIT_OK, harness.EXIT_FOUND), result.stderr
    return json.loads(result.stdout)["findings"]


def judge(names: list, count: int, scratch: Path) -> list:
    """Judges models, and `count` mutants of each."""
    told = []
    for name in names:
        model = onnx.load(folder() / f"{name}.onnx")
        for mutation, mutant in [("", model), *mutants(name, model, count)]:
            file = scratch / f"{len(told)}.onnx"
            file.write_bytes(mutant.SerializeToString())
            opsets = {one.domain or "ai.onnx": one.version for one in mutant.opset_import}
            told.append((f"{name} {mutation}", file, opsets))
    return [Verdict(name, *verdict, findings_of(file), opsets) for (name, file, opsets), verdict in
            zip(told, verdicts_of([file for _, file, _ in told]))]


@functools.cache
def rows(table: tuple) -> set:
    """The operators with a row."""
    file, pattern = table
    return set(re.findall(pattern, (harness.ROOT / file).read_text(), re.MULTILINE))


def reason(verdict: Verdict) -> str:
    """Why `validate` accepts a model that both refuse; "" if there is no reason."""
    if set(verdict.opsets) - {"ai.onnx"}:
        return "operators of other domains are left alone"
    if verdict.opsets.get("ai.onnx", FIRST_OPSET) < FIRST_OPSET:
        return "dims are not followed before opset 7"
    table, why = next((row for words, row in NOT_FOUND.items() if re.search(words, verdict.checker)), (None, ""))
    named = OPERATOR.search(verdict.checker)
    return HAS_ROW if table and named and named[1] in rows(table) else why


def check(verdicts: list) -> None:
    accepted = [one for one in verdicts if not one.checker and not one.runtime]
    refused = [one for one in verdicts if one.checker and one.runtime]
    assert len(accepted) > len(verdicts) / 10 and len(refused) > len(verdicts) / 3, len(verdicts)
    wrong = [f"{one.name}: {one.findings[:2]}" for one in accepted if one.findings]
    assert not wrong, "both accept it\n" + "\n".join(wrong)
    missed = [one for one in refused if not one.findings]
    unknown = [f"{one.name}: {one.checker[:300]}" for one in missed if not reason(one)]
    assert not unknown, "there is no reason\n" + "\n".join(unknown)
    share = 1 - len(missed) / len(refused)
    assert share >= FOUND, f"{share:.4f} of {len(refused)} are found"
