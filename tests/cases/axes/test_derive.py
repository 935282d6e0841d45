"""Derived inputs: modules of many kinds export without --input, with inputs of the right dtypes and ranks, and the file
is right for them."""

import re
import zipfile
from typing import Tuple

import torch
from torch import Tensor, nn

from derive_models import MODELS, NEEDS, Flag
from harness import EXIT_OK, case, case_for_each, run, scratch, skip_unless
from numbers_check import assert_close, feed, reference, session


def without_example(traced, file) -> None:
    """The archive has no inputs of tracing."""
    whole = file.with_suffix(".whole")
    torch.jit.save(traced, str(whole))
    with zipfile.ZipFile(whole) as source, zipfile.ZipFile(file, "w") as target:
        for name in source.namelist():
            if "traced_inputs" not in name:
                target.writestr(zipfile.ZipInfo(name), source.read(name))


def make(name: str, folder):
    module, example, wanted = MODELS[name]
    torch.manual_seed(6)
    module = module().eval()
    file = folder / "model.pt"
    with torch.no_grad():
        model = torch.jit.trace(module, example, check_trace=False) if example else torch.jit.script(module)
    without_example(model, file)
    return file, wanted


def assumed(stderr: str) -> list:
    """Dtype and dims of the assumed inputs."""
    found = re.findall(r"assumed --input [\w.]+:(\w+)\[(.*)\]", stderr)
    return [(dtype, [int(dim.split("=")[-1]) for dim in dims.split(",") if dim]) for dtype, dims in found]


def example_of(dtype: str, dims: list) -> Tensor:
    generator = torch.Generator().manual_seed(7)
    if dtype.startswith("float"):
        return torch.rand(dims, generator=generator).to(getattr(torch, dtype))
    return torch.randint(0, 2, dims, generator=generator).to(getattr(torch, dtype))


def nested(name: str, values: tuple) -> tuple:
    """The nested arguments of a module, from flat inputs."""
    if name == "past":
        return values[0], ((values[1], values[2]), (values[3], values[4]))
    if name == "state":
        return values[0], tuple(values[1:])
    if name == "cached":
        return values[0], list(values[1:])
    if name in ("pieces", "stacked"):
        return (list(values),)
    return ({"ids": values[0], "mask": values[1]},) if name == "batch" else values


@case_for_each(MODELS)
def without_flags(name: str) -> None:
    if name in NEEDS:
        skip_unless(NEEDS[name])
    with scratch() as folder:
        file, wanted = make(name, folder)
        out = folder / "model.onnx"
        result = run(file, "--out", out)
        assert result.returncode == EXIT_OK, result.stderr
        inputs = assumed(result.stderr)
        told = [f"{dtype}[{','.join(map(str, dims))}]" for dtype, dims in inputs]
        assert len(told) == len(wanted) and all(b in (None, a) for a, b in zip(told, wanted)), told
        values = tuple(example_of(*one) for one in inputs)
        runner = session(out)
        assert_close(feed(runner, values), reference(file, nested(name, values)), name)


@case
def flags_without_a_default() -> None:
    with scratch() as folder:
        file, out = folder / "model.pt", folder / "model.onnx"
        torch.jit.save(torch.jit.script(Flag().eval()), str(file))
        result = run(file, "--out", out)
        assert result.returncode == EXIT_OK, result.stderr
        assert "--input twice:bool=false\n" in result.stderr, result.stderr
        assert "--input known:bool=true\n" in result.stderr, result.stderr
        x = example_of("float32", [2, 7])
        assert_close(feed(session(out), (x,)), reference(file, (x, False, True)), "flag")


class Numbers(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(7, 4)

    def forward(self, x, pair: Tuple[Tensor, int], scale: float, twice: bool):
        return self.layer(x) * scale + pair[0] * pair[1]


@case
def numbers_are_asked_for() -> None:
    """With the flags for all arguments, in one line."""
    with scratch() as folder:
        file, out = folder / "model.pt", folder / "model.onnx"
        torch.jit.save(torch.jit.script(Numbers().eval()), str(file))
        result = run(file, "--out", out)
        assert result.returncode == 2 and not out.exists(), result.stderr
        assert len(result.stderr.splitlines()) == 1, result.stderr
        assert 'argument "pair.1" is missing' in result.stderr, result.stderr
        flags = result.stderr.split("; pass ")[1].split()
        assert flags[3] == "pair.0:float32[2,8]", flags
        given = [flag.replace("=VALUE", "=2").replace("[2,8]", "[2,4]") for flag in flags]
        assert run(file, "--out", out, *given).returncode == EXIT_OK


class Bags(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.EmbeddingBag(20, 6, mode="sum")

    def forward(self, ids, offsets):
        return self.words(ids, offsets)


@case
def bags() -> None:
    """A search that must avoid inputs on which libtorch crashes; and right inputs."""
    with scratch() as folder:
        file, out = folder / "model.pt", folder / "model.onnx"
        example = (torch.arange(9), torch.tensor([0, 3, 5]))
        without_example(torch.jit.trace(Bags().eval(), example), file)
        result = run(file, "--out", out)
        assert result.returncode == EXIT_OK, result.stderr
        assert [(dtype, len(dims)) for dtype, dims in assumed(result.stderr)] == 2 * [("int64", 1)]
        result = run(file, "--out", out, "--input", "ids:int64[2,8]", "--input", "offsets:int64[2,8]")
        assert result.returncode == 2 and len(result.stderr.splitlines()) == 1, result.stderr


@case
def what_no_sizes_satisfy() -> None:
    """Two sizes that the module compares always differ."""

    class Never(nn.Module):
        def forward(self, x):
            if x.size(0) == x.size(0):
                raise ValueError("never")
            return x

    with scratch() as folder:
        file = folder / "model.pt"
        torch.jit.save(torch.jit.script(Never()), str(file))
        result = run(file, "--out", folder / "model.onnx")
        assert result.returncode == 2, result.stderr
        assert "never" in result.stderr and "inputs were assumed" in result.stderr, result.stderr
        assert len(result.stderr.splitlines()) == 1, result.stderr


class Recurrent(nn.Module):
    """A layer whose code takes inputs without a batch, too."""

    def __init__(self, layer: nn.Module):
        super().__init__()
        self.layer = layer

    def forward(self, x):
        return self.layer(x)[0]


class Carried(Recurrent):
    def forward(self, x, state: Tuple[Tensor, Tensor]):
        return self.layer(x, state)


class Turned(Recurrent):
    """The steps are its last dim, whatever the layer has first."""

    def forward(self, x):
        return self.layer(x.permute(2, 0, 1))[0]


class Cached(nn.Module):
    """Keys of earlier steps, and the new ones."""

    def __init__(self):
        super().__init__()
        self.keys = nn.Linear(8, 8)

    def forward(self, x, past):
        keys = self.keys(x).reshape(x.shape[0], x.shape[1], 2, 4).transpose(1, 2)
        keys = torch.cat([past, keys], 2)
        return keys @ keys.transpose(2, 3)


STEPS, BATCH_FIRST = "sequence=8,batch=2", "batch=2,sequence=8"
LAYERS = {
    "gru": (lambda: Recurrent(nn.GRU(5, 3, batch_first=True)), [f"{BATCH_FIRST},5"]),
    "gru-steps": (lambda: Recurrent(nn.GRU(5, 3)), [f"{STEPS},5"]),
    "rnn": (lambda: Recurrent(nn.RNN(5, 3, batch_first=True)), [f"{BATCH_FIRST},5"]),
    "lstm": (lambda: Carried(nn.LSTM(5, 3, 2, batch_first=True)),
             [f"{BATCH_FIRST},5", "2,batch=2,3", "2,batch=2,3"]),
    "lstm-steps": (lambda: Carried(nn.LSTM(5, 3)), [f"{STEPS},5", "1,batch=2,3", "1,batch=2,3"]),
    "cell": (lambda: Carried(nn.LSTMCell(5, 3)), ["batch=2,5", "batch=2,3", "batch=2,3"]),
    "turned": (lambda: Turned(nn.GRU(5, 3)), ["batch=2,5,x_dim_2=5"]),
    "cached": (Cached, [f"{BATCH_FIRST},8", "batch=2,2,past_dim_2=32,4"]),
}


@case_for_each(LAYERS)
def names_of_axes(name: str) -> None:
    """Scripted layers are assumed to have a batch, and only images have a height."""
    module, wanted = LAYERS[name]
    with scratch() as folder:
        file = folder / "model.pt"
        torch.jit.save(torch.jit.script(module().eval()), str(file))
        result = run(file, "--out", folder / "model.onnx")
        assert result.returncode == EXIT_OK, result.stderr
        assert re.findall(r"assumed --input .*\[(.*)\]", result.stderr) == wanted, result.stderr
