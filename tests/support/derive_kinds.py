"""Modules of common kinds, with the expected derived inputs for each, scripted and traced."""

from typing import Dict, List, Optional

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class Viterbi(nn.Module):
    """The best scores of a chain of labels."""

    def __init__(self, count: int = 7):
        super().__init__()
        self.start, self.moves = nn.Parameter(torch.randn(count)), nn.Parameter(torch.randn(count, count))

    def forward(self, emissions):
        score = self.start + emissions[:, 0]
        for t in range(1, emissions.shape[1]):
            score = (score.unsqueeze(2) + self.moves + emissions[:, t].unsqueeze(1)).max(1)[0]
        return score


class Chain(Viterbi):
    """The likelihood of labels, with a mask of their lengths."""

    def forward(self, emissions, labels, mask):
        score = self.start + emissions[:, 0]
        gold = emissions[:, 0].gather(1, labels[:, 0:1]).squeeze(1)
        for t in range(1, emissions.shape[1]):
            kept = mask[:, t].unsqueeze(1)
            following = (score.unsqueeze(2) + self.moves + emissions[:, t].unsqueeze(1)).logsumexp(1)
            score = following * kept + score * (1 - kept)
            gold = gold + self.moves[labels[:, t - 1], labels[:, t]] * mask[:, t]
        return score.logsumexp(1) - gold


class Decoded(nn.Module):
    """Boxes of a detector's head, as corners, and the best class of each."""

    def forward(self, found):
        sides = found[:, :, 2:4] / 2
        corners = torch.cat([found[:, :, 0:2] - sides, found[:, :, 0:2] + sides], 2)
        area = found[:, :, 2] * found[:, :, 3] * found[:, :, 0] * found[:, :, 1]
        best = found[:, :, 5:].max(2)[0] * found[:, :, 4]
        return corners, best, area


class Levels(nn.Module):
    """A detection head that adds a grid to maps of several sizes."""

    def __init__(self):
        super().__init__()
        self.heads = nn.ModuleList(nn.Conv2d(channels, 6, 1) for channels in (4, 8))

    def forward(self, maps: List[Tensor]):
        found: List[Tensor] = []
        for i, head in enumerate(self.heads):
            x = head(maps[i])
            rows, columns = torch.arange(x.shape[2]), torch.arange(x.shape[3])
            grid = rows[:, None] * 100 + columns[None, :]
            found.append((x + grid).flatten(2))
        return torch.cat(found, 2).permute(0, 2, 1)


class Overlaps(nn.Module):
    """Intersection over union of two lists of boxes."""

    def forward(self, one, other):
        areas = (one[:, 2] - one[:, 0]) * (one[:, 3] - one[:, 1])
        others = (other[:, 2] - other[:, 0]) * (other[:, 3] - other[:, 1])
        first, last = torch.max(one[:, None, :2], other[:, :2]), torch.min(one[:, None, 2:], other[:, 2:])
        sides = (last - first).clamp(min=0)
        common = sides[:, :, 0] * sides[:, :, 1]
        return common / (areas[:, None] + others + 1.0)


class Moved(nn.Module):
    """Boxes, and an offset for each."""

    def forward(self, boxes, deltas):
        left, top, right, bottom = boxes.unbind(-1)
        dx, dy, dw, dh = deltas.unbind(-1)
        width, height = right - left, bottom - top
        return torch.stack([left + dx * width, top + dy * height, dw * width, dh * height], -1)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.query, self.key, self.value = nn.Linear(16, 16), nn.Linear(16, 16), nn.Linear(16, 16)

    def attend(self, x, scores):
        return scores.softmax(-1) @ self.value(x)

    def forward(self, x, mask):
        scores = self.query(x) @ self.key(x).transpose(1, 2)
        return self.attend(x, scores.masked_fill(~mask.unsqueeze(1), -1e4))


class PairMask(Attention):
    def forward(self, x, mask):
        scores = self.query(x) @ self.key(x).transpose(1, 2)
        return self.attend(x, scores.masked_fill(mask == 0, -1e4))


class AddedMask(Attention):
    def forward(self, x, mask):
        scores = self.query(x) @ self.key(x).transpose(1, 2)
        return self.attend(x, scores + (1.0 - mask[:, None, :]) * -1e4)


class Padded(nn.Module):
    """PyTorch's own encoder, and its key padding mask."""

    def __init__(self):
        super().__init__()
        layer = nn.TransformerEncoderLayer(16, 4, 32, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)

    def forward(self, src, padding):
        return self.encoder(src, src_key_padding_mask=padding)


class Translated(nn.Module):
    """PyTorch's own encoder and decoder, and the causal mask."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Transformer(16, 4, 1, 1, 32, batch_first=True)

    def forward(self, src, tgt, mask):
        return self.layers(src, tgt, tgt_mask=mask)


class Pointers(nn.Module):
    """Scores of sequence elements selected by indices."""

    def __init__(self):
        super().__init__()
        self.query = nn.Linear(16, 16)

    def forward(self, x, chosen, mask):
        query = self.query(x.gather(1, chosen.unsqueeze(-1).expand(-1, -1, x.size(2))))
        return (query @ x.transpose(1, 2)).masked_fill(mask.unsqueeze(1) == 0, -1e4).log_softmax(-1)


class Likelihood(nn.Module):
    """A loss whose target has the prediction's sizes."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(16, 1)

    def forward(self, x, y):
        return F.binary_cross_entropy_with_logits(self.layer(x).squeeze(1), y)


class Packed(nn.Module):
    """Sequences of several lengths."""

    def __init__(self):
        super().__init__()
        self.words, self.layer = nn.Embedding(30, 16), nn.LSTM(16, 8, batch_first=True)

    def forward(self, ids, lengths):
        x = nn.utils.rnn.pack_padded_sequence(self.words(ids), lengths, True, enforce_sorted=False)
        return nn.utils.rnn.pad_packed_sequence(self.layer(x)[0], True)[0]


class Pooled(nn.Module):
    """The mean over the valid steps."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(80, 16)

    def forward(self, x, lengths):
        mask = torch.arange(x.size(1))[None, :] < lengths[:, None]
        return (self.layer(x) * mask.unsqueeze(-1)).sum(1) / lengths.unsqueeze(1)


class Last(nn.Module):
    """The last step of each sequence."""

    def __init__(self):
        super().__init__()
        self.words, self.layer = nn.Embedding(30, 16), nn.GRU(16, 8, batch_first=True)

    def forward(self, ids, lengths):
        return self.layer(self.words(ids))[0][torch.arange(ids.size(0)), lengths - 1]


class Edges(nn.Module):
    """Messages along edges, which have features, too."""

    def __init__(self):
        super().__init__()
        self.nodes, self.edges = nn.Linear(16, 8), nn.Linear(3, 8)

    def forward(self, x, edge_index, edge_attr):
        start, end = edge_index[0], edge_index[1]
        x = self.nodes(x)
        return torch.zeros_like(x).index_add(0, end, x[start] + self.edges(edge_attr))


class Ratings(nn.Module):
    """A user and an item, as ids."""

    def __init__(self):
        super().__init__()
        self.users, self.things = nn.Embedding(30, 8), nn.Embedding(40, 8)
        self.layer = nn.Linear(16, 1)

    def forward(self, user, thing):
        return self.layer(torch.cat([self.users(user), self.things(thing)], 1))


class Table(nn.Module):
    """Columns of categories, and columns of numbers."""

    def __init__(self):
        super().__init__()
        self.words, self.layer = nn.ModuleList(nn.Embedding(n, 4) for n in (5, 6, 7)), nn.Linear(17, 1)

    def forward(self, categories, numbers):
        parts: List[Tensor] = []
        for i, words in enumerate(self.words):
            parts.append(words(categories[:, i]))
        parts.append(numbers)
        return self.layer(torch.cat(parts, 1))


class Denoiser(nn.Module):
    """An image, a time step, and text for conditioning."""

    def __init__(self):
        super().__init__()
        self.layer, self.times, self.words = nn.Conv2d(4, 8, 3, padding=1), nn.Linear(16, 8), nn.Linear(12, 8)

    def forward(self, sample, timestep, words):
        angles = timestep[:, None].float() * torch.arange(8)[None, :]
        times = self.times(torch.cat([angles.sin(), angles.cos()], -1))
        x = self.layer(sample) + times[:, :, None, None]
        seen = self.words(words)
        return (x.flatten(2).transpose(1, 2) @ seen.transpose(1, 2)).softmax(-1) @ seen


class Flow(nn.Module):
    """An image warped by a flow field."""

    def forward(self, image, flow):
        batch, channels, height, width = image.shape
        rows, columns = torch.arange(height).float(), torch.arange(width).float()
        grid = torch.stack([columns[None, :].expand(height, width), rows[:, None].expand(height, width)], 0)
        grid = (grid.unsqueeze(0) + flow).permute(0, 2, 3, 1) / 16 - 1
        return F.grid_sample(image, grid, align_corners=True)


class Optionals(nn.Module):
    """None stays None; the mask has no use without it."""

    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(16, 4, batch_first=True)

    def forward(self, x, padding: Optional[Tensor] = None):
        return self.attention(x, x, x, key_padding_mask=padding)[0]


class Named(nn.Module):
    """Contents of a dict."""

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(30, 16)

    def forward(self, batch: Dict[str, Tensor]):
        return self.words(batch["ids"]).masked_fill(batch["mask"].unsqueeze(-1), 0.0)


class Spans(nn.Module):
    """The first and the last step of a part of each sequence."""

    def forward(self, x, starts, ends):
        rows = torch.arange(x.size(0))
        return torch.cat([x[rows, starts], x[rows, ends]], -1)


class IntRead(nn.Module):
    def forward(self, x, n):
        return x * int(n)


class FloatRead(nn.Module):
    def forward(self, x, n):
        return x * float(n) + n


class BoolRead(nn.Module):
    def forward(self, x, flag):
        return x * 2 if bool(flag) else x - 1


def times_int(x: Tensor, n: int):
    return x * n


def times_float(x: Tensor, n: float):
    return x * n


class IntImplied(nn.Module):
    def forward(self, x, n):
        return times_int(x, n)


class FloatImplied(nn.Module):
    def forward(self, x, n):
        return times_float(x, n)


class ScalarImplied(nn.Module):
    def forward(self, x, n):
        return torch.full([2, 3], n) + x.sum()


class ItemRead(nn.Module):
    def forward(self, x, n):
        return x + n.item()


class ItemOfInt(nn.Module):
    def forward(self, x, n):
        return x * int(n.item())


class PickedNumber(nn.Module):
    """The first of several numbers."""

    def forward(self, x, n):
        return x * int(n[0])


STEPS = torch.randint(0, 5, (2, 5))
X = torch.rand(2, 5, 16)
BOXES = torch.rand(6, 4)
SCRIPT, TRACE = "script", "trace"

# Modules, examples for tracing (None: only scripted), and the inputs to derive (None: nothing particular is expected).
KINDS = {
    "viterbi": (Viterbi, (torch.rand(2, 5, 7),), ["float32[2,{8|5},7]"]),
    "chain": (Chain, (torch.rand(2, 5, 7), STEPS, torch.ones(2, 5)),
              ["float32[2,{8|5},7]", "int64[2,{8|5}]", "float32[2,8]"]),
    "decoded": (Decoded, (torch.rand(1, 20, 10),), ["float32[2,8,6]"]),
    "levels": (Levels, None, ["float32[2,4,32,32]", "float32[2,8,32,32]"]),
    "overlaps": (Overlaps, (BOXES, BOXES[:3]), ["float32[2,4]", "float32[2,4]"]),
    "moved": (Moved, (BOXES, BOXES), ["float32[2,4]", "float32[2,4]"]),
    "mask-of-keys": (Attention, (X, STEPS > 2), ["float32[2,8,16]", "bool[2,8]"]),
    "mask-of-pairs": (PairMask, (X, torch.ones(2, 5, 5)), ["float32[2,8,16]", "float32[2,8,8]"]),
    "mask-added": (AddedMask, (X, torch.ones(2, 5)), ["float32[2,8,16]", "float32[2,8]"]),
    "padded": (Padded, (X, STEPS > 2), ["float32[2,8,16]", "bool[2,8]"]),
    "translated": (Translated, (X, X[:, :4], torch.zeros(4, 4)),
                   ["float32[2,8,16]", "float32[2,8,16]", "bool[8,8]"]),
    "pointers": (Pointers, (X, STEPS[:, :3], torch.ones(2, 5)),
                 ["float32[2,8,16]", "int64[2,8]", "float32[2,8]"]),
    "likelihood": (Likelihood, (torch.rand(3, 16), torch.rand(3)), ["float32[2,16]", "float32[2]"]),
    "packed": (Packed, (STEPS, torch.tensor([5, 3])), ["int64[2,8]", "int64[2]"]),
    "pooled": (Pooled, (torch.rand(2, 20, 80), torch.tensor([20, 11])), ["float32[2,8,80]", "int64[2]"]),
    "last": (Last, (STEPS, torch.tensor([5, 3])), ["int64[2,8]", "int64[2]"]),
    "edges": (Edges, (torch.rand(6, 16), STEPS, torch.rand(5, 3)), ["float32[2,16]", None, None]),
    "ratings": (Ratings, (STEPS[0], STEPS[1]), ["int64[8]", "int64[8]"]),
    "table": (Table, (STEPS[:, :3], torch.rand(2, 5)), ["int64[2,3]", "float32[2,5]"]),
    "denoiser": (Denoiser, (torch.rand(1, 4, 8, 8), torch.tensor([5]), torch.rand(1, 7, 12)),
                 ["float32[2,4,32,32]", "float32[2]", "float32[2,8,12]"]),
    "flow": (Flow, (torch.rand(1, 3, 16, 16), torch.rand(1, 2, 16, 16)), [None, None]),
    "optionals": (Optionals, None, ["float32[2,8,16]"]),
    "named": (Named, None, ["int64[2,8]", "bool[2,8]"]),
    "int": (IntRead, None, ["float32[2,8]", "int64[]"]),
    "float": (FloatRead, None, ["float32[2,8]", "float32[]"]),
    "bool": (BoolRead, None, ["float32[2,8]", "bool[]"]),
    "int-implied": (IntImplied, None, ["float32[2,8]", "int64[]"]),
    "float-implied": (FloatImplied, None, ["float32[2,8]", "float32[]"]),
    "scalar-implied": (ScalarImplied, None, ["float32[2,8]", "float32[]"]),
    "item": (ItemRead, None, ["float32[2,8]", "float32[]"]),
    "item-of-int": (ItemOfInt, None, ["float32[2,8]", "int64[]"]),
    "picked-number": (PickedNumber, None, ["float32[2,8]", "int64[2]"]),
    "spans": (Spans, (X, STEPS[:, 0], STEPS[:, 1]), [None, "int64[2]", "int64[2]"]),
}

FORMS = [f"{name}/{form}" for name, (_, example, _) in KINDS.items() for form in (SCRIPT, TRACE)
         if example or form == SCRIPT]
