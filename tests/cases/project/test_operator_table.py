"""core/exported/call/schemas.def agrees with libtorch's registry."""

import json
import re
import subprocess

from harness import DEBIAN_PYTHON, ROOT, VENV_PYTHON, case, libtorch_version

TABLE = ROOT / "core" / "exported" / "call" / "schemas.def"
LIST = """
import torch
for schema in torch._C._jit_get_all_schemas():
    print(schema.name + ("." + schema.overload_name if schema.overload_name else ""), schema, sep="\\t")
"""

# Operators whose arguments have other names in an earlier libtorch, which writes no readable .pt2.
RENAMED = {"aten::_scaled_dot_product_attention_math"}


def registry(python: str) -> dict:
    printed = subprocess.run([python, "-c", LIST], capture_output=True, text=True, check=True).stdout
    return dict(line.split("\t", 1) for line in printed.splitlines() if "\t" in line)


def rows() -> dict:
    found = re.findall(r'^SCHEMA\((".*?"), (".*")\)$', TABLE.read_text(), re.MULTILINE)
    return {json.loads(kind): json.loads(schema) for kind, schema in found}


def names_of(schema: str) -> list:
    """Names of arguments, in their order."""
    inner = schema[schema.index("(") + 1:schema.rindex(") ->")]
    flat = re.sub(r"\([^()]*\)", "", re.sub(r'"[^"]*"|\[[^\]]*\]', "", inner))
    return [part.split("=")[0].split()[-1] for part in flat.split(",") if part.strip() not in ("", "*")]


@case
def table_is_that_of_the_registry() -> None:
    """The whole table, for the libtorch from which it was made; for an earlier one, common arguments."""
    table = rows()
    assert len(table) > 1000
    if libtorch_version() >= (2, 13):
        made = subprocess.run([VENV_PYTHON, str(ROOT / "scripts" / "operator-table")], capture_output=True, text=True,
                              check=True)
        assert made.stdout == TABLE.read_text(), "run scripts/operator-table"
        return
    earlier = registry(DEBIAN_PYTHON)
    both = table.keys() & earlier.keys()
    assert len(both) > 900, len(both)
    differ = {kind: (names_of(earlier[kind]), names_of(table[kind])) for kind in both
              if not set(names_of(earlier[kind])) <= set(names_of(table[kind]))}
    assert differ.keys() == RENAMED, differ
