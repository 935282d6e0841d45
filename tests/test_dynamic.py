"""Axes that nobody named: those that the model does not fix are dynamic, and the file is right at other
sizes."""

import math

import onnx
import torch
from torch import nn

from harness import EXIT_OK, case, case_for_each, run, scratch
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
    """An encoder and a decoder, whose sequences have lengths of their own."""

    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(50, 6)

    def forward(self, ids, decoder_ids):
        return self.embedding(decoder_ids) @ self.embedding(ids).transpose(1, 2)


class Baked(nn.Module):
    """A size becomes a Python number, which the tracer takes for a constant."""

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
    """One feature for 32 by 32 pixels: there is nothing smaller, and a little more is no more."""

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


# Name: what makes it, inputs, the axes of each, and whether it is scripted.
MODELS = {
    "layers": (lambda: nn.Sequential(nn.Linear(4, 5), nn.ReLU(), nn.Linear(5, 2)), (torch.rand(2, 4),),
               [["batch", 4]], False),
    "image": (convolutions, (torch.rand(1, 3, 32, 32),), [["batch", 3, "height", "width"]], False),
    "coarse": (Coarse, (torch.rand(1, 3, 32, 32),), [["batch", 3, "height", "width"]], False),
    "attention": (Attention, (IDS, torch.ones(8, 8)), [["batch", "sequence"], ["sequence", "sequence"]], False),
    "attention-rows": (Attention, (IDS, torch.ones(2, 1, 8)),
                       [["batch", "sequence"], ["batch", 1, "sequence"]], False),
    "pair": (Pair, (IDS, IDS[:, :6]), [["batch", "sequence"], ["batch", "decoder_ids_sequence"]], False),
    "baked": (Baked, (torch.rand(3, 2, 5),), [[3, "sequence", "x_dim_2"]], False),
    "steps": (Steps, (IDS,), [["batch", "sequence"]], False),
    "patches": (Grid, (torch.rand(2, 3, 8, 16),), [["batch", "x_dim_1", "height", "width"]], False),
    "scripted": (convolutions, (torch.rand(2, 3, 32, 32),), [["batch", 3, "height", "width"]], True),
    "recurrent": (lambda: nn.GRU(4, 3), (torch.rand(5, 2, 4),), [["batch", "sequence", 4]], False),
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
    """Inputs with sizes of their own for every axis: multiples of what was traced, so that patches
    fit, and never beyond the 32 positions."""
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
    """Where inputs are given, their axes are dynamic that have names."""
    with scratch() as folder:
        file, _, _ = make("layers", folder)
        out = folder / "model.onnx"
        result = run(file, "--out", out, "--input", ":float32[rows=3,4]")
        assert result.returncode == EXIT_OK, result.stderr
        assert dims_of(onnx.load(str(out))) == [["rows", 4]]
        result = run(file, "--out", out, "--input", ":float32[3,4]")
        assert dims_of(onnx.load(str(out))) == [[3, 4]]
