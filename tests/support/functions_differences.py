"""Small models whose modules differ, or have strange names, branches and loops."""

import torch
from torch import nn

from functions_samples import Block, Inner, Scale, in_package, sample


# ---- differences ---------------------------------------------------------------------------


@sample({"Block": 3})
class Widths(nn.Module):
    """Weights of different widths are inputs of one function."""

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
    """Sizes are read in a module."""

    def __init__(self):
        super().__init__()
        self.first, self.second = Shapes(), Shapes()

    def forward(self, x):
        return self.first(x) + self.second(x * 2)


@sample(None)
class SomeDynamic(nn.Module):
    """A dim that is dynamic for one instance is static for the other."""

    def __init__(self):
        super().__init__()
        self.first, self.second = Shapes(), Shapes()
        self.register_buffer("fixed", torch.randn(5, 4))

    def forward(self, x):
        return self.first(x), self.second(self.fixed + x.sum())


@sample(None)
class SharedWork(nn.Module):
    """Equal computations of two modules, and constant ones, are done once."""

    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleList(Shapes() for _ in range(2))

    def forward(self, x):
        return self.parts[0](x) + self.parts[1](x) + torch.arange(2) + torch.ones(x.shape[0], 1)


# ---- names -----------------------------------------------------------------------------------------


@sample(None)
class Packages(nn.Module):
    """Classes of one name from two packages, and one whose name is that of another's second body."""

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
    """Classes with names of ONNX operators, from packages with names of their domains."""

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
    """Names that need escapes; arguments with names of values in the function."""

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
    """Modules in loops and branches of modules that are called twice."""

    def __init__(self):
        super().__init__()
        self.first, self.second = Steps(), Steps()

    def forward(self, x, y):
        return self.second(x * 2, self.first(x, y)) + self.first(x, y * 3.5)
