"""Every row of the table of lowerings is an operator that libtorch has."""

import subprocess

from harness import DEBIAN_PYTHON, VENV_PYTHON, case, run

# Part of the language, not of the registry.
SYNTAX = {"prim::If", "prim::ListConstruct", "prim::Loop"}
LIST_SCHEMAS = """
import importlib.util, torch
if importlib.util.find_spec("torchvision"):
    import torchvision
for schema in torch._C._jit_get_all_schemas():
    print(schema.name + ("." + schema.overload_name if schema.overload_name else ""))
"""


def registry(python: str) -> set:
    result = subprocess.run([python, "-c", LIST_SCHEMAS], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr[-2000:]
    return set(result.stdout.split())


@case
def rows_are_operators() -> None:
    """Of either version: some came, and some went."""
    rows = set(run("ops").stdout.split())
    assert len(rows) > 900, len(rows)
    unknown = rows - SYNTAX - registry(VENV_PYTHON) - registry(DEBIAN_PYTHON)
    assert not unknown, sorted(unknown)
