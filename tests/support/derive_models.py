"""Modules whose inputs are derived, and the expected inputs of each."""

from typing import Dict, List, Optional, Tuple

import torch
from torch import Tensor, nn


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
    """An image in patches with position embeddings, which fix the size."""

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
    """A tensor added to features has as many."""

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
    """The program checks the sizes itself."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Conv2d(3, 4, 3)

    def forward(self, x):
        if x.size(2) != 48 or x.size(3) != 48:
            raise ValueError("48 rows and columns")
        return self.layer(x)


class Past(nn.Module):
    """Caches come in pairs of keys and values, one per layer."""

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


class States(nn.Module):
    """The state of a recurrent layer is an input, as a tuple or one by one."""

    def __init__(self):
        super().__init__()
        self.words, self.layer = nn.Embedding(60, 6), nn.LSTM(6, 5, 2, batch_first=True)

    def forward(self, ids, hidden, cell):
        return self.layer(self.words(ids), (hidden, cell))


class State(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.layer = nn.Embedding(60, 6), nn.LSTM(6, 5, 2, batch_first=True)

    def forward(self, ids: Tensor, state: Tuple[Tensor, Tensor]):
        return self.layer(self.words(ids), state)


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(6, 5)

    def forward(self, x, hidden):
        return self.cell(x, hidden)


class Depth(nn.Module):
    """Images that are concatenated before the first layer."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Conv2d(4, 5, 3)

    def forward(self, image, depth):
        return self.layer(torch.cat([image, depth], 1))


class Hidden(nn.Module):
    """An image, and a mask of hidden parts."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Conv2d(3, 5, 3)

    def forward(self, image, mask):
        return self.layer(image * mask)


class Weighted(nn.Module):
    def forward(self, x, weights):
        return (x * weights.unsqueeze(-1)).sum(1) / weights.sum(1, keepdim=True)


class Nodes(nn.Module):
    """Edges are two rows of node numbers."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(6, 4)

    def forward(self, x, edges):
        h = self.layer(x)
        return torch.zeros_like(h).index_add(0, edges[1], h[edges[0]])


class Columns(nn.Module):
    """Every column is a feature of its own."""

    def __init__(self):
        super().__init__()
        self.words = nn.ModuleList(nn.Embedding(20, 6) for _ in range(3))
        self.layer = nn.Linear(13, 6)

    def forward(self, dense, sparse):
        x = self.layer(dense)
        for i, words in enumerate(self.words):
            x = x + words(sparse[:, i])
        return x


class Sampled(nn.Module):
    def forward(self, image, grid):
        return nn.functional.grid_sample(image, grid, align_corners=False)


class Summed(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(5, 4))

    def forward(self, x, y):
        return torch.einsum("bti,ij,bsj->bts", x, self.weight, y)


class Scores(nn.Module):
    """The mask broadcasts with the scores."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(60, 6)

    def forward(self, ids, mask):
        x = self.words(ids).reshape(ids.shape[0], ids.shape[1], 2, 3).transpose(1, 2)
        return nn.functional.scaled_dot_product_attention(x, x, x, attn_mask=mask)


class Spectrum(nn.Module):
    """A layer fixes the product of bands and frames."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Conv2d(1, 2, 3, 2, 1), nn.Linear(2 * 40 * 25, 5)

    def forward(self, frames):
        return self.second(self.first(frames.unsqueeze(1)).flatten(1))


class Losses(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Conv2d(3, 4, 3, padding=1)

    def forward(self, image, classes):
        return nn.functional.cross_entropy(self.layer(image), classes)


class Flag(nn.Module):
    """A flag without a default is false, unless that is refused."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(7, 4)

    def forward(self, x, twice: bool, known: bool):
        if not known:
            raise ValueError("unknown")
        return self.layer(x) * 2 if twice else self.layer(x)


class Stacked(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Conv2d(3, 4, 3)

    def forward(self, images: List[Tensor]):
        return self.layer(torch.stack(images))


class Cached(nn.Module):
    """A list of unknown length."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(60, 12)

    def forward(self, ids, past: List[Tensor]):
        x = self.words(ids)
        for layer in range(2):
            new = x.reshape(x.size(0), x.size(1), 3, 4).transpose(1, 2)
            keys, values = [torch.cat([past[2 * layer + k], new], 2) for k in range(2)]
            x = ((new @ keys.transpose(2, 3)).softmax(-1) @ values).transpose(1, 2).reshape(x.shape)
        return x


IDS = torch.arange(10).reshape(2, 5)
ONES = torch.ones(2, 5, dtype=torch.int64)

# Name: its maker; the example for tracing, or None to script it; and the inputs.
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
    "states": (States, (IDS, torch.rand(2, 2, 5), torch.rand(2, 2, 5)),
               ["int64[2,8]", "float32[2,2,5]", "float32[2,2,5]"]),
    "state": (State, None, ["int64[2,8]", "float32[2,2,5]", "float32[2,2,5]"]),
    "cell": (Cell, (torch.rand(2, 6), torch.rand(2, 5)), ["float32[2,6]", "float32[2,5]"]),
    "depth": (Depth, (torch.rand(1, 3, 8, 8), torch.rand(1, 1, 8, 8)),
              ["float32[2,2,32,32]", "float32[2,2,32,32]"]),
    "hidden": (Hidden, (torch.rand(1, 3, 8, 8), torch.rand(1, 1, 8, 8)),
               ["float32[2,3,32,32]", "float32[2,3,32,32]"]),
    "weighted": (Weighted, (torch.rand(2, 5, 3), torch.rand(2, 5)), [None, "float32[2,8]"]),
    "nodes": (Nodes, (torch.rand(5, 6), IDS % 5), ["float32[2,6]", "int64[2,8]"]),
    "columns": (Columns, (torch.rand(2, 13), IDS[:, :3] % 5), ["float32[2,13]", "int64[2,3]"]),
    "sampled": (Sampled, (torch.rand(1, 3, 8, 8), torch.rand(1, 4, 4, 2)),
                ["float32[2,3,32,32]", "float32[2,8,8,2]"]),
    "summed": (Summed, (torch.rand(2, 3, 5), torch.rand(2, 6, 4)), [None, None]),
    "scores": (Scores, (IDS, torch.ones(2, 1, 5, 5) > 0), ["int64[2,8]", None]),
    "spectrum": (Spectrum, (torch.rand(2, 80, 50),), ["float32[2,80,50]"]),
    "losses": (Losses, (torch.rand(2, 3, 8, 8), torch.ones(2, 8, 8, dtype=torch.int64)),
               ["float32[2,3,32,32]", "int64[2,32,32]"]),
    "double": (lambda: nn.Linear(7, 4).double(), (torch.rand(2, 7).double(),), ["float64[2,7]"]),
    "half": (lambda: nn.Linear(7, 4).half(), (torch.rand(2, 7).half(),), ["float16[2,7]"]),
    "stacked": (Stacked, None, ["float32[3,8,8]", None]),
    "cached": (Cached, None, ["int64[2,8]"] + 4 * [None]),
}

# Conditions of tests/support/skips.py.
NEEDS = {"scores": "aten::scaled_dot_product_attention"}
