"""Outputs that cannot be written: one clear line, nothing left behind, an existing output untouched."""

import os
import shutil
import signal
import subprocess
from pathlib import Path

from harness import (
    EXIT_CANNOT_WRITE, EXIT_INTERRUPTED, EXIT_USAGE, PROGRAM, TIMEOUT, case, case_for_each, input_flags,
    run, scratch, torchscript,
)
from models.table import ALL
from test_bad_input import BERT, BERT_FILE, EXISTING, check_line


@case
def output_folder_is_missing():
    with scratch() as folder:
        result = run(BERT_FILE, "--out", folder / "no" / "x.onnx", *input_flags(BERT))
        check_line(result, EXIT_CANNOT_WRITE, "x.onnx")
        assert not list(folder.iterdir())


@case
def output_is_a_folder():
    with scratch() as folder:
        (folder / "out.onnx").mkdir()
        result = run(BERT_FILE, "--out", folder / "out.onnx", *input_flags(BERT))
        check_line(result, EXIT_CANNOT_WRITE, "out.onnx")
        assert [path.name for path in folder.iterdir()] == ["out.onnx"]


@case
def output_folder_is_not_writable():
    """Also for root, without the capability to override permissions."""
    with scratch() as folder:
        closed = folder / "closed"
        closed.mkdir()
        (closed / "out.onnx").write_bytes(EXISTING)
        closed.chmod(0o555)
        command = [str(PROGRAM), str(BERT_FILE), "--out", str(closed / "out.onnx")]
        if os.geteuid() == 0:
            command = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] + command
        command += input_flags(BERT)
        result = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT)
        closed.chmod(0o755)
        check_line(result, EXIT_CANNOT_WRITE, "out.onnx")
        assert [path.name for path in closed.iterdir()] == ["out.onnx"]
        assert (closed / "out.onnx").read_bytes() == EXISTING


@case
def device_is_full():
    result = run(BERT_FILE, "--out", "/dev/full", *input_flags(BERT))
    check_line(result, EXIT_CANNOT_WRITE, "/dev/full")
    assert Path("/dev/full").is_char_device(), "the device was replaced"


@case
def disk_is_full():
    """On a small tmpfs, with the weights in the model and external. In a separate mount namespace, so nothing stays
    mounted."""
    script = """
        mount -t tmpfs -o size=1m tmpfs "$1" || exit 77
        printf '%s' "$2" > "$1/out.onnx"
        shift 2
        "$@"; code=$?
        ls -A "$MOUNTED"
        cat "$MOUNTED/out.onnx"
        exit $code
    """
    with scratch() as folder:
        for external in ("never", "always"):
            program = [str(PROGRAM), str(BERT_FILE), "--out", str(folder / "out.onnx")]
            program += ["--external-data", external, *input_flags(BERT)]
            command = ["unshare", "--mount", "--map-root-user", "sh", "-c", script, "sh"]
            command += [str(folder), EXISTING.decode(), *program]
            result = run_mounted(command, folder)
            check_line(result, EXIT_CANNOT_WRITE, "out.onnx")
            assert result.stdout == "out.onnx\n" + EXISTING.decode(), result.stdout


def run_mounted(command: list, folder: Path) -> subprocess.CompletedProcess:
    environment = {**os.environ, "MOUNTED": str(folder)}
    result = subprocess.run(
        command, capture_output=True, text=True, timeout=TIMEOUT, env=environment
    )
    assert result.returncode != 77, f"cannot mount a tmpfs here: {result.stderr}"
    return result


@case_for_each(["same", "symlink", "hardlink", "other_spelling"])
def output_is_the_input(kind):
    with scratch() as folder:
        model = folder / "model.pt"
        shutil.copy(BERT_FILE, model)
        out = folder / "out.onnx"
        if kind == "symlink":
            out.symlink_to(model)
        elif kind == "hardlink":
            out.hardlink_to(model)
        else:
            out = model if kind == "same" else folder / ".." / folder.name / "model.pt"
        before = sorted(folder.iterdir())
        result = run(model, "--out", out, *input_flags(BERT))
        check_line(result, EXIT_USAGE, out.name)
        assert model.read_bytes() == BERT_FILE.read_bytes(), "the input was changed"
        assert sorted(folder.iterdir()) == before


@case
def data_file_is_the_input():
    with scratch() as folder:
        model = folder / "x.onnx.data"
        shutil.copy(BERT_FILE, model)
        flags = ["--external-data", "always", *input_flags(BERT)]
        check_line(run(model, "--out", folder / "x.onnx", *flags), EXIT_USAGE, "x.onnx")
        assert model.read_bytes() == BERT_FILE.read_bytes(), "the input was changed"
        assert [path.name for path in folder.iterdir()] == ["x.onnx.data"]


@case_for_each([signal.SIGINT, signal.SIGTERM], name=lambda number: number.name)
def interrupted(number):
    """After the first stage, with half a gigabyte still to write. Background processes may ignore SIGINT."""
    model = ALL["gpt2"]
    with scratch() as folder:
        out = folder / "out.onnx"
        out.write_bytes(EXISTING)
        command = [str(PROGRAM), str(torchscript(model)), "--out", str(out), "--verbose"]
        process = subprocess.Popen(
            command + input_flags(model), stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True,
            preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),
        )
        assert "sandbox" in process.stderr.readline()
        assert "loaded" in process.stderr.readline()
        process.send_signal(number)
        _, rest = process.communicate(timeout=TIMEOUT)
        assert process.returncode == EXIT_INTERRUPTED, (process.returncode, rest)
        assert len([line for line in rest.splitlines() if line.startswith("htp-trace: ")]) == 1, rest
        assert out.read_bytes() == EXISTING
        assert [path.name for path in folder.iterdir()] == ["out.onnx"]
