"""The environments of tools: a Python one with requirements.txt, a folder of packages that need PyTorch, and a node
one. They are set up once, in build/downstream."""

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FOLDER = ROOT / "build" / "downstream"
NODE = FOLDER / "node"
WEB_WORKER = HERE / "web.mjs"
REQUIREMENTS = HERE / "requirements.txt"
WEB_PACKAGE = "onnxruntime-web@1.30.0"
# Needs PyTorch, which only the environment of the tests has, so it gets a folder beside that.
TORCH_FOLDER = FOLDER / "with-torch"
TORCH_PACKAGE = "onnx2torch==1.5.15"


def run(*command) -> None:
    subprocess.run(list(map(str, command)), check=True, stdout=sys.stderr)


def is_made(folder: Path, key: str) -> bool:
    stamp = folder / "made-of"
    return stamp.exists() and stamp.read_text() == key


def python() -> Path:
    """The Python of the tools."""
    folder = FOLDER / "venv"
    key = hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()
    if not is_made(folder, key):
        run(sys.executable, "-m", "venv", "--clear", folder)
        run(folder / "bin" / "pip", "install", "--quiet", "-r", REQUIREMENTS)
        (folder / "made-of").write_text(key)
    return folder / "bin" / "python"


def packages_with_torch() -> Path:
    """The path from which the tests' Python imports onnx2torch."""
    if not is_made(TORCH_FOLDER, TORCH_PACKAGE):
        shutil.rmtree(TORCH_FOLDER, ignore_errors=True)
        run(python(), "-m", "pip", "install", "--quiet", "--no-deps", "--target", TORCH_FOLDER, TORCH_PACKAGE)
        (TORCH_FOLDER / "made-of").write_text(TORCH_PACKAGE)
    return TORCH_FOLDER


def has_node() -> bool:
    """Whether there is node, with its package."""
    if not shutil.which("node") or not shutil.which("npm"):
        return False
    if not is_made(NODE, WEB_PACKAGE):
        NODE.mkdir(parents=True, exist_ok=True)
        run("npm", "install", "--silent", "--prefix", NODE, WEB_PACKAGE)
        (NODE / "made-of").write_text(WEB_PACKAGE)
    return True
