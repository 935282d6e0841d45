"""Tensors made from lists and sizes that depend on branches, loops and arithmetic of sizes: refusals of the smallest
lanes, empty tensors, and exact numbers."""

import math
from typing import List, Tuple

import torch
from torch import nn

from building import Cases

CASES = Cases()
DYNAMIC = {0: {0: "length"}}
LENGTHS = (1, 2, 5, 8, 33, 100)


def others(*lengths):
    return lambda: [[torch.randn(length)] for length in lengths]


def signs():
    x = torch.tensor([1.0, -2.0, 3.0, 0.5])
    return [[x], [-x], [x.abs()], [-x.abs()], [torch.zeros(4)]]


# ---- lists that are empty on one side ------------------------------------------------------------


def one_int(x: torch.Tensor) -> torch.Tensor:
    found: List[int] = []
    if bool(x.sum() > 0):
        found.append(3)
    return torch.tensor(found)


def one_float(x: torch.Tensor) -> torch.Tensor:
    found: List[float] = []
    if bool(x[0] > 0):
        found.append(2.5)
    return torch.tensor(found)


def one_bool(x: torch.Tensor) -> torch.Tensor:
    found: List[bool] = []
    if bool(x[0] > 0):
        found.append(True)
    return torch.tensor(found)


def two_branches(x: torch.Tensor) -> torch.Tensor:
    found: List[int] = []
    if bool(x[0] > 0):
        found.append(2)
    if bool(x[1] > 0):
        found.append(3)
    return torch.tensor(found)


def another_list(x: torch.Tensor) -> torch.Tensor:
    found: List[int] = []
    if bool(x[0] > 0):
        found = [1, 2, 3]
    return torch.tensor(found).sum() + x


def positions(x: torch.Tensor) -> torch.Tensor:
    found: List[int] = []
    for i in range(x.size(0)):
        if bool(x[i] > 0):
            found.append(i)
    return x[torch.tensor(found, dtype=torch.long)]


def two_lists(x: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    high: List[int] = []
    low: List[float] = []
    for i in range(x.size(0)):
        if bool(x[i] > 0):
            high.append(i)
        else:
            low.append(float(x[i]))
    return torch.tensor(high), torch.tensor(low)


def with_and_without_repeats(x: torch.Tensor) -> torch.Tensor:
    found: List[int] = []
    last = -1
    for i in range(x.size(0)):
        token = int(x[i])
        if token != 0 and token != last:
            found.append(token)
        last = token
    return torch.tensor(found)


def pairs(x: torch.Tensor) -> int:
    found: List[Tuple[int, int]] = []
    for i in range(x.size(0)):
        if bool(x[i] > 0):
            found.append((i, i + 1))
    return len(found)


def words(x: torch.Tensor) -> int:
    found: List[str] = []
    for i in range(x.size(0)):
        if bool(x[i] > 0):
            found.append("word")
    return len(found)


for name, function in {
    "one_int": one_int, "one_float": one_float, "one_bool": one_bool,
    "two_branches": two_branches, "another_list": another_list, "positions": positions,
    "two_lists": two_lists, "with_and_without_repeats": with_and_without_repeats,
}.items():
    CASES.script(name, function, (4,), others=signs)

for name, function in {"positions": positions, "two_lists": two_lists,
                       "with_and_without_repeats": with_and_without_repeats}.items():
    CASES.script(name + "_of_any_length", function, (4,), dynamic=DYNAMIC, others=others(*LENGTHS))

for name, function in {"pairs": pairs, "words": words}.items():
    CASES.script(name, function, (4,), dynamic=DYNAMIC,
                 refused="holds something that is no tensor and no number")


# ---- sizes ---------------------------------------------------------------------------------------


def less_twenty(x: torch.Tensor) -> torch.Tensor:
    return torch.ones(x.size()[-1] - 20)


def quarter(x: torch.Tensor) -> torch.Tensor:
    return torch.zeros(math.ceil(x.size(0) / 4))


def less_three(x: torch.Tensor) -> torch.Tensor:
    return torch.cat([torch.arange(x.size(0) - 3), torch.zeros(3)]) * x


class Fade(nn.Module):
    """Fades the first samples of a signal in, and the last ones out."""

    def __init__(self, first: int, last: int, shape: str):
        super().__init__()
        self.first = first
        self.last = last
        self.shape = shape

    def begin(self, length: int) -> torch.Tensor:
        fade = torch.linspace(0, 1, self.first)
        if self.shape == "exponential":
            fade = torch.pow(2, (fade - 1)) * fade
        if self.shape == "logarithmic":
            fade = torch.log10(0.1 + fade) + 1
        if self.shape == "half_sine":
            fade = torch.sin(fade * math.pi - math.pi / 2) / 2 + 0.5
        return torch.cat((fade, torch.ones(length - self.first))).clamp_(0, 1)

    def end(self, length: int) -> torch.Tensor:
        fade = torch.linspace(0, 1, self.last)
        if self.shape == "linear":
            fade = 1 - fade
        if self.shape == "exponential":
            fade = torch.pow(2, -fade) * (1 - fade)
        if self.shape == "logarithmic":
            fade = torch.log10(1.1 - fade) + 1
        if self.shape == "half_sine":
            fade = torch.sin(fade * math.pi + math.pi / 2) / 2 + 0.5
        return torch.cat((torch.ones(length - self.last), fade)).clamp_(0, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        length = x.size()[-1]
        return self.begin(length) * self.end(length) * x


for name, function in {"less_twenty": less_twenty, "less_three": less_three}.items():
    CASES.script(name, function, (25,), dynamic=DYNAMIC, others=others(21, 22, 100))
    CASES.call(name + "_traced", function, (25,), dynamic=DYNAMIC, others=others(21, 22, 100))

CASES.script("quarter", quarter, (5,), dynamic=DYNAMIC, others=others(*LENGTHS))

SIGNAL = {0: {0: "channels", 1: "time"}}


def signals():
    return [[torch.randn(1, 20)], [torch.randn(2, 21)], [torch.randn(3, 100)]]


for shape in ("linear", "exponential", "logarithmic", "half_sine"):
    CASES.add(f"fade_{shape}", lambda shape=shape: Fade(20, 5, shape), (2, 40), dynamic=SIGNAL,
              others=signals, script=True)
    CASES.add(f"fade_{shape}_traced", lambda shape=shape: Fade(20, 5, shape), (2, 40),
              dynamic=SIGNAL, others=signals)


# ---- numbers that are equal to six digits --------------------------------------------------------


def millions(x: torch.Tensor, y: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    return (torch.ones(1 + (x.size(0) + 10000000) // 10000020),
            torch.ones(1 + (y.size(0) + 10000000) // 10000020))


def beyond_doubles(x: torch.Tensor) -> torch.Tensor:
    least = 1152921504606846976
    return torch.ones((x.size(0) + least) // 1000 - least // 1000)


def two_floats(x: torch.Tensor, y: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    a = float(x[0]) * 2
    b = float(y[0]) * 2
    return torch.ones(int(a)), torch.ones(int(b))


BOTH = {0: {0: "first"}, 1: {0: "second"}}


def two_lengths():
    return [[torch.ones(a), torch.ones(b)] for a, b in ((4, 25), (25, 4), (25, 26), (7, 8))]


CASES.script("millions", millions, (4,), (6,), dynamic=BOTH, others=two_lengths)
CASES.call("millions_traced", millions, (4,), (6,), dynamic=BOTH, others=two_lengths)
CASES.script("beyond_doubles", beyond_doubles, (4,), dynamic=DYNAMIC,
             others=others(1, 23, 24, 500, 1023, 1024, 2500))
CASES.script("two_floats", two_floats, torch.full((4,), 2.0), torch.full((6,), 3.0), dynamic=BOTH,
             others=lambda: [[torch.full((3,), a), torch.full((5,), b)]
                             for a, b in ((1.0, 2.5), (4.0, 1.0))])


# ---- parts of a tensor padded on one side of a branch --------------------------------------------


def to_parts(x: torch.Tensor, size: int) -> torch.Tensor:
    rows, columns = x.shape[1], x.shape[2]
    more_rows, more_columns = (size - rows % size) % size, (size - columns % size) % size
    if more_rows > 0 or more_columns > 0:
        x = torch.nn.functional.pad(x, (0, 0, 0, more_columns, 0, more_rows))
    return x


def joined_parts(x: torch.Tensor) -> torch.Tensor:
    """Like windowed attention: parts side by side, and back, without the padding."""
    padded = to_parts(x, 4)
    batch, rows, columns, channels = padded.shape
    parts = padded.view(batch, rows // 4, 4, columns // 4, 4, channels)
    parts = parts.permute(0, 1, 3, 2, 4, 5).contiguous().view(-1, 16, channels)
    parts = parts + parts.mean(1, keepdim=True)
    parts = parts.view(batch, rows // 4, columns // 4, 4, 4, -1).permute(0, 1, 3, 2, 4, 5)
    joined = parts.contiguous().view(batch, rows, columns, -1)
    return joined[:, :x.shape[1], :x.shape[2]] + x


def copied_parts(x: torch.Tensor) -> torch.Tensor:
    padded = to_parts(x, 4)
    batch, rows, columns, channels = padded.shape
    parts = padded.reshape(batch, rows // 4, 4, columns // 4, 4, channels)
    return parts.permute(0, 1, 3, 2, 4, 5).reshape(-1, 4, 4, channels).amax(0)


def changed_parts(x: torch.Tensor) -> torch.Tensor:
    """A view of a padded tensor is changed in place."""
    padded = to_parts(x + 1, 4)
    parts = padded.view(-1, 4, padded.shape[2], padded.shape[3])
    parts += 1
    return padded


IMAGE = {0: {0: "batch", 1: "rows", 2: "columns"}}
IMAGES = [[torch.randn(2, 9, 10, 3)], [torch.randn(1, 12, 7, 3)], [torch.randn(1, 8, 8, 3)]]
for function in (joined_parts, copied_parts, changed_parts):
    CASES.script(function.__name__, function, (2, 9, 10, 3), dynamic=IMAGE, others=lambda: IMAGES)


# ---- pieces of a sequence, each of one size ------------------------------------------------------


class Pieces(nn.Module):
    """Carries the rest of a piece to the next one; the first has none. There is at least one piece, since an empty
    list cannot be concatenated, and each has its size, since others raise."""

    def __init__(self):
        super().__init__()
        self.context = torch.zeros(0)
        self.layer = nn.Linear(10, 3)

    def piece(self, x: torch.Tensor) -> torch.Tensor:
        if x.shape[1] != 8:
            raise ValueError("a piece has eight elements")
        if not len(self.context):
            self.context = torch.zeros(x.shape[0], 2)
        x = torch.cat([self.context, x], 1)
        self.context = x[:, -2:]
        return self.layer(x).sum(1, keepdim=True).cpu()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.context = torch.zeros(0)
        made: List[torch.Tensor] = []
        if x.shape[1] % 8 > 0:
            x = torch.nn.functional.pad(x, (0, 8 - x.shape[1] % 8))
        for i in range(0, x.shape[1], 8):
            made.append(self.piece(x[:, i:i + 8]))
        return torch.cat(made, 1)


CASES.add("pieces", lambda: Pieces().eval(), (2, 32), dynamic={0: {1: "n"}}, script=True,
          others=lambda: [[torch.randn(2, n)] for n in (1, 8, 9, 16, 77)])
