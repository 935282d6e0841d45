"""LSTM, GRU and RNN layers and cells."""

from typing import List

import torch
from torch import nn

from building import Cases, randomized

CASES = Cases()
call, layer = CASES.call, CASES.layer

BATCH_SECOND = {0: {0: "length", 1: "batch"}}
BATCH_FIRST = {0: {0: "batch", 1: "length"}}


class WithStates(nn.Module):
    """Calls a layer with initial states that are inputs."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x, *states):
        return self.inner(x, states if len(states) > 1 else states[0])


def options_of(batch_first, bidirectional, bias, layers):
    return dict(batch_first=batch_first, bidirectional=bidirectional, bias=bias, num_layers=layers)


LAYERS = [
    ("lstm", nn.LSTM, {}), ("gru", nn.GRU, {}), ("rnn-tanh", nn.RNN, {}),
    ("rnn-relu", nn.RNN, {"nonlinearity": "relu"}),
]
FORMS = [
    ("plain", options_of(False, False, True, 1)),
    ("batch-first", options_of(True, False, True, 1)),
    ("bidirectional", options_of(False, True, True, 1)),
    ("no-bias", options_of(False, False, False, 1)),
    ("all", options_of(True, True, True, 3)),
    ("all-no-bias", options_of(True, True, False, 2)),
]

# ---- layers ----------------------------------------------------------------------------------------

for name, kind, more in LAYERS:
    states = 2 if kind is nn.LSTM else 1
    for form, options in FORMS:
        options = options | more
        axes = BATCH_FIRST if options["batch_first"] else BATCH_SECOND
        rows = options["num_layers"] * (2 if options["bidirectional"] else 1)
        batch = 4 if options["batch_first"] else 7
        state_axes = {i + 1: {1: "batch"} for i in range(states)}
        layer(f"{name}/{form}", lambda k=kind, o=options: k(3, 5, **o), (4, 7, 3), dynamic=axes)
        layer(f"{name}/{form}-states", lambda k=kind, o=options: WithStates(k(3, 5, **o)),
              (4, 7, 3), *[(rows, batch, 5)] * states, dynamic=axes | state_axes)
        layer(f"{name}/float64/{form}", lambda k=kind, o=options: k(3, 5, **o).double(),
              ((4, 7, 3), torch.float64), dynamic=axes)
        layer(f"{name}/float64/{form}-states", lambda k=kind, o=options: WithStates(k(3, 5, **o).double()),
              ((4, 7, 3), torch.float64), *[((rows, batch, 5), torch.float64)] * states, dynamic=axes | state_axes)
    layer(f"{name}/unbatched", lambda k=kind, o=more: k(3, 5, **o), (7, 3), dynamic={0: {0: "length"}})
    layer(f"{name}/float16", lambda k=kind, o=more: k(3, 5, **o).half(), ((4, 7, 3), torch.float16),
          roundings=3)
    layer(f"{name}/bfloat16", lambda k=kind, o=more: k(3, 5, **o).bfloat16(),
          ((4, 7, 3), torch.bfloat16), roundings=3)
    layer(f"{name}/float64/unbatched", lambda k=kind, o=more: k(3, 5, **o).double(), ((7, 3), torch.float64),
          dynamic={0: {0: "length"}})
    layer(f"{name}/dropout", lambda k=kind, o=more: k(3, 5, num_layers=2, dropout=0.5, **o), (4, 7, 3))
    layer(f"{name}/one-step", lambda k=kind, o=more: k(3, 5, **o), (1, 2, 3), dynamic=BATCH_SECOND)

for form, options in FORMS:
    axes = BATCH_FIRST if options["batch_first"] else BATCH_SECOND
    rows = options["num_layers"] * (2 if options["bidirectional"] else 1)
    batch = 4 if options["batch_first"] else 7
    layer(f"lstm/projections/{form}", lambda o=options: nn.LSTM(3, 5, proj_size=2, **o), (4, 7, 3), dynamic=axes)
    layer(f"lstm/projections/{form}-states", lambda o=options: WithStates(nn.LSTM(3, 5, proj_size=2, **o)),
          (4, 7, 3), (rows, batch, 2), (rows, batch, 5), dynamic=axes | {1: {1: "batch"}, 2: {1: "batch"}})
layer("lstm/projections/float64", lambda: nn.LSTM(3, 5, proj_size=2).double(), ((4, 7, 3), torch.float64))
layer("lstm/projections/float16", lambda: nn.LSTM(3, 5, proj_size=2).half(), ((4, 7, 3), torch.float16), roundings=3)


class Training(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.LSTM(3, 5, num_layers=2, dropout=0.5)

    def forward(self, x):
        self.inner.train()
        return self.inner(x)


layer("lstm/training", Training, (4, 7, 3), refused="it is in training mode")


class Last(nn.Module):
    """Uses one of the outputs."""

    def __init__(self, which):
        super().__init__()
        self.inner = nn.LSTM(3, 5, num_layers=2, bidirectional=True)
        self.which = which

    def forward(self, x):
        sequence, (hidden, memory) = self.inner(x)
        return {"sequence": sequence[-1], "hidden": hidden[-2], "memory": memory[0]}[self.which]


for which in ("sequence", "hidden", "memory"):
    layer(f"lstm/only-{which}", lambda w=which: Last(w), (4, 7, 3), dynamic=BATCH_SECOND)

# Weights that are inputs are no initializers.
call("gru/weights-are-inputs",
     lambda x, h, a, b, c, d: torch.gru(x, h, (a, b, c, d), True, 1, 0.0, False, False, False),
     (4, 7, 3), (1, 7, 5), (15, 3), (15, 5), (15,), (15,))

# ---- cells -----------------------------------------------------------------------------------------

CELLS = [
    ("lstm", nn.LSTMCell, {}), ("gru", nn.GRUCell, {}), ("rnn-tanh", nn.RNNCell, {}),
    ("rnn-relu", nn.RNNCell, {"nonlinearity": "relu"}),
]
for name, kind, more in CELLS:
    states = 2 if kind is nn.LSTMCell else 1
    for bias in (True, False):
        options = dict(more, bias=bias)
        form = "" if bias else "-no-bias"
        layer(f"cell/{name}{form}", lambda k=kind, o=options: WithStates(k(3, 5, **o)), (4, 3),
              *[(4, 5)] * states, dynamic={i: {0: "batch"} for i in range(states + 1)})
    layer(f"cell/{name}-alone", lambda k=kind, o=more: k(3, 5, **o), (4, 3), dynamic={0: {0: "batch"}})
    layer(f"cell/{name}-unbatched", lambda k=kind, o=more: k(3, 5, **o), (3,))
    layer(f"cell/{name}-float64", lambda k=kind, o=more: k(3, 5, **o).double(), ((4, 3), torch.float64))
    layer(f"cell/{name}-float16", lambda k=kind, o=more: k(3, 5, **o).half(), ((4, 3), torch.float16),
          roundings=2)


class Loop(nn.Module):
    """A cell in a loop over time, which tracing unrolls."""

    def __init__(self):
        super().__init__()
        self.cell = nn.LSTMCell(3, 5)

    def forward(self, x):
        state = (x.new_zeros(x.shape[1], 5), x.new_zeros(x.shape[1], 5))
        steps = []
        for part in x.unbind(0):
            state = self.cell(part, state)
            steps.append(state[0])
        return torch.stack(steps)


layer("cell/loop", Loop, (4, 7, 3), dynamic={0: {1: "batch"}})

# ---- layers on parts of a sequence -----------------------------------------------------------------


class Counted(nn.Module):
    """A layer on parts of four steps, whose state continues from part to part."""

    def __init__(self):
        super().__init__()
        self.layer = nn.LSTM(3, 5, batch_first=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h, c = torch.zeros(1, x.size(0), 5), torch.zeros(1, x.size(0), 5)
        parts: List[torch.Tensor] = []
        for i in range(0, x.size(1), 4):
            y, (h, c) = self.layer(x[:, i : i + 4], (h, c))
            parts.append(y)
        return torch.cat(parts, 1)


class Split(Counted):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h, c = torch.zeros(1, x.size(0), 5), torch.zeros(1, x.size(0), 5)
        parts: List[torch.Tensor] = []
        for part in x.split(4, 1):
            y, (h, c) = self.layer(part, (h, c))
            parts.append(y)
        return torch.cat(parts, 1)


class While(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.GRU(3, 5, 2, bidirectional=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = torch.zeros(4, x.size(1), 5)
        parts: List[torch.Tensor] = []
        i = 0
        while i < x.size(0):
            y, h = self.layer(x[i : i + 3], h)
            parts.append(y)
            i += 3
        return torch.cat(parts, 0)


class Selected(nn.Module):
    """A data-dependent number of steps."""

    def __init__(self):
        super().__init__()
        self.layer = nn.RNN(3, 5, batch_first=True)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(x[:, x[0, :, 0] > -9])[0]


def scripted(name, make, dynamic):
    CASES.add(name, lambda: randomized(make()), (2, 10, 3), script=True, dynamic=dynamic,
              others=lambda: [[torch.randn(*sizes, 3)] for sizes in ((1, 4), (3, 7), (2, 16), (2, 3))])


for name, kind in {"counted": Counted, "split": Split, "selected": Selected}.items():
    scripted(f"parts/{name}", kind, BATCH_FIRST)
scripted("parts/while", While, BATCH_SECOND)
