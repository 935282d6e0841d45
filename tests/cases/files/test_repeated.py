"""A process that exports and reads models again and again does not grow, and keeps no file open."""

import json
import os
import subprocess
import sys

from harness import BUILD, ROOT, case_for_each, scratch
from relu_program import relu_program

# Runs a statement until its memory has settled, then COUNT times. Prints kilobytes and open files before and after.
HOST = """
import json, os, sys, htp_trace
statement, count = compile(sys.argv[1], "statement", "exec"), int(sys.argv[2])
def held():
    pages = int(open("/proc/self/statm").read().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 1024, len(os.listdir("/proc/self/fd"))
def fail(path, out):
    try:
        htp_trace.export(path, out)
    except htp_trace.Error:
        pass
def run(times):
    for _ in range(times):
        exec(statement)
    return held()
print(json.dumps([run(20), run(count)]))
"""
# A run that keeps this many kilobytes is found.
KEPT = 10
MODEL = ROOT / "models" / "bert-tiny.pt"


@case_for_each([
    ("program", "htp_trace.export('relu.pt2', 'relu.onnx')", 300),
    ("torchscript", f"htp_trace.export({str(MODEL)!r}, 'bert.onnx')", 60),
    ("refused", "fail('text.pt', 'x.onnx')", 500),
    ("commands", "model = htp_trace.open('relu.onnx'); model.cost(); model.validate(); model.compare(model)", 300),
], name=lambda row: row[0])
def nothing_is_kept(row):
    _, statement, count = row
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "HTP_LIBRARY": str(BUILD / "libhtp.so"),
                   "HTP_LIBTORCH": str(BUILD / "libtorch")}
    with scratch() as folder:
        relu_program(folder / "relu.pt2")
        (folder / "text.pt").write_text("no model")
        prepare = "import htp_trace; htp_trace.export('relu.pt2', 'relu.onnx')"
        subprocess.run([sys.executable, "-c", prepare], cwd=folder, env=environment, check=True, timeout=60)
        result = subprocess.run([sys.executable, "-c", HOST, statement, str(count)], cwd=folder, env=environment,
                                capture_output=True, text=True, timeout=300)
        assert result.returncode == 0, result.stderr
        (before, files), (after, files_after) = json.loads(result.stdout)
    assert files_after == files, (files, files_after)
    assert after - before < KEPT * count, f"{after - before} kB more after {count} runs"
