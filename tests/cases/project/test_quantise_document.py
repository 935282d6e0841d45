"""docs/QUANTISE.md, as written: every command and every program, and the document's claims."""

import json
import os
import re
import subprocess
import sys

import onnx

from commands import facts
from harness import PROGRAM, ROOT, case, scratch, skip_unless

DOCUMENT = ROOT / "docs" / "QUANTISE.md"
# A command in four spaces, or a program between fences.
STEPS = re.compile(r"^    \$ (?P<command>[^\n]+)$|^```python\n(?P<program>.*?)^```$", re.MULTILINE | re.DOTALL)
INTEGERS = ("MatMulInteger", "MatMulNBits")


def run_all(folder) -> None:
    program = ""
    environment = {**os.environ, "PATH": f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}", "VIRTUAL_ENV": sys.prefix}
    (folder / "models").symlink_to(ROOT / "models")
    for step in STEPS.finditer(DOCUMENT.read_text()):
        if step["command"]:
            command = ["bash", "-c", step["command"]]
        else:
            program += step["program"]  # each continues the previous one
            command = [sys.executable, "-c", program]
        result = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
        assert result.returncode == 0, (command, result.stderr[-2000:])


def carried(report) -> dict:
    """The difference that each module carries."""
    return {module["address"]: module["carried"] for module in json.loads(report.read_text())["modules"]}


def check_errors(folder) -> None:
    """Three products are left out, and what the encoder returns is nearer to the float model for it."""
    left_out = set((folder / "worst.txt").read_text().split())
    assert len([name for name in left_out if name.endswith("/MatMul")]) == 3, left_out
    made_integers(folder / "mixed.onnx", left_out)
    before, after = carried(folder / "report.json"), carried(folder / "mixed.json")
    assert after["/BertModel/BertEncoder"]["relative"] < 0.95 * before["/BertModel/BertEncoder"]["relative"]
    assert after["/BertModel"]["largest"] < before["/BertModel"]["largest"]


def made_integers(path, left_out: set) -> set:
    """Quantised matrix products; none of the excluded ones."""
    nodes = onnx.load(path).graph.node
    kept = {node.name for node in nodes if node.op_type == "MatMul"}
    found = {node.name for node in nodes if node.op_type in INTEGERS}
    assert found, f"{path.name}: nothing is quantised"
    products = {name for name in left_out if "/MatMul" in name}
    assert products and products <= kept, products - kept
    return found


@case
def the_document_holds():
    skip_unless("onnxruntime quantisers")
    with scratch() as folder:
        run_all(folder)
        left_out = set((folder / "left-out.txt").read_text().split())
        assert left_out and all(name.startswith("/encoder/layer.1/") for name in left_out)
        for name in ("int8.onnx", "int4.onnx"):
            made_integers(folder / name, left_out)
        levels = [n for n in onnx.load(folder / "qdq.onnx").graph.node if n.op_type == "DequantizeLinear"]
        assert levels
        whole = (folder / "model.onnx").stat().st_size
        assert (folder / "int8.onnx").stat().st_size < 0.7 * whole
        sizes = {module["path"]: module["bytes"] for module in facts("inspect", folder / "tagged.onnx")["modules"]}
        check_errors(folder)
        assert sizes["encoder.layer.0"] < 0.5 * sizes["encoder.layer.1"], sizes
