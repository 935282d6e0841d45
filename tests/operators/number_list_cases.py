"""Lists of numbers and texts: computations on those that depend on inputs, and changed lists."""

from typing import Dict, List

import torch

from building import BATCH, Cases

CASES = Cases()
OTHERS = [[torch.ones(rows, 6), torch.tensor(n)] for rows, n in ((2, 0), (4, 1), (3, 3), (6, 5))]


def script(name, function, **options) -> None:
    options = {"dynamic": BATCH, **({} if "refused" in options else {"others": lambda: OTHERS}), **options}
    CASES.script(name, function, (4, 6), torch.tensor(2), **options)


# ---- computations on whole lists -----------------------------------------------------------------


def sums(x: torch.Tensor, n: torch.Tensor):
    sizes = [x.size(0), int(n), 2]
    floats = [float(n), 1.5, -0.0]
    return torch.ones(sum(sizes), 2), x * sum(x.shape), x * sum(floats)


def sum_of_zero(x: torch.Tensor, n: torch.Tensor):
    return torch.tensor([1.0 / (sum([-0.0 * float(n)]) + 1.0)]), x.reshape(sum([x.size(0)]), -1)


def all_and_any(x: torch.Tensor, n: torch.Tensor):
    flags = [int(n) > 0, x.size(0) > 2]
    numbers = [int(n), x.size(0)]
    return torch.tensor([all(flags), any(flags), all(numbers), any([float(n), 0.0]),
                         all([float(n), 0.5]), any([int(n) * 0, 0])])


def shapes_compared(x: torch.Tensor, n: torch.Tensor):
    y = x[:int(n)]
    z = x + y if x.shape == y.shape else x
    return z, torch.tensor([x.shape == [4, 6], x.shape != [4, 6], x.shape == [4, 6, 1],
                            x.shape != y.shape, list(y.shape) == [int(n), 6]])


def asserted(x: torch.Tensor, n: torch.Tensor):
    y = x[:, 1:]
    assert x.shape[:1] == y.shape[:1]
    if (x * 2).shape != x.shape:
        raise ValueError("no")
    return y + 1


def lists_compared(x: torch.Tensor, n: torch.Tensor):
    return torch.tensor([[1.0, float(n)] == [1.0, 3.0], [1.0, float(n)] != [1.0, 3.0],
                         [True, bool(n > 1)] == [True, False], [int(n)] == [x.size(0)]])


def found(x: torch.Tensor, n: torch.Tensor):
    k = int(n)
    return torch.tensor([k in [1, 3], k not in [1, 3], 4 in x.shape, float(n) in [0.0, 5.0],
                         x.size(0) in [k, 6]])


def counted(x: torch.Tensor, n: torch.Tensor):
    k = int(n)
    return torch.tensor([[k, 3, 1, x.size(0)].count(k), x.shape.count(6), [1.0, float(n)].count(1.0)])


def divided(x: torch.Tensor, n: torch.Tensor):
    a, b = divmod(x.size(0), 4)
    c, d = divmod(int(n) - 3, -2)
    e, f = divmod(7, 2)
    q, r = divmod(x.size(0) * 3, 3)
    return torch.tensor([a, b, c, d, e, f, r]), x.reshape(q, 2, 3)


# ---- changes --------------------------------------------------------------------------------------


def deleted(x: torch.Tensor, n: torch.Tensor):
    tensors = [x, x + 1, x + 2]
    del tensors[-2]
    numbers = [1, x.size(0), 3]
    del numbers[0]
    texts = {"a": x, "b": x * 3}
    del texts["a"]
    return torch.stack(tensors), torch.tensor(numbers), texts["b"] * len(texts)


def deleted_of_grown(x: torch.Tensor, n: torch.Tensor):
    rows = [x[0]]
    parts = [x]
    for i in range(int(n)):
        rows.append(x[1] * i)
        parts.append(x[:i])
    rows.append(x[1])
    parts.append(x + 1)
    del rows[0]
    del parts[-2]
    return torch.stack(rows), torch.cat(parts)


def taken_from_dict(x: torch.Tensor, n: torch.Tensor):
    tensors = {"a": x, "b": x + 1, "c": x * 2}
    key, value = tensors.popitem()
    before = tensors.setdefault("b", x * 5)
    added = tensors.setdefault("d", x * 7)
    lists: Dict[str, List[torch.Tensor]] = {}
    for name in ["p", "q", "p"]:
        lists.setdefault(name, torch.jit.annotate(List[torch.Tensor], [])).append(x * len(lists))
    return value * len(key), before, added + tensors["d"], torch.stack(lists["p"]), torch.tensor(len(tensors))


def removed(x: torch.Tensor, n: torch.Tensor):
    numbers = [1, 2, 3, 2]
    numbers.remove(2)
    floats = [1.5, 2.5]
    floats.remove(2.5)
    texts = ["a", "b"]
    texts.remove("a")
    y = x * 2 if texts[0] == "b" else x
    return y, torch.tensor(numbers), torch.tensor(floats)


def sorted_in_place(x: torch.Tensor, n: torch.Tensor):
    numbers = [3, 1, 2, 1]
    same = numbers
    numbers.sort()
    floats = [0.5, 2.5, -1.0]
    floats.sort(reverse=True)
    texts = ["b", "a"]
    texts.sort()
    nothing: List[int] = []
    nothing.sort()
    return x * 2 if texts[0] == "a" else x, torch.tensor(same), torch.tensor(floats), torch.tensor(len(nothing))


def removed_by_input(x: torch.Tensor, n: torch.Tensor):
    numbers = [1, 2]
    numbers.remove(int(n))
    return x * numbers[0]


def removed_of_inputs(x: torch.Tensor, n: torch.Tensor):
    numbers = [1, int(n)]
    numbers.remove(1)
    return x * numbers[0]


def sorted_by_input(x: torch.Tensor, n: torch.Tensor):
    numbers = [3, int(n)]
    numbers.sort()
    return x * numbers[0]


script("sum", sums)
script("sum/one", sum_of_zero)
script("all-and-any", all_and_any)
script("shapes", shapes_compared)
script("shapes/asserted", asserted)
script("compared", lists_compared)
script("contains", found)
script("count", counted)
script("divmod", divided)
script("delete", deleted)
script("delete/grown", deleted_of_grown)
script("dict", taken_from_dict)
script("remove", removed)
script("sort", sorted_in_place)
script("remove/by-input", removed_by_input, refused="an element that depends on the inputs")
script("remove/of-inputs", removed_of_inputs, refused="a list whose elements depend on the inputs")
script("sort/by-input", sorted_by_input, refused="a list whose elements depend on the inputs")
