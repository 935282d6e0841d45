"""The wheel, installed into environments without torch and with it."""

import json
import os
import subprocess
import zipfile
from pathlib import Path

from harness import BUILD, EXIT_INTERNAL, EXIT_OK, ROOT, VENV_PYTHON, case, scratch
from relu_program import relu_program

CORE_BUILD = Path(os.environ.get("HTP_CORE_BUILD", ROOT / "build" / "core")).resolve()
FILES = CORE_BUILD / "wheel"
NOTEBOOK = ROOT / "docs" / "python.ipynb"
LARGEST = 8_000_000  # bytes
ASK = """
import json, sys
if "torch" in sys.argv:
    import torch
    before = torch.ops.aten.add(torch.ones(2), 1).tolist()
import htp_trace
model, folder = sys.argv[1:3]
answer = htp_trace.export(model, folder + "/a.onnx", sidecar="")
htp_trace.export(open(model, "rb").read(), folder + "/bytes.onnx")
assert open(folder + "/a.onnx", "rb").read() == open(folder + "/bytes.onnx", "rb").read()
for take in htp_trace.open, htp_trace.inspect:
    try:
        take(b"?")
        raise AssertionError("these are no model")
    except htp_trace.Error as error:
        assert error.code == 3 and str(error).startswith("bytes: not "), error
htp_trace.limit_models("names=1")
try:
    htp_trace.open(folder + "/a.onnx")
    raise AssertionError("it has more names")
except htp_trace.Error as error:
    assert error.code == 4 and "--limit names=N" in error.message, error
htp_trace.limit_models()
with htp_trace.open(folder + "/a.onnx") as a, htp_trace.open(open(folder + "/a.onnx", "rb").read()) as b:
    found = {
        "nodes": answer["nodes"],
        "modules": [module["tag"] for module in a.modules],
        "names": len(a.select("**")),
        "weights": a.select("**", weights=True),
        "findings": a.validate()["findings"],
        "different": a.compare(b)["different"],
        "cost": sorted(a.cost()),
    }
    if "torch" in sys.argv:
        verified = htp_trace.verify(model, a)
        assert verified["compared"] > 10 and not verified["beyond"] and not a.verify(b)["beyond"], verified
    a.extract(a.modules[-1]["tag"], out=folder + "/part.onnx", external_data="never")
failed = []
for options in ({"inputs": 3}, {"opsets": 17}, {"tags": ["nowhere"]}, {"opset": 3}, {"inputs": ["a\\0b"]}):
    try:
        htp_trace.export(model, folder + "/b.onnx", **options)
    except htp_trace.Error as error:
        failed.append([error.code, error.message])
found["failed"] = failed
if "torch" in sys.argv:
    assert torch.ops.aten.add(torch.ones(2), 1).tolist() == before
print(json.dumps(found))
"""


def shim() -> list:
    return sorted(FILES.glob(f"{next(BUILD.glob('libhtp-shim-*.so')).name}")) if list(BUILD.glob("libhtp-shim-*.so")) else []


def installed(folder: Path) -> Path:
    """A new environment with the wheel and nothing else."""
    subprocess.run([ROOT / "scripts/wheel", FILES, folder / "dist", *shim()], check=True, capture_output=True)
    wheel = next((folder / "dist").glob("htp_trace-*-py3-none-manylinux_2_*_x86_64.whl"))
    assert wheel.stat().st_size < LARGEST, wheel.stat().st_size
    with zipfile.ZipFile(wheel) as archive:
        assert archive.testzip() is None
    venv = folder / "venv"
    subprocess.run([VENV_PYTHON, "-m", "venv", "--without-pip", venv], check=True)
    subprocess.run([VENV_PYTHON, "-m", "pip", "-q", "--python", venv / "bin/python", "install", "--no-index", wheel],
                   check=True, capture_output=True)
    return venv


def asked(*command, code=EXIT_OK, **more) -> subprocess.CompletedProcess:
    env = {name: value for name, value in os.environ.items() if not name.startswith(("HTP_", "PYTHON", "VIRTUAL"))}
    env["PATH"] = "/usr/bin:/bin"
    result = subprocess.run(list(map(str, command)), capture_output=True, text=True, env={**env, **more}, cwd=ROOT)
    assert result.returncode == code, (result.returncode, result.stderr)
    return result


def check_answer(found: dict) -> None:
    assert 0 < found["names"] <= found["nodes"] and not found["findings"] and not found["different"], found
    assert [code for code, _ in found["failed"]] == [2] * 5, found["failed"]
    for (_, message), word in zip(found["failed"], ("inputs must be a list", '"opsets"', "tags must be", "opset", "a NUL in a string")):
        assert word in message, (word, message)


@case
def a_wheel_works_without_torch_and_with_it():
    with scratch() as folder:
        venv = installed(folder)
        python, program = venv / "bin/python", venv / "bin/htp-trace"
        pt2 = relu_program(folder / "net.pt2")
        check_answer(json.loads(asked(python, "-c", ASK, pt2, folder).stdout))
        asked(program, pt2, "--out", folder / "x.onnx")
        assert "/Net" in asked(program, "inspect", folder / "x.onnx").stdout
        if not shim() or shim()[0].name != "libhtp-shim-2.13.so":
            return
        nothing = {"PATH": "/nowhere"}
        if not list(Path("/usr/lib").glob("*/libtorch_cpu.so*")):
            assert "pip install" in asked(program, "models/bert-tiny.pt", "--out", folder / "y.onnx", code=EXIT_INTERNAL,
                                          **nothing).stderr
        packages = Path(asked(VENV_PYTHON, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").stdout.strip())
        own = next(venv.glob("lib/python3*/site-packages"))
        (own / "torch.pth").write_text(f"{packages}\n")
        for word in ("torch", "none"):
            check_answer(json.loads(asked(python, "-c", ASK, "models/bert-tiny.pt", folder, word).stdout))
        asked(program, "models/bert-tiny.pt", "--out", folder / "y.onnx", **nothing)
        assert (folder / "y.onnx").read_bytes() == (folder / "a.onnx").read_bytes()
        notebook = [cell for cell in json.loads(NOTEBOOK.read_text())["cells"] if cell["cell_type"] == "code"]
        assert len(notebook) > 4 and not any(cell["outputs"] for cell in notebook)
        cells = "\n".join("".join(cell["source"]) for cell in notebook)
        asked(python, "-c", cells)
