"""Small models with all kinds of calls that matter to functions: how often modules run, and what they return; and
selectors."""

import torch
from torch import nn

from functions_samples import SAMPLES, Block, Inner, Sample, Scale, sample


# ---- how often modules run -------------------------------------------------------------------------


@sample({"Block": 3})
class Equal(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(Block() for _ in range(3))

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x * 2


class CallsTwice(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()

    def forward(self, x):
        return self.inner(self.inner(x) * 2) + x


@sample({"CallsTwice": 2, "Inner": 2})
class Twice(nn.Module):
    def __init__(self):
        super().__init__()
        self.outer = CallsTwice()

    def forward(self, x):
        return self.outer(torch.relu(self.outer(x)))


@sample({"CallsTwice": 3, "Inner": 2})
class OnceAndTwice(nn.Module):
    """Of two equal modules one runs twice."""

    def __init__(self):
        super().__init__()
        self.once, self.more = CallsTwice(), CallsTwice()

    def forward(self, x):
        return self.more(self.once(torch.relu(self.more(x))))


class Holder(nn.Module):
    def __init__(self, held: nn.Module):
        super().__init__()
        self.held = held

    def forward(self, x):
        return self.held(x) + 1


@sample(None)
class SharedByTwo(nn.Module):
    """One module of two parents, and one that a parent has elsewhere."""

    def __init__(self):
        super().__init__()
        shared = Inner()
        self.left, self.right, self.spare = Holder(shared), Holder(shared), Holder(Inner())

    def forward(self, x):
        return self.left(x) * self.right(torch.relu(x)) + self.spare(x)


@sample({"Block": 4, "Holder": 1, "Holder_2": 1, "Inner": 1})
class Mixed(nn.Module):
    """A module within another is also called by their common parent."""

    def __init__(self):
        super().__init__()
        self.first, self.second = Holder(Block()), Holder(nn.Sequential(Block(), Inner(), Block()))

    def forward(self, x):
        return self.second(self.first(x)) + self.first.held(x)


class Predicts(nn.Module):
    """Never called itself: others run its method, which runs its children."""

    def __init__(self):
        super().__init__()
        self.norm, self.router = Scale(0.5), nn.Linear(4, 4)

    def predict(self, x):
        return self.router(self.norm(x))


class PredictsTwice(nn.Module):
    def __init__(self):
        super().__init__()
        self.altered = Predicts()

    def forward(self, x):
        return self.altered.predict(torch.relu(self.altered.predict(x)))


@sample({"PredictsTwice": 2, "Scale": 2})
class ByMethod(nn.Module):
    """Modules that run in a method of their parent other than forward()."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(PredictsTwice() for _ in range(2))

    def forward(self, x):
        return torch.tanh(self.layers[1](torch.tanh(self.layers[0](x))))


class Borrows(nn.Module):
    """Two children run a module that belongs to the first."""

    def __init__(self):
        super().__init__()
        self.first, self.second = Holder(Inner()), Holder(nn.Sequential(Inner()))
        self.plain = Inner()
        self.third = Holder(self.plain)

    def forward(self, x):
        x = self.first.held(self.second(self.first(x)))
        return self.third(self.plain(self.second.held[0](x)))


@sample(None)
class Borrowed(nn.Module):
    """Modules that run several times outside of their parents."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(Borrows() for _ in range(2))

    def forward(self, x):
        return self.layers[1](torch.tanh(self.layers[0](x)))


# ---- results ---------------------------------------------------------------------------


class Gives(nn.Module):
    def __init__(self, form: str):
        super().__init__()
        self.form = form
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        y = self.linear(x)
        forms = {
            "list": lambda: [y, y * 2], "tuple": lambda: (y, y * 2), "nested": lambda: (y, [y * 2]),
            "dict": lambda: {"a": y, "b": y * 2}, "one": lambda: y, "none": lambda: (y, None, y * 2),
        }
        return forms[self.form]()


def leaves(found) -> list:
    if isinstance(found, dict):
        found = list(found.values())
    if isinstance(found, (list, tuple)):
        return [leaf for part in found for leaf in leaves(part)]
    return [] if found is None else [found]


@sample(None)
class AllForms(nn.Module):
    def __init__(self):
        super().__init__()
        forms = ("list", "tuple", "nested", "dict", "one", "none")
        self.givers = nn.ModuleList(Gives(form) for form in forms)

    def forward(self, x):
        for giver in self.givers:
            x = sum(leaves(giver(x)))
        return x


class Writes(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.saved = []

    def forward(self, x):
        y = self.linear(x)
        self.saved = [y, torch.exp(y)]
        return torch.relu(y)


class Reads(nn.Module):
    def __init__(self, writer: Writes):
        super().__init__()
        self.of = [writer]  # no module of its own

    def forward(self, x):
        return x + self.of[0].saved[0] * self.of[0].saved[1]


@sample({"Writes": 1, "Reads": 1})
class ThroughSelf(nn.Module):
    """A value that leaves a module through an attribute."""

    def __init__(self):
        super().__init__()
        self.writes = Writes()
        self.reads = Reads(self.writes)

    def forward(self, x):
        return self.reads(self.writes(x))


@sample(None)
class Collected(nn.Module):
    """All values of all layers are returned, and one is read again much later."""

    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(Block() for _ in range(4))

    def forward(self, x):
        found = [x]
        for block in self.blocks:
            found.append(block(found[-1]))
        return found[-1] + found[1], torch.stack(found), found[2]


class Both(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        weights = torch.softmax(self.linear(x), -1)
        return weights * x, weights


@sample({"Both": 2})
class OneUnused(nn.Module):
    """One instance's result has no reader, but is computed for the other output anyway."""

    def __init__(self):
        super().__init__()
        self.first, self.second = Both(), Both()

    def forward(self, x):
        x, weights = self.first(x)
        return self.second(x)[0] + weights


@sample({"Holder": 1, "OneUnused": 1, "Both": 2})
class UnusedBelow(nn.Module):
    """The same in a module within one."""

    def __init__(self):
        super().__init__()
        self.holder = Holder(OneUnused())

    def forward(self, x):
        return self.holder(x) * 2


class More(nn.Module):
    def forward(self, x):
        return torch.relu(x), torch.exp(x)


@sample({"More": 1, "More_2": 1})
class OneUnmade(nn.Module):
    """A result without readers is not computed."""

    def __init__(self):
        super().__init__()
        self.first, self.second = More(), More()

    def forward(self, x):
        x, other = self.first(x)
        return self.second(x)[0] + other


class ReturnsInput(nn.Module):
    def forward(self, x):
        return x, torch.tanh(x)


class Nothing(nn.Module):
    def forward(self, x):
        return x


@sample({"ReturnsInput": 2})
class GivesBack(nn.Module):
    """Modules that return their input, with nodes and without."""

    def __init__(self):
        super().__init__()
        self.nothing, self.identity = Nothing(), nn.Identity()
        self.first, self.second = ReturnsInput(), ReturnsInput()

    def forward(self, x):
        same, y = self.first(self.nothing(x))
        again, z = self.second(self.identity(same + y))
        return again * z, self.nothing(z)


@sample({})
class OnlyPasses(nn.Module):
    def __init__(self):
        super().__init__()
        self.nothing = Nothing()

    def forward(self, x):
        return self.nothing(x) + 1


# ---- selectors -------------------------------------------------------------------------------------

SAMPLES |= {
    "Linears": Sample(Equal, {"Linear": 3, "Linear_2": 3}, selectors="torch.nn.Linear"),
    "OneClass": Sample(Equal, {"Block": 3}, selectors="Block"),
    "OneLevel": Sample(Twice, {"CallsTwice": 2}, selectors="depth=1"),
    "OneAddress": Sample(Equal, {"Block": 1}, selectors="blocks.1"),
    "SomeAddresses": Sample(Equal, {"Block": 2}, selectors="blocks.0,blocks.2"),
    "TwoClasses": Sample(Equal, {"Block": 3, "Linear": 1, "Linear_2": 1},
                         selectors="Block,torch.nn.Linear"),
    "OutermostAlone": Sample(Twice, {"CallsTwice": 2}, selectors="CallsTwice"),
    "InnerAlone": Sample(Twice, {"Inner": 4}, selectors="Inner"),
    "Instances": Sample(Equal, {"Block": 1, "Block_2": 1, "Block_3": 1},
                        per_instance=True),
    "InstancesTwice": Sample(OnceAndTwice, None, per_instance=True),
    "LinearsOfAll": Sample(Collected, {"Linear": 4, "Linear_2": 4}, selectors="torch.nn.Linear"),
}
