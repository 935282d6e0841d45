"""PyTorch's own tracer on the eager model names the module of every operator; htp-trace's list before lowering must
agree entry by entry."""

import json
import re

from harness import case_for_each_model, input_flags, record, run, skip_unless_loadable, torchscript
from models.table import FIDELITY

TRACED = [model for model in FIDELITY if model.mode != "scripted"]
LINE = re.compile(
    r"^(?:%\d+ : .* = )?(?P<kind>[\w:.]+)\(.*\)"
    r'  # scope: (?P<scope>"(?:[^"\\]|\\.)*"|\S+)  call: \d+'
)


def scope_path(text: str) -> str:
    """A path as in a dump: quoted if it contains special characters, "." for the root."""
    path = json.loads(text) if text.startswith('"') else text
    return "" if path == "." else path


def dumped_operators(text: str) -> list:
    """[operator with overload, module path] of every aten node of a dump."""
    operators = []
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        match = LINE.match(line)
        assert match, f"not a line of a dump: {line}"
        if match["kind"].startswith("aten::"):
            operators.append([match["kind"], scope_path(match["scope"])])
    return operators


def first_difference(got: list, wanted: list) -> str:
    for index, (a, b) in enumerate(zip(got, wanted)):
        if a != b:
            return f"entry {index}: {a}, PyTorch's tracer says {b}"
    return f"{len(got)} entries, PyTorch's tracer has {len(wanted)}"


def without_numbers(operators: list) -> list:
    """The tracer writes a number as a tensor; libtorch's executor turns it back into a number for the second operand of
    these four."""
    numbers = re.compile(r"(aten::(?:add|sub|mul|div)_?)\.Scalar")
    return [[numbers.sub(r"\1.Tensor", kind), scope] for kind, scope in operators]


@case_for_each_model(TRACED)
def operators_and_modules(model):
    skip_unless_loadable(model)
    result = run(torchscript(model), "--dump-graph", *input_flags(model))
    assert result.returncode == 0, result.stderr
    got = without_numbers(dumped_operators(result.stdout))
    wanted = without_numbers(record(model.name)["operators"])
    assert got == wanted, first_difference(got, wanted)
