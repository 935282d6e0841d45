"""A model of more than 2.5 GB: external weights, and little memory.

Needs 6 GB of disk while it runs, and leaves nothing there.
"""

import os
import shutil
import subprocess
import time
from pathlib import Path

import onnx

import memory
from harness import CACHE, PROGRAM, VENV_PYTHON, case, input_flags, made, scratch
from models.table import LARGE

ALLOWED_MB = 150
DISK_GB = 6


def anonymous_peak(command: list) -> int:
    """The largest RssAnon of a process and its children, in kB, sampled every 2 ms."""
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    peak = 0
    while process.poll() is None:
        peak = max(peak, memory.anonymous(process.pid))
        time.sleep(0.002)
    errors = process.stderr.read().decode()
    assert process.returncode == 0, errors
    return peak


@case
def large_model():
    CACHE.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(CACHE).free / 1e9
    assert free > DISK_GB, f"{free:.1f} GB of disk are free under {CACHE}, {DISK_GB} are needed"
    folder = made(LARGE)
    try:
        check_export(folder / "large.pt")
    finally:
        shutil.rmtree(folder)


def check_export(pt: Path) -> None:
    assert pt.stat().st_size >= 2_500_000_000, pt.stat().st_size
    with scratch() as folder:
        out = folder / "large.onnx"
        opened = anonymous_peak([str(PROGRAM), "--version"])
        flags = input_flags(LARGE)
        peak = anonymous_peak([str(PROGRAM), str(pt), "--out", str(out), *flags])
        beyond = (peak - opened) / 1024
        assert 0 < beyond < ALLOWED_MB, f"{beyond:.0f} MB beyond libtorch's {opened // 1024} MB"
        data = folder / "large.onnx.data"
        assert data.stat().st_size >= 2_500_000_000
        for tensor in onnx.load(str(out), load_external_data=False).graph.initializer:
            for entry in tensor.external_data:
                assert entry.key != "offset" or int(entry.value) % 64 == 0, tensor.name
        check_numbers(pt, out)


def check_numbers(pt: Path, out: Path) -> None:
    """In a separate process, since both models need memory."""
    script = Path(__file__).resolve().parents[2] / "support" / "compare_large.py"
    result = subprocess.run(
        [VENV_PYTHON, "-B", str(script), str(pt), str(out)], capture_output=True, text=True,
        env={**os.environ},
    )
    assert result.returncode == 0, result.stderr[-2000:]
