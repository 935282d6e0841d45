"""The names of dims are formulas of the inputs' axes: evaluated in Python, they equal the sizes of tensors, also at
other sizes."""

import itertools
import re

import onnx
import torch
from torch import nn
from torch.nn import functional

from harness import EXIT_OK, case_for_each, run, scratch
from numbers_check import assert_close, feed, reference, session


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
    """Downsamples twice, and upsamples with skip connections."""

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
    """Windows of seven by seven, after patches, and rolled ones."""

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


def padded():
    """ONNX Runtime would merge these zeros into the pooling, so the Pad lists its axes."""
    return nn.Sequential(nn.Conv2d(3, 3, 7, 2, 3), nn.ZeroPad2d(1), nn.MaxPool2d(3, 2))


IMAGE = torch.rand(2, 3, 64, 96)

# Name: its maker, its input, and the dims of the outputs.
MODELS = {
    "strided": (strided, IMAGE, [["batch", 3, "(height - 25)//8", "(width - 25)//8"]]),
    "pooled": (pooled, IMAGE, [["batch", 3, "(height + 5)//12", "(width + 5)//12"]]),
    "padded": (padded, IMAGE, [["batch", 3, "(height + 3)//4", "(width + 3)//4"]]),
    "waves": (waves, torch.rand(2, 1, 800), [["batch", 1, "(input_dim_2 - 20)//40"]]),
    "patches": (Patches, IMAGE, [["batch", 2, "(height//4)*(width//4) + 1", 4],
                                 ["batch", 2, "(height//4)*(width//4)", 4]]),
    "skips": (Skips, IMAGE, [["batch", 3, "(height + 3)//4", "(width + 3)//4"],
                             ["batch", 3, "((height + 3)//4)*2", "((width + 3)//4)*2"],
                             ["batch", 6, "(height + 1)//2", "(width + 1)//2"]]),
    "windows": (Windows, IMAGE, [["batch", 4, "((height + 12)//14)*7", "((width + 12)//14)*7"],
                                 ["batch*((height + 12)//14)*((width + 12)//14)", 49, 4]]),
    "merged": (Merged, IMAGE, [["batch", "x_dim_1*2", "(x_dim_2 + 1)//2", "(x_dim_3 + 1)//2"]]),
    "parts": (Parts, IMAGE, [["batch", "x_dim_1", "max(x_dim_2 - 3, 0)", "x_dim_3"],
                             ["batch*x_dim_1", "x_dim_2", "x_dim_3"],
                             ["batch", "x_dim_1", "x_dim_2", "x_dim_3*2"], ["x_dim_2//3", "x_dim_3"]]),
}

# By axis. The halves of "skips" are as large as two quarters.
SIZES = {"batch": (1, 3), "x_dim_1": (1, 4), "height": (64, 71, 108), "width": (96, 75),
         "x_dim_2": (64, 71, 108), "x_dim_3": (96, 75),
         "input_dim_2": (800, 813, 1201)}


def dims_of(value) -> list:
    return [dim.dim_param or dim.dim_value for dim in value.type.tensor_type.shape.dim]


def give_all(model, path) -> dict:
    """Writes a model that also returns intermediate values. @return the dims of its outputs"""
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
        assert used <= {*axes, "max", "min"}, used
        runner = session(folder / "all.onnx", optimised=False)
        for chosen in itertools.product(*(SIZES[axis] for axis in axes)):
            check_sizes(runner, dims, dict(zip(axes, chosen)))


# ---- at all small sizes ----------------------------------------------------------------------------


class Program(nn.Module):
    """A function with the layers that it uses."""

    def __init__(self, function, *layers):
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self.function = function

    def forward(self, x):
        return self.function(x, *self.layers)


class Gate(nn.Module):
    """A skip connection weighted by the coarser level; one side may be larger."""

    def __init__(self):
        super().__init__()
        self.below, self.beside = nn.Conv2d(4, 4, 1), nn.Conv2d(4, 4, 1)
        self.weigh = nn.Sequential(nn.Conv2d(4, 1, 1), nn.Sigmoid())

    def forward(self, below, beside):
        return beside * self.weigh(torch.relu(self.below(below) + self.beside(beside)))


class Gated(nn.Module):
    """Downsamples twice, and upsamples with gates at the skip connections."""

    def __init__(self):
        super().__init__()
        self.begin = nn.Conv2d(2, 4, 3, 1, 1)
        self.down = nn.ModuleList(nn.Conv2d(4, 4, 3, 2, 1) for _ in range(2))
        self.up = nn.ConvTranspose2d(4, 4, 3, 2, 1, 1)
        self.gates = nn.ModuleList(Gate() for _ in range(2))
        self.mix = nn.ModuleList(nn.Conv2d(8, 4, 3, 1, 1) for _ in range(2))

    def forward(self, x):
        x = self.begin(x)
        half = self.down[0](x)
        below = self.up(self.down[1](half))
        below = self.mix[0](torch.cat((self.gates[0](below, half), below), 1))
        below = functional.interpolate(below, scale_factor=2.0)
        return self.mix[1](torch.cat((self.gates[1](below, x), below), 1))


def doubled(x):
    """As large as x, or twice that if x has size 1."""
    return functional.interpolate(functional.max_pool2d(x, 1, 2), scale_factor=2.0) + x


def shifted(x):
    """Shifted windows of four by four, the last ones masked."""
    b, c, h, w = x.shape
    x = functional.pad(x, (0, (-w) % 4, 0, (-h) % 4))
    rows, columns = x.shape[2:]
    mask = x.new_zeros((rows, columns))
    mask[-2:] = 1
    mask[:, -2:] += 2
    mask = mask.view(rows // 4, 4, columns // 4, 4).permute(0, 2, 1, 3).reshape(-1, 1, 16)
    x = torch.roll(x, (-2, -2), (2, 3)).view(b, c, rows // 4, 4, columns // 4, 4)
    x = x.permute(0, 2, 4, 1, 3, 5).reshape(-1, mask.shape[0], c, 16) + mask
    x = x.view(b, rows // 4, columns // 4, c, 4, 4).permute(0, 3, 1, 4, 2, 5)
    return torch.roll(x.reshape(b, c, rows, columns), (2, 2), (2, 3))[:, :, :h, :w]


def pieces(x):
    return (x[:, :, 3:-2], x[..., :3], x[:, :, -3:-1], x[..., 1::2], x.diff(n=2, dim=3),
            x[..., x.shape[3] // 3:], x[:, :, :(x.shape[2] + 3) // 4 * 4 - 2])


def means(x):
    return x.mean(2, keepdim=True) + x.mean(3, keepdim=True), x * x[..., -1:], doubled(x[:, :, :2])


def windowed(x):
    columns = functional.pad(x, (0, 1)).unfold(3, 2, 2)
    return columns, functional.max_pool2d(x, 2, 2, ceil_mode=True), x.repeat_interleave(3, 2)


def looked_up(x, table, row):
    """Rows of a table that must have as many as x has columns, and of one that need not."""
    rows, columns = x.shape[2:]
    found = table.weight[:columns, 0]
    one = row.weight[:columns - 1, 0]
    return x + found, found, table.weight[:rows, 0], x[..., :-1] + one, one


def selected(x):
    return x.masked_select(x[:, :, :1] > 0.5), x[x > 0.5]


# Name: its maker, and the dims of its outputs; None: not compared.
PROGRAMS = {
    "doubled": (lambda: Program(doubled),
                [["batch", "x_dim_1", "((height + 1)//2)*2", "((width + 1)//2)*2"]]),
    "gated": (Gated, [["batch", 4, "((height + 3)//4)*4", "((width + 3)//4)*4"]]),
    "shifted": (lambda: Program(shifted), [["batch", "x_dim_1", "x_dim_2", "x_dim_3"]]),
    "pieces": (lambda: Program(pieces), None),
    "means": (lambda: Program(means), None),
    "windowed": (lambda: Program(windowed), None),
    "looked up": (lambda: Program(looked_up, nn.Linear(1, 64), nn.Linear(1, 1)),
                  [["batch", "x_dim_1", "x_dim_2", "x_dim_3"], ["x_dim_3"], ["min(x_dim_2, 64)"],
                   ["batch", "x_dim_1", "x_dim_2", "dim_0"], ["min(x_dim_3 - 1, 1)"]]),
    "selected": (lambda: Program(selected), None),
}

NAME = re.compile(r"[A-Za-z]\w*")


def check_names(dims: dict, arrays: dict, axes: dict) -> None:
    """Formulas of the axes equal the sizes; a new name has one size."""
    values = dict(axes)
    pairs = [(name, dim, size) for name, array in arrays.items()
             for dim, size in zip(dims[name], array.shape, strict=True)]
    for name, dim, size in pairs:
        if isinstance(dim, str) and NAME.fullmatch(dim):
            value = values.setdefault(dim, size)
            assert value == size, f"{name} at {axes}: {dim} is {value} and {size}"
    for name, dim, size in pairs:
        value = eval(dim, {}, values) if isinstance(dim, str) and dim else dim or size
        assert value == size, f"{name} at {axes}: {dim} is {value}, not {size}"


@case_for_each(PROGRAMS)
def names_hold_at_all_small_sizes(name: str) -> None:
    make, wanted = PROGRAMS[name]
    torch.manual_seed(3)
    with scratch() as folder, torch.no_grad():
        file, out = folder / "model.pt", folder / "model.onnx"
        example = torch.rand(2, 2, 8, 8)
        torch.jit.save(torch.jit.trace(make().eval(), example, check_trace=False), str(file))
        result = run(file, "--out", out)
        assert result.returncode == EXIT_OK, result.stderr
        model = onnx.load(str(out))
        outputs = [dims_of(value) for value in model.graph.output]
        assert wanted is None or outputs == wanted, outputs
        axes = dims_of(model.graph.input[0])
        dims = give_all(model, folder / "all.onnx")
        plain, full = session(out), session(folder / "all.onnx", optimised=False)
        names = [output.name for output in full.get_outputs()]
        count = 0
        for height, width in itertools.product(range(1, 10), range(1, 10)):
            inputs = (torch.rand(2, 2, height, width),)
            try:
                expected = reference(file, inputs)
            except RuntimeError:
                continue  # libtorch refuses these sizes
            count += 1
            assert_close(feed(plain, inputs), expected, f"{height} x {width}")
            known = {axis: size for axis, size in zip(axes, inputs[0].shape) if isinstance(axis, str)}
            check_names(dims, dict(zip(names, feed(full, inputs))), known)
        assert count > 8, count


# ---- under conditions on the data ------------------------------------------------------------------


class Valid(nn.Module):
    """A convolution that takes no small pictures, padded to the size that it had."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 3, 3)

    def forward(self, x):
        return nn.functional.pad(self.conv(x), [1, 1, 1, 1])


class Chosen(nn.Module):
    def __init__(self):
        super().__init__()
        self.valid = Valid()

    def forward(self, x):
        if bool(x.mean() > 0):
            y = self.valid(x)
        else:
            y = x * 2
        return y, y.flatten(1), x + y


class Repeated(nn.Module):
    def __init__(self):
        super().__init__()
        self.valid = Valid()

    def forward(self, x):
        i = 0
        while i < 3 and bool(x.sum() > 1):
            x = self.valid(x) * 0.5
            i += 1
        return x, x.view(x.size(0), -1)


class Cropped(nn.Module):
    """As small as a tensor of the other side, or smaller: that size is no fixed one."""

    def __init__(self):
        super().__init__()
        self.valid = Valid()

    def forward(self, x):
        y = torch.zeros(x.size(0), 3, 5, 5)
        if bool(x.mean() > 0):
            y = self.valid(x)[:, :, :5, :5]
        return y.sum((2, 3)) / y.size(2), y.flatten(2)


PICTURE = ["n", 3, "height", "width"]
CONDITIONAL = {"chosen": (Chosen, [PICTURE, ["n", "height*width*3"], PICTURE]),
               "repeated": (Repeated, [PICTURE, ["n", "height*width*3"]]),
               "cropped": (Cropped, [["n", 3], ["n", 3, "If_0*If_1"]])}


@case_for_each(CONDITIONAL)
def names_hold_where_some_sizes_are_refused(name: str) -> None:
    """An operator that takes no tiny sizes runs on one side of a branch, or in a loop, alone."""
    make, wanted = CONDITIONAL[name]
    torch.manual_seed(3)
    with scratch() as folder, torch.no_grad():
        file, out = folder / "model.pt", folder / "model.onnx"
        torch.jit.script(make().eval()).save(str(file))
        result = run(file, "--out", out, "--input", "x:float32[n=2,3,height=224,width=224]")
        assert result.returncode == EXIT_OK, result.stderr
        outputs = [dims_of(value) for value in onnx.load(str(out)).graph.output]
        assert outputs == wanted, outputs
        runner = session(out)
        for count, height, width in ((1, 224, 320), (3, 12, 4), (2, 3, 3), (2, 1, 7)):
            for sign in (1, -1):
                x = torch.rand(count, 3, height, width) * sign
                if sign < 0 or min(height, width) >= 3:  # libtorch refuses others
                    assert_close(feed(runner, (x,)), reference(file, (x,)), f"{sign}, {height} x {width}")
