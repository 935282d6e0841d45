"""Layouts of results of branches and loops: those of the values, if all agree. Otherwise a program that depends on the
layout is refused; beside each is one that does not."""

import torch

from building import X, Cases, signs

CASES = Cases()

STRIDES = "depends on which side of a branch is taken"
GAPS = "depends on where its values lie in memory"
OFTEN = "depends on how often a loop runs"
PLACES = "it takes elements by their places in memory, which depend on "


def both_turned(x: torch.Tensor):
    y = x.t() if bool(x.sum() > 0) else (x + 1).t()
    return x * y.stride(0) + 10 * y.stride(1) + float(y.is_contiguous())


def both_turned_and_cut(x: torch.Tensor):
    y = x[x[:, 0] > -2].t() if bool(x.sum() > 0) else x[x[:, 0] > 0].t()
    return y.relu() * y.stride(0) + float(y.is_contiguous())


def one_turned(x: torch.Tensor):
    z = torch.cat([x, x[:1]])
    y = z.t() if bool(x.sum() > 0) else z * 2
    return x * y.stride(0)


def one_turned_unseen(x: torch.Tensor):
    z = torch.cat([x, x[:1]])
    y = z.t() if bool(x.sum() > 0) else z * 2
    return y.reshape(2, 8).relu()


def places_of_turned(x: torch.Tensor):
    y = x.t() if bool(x.sum() > 0) else (x + 1).t()
    return y.as_strided((5, 2), (2, 1))


def places_of_one_turned(x: torch.Tensor):
    z = torch.cat([x, x[:1]])
    y = z.t() if bool(x.sum() > 0) else z * 2
    return y.as_strided((5, 2), (2, 1))


def with_gaps(x: torch.Tensor):
    y = x[:, ::2] if bool(x.sum() > 0) else (x + 1)[:, ::2]
    return x * y.stride(0)


def begin_within(x: torch.Tensor):
    y = x[1:] if bool(x.sum() > 0) else (x + 1)[1:]
    return x * y.storage_offset()


def places_within(x: torch.Tensor):
    y = x[1:] if bool(x.sum() > 0) else (x + 1)[1:]
    return y.as_strided((2, 2), (2, 1), 0)


def gaps_unseen(x: torch.Tensor):
    y = x[1:, ::2] if bool(x.sum() > 0) else (x + 1)[1:, ::2]
    return y.contiguous().view(-1)


def copied(x: torch.Tensor):
    y = x[1:, ::2] if bool(x.sum() > 0) else (x + 1)[1:, ::2]
    return x * y.clone(memory_format=torch.contiguous_format).stride(0)


def changed_copy(x: torch.Tensor):
    y = x.t() if bool(x.sum() > 0) else (x + 1).t()
    y.contiguous().add_(100)
    return y * 2


def changed_copy_or_view(x: torch.Tensor):
    z = torch.cat([x, x[:1]]) * 1
    y = z.t() if bool(x.sum() > 0) else z * 2
    y.contiguous().add_(100)
    return y * 2


def loop_of_turned(x: torch.Tensor):
    y = (x + 1).t()
    for _ in range(int(x.abs().sum()) % 3):
        y = y * 2
    return x * y.stride(1)


def loop_turns(x: torch.Tensor):
    y = torch.cat([x, x[:1]])
    for _ in range(int(x.abs().sum()) % 3):
        y = y.t().relu()
    return x * y.stride(1)


def loop_turns_unseen(x: torch.Tensor):
    y = torch.cat([x, x[:1]])
    for _ in range(int(x.abs().sum()) % 3):
        y = y.t().relu() + 1
    return y


def loop_sees_gaps(x: torch.Tensor):
    y = x[:, ::2]
    s = 0
    for _ in range(int(x.abs().sum()) % 3):
        s += y.stride(0)
        y = y * 2
    return x * s


for name, function, refused in [
    ("both-turned", both_turned, None),
    ("both-turned-and-cut", both_turned_and_cut, None),
    ("one-turned", one_turned, STRIDES),
    ("one-turned/unseen", one_turned_unseen, None),
    ("places/turned", places_of_turned, "how its input lies in memory is not known"),
    ("places/one-turned", places_of_one_turned, f"{PLACES}which side"),
    ("places/within", places_within, f"{PLACES}where its values"),
    ("gaps", with_gaps, GAPS),
    ("gaps/unseen", gaps_unseen, None),
    ("gaps/copied", copied, None),
    ("within", begin_within, GAPS),
    ("changed/copy", changed_copy, None),
    ("changed/copy-or-view", changed_copy_or_view, "which shares its memory only on one side of a branch"),
    ("loop/turned", loop_of_turned, None),
    ("loop/turns", loop_turns, OFTEN),
    ("loop/turns/unseen", loop_turns_unseen, None),
    ("loop/gaps", loop_sees_gaps, "depends on"),
]:
    CASES.script(name, function, X, others=signs, refused=refused)
