"""Every row of the table of lowerings is an operator that libtorch has."""

import json
import re
import subprocess

from harness import DEBIAN_PYTHON, ROOT, VENV_PYTHON, case, run

INTERPRET = ROOT / "core" / "interpret"
FACTS, FOLLOWED = INTERPRET / "operators" / "facts.def", INTERPRET / "steps" / "followed.def"
BUILDS = INTERPRET / "meta" / "builds.def"
# Part of the language, not of the registry.
SYNTAX = {"prim::If", "prim::ListConstruct", "prim::Loop"}
# In-place operators whose overload differs from their functional form's: core/graph/passes.c lists them, and cases
# "in-place/..." of tests/operators use each.
RENAMED = {
    "aten::float_power_.Scalar", "aten::float_power_.Tensor", "aten::floor_divide_.Tensor", "aten::ldexp_",
    "aten::pow_.Scalar", "aten::pow_.Tensor", "aten::transpose_",
}
LIST_IN_PLACE = """
import torch
def key(schema, name):
    return name + ("." + schema.overload_name if schema.overload_name else "")
def types(schema):
    return [str(a.type) for a in schema.arguments if not a.is_out]
schemas = torch._C._jit_get_all_schemas()
twins = {}
for schema in schemas:
    twins.setdefault(schema.name, []).append(schema)
for schema in schemas:
    if schema.name.startswith("aten::") and schema.name.endswith("_") and not schema.name.endswith("__"):
        name = schema.name[:-1]
        others = [key(t, name) for t in twins.get(name, []) if types(t) == types(schema)]
        print(key(schema, schema.name), key(schema, name), *others)
"""
META_KERNELS = sorted((INTERPRET / "meta").glob("*.def"))
KINDS = {
    "T": "Tensor", "t": "Optional[Tensor]", "I": "int", "i": "Optional[int]", "F": "float", "f": "Optional[float]",
    "B": "bool", "b": "Optional[bool]", "S": "number", "s": "Optional[number]", "C": "str", "c": "Optional[str]",
    "L": "List[int]", "l": "Optional[List[int]]", "H": "List[Tensor]", "h": "List[Optional[Tensor]]",
}
LIST_ARGUMENTS = """
import importlib.util, json, torch
if importlib.util.find_spec("torchvision"):
    import torchvision
for schema in torch._C._jit_get_all_schemas():
    print(json.dumps([schema.name, schema.overload_name, [str(a.type) for a in schema.arguments]]))
"""
LIST_SCHEMAS = """
import importlib.util, torch
if importlib.util.find_spec("torchvision"):
    import torchvision
if importlib.util.find_spec("torch.ao.quantization.fx._decomposed"):
    import torch.ao.quantization.fx._decomposed
for schema in torch._C._jit_get_all_schemas():
    print(schema.name + ("." + schema.overload_name if schema.overload_name else ""))
"""


def registry(python: str) -> set:
    result = subprocess.run([python, "-c", LIST_SCHEMAS], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr[-2000:]
    return set(result.stdout.split())


@case
def rows_are_operators() -> None:
    """Of either version: some were added, and some removed."""
    rows = set(run("ops").stdout.split())
    assert len(rows) > 900, len(rows)
    unknown = rows - SYNTAX - registry(VENV_PYTHON) - registry(DEBIAN_PYTHON)
    assert not unknown, sorted(unknown)


@case
def facts_are_of_operators() -> None:
    """Those in the interpreter's tables. Many that it evaluates itself are part of the language."""
    known = {name.split(".")[0] for python in (VENV_PYTHON, DEBIAN_PYTHON) for name in registry(python)}
    row = re.compile(r'^(HTP_\w+)\("([^"]+)"', re.MULTILINE)
    facts, followed = (row.findall(table.read_text()) for table in (FACTS, FOLLOWED))
    for named, least in ((facts, 200), (followed, 60)):
        assert len(named) > least and len(set(named)) == len(named), named
    asked = [name for _, name in facts] + [name for _, name in followed if not name.startswith("prim::")]
    builds = re.findall(r'^(?:CONVOLUTION|SPECTRUM)\("([^"]+)"\)$', BUILDS.read_text(), re.MULTILINE)
    assert len(builds) > 30 and builds == sorted(set(builds)), builds
    unknown = {*asked, *builds} - known
    assert not unknown, sorted(unknown)


@case
def meta_kernels_take_what_operators_do() -> None:
    """Of either version; the operands' kinds of a kernel are those of the schema."""
    row = re.compile(r'^HTP_META_\w+\("([^"]+)", "([^"]*)",\s+"([^"]+)"', re.MULTILINE)
    listed = [found for file in META_KERNELS for found in row.findall(file.read_text())]
    rows = {(name, overload): kinds for name, overload, kinds in listed}
    assert len(rows) == len(listed), "an operator has two rows"
    found = set()
    for python in (VENV_PYTHON, DEBIAN_PYTHON):
        result = subprocess.run([python, "-c", LIST_ARGUMENTS], capture_output=True, text=True)
        assert result.returncode == 0, result.stderr[-2000:]
        for name, overload, types in map(json.loads, result.stdout.splitlines()):
            kinds = rows.get((name, overload))
            if kinds:
                found.add((name, overload))
                assert len(kinds) <= len(types), (name, types)
                wrong = [(kind, type) for kind, type in zip(kinds, types) if KINDS.get(kind, type) != type]
                assert not wrong, (name, overload, wrong)
    assert len(rows) > 30 and found == rows.keys(), sorted(rows.keys() - found)


@case
def rows_hold_in_place() -> None:
    """`ops`: an in-place operator can be exported if its functional form can."""
    rows = set(run("ops").stdout.split())
    for python in (VENV_PYTHON, DEBIAN_PYTHON):
        result = subprocess.run([python, "-c", LIST_IN_PLACE], capture_output=True, text=True)
        assert result.returncode == 0, result.stderr[-2000:]
        lines = [line.split() for line in result.stdout.splitlines()]
        found = {key for key, stripped, *others in lines
                 if stripped not in others and not {key, stripped} & rows and set(others) & rows}
        assert len(lines) > 200 and found <= RENAMED, sorted(found - RENAMED)


@case
def kernels_are_sorted() -> None:
    """The evaluator searches its tables by halves."""
    for table in ("kernels", "elementwise"):
        text = (ROOT / "core" / "lower" / "evaluate" / f"{table}.def").read_text()
        names = re.findall(r'^HTP_\w+\("(\w+)"', text, re.MULTILINE)
        assert len(names) > 20 and names == sorted(set(names)), table
