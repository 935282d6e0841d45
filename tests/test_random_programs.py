"""Scripted programs made at random: each one computes what libtorch does, or is refused.

HTP_SEEDS=FIRST:LAST runs others than the ones below.
"""

import os
import sys
from pathlib import Path

import numpy

import numbers_check
from harness import (EXIT_OK, EXIT_UNSUPPORTED, EXIT_USAGE, INTO, case_for_each, made_by, run,
                     scratch)

FOLDER = Path(__file__).resolve().parent / "custom"
SOURCES = (FOLDER / "random_programs.py", FOLDER / "random_kinds.py")
sys.path.append(str(FOLDER))

from random_kinds import KINDS  # noqa: E402  (needs the path above)

FIRST, LAST = map(int, os.environ.get("HTP_SEEDS", "0:80").split(":"))
GROUP = 20
LEAST_EXPORTED = 0.3  # of a group: what is refused is not tested
GROUPS = [(kind, first) for kind in KINDS for first in range(FIRST, LAST, GROUP)]


def is_refused(result) -> bool:
    """Because of what it does, or because it raises at the sizes given."""
    is_raised = result.returncode == EXIT_USAGE and " raised in the root module" in result.stderr
    return result.returncode == EXIT_UNSUPPORTED or is_raised


def check(program: Path, flags: tuple, folder: Path) -> bool:
    """@return whether it was exported"""
    out = folder / f"{program.stem}.onnx"
    result = run(program, "--out", out, *flags)
    source = program.with_suffix(".py")
    if is_refused(result):
        assert len(result.stderr.splitlines()) < 20, f"{source}\n{result.stderr}"
        return False
    assert result.returncode == EXIT_OK, f"{source}\n{result.stderr}"
    has_ones = "the dynamic axes are for sizes from 2 on" not in result.stderr
    session = numbers_check.session(out)
    names = {argument.name for argument in session.get_inputs()}
    arrays = dict(numpy.load(program.with_suffix(".npz")))
    for number in sorted({key.split("/")[0] for key in arrays}, key=int):
        given = {name: arrays[f"{number}/{name}"] for name in names}
        if not has_ones and any(1 in array.shape for array in given.values()):
            continue
        got = session.run(None, given)
        for k, array in enumerate(got):
            where = f"{source}, input {number}, output {k}"
            right = arrays[f"{number}/output/{k}"]
            assert array.shape == right.shape, f"{where}: {array.shape}, not {right.shape}"
            numpy.testing.assert_allclose(array, right, 1e-4, 1e-4, err_msg=where)
    return True


@case_for_each(GROUPS, name=lambda group: f"{group[0]}-{group[1]}")
def seeds(group: tuple) -> None:
    kind, first = group
    programs = sorted(made_by(SOURCES, INTO, kind, first, first + GROUP).glob("*.pt"))
    with scratch() as folder:
        exported = [check(program, KINDS[kind].flags, folder) for program in programs]
    assert sum(exported) >= LEAST_EXPORTED * len(exported), f"{sum(exported)} of {len(exported)}"
