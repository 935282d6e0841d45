"""Makes one network's models with three exporters: three_exporters.py FOLDER writes

net.pt        traced, for htp-trace
older.onnx    torch.onnx.export(dynamo=False), which names nodes by their modules
newer.onnx    torch.onnx.export(dynamo=True), if onnxscript is installed
external.onnx the newer one with its weights in a separate file
"""

import sys
import warnings
from pathlib import Path

import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.query = nn.Linear(size, size)
        self.key = nn.Linear(size, size)

    def forward(self, x):
        return torch.softmax(self.query(x) @ self.key(x).transpose(1, 2), -1) @ x


class Layer(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.attention = Attention(size)
        self.norm = nn.LayerNorm(size)
        self.up = nn.Linear(size, 2 * size)
        self.down = nn.Linear(2 * size, size)

    def forward(self, x):
        x = self.norm(x + self.attention(x))
        return x + self.down(torch.relu(self.up(x)))


class Encoder(nn.Module):
    def __init__(self, size, count):
        super().__init__()
        self.layer = nn.ModuleList(Layer(size) for _ in range(count))

    def forward(self, x):
        for layer in self.layer:
            x = layer(x)
        return x


class Head(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.project = nn.Linear(size, 3)

    def forward(self, x):
        return self.project(x.mean(1))


class Net(nn.Module):
    """12 layers, since Layer.1 is a prefix of Layer.10."""

    def __init__(self, size=16):
        super().__init__()
        self.embed = nn.Embedding(50, size)
        self.encoder = Encoder(size, 12)
        self.head = Head(size)

    def forward(self, ids):
        return self.head(self.encoder(self.embed(ids)))


def main() -> None:
    warnings.filterwarnings("ignore")
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True)
    torch.manual_seed(0)
    model = Net().eval()
    ids = torch.zeros(2, 5, dtype=torch.int64)
    torch.jit.trace(model, ids).save(str(folder / "net.pt"))
    older = {} if torch.__version__ < "2" else {"dynamo": False}
    torch.onnx.export(model, (ids,), str(folder / "older.onnx"), input_names=["ids"], **older)
    try:
        import onnxscript  # noqa: F401  (the newer exporter needs it)
    except ImportError:
        return
    newer = {"dynamo": True, "verbose": False, "input_names": ["ids"]}
    torch.onnx.export(model, (ids,), str(folder / "newer.onnx"), external_data=False, **newer)
    torch.onnx.export(model, (ids,), str(folder / "external.onnx"), external_data=True, **newer)


if __name__ == "__main__":
    main()
