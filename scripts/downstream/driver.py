"""Gives the files of a model to tools, one process each."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import harness

from downstream import machines
from downstream.files import OURS, Subject
from downstream.tools import TOOLS

WORKER = Path(__file__).resolve().parent / "worker.py"
SECONDS = 120

# Those that the development environment has, so that a slice needs no other.
AT_HAND = (
    "onnxruntime", "dynamic int8", "4 bits", "ONNX Runtime's levels", "onnxruntime.transformers",
)

# Those that take no attribute besides an operator's own: they are given tags as metadata.
WITHOUT_ATTRIBUTES = ("onnx reference",)


def answer_of(python: Path, tool: str, path: Path, data: Path, folder: Path) -> dict:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    command = [python, "-B", WORKER, tool, path, data, folder]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "TQDM_DISABLE": "1"}
    try:
        result = subprocess.run(list(map(str, command)), capture_output=True, text=True,
                                timeout=SECONDS, cwd=folder, env=environment)
    except subprocess.TimeoutExpired:
        return {"error": f"took longer than {SECONDS} s"}
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    try:
        return json.loads(result.stdout.strip().splitlines()[-1])
    except (IndexError, json.JSONDecodeError):
        return {"error": f"ended with exit code {result.returncode}"}


def tools_here(only_at_hand: bool) -> list:
    names = [name for name in TOOLS if not only_at_hand or name in AT_HAND]
    if not only_at_hand and not machines.has_node():
        names.remove("onnxruntime-web")
    return names


def measure(subject: Subject, tools: list, only_at_hand: bool, scratch: Path) -> dict:
    """Answers by exporter and tool."""
    python = harness.VENV_PYTHON if only_at_hand else machines.python()
    found = {}
    for name, path in subject.paths.items():
        found[name] = {}
        for tool in tools if path else ():
            given = subject.with_metadata if (name, tool in WITHOUT_ATTRIBUTES) == (OURS, True) else path
            found[name][tool] = answer_of(python, tool, given, subject.data, scratch / "work")
    return found
