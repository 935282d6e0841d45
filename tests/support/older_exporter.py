"""Makes ONNX files with PyTorch's older exporter: older_exporter.py FOLDER writes NAME.onnx, and
NAME.npz with the inputs of a run in the order of the file's."""

import sys
import warnings
from pathlib import Path

import numpy
import torch
from torch import nn

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from models.make import build, example_inputs  # noqa: E402
from models.table import ALL  # noqa: E402

SAMPLES = ("bert-tiny", "distilbert-sdpa", "transformer-traced", "vit")


class Whole(nn.Module):
    """Wraps a sample model without its forward()'s options, which this exporter would fill in."""

    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, *arrays):
        return self.network(*arrays)


# ---- images ----------------------------------------------------------------------------------------


class Block(nn.Module):
    def __init__(self, inner, outer, stride):
        super().__init__()
        self.conv = nn.Conv2d(inner, outer, 3, stride, 1, bias=False)
        self.norm = nn.BatchNorm2d(outer)
        self.down = nn.Conv2d(inner, outer, 1, stride)

    def forward(self, x):
        return torch.relu(self.norm(self.conv(x)) + self.down(x))


class Images(nn.Module):
    """A residual network, followed by upsampling."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 7, 2, 3)
        self.pool = nn.MaxPool2d(3, 2, 1)
        self.blocks = nn.Sequential(Block(8, 8, 1), Block(8, 16, 2))
        self.up = nn.Upsample(scale_factor=2)
        self.spread = nn.ConvTranspose2d(16, 4, 2, 2)
        self.average = nn.AdaptiveAvgPool2d(1)
        self.head = nn.Linear(16, 5)

    def forward(self, x):
        x = self.blocks(self.pool(self.stem(x)))
        image = self.spread(self.up(nn.functional.pad(x, (1, 1, 1, 1))))
        return self.head(torch.flatten(self.average(x), 1)), image


# ---- text ------------------------------------------------------------------------------------------


class Attention(nn.Module):
    def __init__(self, size, heads):
        super().__init__()
        self.heads = heads
        self.all = nn.Linear(size, 3 * size)
        self.project = nn.Linear(size, size)

    def forward(self, x, past):
        batch, length, size = x.shape
        q, k, v = (part.view(batch, length, self.heads, -1).transpose(1, 2)
                   for part in self.all(x).split(size, 2))
        k, v = torch.cat((past[0], k), 2), torch.cat((past[1], v), 2)
        total = k.size(2)
        later = torch.arange(total) > torch.arange(total - length, total)[:, None]
        weights = (q @ k.transpose(2, 3)).masked_fill(later, -1e9).softmax(-1)
        return self.project((weights @ v).transpose(1, 2).reshape(batch, length, size)), k, v


class Layer(nn.Module):
    def __init__(self, size, heads):
        super().__init__()
        self.norm = nn.LayerNorm(size)
        self.attention = Attention(size, heads)
        self.up = nn.Linear(size, 4 * size)
        self.down = nn.Linear(4 * size, size)

    def forward(self, x, past):
        made, k, v = self.attention(self.norm(x), past)
        x = x + made
        return x + self.down(nn.functional.gelu(self.up(x))), k, v


class Decoder(nn.Module):
    """Like GPT-2, with cached keys and values."""

    def __init__(self, size=8, heads=2):
        super().__init__()
        self.tokens = nn.Embedding(20, size)
        self.positions = nn.Embedding(64, size)
        self.first = Layer(size, heads)
        self.second = Layer(size, heads)
        self.head = nn.Linear(size, 20)

    def forward(self, ids, keys, values):
        begin = keys.size(2)
        x = self.tokens(ids) + self.positions(torch.arange(begin, begin + ids.size(1)))
        x, k, v = self.first(x, (keys, values))
        x, _, _ = self.second(x, (keys, values))
        return self.head(x), k, v


# ---- control flow ----------------------------------------------------------------------------------


class Gate(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.linear = nn.Linear(size, size)

    def forward(self, x):
        return torch.sigmoid(self.linear(x))


class Branches(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.gate = Gate(size)
        self.other = nn.Linear(size, size)

    def forward(self, x):
        if bool(x.sum() > 0):
            x = self.gate(x)
        else:
            x = self.other(x) - 1
        return x * 2


class Repeated(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.gate = Gate(size)

    def forward(self, x, times: int):
        for _ in range(times):
            x = self.gate(x) + x
        return x


class Control(nn.Module):
    """An If and a Loop, for scripting."""

    def __init__(self, size=6):
        super().__init__()
        self.first = Branches(size)
        self.second = Repeated(size)
        self.norm = nn.LayerNorm(size)
        self.last = nn.Linear(size, 3)

    def forward(self, x):
        x = self.second(self.first(x), x.size(0))
        return self.last(self.norm(x))


# ---- files -----------------------------------------------------------------------------------------


def write(folder: Path, name: str, module, arrays: dict, axes: dict, **options) -> None:
    torch.onnx.export(module, tuple(arrays.values()), str(folder / f"{name}.onnx"), dynamo=False,
                      input_names=list(arrays), dynamic_axes=axes, **options)
    numpy.savez(folder / f"{name}.npz", *(a.numpy() for a in arrays.values()))


def write_sample(folder: Path, name: str) -> None:
    model = ALL[name]
    arrays = dict(zip((i.name for i in model.inputs), example_inputs(model, model.traced)))
    axes = {i.name: {n: dim for n, dim in enumerate(i.dims) if isinstance(dim, str)}
            for i in model.inputs}
    write(folder, name, Whole(build(model)), arrays, axes)


def main() -> None:
    warnings.filterwarnings("ignore")
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True)
    torch.manual_seed(0)
    for name in SAMPLES:
        write_sample(folder, name)
    image = {"image": torch.randn(2, 3, 33, 40)}
    axes = {"image": {0: "batch", 2: "height", 3: "width"}}
    for opset in (11, 13, 17):
        write(folder, f"images-{opset}", Images().eval(), image, axes, opset_version=opset)
    text = {"ids": torch.arange(6).reshape(2, 3), "keys": torch.randn(2, 2, 4, 4),
            "values": torch.randn(2, 2, 4, 4)}
    past = {0: "batch", 2: "past length"}
    axes = {"ids": {0: "batch", 1: "length"}, "keys": past, "values": past}
    for opset in (11, 17):
        write(folder, f"decoder-{opset}", Decoder().eval(), text, axes, opset_version=opset)
    write(folder, "control", torch.jit.script(Control().eval()), {"x": torch.randn(4, 6)},
          {"x": {0: "rows"}})


if __name__ == "__main__":
    main()
