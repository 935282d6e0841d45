"""What an export says of the smallest sizes of its dynamic axes."""

import torch
from torch import nn

from harness import EXIT_OK, case_for_each, run, scratch


class Beginning(nn.Module):
    """One side of a branch, which sizes from 2 on do not reach, raises for them, and not for 1."""

    def forward(self, x):
        last = x[-2:]
        if bool(x.sum() > 0):
            if last.size(0) > 2:
                last = last + last.repeat(2)
        return last * 2


class Narrowing(nn.Module):
    """Takes nothing below 3; neither does its file."""

    def __init__(self):
        super().__init__()
        self.narrow = nn.Conv1d(1, 2, 3)

    def forward(self, x):
        return self.narrow(x[None])


# Name: the module, the inputs, and whether the export mentions the smallest sizes.
SMALLEST = {
    "beginning": (Beginning, "x:float32[length=4]", True),
    "narrowing": (Narrowing, "x:float32[1,length=4]", False),
}


@case_for_each(SMALLEST)
def what_holds_from_2_on_is_told(name: str) -> None:
    make_module, flag, is_told = SMALLEST[name]
    with scratch() as folder:
        torch.jit.save(torch.jit.script(make_module().eval()), str(folder / "model.pt"))
        result = run(folder / "model.pt", "--out", folder / "model.onnx", "--input", flag)
        assert result.returncode == EXIT_OK, result.stderr
        told = "the dynamic axes are for sizes from 2 on; at 1, aten::" in result.stderr
        assert told == is_told, result.stderr


class Squeezed(nn.Module):
    """The convolution takes no tiny sizes, so that what squeeze() does at 1 is not seen."""

    def __init__(self, *dims):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3)
        self.dims = dims

    def forward(self, x):
        x = self.conv(x).mean((2, 3), True)
        for dim in self.dims:
            x = x.squeeze(dim)
        return x if self.dims else x.squeeze()


@case_for_each(("all", "batch", "others"))
def squeezed_dims_are_told(name: str) -> None:
    dims = {"all": (), "batch": (0,), "others": (3, 2)}[name]
    with scratch() as folder:
        model = torch.jit.trace(Squeezed(*dims).eval(), torch.rand(2, 1, 8, 8))
        torch.jit.save(model, str(folder / "model.pt"))
        result = run(folder / "model.pt", "--out", folder / "model.onnx")
        assert result.returncode == EXIT_OK, result.stderr
        is_told = "in forward() keeps dims of dynamic sizes, which libtorch removes" in result.stderr
        assert is_told == (name != "others"), result.stderr
