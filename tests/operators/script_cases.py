"""Scripted programs: what TorchScript has beside operators, alone and on what the data decides."""

from typing import Dict, List, NamedTuple, Optional, Tuple, Union

import torch
from torch import nn

from building import BATCH, X, Cases, counts, signs

CASES = Cases()
script = CASES.script

# ---- branches whose sides differ -----------------------------------------------------------------


def rank_then_sum(x: torch.Tensor) -> torch.Tensor:
    if bool(x.sum() > 0):
        y = x
    else:
        y = x[0]
    return y.sum()


def rank_reshaped(x: torch.Tensor) -> torch.Tensor:
    if bool(x.sum() > 0):
        y = x.reshape(3, 2, 2)
    else:
        y = x + 1
    if y.dim() == 3:
        y = y.flatten(1)
    return y * 2


def other_dtype(x: torch.Tensor) -> torch.Tensor:
    y = x
    if bool(x.sum() > 0):
        y = x.to(torch.int64)
    return (y * 2).float()


def three_ranks(x: torch.Tensor) -> torch.Tensor:
    if bool(x.sum() > 0):
        y = x
    elif bool(x[0, 0] < -6):
        y = x[0]
    else:
        y = x[0, 0]
    z = y.relu() + 1
    return z.mean()


def two_forks(x: torch.Tensor) -> torch.Tensor:
    a = x if bool(x[0, 0] > 0) else x[0]
    b = x[1] if bool(x[2, 3] > 0) else x[1, 1]
    return (a.sum() + b.sum()) * torch.ones(2)


def squeezed(x: torch.Tensor) -> torch.Tensor:
    return x[0] if bool(x.sum() > 0) else x


def rank_in_function(x: torch.Tensor) -> torch.Tensor:
    return squeezed(x).max() + x


def length_of_list(x: torch.Tensor) -> torch.Tensor:
    parts = [x]
    if bool(x.sum() > 0):
        parts.append(x * 2)
        parts.append(x * 3)
    total = torch.zeros(4)
    for part in parts:
        total = total + part.sum(0)
    return total * len(parts)


def fresh_lists(x: torch.Tensor) -> torch.Tensor:
    parts = [x, x] if bool(x.sum() > 0) else [x + 1]
    return torch.stack(parts).sum(0)


def strings(x: torch.Tensor) -> torch.Tensor:
    mode = "double" if bool(x.sum() > 0) else "halve"
    if mode == "double":
        return x * 2
    return x / 2


def rank_in_loop(x: torch.Tensor) -> torch.Tensor:
    total = torch.zeros(4)
    for i in range(2):
        y = x if bool(x[i, 0] > 0) else x[i]
        total = total + y.reshape(-1, 4).sum(0)
    return total


def count_in_loop(x: torch.Tensor) -> torch.Tensor:
    parts = [x]
    count = 0
    for i in range(2):
        step = 7 * i + 1
        if bool(x[0, i] > 0):
            parts.append(x + 1)
        count = 10 * count + step
    return torch.stack(parts).sum(0) + count


def changed_after_loop(x: torch.Tensor):
    parts = [x]
    y = x
    for i in range(2):
        y = x + 1
        if bool(x[0, i] > 0):
            parts.append(x + 1)
    y += 1
    return y, torch.stack(parts)


def taken_backwards(x: torch.Tensor):
    rows = [x[0], x[1], x[2], x[0] + x[1], x[1] * x[2]]
    none: List[torch.Tensor] = []
    return (torch.stack(rows[::-1]), torch.stack(rows[3:0:-2]), torch.stack(rows[-2::-1]),
            torch.stack(rows[:1:-1]), torch.stack(rows[99:-99:-3]), len(rows[0:3:-1]),
            len(none[::-1]), torch.stack(rows[::2]))


class Decoder(nn.Module):
    """As torchvision decodes boxes: the last step depends on whether there are any."""

    def forward(self, codes: torch.Tensor, scores: torch.Tensor):
        kept = codes[scores > 0]
        count = kept.size(0)
        boxes = torch.stack((kept[:, 0::2], kept[:, 1::2]), dim=2).flatten(1)
        if count > 0:
            boxes = boxes.reshape(count, -1, 4)
        return boxes.reshape(-1, 4) * 2


class Holder(nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner
        self.scale = nn.Parameter(torch.tensor(1.5))

    def forward(self, codes: torch.Tensor, scores: torch.Tensor):
        return self.inner(codes, scores) * self.scale


script("lists/backwards", taken_backwards, X)
script("fork/rank", rank_then_sum, X, others=signs, dynamic=BATCH)
script("fork/reshaped", rank_reshaped, X, others=signs)
script("fork/dtype", other_dtype, X, others=signs)
script("fork/three-ranks", three_ranks, X, others=signs)
script("fork/two", two_forks, X, others=signs)
script("fork/function", rank_in_function, X, others=signs)
script("fork/list-length", length_of_list, X, others=signs)
script("fork/fresh-lists", fresh_lists, X, others=signs)
script("fork/strings", strings, X, others=signs)
script("fork/loop", rank_in_loop, X, others=signs)
script("fork/count-in-loop", count_in_loop, X, others=signs)
script("fork/changed-after-loop", changed_after_loop, X, others=signs)
script("fork/decoder", Holder(Decoder()).eval(), (5, 8), torch.tensor([1.0, -1, 2, 3, -1]),
       others=lambda: [[torch.ones(5, 8), -torch.ones(5)], [torch.ones(5, 8), torch.ones(5)]])
script("fork/output", squeezed, X, refused="tensors of different ranks or dtypes")

# ---- optional values -----------------------------------------------------------------------------


def maybe_bias(x: torch.Tensor) -> torch.Tensor:
    bias: Optional[torch.Tensor] = None
    if bool(x.sum() > 0):
        bias = x[0] * 2
    if bias is not None:
        return x + bias
    return x - 1


def optional_argument(x: torch.Tensor, y: Optional[torch.Tensor] = None,
                      n: Optional[int] = None) -> torch.Tensor:
    if y is None:
        y = x * 2
    if n is not None:
        y = y + n
    return x + y


def asserted(x: torch.Tensor) -> torch.Tensor:
    y: Optional[torch.Tensor] = x * 2
    if bool(x.sum() > 1000):
        y = None
    assert y is not None, "too large"
    return y + 1


def optional_number(x: torch.Tensor) -> torch.Tensor:
    n: Optional[int] = None
    if bool(x.sum() > 0):
        n = 3
    return x * (n if n is not None else 7)


class Cached(nn.Module):
    """A state that is None before the first step."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(3)
        self.layer = nn.Linear(4, 4)

    def step(self, x: torch.Tensor, state: Optional[torch.Tensor]) -> torch.Tensor:
        if state is None:
            return self.layer(x)
        return torch.tanh(self.layer(x) + state)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        state: Optional[torch.Tensor] = None
        for i in range(x.size(0)):
            state = self.step(x[i], state)
        assert state is not None
        return state


script("optional/branch", maybe_bias, X, others=signs)
script("optional/argument", optional_argument, X)
script("optional/assert", asserted, X)
script("optional/number", optional_number, X, others=signs)
script("optional/state", Cached().eval(), X)
script("optional/state-dynamic", Cached().eval(), X, dynamic=BATCH)

# ---- lists that grow -----------------------------------------------------------------------------


def some_appended(x: torch.Tensor) -> torch.Tensor:
    kept: List[torch.Tensor] = []
    for i in range(x.size(0)):
        if bool(x[i].sum() > 0):
            kept.append(x[i])
    kept.append(x[0])
    return torch.stack(kept)


def twice_appended(x: torch.Tensor) -> torch.Tensor:
    parts: List[torch.Tensor] = []
    for i in range(x.size(0)):
        parts.append(x[i])
        parts.append(x[i] * 2)
    return torch.stack(parts, 1)


def last_read(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    states = [x[0]]
    for i in range(int(n)):
        states.append(torch.tanh(states[-1] + x[i % 3]))
    return torch.stack(states) * len(states)


def tokens(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    ids: List[int] = [0]
    for _ in range(int(n)):
        ids.append(int(x[ids[-1]].argmax()) % 3)
    return torch.tensor(ids)


def until_token(x: torch.Tensor) -> Tuple[torch.Tensor, int]:
    ids: List[int] = []
    token = 0
    while token != 2 and len(ids) < 6:
        token = int((x[token] + len(ids)).argmax()) % 3
        ids.append(token)
    return torch.tensor(ids), len(ids)


def scores_of(x: torch.Tensor, n: torch.Tensor) -> Tuple[torch.Tensor, float]:
    scores: List[float] = []
    for i in range(int(n)):
        scores.append(float(x[i % 3].sum()))
    return torch.tensor(scores), sum(scores)


def indexed(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    parts: List[torch.Tensor] = []
    for i in range(int(n)):
        parts.append(x[i % 3] * i)
    first, last = parts[0], parts[-1]
    middle = parts[1:-1]
    total = first - last
    for part in parts:
        total = total * 0.5 + part
    for part in middle:
        total = total + part
    for i, part in enumerate(parts):
        total = total + part * i
    for part, again in zip(parts, parts):
        total = total + part * again
    return total


def replaced(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    parts: List[torch.Tensor] = []
    for i in range(int(n)):
        parts.append(x[i % 3])
    parts[0] = parts[0] * 10
    for i in range(len(parts)):
        parts[i] = parts[i] + i
    taken = parts.pop()
    return torch.stack(parts, -1).sum(-1) - taken


def nested_growth(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    parts: List[torch.Tensor] = []
    for i in range(int(n)):
        for k in range(i):
            parts.append(x[k % 3] * i)
    parts.append(x[0])
    return torch.stack(parts)


def extended(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    parts: List[torch.Tensor] = []
    for i in range(int(n)):
        parts += [x * i, x + i]
    other = parts + [x]
    return torch.cat(other)


def comprehension(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    squares = [i * i for i in range(int(n))]
    rows = [x[i % 3] * 2 for i in range(int(n))]
    return torch.stack(rows) * torch.tensor(squares).unsqueeze(1)


def other_shapes(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    parts: List[torch.Tensor] = []
    for i in range(int(n)):
        parts.append(x[: i + 1])
    return torch.cat(parts)


def selected(x: torch.Tensor) -> torch.Tensor:
    parts = [x[0], x[1], x[2]]
    return parts[int(x.sum()) % 3]


def unbound(x: torch.Tensor) -> torch.Tensor:
    total = torch.zeros(4)
    for row in x.unbind(0):
        total = total * 2 + row
    for row in x.split(1):
        total = total + row[0]
    return total


script("list/some-appended", some_appended, X, others=signs, dynamic=BATCH)
script("list/twice-appended", twice_appended, X, dynamic=BATCH)
script("list/last-read", last_read, X, torch.tensor(3), others=counts(0, 1, 7))
script("list/tokens", tokens, X, torch.tensor(3), others=counts(0, 1, 5))
script("list/until-token", until_token, X, others=signs)
script("list/floats", scores_of, X, torch.tensor(3), others=counts(1, 5))
script("list/indexed", indexed, X, torch.tensor(3), others=counts(2, 5))
script("list/replaced", replaced, X, torch.tensor(3), others=counts(2, 5))
script("list/nested-growth", nested_growth, X, torch.tensor(3), others=counts(0, 1, 5))
script("list/extended", extended, X, torch.tensor(3), others=counts(0, 4))
script("list/comprehension", comprehension, X, torch.tensor(3), others=counts(1, 5))
script("list/other-shapes", other_shapes, X, torch.tensor(3), others=counts(1, 2, 6))
script("list/selected", selected, X, others=signs)
script("list/unbind", unbound, X)

# ---- tuples, dicts, objects ----------------------------------------------------------------------


class Point(NamedTuple):
    left: torch.Tensor
    right: torch.Tensor
    count: int


def named(x: torch.Tensor) -> Point:
    if bool(x.sum() > 0):
        point = Point(x, x + 1, 2)
    else:
        point = Point(x * 2, x, 3)
    return Point(point.left * point.count, point.right, point.count)


def table(x: torch.Tensor) -> Dict[str, torch.Tensor]:
    values: Dict[str, torch.Tensor] = {}
    values["a"] = x
    if bool(x.sum() > 0):
        values["b"] = x + 1
    else:
        values["b"] = x * 2
        values["a"] = x - 1
    for key in values.keys():
        values[key] = values[key] + len(key)
    return values


def other_keys(x: torch.Tensor) -> torch.Tensor:
    values = {"a": x}
    if bool(x.sum() > 0):
        values["b"] = x + 1
    total = torch.zeros(4)
    for key, value in values.items():
        total = total + value.sum(0)
    return total + (5 if "b" in values else 6)


def table_in_loop(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    state = {"h": x[0], "c": x[1]}
    for i in range(int(n)):
        h = state["h"]
        state["h"] = torch.tanh(state["c"] + x[2])
        state["c"] = h * 0.5 + i
    return state["h"] + state["c"]


@torch.jit.script
class Counter:
    def __init__(self, total: torch.Tensor):
        self.total = total
        self.steps = 0

    def add(self, x: torch.Tensor):
        self.total = self.total + x
        self.steps += 1


def object_in_branch(x: torch.Tensor) -> Tuple[torch.Tensor, int]:
    counter = Counter(x[0])
    if bool(x.sum() > 0):
        counter.add(x[1])
        counter.add(x[2])
    else:
        counter.add(x[2])
    return counter.total, counter.steps


def object_in_loop(x: torch.Tensor, n: torch.Tensor) -> Tuple[torch.Tensor, int]:
    counter = Counter(x[0])
    for i in range(int(n)):
        counter.add(x[i % 3])
    return counter.total, counter.steps


def kind_of(x: torch.Tensor, y: Union[int, float]) -> torch.Tensor:
    if isinstance(y, int):
        return x + y
    return x - y


def kinds(x: torch.Tensor) -> torch.Tensor:
    return kind_of(x, 2) * kind_of(x, 0.5)


def any_kind(x: torch.Tensor) -> torch.Tensor:
    pair = (x, [x, x * 2])
    assert isinstance(pair[1], list) and torch.jit.isinstance(pair[1], List[torch.Tensor])
    assert x.dim() == 2, f"not {x.dim()} dims"
    return pair[0] + pair[1][1]


script("tuple/named", named, X, others=signs)
script("dict/branch", table, X, others=signs)
script("dict/other-keys", other_keys, X, others=signs)
script("dict/loop", table_in_loop, X, torch.tensor(3), others=counts(0, 1, 4))
script("object/branch", object_in_branch, X, others=signs)
script("object/loop", object_in_loop, X, torch.tensor(3), others=counts(0, 4))
script("isinstance/union", kinds, X)
script("isinstance/list", any_kind, X)

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


script("call/fork", forked, X)
script("call/fork-in-branch", forked_in_branch, X, others=signs)
script("call/fork-list", forked_list, X)
script("module/attributes", Attributed().eval(), X, dynamic=BATCH)
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
    """Each token goes to the expert that its largest feature names."""

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

# ---- memory with two names -----------------------------------------------------------------------


def shared_side(x: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    y = x * 1
    z = y if bool(x.sum() > 0) else x * 2
    z.add_(1)
    return y, z


def shared_lists(x: torch.Tensor) -> Tuple[int, int]:
    first = [x]
    second = first if bool(x.sum() > 0) else [x]
    first.append(x)
    return len(first), len(second)


def summed(x: torch.Tensor) -> torch.Tensor:
    total = torch.zeros(4)
    for i in range(x.size(0)):
        total += x[i]
    return total


def summed_shared(x: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    total = torch.zeros(4)
    start = total
    for i in range(x.size(0)):
        total += x[i]
    return total, start


def renamed_in_loop(x: torch.Tensor, n: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    y = x * 1
    z = y
    for _ in range(int(n)):
        z.add_(1)
        z = z * 2
    z.mul_(3)
    return y, z


def read_in_loop(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    y = x * 1
    z = y
    total = torch.zeros(3)
    for _ in range(int(n)):
        total = total + y.sum(1)
        z.add_(1)
        z = z * 2
    return total


def changed_last(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    z = x * 1
    for i in range(int(n)):
        z.add_(i)
        z = z * 2
    z += 1
    y = z if bool(z.sum() > 0) else z * 2
    y[0] += 5
    return y


def row_in_loop(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    y = x * 1
    row = torch.zeros(4)
    for i in range(int(n)):
        row = y[i]
    row.add_(100)
    return y


class Weighted(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("state", torch.ones(3, 4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x * 2
        if bool(x.sum() > 0):
            y = self.state
        y += 1
        return y


def returned_lists(x: torch.Tensor) -> torch.Tensor:
    parts = [x, x * 2]
    if bool(x.sum() > 0):
        parts[0] = x * 3
        chosen = parts
    else:
        chosen = [x, x]
    return chosen[0] - chosen[1]


def returned_in_loop(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    first = [x, x * 2]
    second = [x * 3, x]
    for i in range(int(n)):
        first[0] = first[0] + i
        second = first
    return second[0] - second[1] + first[0]


script("memory/side", shared_side, X, refused="what it changes is read under another name")
script("memory/lists", shared_lists, X, refused="a list that comes out of a branch")
script("memory/summed", summed, X, dynamic=BATCH)
script("memory/summed-shared", summed_shared, X, dynamic=BATCH)
script("memory/renamed", renamed_in_loop, X, torch.tensor(2), refused="what it changes is read under another name")
script("memory/read-in-loop", read_in_loop, X, torch.tensor(2), refused="what it changes is read under another name")
script("memory/changed-last", changed_last, X, torch.tensor(2), others=counts(0, 1))
script("memory/row-in-loop", row_in_loop, X, torch.tensor(2), refused="what it changes is read under another name")
script("memory/weight", Weighted().eval(), X, refused="what it changes is read under another name")
def known_contents(x: torch.Tensor) -> torch.Tensor:
    """One side changes a constant in place, the other reads what it holds."""
    made = torch.zeros(1)
    number = 0
    if bool(x.sum() > 0):
        made += 1
    else:
        number = int(made) + 2
    return x * number + made


script("memory/known-contents", known_contents, X, others=signs)
script("memory/returned", returned_lists, X, others=signs)
script("memory/returned-loop", returned_in_loop, X, torch.tensor(2), others=counts(0, 1, 3))


# ---- with blocks -----------------------------------------------------------------------------------


def without_gradients(x: torch.Tensor) -> torch.Tensor:
    with torch.no_grad():
        y = x * 2
        if bool(y.sum() > 0):
            with torch.no_grad():
                y = y + 1
    return y - x


script("with/no_grad", without_gradients, X, others=signs)
