"""The share of the checks of a file in the processor time of an export: `scripts/bench --document-checks`."""

import os
import statistics
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

import harness
from models.table import ALL
from zoo import markdown

TIMED = harness.BUILD / "htp-trace-timed"  # with scripts/bench-checks.c
MODELS = ("bert-base", "resnet50-plain")
MOST = 3.0  # percent of an export
# Columns of the table, and the passes of each.
PASSES = {"directory": ("htp_archive_open",), "records": ("htp_archive_list",), "pickles and code": ("htp_contents_check",),
          "sandbox": ("htp_landlock_begin", "htp_landlock_allow", "htp_landlock_end", "htp_seccomp_give_up_privileges",
                      "htp_seccomp_enforce")}
TITLE = "## Checks of a file"
INTRODUCTION = f"""
Made by `make bench BENCH=--document-checks`, on a machine that may do other things: processor milliseconds of whole exports, the
median of their runs, and of the passes that check the file before libtorch reads it, and of entering the sandbox. A copy of
the program has clocks around these passes. At most {MOST:.0f} % of an export may be checks. Not in it are the counters of
limits and the checks of operands, a comparison or a look-up at a step that does far more.
"""
COLUMNS = ("model", "export", *PASSES, "together", "share")


def run(model, folder: Path) -> tuple:
    """Milliseconds of an export, and of each pass."""
    with tempfile.NamedTemporaryFile("r", dir=folder) as times:
        command = [TIMED, harness.torchscript(model), "--out", folder / "o.onnx", "--quiet", *harness.input_flags(model)]
        before = os.times()
        subprocess.run(list(map(str, command)), check=True, env={**os.environ, "HTP_CHECK_TIMES": times.name})
        after = os.times()
        spent = Counter()
        for line in times:
            name, nanoseconds = line.split()
            spent[name] += int(nanoseconds) / 1e6
    whole = after.children_user + after.children_system - before.children_user - before.children_system
    return 1000 * whole, spent


def checks(runs: int, folder: Path) -> None:
    """Measures, and writes the section of docs/BENCHMARKS.md."""
    lines = [*markdown.head(COLUMNS, len(COLUMNS) - 1)]
    for name in MODELS:
        found = [run(ALL[name], folder) for _ in range(runs)]
        whole = statistics.median(spent for spent, _ in found)
        passes = [statistics.median(sum(of[each] for each in names) for _, of in found) for names in PASSES.values()]
        share = 100 * sum(passes) / whole
        lines.append(markdown.line((name, f"{whole:.0f}", *(f"{each:.2f}" for each in passes), f"{sum(passes):.1f}", f"{share:.2f} %")))
        if share > MOST:
            raise SystemExit(f"{name}: checks are {share:.1f} % of an export, more than {MOST} %")
    print("\n".join(["", *lines]), flush=True)
    markdown.put(harness.ROOT / "docs" / "BENCHMARKS.md", [TITLE, *INTRODUCTION.split("\n"), *lines, ""])
