"""Inputs that nobody gave: modules of many kinds export without --input, with inputs of the right
dtypes and ranks, and the file is right for them."""

import re
import zipfile
from typing import Dict, List, Optional, Tuple

import torch
from torch import Tensor, nn

from harness import EXIT_OK, case, case_for_each, run, scratch
from numbers_check import assert_close, feed, reference, session


class Text(nn.Module):
    """Ids, a mask beside them, and positions up to the longest sequence."""

    def __init__(self):
        super().__init__()
        self.words, self.positions = nn.Embedding(60, 6), nn.Embedding(16, 6)

    def forward(self, ids, mask):
        x = self.words(ids) + self.positions(torch.arange(ids.shape[1]))
        return x + (1.0 - mask[:, :, None].to(x.dtype)) * -10.0


class BoolMask(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(60, 6)

    def forward(self, ids, padding):
        return self.words(ids).masked_fill(padding[:, :, None], 0.0)


class Boxes(nn.Module):
    """Four coordinates for every id."""

    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(60, 6), nn.Embedding(40, 6)

    def forward(self, ids, boxes):
        return self.words(ids) + self.places(boxes[:, :, 0]) + self.places(boxes[:, :, 3])


class Patches(nn.Module):
    """An image in patches, each of which has a position of its own: the size is fixed."""

    def __init__(self, patch: int, count: int, extra: int = 0):
        super().__init__()
        self.cut = nn.Conv2d(3, 8, patch, patch)
        self.start = nn.Parameter(torch.rand(1, extra, 8))
        self.positions = nn.Parameter(torch.rand(1, count + extra, 8))

    def forward(self, x):
        x = self.cut(x).flatten(2).transpose(1, 2)
        return torch.cat([self.start.expand(x.shape[0], -1, -1), x], 1) + self.positions


class Flat(nn.Module):
    """A classifier whose last layer fixes the image."""

    def __init__(self):
        super().__init__()
        self.convolution, self.head = nn.Conv2d(1, 4, 5), nn.Linear(4 * 12 * 12, 3)

    def forward(self, x):
        return self.head(torch.max_pool2d(self.convolution(x), 2).flatten(1))


class Wave(nn.Module):
    """Samples without channels."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Conv1d(1, 4, 10, 5), nn.Conv1d(4, 4, 400, 2)

    def forward(self, samples):
        return self.second(self.first(samples[:, None])).mean(2)


class Mel(nn.Module):
    """Frames of features, as many as there are positions."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv1d(20, 8, 3, 2, 1)
        self.positions = nn.Parameter(torch.rand(25, 8))

    def forward(self, frames):
        return self.first(frames).transpose(1, 2) + self.positions


class Frames(nn.Module):
    """A convolution over a matrix, and a layer that fixes its width."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Conv2d(1, 2, 3, 2, 1), nn.Linear(2 * 20, 5)

    def forward(self, frames):
        x = self.first(frames[:, None])
        return self.second(x.transpose(1, 2).flatten(2))


class Video(nn.Module):
    def __init__(self):
        super().__init__()
        self.patches = Patches(8, 16)

    def forward(self, video):
        batch, time, channels, height, width = video.shape
        x = self.patches(video.reshape(batch * time, channels, height, width))
        return x.reshape(batch, time, 16, 8).mean(1)


class Dual(nn.Module):
    """Text and an image."""

    def __init__(self):
        super().__init__()
        self.text, self.image = Text(), Patches(16, 9, 1)

    def forward(self, ids, image, mask):
        return self.text(ids, mask).mean(1) @ self.image(image).mean(1)[:, :6].t()


class Pair(nn.Module):
    """An encoder and a decoder."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(60, 6)

    def forward(self, ids, mask, decoder_ids):
        scores = self.words(decoder_ids) @ self.words(ids).transpose(1, 2)
        return scores.masked_fill(mask[:, None, :] == 0, -1e4).softmax(-1)


class Joined(nn.Module):
    """Two inputs whose features fit one layer only together."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(7, 4), nn.Linear(11, 2)

    def forward(self, x, y):
        return self.second(torch.cat([self.first(x), y], -1))


class Beside(nn.Module):
    """What is added to features has as many."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(7, 4)

    def forward(self, x, y):
        return self.layer(x) + y.relu()


class Baked(nn.Module):
    """Sizes of the example became constants."""

    def forward(self, x):
        return x.view(3, 5, 2, 3).transpose(1, 2)


class Moved(nn.Module):
    def forward(self, x):
        return x.permute(0, 2, 3, 1).softmax(-1)


class OneHot(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(12, 4)

    def forward(self, ids):
        return self.layer(nn.functional.one_hot(ids, 12).to(torch.float32))


class Optionals(nn.Module):
    """None stays None, and a flag keeps its default."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(7, 4)

    def forward(self, x, scale: Optional[Tensor] = None, double: bool = False):
        x = self.layer(x)
        if scale is not None:
            x = x * scale
        return x * 2 if double else x


class Needed(nn.Module):
    """Without its second argument it raises."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(60, 6)

    def forward(self, ids: Optional[Tensor] = None, mask: Optional[Tensor] = None):
        if ids is None:
            raise ValueError("no ids")
        x = self.words(ids)
        return x if mask is None else x * mask


class Checked(nn.Module):
    """The program looks at the sizes by itself."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Conv2d(3, 4, 3)

    def forward(self, x):
        if x.size(2) != 48 or x.size(3) != 48:
            raise ValueError("48 rows and columns")
        return self.layer(x)


class Past(nn.Module):
    """What was computed before comes in pairs of keys and values, one for each layer."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(60, 12)

    def forward(self, ids, past: Tuple[Tuple[Tensor, Tensor], Tuple[Tensor, Tensor]]):
        x = self.words(ids)
        for key, value in past:
            new = x.reshape(x.size(0), x.size(1), 3, 4).transpose(1, 2)
            keys, values = torch.cat([key, new], 2), torch.cat([value, new], 2)
            seen = (new @ keys.transpose(2, 3)).softmax(-1) @ values
            x = seen.transpose(1, 2).reshape(x.shape)
        return x


class Pieces(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.layer = nn.Embedding(60, 6), nn.Linear(5, 6)

    def forward(self, pieces: List[Tensor]):
        return self.words(pieces[0]) + self.layer(pieces[1])


class Batch(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(60, 6)

    def forward(self, batch: Dict[str, Tensor]):
        return self.words(batch["ids"]) * batch["mask"].unsqueeze(-1)


IDS = torch.arange(10).reshape(2, 5)
ONES = torch.ones(2, 5, dtype=torch.int64)

# Name: what makes it; the example that it is traced with, or None to script it; and the inputs.
MODELS = {
    "text": (Text, (IDS, ONES), ["int64[2,8]", "int64[2,8]"]),
    "bool-mask": (BoolMask, (IDS, ONES == 0), ["int64[2,8]", "bool[2,8]"]),
    "boxes": (Boxes, (IDS, torch.ones(2, 5, 4, dtype=torch.int64)), ["int64[2,8]", "int64[2,8,4]"]),
    "features": (lambda: nn.Linear(7, 4), (torch.rand(2, 7),), ["float32[2,7]"]),
    "image": (lambda: nn.Conv2d(3, 4, 3), None, ["float32[2,3,32,32]"]),
    "patches": (lambda: Patches(8, 36), (torch.rand(2, 3, 48, 48),), ["float32[2,3,48,48]"]),
    "patches-of-14": (lambda: Patches(14, 256, 1), (torch.rand(1, 3, 224, 224),), ["float32[2,3,224,224]"]),
    "flat": (Flat, (torch.rand(1, 1, 28, 28),), ["float32[2,1,28,28]"]),
    "volume": (lambda: nn.Conv3d(2, 4, 3), None, ["float32[2,2,32,32,32]"]),
    "wave": (Wave, (torch.rand(1, 4000),), [None]),
    "mel": (Mel, (torch.rand(2, 20, 50),), [None]),
    "frames": (Frames, (torch.rand(2, 60, 40),), [None]),
    "video": (Video, (torch.rand(2, 4, 3, 32, 32),), [None]),
    "dual": (Dual, (IDS, torch.rand(2, 3, 48, 48), ONES), ["int64[2,8]", "float32[2,3,48,48]", "int64[2,8]"]),
    "pair": (Pair, (IDS, ONES, IDS), ["int64[2,8]", "int64[2,8]", "int64[2,8]"]),
    "recurrent": (lambda: nn.LSTM(7, 4, batch_first=True), (torch.rand(2, 5, 7),), ["float32[2,8,7]"]),
    "channels": (lambda: nn.BatchNorm2d(7), (torch.rand(2, 7, 5, 5),), [None]),
    "joined": (Joined, (torch.rand(2, 7), torch.rand(2, 7)), ["float32[2,7]", "float32[2,7]"]),
    "beside": (Beside, (torch.rand(2, 7), torch.rand(2, 4)), ["float32[2,7]", "float32[2,4]"]),
    "baked": (Baked, (torch.rand(3, 5, 6),), [None]),
    "moved": (Moved, (torch.rand(3, 5, 6, 2),), [None]),
    "one-hot": (OneHot, (IDS,), ["int64[2,8]"]),
    "optionals": (Optionals, None, ["float32[2,7]"]),
    "needed": (Needed, None, ["int64[2,8]"]),
    "past": (Past, None, ["int64[2,8]"] + 4 * [None]),
    "pieces": (Pieces, None, [None, None]),
    "batch": (Batch, None, ["int64[2,8]", None]),
    "checked": (Checked, None, ["float32[2,3,48,48]"]),
}


def without_example(traced, file) -> None:
    """The archive does not tell what it was traced with."""
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
    """Dtype and dims of the inputs that were assumed."""
    found = re.findall(r"assumed --input [\w.]+:(\w+)\[(.*)\]", stderr)
    return [(dtype, [int(dim.split("=")[-1]) for dim in dims.split(",") if dim]) for dtype, dims in found]


def example_of(dtype: str, dims: list) -> Tensor:
    generator = torch.Generator().manual_seed(7)
    if dtype == "float32":
        return torch.rand(dims, generator=generator)
    return torch.randint(0, 2, dims, generator=generator).to(getattr(torch, dtype))


def nested(name: str, values: tuple) -> tuple:
    """The arguments of a module whose inputs are parts of them."""
    if name == "past":
        return values[0], ((values[1], values[2]), (values[3], values[4]))
    if name == "pieces":
        return (list(values),)
    return ({"ids": values[0], "mask": values[1]},) if name == "batch" else values


@case_for_each(MODELS)
def without_flags(name: str) -> None:
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
def what_no_sizes_satisfy() -> None:
    """Each size that it looks at differs from the other."""

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
