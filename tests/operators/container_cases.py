"""Scripted lists that grow, tuples, dicts and objects."""

from typing import Dict, List, NamedTuple, Tuple, Union

import torch

from building import BATCH, X, Cases, counts, signs

CASES = Cases()
script = CASES.script

# ---- lists ---------------------------------------------------------------------------------------


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


def parts_reversed(x: torch.Tensor):
    rows = x.unbind(0)
    rows.reverse()
    columns = x.split(1, 1)
    columns.append(columns.pop(0) * 2)
    sizes = x.size()
    sizes.reverse()
    return torch.stack(rows), torch.cat(columns, 1), torch.ones(sizes)


def parts_exchanged(x: torch.Tensor):
    rows = x.unbind(0)
    first = rows[0]
    rows[0] = rows[1]
    rows[1] = first * 2
    halves = x.chunk(2, 1)
    halves.insert(1, x)
    halves.extend(x.split(3, 1))
    return torch.stack(rows), torch.cat(halves, 1), rows[0]


def parts_changed(x: torch.Tensor):
    whole = x * 1
    rows = whole.unbind(0)
    rows[0].add_(1)
    rows[2].zero_()
    parts = whole.split([1, 3], 1)
    parts[0].mul_(2)
    parts[1].sub_(rows[1][:1])
    for half in whole.chunk(2, 1):
        half.mul_(3)
    return whole, rows[0], torch.stack(rows), torch.cat(parts, 1)


def parts_changed_on_data(x: torch.Tensor):
    whole = x * 1
    rows = whole.unbind(0)
    if bool(x.sum() > 0):
        rows[0].add_(1)
        rows[1].mul_(2)
    return whole, torch.stack(rows)


def taken_backwards(x: torch.Tensor):
    rows = [x[0], x[1], x[2], x[0] + x[1], x[1] * x[2]]
    none: List[torch.Tensor] = []
    return (torch.stack(rows[::-1]), torch.stack(rows[3:0:-2]), torch.stack(rows[-2::-1]),
            torch.stack(rows[:1:-1]), torch.stack(rows[99:-99:-3]), len(rows[0:3:-1]),
            len(none[::-1]), torch.stack(rows[::2]))


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
script("list/parts/reversed", parts_reversed, X)
script("list/parts/exchanged", parts_exchanged, X)
script("list/parts/changed", parts_changed, X)
script("list/parts/changed-on-data", parts_changed_on_data, X, others=signs)
script("lists/backwards", taken_backwards, X)

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
