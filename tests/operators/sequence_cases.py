"""Lists of unknown length whose tensors differ in size, and lists that are returned: sequences."""

from typing import Dict, List, Tuple

import torch

from building import BATCH, X, Cases, counts

CASES = Cases()
script = CASES.script


def ragged_cat(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    outs: List[torch.Tensor] = []
    for i in range(int(n)):
        outs.append(x[: i + 1])
    return torch.cat(outs)


def ragged_out(x: torch.Tensor, n: torch.Tensor) -> List[torch.Tensor]:
    outs: List[torch.Tensor] = []
    for i in range(int(n)):
        outs.append(x[: i + 1] * 2)
    return outs


def rows_out(x: torch.Tensor, n: torch.Tensor) -> List[torch.Tensor]:
    outs: List[torch.Tensor] = []
    for i in range(int(n)):
        outs.append(x * i)
    return outs


def ints_out(x: torch.Tensor, n: torch.Tensor) -> List[int]:
    outs: List[int] = []
    for i in range(int(n)):
        outs.append(i * 3)
    return outs


def floats_out(x: torch.Tensor, n: torch.Tensor) -> List[float]:
    outs: List[float] = []
    for i in range(int(n)):
        outs.append(float(x.sum()) * i)
    return outs


def masks(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    outs: List[torch.Tensor] = []
    for i in range(int(n)):
        outs.append(x[x > i])
    return torch.cat(outs) + len(outs)


def nms_like(x: torch.Tensor, n: torch.Tensor) -> Tuple[torch.Tensor, List[torch.Tensor]]:
    keep: List[torch.Tensor] = []
    for i in range(int(n)):
        idx = torch.nonzero(x[:, 0] > i - 3)[:, 0]
        keep.append(idx)
    lengths = torch.zeros(len(keep), dtype=torch.long)
    for j in range(len(keep)):
        lengths[j] = keep[j].size(0)
    return lengths, keep


def read_items(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    outs: List[torch.Tensor] = []
    for i in range(int(n)):
        outs.append(x[: i + 1])
    total = torch.zeros(4)
    for o in outs:
        total = total + o.sum(0)
    return total + outs[-1].mean() + outs[0].sum()


def replaced(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    outs: List[torch.Tensor] = []
    for i in range(int(n)):
        outs.append(x[: i + 1])
    outs[-1] = x[:1] * 7
    outs[0] = x
    return torch.cat(outs)


def popped(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    outs: List[torch.Tensor] = [x]
    for i in range(int(n)):
        outs.append(x[: i + 1])
    last = outs.pop()
    first = outs.pop(0)
    return torch.cat(outs + [last]) + first.sum()


def inserted(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    outs: List[torch.Tensor] = [x]
    for i in range(int(n)):
        outs.append(x[: i + 1] * i)
    outs.insert(0, x[:1] + 1)
    outs.insert(1, x + 2)
    outs.insert(-1, x[:2] + 3)
    outs.insert(99, x + 4)
    outs.insert(-99, x + 5)
    return torch.cat(outs)


def rows_inserted(x: torch.Tensor, n: torch.Tensor) -> Tuple[torch.Tensor, int]:
    outs: List[torch.Tensor] = []
    numbers = [7]
    for i in range(int(n)):
        outs.append(x * i)
        outs.insert(0, x + i)
        numbers.insert(0, 3 * i)
    outs.insert(1, x + 2)
    outs.insert(-1, x + 3)
    outs.insert(99, x + 4)
    outs.insert(-99, x + 5)
    return torch.stack(outs), numbers[0]


def popped_within(x: torch.Tensor, n: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    outs: List[torch.Tensor] = [x, x + 1, x + 2]
    for i in range(int(n)):
        outs.append(x * i)
    second = outs.pop(1)
    last = outs.pop(-2)
    return torch.stack(outs), second - last


def prefixed(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    outs: List[torch.Tensor] = [x, x[:1]]
    for i in range(int(n)):
        outs.append(x[: i + 1])
    outs.append(x)
    return torch.cat(outs)


def in_branch(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    outs: List[torch.Tensor] = []
    for i in range(int(n)):
        if int(x.sum()) > i:
            outs.append(x[: i + 1])
        else:
            outs.append(x)
    return torch.cat(outs)


def maybe(x: torch.Tensor, n: torch.Tensor) -> List[torch.Tensor]:
    outs: List[torch.Tensor] = []
    for i in range(int(n)):
        if i % 2 == 0:
            outs.append(x[: i + 1])
    return outs


def sizes_differ(x: torch.Tensor, n: torch.Tensor) -> List[torch.Tensor]:
    if int(n) > 2:
        return [x, x * 2, x[:1]]
    if int(n) > 1:
        return [x * 3]
    return [x, x]


def dict_sides(x: torch.Tensor, n: torch.Tensor) -> Dict[str, List[torch.Tensor]]:
    if int(n) > 2:
        return {"a": [x, x * 2, x[:1]], "b": [x]}
    return {"a": [x], "b": [x + 1]}


def flat_loop(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    outs: List[torch.Tensor] = []
    for i in range(int(n)):
        outs.append((x * i).flatten())
    return torch.stack(outs) + torch.stack(outs).sum(1, keepdim=True)


def unb_all(x: torch.Tensor, n: torch.Tensor) -> List[torch.Tensor]:
    return x.unbind(0)


def unb_loop(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    t = torch.zeros(4)
    for r in x.unbind():
        t = t * 0.5 + r
    for s in x.split(2):
        t = t + s.sum(0)
    return t


def some_of_ten(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    outs: List[torch.Tensor] = []
    for i in range(10):
        if bool(x[0, 0] + x[1, 1] > i - 5):
            outs.append(x * i)
    outs.append(x)
    return torch.stack(outs)


def some_ragged(x: torch.Tensor, n: torch.Tensor) -> List[torch.Tensor]:
    outs: List[torch.Tensor] = []
    for i in range(10):
        if bool(x[0, 0] + x[1, 1] > i - 5):
            outs.append(x[: i + 1])
    return outs


def list_of_lists(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    groups: List[List[torch.Tensor]] = [[x], [x, x]]
    for i in range(int(n)):
        groups[0].append(x * i)
    t = torch.zeros(4)
    for g in groups:
        for e in g:
            t = t * 0.5 + e.sum(0)
    return t


def windows(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    outs: List[torch.Tensor] = []
    start = 0
    while start < x.size(0):
        stop = min(start + int(n), x.size(0))
        outs.append(x[start:stop].sum(0, keepdim=True).expand(stop - start, -1))
        start = stop
    return torch.cat(outs)


def carried(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    outs = [x]
    for i in range(int(n)):
        outs = outs + [x[: i + 1]]
    return torch.cat(outs)


def stack_then_ragged(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    outs: List[torch.Tensor] = []
    for i in range(int(n)):
        outs.append(x * i)
    outs.append(x[:1])
    return torch.cat(outs)


def stacked(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    outs: List[torch.Tensor] = []
    for i in range(int(n)):
        outs.append(x[:2][: int(n)])
    return torch.stack(outs, 1)


def nested(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    outs: List[torch.Tensor] = []
    for i in range(int(n)):
        for j in range(i):
            outs.append(x[: j + 1])
    outs.append(x)
    return torch.cat(outs)


def index_known(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    parts = [x, x[:1], x[:2]]
    return parts[int(n) % 3] * 2


def optional_len(x: torch.Tensor, n: torch.Tensor) -> List[torch.Tensor]:
    if bool(x.sum() > 0):
        return [x, x * 2]
    return [x]


def lens(x: torch.Tensor, n: torch.Tensor) -> int:
    outs: List[torch.Tensor] = []
    for i in range(int(n)):
        outs.append(x[: i + 1])
    outs.clear()
    for i in range(int(n)):
        outs.append(x[: i + 1])
    return len(outs)


def unb(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    total = torch.zeros(4)
    for r in x[x[:, 0] > int(n) - 3].unbind(0):
        total = total * 2 + r
    return total


def changed(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    outs: List[torch.Tensor] = []
    for i in range(int(n)):
        outs.append(x[: i + 1] * 1)
    e = outs[0]
    e += 1
    return torch.cat(outs)


def splits(x: torch.Tensor, n: torch.Tensor) -> List[torch.Tensor]:
    return list(x.split(2))


def enum(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    outs: List[torch.Tensor] = []
    for i in range(int(n)):
        outs.append(x[: i + 1])
    t = x.sum()
    for i, o in enumerate(outs):
        t = t * 0.5 + o.sum() * i
    for a, b in zip(outs, outs):
        t = t + (a - b).sum()
    return t


def compre(x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
    outs = [x[: i + 1] for i in range(int(n))]
    return torch.cat([o * 2 for o in outs])


N = torch.tensor(3)


def others():
    """Other numbers, and other tensors: shorter, longer, with other signs."""
    tensors = [X, -X, X[:2] + 3, torch.cat([X, X + 1, X - 2])]
    return [[x, torch.tensor(n)] for n in (1, 2, 5) for x in tensors]


def add(name, function, **options):
    script(f"{name}/fixed", function, X, N, others=counts(1, 2, 6), **options)
    script(f"{name}/dynamic", function, X, N, others=others, dynamic=BATCH, **options)


add("ragged-cat", ragged_cat)
add("ragged-out", ragged_out)
add("rows-out", rows_out)
add("ints-out", ints_out)
add("floats-out", floats_out)
add("masks", masks)
add("nms-like", nms_like)
add("read-items", read_items)
add("replaced", replaced)
add("popped", popped)
add("inserted", inserted)
add("rows-inserted", rows_inserted)
add("popped-within", popped_within)
add("prefixed", prefixed)
add("in-branch", in_branch)
add("maybe", maybe)
add("sizes-differ", sizes_differ)
add("dict-sides", dict_sides)
add("flat-loop", flat_loop)
add("unb-all", unb_all)
add("unb-loop", unb_loop)
add("some-of-ten", some_of_ten)
add("some-ragged", some_ragged)
add("list-of-lists", list_of_lists)
add("windows", windows)
add("carried", carried)
add("stack-then-ragged", stack_then_ragged)
add("stacked", stacked)
add("nested", nested)
add("index-known", index_known)
add("optional-len", optional_len)
add("lens", lens)
add("unb", unb)
add("changed", changed, refused="changed in place")
add("splits", splits)
add("enum", enum)
add("compre", compre)
