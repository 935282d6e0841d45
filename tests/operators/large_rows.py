"""Makes a program of each call of large_rows.txt whose operator this PyTorch has: NUMBER.pt in a folder, the
calls numbered in their order, and called.json: {calls: {row: [overload that it has]}, operators: all there are}.

    large_rows.py --into FOLDER
"""

import argparse
import importlib.util
import json
import re
from pathlib import Path

import torch

TABLE = Path(__file__).with_suffix(".txt")
HINTS = "htp_inputs.json"


def read() -> tuple:
    """The specifications of inputs by name, and the statements by row."""
    inputs, calls = TABLE.read_text().split("\n\n")
    lines = [line for line in inputs.splitlines() if not line.startswith("#")]
    return tuple(dict(line.split("\t") for line in part) for part in (lines, calls.splitlines()))


def source(parameters: list, statements: str) -> str:
    *first, last = statements.split("; ")
    body = "".join(f"    {line}\n" for line in (*first, f"return {last}"))
    return f"def forward({', '.join(parameters)}):\n{body}"


def schemas(graph) -> set:
    """The overloads that a graph calls."""
    names = set()
    for node in graph.nodes():
        if node.schema() != "(no schema)":
            names.add(node.schema().split("(")[0])
        for block in node.blocks():
            names |= schemas(block)
    return names


def operators() -> set:
    """All overloads of this PyTorch, and of torchvision if installed."""
    if importlib.util.find_spec("torchvision"):
        importlib.import_module("torchvision")
    schemas = torch._C._jit_get_all_schemas()
    return {schema.name + (f".{schema.overload_name}" if schema.overload_name else "") for schema in schemas}


def make(folder: Path) -> None:
    aten, quantized = torch.ops.aten, torch.ops.quantized  # noqa: F841, what the statements name
    packed = quantized.linear_prepack(torch.quantize_per_tensor(torch.ones(32, 64), 0.1, 0, torch.qint8), None)
    inputs, calls = read()
    known = operators()
    called = {}
    for number, (row, statements) in enumerate((row, text) for row, text in calls.items() if row in known):
        words = set(re.findall(r"\b[a-z]\w*", statements))
        used = [name for name in inputs if name in words]
        if "packed" in words:
            # Modules of one class share their methods.
            holder = type("Holder", (torch.nn.Module,), {})()
            holder.packed = packed
            program = torch.jit.script(holder)
            program.define(source(["self", *used], statements.replace("packed", "self.packed")))
        else:
            program = torch.jit.CompilationUnit(source(used, statements)).forward
        called[row] = sorted(schemas(program.graph))
        hints = json.dumps({name: inputs[name] for name in used})
        program.save(str(folder / f"{number}.pt"), _extra_files={HINTS: hints})
    (folder / "called.json").write_text(json.dumps({"calls": called, "operators": sorted(known)}))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--into", type=Path, required=True)
    target = parser.parse_args().into
    target.mkdir(parents=True)
    make(target)
