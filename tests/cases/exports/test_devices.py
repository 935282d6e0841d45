"""Files saved on a GPU: exports have no device, and equal those of the same file saved on the CPU."""

import filecmp
import re
import tempfile
from pathlib import Path

import numpy
import onnxruntime

from device_files import moved, rewritten
from harness import (
    EXIT_BAD_INPUT, EXIT_OK, EXIT_UNSUPPORTED, INTO, ROOT, VENV_PYTHON, case, case_for_each,
    case_for_each_model, export, exported, input_flags, made_by, run, scratch, skip_unless,
    skip_unless_loadable, torchscript,
)
from models.table import ALL
from numbers_check import session

CUSTOM = ROOT / "tests" / "custom"
# Names of libtorch's, with and without an index; of some versions of it; of a backend that renamed itself.
DEVICES = ("cuda:0", "cuda", "cuda:1", "mps", "xpu", "hip:0", "privateuseone:0", "mtia:0", "npu:0", "own:3")
MAKES = [f"{name}-{dtype}" for name in ("makes", "makes-traced", "alone") for dtype in ("float32", "float16")]
SMALL = [model for model in ALL.values() if model.committed]
ZOO = ("llama.sdpa", "deberta-v2.eager", "swin.eager")
X = numpy.arange(1, 9, dtype="float32").reshape(2, 4)
RAW = re.compile(r"Could not run|backend|Expected one of|stoi|c10|device string")


def made() -> Path:
    return made_by((CUSTOM / "devices.py",), INTO)


def expect_same(old: Path, device: str, folder: Path, expected: Path, *flags, in_code: str = "") -> None:
    new = moved(old, folder / "moved.pt", device, in_code)
    with tempfile.TemporaryDirectory(dir=folder) as apart:
        out = Path(apart) / expected.name  # for a model with its weights beside it
        export(new, out, *flags)
        for found in sorted(Path(apart).iterdir()):  # weights may be beside the model
            assert filecmp.cmp(found, expected.with_name(found.name), shallow=False), f"{found.name} for {device}"


def outputs(folder: Path, name: str, device: str, *flags) -> list:
    out = folder / "model.onnx"
    export(moved(made() / f"{name}.pt", folder / "moved.pt", device), out, *flags)
    return [value.tolist() for value in session(out).run(None, {"x": X})]


# ---- no device is left -----------------------------------------------------------------------------


@case_for_each_model(model for model in ALL.values() if model.name != "bert-1024-layers")  # as that of 256
def sample_models_are_exported_as_from_the_cpu(model):
    skip_unless_loadable(model)
    with scratch() as folder:
        expect_same(torchscript(model), "cuda:0", folder, exported(model), *input_flags(model))


@case_for_each_model(SMALL)
def so_they_are_from_any_device(model):
    with scratch() as folder:
        for device in DEVICES[1:]:
            expect_same(torchscript(model), device, folder, exported(model), *input_flags(model))


@case_for_each(MAKES)
def whatever_makes_tensors(name):
    with scratch() as folder:
        old, expected = made() / f"{name}.pt", folder / "cpu.onnx"
        export(old, expected)
        for device in "cuda:0", "cuda", "mps", "npu:0":
            expect_same(old, device, folder, expected)


@case
def quantised_weights():
    """If libtorch computes with them in a way that can be exported."""
    with scratch() as folder:
        results = []
        for device in "cpu", "cuda:0", "npu:0":
            out = folder / "model.onnx"
            new = moved(made() / "quantised.pt", folder / "moved.pt", device)
            result = run(new, "--out", out, "--input", "input:float32[batch=2,4]")
            results.append((result.returncode, result.stderr, out.read_bytes() if out.exists() else b""))
            out.unlink(missing_ok=True)
        assert results[0][0] == EXIT_OK or "ONEDNN" in results[0][1], results[0][1]
        assert results[1:] == results[:1] * 2, results


@case
def storages_and_code_need_not_agree():
    """Saved on one device, moved to another one, or to the CPU."""
    with scratch() as folder:
        for name in MAKES[:4]:
            old, expected = made() / f"{name}.pt", folder / "cpu.onnx"
            export(old, expected)
            expect_same(old, "cpu", folder, expected, in_code="cuda:0")
            expect_same(old, "cuda:1", folder, expected, in_code="cuda:0")


@case_for_each(ZOO)
def architectures_of_the_zoo(name):
    if name.endswith(".sdpa"):
        skip_unless("aten::scaled_dot_product_attention")
    source = CUSTOM / "device_zoo.py"
    folder = made_by((source,), INTO, *ZOO, python=VENV_PYTHON)
    with scratch() as into:
        for dtype in "float32", "float16":
            old, expected = folder / f"{name}-{dtype}.pt", into / "cpu.onnx"
            export(old, expected)
            expect_same(old, "cuda:0", into, expected)


# ---- queries of programs -----------------------------------------------------------------------------


def told(cuda: int, index: int, text: str, **more) -> list:
    """The queries of tests/custom/devices.py, in order, for a file saved on a device."""
    home = {"zero": 0, "factory": cuda, "weak": cuda, "cpu": 0, "moved": 1, "like": cuda, "first": cuda,
            "default": 1, **more}
    return [cuda, cuda, home["first"], 0, 0, home["default"], index, index, len(text), home["zero"],
            home["factory"], home["weak"], cuda, home["cpu"], home["moved"], home["like"]]


ASKED = {
    "cpu": told(0, -1, "cpu"),
    "cuda:0": told(1, 0, "cuda:0"),
    "cuda:1": told(1, 1, "cuda:1", first=0),
    "cuda": told(1, 0, "cuda:0", default=0),  # tensors have an index, names need not
    "mps": told(0, 0, "mps:0", default=0),
    "npu:0": told(0, 0, "npu:0"),
}


@case_for_each(ASKED)
def questions_are_answered_as_where_it_was_saved(device):
    with scratch() as folder:
        found = outputs(folder, "asks", device)[0]
        assert found == ASKED[device], f"{found}, not {ASKED[device]}"


@case
def what_stands_for_several_is_where_they_are():
    """Sizes of tensors on any device are on the CPU."""
    home = [3, 4, 9, 11]  # the others do without the device
    with scratch() as folder:
        for device in "cpu", "cuda:0":
            found = outputs(folder, "meets", device)[0]
            expected = [float(device != "cpu" and place in home) for place in range(14)]
            assert found == expected, f"{device}: {found}, not {expected}"


@case_for_each(("branch", "loop", "list"))
def what_the_data_puts_anywhere_is_not_told(joined):
    """It can still be moved; the result may be the tensor itself."""
    with scratch() as folder:
        out = folder / "model.onnx"
        for asked in "device", "cpu", "to", "changed":
            new = moved(made() / f"{joined}-{asked}.pt", folder / "moved.pt", "cuda:0")
            if asked in ("device", "changed"):
                result = run(new, "--out", out)
                assert result.returncode == EXIT_UNSUPPORTED, f"{asked}: {result.stderr}"
                assert asked == "changed" or "puts on one device or another" in result.stderr, result.stderr
            else:
                found = [outputs(folder, f"{joined}-{asked}", device) for device in ("cuda:0", "cpu")]
                assert found[0] == found[1], asked


@case
def what_a_call_leaves_is_where_it_was_put():
    with scratch() as folder:
        result = run(moved(made() / "keeps.pt", folder / "moved.pt", "cuda:0"), "--out", folder / "model.onnx")
        assert result.returncode == EXIT_UNSUPPORTED and "first call" in result.stderr, result.stderr
        export(made() / "keeps.pt", folder / "cpu.onnx")


@case
def branches_are_those_of_the_device():
    """For a file without weights, the code shows where it was saved."""
    with scratch() as folder:
        assert outputs(folder, "branches", "cpu") == [(X + 10).tolist()]
        assert outputs(folder, "branches", "cuda:0") == [(X * 2).tolist()]
        assert outputs(folder, "branches", "mps:0") == [X.tolist()]


@case
def what_is_compared_with_tells_nothing():
    with scratch() as folder:
        assert outputs(folder, "compares", "cpu") == [(X + 10).tolist()]


@case
def what_is_moved_is_a_copy():
    with scratch() as folder:
        assert outputs(folder, "copies", "cpu") == [(X + 11).tolist()] * 3
        assert outputs(folder, "copies", "cuda:0") == [X.tolist(), (X + 1).tolist(), (X + 10).tolist()]


@case
def pinned_memory_is_memory():
    with scratch() as folder:
        for device in "cpu", "cuda:0":
            assert outputs(folder, "pins", device) == [(X + 1).tolist()]
        result = run(made() / "askspinned.pt", "--out", folder / "model.onnx")
        assert result.returncode == EXIT_UNSUPPORTED and "which is in no file" in result.stderr, result.stderr


@case
def casts_of_autocast_are_what_they_are():
    types = {"cpu": ["float", "float", "float"], "cuda:0": ["float16", "float", "float"], "mps": ["float"] * 3}
    with scratch() as folder:
        for device, expected in types.items():
            outputs(folder, "casts", device)
            found = onnxruntime.InferenceSession(str(folder / "model.onnx")).get_outputs()
            assert [value.type for value in found] == [f"tensor({name})" for name in expected], device


@case
def restored_objects_are_asked_too():
    with scratch() as folder:
        for device, scale in {"cpu": 1, "cuda:0": 15, "cuda:1": 3, "mps": 1, "own:2": 1}.items():
            assert outputs(folder, "restored", device) == [(X * scale + 1).tolist()], device


@case
def restored_objects_copy_what_they_move():
    with scratch() as folder:
        assert outputs(folder, "restoredapart", "cpu") == [(X * 2 + 2).tolist()]
        assert outputs(folder, "restoredapart", "cuda:0") == [(X + 2).tolist()]
        for name, reason in ("restoredasks", "behind tensors on"), ("restoredunsure", "behind moves"):
            outputs(folder, name, "cpu")
            result = run(moved(made() / f"{name}.pt", folder / "moved.pt", "cuda:0"), "--out", folder / "model.onnx")
            assert result.returncode == EXIT_UNSUPPORTED and reason in result.stderr, result.stderr


# ---- other commands --------------------------------------------------------------------------------


@case
def other_commands_see_the_same():
    """Except for the names of devices in signatures."""
    with scratch() as folder:
        model = ALL["bert-tiny"]
        old, onnx = torchscript(model), exported(model)
        new = moved(old, folder / "bert-tiny.pt", "cuda:0")
        for arguments in (("inspect", "{}"), ("inspect", "{}", "--json"), ("{}", "--dump-graph"),
                          ("{}", "--dump-graph", "--method", "forward"),
                          ("quality", onnx, "--reference", "{}")):
            results = [run(*(str(a).format(pt) for a in arguments)) for pt in (old, new)]
            assert results[0].returncode == results[1].returncode == EXIT_OK, results[1].stderr
            texts = [r.stdout.replace(str(pt), "").replace("cuda:0", "cpu") for r, pt in zip(results, (old, new))]
            texts = [re.sub(r"(?m)^reference .*", "", text) for text in texts]
            assert texts[0] == texts[1], "\n".join(texts)


@case
def states_of_a_gpu():
    folder = made_by((CUSTOM / "state.py",), INTO)
    with scratch() as into:
        for old in sorted(folder.glob("*.pt"))[:4]:
            results = []
            for device in "cpu", "cuda:0":
                out = into / f"{device}.onnx"
                result = run(moved(old, into / "moved.pt", device), "--out", out, "--json")
                results.append((result.returncode, out.read_bytes() if out.exists() else b""))
                out.unlink(missing_ok=True)
            assert results[0] == results[1], old.name


# ---- invalid devices -----------------------------------------------------------------------------

NO_DEVICES = ("nosuch:3", "cuda:-1", "cuda:99999999999", "cuda:200", "", "cuda:", ":0", "cuda:0:0", "x" * 100000)


def with_code(name: str, folder: Path, device: str) -> Path:
    """Another device only in the code."""

    def change(record: str, content: bytes) -> bytes | None:
        if record.endswith(".py"):
            return content.replace(b'torch.device("cpu")', b'torch.device("' + device.encode() + b'")')
        return None if record.endswith(".debug_pkl") else content

    return rewritten(made() / f"{name}.pt", folder / "code.pt", change)


def expect_refusal(result, codes: tuple, device: str) -> None:
    assert result.returncode in codes, f"{device[:20]}: exit code {result.returncode}\n{result.stderr}"
    lines = result.stderr.strip().splitlines()
    assert lines and "device" in lines[-1] and len(lines[-1]) < 500, lines
    assert not RAW.search(lines[-1]), lines[-1]


@case_for_each(NO_DEVICES, name=lambda device: device[:20])
def what_is_no_device_is_refused(device):
    with scratch() as folder:
        out = folder / "model.onnx"
        # In running code, in a default, which is computed when the file is read, and in an attribute.
        for name in "alone-float32", "asks":
            result = run(with_code(name, folder, device), "--out", out)
            expect_refusal(result, (EXIT_UNSUPPORTED, EXIT_BAD_INPUT), device)
        attribute = moved(made() / "makes-float32.pt", folder / "attribute.pt", device, "cpu")
        if device != "nosuch:3":  # which storages are on
            expect_refusal(run(attribute, "--out", out), (EXIT_BAD_INPUT,), device)
        assert not out.exists()


@case_for_each((*NO_DEVICES, "nosuch"), name=lambda device: device[:20])
def storages_may_be_anywhere(device):
    with scratch() as folder:
        model = ALL["transformer-traced"]
        expect_same(torchscript(model), device, folder, exported(model), *input_flags(model), in_code="cpu")
