"""Tensors that are changed in place through views, and read under other names."""

from typing import Tuple

import torch
from torch import nn
import torch.nn.functional as F

from building import BATCH, Cases, randomized

CASES = Cases()
BATCH_LENGTH = {0: {0: "batch", 1: "length"}}

# A view of x, of the sizes 4, 6, 5 (the last fixed). Each is changed; then x is read.
VIEWS = {
    "itself": lambda x: x,
    "select": lambda x: x[1],
    "select-last": lambda x: x[:, -1],
    "slice": lambda x: x[1:3],
    "slice-from-end": lambda x: x[:, -3:-1],
    "slice-steps": lambda x: x[:, 1::2],
    "slice-of-slice": lambda x: x[1:, 2:][:, :3],
    "select-of-slice": lambda x: x[:, 1:4, 2],
    "transpose": lambda x: x.transpose(0, 1),
    "t-of-select": lambda x: x[0].t(),
    "permute": lambda x: x.permute(2, 0, -2),
    "view": lambda x: x.view(x.shape[0], -1),
    "reshape": lambda x: x.reshape(x.shape[0], -1, 5, 1),
    "flatten": lambda x: x.flatten(),
    "unflatten": lambda x: x.unflatten(2, (1, 5)),
    "unsqueeze": lambda x: x.unsqueeze(1),
    "squeeze": lambda x: x[:1].squeeze(0),
    "narrow": lambda x: x.narrow(1, 2, 2),
    "unbind": lambda x: x.unbind(2)[3],
    "split": lambda x: x.split(2, 2)[1],
    "chunk": lambda x: x.chunk(2, -1)[1],
    "diagonal": lambda x: x[:, :, 0].diagonal(),
    "diagonal-dims": lambda x: x.diagonal(1, 0, 2),
    "movedim": lambda x: x.movedim(0, 2),
    "detach": lambda x: x.detach(),
    "cpu": lambda x: x.cpu(),
    "dropout": lambda x: F.dropout(x, 0.5, False),
    "expand": lambda x: x.expand(-1, -1, -1),
    "to": lambda x: x.to(torch.float32),
    "swapaxes-slice": lambda x: x.swapaxes(0, 2)[1:],
    "unfold": lambda x: x.unfold(2, 2, 2),
}
CHANGES = {
    "add": lambda v: v.add_(3),
    "fill": lambda v: v.fill_(7),
    "relu": lambda v: torch.relu_(v),
}


def changed_and_read(view, change):
    def run(x):
        base = x * 2
        before = view(base)
        other = base.transpose(0, 2)[1]
        changed = change(view(base))
        return base, before * 2, other + 1, changed + 1, view(base)
    return run


for view_name, view in VIEWS.items():
    for change_name, change in CHANGES.items():
        program = changed_and_read(view, change)
        CASES.call(f"{view_name}/{change_name}", program, (4, 6, 5), dynamic=BATCH_LENGTH)
        CASES.call(f"{view_name}/{change_name}/fixed", program, (4, 6, 5))


def call(name, *specs, **options):
    """Adds the decorated function as a case."""
    def add(function):
        CASES.call(name, function, *specs, **options)
        return function
    return add


@call("order/two-views", (4, 6), dynamic=BATCH_LENGTH)
def two_views(x):
    y = x.clone()
    first, second = y[0], y[:, 1]
    first += 1
    second *= 2
    first -= 2 * second[0]
    return y, first, second


@call("order/read-between", (4, 6), dynamic=BATCH_LENGTH)
def read_between(x):
    y = x.clone()
    early = y.sum()
    y[1:].mul_(2)
    middle = y.sum()
    y[:, :2] = 0
    return early, middle, y.sum(), y


@call("order/loop-fills-rows", (4, 6), dynamic={0: {1: "length"}})
def loop_fills_rows(x):
    y = torch.zeros_like(x)
    for i in range(4):
        y[i] = x[i] * (i + 1) + (y[i - 1] if i else 0)
    return y


@call("assign/constant-mask", (2, 5, 5), dynamic=BATCH)
def constant_mask(x):
    mask = torch.zeros(5, 5)
    mask[:2, 3:] = float("-inf")
    mask[3, 0] = 1.5
    return x + mask


@call("assign/broadcast-row", (4, 6), (6,), dynamic=BATCH)
def broadcast_row(x, row):
    y = x.clone()
    y[1:3] = row
    return y


@call("assign/other-dtype", (4, 6), ((4,), torch.int64), dynamic=BATCH_LENGTH | {1: {0: "batch"}})
def other_dtype(x, column):
    y = x.clone()
    y[:, 0] = column
    return y, y.sum()


@call("assign/shifted", (2, 8, 6), dynamic=BATCH)
def shifted(x):
    y = torch.zeros_like(x)
    y[:, :-1, :2] = x[:, 1:, :2]
    y[:, 1:, 2:4] = x[:, :-1, 2:4]
    y[:, :, 4:] = x[:, :, 4:]
    return y


@call("assign/windows", (2, 3, 6, 6), dynamic={0: {0: "batch", 2: "height", 3: "width"}})
def windows(x):
    y = x.clone()
    y[:, :, ::2, ::2] += 1
    y[..., 1::2, :] *= -1
    return y


@call("assign/index", (4, 6), dynamic=BATCH_LENGTH)
def index_put(x):
    y = x.clone()
    y[torch.tensor([2, 0])] = 5.0
    view = y[1:]
    view[:, torch.tensor([1])] = -1.0
    return y, view


@call("assign/mask", (4, 6), dynamic=BATCH_LENGTH)
def mask_fill(x):
    y = x.clone()
    y[:, 1:].masked_fill_(x[:, 1:] > 0, 9.0)
    y[:2][x[:2] < -1] = 0.0
    return y


@call("copy-between-views", (4, 6), dynamic=BATCH_LENGTH)
def copy_between_views(x):
    y = x.clone()
    y[0].copy_(y[1])
    y[1] = y[0] * 2
    return y


@call("list/element-changed", (4, 6), dynamic=BATCH_LENGTH)
def list_element_changed(x):
    parts = [x * 1, x * 2]
    parts[0].add_(1)
    parts[1][:, 0] = 3
    return torch.cat(parts)


@call("sizes-changed", (4, 6), dynamic=BATCH)
def sizes_changed(x):
    y = x * 2
    z = y.unsqueeze_(0)
    return z + 1, y


# Scripted programs continue with the tensor, traced ones with the operator's result.
def turned_twice(x: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    y = x * 2
    first = y[0]
    y.unsqueeze_(1)
    y.transpose_(0, 2)
    y.add_(1)
    return y, first


def turned_in_list(x: torch.Tensor) -> torch.Tensor:
    parts = [x * 2, x + 1]
    parts[0].t_()
    return parts[0] @ parts[1]


def turned_in_loop(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    total = x
    for _ in range(int(n)):
        y = total * 2
        y.unsqueeze_(0)
        total = y[0] + 1
    return total


def turned_other_name(x: torch.Tensor) -> torch.Tensor:
    y = x * 2
    z = y.add_(1)
    z.unsqueeze_(0)
    return y.sum(0)


def turned_on_one_side(x: torch.Tensor) -> torch.Tensor:
    y = x * 2
    if bool(x.sum() > 0):
        y.unsqueeze_(0)
    return y.sum()


def turned_perhaps(x: torch.Tensor) -> torch.Tensor:
    y = x * 2
    z = y if bool(x.sum() > 0) else x * 3
    z.unsqueeze_(0)
    return y.sum(0)


TURNED_ELSEWHERE = "changes the sizes or strides of a tensor in place that"
CASES.script("sizes-changed/twice", turned_twice, (4, 6), dynamic=BATCH)
CASES.script("sizes-changed/in-list", turned_in_list, (4, 6), dynamic={0: {1: "length"}})
CASES.script("sizes-changed/in-loop", turned_in_loop, (4, 6), torch.tensor(3), dynamic=BATCH)
CASES.script("sizes-changed/other-name", turned_other_name, (4, 6), refused="alias one whose sizes")
CASES.script("sizes-changed/one-side", turned_on_one_side, (4, 6), refused=TURNED_ELSEWHERE)
CASES.script("sizes-changed/perhaps", turned_perhaps, (4, 6), refused=TURNED_ELSEWHERE)


@call("input-changed", (4, 6), dynamic=BATCH_LENGTH)
def input_changed(x):
    x[:, 0] = 1
    return x * 2


class InPlace(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(inplace=True), nn.Dropout(),
                                    nn.ReLU6(inplace=True))

    def forward(self, x):
        return self.layers(x) + x[:, :1, 1:-1, 1:-1].relu_()


CASES.add("modules-in-place", lambda: randomized(InPlace()), (2, 3, 6, 7), dynamic=BATCH)
