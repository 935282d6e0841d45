"""Size-derived numbers and sizes that are equal at all sizes near the example's: their thresholds are far away."""

import math
from typing import List, Tuple

import torch
import torch.nn.functional as F

from building import Cases

CASES = Cases()
DYNAMIC = {0: {0: "length"}}
X = torch.tensor([1.0, -2.0, 3.0, 0.5])
LENGTHS = (1, 3, 5, 8, 90, 100, 101, 150, 250, 1000)


def others():
    return [[torch.randn(length)] for length in LENGTHS]


def hundreds(x: torch.Tensor) -> torch.Tensor:
    return torch.zeros(x.size(0) // 100 + 1) + 1


def hundreds_begun(x: torch.Tensor) -> torch.Tensor:
    k = (x.size(0) + 99) // 100
    return torch.ones(2, k) * torch.ones(2, k).sum()


def beyond_hundred(x: torch.Tensor) -> torch.Tensor:
    return torch.cat([x, torch.zeros(max(x.size(0) - 100, 0))])


def has_hundred(x: torch.Tensor) -> torch.Tensor:
    return torch.ones(int(x.size(0) > 100) + 1, 3).sum(0)


def truncated(x: torch.Tensor) -> torch.Tensor:
    return torch.ones(int(x.size(0) / 100) + 1).size(0) * x


def same_number_twice(x: torch.Tensor) -> torch.Tensor:
    return torch.ones(x.size(0) // 100 + 1) + torch.arange(x.size(0) // 100 + 1)


def halves_in_hundreds(x: torch.Tensor) -> torch.Tensor:
    y = x[:x.size(0) // 2 + 1]
    return y * torch.ones(int(math.ceil(y.size(0) / 100))).size(0)


def as_long_as_half(x: torch.Tensor) -> torch.Tensor:
    """The padding to a multiple of one is zero, even for a long half."""
    y = x[:x.size(0) // 2 + 1]
    length = y.size(0)
    missing = int(math.ceil((length - 3) / 1)) * 1 + 3 - length
    return F.pad(y, [0, missing]) + y


def repeated(x: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    k = min(x.size(0), 100) // 100
    return x.repeat(k + 1), x.unsqueeze(0).expand(k + 1, -1) * 2


def padded(x: torch.Tensor) -> torch.Tensor:
    return F.pad(x, [0, x.size(0) // 100]) * 2


def mirrored(x: torch.Tensor) -> torch.Tensor:
    return F.pad(x.view(1, 1, -1), [0, x.size(0) // 100], mode="reflect") * 2


def edged(x: torch.Tensor) -> torch.Tensor:
    return F.pad(x.view(1, 1, -1), [x.size(0) // 100, 1], mode="replicate") * 2


def padded_to_hundreds(x: torch.Tensor) -> torch.Tensor:
    whole = F.pad(x, [0, (100 - x.size(0) % 100) % 100])
    return whole.size(0) * x


def every_hundredth(x: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    return x[::100] * 2, x[1::100].size(0) * x


def numbers_in_hundreds(x: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    numbers = torch.arange(0, x.size(0), 100)
    return numbers * 2, numbers.size(0) * x


def chunks(x: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor, int]:
    return torch.stack([part.sum() for part in x.chunk(3)]), x.chunk(3)[-1] * 2, len(x.chunk(4))


def two_chunks(x: torch.Tensor) -> torch.Tensor:
    return x.chunk(2)[-1] * 2


def chunks_of_selected(x: torch.Tensor) -> List[torch.Tensor]:
    return list(x[x > 1].chunk(3))


def what_is_left(x: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    left = x.size(0) - min(x.size(0), 100)
    return torch.ones(left + 1), (max(x.size(0), 100) - 100) * x


def what_is_cut_off(x: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    return torch.ones(2, x.size(0) - x[:100].size(0) + 1).sum(0), x[min(x.size(0), 50):] * 2


def largest_in_list(x: torch.Tensor) -> torch.Tensor:
    return torch.ones(max([x.size(0) - 100, 0]) + 1)


def last_is_marked(x: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    rows = math.ceil(x.size(0) / 4)
    marks = torch.zeros(rows)
    marks[rows - 1:rows] = 1
    table = torch.arange(1000)
    return marks, table[rows // 100:rows // 100 + 1].to(x.dtype) * x


def bits(x: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    n = x.size(0)
    return torch.zeros((n & 96) + (n >> 6) + 1), (n | 2) * x + (n ^ 1) - (n << 2)


# An identity is no threshold: the dims stay unchanged.
def same_at_all_sizes(x: torch.Tensor) -> torch.Tensor:
    k = (x.size(0) * 3) // x.size(0)
    return torch.ones(k, 2) @ torch.ones(2, 3)


for name, function in {
    "hundreds": hundreds, "hundreds-begun": hundreds_begun, "beyond-hundred": beyond_hundred,
    "halves-in-hundreds": halves_in_hundreds, "as-long-as-half": as_long_as_half,
    "has-hundred": has_hundred, "truncated": truncated, "same-number-twice": same_number_twice,
    "repeated": repeated, "padded": padded, "mirrored": mirrored, "edged": edged,
    "padded-to-hundreds": padded_to_hundreds,
    "every-hundredth": every_hundredth, "numbers-in-hundreds": numbers_in_hundreds,
    "largest-in-list": largest_in_list, "what-is-left": what_is_left, "what-is-cut-off": what_is_cut_off,
    "last-is-marked": last_is_marked,
    "chunks": chunks, "two-chunks": two_chunks, "same-at-all-sizes": same_at_all_sizes,
}.items():
    CASES.script(name, function, X, dynamic=DYNAMIC, others=others)
for name, function in {
    "hundreds": hundreds, "hundreds-begun": hundreds_begun, "same-number-twice": same_number_twice,
    "padded": padded, "mirrored": mirrored, "edged": edged, "every-hundredth": every_hundredth, "numbers-in-hundreds": numbers_in_hundreds,
    "same-at-all-sizes": same_at_all_sizes,
}.items():
    CASES.call(f"traced/{name}", function, X, dynamic=DYNAMIC, others=others)
CASES.script("bits", bits, X, dynamic=DYNAMIC, others=others, opset=18)
CASES.script("chunks-of-selected", chunks_of_selected, X, others=lambda: [
    [torch.zeros(4)], [torch.tensor([2.0, 0.0, 0.0, 3.0])], [torch.full((4,), 2.0)]])


def windows(x: torch.Tensor) -> torch.Tensor:
    return F.max_pool1d(x[None], 2, 100).size(1) * x


# Beyond every tried size.
def windows_far_apart(x: torch.Tensor) -> torch.Tensor:
    return F.max_pool1d(x[None], 2, 5000).size(1) * x


def squeezed(x: torch.Tensor) -> torch.Tensor:
    return x[x > 0].squeeze() + 1


def longer_ones():
    return [[torch.randn(length)] for length in (2, 50, 102, 150, 250, 1000)]


CASES.script("windows", windows, X, dynamic=DYNAMIC, others=longer_ones)
CASES.script("windows-far", windows, torch.arange(150.0), dynamic=DYNAMIC, others=longer_ones)
CASES.script("windows-far-apart", windows_far_apart, X, dynamic=DYNAMIC,
             refused="dim 1 of its output has one size at all sizes that were tried")
CASES.script("squeezed", squeezed, X, refused="the data decides whether its output has that dim")
