"""Checks of `htp-trace compare`: its sums, and a model against a changed copy."""

import json

import onnx

from commands import NO_SHIM
from harness import EXIT_FOUND, EXIT_OK, exported, run, scratch
from models.table import ALL


def compared(a, b) -> dict:
    result = run("compare", a, b, "--json", env=NO_SHIM)
    assert result.stderr == "", result.stderr
    found = json.loads(result.stdout)
    expected = {"ok": EXIT_OK, "different": EXIT_FOUND}[found["status"]]
    assert result.returncode == expected, result
    check_sums(found)
    text = run("compare", a, b, env=NO_SHIM)
    assert text.returncode == expected and text.stderr == "", text
    return found


def check_sums(found: dict) -> None:
    """Counts of one thing agree everywhere."""
    nodes = found["nodes"]
    for model in "ab":
        rest = len(nodes["not_corresponding"][model])
        assert nodes["corresponding"] + rest == nodes[model], nodes
        for rows in ("operators", "modules"):
            if found[rows] is not None:
                assert sum(row[model] for row in found[rows]) == nodes[model], rows
                matched = sum(row["corresponding"][model] for row in found[rows])
                assert matched == nodes["corresponding"], rows
        constants = found["constants"]
        assert constants["equal"][model] + len(constants["only_in"][model]) == constants[model]


def unmatched(found: dict, model: str = "a") -> list:
    return [entry["node"]["name"] for entry in found["nodes"]["not_corresponding"][model]]


def planted(change, name: str = "bert-tiny", *flags) -> dict:
    """The differences of an export and a changed copy."""
    file = exported(ALL[name], *flags)
    with scratch() as folder:
        model = onnx.load(file)
        change(model)
        onnx.save(model, folder / "changed.onnx")
        return compared(file, folder / "changed.onnx")
