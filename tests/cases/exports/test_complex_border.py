"""Complex inputs and outputs: real tensors with the real and the imaginary part in a last dim of 2."""

import json
from typing import Dict, List

import numpy
import onnx
import torch
from torch import Tensor, nn

from harness import EXIT_OK, EXIT_USAGE, case, export, run, scratch
from numbers_check import assert_close, session
from test_bad_input import check_line


class Inner(nn.Module):
    def forward(self, z: Tensor) -> Tensor:
        return z * z.conj() + 1


class Plain(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("w", torch.tensor([1 + 2j, 3 - 1j, -2j]))
        self.inner = Inner()

    def forward(self, x: Tensor):
        y = self.inner(x * self.w)
        return y, self.w, y.real


class Parts(nn.Module):
    def forward(self, x: Dict[str, Tensor], y: List[Tensor]):
        return x["p"] + y[0], torch.abs(y[1])


class Controlled(nn.Module):
    """Complex numbers go into branches and loops, and out of them."""

    def forward(self, x: Tensor, n: Tensor):
        if bool(n > 2):
            y = x * x
        else:
            y = x + 1
        for _ in range(int(n)):
            y = y * x
        return y


def saved(module: nn.Module, folder, is_script: bool = False):
    module.eval()
    x = torch.zeros(2, 3, dtype=torch.complex64)
    torch.manual_seed(1)
    made = torch.jit.script(module) if is_script else torch.jit.trace(module, (x,))
    torch.jit.save(made, folder / "model.pt")
    return folder / "model.pt"


def pairs(tensor: Tensor) -> numpy.ndarray:
    return torch.view_as_real(tensor.resolve_conj()).numpy() if tensor.is_complex() else tensor.numpy()


def check_numbers(model, module, *inputs) -> None:
    runner = session(model)
    names = [argument.name for argument in runner.get_inputs()]
    leaves = [leaf for value in inputs for leaf in
              (value.values() if isinstance(value, dict) else value if isinstance(value, list) else [value])]
    wanted = module(*inputs)
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    got = runner.run(None, dict(zip(names, map(pairs, leaves))))
    for one, other in zip(got, wanted, strict=True):
        assert_close([one], [pairs(other)], "complex border")


def shape(value) -> list:
    return [dim.dim_param or dim.dim_value for dim in value.type.tensor_type.shape.dim]


def properties(path) -> dict:
    return {p.key: p.value for p in onnx.load(path).metadata_props}


@case
def border_is_told():
    """In notes, in the JSON, in the metadata, and by inspect of both files."""
    with scratch() as folder:
        file, out = saved(Plain(), folder), folder / "model.onnx"
        result = run(file, "--out", out, "--input", "x:complex64[n=2,3]", "--json")
        assert result.returncode == EXIT_OK, result.stderr
        assert "input x is complex: the model takes its real and imaginary parts in a last dim of 2" in result.stderr
        assert "output output_0 is complex: the model gives" in result.stderr
        told = json.loads(result.stdout)
        assert [v.get("complex") for v in told["inputs"] + told["outputs"]] == [True, True, True, None]
        model = onnx.load(out)
        assert shape(model.graph.input[0]) == ["n", 3, 2], model.graph.input[0]
        assert shape(model.graph.output[0]) == ["n", 3, 2]
        onnx.checker.check_model(model, full_check=True)
        assert properties(out)["htp.complex_inputs"] == '["x"]'
        assert properties(out)["htp.complex_outputs"] == '["output_0", "output_1"]'
        seen = json.loads(run("inspect", out, "--json").stdout)
        assert [v.get("complex") for v in seen["inputs"] + seen["outputs"]] == [True, True, True, None]
        assert "x: float32[n,3,2], of complex numbers" in run("inspect", out).stdout
        before = json.loads(run("inspect", file, "--json").stdout)
        assert [v["complex"] for v in before["inputs"]] == [True], before["inputs"]
        x = torch.randn(4, 3, dtype=torch.complex64)
        check_numbers(out, Plain(), x)


@case
def border_goes_with_functions_and_parts():
    with scratch() as folder:
        file, out = saved(Plain(), folder), folder / "model.onnx"
        flags = ("--input", "x:complex64[n=2,3]")
        export(file, out, *flags, "--functions", "Inner")
        assert properties(out)["htp.complex_inputs"] == '["x"]'
        check_numbers(out, Plain(), torch.randn(2, 3, dtype=torch.complex64))
        export(file, out, *flags)
        for arguments in (("extract", out, "--module", "inner", "--out", folder / "part.onnx"),
                          ("compare", out, out), ("validate", out), ("strip", out, "--out", folder / "bare.onnx")):
            result = run(*arguments)
            assert result.returncode == EXIT_OK, (arguments, result.stderr, result.stdout)
        onnx.checker.check_model(onnx.load(folder / "part.onnx"), full_check=True)
        export(file, folder / "none.onnx", *flags, "--tags", "none")
        assert (folder / "none.onnx").read_bytes() == (folder / "bare.onnx").read_bytes()


@case
def parts_are_complex():
    with scratch() as folder:
        file, out = saved(Parts(), folder, True), folder / "model.onnx"
        export(file, out, "--input", "x.p:complex64[n=2,3]", "--input", "y.0:complex128[n=2,3]",
               "--input", "y.1:complex64[3]")
        assert properties(out)["htp.complex_inputs"] == '["x_p", "y_0", "y_1"]'
        single, double = torch.randn(5, 3, dtype=torch.complex64), torch.randn(5, 3, dtype=torch.complex128)
        check_numbers(out, Parts(), {"p": single}, [double, single[0]])


@case
def blocks_carry_complex():
    with scratch() as folder:
        file, out = saved(Controlled(), folder, True), folder / "model.onnx"
        export(file, out, "--input", "x:complex64[n=2,3]", "--input", "n:int64[]=3")
        for n in (0, 1, 3):
            check_numbers(out, Controlled(), torch.randn(4, 3, dtype=torch.complex64), torch.tensor(n))


@case
def arrays_are_complex():
    with scratch() as folder:
        file, out = saved(Plain(), folder), folder / "model.onnx"
        numpy.save(folder / "x.npy", numpy.zeros((2, 3), numpy.complex64))
        numpy.savez(folder / "x.npz", x=numpy.zeros((2, 3), numpy.complex128))
        export(file, out, "--input", f"x:@{folder}/x.npy")
        assert shape(onnx.load(out).graph.input[0]) == [2, 3, 2]
        export(file, out, "--inputs", folder / "x.npz")
        assert onnx.load(out).graph.input[0].type.tensor_type.elem_type == onnx.TensorProto.DOUBLE


@case
def halves_are_refused():
    with scratch() as folder:
        file = saved(Plain(), folder)
        result = run(file, "--out", folder / "model.onnx", "--input", "x:complex32[2,3]")
        check_line(result, EXIT_USAGE, "next to nothing with complex32; pass complex64")
