"""Runs tools on the files of a model, one process each, and keeps their answers."""

import hashlib
import json
import os
import resource
import shutil
import signal
import subprocess
from pathlib import Path

import harness

from downstream import machines
from downstream.files import OURS, Subject
from downstream.tools import TOGETHER, TOOLS

WORKER = Path(__file__).resolve().parent / "worker.py"
# Limits of each tool's process: processor time, which does not depend on other load, and wall time.
PROCESSOR_SECONDS = 60
SECONDS = 900

# The tools in the development environment, so that a slice needs no other.
AT_HAND = (
    "onnxruntime", "dynamic int8", "4 bits", "ONNX Runtime's levels", "onnxruntime.transformers",
)

# Those that need PyTorch.
WITH_TORCH = ("onnx2torch",)

# Tools that reject attributes besides an operator's own, or lists of strings: they get tags as metadata.
WITHOUT_ATTRIBUTES = ("onnx reference", "OpenCV")


def limit() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_SECONDS, PROCESSOR_SECONDS + 5))


def python_of(tool: str, only_at_hand: bool) -> tuple:
    """The Python in which a tool runs, and the folder of further packages."""
    if tool in WITH_TORCH:
        return harness.VENV_PYTHON, machines.packages_with_torch()
    return (harness.VENV_PYTHON if only_at_hand else machines.python()), ""


def answer_of(tool: str, only_at_hand: bool, paths: list, data: Path, folder: Path):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    python, packages = python_of(tool, only_at_hand)
    command = [python, "-B", WORKER, tool, data, folder, *paths]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "TQDM_DISABLE": "1", "PYTHONPATH": str(packages)}
    try:
        result = subprocess.run(list(map(str, command)), capture_output=True, text=True, preexec_fn=limit,
                                timeout=SECONDS, cwd=folder, env=environment)
    except subprocess.TimeoutExpired:
        return {"error": f"took longer than {SECONDS} s"}
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    if result.returncode == -signal.SIGXCPU:
        return {"error": f"took longer than {PROCESSOR_SECONDS} s"}
    try:
        return json.loads(result.stdout.strip().splitlines()[-1])
    except (IndexError, json.JSONDecodeError):
        return {"error": f"ended with exit code {result.returncode}"}


def tools_here(only_at_hand: bool) -> list:
    names = [name for name in TOOLS if not only_at_hand or name in AT_HAND]
    if not only_at_hand and not machines.has_node():
        names.remove("onnxruntime-web")
    return names


class Answers:
    """A cache on disk of the tools' answers, by tool and contents of files."""

    def __init__(self, path: Path | None, is_resumed: bool):
        self.path = path
        self.known = {}
        if path and is_resumed and path.exists():
            records = map(json.loads, path.read_text().splitlines())
            self.known = {record["key"]: record["answer"] for record in records}
        elif path:
            path.unlink(missing_ok=True)

    def of(self, tool: str, digests: list, model: str, ask):
        """The known answer, or that of ask()."""
        key = ":".join([tool, *digests])
        if key not in self.known:
            self.known[key] = ask()
            if self.path:
                record = {"model": model, "key": key, "answer": self.known[key]}
                with open(self.path, "a") as file:
                    file.write(json.dumps(record) + "\n")
        return self.known[key]


def digest_of(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]


def measure(subject: Subject, tools: list, only_at_hand: bool, scratch: Path, answers: Answers) -> dict:
    """Answers by exporter and tool."""
    files = {name: path for name, path in subject.paths.items() if path}
    digests = {path: digest_of(path) for path in (*files.values(), subject.with_metadata)}
    data = digest_of(subject.data)
    found = {name: {} for name in subject.paths}

    def ask(tool: str, paths: list):
        return answers.of(tool, [data, *(digests[path] for path in paths)], subject.model.name,
                          lambda: answer_of(tool, only_at_hand, paths, subject.data, scratch / "work"))

    for tool in tools:
        if tool in TOGETHER:
            several = ask(tool, list(files.values()))
            several = [several] * len(files) if isinstance(several, dict) else several
            for name, answer in zip(files, several, strict=True):
                found[name][tool] = answer
            continue
        for name, path in files.items():
            is_plain = name == OURS and tool in WITHOUT_ATTRIBUTES
            found[name][tool] = ask(tool, [subject.with_metadata if is_plain else path])
    return found
