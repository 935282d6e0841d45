"""core/onnx/reader/schemas.def agrees with the onnx package of these tests."""

import re
import subprocess

import onnx

from harness import ROOT, VENV_PYTHON, case

TABLE = ROOT / "core" / "onnx" / "reader" / "schemas.def"


@case
def table_is_up_to_date() -> None:
    made = subprocess.run([VENV_PYTHON, str(ROOT / "scripts" / "schema-table")], capture_output=True,
                          text=True, check=True)
    assert made.stdout == TABLE.read_text(), "run scripts/schema-table"
    rows = re.findall(r'^SCHEMA\("(\w+)", (\d+), ', made.stdout, re.MULTILINE)
    assert len(rows) > 500 and len(set(rows)) == len(rows)


@case
def last_opset_is_that_of_the_table() -> None:
    header = (ROOT / "core" / "onnx" / "reader" / "schema.h").read_text()
    assert f"HTP_SCHEMA_LAST_OPSET = {onnx.defs.onnx_opset_version()} " in header
