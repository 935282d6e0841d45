"""Whole small programs: changes in place, branches and loops on sizes, axes of one element."""

from typing import Dict, List, Optional

import torch
from torch import nn
import torch.nn.functional as F

from building import BATCH, Cases, randomized

CASES = Cases()
BATCH_LENGTH = {0: {0: "batch", 1: "length"}}


def program(name, *specs, **options):
    """Adds the decorated class (scripted or traced) or function as a case."""
    def add(made):
        make = (lambda: randomized(made())) if isinstance(made, type) else (lambda: made)
        CASES.add(name, make, *specs, **options)
        return made
    return add


# ---- changes in place ------------------------------------------------------------------------------

@program("in-place/other-name", (2, 3), dynamic=BATCH)
def changed_under_other_name(x):
    y = x * 2
    z = y
    y.add_(1)
    return z * 3 + torch.relu_(y)


@program("in-place/view-read-later", (2, 3), dynamic=BATCH)
def changed_under_a_view(x):
    y = x * 2
    z = y.view(-1)
    y.add_(1)
    return z * 3 + y.sum()


@program("in-place/only-view-is-read", (2, 3), dynamic=BATCH)
def only_the_view_is_read(x):
    y = (x + 1).view(-1)
    return y.mul_(2)


@program("in-place/slice-assigned", (2, 3), dynamic=BATCH_LENGTH)
def slice_assigned(x):
    y = x.clone()
    y[:, 0] = 0
    return y


@program("in-place/by-the-data", (2, 3))
def changed_by_the_data(x):
    y = x * 2
    y.copy_(torch.masked_select(x, x > -100).view(2, 3))
    return y + 1


# With one row, contiguous() gives a view; with more, a copy: the traced sizes must not decide.
@program("in-place/contiguous-of-one-row", (1, 3), dynamic=BATCH, refused="the tensor that it changes is read under another name")
def contiguous_then_changed(x):
    y = x * 1
    z = y.transpose(0, 1).contiguous()
    z.add_(1)
    return z, y * 2


@program("contiguous-of-one-row", (1, 3), dynamic=BATCH)
def contiguous_not_changed(x):
    return x.transpose(0, 1).contiguous().t() * 2


@program("in-place/constant", (2, 4), script=True, dynamic=BATCH)
class ConstantChanged(nn.Module):
    def forward(self, x):
        offset = torch.zeros(4)
        offset[1] = 5.0
        return x + offset


# ---- axes of one element ---------------------------------------------------------------------------

@program("one-row/grid", (1, 3, 4, 5), dynamic={0: {0: "batch", 2: "height", 3: "width"}})
def grid(x):
    height, width = x.shape[-2:]
    rows, columns = torch.meshgrid(torch.arange(height), torch.arange(width), indexing="ij")
    return torch.stack([columns, rows], 0).float() / width + x[:, :2]


@program("one-row/squeeze", (1, 3), dynamic=BATCH, refused="rank or dtype depends on a dynamic axis")
def squeezed(x):
    return x.squeeze()


@program("strides/move-rarely", (2, 1, 75), dynamic={0: {2: "samples"}})
class MovesRarely(nn.Module):
    """After the stride, the size only changes at every fortieth sample."""

    def __init__(self):
        super().__init__()
        self.convolution = nn.Conv1d(1, 4, 40, 40)

    def forward(self, x):
        y = self.convolution(x).transpose(1, 2)
        return y.reshape(y.size(0), y.size(1), 2, 2)


# ---- branches and loops ----------------------------------------------------------------------------

@program("branch/on-size", (2, 7), script=True, dynamic=BATCH_LENGTH)
@program("branch/on-fixed-size", (2, 7), script=True, dynamic=BATCH)
class BranchOnSize(nn.Module):
    def forward(self, x):
        if x.size(1) > 6:
            return x * 2
        return x


@program("branch/other-raises", (2, 7), script=True, dynamic=BATCH_LENGTH)
class BranchThatRaises(nn.Module):
    def forward(self, x):
        if x.dim() != 2 or x.size(0) < 1:
            raise ValueError("two dims are expected")
        return x * 2


@program("branch/early-return", (2, 3), script=True)
class EarlyReturn(nn.Module):
    def forward(self, x, mask: Optional[torch.Tensor] = None, factor: int = 2):
        if mask is not None:
            x = x + mask
        if factor > 1:
            return x * factor
        return x


@program("loop/modules", (2, 3), script=True, dynamic=BATCH)
class LoopOverModules(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(3, 3) for _ in range(3)])

    def forward(self, x):
        outputs: List[torch.Tensor] = []
        for number, layer in enumerate(self.layers):
            x = layer(x)
            if number % 2 == 0:
                outputs.append(x)
        return torch.cat(outputs, 1), x.size(0)


@program("loop/on-size", (4, 3), script=True, dynamic=BATCH)
@program("loop/on-fixed-size", (4, 3), script=True, dynamic={0: {1: "length"}})
class LoopOnSize(nn.Module):
    def forward(self, x):
        count = 0
        while count < x.size(0):
            x = x + 1
            count += 1
        return x


@program("numbers-of-sizes", (2, 3), script=True, dynamic=BATCH)
class NumbersOfSizes(nn.Module):
    def forward(self, x):
        kept = [x.size(0), -1]
        return x.reshape(kept), (x.size(0) + 1) // 2, x.size(0) % 2, float(x.size(0)) / 4


@program("dict", (2, 3), script=True, dynamic=BATCH)
class GivesDict(nn.Module):
    def forward(self, x) -> Dict[str, torch.Tensor]:
        result = {"twice": x * 2}
        result["sum"] = x + result["twice"]
        return result


# ---- state ----------------------------------------------------------------------------------------

@program("random", (2, 3), refused="it draws random numbers")
def random(x):
    return x + torch.rand(2, 3)


@program("state/list", (2, 4), script=True, refused="is of another kind or length after each call")
class ListChanged(nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = [1]

    def forward(self, x):
        self.seen.append(2)
        return x * len(self.seen)


@program("state/same-list", (2, 4), script=True, dynamic=BATCH)
class ListReplacedByItself(nn.Module):
    """A set attribute has the new value."""

    def __init__(self):
        super().__init__()
        self.anchors = [torch.arange(4.0), torch.ones(4)]

    def forward(self, x):
        self.anchors = [anchor.to(x.dtype) for anchor in self.anchors]
        return x * self.anchors[0] + self.anchors[1]


@program("state/set-before-read", (2, 4), script=True, dynamic=BATCH)
class SetBeforeRead(nn.Module):
    def __init__(self):
        super().__init__()
        self.rows = 0

    def forward(self, x):
        self.rows = x.size(0)
        return x * self.rows


@program("buffer/computed-with", (2, 4), dynamic=BATCH)
class BufferComputedWith(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("factor", torch.tensor(3.0))
        self.register_buffer("large", torch.randn(300, 300))

    def forward(self, x):
        return x * self.factor + self.large[:2, :4].sum() + (self.large @ self.large)[0, 0]


@program("position-weights-resized", (1, 3, 8, 8), dynamic={0: {0: "batch", 2: "height", 3: "width"}})
class PositionsResized(nn.Module):
    def __init__(self):
        super().__init__()
        self.positions = nn.Parameter(torch.randn(1, 3, 4, 4))

    def forward(self, x):
        return x + F.interpolate(self.positions, size=x.shape[-2:], mode="bicubic")
