"""Exports in a child process: a crash or a loop in libtorch is a status of the host, which goes on."""

import json
import os
import subprocess
import sys

from harness import BUILD, EXIT_BAD_INPUT, EXIT_INTERNAL, EXIT_UNSUPPORTED, ROOT, case, scratch
from house_library import made
from written_archives import PYTHON, module, tensor, write

# Exports each model of the arguments, in one process, and prints what became of them.
HOST = """
import json, sys, htp_trace
told = []
for model, out, options in json.loads(sys.argv[1]):
    try:
        told.append(htp_trace.export(model, out, **options))
    except htp_trace.Error as error:
        told.append({"code": error.code, "error": str(error)})
print(json.dumps(told))
"""
MODEL = ROOT / "models" / "bert-tiny.pt"


def exported(requests: list) -> list:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python"), "HTP_LIBRARY": str(BUILD / "libhtp.so"),
                   "HTP_LIBTORCH": str(BUILD / "libtorch")}
    result = subprocess.run([sys.executable, "-c", HOST, json.dumps(requests)], capture_output=True, text=True, timeout=300,
                            env=environment)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


@case
def the_host_goes_on() -> None:
    with scratch() as folder:
        (folder / "out").mkdir()
        house = {"isolated": True, "libraries": [str(made() / "libhouse.so")], "inputs": ["x:float32[4,4]"],
                 "custom_operators": ["house::attempted=my.domain:Attempted"]}
        for what in ("crash", "loop"):
            code = PYTHON.replace("torch.add(x, self.w)", f'torch.add(ops.house.attempted(x, "{what}"), self.w)')
            write(folder / f"{what}.pt", module(tensor()), code=code)
        (folder / "none.pt").write_text("none")
        out = str(folder / "out" / "x.onnx")
        crash, loop, none = exported([
            (str(folder / "crash.pt"), out, house),
            (str(folder / "loop.pt"), out, {**house, "isolated_seconds": 3}),
            (str(folder / "none.pt"), out, {"isolated": True})])
        assert crash["code"] == EXIT_INTERNAL and "was ended (Segmentation fault)" in crash["error"], crash
        assert loop["code"] == EXIT_UNSUPPORTED and "isolated_seconds of the options raises this limit" in loop["error"], loop
        assert none["code"] == EXIT_BAD_INPUT and "not a TorchScript archive" in none["error"], none
        assert not list((folder / "out").iterdir())


@case
def results_are_the_same() -> None:
    with scratch() as folder:
        alone, isolated = folder / "alone.onnx", folder / "isolated.onnx"
        answers = exported([(str(MODEL), str(isolated), {"isolated": True}), (str(MODEL), str(alone), {})])
        assert alone.read_bytes() == isolated.read_bytes()
        for answer in answers:
            del answer["seconds"], answer["output"]
        assert answers[0] == answers[1]
