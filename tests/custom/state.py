"""Makes scripted models with state.

Usage: state.py DIR   Run by the Python whose torch is to make the files.

Writes DIR/NAME.pt; DIR/NAME.json, the flags that it is exported with, and "first", what its first
values are said to be; DIR/NAME.npz, the inputs of twenty calls, and what libtorch computes from them.
"""

import json
import sys
import warnings
from pathlib import Path
from typing import Dict, List, Optional, Tuple

import numpy
import torch
from torch import nn

warnings.filterwarnings("ignore")

CALLS = 20


class Gru(nn.Module):
    """State that begins as None and has the batch's size."""

    h: Optional[torch.Tensor]

    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(4, 6)
        self.h = None

    def forward(self, x):
        h = self.h
        if h is None:
            h = torch.zeros(x.size(0), 6)
        h = self.cell(x, h)
        self.h = h
        return h.sum(1)


class Lstm(nn.Module):
    hc: Optional[Tuple[torch.Tensor, torch.Tensor]]

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(4, 5, num_layers=2, batch_first=True)
        self.hc = None

    def forward(self, x):
        y, hc = self.lstm(x, self.hc)
        self.hc = hc
        return y


class Policy(nn.Module):
    """A policy of a robot: the hidden state is a buffer that is changed in place."""

    def __init__(self):
        super().__init__()
        self.cell = nn.LSTMCell(3, 4)
        self.head = nn.Linear(4, 2)
        self.register_buffer("hidden", torch.zeros(1, 4))
        self.register_buffer("carry", torch.full((1, 4), 0.25))

    def forward(self, x):
        h, c = self.cell(x, (self.hidden, self.carry))
        self.hidden[:] = h
        self.carry[:] = c
        return self.head(h).tanh()

    @torch.jit.export
    def reset(self):
        self.hidden[:] = 0.0
        self.carry[:] = 0.25

    @torch.jit.export
    def peek(self, scale: float):
        return self.hidden * scale


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.register_buffer("h", torch.ones(2, 4))

    def forward(self, x):
        self.h = torch.tanh(self.linear(x) + self.h)
        return self.h


class Twice(nn.Module):
    """State in a submodule that is called twice."""

    def __init__(self):
        super().__init__()
        self.cell = Cell()

    def forward(self, x):
        return self.cell(self.cell(x)) + x


class Cache(nn.Module):
    """Keys and values of all calls: it begins empty and grows."""

    def __init__(self):
        super().__init__()
        self.keys, self.values = nn.Linear(4, 4), nn.Linear(4, 4)
        self.register_buffer("past_keys", torch.zeros(1, 0, 4))
        self.register_buffer("past_values", torch.zeros(1, 0, 4))

    def forward(self, x):
        self.past_keys = torch.cat([self.past_keys, self.keys(x)], 1)
        self.past_values = torch.cat([self.past_values, self.values(x)], 1)
        weights = torch.softmax(x @ self.past_keys.transpose(1, 2), -1)
        return weights @ self.past_values


class Window(nn.Module):
    """A context of fixed length that begins as an empty tensor, and is reset if sizes change."""

    def __init__(self):
        super().__init__()
        self.convolution = nn.Conv1d(2, 3, 3)
        self.context = torch.zeros(0)
        self.last_batch = 0

    def forward(self, x):
        if self.last_batch and self.last_batch != x.size(0):
            self.context = torch.zeros(0)
        if not len(self.context):
            self.context = torch.zeros(x.size(0), 2, 2)
        x = torch.cat([self.context, x], 2)
        self.context = x[:, :, -2:]
        self.last_batch = x.size(0)
        return self.convolution(x)


class Counters(nn.Module):
    """Numbers, a flag, and a buffer that is changed in place."""

    def __init__(self):
        super().__init__()
        self.calls = 0
        self.total = 0.5
        self.flag = False
        self.register_buffer("decayed", torch.arange(4).float())

    def forward(self, x):
        self.calls += 1
        self.total += float(x.sum())
        if self.flag:
            x = x * 2
        self.flag = not self.flag
        self.decayed[:] = self.decayed * 0.5 + x
        return self.decayed * self.calls, self.total


class Mean(nn.Module):
    """A running mean that is initialised by a flag."""

    def __init__(self):
        super().__init__()
        self.is_begun = False
        self.register_buffer("mean", torch.zeros(3))

    def forward(self, x):
        if not self.is_begun:
            self.mean = x.clone()
            self.is_begun = True
        else:
            self.mean = 0.9 * self.mean + 0.1 * x
        return self.mean


class Lists(nn.Module):
    queue: List[torch.Tensor]
    sums: Dict[str, torch.Tensor]

    def __init__(self):
        super().__init__()
        self.queue = [torch.zeros(3), torch.ones(3)]
        self.sums = {"a": torch.zeros(3)}

    def forward(self, x):
        self.queue.append(x)
        y = self.queue.pop(0)
        self.sums["a"] = self.sums["a"] + x
        return y + self.sums["a"]


class Branch(nn.Module):
    """A buffer that one side of a branch changes in place, and the other one reads."""

    def __init__(self):
        super().__init__()
        self.register_buffer("a", torch.zeros(3))

    def forward(self, x):
        if bool(x.sum() > 0):
            self.a += x
        else:
            x = self.a * 2
        return self.a + x


class Traced(nn.Module):
    """A view of a buffer that a traced model writes to."""

    def __init__(self):
        super().__init__()
        self.register_buffer("last", torch.zeros(3, 4))

    def forward(self, x):
        self.last[1:].copy_(x)
        return x + self.last.cumsum(0)[1:]


class Lazy(nn.Module):
    """A number that only the first call sets."""

    scale: Optional[float]

    def __init__(self):
        super().__init__()
        self.scale = None

    def forward(self, x):
        if self.scale is None:
            self.scale = 2.0
        scale = self.scale
        assert scale is not None
        return x * scale


class Swapped(nn.Module):
    """Two buffers that are swapped; then one is changed in place."""

    def __init__(self):
        super().__init__()
        self.register_buffer("a", torch.zeros(3))
        self.register_buffer("b", torch.ones(3))

    def forward(self, x):
        a = self.a
        self.a = self.b
        self.b = a
        self.a += x
        return self.a - self.b


class Delay(nn.Module):
    """Numbers that are constant from the fourth call on."""

    def __init__(self):
        super().__init__()
        self.now, self.next, self.after = 0, 0, 0

    def forward(self, x):
        y = x * self.now + self.next
        self.now, self.next, self.after = self.next, self.after, 3
        return y


class Loop(nn.Module):
    """State that a data-dependent loop changes, in place and not."""

    def __init__(self):
        super().__init__()
        self.register_buffer("h", torch.zeros(3))
        self.register_buffer("sum", torch.zeros(3))
        self.count = 0

    def forward(self, x):
        for _ in range(int(x.abs().sum())):
            self.h = self.h * 0.5 + x
            self.sum += x
            self.count += 1
        return self.h + self.sum * self.count


class Ring(nn.Module):
    """A ring buffer that is written row by row."""

    def __init__(self):
        super().__init__()
        self.register_buffer("rows", torch.zeros(4, 3))
        self.at = 0

    def forward(self, x):
        self.rows[self.at] = x
        self.at = (self.at + 1) % 4
        return self.rows.mean(0)


class Static(nn.Module):
    """Keys of all calls, written into a buffer of fixed length."""

    def __init__(self):
        super().__init__()
        self.register_buffer("keys", torch.zeros(1, 64, 4))
        self.at = 0

    def forward(self, x):
        end = self.at + x.size(1)
        self.keys[:, self.at:end] = x
        self.at = end
        keys = self.keys[:, :end]
        return torch.softmax(x @ keys.transpose(1, 2), -1) @ keys


class Rounds(nn.Module):
    """A ring buffer of which several rows are written at a time."""

    def __init__(self):
        super().__init__()
        self.register_buffer("rows", torch.zeros(40, 3))
        self.at = 0

    def forward(self, x):
        begin = self.at % self.rows.size(0)
        first = min(x.size(0), self.rows.size(0) - begin)
        self.rows[begin:begin + first] = x[:first]
        self.rows[:x.size(0) - first] = x[first:]
        self.at += x.size(0)
        return self.rows.mean(0)


class Statistics(nn.Module):
    """Norms in training mode, which update running statistics."""

    def __init__(self):
        super().__init__()
        self.batch = nn.BatchNorm2d(3)
        self.convolution = nn.Conv2d(3, 4, 3)
        self.mean = nn.BatchNorm2d(4, momentum=None)
        self.instance = nn.InstanceNorm2d(4, affine=True, track_running_stats=True)

    def forward(self, x):
        x = self.instance(self.mean(self.convolution(self.batch(x))))
        return x, self.batch.running_var, self.mean.running_mean, self.instance.running_var


class Hidden(nn.Module):
    """An attribute without readers is no state."""

    last: Optional[torch.Tensor]

    def __init__(self):
        super().__init__()
        self.last = None

    def forward(self, x):
        self.last = x * 2
        return x + 1


def models():
    """Name, model, flags, what first values are said to be, and the inputs of a call."""
    zeros, saved = "zeros", "as saved"
    yield "gru", Gru(), ["x:float32[batch=2,4]"], {"h": zeros}, lambda: torch.randn(3, 4)
    yield ("lstm", Lstm(), ["x:float32[batch=2,steps=3,4]"], {"hc.0": zeros, "hc.1": zeros},
           lambda: torch.randn(3, 2, 4))
    yield ("policy", Policy(), ["x:float32[1,3]"], {"hidden": zeros, "carry": "all 0.25"},
           lambda: torch.randn(1, 3))
    yield "twice", Twice(), ["x:float32[2,4]"], {"cell.h": "ones"}, lambda: torch.randn(2, 4)
    yield ("cache", Cache(), ["x:float32[1,tokens=3,4]"],
           {"past_keys": "empty", "past_values": "empty"},
           lambda: torch.randn(1, int(torch.randint(1, 4, ())), 4))
    yield ("window", Window(), ["x:float32[batch=2,2,samples=5]"], {"context": zeros},
           lambda: torch.randn(4, 2, 7))
    yield ("counters", Counters(), ["x:float32[4]"],
           {"decayed": saved, "calls": "0", "total": "0.5", "flag": "false"},
           lambda: torch.randn(4))
    yield "mean", Mean(), ["x:float32[3]"], {"mean": zeros, "is_begun": "false"}, \
        lambda: torch.randn(3)
    yield ("lists", Lists(), ["x:float32[3]"],
           {"queue.0": zeros, "queue.1": "ones", "sums.0": zeros}, lambda: torch.randn(3))
    yield "branch", Branch(), ["x:float32[3]"], {"a": zeros}, lambda: torch.randn(3)
    yield "traced", Traced(), ["x:float32[2,4]"], {"last": zeros}, lambda: torch.randn(2, 4)
    yield "swapped", Swapped(), ["x:float32[3]"], {"a": zeros, "b": "ones"}, lambda: torch.randn(3)
    yield ("delay", Delay(), ["x:float32[3]"], {"now": "0", "next": "0", "after": "0"},
           lambda: torch.randn(3))
    yield ("loop", Loop(), ["x:float32[3]"], {"h": zeros, "sum": zeros, "count": "0"},
           lambda: torch.randn(3))
    yield ("ring", Ring(), ["x:float32[3]"], {"rows": zeros, "at": "0"}, lambda: torch.randn(3))
    yield ("static", Static(), ["x:float32[1,tokens=3,4]"], {"keys": zeros, "at": "0"},
           lambda: torch.randn(1, int(torch.randint(1, 4, ())), 4))
    yield ("rounds", Rounds(), ["x:float32[rows=3,3]"], {"rows": zeros, "at": "0"},
           lambda: torch.randn(int(torch.randint(1, 6, ())), 3))
    first = {"running_mean": zeros, "running_var": "ones", "num_batches_tracked": "0"}
    yield ("statistics", Statistics(), ["x:float32[batch=2,3,8,8]"],
           {f"{norm}.{name}": first[name] for norm in ("batch", "mean", "instance")
            for name in first if (norm, name) != ("instance", "num_batches_tracked")},
           lambda: torch.randn(int(torch.randint(1, 5, ())), 3, 8, 8) * 2 + 1)
    yield "lazy", Lazy(), ["x:float32[3]"], {}, lambda: torch.randn(3)
    yield "hidden", Hidden(), ["x:float32[3]"], {}, lambda: torch.randn(3)


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    torch.set_grad_enabled(False)
    for name, model, flags, first, call in models():
        torch.manual_seed(len(name))
        for parameter in model.parameters():
            parameter.copy_(torch.randn_like(parameter) * 0.6)
        if name == "traced":
            scripted = torch.jit.trace(model.eval(), call(), check_trace=False)
            scripted.last.zero_()
        else:
            scripted = torch.jit.script(model.train(name == "statistics"))
        torch.jit.save(scripted, str(folder / f"{name}.pt"))
        arrays = {}
        for number in range(CALLS):
            x = call()
            outputs = scripted(x)
            arrays[f"{number:02}/input"] = x.numpy()
            for i, output in enumerate(outputs if isinstance(outputs, tuple) else (outputs,)):
                arrays[f"{number:02}/output/{i}"] = numpy.array(output)
        numpy.savez(folder / f"{name}.npz", **arrays)
        (folder / f"{name}.json").write_text(json.dumps({"flags": flags, "first": first}))


main()
