"""core/onnx/shape_inference/infer_rules.def has a rule for every ONNX operator in our models, and for some that only
other exporters write."""

import re

import onnx

from harness import ROOT, case

LOWER = ROOT / "core" / "lower"
RULES = ROOT / "core" / "onnx" / "shape_inference" / "infer_rules.def"

ONNX = {schema.name for schema in onnx.defs.get_all_schemas() if schema.domain == ""}


def rules() -> list:
    return re.findall(r'^HTP_INFER(?:_CONTENTS)?\("(\w+)"', RULES.read_text(), re.MULTILINE)


def foreign_rules() -> set:
    """Rules of operators that no model of this program contains."""
    return set(re.findall(r'^HTP_INFER\w*\("(\w+)"', RULES.read_text().split("/* only in files of other exporters */")[1],
                          re.MULTILINE))


def strings(text: str) -> set:
    return set(re.findall(r'"(\w+)"', text))


def emitted() -> set:
    """The ONNX operators that lowerings and their table name. A name may be made of a beginning
    and the table's parameter: "Reduce%s"."""
    sources = "".join(path.read_text() for path in sorted(LOWER.rglob("*.c")))
    rows = "".join(path.read_text() for path in sorted(LOWER.rglob("operators*.def")))
    parameters = set(re.findall(r'"(\w+)"\)$', rows, re.MULTILINE))
    made = {
        beginning + parameter
        for beginning in re.findall(r'"([A-Z]\w*)%s"', sources)
        for parameter in parameters
    }
    return (strings(sources) | parameters | made) & ONNX


@case
def every_operator_has_a_rule():
    found = emitted()
    assert {"MatMul", "ReduceMax", "Softplus"} <= found, "names are no longer found"
    missing = found - set(rules())
    assert not missing, f"operators without a rule: {sorted(missing)}"


@case
def every_rule_is_of_an_operator():
    names = rules()
    assert names and len(set(names)) == len(names), "an operator has two rules"
    unknown = set(names) - ONNX
    assert not unknown, f"rules for what ONNX does not have: {sorted(unknown)}"
    ours = emitted() | {"Identity"}  # of outputs that are inputs: core/onnx/builder/builder.c
    assert not foreign_rules() & ours, foreign_rules() & ours
    unused = set(names) - ours - foreign_rules()
    assert not unused, f"rules for what no model holds: {sorted(unused)}"
