"""Outputs appear complete, whatever happens to the program, to its input and to the folder."""

import json
import resource
import shutil
import stat
import subprocess
from pathlib import Path

import numpy
import onnx
import onnxruntime
import torch
from torch import nn

import faulty
from compiled import save
from harness import (
    EXIT_BAD_INPUT, EXIT_CANNOT_WRITE, EXIT_OK, EXIT_USAGE, PROGRAM, case, case_for_each, export, run, scratch,
)

FEATURES = 256
INPUT = ["--input", f":float32[n=2,{FEATURES}]"]
ALWAYS = ["--external-data", "always", *INPUT]
NEVER = ["--external-data", "never", *INPUT]
LEFT = ".htp-trace-1-0.tmp"


class Scaled(nn.Module):
    """256 KB of weights, enough to be left in the file until they are written."""

    def __init__(self, value: float, turned: bool):
        super().__init__()
        weight = torch.arange(FEATURES * FEATURES).reshape(FEATURES, FEATURES) / 1000 + value
        self.weight = nn.Parameter(weight.t() if turned else weight)

    def forward(self, x):
        return x @ self.weight


def make(path: Path, value: float, turned: bool = False) -> Path:
    return save(Scaled(value, turned), (torch.ones(2, FEATURES),), "traced", path)


def weight_of(out: Path) -> numpy.ndarray:
    """The weight of a model that onnx and ONNX Runtime load."""
    model = onnx.load(str(out))
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(out), options)
    weight = max((onnx.numpy_helper.to_array(w) for w in model.graph.initializer), key=lambda w: w.size)
    x = numpy.eye(FEATURES, dtype=numpy.float32)
    result = session.run(None, {session.get_inputs()[0].name: x})[0]
    numpy.testing.assert_allclose(result, weight, rtol=1e-5)
    return weight


def names(folder: Path) -> list:
    return sorted(path.name for path in folder.iterdir())


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def run_changed(action: str, call: str, *arguments, folder: Path) -> subprocess.CompletedProcess:
    """Runs the program; an input changes right before its first call of a function: tests/faults/acts.h."""
    words = [str(word) for word in arguments]
    with scratch() as apart:
        shutil.copytree(folder, apart / "listed")
        listed = [word.replace(str(folder), str(apart / "listed")) for word in words]
        _, places = faulty.run_program(listed, apart, "list")
        place = next(place for place in places if place.call == call)
        result, acted = faulty.run_program(words, apart, f"at:{place.name}:{action}")
    assert len(acted) == 1, acted
    return result


# ---- which names there are -------------------------------------------------------------------------


@case
def data_files_take_turns():
    """Each model has the location of its weights, and so has the output."""
    with scratch() as folder:
        pts = folder / "pts"
        pts.mkdir()
        out = folder / "outs" / "m.onnx"
        out.parent.mkdir()
        for i, data in enumerate(["m.onnx.data", "m.onnx.1.data", "m.onnx.data"]):
            pt = make(pts / f"{i}.pt", float(i))
            result = export(pt, out, *ALWAYS, "--json")
            summary = json.loads(result.stdout)
            assert summary["external_file"] == str(out.with_name(data)), summary
            assert names(out.parent) == ["m.onnx", data]
            assert weight_of(out)[0, 0] == i
            assert ("m.onnx.1.data" in result.stderr) == (data == "m.onnx.1.data"), result.stderr
        bytes_before = out.read_bytes()
        export(pt, out, *ALWAYS)  # the same once more
        assert names(out.parent) == ["m.onnx", "m.onnx.data"] and out.read_bytes() == bytes_before
        summary = json.loads(export(pt, out, *NEVER, "--json").stdout)
        assert summary["external_file"] is None and names(out.parent) == ["m.onnx"]


@case
def two_empty_folders_get_equal_files():
    with scratch() as folder:
        pt = make(folder / "m.pt", 1.0)
        for name in ("a", "b"):
            (folder / name).mkdir()
            export(pt, folder / name / "m.onnx", *ALWAYS)
        for name in ("m.onnx", "m.onnx.data"):
            assert (folder / "a" / name).read_bytes() == (folder / "b" / name).read_bytes()


@case
def data_of_another_program_stays():
    """Such as that of PyTorch's exporter, whose data files have the same names."""
    with scratch() as folder:
        pt = make(folder / "m.pt", 1.0)
        out = folder / "out" / "m.onnx"
        out.parent.mkdir()
        export(pt, out, *NEVER)
        model = onnx.load(str(out))
        model.producer_name = "pytorch"
        onnx.save(model, str(out), save_as_external_data=True, location="m.onnx.data", size_threshold=0)
        before = (out.parent / "m.onnx.data").read_bytes()
        export(make(folder / "n.pt", 2.0), out, *ALWAYS)
        assert names(out.parent) == ["m.onnx", "m.onnx.1.data", "m.onnx.data"]
        assert (out.parent / "m.onnx.data").read_bytes() == before
        assert weight_of(out)[0, 0] == 2


@case_for_each(["m.onnx.data", "m.onnx.1.data"])
def data_file_is_the_input(name):
    with scratch() as folder:
        pt = make(folder / name, 1.0)
        before = pt.read_bytes()
        result = run(pt, "--out", folder / "m.onnx", *ALWAYS)
        assert result.returncode == EXIT_USAGE, result.stderr
        assert pt.read_bytes() == before and names(folder) == [name]


@case
def data_file_is_another_input():
    """Of several models, one is read after the other's weights were written over it."""
    with scratch() as folder:
        first = make(folder / "a.pt", 1.0)
        second = make(folder / "a.onnx.data", 2.0)
        before = second.read_bytes()
        result = run(first, second, "--out-dir", folder, *ALWAYS)
        assert result.returncode == EXIT_USAGE and "one of the inputs" in result.stderr, result.stderr
        assert second.read_bytes() == before and names(folder) == ["a.onnx.data", "a.pt"]


# ---- leftovers ----------------------------------------------------------------------------------------


@case
def leftovers_of_the_dead_go():
    with scratch() as folder:
        pt = make(folder / "m.pt", 1.0)
        (folder / LEFT).write_bytes(b"left")
        (folder / ".htp-trace-1-x.tmp").write_bytes(b"another one's")
        export(pt, folder / "m.onnx", *INPUT)
        assert names(folder) == [".htp-trace-1-x.tmp", "m.onnx", "m.pt"]


# ---- inputs that change ----------------------------------------------------------------------------


@case_for_each([(turned, call, flags) for turned in (False, True) for call in ("fallocate", "fsync")
                for flags in ("always", "never")],
               name=lambda p: f"{'turned' if p[0] else 'plain'}_{p[1]}_{p[2]}")
def input_is_cut(parameters):
    """Before its weights are written, and after them: no crash, and the old output stays."""
    turned, call, external = parameters
    with scratch() as folder:
        pt = make(folder / "m.pt", 1.0, turned)
        out = folder / "m.onnx"
        out.write_bytes(b"an earlier result")
        flags = ["--external-data", external, *INPUT]
        result = run_changed(f"cut:{pt}", call, pt, "--out", out, "--quiet", *flags, folder=folder)
        assert result.returncode == EXIT_BAD_INPUT, (result.returncode, result.stderr)
        assert result.stderr == f"htp-trace: {pt}: the file was cut short while it was read\n"
        assert out.read_bytes() == b"an earlier result" and names(folder) == ["m.onnx", "m.pt"]


@case
def input_is_changed():
    with scratch() as folder:
        pt = make(folder / "m.pt", 1.0)
        result = run_changed(f"touch:{pt}", "fallocate", pt, "--out", folder / "m.onnx", "--quiet", *INPUT,
                             folder=folder)
        assert result.returncode == EXIT_BAD_INPUT, (result.returncode, result.stderr)
        assert "was changed while it was read" in result.stderr and names(folder) == ["m.pt"]


@case
def input_is_replaced():
    """Its old contents are there as long as they are read."""
    with scratch() as folder:
        pt, other = make(folder / "m.pt", 1.0), make(folder / "n.pt", 2.0)
        result = run_changed(f"replace:{pt}:{other}", "fallocate", pt, "--out", folder / "m.onnx", "--quiet", *INPUT,
                             folder=folder)
        assert result.returncode == EXIT_OK, result.stderr
        assert weight_of(folder / "m.onnx")[0, 0] == 1 and names(folder) == ["m.onnx", "m.pt"]


# ---- outputs that cannot grow, and old files --------------------------------------------------


@case_for_each(["always", "never"])
def file_sizes_are_limited(external):
    with scratch() as folder:
        pt = make(folder / "m.pt", 1.0)
        out = folder / "m.onnx"
        out.write_bytes(b"an earlier result")
        limit = (1 << 17, 1 << 17)
        result = run(pt, "--out", out, "--external-data", external, *INPUT,
                     preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit))
        assert result.returncode == EXIT_CANNOT_WRITE, (result.returncode, result.stderr)
        assert "File too large" in result.stderr and "ulimit" in result.stderr, result.stderr
        assert out.read_bytes() == b"an earlier result" and names(folder) == ["m.onnx", "m.pt"]


@case
def printing_is_limited():
    """Also for a file as standard output."""
    with scratch() as folder:
        limit = (100, 100)
        with open(folder / "printed", "wb") as printed:
            result = subprocess.run(
                [str(PROGRAM), "ops"], stdout=printed, stderr=subprocess.PIPE,
                text=True, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit))
        assert result.returncode == EXIT_CANNOT_WRITE, (result.returncode, result.stderr)
        assert "standard output" in result.stderr, result.stderr


@case_for_each([0o600, 0o640], name=oct)
def modes_stay(wanted):
    with scratch() as folder:
        pts = [make(folder / f"{i}.pt", float(i)) for i in range(2)]
        out = folder / "out" / "m.onnx"
        out.parent.mkdir()
        export(pts[0], out, *ALWAYS)
        for path in out.parent.iterdir():
            path.chmod(wanted)
        export(pts[1], out, *ALWAYS)
        assert [mode(path) for path in out.parent.iterdir()] == [wanted] * 2
        export(pts[1], out, *NEVER)
        assert mode(out) == wanted
        export(pts[0], out, *ALWAYS)  # the data had been in the model
        assert [mode(path) for path in out.parent.iterdir()] == [wanted] * 2


@case
def dangling_link_is_followed():
    with scratch() as folder:
        pt = make(folder / "m.pt", 1.0)
        (folder / "d").mkdir()
        (folder / "link.onnx").symlink_to("d/m.onnx")
        export(pt, folder / "link.onnx", *ALWAYS)
        assert (folder / "link.onnx").is_symlink()
        assert names(folder / "d") == ["m.onnx", "m.onnx.data"]


@case
def standard_output_is_a_pipe():
    """Nothing is synchronised there."""
    with scratch() as folder:
        pt = make(folder / "m.pt", 1.0)
        command = [str(PROGRAM), str(pt), "--out", "/dev/stdout", *INPUT]
        result = subprocess.run(command, capture_output=True, cwd=folder)
        assert result.returncode == EXIT_OK, result.stderr
        export(pt, folder / "m.onnx", *INPUT)
        assert result.stdout == (folder / "m.onnx").read_bytes()
        assert names(folder) == ["m.onnx", "m.pt"]


@case
def exports_at_the_same_time():
    with scratch() as folder:
        pts = [make(folder / f"{i}.pt", float(i)) for i in range(4)]
        out = folder / "out" / "m.onnx"
        out.parent.mkdir()
        command = [str(PROGRAM), "--out", str(out), "--quiet"]
        started = [subprocess.Popen([*command, str(pt), *(NEVER if i == 2 else ALWAYS)])
                   for i, pt in enumerate(pts)]
        assert [process.wait(timeout=120) for process in started] == [EXIT_OK] * 4
        value = weight_of(out)[0, 0]
        assert value in range(4)
        assert len(names(out.parent)) == (1 if value == 2 else 2), names(out.parent)
