"""Recurrent layers between pack_padded_sequence and pad_packed_sequence."""

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from building import Cases

CASES = Cases()
call, layer = CASES.call, CASES.layer

SORTED = torch.tensor([7, 5, 5, 1])
UNSORTED = torch.tensor([2, 7, 1, 5])
BATCH_SECOND = {0: {0: "length", 1: "batch"}, 1: {0: "batch"}}
BATCH_FIRST = {0: {0: "batch", 1: "length"}, 1: {0: "batch"}}


class Packed(nn.Module):
    """A layer on packed data, padded again."""

    def __init__(self, inner, is_sorted=False, total=None, padding=0.0):
        super().__init__()
        self.inner = inner
        self.is_sorted, self.total, self.padding = is_sorted, total, padding

    def forward(self, x, lengths):
        batch_first = self.inner.batch_first
        packed = pack_padded_sequence(x, lengths, batch_first, self.is_sorted)
        packed, states = self.inner(packed)
        padded, lengths = pad_packed_sequence(packed, batch_first, self.padding, self.total)
        return padded, states, lengths


class Last(nn.Module):
    """A classifier on the last states."""

    def __init__(self):
        super().__init__()
        self.inner = nn.LSTM(3, 5, batch_first=True, bidirectional=True)
        self.head = nn.Linear(10, 2)

    def forward(self, x, lengths):
        packed = pack_padded_sequence(x, lengths, True, False)
        _, (hidden, _) = self.inner(packed)
        return self.head(torch.cat([hidden[0], hidden[1]], 1))


class Mean(nn.Module):
    """The mean of the valid steps."""

    def __init__(self):
        super().__init__()
        self.inner = nn.GRU(3, 5, batch_first=True)

    def forward(self, x, lengths):
        packed = pack_padded_sequence(x, lengths, True, False)
        padded, _ = pad_packed_sequence(self.inner(packed)[0], True)
        return padded.sum(1) / lengths.unsqueeze(1)


LAYERS = [
    ("lstm", nn.LSTM, {}), ("gru", nn.GRU, {}), ("rnn-tanh", nn.RNN, {}),
    ("rnn-relu", nn.RNN, {"nonlinearity": "relu"}),
]
FORMS = [
    ("plain", {}, {}), ("batch-first", {"batch_first": True}, {}), ("total", {}, {"total": 9}),
    ("bidirectional", {"bidirectional": True}, {}), ("no-bias", {"bias": False}, {}),
    ("padding", {"batch_first": True}, {"padding": -2.5}),
    ("all", {"batch_first": True, "bidirectional": True, "num_layers": 3}, {"total": 12}),
]
for name, kind, more in LAYERS:
    for form, options, packing in FORMS:
        options = options | more
        is_first = options.get("batch_first", False)
        shape, axes = ((4, 7, 3), BATCH_FIRST) if is_first else ((7, 4, 3), BATCH_SECOND)
        fixed = {n: dict(a) for n, a in axes.items()}
        del fixed[0][1 if is_first else 0]
        layer(f"{name}/{form}", lambda k=kind, o=options, p=packing: Packed(k(3, 5, **o), **p), shape, UNSORTED,
              dynamic=fixed if packing.get("total") else axes)
        layer(f"{name}/{form}-sorted",
              lambda k=kind, o=options, p=packing: Packed(k(3, 5, **o), is_sorted=True, **p), shape, SORTED)
    for form, options, packing in (FORMS[0], FORMS[3], FORMS[4], FORMS[6]):
        first = options.get("batch_first", False)
        layer(f"{name}/float64/{form}",
              lambda k=kind, o=options | more, p=packing: Packed(k(3, 5, **o).double(), **p),
              ((4, 7, 3) if first else (7, 4, 3), torch.float64), UNSORTED, dynamic={} if first else BATCH_SECOND)
for form, options, packing in FORMS:
    first = options.get("batch_first", False)
    layer(f"lstm/projections/{form}", lambda o=options, p=packing: Packed(nn.LSTM(3, 5, proj_size=2, **o), **p),
          (4, 7, 3) if first else (7, 4, 3), UNSORTED)
layer("last", Last, (4, 7, 3), UNSORTED, dynamic=BATCH_FIRST)
layer("mean", Mean, (4, 7, 3), UNSORTED, dynamic=BATCH_FIRST)
layer("shorter-than-padding", lambda: Packed(nn.LSTM(3, 5)), (9, 4, 3), UNSORTED, dynamic=BATCH_SECOND)
layer("one", lambda: Packed(nn.LSTM(3, 5)), (7, 1, 3), torch.tensor([4]), dynamic=BATCH_SECOND)
call("data", lambda x, n: pack_padded_sequence(x, n, True).data, (4, 7, 3), SORTED)
call("data-more-dims", lambda x, n: pack_padded_sequence(x, n, True).data, (4, 7, 3, 2), SORTED)
call("batch-sizes", lambda x, n: pack_padded_sequence(x, n, True).batch_sizes, (4, 7, 3), SORTED)
call("there-and-back", lambda x, n: pad_packed_sequence(pack_padded_sequence(x, n, True, False), True)[0],
     ((4, 7, 3), torch.float16), UNSORTED, dynamic=BATCH_FIRST)
call("int64", lambda x, n: pad_packed_sequence(pack_padded_sequence(x, n, True, False), True, -1)[0],
     ((4, 7), torch.int64), UNSORTED, dynamic=BATCH_FIRST)

# 1.13 has no meta kernels of these layers, and its tracer records lengths as constants.
for case in CASES:
    case["needs"] = (2, 0)
