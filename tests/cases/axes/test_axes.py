"""Axes are joined only if the program requires it, become formulas of others likewise, and an axis that cannot be
dynamic does not fix the others."""

import json
import re

import onnx
import torch
from torch import nn
from torch.nn import functional

from harness import EXIT_OK, EXIT_UNSUPPORTED, EXIT_USAGE, case, case_for_each, run, scratch
from numbers_check import assert_close, feed, reference, session


class Crossed(nn.Module):
    """Pixels that attend to words, with as many features as the image has rows."""

    def __init__(self):
        super().__init__()
        self.begin = nn.Conv2d(3, 8, 3, padding=1)
        self.key, self.value = nn.Linear(64, 8), nn.Linear(64, 8)

    def forward(self, picture, context):
        x = self.begin(picture)
        b, c, h, w = x.shape
        scores = x.flatten(2).transpose(1, 2) @ self.key(context).transpose(1, 2)
        return (scores.softmax(-1) @ self.value(context)).transpose(1, 2).reshape(b, c, h, w)


class Block(nn.Module):
    """Self-attention of four heads of eight, after cached keys."""

    def __init__(self):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(32, 32) for _ in range(3))

    def forward(self, x, mask, past_key, past_value):
        b, t, _ = x.shape
        query, key, value = (layer(x).view(b, t, 4, 8).transpose(1, 2)
                             for layer in (self.query, self.key, self.value))
        key, value = torch.cat([past_key, key], 2), torch.cat([past_value, value], 2)
        scores = (query @ key.transpose(2, 3) / 3 + mask).softmax(-1)
        return x + (scores @ value).transpose(1, 2).reshape(b, t, 32), key, value


class Decoder(nn.Module):
    """The mask is as long as past and new tokens together."""

    def __init__(self, layers):
        super().__init__()
        self.tokens, self.places = nn.Embedding(50, 32), nn.Embedding(256, 32)
        self.blocks = nn.ModuleList(Block() for _ in range(layers))

    def forward(self, ids, mask, past):
        new, old = ids.shape[1], past[0][0].shape[2]
        x = self.tokens(ids) + self.places(torch.arange(old, old + new))
        causal = torch.full((new, old + new), -1e4).triu(old + 1)
        bias = causal + (1 - mask[:, None, None, :].float()) * -1e4
        given = []
        for block, (key, value) in zip(self.blocks, past):
            x, key, value = block(x, bias, key, value)
            given += [key, value]
        return (x, *given)


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.kinds = nn.Embedding(50, 8), nn.Embedding(2, 8)

    def forward(self, ids, mask, kinds):
        x = self.tokens(ids) + self.kinds(kinds)
        scores = x @ x.transpose(1, 2) + (1 - mask[:, None, :].float()) * -1e4
        return scores.softmax(-1) @ x


class Towers(nn.Module):
    """Two inputs that are never combined."""

    def forward(self, x, y):
        return torch.relu(x), y * 2


class Few(nn.Module):
    """Names that differ in a number, and inputs of which two are compared."""

    def forward(self, x1, x2, x3, y):
        return x1 * 2, x2 + y, x3 * 3


class Prefix(nn.Module):
    """A prefix token, also in the mask."""

    def __init__(self):
        super().__init__()
        self.token = nn.Parameter(torch.rand(1, 1, 6))

    def forward(self, x, mask):
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], 1)
        return x * mask.unsqueeze(2)


class Square(nn.Module):
    def forward(self, x, mask):
        return ((x @ x.transpose(1, 2)) * mask).softmax(-1)


class Halved(nn.Module):
    """Branches that halve odd sizes, with TensorFlow's padding. Tracing computes it with tensors, whose numbers are
    equal at all odd sizes."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Conv2d(3, 4, size, stride=2) for size in (3, 5, 7))

    def forward(self, x):
        return sum(layer(self.pad(x, layer.kernel_size[0])) for layer in self.layers)

    def pad(self, x, kernel: int):
        widths = []
        for dim in (3, 2):
            size = x.shape[dim]  # a tensor, when traced
            pad = (((size / 2).ceil() - 1) * 2 + kernel - size).clamp(min=0)
            widths += [pad // 2, pad - pad // 2]
        return functional.pad(x, widths)


class Compared(nn.Module):
    """Lengths of tensors that are never combined, but compared by the program itself."""

    def forward(self, x, y):
        if x.size(1) != y.size(1):
            raise ValueError("two lengths")
        return torch.relu(x), y * 2


IDS = torch.arange(16).reshape(2, 8)


def decoder_inputs(new: int, old: int, layers: int) -> tuple:
    past = tuple((torch.rand(2, 4, old, 8), torch.rand(2, 4, old, 8)) for _ in range(layers))
    return IDS[:, :new], torch.ones(2, new + old, dtype=torch.int64), past


CACHE = ["batch", 4, "past_0_0_dim_2", 8]
DECODER = [["batch", "sequence"], ["batch", "sequence + past_0_0_dim_2"]]

# Name: its maker, its inputs, and the expected dims.
MODELS = {
    "picture": (Crossed, lambda: (torch.rand(2, 3, 64, 64), torch.rand(2, 7, 64)),
                [["batch", 3, "height", "width"], ["batch", "sequence", 64]]),
    "step": (lambda: Decoder(2), lambda: decoder_inputs(1, 7, 2), DECODER + [CACHE] * 4),
    "chunk": (lambda: Decoder(2), lambda: decoder_inputs(3, 7, 2), DECODER + [CACHE] * 4),
    "alike": (lambda: Decoder(2), lambda: decoder_inputs(4, 4, 2), DECODER + [CACHE] * 4),
    "deep": (lambda: Decoder(6), lambda: decoder_inputs(2, 5, 6), DECODER + [CACHE] * 12),
    "encoder": (Encoder, lambda: (IDS, torch.ones(2, 8), IDS % 2), [["batch", "sequence"]] * 3),
    "one": (Encoder, lambda: (IDS[:1], torch.ones(1, 8), IDS[:1] % 2), [["batch", "sequence"]] * 3),
    "towers": (Towers, lambda: (torch.rand(2, 5), torch.rand(2, 5)),
               [["batch", "x_dim_1"], ["y_batch", "y_dim_1"]]),
    "few": (Few, lambda: tuple(torch.rand(2, 5) for _ in range(4)),
            [["batch", "x1_dim_1"], ["x2_batch", "x2_dim_1"], ["x3_batch", "x3_dim_1"],
             ["x2_batch", "x2_dim_1"]]),
    "prefix": (Prefix, lambda: (torch.rand(2, 5, 6), torch.ones(2, 6)),
               [["batch", "sequence", 6], ["batch", "sequence + 1"]]),
    "square": (Square, lambda: (torch.rand(2, 8, 6), torch.rand(8, 8)),
               [["batch", "sequence", "x_dim_2"], ["sequence", "sequence"]]),
    "halved": (Halved, lambda: (torch.rand(2, 3, 65, 63),), [["batch", 3, "height", "width"]]),
}


def trace(module, inputs: tuple, folder):
    torch.manual_seed(5)
    with torch.no_grad():
        model = torch.jit.trace(module().eval(), inputs, check_trace=False)
    torch.jit.save(model, str(folder / "model.pt"))
    return folder / "model.pt"


def script(module, folder):
    torch.manual_seed(5)
    torch.jit.save(torch.jit.script(module.eval()), str(folder / "model.pt"))
    return folder / "model.pt"


def flatten(inputs) -> list:
    return [inputs] if isinstance(inputs, torch.Tensor) else [t for part in inputs for t in flatten(part)]


def rebuild(inputs, flat):
    """The inputs with their tensors replaced by those of an iterator."""
    if isinstance(inputs, torch.Tensor):
        return next(flat)
    return tuple(rebuild(part, flat) for part in inputs)


def dims_of(values) -> list:
    return [[d.dim_param or d.dim_value for d in value.type.tensor_type.shape.dim] for value in values]


def resize(tensor, dims: list, axes: dict):
    """The tensor with the sizes that follow from formulas of the axes; its elements repeat."""
    for dim, size in enumerate(dims):
        size = eval(size, {}, axes) if isinstance(size, str) else size
        tensor = tensor.index_select(dim, torch.arange(size) % tensor.shape[dim])
    return tensor


def check_sizes(file, out, inputs: tuple, least: int = 1) -> None:
    """Every axis with distinct sizes, including the smallest."""
    model = onnx.load(str(out))
    dims = dims_of(model.graph.input)
    names = sorted(set(re.findall(r"[a-z]\w*", " ".join(str(dim) for dim in sum(dims, [])))))
    for sizes in ((3, 5, 7, 11, 13, 17, 19, 23), (9, 4, 2, 6, 10, 3, 5, 8), (least,) * 8):
        sizes = [max(size, least) for size in sizes]
        axes = dict(zip(names, sizes))
        flat = [resize(tensor, dim, axes) for tensor, dim in zip(flatten(inputs), dims)]
        values = rebuild(inputs, iter(flat))
        assert_close(feed(session(out), tuple(flat)), reference(file, values), f"{axes}")


@case_for_each(MODELS)
def axes_are_those_of_the_program(name: str) -> None:
    module, make_inputs, wanted = MODELS[name]
    with scratch() as folder:
        inputs = make_inputs()
        file, out = trace(module, inputs, folder), folder / "model.onnx"
        result = run(file, "--out", out)
        assert result.returncode == EXIT_OK, result.stderr
        onnx.checker.check_model(str(out), full_check=True)
        dims = dims_of(onnx.load(str(out)).graph.input)
        assert dims == wanted, dims
        check_sizes(file, out, inputs)


@case
def what_a_program_compares_is_one_axis() -> None:
    with scratch() as folder:
        file, out = script(Compared(), folder), folder / "model.onnx"
        result = run(file, "--out", out)
        assert result.returncode == EXIT_OK, result.stderr
        (_, columns), (_, others) = dims_of(onnx.load(str(out)).graph.input)
        assert columns == others and isinstance(columns, str), (columns, others)
        check_sizes(file, out, (torch.rand(2, 5), torch.rand(2, 5)))


# ---- formulas that somebody wrote ------------------------------------------------------------------

PAST = {f"past.{layer}.{part}": "float32[batch,4,past=7,8]" for layer in range(2) for part in range(2)}

# Given inputs by name.
WRITTEN = {
    "sum": {"ids": "int64[batch=2,new=3]", "mask": "int64[batch,past+new]", **PAST},
    "size": {"ids": "int64[batch=2,new=3]", "mask": "int64[batch=2, past + new = 10]", **PAST},
    "shape": {"ids": "int64[batch=2,new=3]",
              "mask": {"dtype": "int64", "shape": [{"batch": 2}, "past+new"]}, **PAST},
}


@case_for_each(WRITTEN)
def formulas_are_declared(name: str) -> None:
    given = WRITTEN[name]
    with scratch() as folder:
        inputs = decoder_inputs(3, 7, 2)
        file, out = trace(lambda: Decoder(2), inputs, folder), folder / "model.onnx"
        flags = [f"--input={path}:{text}" for path, text in given.items()]
        if name == "shape":
            nested = {**{key: value for key, value in given.items() if "." not in key},
                      "past": [[given["past.0.0"]] * 2] * 2}
            (folder / "inputs.json").write_text(json.dumps(nested))
            flags = ["--inputs", folder / "inputs.json"]
        result = run(file, "--out", out, *flags)
        assert result.returncode == EXIT_OK, result.stderr
        graph = onnx.load(str(out)).graph
        assert dims_of(graph.input)[:2] == [["batch", "new"], ["batch", "past + new"]], dims_of(graph.input)
        assert dims_of(graph.output)[1] == ["batch", 4, "past + new", 8], dims_of(graph.output)
        check_sizes(file, out, inputs)


@case
def what_axes_must_be_is_told() -> None:
    with scratch() as folder:
        file = trace(lambda: Decoder(2), decoder_inputs(3, 7, 2), folder)
        given = {"ids": "int64[batch=2,new=3]", "mask": "int64[batch=2,total=10]", **PAST}
        flags = [f"--input={path}:{text}" for path, text in given.items()]
        result = run(file, "--out", folder / "model.onnx", *flags)
        assert result.returncode == EXIT_USAGE, result.stderr
        assert "axis total as long as new + past alone; write new + past in its place" in result.stderr


# ---- axes that a model cannot be exported with -----------------------------------------------------


class Layer(nn.Module):
    """Strides that are formulas of the sizes, which no Conv of ONNX has."""

    def __init__(self, dims):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(4, 3, 3, 3))
        self.down, self.across = 2 in dims, 3 in dims

    def forward(self, x):
        down = x.size(2) // 16 if self.down else 1
        across = x.size(3) // 16 if self.across else 1
        return functional.conv2d(x.relu(), self.weight, stride=[down, across])


class Net(nn.Module):
    def __init__(self, *layers):
        super().__init__()
        self.layers = nn.ModuleList(Layer(dims) for dims in layers)

    def forward(self, x):
        return torch.cat([layer(x).flatten(1) for layer in self.layers], 1)


# Name: dims whose size each layer needs, and the remaining dims.
REFUSED = {
    "height": ([(2,)], ["batch", 3, 32, "width"]),
    "width": ([(3,)], ["batch", 3, "height", 32]),
    "both": ([(2, 3)], ["batch", 3, 32, 32]),
    "two-layers": ([(2,), (3,)], ["batch", 3, 32, 32]),
    "three-layers": ([(3,), (), (3,)], ["batch", 3, "height", 32]),
}
NAMES = ["batch", "channels", "height", "width"]


@case_for_each(REFUSED)
def an_axis_costs_itself_alone(name: str) -> None:
    layers, wanted = REFUSED[name]
    fixed = [axis for axis, dim in zip(NAMES, wanted) if dim == 32]
    with scratch() as folder:
        file, out = script(Net(*layers), folder), folder / "model.onnx"
        result = run(file, "--out", out)
        assert result.returncode == EXIT_OK, result.stderr
        assert dims_of(onnx.load(str(out)).graph.input) == [wanted]
        (note,) = [line for line in result.stderr.splitlines() if "is fixed to" in line]
        assert all(f"{axis} is fixed to 32" in note for axis in fixed), note
        assert "batch" not in note and "aten::" in note and "test_axes.py:" in note, note
        assert re.search(r"in layers\.\d", note), note
        assert "cannot be exported" not in result.stderr, result.stderr
        check_sizes(file, out, (torch.rand(2, 3, 32, 32),), least=3)


@case_for_each(REFUSED)
def axes_that_were_named_are_told(name: str) -> None:
    layers, wanted = REFUSED[name]
    with scratch() as folder:
        file = script(Net(*layers), folder)
        dims = ",".join(f"{axis}=32" if axis in ("height", "width") else size
                        for axis, size in zip(NAMES, ("batch=2", "3", "", "")))
        result = run(file, "--out", folder / "model.onnx", "--input", f"x:float32[{dims}]")
        assert result.returncode == EXIT_UNSUPPORTED, result.stderr
        told = result.stderr.splitlines()[-1]
        assert "it can be exported where" in told, result.stderr
        for axis, dim in zip(NAMES, wanted):
            assert (axis in told) == (dim == 32), told


class Random(nn.Module):
    def forward(self, x):
        return x + torch.rand_like(x)


@case
def nothing_is_said_where_no_axis_is_to_blame() -> None:
    with scratch() as folder:
        file = trace(Random, (torch.rand(2, 3),), folder)
        result = run(file, "--out", folder / "model.onnx", "--input", "x:float32[batch=2,3]")
        assert result.returncode == EXIT_UNSUPPORTED, result.stderr
        assert "it can be exported" not in result.stderr, result.stderr
        result = run(file, "--out", folder / "model.onnx")
        assert result.returncode == EXIT_UNSUPPORTED and "is fixed" not in result.stderr, result.stderr
