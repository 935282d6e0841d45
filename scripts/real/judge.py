"""One case: the export, its numbers, and its tags."""

import json
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import onnx

import harness
import onnx_facts
from op_coverage.exporter import outcome_of
from quality import driver, expectations
from quality.taggers import OURS
from real import running
from real.reference import Model
from real.table import Case, File, Package
from zoo.compare import Differs
from zoo.results import FIXED, REFUSED, RIGHT, WRONG


@dataclass
class Judged:
    """The outcome of a case. problems: of inspect and of the tags, as text."""

    package: Package
    file: File
    case: Case
    outcome: str = ""
    reason: str = ""
    bytes: int = 0
    modules: int = 0
    parameters: int = 0
    nodes: int = 0
    compared: running.Compared | None = None
    problems: list = field(default_factory=list)

    @property
    def is_fine(self) -> bool:
        if self.outcome == REFUSED:
            return bool(self.case.refused) and self.case.refused in self.reason
        return self.outcome in (RIGHT, FIXED) and not self.problems and not self.case.refused


# ---- the program ---------------------------------------------------------------------------------


def answer_of(*arguments) -> tuple:
    """{} if the program succeeded, an outcome otherwise; and its answer in JSON."""
    try:
        result = harness.run(*arguments, "--json")
        answer = json.loads(result.stdout.splitlines()[0])
    except subprocess.TimeoutExpired:
        return {"outcome": WRONG, "reason": f"took longer than {harness.TIMEOUT} s"}, {}
    except (IndexError, json.JSONDecodeError):
        return unanswered(result), {}
    return outcome_of(answer), answer


def unanswered(result: subprocess.CompletedProcess) -> dict:
    """The outcome of a failed run: wrong usage is a refusal, a crash is not."""
    line = (result.stderr.strip().splitlines() or [""])[0].removeprefix("htp-trace: ")
    is_refused = harness.EXIT_INTERNAL < result.returncode <= harness.EXIT_CANNOT_WRITE
    words = f"exit code {result.returncode}: {line}"
    return {"outcome": REFUSED if is_refused else WRONG, "reason": words}


def inspect(judged: Judged, path: Path) -> None:
    """Records inspect's answer, and whether libtorch counts the same parameters."""
    refusal, answer = answer_of("inspect", path)
    if refusal:
        judged.problems.append(f"inspect: {refusal['reason']}")
        return
    judged.modules = len(answer["modules"])
    judged.parameters = answer["modules"][0]["parameters"]
    known = Model(path, Case("", (), ())).parameters()
    if known != judged.parameters:
        judged.problems.append(f"inspect: {judged.parameters} parameters, libtorch has {known}")


# ---- tags ----------------------------------------------------------------------------------------


def untagged(out: Path) -> list:
    try:
        onnx_facts.check_every_node_has_one_tag(onnx.load(str(out)))
    except AssertionError as error:
        return [f"tags: {error}"]
    return []


def validated(out: Path) -> list:
    try:
        driver.run("validate", out)
    except driver.Fails as error:
        return [f"validate: {error}"]
    return []


def of_good_quality(out: Path, path: Path, case: Case) -> list:
    """By all oracles that `htp-trace quality` has, as for the models of `make quality`."""
    told = out.with_suffix(".quality.json")
    try:
        driver.run("quality", out, "--reference", path, *case.all_flags(), "--json", told)
    except driver.Fails as error:
        return [f"quality: {error}"]
    (document,) = json.loads(told.read_text())["models"]
    measured = driver.Measured(path.name, OURS, document)
    return [f"quality: {words}" for words in expectations.failures(measured)]


# ---- a case --------------------------------------------------------------------------------------


def checked(out: Path) -> None:
    try:
        onnx.checker.check_model(str(out), full_check=True)
    except Exception as error:
        raise Differs("checker", str(error).splitlines()[0]) from None


def judge_numbers(judged: Judged, out: Path, answer: dict, path: Path) -> None:
    try:
        checked(out)
        judged.compared = running.compare_all(out, answer, path, judged.case)
    except Differs as error:
        judged.outcome, judged.reason = WRONG, ": ".join(error.args)
        return
    fixed = judged.compared.fixed
    judged.outcome = FIXED if fixed else RIGHT
    judged.reason = " ".join(f"{axis} is {size}" for axis, size in fixed.items())


def judge(package: Package, file: File, case: Case, path: Path, scratch: Path) -> Judged:
    """Judges a file that was fetched to path."""
    judged = Judged(package, file, case, bytes=path.stat().st_size)
    inspect(judged, path)
    out = scratch / "model.onnx"
    refusal, answer = answer_of(path, "--out", out, *case.all_flags())
    if refusal:
        judged.outcome, judged.reason = refusal["outcome"], refusal["reason"]
        return judged
    judged.nodes = answer["nodes"]
    judge_numbers(judged, out, answer, path)
    judged.problems += [*untagged(out), *validated(out), *of_good_quality(out, path, case)]
    return judged
