"""Random scripted programs: each one equals libtorch, or is refused.

HTP_SEEDS=FIRST:LAST runs other seeds.
"""

import os
import re
import sys
from pathlib import Path

import numpy

import numbers_check
from harness import (EXIT_OK, EXIT_UNSUPPORTED, EXIT_USAGE, INTO, case_for_each, made_by, run,
                     scratch)

FOLDER = Path(__file__).resolve().parents[2] / "custom"
SOURCES = (FOLDER / "random_programs.py", *sorted((FOLDER / "random_kinds").glob("*.py")))
sys.path.append(str(FOLDER))

from random_kinds import KINDS  # noqa: E402  (needs the path above)

FIRST, LAST = map(int, os.environ.get("HTP_SEEDS", "0:80").split(":"))
GROUP = 20
LEAST_COMPARED = 0.3  # of a group: programs that are refused, or raise for all inputs, are not tested
GROUPS = [(kind, first) for kind in KINDS for first in range(FIRST, LAST, GROUP)]


RAISED = re.compile(r" raised in (the root module|norm) ")  # the only part that checks sizes
NO_REASON = re.compile(r": *[,;]|: *$|nothing produces", re.MULTILINE)


def is_refused(result) -> bool:
    """Whether an operation is refused, or the program raises at these sizes; the message has the reason."""
    is_raised = result.returncode == EXIT_USAGE and RAISED.search(result.stderr)
    if result.returncode != EXIT_UNSUPPORTED and not is_raised:
        return False
    assert not NO_REASON.search(result.stderr), f"refused without a reason: {result.stderr}"
    return True


def check(program: Path, flags: tuple, folder: Path) -> bool:
    """@return whether it was compared with libtorch"""
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
    is_compared = False
    for number in sorted({key.split("/")[0] for key in arrays}, key=int):
        given = {name: arrays[f"{number}/{name}"] for name in names}
        if not has_ones and any(1 in array.shape for array in given.values()):
            continue
        got = session.run(None, given)
        wanted = sum(key.startswith(f"{number}/output/") for key in arrays)
        assert len(got) == wanted, f"{source}, input {number}: {len(got)} outputs, not {wanted}"
        is_compared = True
        for k, array in enumerate(got):
            where = f"{source}, input {number}, output {k}"
            right = arrays[f"{number}/output/{k}"]
            assert array.shape == right.shape, f"{where}: {array.shape}, not {right.shape}"
            numpy.testing.assert_allclose(array, right, 1e-4, 1e-4, err_msg=where)
    return is_compared


def made(kind: str, first: int) -> list:
    """The programs of a group."""
    return sorted(made_by(SOURCES, INTO, kind, first, first + GROUP).glob("*.pt"))


@case_for_each(GROUPS, name=lambda group: f"{group[0]}-{group[1]}")
def seeds(group: tuple) -> None:
    kind, first = group
    programs = made(kind, first)
    with scratch() as folder:
        compared = [check(program, KINDS[kind].flags, folder) for program in programs]
    assert compared and sum(compared) >= LEAST_COMPARED * len(compared), f"{sum(compared)} of {len(compared)}"
