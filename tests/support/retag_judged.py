"""Other tools' versions of our models, retagged, and judged by the oracles of `quality`: the program's own calls,
matched by structure, equal layers, and the weights that nodes read."""

import functools
import json
import os
import shutil
from pathlib import Path

from commands import ask
from harness import EXIT_OK, exported, run, scratch, skip_unless, skip_unless_loadable, torchscript
from models.table import ALL
from retag_tools import OTHERS, RUNTIME

TOOLS = (*RUNTIME, *OTHERS)
ORACLES = ("contamination.calls", "contamination.structure", "contamination.weights")
RIGHT = 0.99  # of the nodes whose module is known, at least
# Nodes that merge operations of two modules, of which the oracle names one and the tag the other: how many, and why.
OF_TWO = {
    # In each of four layers, one Reshape joins heads and flattens rows for the product after it. It is tagged with the
    # attention, which contains both.
    ("small-gpt2", "onnxsim"): {"contamination.structure": 4, "specificity": 4},
}


@functools.cache
def changed(name: str, tool: str) -> tuple:
    """A model, and a tool's version of it."""
    if tool in OTHERS:
        skip_unless(tool)
    out = Path(os.environ["HTP_TEST_OUTPUT"]) / f"retag-{os.getpid()}-{name}-{tool}.onnx"
    file = out.with_suffix(".source.onnx")  # quantisers write beside their input
    shutil.copy(exported(ALL[name]), file)
    (RUNTIME | OTHERS)[tool](file, out)
    return file, out


def check(name: str, tool: str) -> None:
    """No node has another module's tag; nearly all have that of the deepest known one."""
    skip_unless_loadable(ALL[name])
    file, made = changed(name, tool)
    with scratch() as folder:
        ask("retag", made, "--like", file, "--out", folder / "m.onnx")
        result = run("quality", folder / "m.onnx", "--reference", torchscript(ALL[name]), "--json")
    assert result.returncode == EXIT_OK, result.stderr
    (model,) = json.loads(result.stdout)["models"]
    metrics = model["metrics"]
    assert metrics["coverage"]["percent"] == 100, metrics["coverage"]
    of_two = OF_TWO.get((name, tool), {})
    for oracle in ORACLES:
        assert metrics[oracle]["count"] == of_two.get(oracle, 0), (oracle, metrics[oracle])
    assert metrics["contamination.structure"]["of"] > 0 and metrics["contamination.weights"]["of"] > 0, metrics
    deepest = metrics["specificity"]["count"] + of_two.get("specificity", 0)
    assert deepest >= RIGHT * metrics["specificity"]["of"], metrics["specificity"]
