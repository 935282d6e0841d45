"""Several models in several processes: `--jobs`."""

import json
import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

from harness import BUILD, EXIT_BAD_INPUT, EXIT_INTERNAL, EXIT_OK, PROGRAM, ROOT, case, run, scratch
from test_wheel import relu_program

MODEL = ROOT / "models" / "transformer-scripted.pt"


def answers(printed: str) -> dict:
    """The line of each model, by its name: lines of several processes are whole."""
    told = [json.loads(line) for line in printed.splitlines()]
    found = {Path(answer["model"]).name: answer for answer in told}
    assert len(found) == len(told), printed
    return found


def copies(folder: Path, count: int) -> list:
    """Small programs without libtorch, the names of whose answers are long."""
    first = relu_program(folder / "0.pt2")
    return [first, *(shutil.copy(first, folder / f"{number}.pt2") for number in range(1, count))]


@case
def several_processes_make_the_files_of_one():
    with scratch() as folder:
        models = [folder / "missing.pt", *copies(folder, 24), folder / "absent.pt2"]
        one = run(*models, "--out-dir", folder / "one", "--quiet", "--json")
        three = run(*models, "--out-dir", folder / "three", "--quiet", "--json", "--jobs", 3)
        assert one.returncode == three.returncode == EXIT_BAD_INPUT, (one.stderr, three.stderr)
        alone, together = answers(one.stdout), answers(three.stdout)
        assert alone.keys() == together.keys() and len(alone) == len(models), together.keys()
        assert {name: answer["status"] for name, answer in alone.items()} == \
            {name: answer["status"] for name, answer in together.items()}
        assert "2 of 26 models failed" in three.stderr and three.stderr.count("exit code 3") == 2, three.stderr
        files = sorted((folder / "one").iterdir())
        assert len(files) == 24 and [file.name for file in files] == sorted(os.listdir(folder / "three"))
        assert all(file.read_bytes() == (folder / "three" / file.name).read_bytes() for file in files)


@case
def a_process_that_is_killed_costs_one_model():
    if not list(BUILD.glob("libhtp-shim-*.so")):
        return
    with scratch() as folder:
        models = [shutil.copy(MODEL, folder / f"{number}.pt") for number in range(5)]
        command = [PROGRAM, *models, "--out-dir", folder / "out", "--quiet", "--json", "--jobs", "2"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
            while len(children.read_text().split()) < 2:
                time.sleep(0.01)
            time.sleep(0.05)  # libtorch takes some 400 ms to open
            os.kill(int(children.read_text().split()[0]), signal.SIGKILL)
            printed, told = process.communicate(timeout=120)
        failed = [answer for answer in answers(printed).values() if answer["status"] != "ok"]
        assert process.returncode == EXIT_INTERNAL and len(failed) == 1 and "was ended" in failed[0]["error"], told
        assert len(answers(printed)) == 5 and len(list((folder / "out").iterdir())) == 4, printed


@case
def more_processes_than_models_are_not_started():
    with scratch() as folder:
        result = run(*copies(folder, 2), "--out-dir", folder / "out", "--jobs", 100000)
        assert result.returncode == EXIT_OK and len(list((folder / "out").iterdir())) == 2, result.stderr
