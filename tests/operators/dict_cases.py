"""Dicts: their order, and their tensors as outputs."""

from typing import Dict, List, Tuple

import torch

from building import BATCH, X, Cases, counts, signs

CASES = Cases()
script = CASES.script


def written_again(x: torch.Tensor) -> Dict[str, torch.Tensor]:
    """A replaced value keeps its position; a removed and added one comes last."""
    made = {"b": x, "a": x + 1, "c": x + 2}
    made["a"] = x * 2
    made.pop("b")
    made["b"] = x * 3
    return made


def keys_by_number(x: torch.Tensor) -> Dict[int, torch.Tensor]:
    made: Dict[int, torch.Tensor] = {}
    for i in [3, 1, 2]:
        made[i] = x * i
    return made


def read_in_order(x: torch.Tensor) -> torch.Tensor:
    made = {"z": x, "a": x + 1}
    made["m"] = x - 1
    keys = list(made.keys())
    total = torch.zeros_like(x)
    for i, value in enumerate(made.values()):
        total = total + value * (i + 1)
    for i, key in enumerate(keys):
        total = total * 2 + made[key] * i
    return total


def updated(x: torch.Tensor) -> Dict[str, torch.Tensor]:
    made = {"x": x, "y": x + 1}
    made.update({"z": x + 2, "x": x * 5})
    return made


def same_keys_on_both_sides(x: torch.Tensor) -> Dict[str, torch.Tensor]:
    if bool(x.sum() > 0):
        made = {"a": x, "b": x + 1}
    else:
        made = {"a": x * 2, "b": x * 3}
    return made


def read_by_key_whatever_the_order(x: torch.Tensor) -> Tuple[torch.Tensor, torch.Tensor]:
    if bool(x.sum() > 0):
        made = {"a": x, "b": x + 1}
    else:
        made = {"b": x * 2, "a": x * 3}
    return made["a"], made["b"]


def another_order_on_a_side(x: torch.Tensor) -> Dict[str, torch.Tensor]:
    if bool(x.sum() > 0):
        made = {"a": x, "b": x + 1}
    else:
        made = {"b": x * 2, "a": x * 3}
    return made


def another_key_on_a_side(x: torch.Tensor) -> Dict[str, torch.Tensor]:
    made = {"a": x}
    if bool(x.sum() > 0):
        made["b"] = x + 1
    return made


def of_a_list(x: torch.Tensor) -> List[Dict[str, torch.Tensor]]:
    return [{"b": x, "a": x + 1}, {"a": x * 2}]


script("written-again", written_again, X, dynamic=BATCH)
script("keys-by-number", keys_by_number, X, dynamic=BATCH)
script("read-in-order", read_in_order, X, dynamic=BATCH)
script("updated", updated, X, dynamic=BATCH)
script("both-sides", same_keys_on_both_sides, X, others=signs)
script("read-by-key", read_by_key_whatever_the_order, X, others=signs)
script("other-order", another_order_on_a_side, X,
       refused="the sides of a branch on the data give values of different kinds")
script("other-key", another_key_on_a_side, X,
       refused="the sides of a branch on the data give lists of different lengths")
script("of-a-list", of_a_list, X, dynamic=BATCH)


# ---- keys that only a run knows ------------------------------------------------------------------


def value_of_key(x: torch.Tensor, key: torch.Tensor) -> torch.Tensor:
    made: Dict[int, torch.Tensor] = {5: x, 1: x * 2, -2: x * 3}
    return made[int(key)]


def key_that_may_be_missing(x: torch.Tensor, key: torch.Tensor) -> torch.Tensor:
    made: Dict[int, int] = {5: 3, 1: 7, -2: 9}
    if int(key) in made:
        return x * made[int(key)]
    return x


def values_of_other_sizes(x: torch.Tensor, key: torch.Tensor) -> torch.Tensor:
    made: Dict[float, torch.Tensor] = {5.0: x, 1.0: torch.cat([x, x]), -2.0: x[:1]}
    return made[float(key)]


for function in (value_of_key, values_of_other_sizes):
    script(f"looked_up/{function.__name__}", function, X, torch.tensor(1), others=counts(5, -2))
script("looked_up/key_that_may_be_missing", key_that_may_be_missing, X, torch.tensor(1),
       others=counts(5, -2, 0, 3))
