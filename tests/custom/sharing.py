"""Makes models whose layers compute the same sizes and masks: sharing.py FOLDER writes NAME.pt and NAME.npz, with
inputs xN, idsN and outputs yN of two batches.

layers   three layers, each of which makes positions and a mask of the same token ids
twice    a layer that is called twice
branches layers in the two bodies of an If, one before it that runs in a body, too, and one behind it
masks    modules that give a mask and do nothing else
"""

import sys
import warnings
from pathlib import Path

import numpy
import torch
from torch import nn

WIDTH = 6


class Mask(nn.Module):
    def forward(self, ids):
        positions = torch.arange(ids.size(1))
        return (ids != 0)[:, None, :] & (positions[None, :] <= positions[:, None])[None]


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.mask = Mask()
        self.linear = nn.Linear(WIDTH, WIDTH)

    def forward(self, x, ids):
        scores = torch.matmul(x, x.transpose(1, 2))
        scores = torch.where(self.mask(ids), scores, torch.full_like(scores, -1e4))
        mixed = torch.matmul(torch.softmax(scores, -1), self.linear(x))
        return mixed.reshape(ids.size(0) * ids.size(1), -1).view(ids.size(0), ids.size(1), -1)


class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(Layer() for _ in range(3))

    def forward(self, x, ids):
        for layer in self.layers:
            x = layer(x, ids)
        return x


class Twice(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = Layer()
        self.last = Layer()

    def forward(self, x, ids):
        return self.last(self.layer(torch.tanh(self.layer(x, ids)), ids), ids)


class Branches(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = Layer()
        self.left = Layer()
        self.right = Layer()
        self.last = Layer()

    def forward(self, x, ids):
        shifted = ids + 1
        x = self.first(x, ids)
        if bool(x.sum() > 0):
            y = self.left(x, shifted) + self.first(x, ids)
        else:
            y = self.right(x, shifted)
        return self.last(y, shifted)


class Masks(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = Mask()
        self.b = Mask()

    def forward(self, x, ids):
        return x * self.a(ids).sum(-1, keepdim=True) + x[:, :1] * self.b(ids).sum(-1, keepdim=True)


def main() -> None:
    warnings.filterwarnings("ignore")
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True)
    torch.manual_seed(0)
    made = (("layers", Layers()), ("twice", Twice()), ("branches", Branches()), ("masks", Masks()))
    for name, model in made:
        stored = {}
        for rows, columns in ((2, 5), (3, 4)):
            x = torch.randn(rows, columns, WIDTH)
            ids = torch.randint(0, 3, (rows, columns))
            ids[:, 0] = 1
            stored |= {f"x{rows}": x.numpy(), f"ids{rows}": ids.numpy()}
            with torch.no_grad():
                stored[f"y{rows}"] = model(x, ids).numpy()
        compiled = (torch.jit.script(model) if name == "branches"
                    else torch.jit.trace(model, (x, ids), check_trace=False))
        compiled.save(str(folder / f"{name}.pt"))
        numpy.savez(folder / f"{name}.npz", **stored)


if __name__ == "__main__":
    main()
