"""The programs of scripts/ start: all of their imports are found."""

import subprocess

from harness import ROOT, VENV_PYTHON, case


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
