"""Two processes on one output, and an output folder that belongs to somebody else."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import onnx

from harness import EXIT_CANNOT_WRITE, EXIT_OK, PROGRAM, TESTS, TIMEOUT, case_for_each, run, scratch, skip_unless
from test_bad_input import EXISTING, check_line

ROUNDS = 50  # of which every second one begins with the other process
MODELS = [TESTS / "exported" / "versions" / "2.9" / name / "plain.pt2" for name in ("norms", "tied")]
NOBODY = 65534


def contents(file: Path) -> tuple:
    """What a model says, with the weights in its data file."""
    model = onnx.load(file)
    weights = {one.name: onnx.numpy_helper.to_array(one).tobytes() for one in model.graph.initializer}
    return [node.name for node in model.graph.node], weights


def data_files(file: Path) -> set:
    model = onnx.load(file, load_external_data=False)
    return {entry.value for one in model.graph.initializer for entry in one.external_data if entry.key == "location"}


def started(model: Path, out: Path, *flags) -> subprocess.Popen:
    return subprocess.Popen([PROGRAM, model, "--out", out, "--quiet", *flags], stderr=subprocess.PIPE, text=True)


@case_for_each(["never", "always"])
def one_output_of_two_processes(external):
    """The output is that of one of them, whole, whoever began; so is its data file. Nothing else is left."""
    flags = ("--external-data", external)
    with scratch() as folder:
        alone = []
        for number, model in enumerate(MODELS):
            (folder / f"{number}").mkdir()
            assert run(model, "--out", folder / f"{number}" / "o.onnx", *flags).returncode == EXIT_OK
            alone.append(contents(folder / f"{number}" / "o.onnx"))
        out, winners = folder / "out" / "o.onnx", set()
        out.parent.mkdir()
        for number in range(ROUNDS):
            pair = MODELS if number % 2 else MODELS[::-1]
            for process in [started(model, out, *flags) for model in pair]:
                _, told = process.communicate(timeout=TIMEOUT)
                assert process.returncode == EXIT_OK, told
            found = contents(out)
            assert found in alone, f"round {number}: neither of the two"
            winners.add(alone.index(found))
            left = {path.name for path in out.parent.iterdir()}
            assert left == {"o.onnx"} | data_files(out), f"round {number}: {left}"
        assert winners == {0, 1}


@case_for_each(["export", "strip", "sidecar"])
def folder_of_somebody_else(command):
    """As a user who is not root and may not write there."""
    skip_unless("build for everybody")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        model = folder / "model.pt2"
        shutil.copy(MODELS[0], model)
        assert run(model, "--out", folder / "m.onnx").returncode == EXIT_OK
        for file in folder.iterdir():
            file.chmod(0o644)
        closed = folder / "closed"
        closed.mkdir()
        (closed / "out.onnx").write_bytes(EXISTING)
        arguments = {"export": [model, "--out", closed / "out.onnx"],
                     "strip": ["strip", folder / "m.onnx", "--out", closed / "out.onnx"],
                     "sidecar": ["sidecar", folder / "m.onnx", "--out", closed / "out.onnx"]}[command]
        user = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"] if os.geteuid() == 0 else []
        closed.chmod(0o555)
        try:
            result = subprocess.run([*user, PROGRAM, *arguments], capture_output=True, text=True, timeout=TIMEOUT)
        finally:
            closed.chmod(0o755)
        check_line(result, EXIT_CANNOT_WRITE, "closed", "Permission denied")
        assert [path.name for path in closed.iterdir()] == ["out.onnx"]
        assert (closed / "out.onnx").read_bytes() == EXISTING
