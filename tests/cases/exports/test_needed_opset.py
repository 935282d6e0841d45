"""Without --opset a model has the lowest from 18 on that its operators need."""

import onnx
import torch
from torch import Tensor

from harness import EXIT_OK, EXIT_UNSUPPORTED, EXIT_USAGE, case, run, scratch
from numbers_check import assert_close, session
from test_bad_input import check_line


class Volume(torch.nn.Module):
    def forward(self, x: Tensor, grid: Tensor):
        return torch.nn.functional.grid_sample(x, grid, align_corners=False)


class Plain(torch.nn.Module):
    def forward(self, x: Tensor, grid: Tensor):
        return x.sum() + grid


GIVEN = ("--input", "x:float32[n=1,2,3,4,5]", "--input", "grid:float32[n=1,2,3,4,3]")


def export(kind: type, folder, *options) -> tuple:
    module, file, out = torch.jit.script(kind()), folder / "m.pt", folder / "m.onnx"
    module.save(str(file))
    return module, out, run(file, "--out", out, *GIVEN, *options)


def opset_of(path) -> int:
    return onnx.load(path).opset_import[0].version


@case
def later() -> None:
    with scratch() as folder:
        module, out, result = export(Volume, folder)
        assert result.returncode == EXIT_OK, result.stderr
        assert "opset 20: aten::grid_sampler needs it" in result.stderr, result.stderr
        assert opset_of(out) == 20
        arrays = [torch.rand(3, 2, 3, 4, 5), torch.rand(3, 2, 3, 4, 3)]
        feeds = {name: array.numpy() for name, array in zip(("x", "grid"), arrays)}
        assert_close(session(out).run(None, feeds), [module(*arrays).numpy()], "a volume")


@case
def lowest() -> None:
    with scratch() as folder:
        _, out, result = export(Plain, folder)
        assert result.returncode == EXIT_OK and "opset" not in result.stderr, result.stderr
        assert opset_of(out) == 18


@case
def chosen() -> None:
    with scratch() as folder:
        _, out, result = export(Volume, folder, "--opset", "18")
        check_line(result, EXIT_UNSUPPORTED, "sampling a volume needs opset 20")
        assert not out.exists()


@case
def ir_version() -> None:
    """A requested one may be too low for the opset that operators need."""
    with scratch() as folder:
        _, out, result = export(Volume, folder, "--quiet", "--ir-version", "8")
        check_line(result, EXIT_USAGE, "IR version 8 is asked for, and the model needs 9 (opset 20)")
        assert not out.exists()
        _, out, result = export(Volume, folder)
        assert result.returncode == EXIT_OK and onnx.load(out).ir_version == 9, result.stderr
