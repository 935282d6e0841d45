"""Every row of the table of lowerings also holds for the in-place operator, as `ops --help` says."""

import functools
import json
from pathlib import Path

import numpy

from harness import INTO, case, made_by, run, scratch
from numbers_check import assert_close, session

FOLDER = Path(__file__).resolve().parents[2] / "operators"
SOURCES = (FOLDER / "in_place.py", FOLDER / "make.py")


@functools.cache
def made() -> tuple:
    """The folder with a file per in-place operator, and {its number: the operator}."""
    folder = made_by(SOURCES, INTO, " ".join(sorted(run("ops").stdout.split())))
    told = json.loads((folder / "in_place.json").read_text())
    unknown = {key: one["problem"] for key, one in told.items() if one["problem"]}
    assert not unknown, f"no arguments are known for them: {unknown}"
    return folder, {one["number"]: key for key, one in told.items()}


def check_numbers(model: Path, arrays: dict, key: str) -> None:
    runner = session(model)
    given = {one.name: arrays[f"in/{int(one.name.rsplit('_', 1)[-1]) - 1}"] for one in runner.get_inputs()}
    assert_close(runner.run(None, given), [arrays["out"]], key)


@case
def rows_export_in_place() -> None:
    """With right numbers."""
    folder, keys = made()
    with scratch() as out:
        result = run(*sorted(folder.glob("*.pt")), "--out-dir", out, "--quiet", "--json")
        told = {Path(one["model"]).stem: one for one in map(json.loads, result.stdout.splitlines())}
        assert len(keys) > 180 and told.keys() == keys.keys(), (len(keys), result.stderr[-2000:])
        for number, key in keys.items():
            assert told[number]["status"] != "failed", (key, told[number])
            check_numbers(out / f"{number}.onnx", numpy.load(folder / f"{number}.npz"), key)
