"""Vectors, grids and signals of data-dependent lengths, and decomposed numbers."""

import math
from typing import List, Tuple

import torch
import torch.nn.functional as F
from torch import nn

from building import X, Cases, counts

CASES = Cases()
call = CASES.call
DYNAMIC = {0: {0: "length"}}
LENGTHS = (0, 1, 2, 3, 8, 33)
NAN, INF = math.nan, math.inf


def of_lengths(shape=lambda n: (n,), lengths=LENGTHS):
    return lambda: [[torch.randn(shape(n))] for n in lengths]


def script(name, function, **options):
    CASES.script(name, function, (5,), dynamic=DYNAMIC, **({"others": of_lengths()} | options))


# ---- evenly spaced -------------------------------------------------------------------------------


def spaced(x: torch.Tensor):
    return torch.linspace(-1.5, 2.0, x.size(0)), torch.logspace(0.0, 2.0, x.size(0))


def spaced_double(x: torch.Tensor):
    n = x.size(0)
    return torch.linspace(0.0, float(n - 1), n, dtype=torch.float64), torch.logspace(
        0.0, 2.0, n, base=2.0, dtype=torch.float64)


def spaced_half(x: torch.Tensor):
    return torch.linspace(-1.0, 1.0, x.size(0) * 2 + 1, dtype=torch.float16)


def spaced_widely(x: torch.Tensor):
    return torch.linspace(-3e38, 3e38, x.size(0))[:1]


def powers(x: torch.Tensor):
    return torch.logspace(0.0, float(x.size(0) - 1), x.size(0), base=2.0, dtype=torch.int64)


def spaced_integers(x: torch.Tensor):
    return torch.linspace(0, 10, x.size(0), dtype=torch.int64)


script("linspace", spaced)
script("linspace/float64", spaced_double)
script("linspace/float16", spaced_half)
script("linspace/single", spaced_widely, others=of_lengths(lengths=(1,)))
script("logspace/int64", powers)
script("linspace/int64", spaced_integers, refused="counted differently by versions of PyTorch")

# ---- windows -------------------------------------------------------------------------------------


def windows(x: torch.Tensor):
    n = x.size(0)
    return (torch.hann_window(n), torch.hamming_window(n), torch.blackman_window(n), torch.bartlett_window(n),
            torch.kaiser_window(n))


def whole_windows(x: torch.Tensor):
    n = x.size(0)
    return (torch.hann_window(n, False), torch.hamming_window(n, False), torch.blackman_window(n, False),
            torch.bartlett_window(n, False), torch.kaiser_window(n, False))


def double_windows(x: torch.Tensor):
    n = x.size(0)
    return (torch.hann_window(n, dtype=torch.float64), torch.hamming_window(n, dtype=torch.float64),
            torch.blackman_window(n, dtype=torch.float64), torch.bartlett_window(n, dtype=torch.float64),
            torch.kaiser_window(n, dtype=torch.float64))


def half_windows(x: torch.Tensor):
    n = x.size(0)
    return (torch.hann_window(n, dtype=torch.float16), torch.hamming_window(n, dtype=torch.float16),
            torch.bartlett_window(n, dtype=torch.float16))


def other_windows(x: torch.Tensor):
    n = x.size(0)
    return (torch.hamming_window(n, True, 0.6), torch.hamming_window(n, False, 0.6, 0.3),
            torch.kaiser_window(n, True, 8.5))


for function in (windows, whole_windows, double_windows, other_windows):
    script(f"window/{function.__name__}", function)
script("window/half_windows", half_windows, roundings=6)


def frequencies(x: torch.Tensor):
    return torch.fft.fftfreq(x.size(0)), torch.fft.rfftfreq(x.size(0), d=0.3)


def double_frequencies(x: torch.Tensor):
    n = x.size(0)
    return torch.fft.fftfreq(n, d=0.7, dtype=torch.float64), torch.fft.rfftfreq(n, dtype=torch.float64)


for function in (frequencies, double_frequencies):
    script(f"fft/{function.__name__}", function, others=of_lengths(lengths=(1, 2, 3, 8, 33)))

# ---- triangles -----------------------------------------------------------------------------------


def triangles(x: torch.Tensor):
    n = x.size(0)
    return torch.tril_indices(n, n), torch.triu_indices(n, n)


def other_triangles(x: torch.Tensor):
    n = x.size(0)
    return (torch.tril_indices(n, n + 2, 1), torch.tril_indices(n + 1, n, -1),
            torch.triu_indices(n, 4, -1), torch.triu_indices(n, n, n - 1, dtype=torch.int32))


def pairs(x: torch.Tensor):
    places = torch.triu_indices(x.size(0), x.size(0), 1)
    return x[places[0]] * x[places[1]]


for function in (triangles, other_triangles, pairs):
    script(f"triangle/{function.__name__}", function, others=of_lengths(lengths=(1, 2, 3, 8, 33)))

# ---- side by side --------------------------------------------------------------------------------

TWO = {0: {0: "a"}, 1: {0: "b"}}
for first in (True, False):
    call(f"pad_sequence/{first}", lambda a, b, c, f=first: nn.utils.rnn.pad_sequence([a, b, c], f, -1.5),
         (3, 2), (5, 2), (2, 2))
    call(f"pad_sequence/dynamic/{first}", lambda a, b, f=first: nn.utils.rnn.pad_sequence([a, b], f),
         (3, 2), (5, 2), dynamic=TWO, others=lambda: [[torch.randn(4, 2), torch.randn(n, 2)] for n in (1, 4, 9)])
for dtype in (torch.int64, torch.float16, torch.float64, torch.bool, torch.uint8):
    call(f"pad_sequence/{str(dtype).removeprefix('torch.')}",
         lambda a, b: nn.utils.rnn.pad_sequence([a, b], padding_value=1), ((3,), dtype), ((5,), dtype), dynamic=TWO)
call("pad_sequence/left", lambda a, b: nn.utils.rnn.pad_sequence([a, b], True, 2.0, padding_side="left"),
     (3, 2), (5, 2), dynamic=TWO, needs=(2, 5))


def beginnings(x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    parts = [x[:int(lengths[0])], x[:int(lengths[1])], x[:int(lengths[2])]]
    return nn.utils.rnn.pad_sequence(parts, True, 0.5) * 2


CASES.script("pad_sequence/beginnings", beginnings, (9, 2), torch.tensor([3, 5, 1]), others=lambda: [
    [torch.randn(9, 2), torch.tensor(lengths)] for lengths in ([1, 2, 5], [5, 2, 1], [0, 4, 0], [0, 0, 0], [20, -1, 9])])

# ---- grids and signals ---------------------------------------------------------------------------


def affine_grid(theta: torch.Tensor, x: torch.Tensor, align: bool) -> List[torch.Tensor]:
    grid = F.affine_grid(theta, [x.size(0), x.size(1), x.size(2), x.size(3)], align_corners=align)
    return [grid, F.grid_sample(x, grid, align_corners=align)]


def centred_grid(theta: torch.Tensor, x: torch.Tensor):
    return affine_grid(theta, x, False)


def cornered_grid(theta: torch.Tensor, x: torch.Tensor):
    return affine_grid(theta, x, True)


for function in (centred_grid, cornered_grid):
    CASES.script(f"affine_grid/{function.__name__}", function, (2, 2, 3), (2, 3, 4, 5),
                 dynamic={1: {2: "h", 3: "w"}},
                 others=lambda: [[torch.randn(2, 2, 3), torch.randn(2, 3, h, w)] for h, w in ((1, 1), (1, 4), (9, 2))])


def there_and_back(x: torch.Tensor):
    window = torch.hann_window(16)
    s = torch.stft(x, 16, 4, window=window, return_complex=True)
    return torch.istft(s, 16, 4, window=window, length=x.size(-1)), torch.istft(s, 16, 4, window=window, length=50)


CASES.script("istft/length", there_and_back, (1, 64), dynamic={0: {1: "time"}},
             others=of_lengths(lambda n: (1, n), (40, 65, 101)))

# ---- numbers taken apart -------------------------------------------------------------------------

EXTREMES = {torch.float32: (1e-45, 1.1754944e-38, 3.4028235e38), torch.float16: (6e-8, 6.104e-05, 65504.0),
            torch.float64: (5e-324, 2.2250738585072014e-308, 1.7976931348623157e308)}


def extremes(dtype):
    numbers = [0.0, 0.25, 0.5, 1.0, 3.0, 0.75, 1 - 2**-10, 8.0, INF, NAN, *EXTREMES[dtype]]
    return torch.tensor(numbers + [-number for number in numbers], dtype=dtype)


for dtype in EXTREMES:
    name, x = str(dtype).removeprefix("torch."), extremes(dtype)
    call(f"frexp/{name}", torch.frexp, x)
    call(f"nextafter/{name}", torch.nextafter, x.unsqueeze(1), x, others=lambda a=x: [[a.unsqueeze(1).clone(), a.flip(0)]])
call("nextafter/bfloat16", torch.nextafter, ((3, 4), torch.bfloat16), ((4,), torch.bfloat16))
call("frexp/dynamic", torch.frexp, (3, 4), dynamic=DYNAMIC)


def spaced_by_data(x: torch.Tensor, n: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    return torch.linspace(0.0, 3.0, int(n)) + x.sum(), torch.logspace(0.0, 2.0, int(n))


CASES.script("spaced_by_data", spaced_by_data, X, torch.tensor(5), others=counts(0, 1, 2, 9))
