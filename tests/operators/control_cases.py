"""Branches and loops that depend on the data, or on the size of a dynamic axis."""

from typing import List, Tuple

import torch
from torch import nn

from building import BATCH, X, Cases, counts, signs

CASES = Cases()
script = CASES.script

# ---- branches --------------------------------------------------------------------------------------


def two_sides(x: torch.Tensor) -> torch.Tensor:
    if bool(x.sum() > 0):
        y = x * 2
    else:
        y = x - 1
    return y + 1


def early_return(x: torch.Tensor) -> torch.Tensor:
    if bool(x.sum() > 0):
        return x * 2
    y = x - 1
    if bool(y[0, 0] < -3):
        return y.abs()
    return y


def nested(x: torch.Tensor) -> torch.Tensor:
    if bool(x[0, 0] > 0):
        if bool(x[1, 1] > 3):
            y = x.exp()
        else:
            y = x.neg()
    else:
        y = x * 0
    return y


def numbers(x: torch.Tensor) -> Tuple[torch.Tensor, int, float, bool]:
    n = int(x[0, 0])
    if n > 0:
        a, b, c = n * 2, 0.5, True
    else:
        a, b, c = 7, float(n), False
    return x * a + b, a, b, c


def other_sizes(x: torch.Tensor) -> torch.Tensor:
    if bool(x.sum() > 0):
        y = x[:2]
    else:
        y = torch.cat([x, x])
    return y.relu() - y.mean()


def in_place(x: torch.Tensor) -> torch.Tensor:
    y = x.clone()
    z = y[1]
    if bool(x.sum() > 0):
        y.add_(1)
    else:
        z.mul_(3)
    return y + z


def lists(x: torch.Tensor) -> torch.Tensor:
    parts = [x, x + 1]
    if bool(x.sum() > 0):
        parts[0] = x * 3
    else:
        parts[1] = x * 4
    return torch.cat(parts)


def raising(x: torch.Tensor) -> torch.Tensor:
    if bool(x[0, 0] > 100):
        raise ValueError("too large")
    return x + 1


def helper(x: torch.Tensor) -> torch.Tensor:
    if bool(x[0, 0] > 100):
        raise ValueError("too large")
    return x * 2


def raising_call(x: torch.Tensor) -> torch.Tensor:
    if bool(x.sum() > 0):
        y = helper(x)
    else:
        y = x
    return y


def tuples(x: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    if bool(x.sum() > 0):
        pair = (x, x * 2)
    else:
        pair = (x * 3, x)
    a, b = pair
    return a - b, a


def ranks(x: torch.Tensor) -> torch.Tensor:
    if bool(x.sum() > 0):
        y = x
    else:
        y = x[0]
    return y


def dynamic_size(x: torch.Tensor) -> torch.Tensor:
    if x.size(0) > 3:
        y = x[:3]
    else:
        y = x * 2
    return y.sum(0)


def ternary(x: torch.Tensor, flag: torch.Tensor) -> torch.Tensor:
    return x if bool(flag) else -x


class Gated(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(4)
        self.first = nn.Linear(4, 4)
        self.second = nn.Sequential(nn.Linear(4, 4), nn.ReLU())

    def forward(self, x):
        if bool(x.sum() > 0):
            return self.first(x)
        return self.second(x)


script("if/two-sides", two_sides, X, others=signs, dynamic=BATCH)
script("if/early-return", early_return, X, others=signs, dynamic=BATCH)
script("if/nested", nested, X, others=signs)
script("if/numbers", numbers, X, others=signs)
script("if/other-sizes", other_sizes, X, others=signs)
script("if/in-place", in_place, X, others=signs)
script("if/lists", lists, X, others=signs)
script("if/raising", raising, X)
script("if/raising-call", raising_call, X, others=signs)
script("if/tuples", tuples, X, others=signs)
script("if/ranks", ranks, X, refused="tensors of different ranks or dtypes")
script("if/dynamic-size", dynamic_size, X, dynamic=BATCH)
script("if/input", ternary, X, torch.tensor(True), others=lambda: [[X, torch.tensor(False)]])
script("if/modules", Gated().eval(), X, others=signs, dynamic=BATCH)

# ---- loops -----------------------------------------------------------------------------------------


def counted(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    for i in range(int(n)):
        x = x * 2 + i
    return x


def over_rows(x: torch.Tensor) -> torch.Tensor:
    total = torch.zeros(4)
    for i in range(x.size(0)):
        total = total * 0.5 + x[i]
    return total


def while_small(x: torch.Tensor) -> torch.Tensor:
    while bool(x.sum() < 100):
        x = x + x.abs() + 1
    return x


def growing(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    for _ in range(int(n)):
        x = torch.cat([x, x[-1:] + 1])
    return x


def appended(x: torch.Tensor) -> torch.Tensor:
    outputs: List[torch.Tensor] = []
    state = torch.zeros(4)
    for i in range(x.size(0)):
        state = torch.tanh(state + x[i])
        outputs.append(state)
    return torch.stack(outputs)


def appended_last(x: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor, int]:
    outputs = [x[0] * 0]
    for i in range(x.size(0)):
        outputs.append(x[i] * i)
    return torch.stack(outputs, -1), torch.cat(outputs), len(outputs)


def collected(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    outputs: List[torch.Tensor] = []
    for i in range(int(n)):
        outputs.append(x * i)
    return torch.cat(outputs, 1)


def broken_off(x: torch.Tensor) -> Tuple[torch.Tensor, int]:
    steps = 0
    for i in range(10):
        x = x * 1.5
        if bool(x.max() > 50):
            break
        steps += 1
    return x, steps


def skipping(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    total = torch.zeros(4)
    for i in range(int(n)):
        if bool(x[i % 3, 0] < 0):
            continue
        total = total + x[i % 3]
    return total


def searching(x: torch.Tensor) -> int:
    for i in range(x.size(0)):
        if bool(x[i, 0] > 0):
            return i
    return -1


def nested_loops(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    count = int(n)
    for i in range(count):
        for j in range(i):
            x = x + i * j
        x = x * 1.1
    return x


def filling(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    y = torch.zeros_like(x)
    for i in range(int(n)):
        y[i] = x[i] * 2
        y[:, i] += 1
    return y


def fibonacci(n: torch.Tensor) -> int:
    a, b = 0, 1
    for _ in range(int(n)):
        a, b = b, a + b
    return a


def tuple_state(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    state = (x, x * 0)
    for _ in range(int(n)):
        state = (state[1] + 1, state[0])
    return state[0] - state[1]


def greedy(x: torch.Tensor, steps: torch.Tensor) -> torch.Tensor:
    tokens = torch.zeros(1, dtype=torch.long)
    for _ in range(int(steps)):
        scores = x[tokens[-1]].unsqueeze(0) + tokens.float().mean()
        tokens = torch.cat([tokens, scores.argmax(-1) % 3])
    return tokens


def until_end(x: torch.Tensor) -> torch.Tensor:
    tokens = torch.zeros(1, dtype=torch.long)
    done = False
    while not done and tokens.size(0) < 8:
        token = (x[tokens[-1]].argmax() + tokens.sum()) % 3
        tokens = torch.cat([tokens, token.reshape(1)])
        done = bool(token == 2)
    return tokens


def beams(scores: torch.Tensor, steps: torch.Tensor) -> torch.Tensor:
    best = torch.zeros(2)
    last = torch.zeros(2, dtype=torch.long)
    for _ in range(int(steps)):
        every = (best.unsqueeze(1) + scores[last]).flatten()
        best, index = every.topk(2)
        last = index % 3
    return best


class Cell(nn.Module):
    """A recurrent layer that loops in Python."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(5)
        self.cell = nn.LSTMCell(4, 3)
        self.out = nn.Linear(3, 2)

    def forward(self, x: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
        h = torch.zeros(x.size(1), 3)
        c = torch.zeros(x.size(1), 3)
        outputs: List[torch.Tensor] = []
        for t in range(x.size(0)):
            h, c = self.cell(x[t], (h, c))
            outputs.append(self.out(h))
        return torch.stack(outputs, 1), h


def long_counted(x: torch.Tensor) -> torch.Tensor:
    for i in range(400):
        x = x * 0.99 + 0.01 * i
    return x


def long_list(x: torch.Tensor) -> torch.Tensor:
    items = [x, x + 1]
    for i in range(300):
        items[i % 2] = items[i % 2] * 0.9
    return items[0] + items[1]


script("loop/counted", counted, X, torch.tensor(3), others=counts(0, 5), dynamic=BATCH)
script("loop/over-rows", over_rows, X, dynamic=BATCH)
script("loop/while", while_small, X, others=lambda: [[X + 100], [X - 1]])
script("loop/growing", growing, X, torch.tensor(2), others=counts(0, 4))
script("loop/appended", appended, X, dynamic=BATCH)
script("loop/appended-last", appended_last, X, dynamic=BATCH)
script("loop/collected", collected, X, torch.tensor(3), others=counts(1, 5))
script("loop/broken-off", broken_off, X, others=lambda: [[X * 0], [X + 100]])
script("loop/skipping", skipping, X, torch.tensor(5), others=counts(0, 9))
script("loop/searching", searching, X, others=lambda: [[X - 100], [X + 100]], dynamic=BATCH)
script("loop/nested", nested_loops, X, torch.tensor(4), others=counts(0, 1, 2))
script("loop/filling", filling, X, torch.tensor(2), others=counts(0, 3))
script("loop/fibonacci", fibonacci, torch.tensor(7), others=counts(0, 1, 20, first=()))
script("loop/tuple", tuple_state, X, torch.tensor(3), others=counts(0, 4))
script("loop/greedy", greedy, X[:, :3], torch.tensor(4), others=counts(0, 7, first=(X[:, :3],)))
script("loop/until-end", until_end, X[:, :3], others=lambda: [[-X[:, :3]], [X[:, :3].sin()]])
script("loop/beams", beams, X[:, :3], torch.tensor(3), others=counts(0, 6, first=(X[:, :3].cos(),)))
script("loop/cell", Cell().eval(), (5, 2, 4), dynamic={0: {0: "time", 1: "batch"}})
script("loop/long", long_counted, X)
script("loop/long-list", long_list, X)

# ---- lists and dicts -------------------------------------------------------------------------------


def list_methods(x: torch.Tensor) -> torch.Tensor:
    parts = [x, x + 1]
    parts.insert(0, x * 2)
    parts.insert(-1, x * 3)
    parts.reverse()
    other = [x]
    other.clear()
    return torch.cat(parts + other)


def dict_methods(x: torch.Tensor) -> torch.Tensor:
    scales = {"a": 2, "b": 3}
    table = dict([("a", x), ("b", x + 1)])
    total = table.get("c", x * 0)
    for key, value in table.items():
        total = total + value * scales[key]
    return total


script("list/methods", list_methods, X, dynamic=BATCH)
script("dict/methods", dict_methods, X, dynamic=BATCH)
