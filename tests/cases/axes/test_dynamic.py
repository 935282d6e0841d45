"""Unnamed axes are dynamic unless the model fixes them, and the file is right at other sizes."""

import math
import re

import onnx
import torch
from torch import nn

from harness import EXIT_OK, EXIT_USAGE, case, case_for_each, run, scratch
from numbers_check import assert_close, feed, reference, session

IDS = torch.arange(16).reshape(2, 8)


class Attention(nn.Module):
    """Scores with a mask of both sides of the sequence."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(50, 6)
        self.query, self.key = nn.Linear(6, 6), nn.Linear(6, 6)

    def forward(self, ids, mask):
        x = self.embedding(ids)
        scores = self.query(x) @ self.key(x).transpose(1, 2) / math.sqrt(6)
        return scores.masked_fill(mask == 0, -1e4).softmax(-1) @ x


class Pair(nn.Module):
    """An encoder and a decoder with sequences of different lengths."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(50, 6)

    def forward(self, ids, decoder_ids):
        return self.embedding(decoder_ids) @ self.embedding(ids).transpose(1, 2)


class Baked(nn.Module):
    """A size becomes a Python number, which the tracer records as a constant."""

    def forward(self, x):
        rows = len(x.tolist())
        return x.view(rows, -1) * rows


class Steps(nn.Module):
    """Positions up to the longest sequence."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(50, 6)
        self.positions = nn.Embedding(32, 6)

    def forward(self, ids):
        return self.embedding(ids) + self.positions(torch.arange(ids.shape[1]))


class Grid(nn.Module):
    """Patches of four by four."""

    def forward(self, x):
        b, c, h, w = x.shape
        return x.view(b, c, h // 4, 4, w // 4, 4).mean((3, 5))


class Coarse(nn.Module):
    """One feature for 32 by 32 pixels: smaller images are invalid, and slightly larger ones give the same size."""

    def __init__(self):
        super().__init__()
        self.steps = nn.Sequential(nn.Conv2d(3, 4, 8, 8), nn.Conv2d(4, 5, 4, 4))
        self.mix = nn.Linear(5, 5)

    def forward(self, x):
        x = self.steps(x)
        b, c, h, w = x.shape
        return self.mix(x.flatten(2).transpose(1, 2)).transpose(1, 2).reshape(b, c, h, w)


def convolutions():
    return nn.Sequential(nn.Conv2d(3, 4, 3, 2), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(4, 2))


class Recurrent(nn.Module):
    """Length, width and batch coincide with the number of states."""

    def __init__(self):
        super().__init__()
        self.of_step = nn.Parameter(torch.randn(5, 7))
        self.of_state = nn.Parameter(torch.randn(7, 7) * 0.1)

    def forward(self, steps, state):
        outs = []
        for step in steps.unbind(0):
            state = torch.tanh(torch.mm(step, self.of_step) + torch.mm(state, self.of_state))
            outs.append(state)
        return torch.stack(outs)


class Picked(nn.Module):
    """Rows of a mask by index: it must have as many, and may have more."""

    def forward(self, x, mask):
        rows, columns = torch.arange(x.shape[0]), torch.arange(x.shape[1])
        return x * mask[rows[:, None], columns]


# Name: its maker, inputs, the axes of each, and whether it is scripted.
MODELS = {
    "layers": (lambda: nn.Sequential(nn.Linear(4, 5), nn.ReLU(), nn.Linear(5, 2)), (torch.rand(2, 4),),
               [["batch", 4]], False),
    "image": (convolutions, (torch.rand(1, 3, 32, 32),), [["batch", 3, "height", "width"]], False),
    "coarse": (Coarse, (torch.rand(1, 3, 32, 32),), [["batch", 3, "height", "width"]], False),
    "attention": (Attention, (IDS, torch.ones(8, 8)), [["batch", "sequence"], ["sequence", "sequence"]], False),
    "attention-rows": (Attention, (IDS, torch.ones(2, 1, 8)),
                       [["batch", "sequence"], ["batch", 1, "sequence"]], False),
    "picked": (Picked, (torch.rand(1, 8), torch.rand(1, 8)), [["batch", "x_dim_1"], ["batch", "mask_dim_1"]], False),
    "pair": (Pair, (IDS, IDS[:, :6]), [["batch", "sequence"], ["batch", "decoder_ids_sequence"]], False),
    "baked": (Baked, (torch.rand(3, 2, 5),), [[3, "sequence", "x_dim_2"]], False),
    "steps": (Steps, (IDS,), [["batch", "sequence"]], False),
    "patches": (Grid, (torch.rand(2, 3, 8, 16),), [["batch", "x_dim_1", "x_dim_2", "x_dim_3"]], False),
    "scripted": (convolutions, (torch.rand(2, 3, 32, 32),), [["batch", 3, "height", "width"]], True),
    "recurrent": (lambda: nn.GRU(4, 3), (torch.rand(5, 2, 4),), [["sequence", "batch", 4]], False),
    "one-size": (Recurrent, (torch.rand(7, 7, 5), torch.rand(7, 7)), [["batch", "sequence", 5], ["sequence", 7]], True),
}


def make(name: str, folder) -> tuple:
    module, inputs, axes, is_scripted = MODELS[name]
    torch.manual_seed(6)
    module = module().eval()
    with torch.no_grad():
        model = torch.jit.script(module) if is_scripted else torch.jit.trace(module, inputs, check_trace=False)
    file = folder / "model.pt"
    torch.jit.save(model, str(file))
    return file, inputs, axes


def resized(inputs: tuple, axes: list, step: int) -> tuple:
    """Inputs with distinct sizes for every axis: multiples of the traced ones, so that patches fit, and never beyond
    the 32 positions."""
    made = []
    for tensor, names in zip(inputs, axes):
        for dim, axis in enumerate(names):
            if isinstance(axis, str):
                size = tensor.shape[dim] * (step + 1)
                tensor = tensor.index_select(dim, torch.arange(size) % tensor.shape[dim])
        made.append(tensor)
    return tuple(made)


def dims_of(model) -> list:
    return [[d.dim_param or d.dim_value for d in value.type.tensor_type.shape.dim] for value in model.graph.input]


@case_for_each(MODELS)
def by_default(name: str) -> None:
    with scratch() as folder:
        file, inputs, axes = make(name, folder)
        out = folder / "model.onnx"
        result = run(file, "--out", out)
        assert result.returncode == EXIT_OK, result.stderr
        if not MODELS[name][3]:
            assert dims_of(onnx.load(str(out))) == axes, dims_of(onnx.load(str(out)))
        onnx.checker.check_model(str(out), full_check=True)
        runner = session(out)
        for step in range(3):
            values = resized(inputs, axes, step)
            assert_close(feed(runner, values), reference(file, values), f"{name}, step {step}")


class Limited(nn.Module):
    """A table of positions, cut to the length of the sequence."""

    def __init__(self):
        super().__init__()
        self.embedding, self.positions = nn.Embedding(50, 6), nn.Embedding(512, 6)
        self.register_buffer("position_ids", torch.arange(512)[None])

    def forward(self, ids):
        return self.embedding(ids) + self.positions(self.position_ids[:, :ids.shape[1]])


@case
def the_longest_sequence_can_be_shorter() -> None:
    """Traced with as many tokens as positions, so longer ones are impossible."""
    ids = torch.arange(512)[None] % 50
    with scratch() as folder:
        file, out = folder / "model.pt", folder / "model.onnx"
        torch.manual_seed(6)
        torch.jit.trace(Limited().eval(), ids).save(str(file))
        result = run(file, "--out", out)
        assert result.returncode == EXIT_OK, result.stderr
        assert dims_of(onnx.load(str(out))) == [["batch", "sequence"]], dims_of(onnx.load(str(out)))
        runner = session(out)
        for values in (ids, ids[:, :1], ids[:, :200].expand(3, -1)):
            assert_close(feed(runner, (values,)), reference(file, (values,)), f"{tuple(values.shape)}")


@case
def fixed_on_request() -> None:
    with scratch() as folder:
        file, inputs, _ = make("attention", folder)
        out = folder / "model.onnx"
        result = run(file, "--out", out, "--static")
        assert result.returncode == EXIT_OK, result.stderr
        assert dims_of(onnx.load(str(out))) == [[2, 8], [8, 8]]
        assert_close(feed(session(out), inputs), reference(file, inputs), "static")


@case
def what_fixes_an_axis_is_told() -> None:
    with scratch() as folder:
        file, _, _ = make("baked", folder)
        result = run(file, "--out", folder / "model.onnx", "--verbose")
        assert result.returncode == EXIT_OK, result.stderr
        (line,) = [line for line in result.stderr.splitlines() if "batch is fixed to 3" in line]
        assert "test_dynamic.py:" in line and "aten::view" in line, line
        assert "is fixed" not in run(file, "--out", folder / "model.onnx").stderr


@case
def names_are_a_choice() -> None:
    """Of given inputs, only named axes are dynamic."""
    with scratch() as folder:
        file, _, _ = make("layers", folder)
        out = folder / "model.onnx"
        result = run(file, "--out", out, "--input", ":float32[rows=3,4]")
        assert result.returncode == EXIT_OK, result.stderr
        assert dims_of(onnx.load(str(out))) == [["rows", 4]]
        result = run(file, "--out", out, "--input", ":float32[3,4]")
        assert dims_of(onnx.load(str(out))) == [[3, 4]]


# ---- messages about axes that the program fixes ---------------------------------------------------


class View(nn.Module):
    def forward(self, x):
        return x.view(2, 5, 8) * 2


class Expanded(nn.Module):
    def forward(self, x):
        return x.expand(2, 5, 8) * 2


class Positions(nn.Module):
    """A Python number from which another operator makes a tensor."""

    def forward(self, x):
        return x + torch.arange(5).reshape(5, 1)


class Zeros(nn.Module):
    def forward(self, x):
        return torch.zeros(5, 8) + x


class Masked(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("mask", torch.tril(torch.ones(5, 5)))

    def forward(self, x):
        return (x @ x.transpose(1, 2)).masked_fill(self.mask == 0, -1e4).softmax(-1) @ x


class Layer(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return self.inner(x + 1)


class Layers(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.layers = nn.ModuleList([Layer(inner)])

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


# Name: the module, the operator that refuses other sizes, the cause, the fixed axes with their traced sizes, and with
# their sizes if scripted (where inputs are derived).
FIXED = {
    "view": (View, "aten::view", None, {"batch": 2, "sequence": 5, "x_dim_2": 8}, None),
    "expand": (Expanded, "aten::expand", None, {"batch": 2, "sequence": 5, "x_dim_2": 8}, None),
    "positions": (Positions, "aten::add.Tensor", "aten::arange in layers.0.inner (",
                  {"sequence": 5}, {"batch": 5}),
    "zeros": (Zeros, "aten::add.Tensor", "aten::zeros in layers.0.inner (",
              {"sequence": 5, "x_dim_2": 8}, {"batch": 5, "x_dim_1": 8}),
    "mask": (Masked, "aten::masked_fill.Scalar", "the size of layers.0.inner.mask",
             {"sequence": 5}, {"sequence": 5}),
}


@case_for_each(FIXED)
def what_fixes_each_axis_is_told(name: str) -> None:
    """The axis, the operator, the module's path, the line, and where the size comes from."""
    inner, operator, origin, *fixed = FIXED[name]
    module = Layers(inner()).eval()
    models = torch.jit.trace(module, (torch.rand(2, 5, 8),)), torch.jit.script(module)
    for model, axes in zip(models, fixed):
        with scratch() as folder:
            torch.jit.save(model, str(folder / "model.pt"))
            result = run(folder / "model.pt", "--out", folder / "model.onnx", "--verbose")
            assert result.returncode == EXIT_OK, result.stderr
            lines = [line for line in result.stderr.splitlines() if " is fixed to " in line]
            assert "named axes" not in result.stderr and "fewer" not in result.stderr, lines
            for axis, size in (axes or {}).items():
                (line,) = [line for line in lines if f": {axis} is fixed to {size}: " in line]
                assert f"{operator} raised in layers.0.inner (" in line, line
                assert "test_dynamic.py:" in line, line
                assert not origin or f"; fixed by {origin}" in line, line
            assert axes is None or len(lines) == len(axes), lines


class Late(nn.Module):
    """Costly operators, and two axes that are only fixed at the end."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(50, 6)
        self.register_buffer("table", torch.rand(4, 4, 6))

    def forward(self, x, ids):
        return (x + self.table).mean((1, 2)).unsqueeze(1) + self.embedding(ids)


@case
def fixed_axes_leave_the_others_dynamic() -> None:
    with scratch() as folder:
        model = torch.jit.trace(Late().eval(), (torch.rand(2, 4, 4, 6), IDS))
        torch.jit.save(model, str(folder / "model.pt"))
        out = folder / "model.onnx"
        result = run(folder / "model.pt", "--out", out)
        assert result.returncode == EXIT_OK, result.stderr
        assert dims_of(onnx.load(str(out))) == [["batch", 4, 4, 6], ["batch", "sequence"]]
        values = torch.rand(3, 4, 4, 6), torch.arange(15).reshape(3, 5)
        assert_close(feed(session(out), values), reference(folder / "model.pt", values), "late")


class Checked(nn.Module):
    """Two checked lengths: one against a number, one against the batch."""

    def check(self, x):
        if x.size(2) % 4 != 0:
            raise ValueError("not a multiple of 4")
        return x.reshape(x.size(0), x.size(1), 4, -1).sum(2)

    def forward(self, x):
        assert x.size(1) == 5
        assert x.size(0) > 0
        return self.check(x) * 2


@case
def checks_of_sizes_fix_axes() -> None:
    """No file claims to accept sizes at which libtorch raises."""
    with scratch() as folder:
        torch.jit.save(torch.jit.script(Checked()), str(folder / "model.pt"))
        out = folder / "model.onnx"
        result = run(folder / "model.pt", "--input", "x:float32[batch=2,length=5,width=8]",
                     "--out", out)
        assert result.returncode == EXIT_USAGE, result.stderr
        assert "AssertionError" in result.stderr, result.stderr
        result = run(folder / "model.pt", "--input", "x:float32[batch=2,5,8]", "--out", out)
        assert result.returncode == EXIT_OK, result.stderr
        assert dims_of(onnx.load(str(out))) == [["batch", 5, 8]]


class Windows(nn.Module):
    """Pads to whole windows of 7, after strides."""

    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(1, 4, 16, 16)

    def forward(self, x):
        x = self.patches(x)
        height, width = x.size(2), x.size(3)
        x = nn.functional.pad(x, (0, (7 - width % 7) % 7, 0, (7 - height % 7) % 7))
        rows, columns = x.size(2) // 7, x.size(3) // 7
        x = x.reshape(x.size(0), 4, rows, 7, columns, 7).softmax(3).softmax(5)
        return x.reshape(x.size(0), 4, rows * 7, columns * 7)[:, :, :height, :width]


@case
def windows_follow_sizes_far_from_the_example() -> None:
    """The number of windows is one for the example, and for twice its size."""
    with scratch() as folder:
        torch.manual_seed(1)
        model = torch.jit.trace(Windows().eval(), (torch.rand(2, 1, 48, 48),))
        torch.jit.save(model, str(folder / "model.pt"))
        out = folder / "model.onnx"
        result = run(folder / "model.pt", "--out", out)
        assert result.returncode == EXIT_OK, result.stderr
        assert dims_of(onnx.load(str(out)))[0] == ["batch", 1, "height", "width"]
        for height, width in ((48, 48), (32, 112), (128, 96), (240, 300)):
            values = (torch.rand(1, 1, height, width),)
            wanted = reference(folder / "model.pt", values)
            assert_close(feed(session(out), values), wanted, f"{height} x {width}")


class Baked(nn.Module):
    def forward(self, x):
        return x.view(2, 3, -1).transpose(1, 2) + torch.ones(2, 4, 3)


class Selecting(nn.Module):
    """The selected elements do not fit."""

    def forward(self, x):
        return torch.stack([x[x > 0], torch.ones(12)])


# Name: the module, whether it is traced rather than scripted, the input, and the message.
REFUSALS = {
    "view": (Baked, True, "x:float32[batch=2,width=12]", "named axes"),
    "one-axis": (Baked, True, "x:float32[2,width=12]", "refuses others than 12 for axis width"),
    "scripted": (Baked, False, "x:float32[batch=2,12]", "refuses others than 2 for axis batch"),
    "matrix": (lambda: nn.Linear(12, 3), True, ":float32[2,width=12]", "for axis width"),
    "window": (lambda: nn.Sequential(nn.Conv1d(2, 2, 5), nn.Flatten(), nn.Linear(16, 3)), True,
               ":float32[1,2,length=12]", "for axis length"),
    "data": (Selecting, False, "x:float32[length=12]", "depend on the data"),
}


@case_for_each(REFUSALS)
def refusals_name_the_users_sizes(name: str) -> None:
    """No other tried or chosen size shows in a message, and every message has a reason."""
    make_module, is_traced, flag, told = REFUSALS[name]
    dims = [int(number) for number in re.findall(r"\d+", flag.partition("[")[2])]
    with scratch() as folder:
        module = make_module().eval()
        program = (torch.jit.trace(module, torch.rand(dims)) if is_traced
                   else torch.jit.script(module))
        torch.jit.save(program, str(folder / "model.pt"))
        result = run(folder / "model.pt", "--out", folder / "model.onnx", "--input", flag)
        assert result.returncode != EXIT_OK and told in result.stderr, result.stderr
        assert ": ," not in result.stderr, result.stderr
        free = run(folder / "model.pt", "--out", folder / "model.onnx", "--verbose")
    for text in (result.stderr, free.stderr):
        words = " ".join(line for line in text.splitlines() if "aten::" in line)
        words = re.sub(r"\([^()]*:\d+\)|\S*/\S*|dim(ension)? \d+", "", words)
        sizes = {int(number) for number in re.findall(r"(?<![\w.])\d+(?![\w.])|(?<=\dx)\d+", words)}
        assert sizes <= {0, 1, 2, 3, 4, 5, 8, 12, 16, 24}, text
