"""Lists of data-dependent length, their elements, and sharing."""

from typing import Dict, List

import torch

from building import X, Cases, counts

CASES = Cases()
script = CASES.script

# ---- tensors of a list that are changed in place -------------------------------------------------


def appended_then_changed(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    outs: List[torch.Tensor] = []
    h = x * 1.0
    for _ in range(int(n)):
        h = h * 2
        outs.append(h)
        h += 1
    return torch.stack(outs)


def elements_changed(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    outs: List[torch.Tensor] = []
    for i in range(int(n)):
        outs.append(x * i)
    outs[0] += 5
    outs[-1].mul_(2)
    row = outs[0]
    row[1] = 9.0
    return torch.stack(outs) + row


def one_tensor_every_time(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    outs: List[torch.Tensor] = []
    h = x * 1.0
    for _ in range(int(n)):
        h += 1
        outs.append(h)
    return torch.stack(outs)


def last_changed_in_loop(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    outs: List[torch.Tensor] = [x * 1.0]
    for _ in range(int(n)):
        outs.append(outs[-1] * 2)
        outs[0] += 1
    return torch.stack(outs)


def last_changed_after_loop(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    outs: List[torch.Tensor] = []
    h = x * 1.0
    for _ in range(int(n)):
        h = h + 1
        outs.append(h)
    h.mul_(10)
    return torch.stack(outs) + h


def carried_then_changed(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    outs: List[torch.Tensor] = []
    h = x * 1.0
    for _ in range(int(n)):
        h += 1
        h = h * 2
        outs.append(h)
    return torch.stack(outs)


def changed_copies(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    outs: List[torch.Tensor] = []
    h = x * 1.0
    for i in range(int(n)):
        h = h.clone()
        h[0] = float(i)
        h += 1
        outs.append(h)
    return torch.stack(outs)


def appended_in_branch(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    outs: List[torch.Tensor] = []
    h = x * 1.0
    for i in range(int(n)):
        if int(x.sum()) > i:
            outs.append(h)
        h = h + 1
    outs.append(h)
    h += 1
    return torch.stack(outs)


def popped_and_changed(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    outs: List[torch.Tensor] = []
    for i in range(int(n)):
        outs.append(x * i)
    outs.append(x)
    first = outs.pop(0)
    first += 7
    return torch.stack(outs) + first


def copied_list(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    outs: List[torch.Tensor] = []
    for i in range(int(n)):
        outs.append(x * i)
    more = outs.copy()
    more.append(x)
    outs[0] += 3
    outs[0].mul_(2)
    return torch.stack(more)


def two_names_in_loop(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    a = x * 1.0
    b = x * 2.0
    out = x * 0.0
    for _ in range(int(n)):
        a += 1
        out = out + b
        a = a * 2
        b = a
    return out + b


def dict_of_changed(x: torch.Tensor, n: torch.Tensor) -> Dict[str, torch.Tensor]:
    h = x * 1.0
    made = {"h": h}
    h += n
    return made


def element_in_branch(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    held = x + 1
    outs = [held, x * 2]
    if bool(x.sum() > 0):
        outs[0] += 3
        outs[0].add_(x)
    outs = outs + [held]
    return torch.stack(outs) * n


def dict_before_loop(x: torch.Tensor, n: torch.Tensor) -> Dict[str, torch.Tensor]:
    h = x * 2
    made = {"h": h}
    if int(n) > 1:
        h += 1
    for _ in range(int(n) - 1):
        made["h"] += 1
    return made


def list_before_loop(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    h = x * 2
    outs = [x * 1, h]
    h[1] += 1
    for _ in range(int(n) - 1):
        outs.append(x + 1)
    return torch.stack(outs)


def elements_in_loop(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    outs = [x * 1, x * 2]
    for _ in range(int(n) - 1):
        for out in outs:
            out += 1
    return torch.stack(outs)


def dict_beside_branch(x: torch.Tensor, n: torch.Tensor) -> Dict[str, torch.Tensor]:
    h = x * 2
    made = {"h": h}
    h[0] = 3.0
    if bool(x.sum() > -1):
        if int(n) > 1:
            made["h"] += 1
    return made


def output_behind_fork(x: torch.Tensor, n: torch.Tensor):
    h = x * 1
    outs = [h, x + 1]
    more = [h]
    if int(n) > 3:
        outs.append(x.clone())
    more.append(h)
    h[0] = -2.0
    more[-1] = x
    return h, torch.stack(outs), torch.stack(more)


def changed_then_carried(x: torch.Tensor, n: torch.Tensor):
    g = x * 1
    h = x * 2
    outs = [x + 3]
    for _ in range(int(n)):
        outs[0].add_(h)
        outs.insert(0, g)
        h = outs.pop()
    return g, h, torch.stack(outs)


def taken_backwards(x: torch.Tensor, n: torch.Tensor):
    outs = [x]
    numbers = [1]
    for i in range(int(n)):
        outs.append(x * i)
        numbers.append(i * 3)
    back = outs[::-1]
    return torch.stack(back), torch.tensor(numbers[::-1]), back[0]


def part_backwards(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    outs = [x]
    for i in range(int(n)):
        outs.append(x * i)
    return torch.stack(outs[2::-1])


def joined_then_changed(x: torch.Tensor, n: torch.Tensor):
    outs: List[torch.Tensor] = []
    for i in range(int(n)):
        outs.append(x * i)
    joined = torch.stack(outs)
    joined.add_(7)
    row = torch.cat(outs)
    row.mul_(3)
    return joined, row, torch.stack(outs)


def one_tensor_twice(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    outs: List[torch.Tensor] = []
    for i in range(int(n)):
        outs.append(x * i)
    outs.extend(outs)
    outs[0].add_(100)
    return torch.stack(outs)


def row_put_elsewhere(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    outs: List[torch.Tensor] = [x * 1.0]
    for i in range(int(n)):
        outs.append(x * i)
        first = outs[0]
        first.add_(1)
        outs[1] = first
    return torch.stack(outs)


def row_put_back(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    outs: List[torch.Tensor] = [x * 1.0, x * 2.0]
    for i in range(int(n)):
        outs.append(outs[-1] + i)
        outs[0] -= 1
        outs[1] *= 2
        outs[0] += outs[1]
    outs[0] *= 0.5
    return torch.stack(outs)


def rows_one_by_one(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    outs = [x + 3]
    for i in range(int(n)):
        outs.append(x * i)
    for row in outs:
        row.add_(x)
    return torch.stack(outs)


def rows_one_by_one_in_branch(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    outs = [x + 3]
    if bool(x.sum() > 0):
        outs[0].mul_(2)
    else:
        for i in range(int(n)):
            outs.append(x * i)
    for row in outs:
        row.add_(x)
    return torch.stack(outs)


def key_given_twice(x: torch.Tensor, n: torch.Tensor):
    named = {"a": x, "b": x * 2, "a": x * 3}  # noqa: F601
    first: Dict[int, torch.Tensor] = {1: x}
    for i in range(int(n)):
        first = {1: x + i, 1: x * i}  # noqa: F601
    return named["a"], len(named), list(named.keys()) == ["a", "b"], first[1]


def numbered_in_loop(x: torch.Tensor, n: torch.Tensor):
    numbered: Dict[int, torch.Tensor] = {1: x, 4: x * 2}
    last: Dict[int, torch.Tensor] = {}
    for i in range(int(n)):
        numbered[1] = numbered[1] + i
        numbered[4] = numbered[4] * numbered[1]
        last = {7: numbered[4]}
    return numbered[4], numbered[1], last[7] if len(last) > 0 else x


def lists_in_inner_loop(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    outs: List[torch.Tensor] = [x]
    for i in range(int(n)):
        inner: List[torch.Tensor] = [x * i]
        for k in range(int(n)):
            inner.append(outs[-1] + k)
        outs.append(inner[-1] + inner[0])
    return torch.stack(outs)


N = torch.tensor(3)
ANY = counts(1, 2, 6)
script("list-memory/joined-then-changed", joined_then_changed, X, N, others=ANY)
script("list-memory/one-tensor-twice", one_tensor_twice, X, N, refused="changed in place")
script("list-memory/row-put-elsewhere", row_put_elsewhere, X, N, refused="changed in place")
script("list-memory/row-put-back", row_put_back, X, N, others=ANY)
script("list-memory/rows-one-by-one", rows_one_by_one, X, N, others=counts(0, 1, 6))
script("list-memory/rows-one-by-one/branch", rows_one_by_one_in_branch, X, N, others=lambda: [[X + 3, N], [-X - 3, N]])
script("key-given-twice", key_given_twice, X, N, others=ANY)
script("numbered-in-loop", numbered_in_loop, X, N, others=counts(0, 1, 2, 6))
script("lists-in-inner-loop", lists_in_inner_loop, X, N, others=ANY)
script("backwards", taken_backwards, X, N, others=ANY)
script("part-backwards", part_backwards, X, N, refused="is taken backwards")
script("list-memory/appended-then-changed", appended_then_changed, X, N, others=ANY)
script("list-memory/elements-changed", elements_changed, X, N, others=ANY)
script("list-memory/copies", changed_copies, X, N, others=ANY)
script("list-memory/last-in-loop", last_changed_in_loop, X, N, others=ANY)
script("list-memory/popped", popped_and_changed, X, N, others=ANY)
script("list-memory/dict", dict_of_changed, X, N, others=ANY)
script("list-memory/one-tensor", one_tensor_every_time, X, N, refused="changed in place")
script("list-memory/after-loop", last_changed_after_loop, X, N, refused="changed in place")
script("list-memory/carried", carried_then_changed, X, N, refused="changed in place")
script("list-memory/branch", appended_in_branch, X, N, refused="changed in place")
script("list-memory/copied-list", copied_list, X, N, refused="changed in place")
script("list-memory/changed-then-carried", changed_then_carried, X, N,
       refused="the tensor that it changes is read under another name")
script("list-memory/two-names", two_names_in_loop, X, N, refused="the tensor that it changes is read under another name")
script("list-memory/element-in-branch", element_in_branch, X, N,
       others=lambda: [[X + 3, N], [-X, N]])
script("list-memory/dict-before-loop", dict_before_loop, X, N, others=ANY)
script("list-memory/list-before-loop", list_before_loop, X, N, others=ANY)
script("list-memory/elements-in-loop", elements_in_loop, X, N, others=ANY)
script("list-memory/dict-beside-branch", dict_beside_branch, X, N, others=ANY)
script("list-memory/output-behind-fork", output_behind_fork, X, N, others=ANY)
