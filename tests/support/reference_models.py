"""Models with call structures that are hard to follow, to test which module ran a node."""

from typing import List

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width: int = 4):
        super().__init__()
        self.up = nn.Linear(width, width)
        self.down = nn.Linear(width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.tanh(self.down(torch.relu(self.up(x))))


class Twice(nn.Module):
    """One block is called twice, another one of its class once."""

    def __init__(self):
        super().__init__()
        self.shared, self.other = Block(), Block()

    def forward(self, x):
        return self.shared(self.other(self.shared(x)))


class Layers(nn.Module):
    """Lists of modules in loops; one also contains a module of another list."""

    def __init__(self):
        super().__init__()
        self.first = nn.ModuleList(Block() for _ in range(3))
        self.second = nn.ModuleList([Block(), self.first[1], Block()])

    def forward(self, x):
        for layer in self.first:
            x = layer(x)
        for index, layer in enumerate(self.second):
            x = layer(x) * float(index)
        return x


class Control(nn.Module):
    """Data decides which modules run, and how often."""

    def __init__(self):
        super().__init__()
        self.warm, self.cold, self.step = Block(), Block(), Block()
        self.inner = nn.ModuleList(Block() for _ in range(2))

    def forward(self, x: torch.Tensor, times: int) -> torch.Tensor:
        if bool(x.sum() > 0):
            x = self.warm(x)
        else:
            x = self.cold(x)
        for _ in range(times):
            x = self.step(x)
            if bool(x.max() > 1):
                for layer in self.inner:
                    x = layer(x)
        return torch.cos(x)


class Collecting(nn.Module):
    """A branch without results that appends to a list."""

    def __init__(self):
        super().__init__()
        self.a, self.b = Block(), Block()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        parts: List[torch.Tensor] = []
        if x.size(0) > 0:
            parts.append(self.a(x))
            if x.size(1) > 1:
                parts.append(self.b(x))
        return torch.cat(parts)


def scaled(x: torch.Tensor, by: float) -> torch.Tensor:
    return torch.sin(x) * by


def squeezed(x: torch.Tensor) -> torch.Tensor:
    return torch.sigmoid(scaled(x, 2.0)) + scaled(x, 3.0)


class Functions(nn.Module):
    """Functions and other methods belong to the module whose forward() was running."""

    def __init__(self):
        super().__init__()
        self.a, self.b = Block(), Block()

    def both(self, x: torch.Tensor) -> torch.Tensor:
        return self.a(squeezed(x)) + self.b(squeezed(x))

    def forward(self, x):
        return self.both(scaled(x, 0.5)) + self.both(x)


class Inner(nn.Module):
    def __init__(self):
        super().__init__()
        self.functions = Functions()

    def forward(self, x):
        return squeezed(self.functions(x))


class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.one, self.two = Inner(), Inner()

    def forward(self, x):
        return self.two(self.one(x))


class User(nn.Module):
    """Calls modules that are also its parent's."""

    def __init__(self, block: nn.Module, linear: nn.Module):
        super().__init__()
        self.used, self.linear = block, linear
        self.own = Block()

    def forward(self, x):
        return torch.sigmoid(self.own(self.linear(self.used(x))))


class Sharing(nn.Module):
    def __init__(self):
        super().__init__()
        self.block, self.linear = Block(), nn.Linear(4, 4)
        self.user = User(self.block, self.linear)

    def forward(self, x):
        return self.block(self.user(self.linear(x)))


class Half(nn.Module):
    def forward(self, x):
        return torch.sin(x) * 0.5


class Parametrized(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        nn.utils.parametrize.register_parametrization(self.linear, "weight", Half())
        self.block = Block()

    def forward(self, x):
        return self.block(torch.relu(self.linear(x)))


@torch.jit.interface
class Shape(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        pass


class Round(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.cos(self.block(x))


class Square(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.exp(self.block(squeezed(x)))


class Shaped(nn.Module):
    shape: Shape

    def __init__(self, shape: nn.Module):
        super().__init__()
        self.shape = shape

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.shape.forward(x) + 1.0


class Interfaces(nn.Module):
    """The object decides which class is called; one program calls two classes."""

    def __init__(self):
        super().__init__()
        self.a, self.b = Shaped(Round()), Shaped(Square())

    def forward(self, x):
        return self.b(self.a(x))


class Forked(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = Block(), Block()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        later = torch.jit.fork(self.a, x)
        return self.b(x) + torch.jit.wait(later)


def of(*dims):
    return lambda: (torch.randn(*dims),)


# By name: the module's maker, its inputs, and how it is saved.
MODELS = {
    "twice": (Twice, of(2, 4), ("traced", "scripted")),
    "layers": (Layers, of(2, 4), ("traced", "scripted")),
    "control": (Control, lambda: (torch.randn(2, 4), 3), ("scripted",)),
    "collecting": (Collecting, of(2, 4), ("scripted",)),
    "functions": (Outer, of(2, 4), ("traced", "scripted")),
    "sharing": (Sharing, of(2, 4), ("traced", "scripted")),
    "parametrized": (Parametrized, of(2, 4), ("traced",)),
    "interfaces": (Interfaces, of(2, 4), ("scripted",)),
    "forked": (Forked, of(2, 4), ("scripted",)),
    "frozen": (Twice, of(2, 4), ("frozen",)),
}


def save(name: str, mode: str, path) -> None:
    """Saves one of the models."""
    make, make_inputs, _ = MODELS[name]
    torch.manual_seed(5)
    net, inputs = make().eval(), make_inputs()
    with torch.no_grad():
        if mode == "traced":
            compiled = torch.jit.trace(net, inputs, check_trace=False)
        else:
            compiled = torch.jit.script(net)
        if mode == "frozen":
            compiled = torch.jit.freeze(compiled)
        torch.jit.save(compiled, str(path))
