"""Small models in which modules are called in all ways that matter to functions: what they are called
with, what they give back, how often they run, and in what they differ."""

from dataclasses import dataclass
from typing import Callable

import torch
from torch import nn

BATCH = 3  # when it is traced


@dataclass(frozen=True)
class Sample:
    """A model, what it takes, and which functions it has: calls in the main graph and in functions, by
    name; None where only the checks tell."""

    build: Callable
    functions: dict | None
    dims: tuple = (("batch", 4),)  # of each input
    mode: str = "traced"
    selectors: str = ""
    per_instance: bool = False

    def inputs(self, batch: int = BATCH) -> tuple:
        generator = torch.Generator().manual_seed(batch)
        shapes = [[batch if dim == "batch" else dim for dim in dims] for dims in self.dims]
        return tuple(torch.randn(shape, generator=generator) for shape in shapes)

    def flags(self) -> list:
        return [part for dims in self.dims for part in ("--input", ":float32[" + ",".join(
            f"batch={BATCH}" if dim == "batch" else str(dim) for dim in dims) + "]")]


SAMPLES = {}


def sample(functions: dict | None, **more):
    """Registers a class as a sample of its own name."""

    def register(build):
        SAMPLES[build.__name__] = Sample(build, functions, **more)
        return build

    return register


def in_package(package: str, name: str, base: type) -> type:
    """A class of another name, which comes from another package."""
    return type(name, (base,), {"__module__": package})


class Block(nn.Module):
    def __init__(self, width: int = 4, wide: int = 8):
        super().__init__()
        self.up = nn.Linear(width, wide)
        self.down = nn.Linear(wide, width)

    def forward(self, x):
        return x + self.down(torch.relu(self.up(x)))


class Scale(nn.Module):
    def __init__(self, factor: float):
        super().__init__()
        self.factor = factor

    def forward(self, x):
        return torch.tanh(x * self.factor)


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


class Inner(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        return torch.sigmoid(self.linear(x))


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
    """One module that two parents hold, and one that a parent holds elsewhere."""

    def __init__(self):
        super().__init__()
        shared = Inner()
        self.left, self.right, self.spare = Holder(shared), Holder(shared), Holder(Inner())

    def forward(self, x):
        return self.left(x) * self.right(torch.relu(x)) + self.spare(x)


@sample({"Block": 4, "Holder": 1, "Holder_2": 1, "Inner": 1})
class Mixed(nn.Module):
    """A module within another is called by their parent, too."""

    def __init__(self):
        super().__init__()
        self.first, self.second = Holder(Block()), Holder(nn.Sequential(Block(), Inner(), Block()))

    def forward(self, x):
        return self.second(self.first(x)) + self.first.held(x)


class Predicts(nn.Module):
    """Never called itself: others run its method, which runs what it holds."""

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
    """What runs by a method of its parent that is no forward()."""

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
    """Modules that others than their parents run, several times."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(Borrows() for _ in range(2))

    def forward(self, x):
        return self.layers[1](torch.tanh(self.layers[0](x)))


# ---- what they give back ---------------------------------------------------------------------------


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
    """All values of all layers are given back, and one is read again much later."""

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
    """What one instance gives back nobody reads; it is made for the other output, too."""

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
    """What nobody reads is not even made."""

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
    """Modules that give back what they are given, with nodes and without."""

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


# ---- in what they differ ---------------------------------------------------------------------------


@sample({"Block": 3})
class Widths(nn.Module):
    """Weights of other widths are inputs of one function."""

    def __init__(self):
        super().__init__()
        self.narrow, self.same, self.wide = Block(4, 2), Block(), Block(4, 16)

    def forward(self, x):
        return self.wide(self.same(self.narrow(x)))


@sample({"Scale": 2, "Scale_2": 1})
class Constants(nn.Module):
    def __init__(self):
        super().__init__()
        self.scales = nn.ModuleList(Scale(factor) for factor in (2.0, 3.0, 2.0))

    def forward(self, x):
        for scale in self.scales:
            x = scale(x)
        return x


@sample({"Scale": 1, "Scale_2": 1}, dims=(("batch", 4), ("batch", 2, 4)))
class Ranks(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = Scale(2.0), Scale(2.0)

    def forward(self, x, y):
        return self.first(x), self.second(y)


class TwoWeights(nn.Module):
    def __init__(self, is_tied: bool):
        super().__init__()
        self.first, self.second = (nn.Linear(4, 4, bias=False) for _ in range(2))
        if is_tied:
            self.second.weight = self.first.weight

    def forward(self, x):
        return torch.relu(self.first(x)) @ self.second.weight


@sample(None)
class TiedInOne(nn.Module):
    """One instance has two names for one weight; and a weight is tied across instances."""

    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleList(TwoWeights(is_tied) for is_tied in (False, True, False))
        self.parts[2].first.weight = self.parts[0].second.weight

    def forward(self, x):
        for part in self.parts:
            x = part(x)
        return x


class MaybeMasked(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x, mask=None, *, scale=None):
        y = self.linear(x)
        y = y if mask is None else y * mask
        return y if scale is None else y + scale


@sample({"MaybeMasked": 1, "MaybeMasked_2": 1, "MaybeMasked_3": 1},
        dims=(("batch", 4), ("batch", 4)))
class Arguments(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleList(MaybeMasked() for _ in range(3))

    def forward(self, x, mask):
        x = self.parts[0](x)
        return self.parts[2](self.parts[1](x, mask), scale=mask)


class Shapes(nn.Module):
    def forward(self, x):
        return x.reshape(x.shape[0], -1, 2).sum(1) / x.shape[0]


@sample({"Shapes": 2})
class Dynamic(nn.Module):
    """Sizes that are read in a module."""

    def __init__(self):
        super().__init__()
        self.first, self.second = Shapes(), Shapes()

    def forward(self, x):
        return self.first(x) + self.second(x * 2)


@sample(None)
class SomeDynamic(nn.Module):
    """What is dynamic for one instance is a number for the other."""

    def __init__(self):
        super().__init__()
        self.first, self.second = Shapes(), Shapes()
        self.register_buffer("fixed", torch.randn(5, 4))

    def forward(self, x):
        return self.first(x), self.second(self.fixed + x.sum())


@sample(None)
class SharedWork(nn.Module):
    """What two modules compute alike, and what depends on nothing, is computed once."""

    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleList(Shapes() for _ in range(2))

    def forward(self, x):
        return self.parts[0](x) + self.parts[1](x) + torch.arange(2) + torch.ones(x.shape[0], 1)


# ---- names -----------------------------------------------------------------------------------------


@sample(None)
class Packages(nn.Module):
    """Classes of one name from two packages, and one that is called like another's second body."""

    def __init__(self):
        super().__init__()
        here, there = in_package("one.package", "Part", Block), in_package("two", "Part", Block)
        second = in_package("two", "Part_2", Block)
        self.parts = nn.ModuleList((here(), there(), second(), here()))
        self.scales = nn.ModuleList(in_package("two", "Scale", Scale)(f) for f in (2.0, 3.0))
        self.other = in_package("two", "Scale_2", Scale)(4.0)

    def forward(self, x):
        for part in (*self.parts, *self.scales, self.other):
            x = part(x)
        return x


@sample(None)
class Operators(nn.Module):
    """Classes that are called like operators of ONNX, from packages like their domains."""

    def __init__(self):
        super().__init__()
        names = (("ai.onnx.ml", "Scaler"), ("ai.onnx", "Relu"), ("com.microsoft", "Gelu"),
                 ("pkg", "Constant"), ("ai.onnx.preview.training", "Adam"))
        self.parts = nn.ModuleList(in_package(*name, Block)() for name in names)
        self.bare = nn.ModuleList(
            in_package("pkg", name, Scale)(2.0) for name in ("Add", "Mul", "Gather", "Shape"))

    def forward(self, x):
        for part in (*self.parts, *self.bare):
            x = part(x)
        return x


class Strange(nn.Module):
    def __init__(self):
        super().__init__()
        self.add_module("a/b", Inner())
        self.add_module("per%cent #1", Inner())

    def forward(self, x, output=None, Gemm=None):
        for part in self.children():
            x = part(x)
        return x if output is None else x * output + Gemm


@sample(None, dims=(("batch", 4), ("batch", 4)))
class StrangeNames(nn.Module):
    """Names that need escapes; arguments that are called like what is in the function."""

    def __init__(self):
        super().__init__()
        self.first, self.second = Strange(), Strange()

    def forward(self, x, y):
        return self.second(self.first(x), output=y, Gemm=x)


# ---- branches and loops ----------------------------------------------------------------------------


class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x, state):
        return torch.tanh(self.linear(x) + state) * 2.5


class Decides(nn.Module):
    def __init__(self):
        super().__init__()
        self.yes, self.no = Cell(), Cell()

    def forward(self, x, y):
        if bool(x.sum() > 0):
            return self.yes(x, y)
        return self.no(y, x) - 1.5


class Steps(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = Cell()
        self.decides = Decides()

    def forward(self, x, y):
        state = y
        for i in range(x.size(0)):
            state = self.cell(x[i], state)
            if bool(state.sum() > 0):
                state = self.decides(state, y)
        return state


@sample(None, mode="scripted", dims=(("batch", 2, 4), (2, 4)))
class Scripted(nn.Module):
    """Modules in loops and in branches, which lie in modules that are called twice."""

    def __init__(self):
        super().__init__()
        self.first, self.second = Steps(), Steps()

    def forward(self, x, y):
        return self.second(x * 2, self.first(x, y)) + self.first(x, y * 3.5)


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
