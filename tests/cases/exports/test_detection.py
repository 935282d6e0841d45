"""Detection models: the number of detections, and suppression, are data-dependent."""

from pathlib import Path

import numpy
import onnx

import numbers_check
from harness import DEBIAN_PYTHON, EXIT_OK, INTO, case, made_by, run, scratch, skip_unless
from skips import VISION

MAKER = Path(__file__).resolve().parents[2] / "custom" / "detection.py"


def flags() -> tuple:
    return ("--load-library", VISION[0], "--input", ":float32[3,80,90]")


def made() -> Path:
    return made_by((MAKER,), INTO, python=DEBIAN_PYTHON)


@case
def detections() -> None:
    """The same number as in libtorch, in the same order, for every image."""
    skip_unless("torchvision")
    paths = sorted(made().glob("*.pt"))
    assert paths, "nothing was made"
    for path in paths:
        arrays = dict(numpy.load(path.with_suffix(".npz")))
        with scratch() as folder:
            out = folder / "x.onnx"
            result = run(path, "--out", out, *flags())
            assert result.returncode == EXIT_OK, result.stderr
            onnx.checker.check_model(onnx.load(out), full_check=True)
            session = numbers_check.session(out)
            for number in sorted({key.split("/")[0] for key in arrays}):
                got = session.run(None, {session.get_inputs()[0].name: arrays[f"{number}/input/0"]})
                for k, array in enumerate(got):
                    wanted = arrays[f"{number}/output/{k}"]
                    where = f"{path.stem}, image {number}, output {k}"
                    assert array.shape == wanted.shape, f"{where}: {array.shape}, not {wanted.shape}"
                    numpy.testing.assert_allclose(array, wanted, 1e-3, 1e-3, err_msg=where)
