"""The files of the operator cases: made by the PyTorch under test, and exported all at once."""

import functools
import importlib
import json
import os
import re
import sys
from pathlib import Path

import harness

FOLDER = Path(__file__).resolve().parents[1] / "operators"
sys.path.insert(0, str(FOLDER))
FILES = sorted(FOLDER.glob("*_cases.py"))


def group_of(file: Path) -> str:
    return file.stem.removesuffix("_cases")


def cases() -> dict:
    """All cases, by group/name."""
    found = {}
    for file in FILES:
        for case in importlib.import_module(file.stem).CASES:
            name = f"{group_of(file)}/{case['name']}"
            assert name not in found, f"two cases are named {name}"
            found[name] = case
    return found


@functools.cache
def made(group: str) -> tuple:
    """The folder with all cases of a file, made again if its makers change; and its contents: {case: {number,
    failure}}."""
    file = FOLDER / f"{group}_cases.py"
    imported = re.findall(r"^from (\w+_cases) import", file.read_text(), re.MULTILINE)
    sources = [FOLDER / "make.py", FOLDER / "building.py", file]
    sources += [FOLDER / f"{name}.py" for name in imported]
    folder = harness.made_by(tuple(sources), "--into", harness.INTO, str(file))
    return folder, json.loads((folder / "cases.json").read_text())


def export(group: str, out: Path, opset: int, **options) -> dict:
    """Exports all files of a group in one process, into the folder out. @return {number: the object of --json}.
    Options are those of subprocess.run()."""
    folder, _ = made(group)
    files = sorted(folder.glob("*.pt"))
    flags = ["--out-dir", out, "--opset", opset, "--quiet", "--json"]
    result = harness.run(*files, *flags, timeout=1800, **options)
    told = [json.loads(line) for line in result.stdout.splitlines()]
    assert len(told) == len(files), f"told of {len(told)} of {len(files)}: {result.stderr[-2000:]}"
    return {Path(one["model"]).stem: one for one in told}


@functools.cache
def exported(group: str, opset: int) -> tuple:
    """The folder with the ONNX models of a group, and the results of export(); once in a run."""
    out = Path(os.environ["HTP_TEST_OUTPUT"]) / "operators" / group / str(opset)
    out.parent.mkdir(parents=True, exist_ok=True)
    kept = out.with_suffix(".json")
    with harness.locked(out.with_suffix(".lock")):
        if not kept.exists():
            out.mkdir(exist_ok=True)
            kept.write_text(json.dumps(export(group, out, opset)))
    return out, json.loads(kept.read_text())


def assert_refused(told: dict, why: str) -> None:
    """The program refuses a model for this reason, and reports no consequence of it instead."""
    text = "\n".join([told.get("error", "it is not refused"), *told.get("details", ())])
    assert why in text, f"{why!r} is not the reason: {text}"
    assert "nothing produces" not in text, text
    # fewer named axes may work
    is_usage = told["code"] == harness.EXIT_USAGE and ("the named axes" in text or
                                                       "do not name it" in text)
    assert is_usage or told["code"] == harness.EXIT_UNSUPPORTED, f"exit code {told['code']}: {text}"
