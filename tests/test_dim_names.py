"""The names of dims are formulas of the inputs' axes: Python computes from them the sizes that
tensors have, at other sizes, too."""

import itertools
import re

import onnx
import torch
from torch import nn
from torch.nn import functional

from harness import EXIT_OK, case_for_each, run, scratch
from numbers_check import session


class Patches(nn.Module):
    """Patches and a class token."""

    def __init__(self):
        super().__init__()
        self.cut = nn.Conv2d(3, 8, 4, 4)
        self.token = nn.Parameter(torch.zeros(1, 1, 8))
        self.mix = nn.Linear(8, 8)

    def forward(self, x):
        x = self.cut(x).flatten(2).transpose(1, 2)
        x = torch.cat((self.token.expand(x.shape[0], -1, -1), x), 1)
        x = self.mix(x).view(x.shape[0], x.shape[1], 2, 4).transpose(1, 2)
        return x, x[:, :, 1:]


class Skips(nn.Module):
    """Down twice, and up again beside what came before."""

    def __init__(self):
        super().__init__()
        self.down = nn.Conv2d(3, 3, 3, 2, 1)
        self.up = nn.ConvTranspose2d(3, 3, 2, 2)

    def forward(self, x):
        half = self.down(x)
        quarter = self.down(half)
        grown = functional.interpolate(quarter, scale_factor=2.0)
        return quarter, grown, torch.cat((self.up(quarter), half), 1)


class Windows(nn.Module):
    """Windows of seven by seven, after patches, and what is rolled."""

    def __init__(self):
        super().__init__()
        self.cut = nn.Conv2d(3, 4, 2, 2)

    def forward(self, x):
        x = self.cut(x)
        b, c, h, w = x.shape
        x = functional.pad(x, (0, (7 - w % 7) % 7, 0, (7 - h % 7) % 7))
        rows, columns = x.shape[2:]
        x = torch.roll(x, (-3, -3), (2, 3))
        windows = x.view(b, c, rows // 7, 7, columns // 7, 7).permute(0, 2, 4, 3, 5, 1)
        return x, windows.reshape(-1, 49, c)


class Merged(nn.Module):
    """Every second row and column, of an even number of them."""

    def forward(self, x):
        x = functional.pad(x, (0, x.shape[3] % 2, 0, x.shape[2] % 2))
        return torch.cat((x[:, :, 0::2, 0::2], x[:, :, 1::2, 1::2]), 1)


class Parts(nn.Module):
    def forward(self, x):
        b, c, h, w = x.shape
        return x[:, :, 1:-2], x.reshape(b * c, h, w), torch.cat((x, x), 3), x.new_zeros(h // 3, w)


def waves():
    steps = ((10, 5), (3, 2), (3, 2), (2, 2))
    return nn.Sequential(*(nn.Conv1d(1, 1, kernel, stride) for kernel, stride in steps))


def strided():
    layer = nn.Conv2d(3, 3, 3, 2, 1)
    return nn.Sequential(layer, nn.MaxPool2d(3, 2, 1), layer, nn.Conv2d(3, 3, 3, dilation=2))


def pooled():
    halved = nn.MaxPool2d(2, 2, ceil_mode=True)
    return nn.Sequential(nn.AvgPool2d(3, 2), halved, nn.Conv2d(3, 3, 2, 3))


IMAGE = torch.rand(2, 3, 64, 96)

# Name: what makes it, its input, and the dims of the outputs.
MODELS = {
    "strided": (strided, IMAGE, [["batch", 3, "(height - 25)//8", "(width - 25)//8"]]),
    "pooled": (pooled, IMAGE, [["batch", 3, "(height + 5)//12", "(width + 5)//12"]]),
    "waves": (waves, torch.rand(2, 1, 800), [["batch", 1, "(input_dim_2 - 20)//40"]]),
    "patches": (Patches, IMAGE, [["batch", 2, "(height//4)*(width//4) + 1", 4],
                                 ["batch", 2, "(height//4)*(width//4)", 4]]),
    "skips": (Skips, IMAGE, [["batch", 3, "(height + 3)//4", "(width + 3)//4"],
                             ["batch", 3, "((height + 3)//4)*2", "((width + 3)//4)*2"],
                             ["batch", 6, "(height + 1)//2", "(width + 1)//2"]]),
    "windows": (Windows, IMAGE, [["batch", 4, "((height + 12)//14)*7", "((width + 12)//14)*7"],
                                 ["batch*((height + 12)//14)*((width + 12)//14)", 49, 4]]),
    "merged": (Merged, IMAGE, [["batch", "x_dim_1*2", "(height + 1)//2", "(width + 1)//2"]]),
    "parts": (Parts, IMAGE, [["batch", "x_dim_1", "height - 3", "width"],
                             ["batch*x_dim_1", "height", "width"],
                             ["batch", "x_dim_1", "height", "width*2"], ["height//3", "width"]]),
}

# By axis. The halves of "skips" are as large as two quarters.
SIZES = {"batch": (1, 3), "x_dim_1": (1, 4), "height": (64, 71, 108), "width": (96, 75),
         "input_dim_2": (800, 813, 1201)}


def dims_of(value) -> list:
    return [dim.dim_param or dim.dim_value for dim in value.type.tensor_type.shape.dim]


def give_all(model, path) -> dict:
    """Writes a model that gives what is between nodes, too. Returns the dims of its outputs."""
    outputs = {value.name for value in model.graph.output}
    between = [value for value in model.graph.value_info if value.name not in outputs]
    model.graph.output.extend(between)
    onnx.save(model, str(path))
    return {value.name: dims_of(value) for value in model.graph.output}


def check_sizes(runner, dims: dict, axes: dict) -> None:
    feeds = {argument.name: torch.rand([axes.get(dim, dim) for dim in argument.shape]).numpy()
             for argument in runner.get_inputs()}
    for output, array in zip(runner.get_outputs(), runner.run(None, feeds)):
        for dim, size in zip(dims[output.name], array.shape):
            value = eval(dim, {}, axes) if isinstance(dim, str) else dim or size
            assert value == size, f"{output.name} at {axes}: {dim} is {value}, not {size}"


@case_for_each(MODELS)
def names_are_formulas(name: str) -> None:
    make, example, wanted = MODELS[name]
    torch.manual_seed(3)
    with scratch() as folder, torch.no_grad():
        file, out = folder / "model.pt", folder / "model.onnx"
        torch.jit.save(torch.jit.trace(make().eval(), example, check_trace=False), str(file))
        result = run(file, "--out", out)
        assert result.returncode == EXIT_OK, result.stderr
        onnx.checker.check_model(str(out), full_check=True)
        model = onnx.load(str(out))
        axes = [dim for dim in dims_of(model.graph.input[0]) if isinstance(dim, str)]
        outputs = [dims_of(value) for value in model.graph.output]
        assert outputs == wanted, outputs
        dims = give_all(model, folder / "all.onnx")
        used = set(re.findall(r"[a-z_]\w*", " ".join(str(dim) for dim in sum(dims.values(), []))))
        assert used <= set(axes), used
        runner = session(folder / "all.onnx", optimised=False)
        for chosen in itertools.product(*(SIZES[axis] for axis in axes)):
            check_sizes(runner, dims, dict(zip(axes, chosen)))
