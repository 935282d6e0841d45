"""The programs of scripts/ start: all of their imports are found. What they measure counts child processes."""

import subprocess
import sys
from collections import Counter

import memory
from harness import CASES, ROOT, VENV_PYTHON, case, is_in_share


def takes_options(path) -> bool:
    """Whether it is a Python program with --help; those that print tables have none."""
    first, _, rest = path.read_text().partition("\n")
    return "python" in first and ("argparse" in rest or ".command import" in rest)


@case
def scripts_say_what_they_do():
    files = (path for path in (ROOT / "scripts").iterdir() if path.is_file())
    scripts = sorted(path for path in files if takes_options(path))
    assert len(scripts) > 5, scripts
    broken = {}
    for script in scripts:
        made = subprocess.run([VENV_PYTHON, "-B", script, "--help"], capture_output=True, text=True, timeout=120)
        if made.returncode != 0 or "usage:" not in made.stdout:
            broken[script.name] = made.stderr[-300:]
    assert not broken, broken


@case
def memory_of_child_processes_counts():
    """A shell that starts a process, which holds 64 MB until its input ends."""
    held = "x = bytearray(64 << 20); print(flush=True); input()"
    with subprocess.Popen(["sh", "-c", '"$0" -c "$1"; :', sys.executable, held], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        measured = memory.anonymous(process.pid), memory.high_water(process.pid)
        own = memory.field(process.pid, "VmHWM")
        process.communicate(b"\n")
    assert min(measured) > 64 << 10 > own > 0, (measured, own)
    assert memory.anonymous(process.pid) == memory.high_water(process.pid) == 0


@case
def names_of_cases_are_unique():
    """The runner finds cases by their names: of two, one would never run."""
    counts = Counter(one.name for one in CASES)
    assert max(counts.values()) == 1, counts.most_common(3)


@case
def shares_hold_every_case_once():
    names = {one.name for one in CASES}
    shares = [{name for name in names if is_in_share(name, (number, 2))} for number in (1, 2)]
    assert shares[0] | shares[1] == names and not shares[0] & shares[1]
    assert min(map(len, shares)) * 3 > max(map(len, shares)), list(map(len, shares))
