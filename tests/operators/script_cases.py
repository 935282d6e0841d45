"""Scripted programs: calls, conditions and sizes, static and data-dependent."""

from typing import Any, List, Tuple

import torch
from torch import nn

from branch_cases import squeezed
from building import BATCH, X, Cases, counts, signs

CASES = Cases()
script = CASES.script

# ---- calls ---------------------------------------------------------------------------------------


def doubled(x: torch.Tensor, times: int) -> torch.Tensor:
    for _ in range(times):
        x = x * 2
    return x


def forked(x: torch.Tensor) -> torch.Tensor:
    future = torch.jit.fork(doubled, x, 2)
    other = torch.jit.fork(doubled, x + 1, 1)
    return torch.jit.wait(future) - torch.jit.wait(other)


def forked_in_branch(x: torch.Tensor) -> torch.Tensor:
    y = x
    if bool(x.sum() > 0):
        future = torch.jit.fork(squeezed, x)
        y = torch.jit.wait(future).sum() + y
    return y + 1


def forked_list(x: torch.Tensor) -> torch.Tensor:
    futures = [torch.jit.fork(doubled, x[i], i) for i in range(3)]
    return torch.stack([torch.jit.wait(future) for future in futures])


class Excused(nn.Module):
    """Branches on the reason against a fast path, as attention does."""

    rate: float

    def __init__(self):
        super().__init__()
        self.rate, self.flag = 0.1, True

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        why = ""
        if x.dim() != 3:
            why = f"the rate is {self.rate}, the flag is {self.flag}"
        if not why:
            return x
        if why == "the rate is 0.10000000000000001, the flag is True":
            x = x * 2
        return x + len(why)


class Attributed(nn.Module):
    scale: float
    names: List[str]

    def __init__(self):
        super().__init__()
        self.scale, self.flag, self.names = 0.5, True, ["a", "b"]
        self.sizes = {"a": 2, "b": 3}
        self.layers = nn.ModuleList([nn.Linear(4, 4), nn.ReLU()])
        self.table = nn.ModuleDict({"first": nn.Linear(4, 4), "second": nn.Tanh()})

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for name in self.names:
            x = x * self.sizes[name] + self.scale
        for i, layer in enumerate(self.layers):
            x = layer(x) + (i + 1) if self.flag else x
        for name, layer in self.table.items():
            x = layer(x) + len(name)
        return x


def interrupted(x: torch.Tensor, n: torch.Tensor) -> Tuple[torch.Tensor, int]:
    steps = 0
    for i in range(int(n)):
        if bool(x[i % 3].sum() > 10):
            break
        if i == 1:
            continue
        x = x + 1
        steps += 1
        for k in range(i):
            if bool(x[k % 3, 0] > 3):
                return x, -steps
            x = x + 0.5
    return x, steps


def constant_conditions(x: torch.Tensor) -> torch.Tensor:
    if not torch.jit.is_tracing() and x.dim() == 2:
        x = x + 1
    elif x.size(1) > 100:
        x = x.reshape(-1)
    if x.is_floating_point() and not x.is_cuda and x.dtype == torch.float32:
        x = x * 3
    return x if torch.jit.is_scripting() else x[0]


def identities(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    """Equal numbers are the same one."""
    rows, count, scale = x.size(0), int(n), float(x.size(1)) * 0.5
    if rows is x.size(0):
        x = x + 1
    if rows is not x.size(0):
        x = x * 2
    if count is rows:
        x = x * 3
    if scale is not float(x.size(1)) / 2:
        x = x - 7
    if (rows > 1) is (count > 1):
        x = x * 5
    return x


script("if/identities", identities, X, torch.tensor(3), others=counts(0, 2, 5), dynamic=BATCH)
script("call/fork", forked, X)
script("call/fork-in-branch", forked_in_branch, X, others=signs)
script("call/fork-list", forked_list, X)
script("module/attributes", Attributed().eval(), X, dynamic=BATCH)
script("text/of-fractions", Excused().eval(), X, dynamic=BATCH)
script("loop/interrupted", interrupted, X, torch.tensor(3), others=counts(0, 2, 6))
script("if/constant", constant_conditions, X)

# ---- sizes that the data decides -----------------------------------------------------------------


def items(x: torch.Tensor) -> torch.Tensor:
    n = int(x.abs().sum()) % 5
    return torch.arange(n) + torch.ones(n, n).sum(0) * x.max().item()


def masks(x: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    mask = x > 0
    kept = x[mask]
    if kept.numel() == 0:
        kept = torch.zeros(1)
    positions = mask.nonzero()
    return kept.cumsum(0), positions[: x.size(1)].float().mean(0)


def sizes_in_loop(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    total = torch.zeros(0)
    for i in range(int(n)):
        total = torch.cat([total, x[x > i]])
    return total


class Experts(nn.Module):
    """Each token goes to the expert of its largest feature."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(6)
        self.experts = nn.ModuleList(nn.Linear(4, 4) for _ in range(4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        chosen = x.argmax(1)
        result = torch.zeros_like(x)
        for i, expert in enumerate(self.experts):
            index = (chosen == i).nonzero()[:, 0]
            if index.numel() > 0:
                result.index_add_(0, index, expert(x[index]))
        return result


class MaskedExperts(Experts):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        chosen = x.argmax(1)
        result = torch.zeros_like(x)
        for i, expert in enumerate(self.experts):
            mask = chosen == i
            result[mask] = expert(x[mask])
        return result


script("data/items", items, X, others=signs)
script("data/masks", masks, X, others=lambda: [[X + 9], [-X]])
script("data/sizes-in-loop", sizes_in_loop, X, torch.tensor(3), others=counts(0, 5))
script("data/experts", Experts().eval(), (7, 4), others=lambda: [[torch.randn(7, 4)]],
       dynamic=BATCH)
script("data/masked-experts", MaskedExperts().eval(), (7, 4), others=lambda: [[torch.eye(7, 4)]],
       dynamic=BATCH)

# ---- with blocks ---------------------------------------------------------------------------------


def without_gradients(x: torch.Tensor) -> torch.Tensor:
    with torch.no_grad():
        y = x * 2
        if bool(y.sum() > 0):
            with torch.no_grad():
                y = y + 1
    return y - x


class Scale:
    """Counts its nesting, and scales by that."""

    def __init__(self, by: float):
        self.by = by
        self.depth = 0

    def __enter__(self):
        self.depth += 1
        return self

    def __exit__(self, kind: Any, value: Any, traceback: Any) -> None:
        self.depth -= 1
        self.by = self.by + 1.0


def entered(x: torch.Tensor) -> torch.Tensor:
    scale = Scale(2.0)
    with scale as outer:
        y = x * outer.depth
        with scale as inner:
            y = y + inner.by * inner.depth
    return y * scale.by + scale.depth


class Recorded(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        with torch.profiler.record_function("inner"):
            y = self.inner(x)
            if bool(y.sum() > 0):
                with torch.autograd.profiler.record_function("positive"):
                    y = y * 2
        record = torch.ops.profiler._record_function_enter_new("outer", None)
        y = y + 1
        torch.ops.profiler._record_function_exit(record)
        return y


def cast_automatically(x: torch.Tensor) -> torch.Tensor:
    with torch.cpu.amp.autocast():
        y = x @ x.t()
    return y.float()


class WithoutAutocast(nn.Module):
    """Keeps a part of a model in single precision, in a program that uses autocast."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        with torch.autocast("cuda", dtype=torch.float16, enabled=False):
            y = self.inner(x.float())
            with torch.autocast("cpu", dtype=torch.bfloat16, enabled=False):
                y = y.relu()
        with torch.cuda.amp.autocast(enabled=False):
            return y + 1


script("with/no_grad", without_gradients, X, others=signs)
script("with/class", entered, X)
script("with/record_function", Recorded().eval(), X, others=signs)
script("with/autocast", cast_automatically, X, refused="a with block of autocast")
script("with/autocast_off", WithoutAutocast().eval(), X, others=signs)
