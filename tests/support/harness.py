"""Shared by the Python tests: the program under test, sample models, and the list of cases."""

import fcntl
import functools
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zlib
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"
sys.path[:0] = [str(ROOT), *map(str, (TESTS / "cases").iterdir())]

import forked  # noqa: E402  (needs the path above)
import skips  # noqa: E402
import started  # noqa: E402
from models.table import ALL, DEBIAN, Model  # noqa: E402

BUILD = Path(os.environ.get("HTP_BUILD", ROOT / "build")).resolve()
PROGRAM = BUILD / "htp-trace"
STARTED = BUILD / "htp-trace-started"
CACHE = Path(os.environ.get("HTP_MODELS", ROOT / "build" / "models")).resolve()
VENV_PYTHON = os.environ.get("HTP_PYTHON", str(ROOT / ".venv/bin/python"))
DEBIAN_PYTHON = "/usr/bin/python3"
REQUIREMENTS = ROOT / "scripts" / "requirements-dev.txt"  # the PyTorch of VENV_PYTHON

EXIT_OK, EXIT_INTERNAL, EXIT_USAGE, EXIT_BAD_INPUT = 0, 1, 2, 3
EXIT_UNSUPPORTED, EXIT_CANNOT_WRITE, EXIT_FOUND, EXIT_INTERRUPTED = 4, 5, 6, 130
TIMEOUT = 300


# ---- cases -----------------------------------------------------------------------------------------


class Case:
    """One test: a name, and a function that raises when the test fails."""

    def __init__(self, name: str, function, arguments: tuple = ()):
        self.name = name
        self.function = function
        self.arguments = arguments

    def __call__(self) -> None:
        self.function(*self.arguments)


class Skipped(Exception):
    """Raised by a case that cannot run here; its text is the reason, from a side table."""


def holds(condition: str) -> bool:
    """Whether one of the conditions of tests/support/skips.py holds with the libtorch under test."""
    return skips.CONDITIONS[condition][0](libtorch_version())


def skip_unless(condition: str) -> None:
    """Skips the calling case if the condition does not hold."""
    if not holds(condition):
        raise Skipped(skips.CONDITIONS[condition][1])


def skip_unless_it_runs_here(name: str) -> None:
    """Skips a case of a file for which one libtorch is enough."""
    if not skips.runs_here(name.split("/")[0], libtorch_version()):
        raise Skipped(skips.ONCE_REASON)


CASES: list = []


def share() -> tuple:
    """HTP_SHARE: which share of how many, counted from 1."""
    number, _, shares = os.environ.get("HTP_SHARE", "1/1").partition("/")
    return int(number), int(shares)


def is_in_share(name: str, of: tuple) -> bool:
    """By the name alone, so that a new case moves no other one to another share."""
    number, shares = of
    return zlib.crc32(name.encode()) % shares == number - 1


def case(function):
    """Registers a test function without arguments."""
    file = Path(function.__code__.co_filename).stem.removeprefix("test_")
    CASES.append(Case(f"{file}/{function.__name__}", function))
    return function


def case_for_each(things, name=str):
    """Registers a test function once for each thing; name(thing) is part of the case's name."""

    def register(function):
        file = Path(function.__code__.co_filename).stem.removeprefix("test_")
        for thing in things:
            full = f"{file}/{function.__name__}/{name(thing)}"
            CASES.append(Case(full, function, (thing,)))
        return function

    return register


def case_for_each_model(models):
    return case_for_each(models, name=lambda model: model.name)


# ---- the program -----------------------------------------------------------------------------------


def run(*arguments, program=PROGRAM, **options) -> subprocess.CompletedProcess:
    """Runs htp-trace, or a copy of it, and returns what it printed. Raises if it takes longer than TIMEOUT. Options are those of
    subprocess.run(); with only timeout and cwd, the process has libtorch open already."""
    command = [str(program), *map(str, arguments)]
    if program == PROGRAM and STARTED.exists() and options.keys() <= {"timeout", "cwd"}:
        return started.run(STARTED, command, **{"timeout": TIMEOUT, **options})
    options = {"capture_output": True, "text": True, "timeout": TIMEOUT, **options}
    return subprocess.run(command, **options)


def export(pt: Path, out: Path, *flags) -> subprocess.CompletedProcess:
    """Exports and expects success."""
    result = run(pt, "--out", out, *flags)
    assert result.returncode == EXIT_OK, f"exit code {result.returncode}\n{result.stderr}"
    assert out.exists(), f"{out.name} was not written"
    return result


@functools.cache
def libtorch_version() -> tuple:
    """The libtorch of the build under test, as (major, minor)."""
    for line in run("--version").stdout.splitlines():
        if line.startswith("libtorch "):
            return tuple(int(part) for part in line.split()[1].split(".")[:2])
    raise AssertionError("htp-trace --version does not say which libtorch it uses")


def is_loadable(model: Model) -> bool:
    """Whether the libtorch under test has every operator that the model uses."""
    return not model.needs or holds(model.needs)


def skip_unless_loadable(model: Model) -> None:
    if model.needs:
        skip_unless(model.needs)


def input_flags(model: Model) -> list:
    return [part for item in model.inputs for part in ("--input", item.flag(model.traced))]


# ---- files -----------------------------------------------------------------------------------------


@contextmanager
def scratch():
    """A temporary folder on disk."""
    with tempfile.TemporaryDirectory(dir=os.environ.get("HTP_TEST_OUTPUT")) as folder:
        yield Path(folder)


@contextmanager
def quick_scratch():
    """A temporary folder in memory, where syncing takes no time; on disk if there is none. For small files."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if os.access(memory, os.W_OK) else None) as folder:
        yield Path(folder)


@contextmanager
def locked(path: Path):
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def once_in_a_run(path: Path, make) -> Path:
    """A file written by make(path) for the first test that needs it."""
    with locked(path.with_suffix(".lock")):
        if not path.exists():
            unready = path.with_suffix(".unready")
            make(unready)
            unready.rename(path)
    return path


INTO = "FOLDER"  # placeholder of the new folder in a maker's arguments


@functools.cache
def made_by(sources: tuple, *arguments, python: str = "") -> Path:
    """The folder made by the first source, a script, with these arguments; made again if a source changes. It is run
    by @p python, or by the Python whose torch is under test."""
    if not python:
        python = DEBIAN_PYTHON if libtorch_version() < (2, 0) else VENV_PYTHON
    digest = hashlib.sha256(repr((python, arguments)).encode())
    for path in (REQUIREMENTS, *sources):
        digest.update(path.read_bytes())
    folder = CACHE / f"{sources[0].stem}-{digest.hexdigest()[:12]}"
    with locked(folder.with_suffix(".lock")):
        if not folder.exists():
            unready = folder.with_suffix(".unready")
            shutil.rmtree(unready, ignore_errors=True)  # of a run that was killed
            given = [unready if argument == INTO else argument for argument in arguments]
            code, printed = forked.run(python, [sources[0], *given])
            assert code == 0, printed[-3000:]
            unready.rename(folder)
    return folder


MAKERS_IMPORT = ("transformers.modeling_utils",)  # most imports of sample models' makers


def maker_hash(model: Model) -> str:
    """A hash that changes with the makers of the model."""
    digest = hashlib.sha256(repr(model).encode())
    for name in (model.maker.split(":")[0], "make", "record", "settle"):
        digest.update((ROOT / "models" / f"{name}.py").read_bytes())
    return digest.hexdigest()[:12]


def made(model: Model) -> Path:
    """The folder with NAME.pt and NAME.json; makes them if missing."""
    folder = CACHE / f"{model.name}-{maker_hash(model)}"
    with locked(CACHE / f"{model.name}.lock"):
        if not (folder / f"{model.name}.pt").exists():
            python = DEBIAN_PYTHON if model.made_by == DEBIAN else VENV_PYTHON
            command = [ROOT / "models" / "make.py", "--into", folder, model.name]
            code, printed = forked.run(python, command, MAKERS_IMPORT)
            assert code == 0, f"cannot make {model.name}:\n{printed[-3000:]}"
    return folder


def torchscript(model: Model) -> Path:
    """The model's file; the committed one if there is one."""
    if model.committed:
        return ROOT / "models" / f"{model.name}.pt"
    return made(model) / f"{model.name}.pt"


@functools.cache
def record(name: str) -> dict:
    """PyTorch's facts about the eager model; see models/record.py. That of a committed model is committed too, since
    other versions of the libraries would not trace the same operators."""
    folder = ROOT / "models" if ALL[name].committed else made(ALL[name])
    return json.loads((folder / f"{name}.json").read_text())


def exported(model: Model, *flags) -> Path:
    """The model exported with the inputs of the table. Made once for each set of flags in a run."""
    folder = Path(os.environ["HTP_TEST_OUTPUT"])
    key = hashlib.sha256(repr(flags).encode()).hexdigest()[:8]
    out = folder / f"{model.name}-{key}" / "model.onnx"
    with locked(folder / f"{model.name}-{key}.lock"):
        if not out.exists():
            out.parent.mkdir(exist_ok=True)
            export(torchscript(model), out, *input_flags(model), *flags)
    return out
