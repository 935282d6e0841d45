"""Operators one by one: traced or scripted by PyTorch, exported at several opsets, and compared with eager mode. An
opset with the same graph and versions of operators as another one is only checked by onnx.

The cases are data, in tests/operators/*_cases.py: CASES is a list of dicts with
  name      unique in the file
  module    a function that returns the module or function to run
  inputs    a function that returns the arguments
  others    a function that returns further lists of arguments of the same sizes to compare
  dynamic   {argument: {axis: name}}: axes that are dynamic; compared at two other sizes, too
  script    True: made by torch.jit.script instead of torch.jit.trace
  refused   why it cannot be exported: part of the message
  opset     the lowest opset that can express it; refused below, with the number of that opset or
  below     what the message says there
  emits     (operator, opset): its models contain this operator from that opset on, and not before
  needs     the PyTorch that has the operator: (2, 0)
  levels    True: compared at every level of ONNX Runtime's optimiser
  roundings how often PyTorch rounds to a narrow type before the result; default 1
Differences of PyTorch before 2.0 are listed with reasons in tests/operators/earlier.py. Cases that the PyTorch under
test cannot make are skipped.
"""

import fnmatch
import importlib
import re
from fnmatch import fnmatchcase
from pathlib import Path

import numpy
import onnx

import harness
import numbers_check
import operator_files
from operator_numbers import compare
from same_runs import run_key

TABLE = operator_files.cases()
earlier = importlib.import_module("earlier")
IS_EARLIER = harness.libtorch_version() < (2, 0)
# Changes between opsets do not depend on libtorch.
OPSETS = (18,) if IS_EARLIER else (17, 18, 21, 23)


def check_emitted(model: onnx.ModelProto, opset: int, emits: tuple) -> None:
    operator, first = emits
    nodes = model.graph.node
    holds = any(node.op_type == operator for node in nodes)
    assert holds == (opset >= first), f"opset {opset}: {[node.op_type for node in nodes]}"


def skip_what_is_not_made(name: str, failure: str) -> None:
    """Skips a case that the PyTorch under test cannot make, for a reason of the tables."""
    needs = TABLE[name].get("needs", (0, 0))
    reasons = [why for text, why in earlier.CANNOT_MAKE.items() if IS_EARLIER and text in failure]
    if harness.libtorch_version() < needs:
        reasons = ["it came with PyTorch " + ".".join(map(str, needs))] if failure else [
            why for pattern, why in earlier.OTHERWISE.items() if fnmatchcase(name, pattern)]
        assert reasons, "it is made here: `needs` is not true, or a row of earlier.py is missing"
    if reasons:
        raise harness.Skipped(reasons[0])
    assert not failure, f"PyTorch does not make it: {failure}"


def reason_to_refuse(case: dict, opset: int) -> str:
    """The message; "" for an exportable case."""
    needed = case.get("opset", 0)
    below = case.get("below", case.get("refused", f"opset {needed}"))
    return below if opset < needed else case.get("refused", "")


@harness.case_for_each(TABLE)
def operator(name: str) -> None:
    case, group = TABLE[name], name.split("/")[0]
    folder, entries = operator_files.made(group)
    number = entries[name]["number"]
    skip_what_is_not_made(name, entries[name].get("failure", ""))
    roundings = earlier.ROUNDINGS.get(name, 1) if IS_EARLIER else 1
    roundings = max(roundings, case.get("roundings", 1))
    arrays = dict(numpy.load(folder / f"{number}.npz"))
    ran = set()
    for opset in OPSETS:
        out, told = operator_files.exported(group, opset)
        model, told = out / f"{number}.onnx", told[number]
        why = reason_to_refuse(case, opset)
        if why:
            assert not model.exists(), f"opset {opset}: it is not refused"
            operator_files.assert_refused(told, why)
            continue
        assert model.exists(), f"opset {opset}: {told}"
        proto = onnx.load(model)
        onnx.checker.check_model(proto, full_check=True)
        key = run_key(proto)
        if key not in ran:
            for level in numbers_check.LEVELS if case.get("levels") else numbers_check.LEVELS[-1:]:
                session = numbers_check.session(model, level=level)
                compare(session, arrays, f"opset {opset}, {level}", roundings)
            ran.add(key)
        if case.get("emits"):
            check_emitted(proto, opset, case["emits"])


# ---- the tables themselves ---------------------------------------------------------------------------


@harness.case
def reasons_are_told() -> None:
    """A row gives the reason of the refusal, not only the fact or the operator."""
    operators = re.compile(r"[\w:.]*( \(\d+\))?")
    for name, case in TABLE.items():
        why = case.get("refused") or "no reason"
        assert isinstance(why, str) and not operators.fullmatch(why), f"{name}: {why}"


@harness.case
def earlier_cases_are_known() -> None:
    """The side table has no row for a missing case, or one without needs."""
    unknown = [name for name in earlier.ROUNDINGS if name not in TABLE]
    needy = [name for name, case in TABLE.items() if "needs" in case]
    unknown += [pattern for pattern in earlier.OTHERWISE if not fnmatch.filter(needy, pattern)]
    assert not unknown, unknown


@harness.case
def earlier_reasons_are_given() -> None:
    """Each reason for PyTorch before 2.0 belongs to a case."""
    harness.skip_unless("PyTorch before 2.0")
    groups = sorted({name.split("/")[0] for name in TABLE})
    entries = {name: entry for group in groups for name, entry in operator_files.made(group)[1].items()}
    failures = [entry["failure"] for entry in entries.values() if "failure" in entry]
    unused = [text for text in earlier.CANNOT_MAKE if not any(text in failure for failure in failures)]
    made = [name for name, entry in entries.items() if "failure" not in entry and "needs" in TABLE[name]]
    unused += [pattern for pattern in earlier.OTHERWISE if not fnmatch.filter(made, pattern)]
    assert not unused, unused
