"""The library of operators that models of tests use, tests/custom/operators.cpp."""

import functools
import hashlib
import shlex
import subprocess
from pathlib import Path

from harness import BUILD, CACHE, DEBIAN_PYTHON, VENV_PYTHON, libtorch_version, locked, skip_unless
from skips import COMPILER

FOLDER = Path(__file__).resolve().parents[1] / "custom"
SOURCES = [FOLDER / "operators.cpp", FOLDER / "attacks.h", FOLDER / "make.py"]


@functools.cache
def libtorch() -> dict:
    """The compiler and flags of the build under test."""
    words = shlex.split((BUILD / "stamp" / "libtorch").read_text())
    return dict(word.split("=", 1) for word in words)


@functools.cache
def made() -> Path:
    """The folder with the library and the models that use it; made only once."""
    skip_unless("compiler")
    found = libtorch()
    digest = hashlib.sha256("".join(path.read_text() for path in SOURCES).encode() + repr(found).encode())
    folder = CACHE / f"custom-{digest.hexdigest()[:12]}"
    with locked(CACHE / "custom.lock"):
        if not (folder / "models").exists():
            folder.mkdir(parents=True, exist_ok=True)
            compile_library(folder / "libhouse.so", found)
            python = DEBIAN_PYTHON if libtorch_version() < (2, 0) else VENV_PYTHON
            command = [python, "-B", FOLDER / "make.py", folder / "libhouse.so", folder / "unready"]
            result = subprocess.run(list(map(str, command)), capture_output=True, text=True)
            assert result.returncode == 0, result.stderr[-3000:]
            (folder / "unready").rename(folder / "models")
    return folder


def compile_library(path: Path, found: dict) -> None:
    includes = [flag for folder in found["include"].split(":") for flag in ("-isystem", folder)]
    abi = [f"-D_GLIBCXX_USE_CXX11_ABI={found['abi']}"] if found.get("abi") else []
    command = [COMPILER, "-std=c++17", "-O0", "-fPIC",
               "-shared", *abi, *includes, str(SOURCES[0]), "-o", str(path), f"-L{found['lib']}",
               "-ltorch_cpu", "-lc10"]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr[-3000:]
