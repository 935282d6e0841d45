"""Sizes that are told without arithmetic are those of libtorch's kernels, as are strides, offsets and
whose memory an output lies in: over all operator cases, and in other layouts (tests/oracle).

What is not so, or cannot be asked, has a row with its reason in tests/told_otherwise.py.
"""

import os
from pathlib import Path

import harness
import operator_files
import size_oracle
import told_otherwise

GROUPS = sorted(operator_files.group_of(file) for file in operator_files.FILES)
OPSET = 18
LAYOUTS = {"given", "dense", "transposed", "channels-last", "expanded", "sliced"}


def log_of(group: str) -> size_oracle.Log:
    """What is found over the cases of one file; once in a run."""
    folder = Path(os.environ["HTP_TEST_OUTPUT"]) / "told-sizes"
    path = folder / f"{group}.log"
    with harness.locked(folder / f"{group}.lock"):
        if not path.exists():
            unready = path.with_suffix(".unready")
            unready.touch()
            with harness.scratch() as out:
                operator_files.export(group, out, OPSET, env=size_oracle.environment(unready))
            unready.rename(path)
    return size_oracle.Log().read(path)


def all_logs() -> size_oracle.Log:
    log = size_oracle.Log()
    for group in GROUPS:
        log_of(group)
        log.read(Path(os.environ["HTP_TEST_OUTPUT"]) / "told-sizes" / f"{group}.log")
    return log


def excuses() -> dict:
    return told_otherwise.excuses(harness.libtorch_version())


@harness.case_for_each(GROUPS)
def told_as_given(group: str) -> None:
    log = log_of(group)
    assert log.calls > 0, "nothing was compared"
    wrong, _ = size_oracle.judge(log, excuses())
    assert not wrong, "\n".join(wrong[:20])


@harness.case
def layouts_are_asked() -> None:
    seen = {layout for _, layout in all_logs().layouts}
    assert LAYOUTS <= seen, seen


@harness.case
def excuses_are_needed() -> None:
    _, unused = size_oracle.judge(all_logs(), excuses())
    assert not unused, unused
