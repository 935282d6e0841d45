"""Makes networks whose modules are extracted, and the modules alone: cutting.py FOLDER writes, for each network,
NAME.pt, NAME.npz (its inputs, in order) and NAME.MODULE.pt for modules that are also exported by themselves.

twice     modules that are called several times, one with modules below it, traced
chained   a module that gets its own output as input, traced
residual  paths around modules, and several outputs, traced
control   modules in the bodies of an If and of a Loop, scripted
t5        encoder and decoder with shared weights, traced
"""

import sys
import warnings
from pathlib import Path

import numpy
import torch
from torch import nn


class Gate(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.scale = nn.Parameter(torch.randn(size))

    def forward(self, x):
        return torch.sigmoid(x * self.scale) * x


class Block(nn.Module):
    """All of its operations are in children, whose calls follow from its own calls."""

    def __init__(self, size):
        super().__init__()
        self.gate = Gate(size)
        self.inner = nn.Sequential(nn.Linear(size, size), nn.Tanh())

    def forward(self, x):
        return self.gate(self.inner(self.gate(x)))


class Twice(nn.Module):
    def __init__(self, size=6):
        super().__init__()
        self.block = Block(size)
        self.other = Gate(size)

    def forward(self, x, y):
        first = self.block(x)
        second = self.block(y + 1)
        return self.other(first + second) + self.block(first * second)


class Chained(nn.Module):
    def __init__(self, size=6):
        super().__init__()
        self.gate = Gate(size)

    def forward(self, x):
        return self.gate(self.gate(x))


class Residual(nn.Module):
    def __init__(self, size=6):
        super().__init__()
        self.a = Gate(size)
        self.b = Block(size)
        self.c = Gate(size)

    def forward(self, x):
        a = self.a(x)
        b = self.b(x + a)
        c = self.c(a - b)
        return c + x, b, a.sum()


class Step(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.linear = nn.Linear(size, size)

    def forward(self, x, by: int):
        return torch.tanh(self.linear(x)) + by


class Control(nn.Module):
    def __init__(self, size=6):
        super().__init__()
        self.gate = Gate(size)
        self.block = Block(size)
        self.step = Step(size)
        self.last = Gate(size)

    def forward(self, x):
        if bool(x.sum() > 0):
            y = self.gate(x)
        else:
            y = self.block(x)
        count = int((x > 0).sum())
        for i in range(count):
            y = self.step(y, i)
        return self.last(y)


def save(model, inputs, folder, name, compile_model) -> None:
    with torch.no_grad():
        compile_model(model).save(str(folder / f"{name}.pt"))
    numpy.savez(folder / f"{name}.npz", *[tensor.numpy() for tensor in inputs])


def traced(inputs):
    return lambda model: torch.jit.trace(model, inputs, check_trace=False)


def make_t5():
    from transformers import T5Config, T5ForConditionalGeneration

    config = T5Config(vocab_size=100, d_model=16, d_kv=8, d_ff=32, num_layers=2, num_heads=2,
                      use_cache=False, torchscript=True, decoder_start_token_id=0)
    model = T5ForConditionalGeneration(config).eval()

    class Whole(nn.Module):
        def __init__(self):
            super().__init__()
            self.t5 = model

        def forward(self, ids, decoder_ids):
            return self.t5(input_ids=ids, decoder_input_ids=decoder_ids, return_dict=False)[0]

    return Whole().eval()


def main() -> None:
    warnings.filterwarnings("ignore")
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True)
    torch.manual_seed(0)
    x, y = torch.randn(2, 6), torch.randn(2, 6)
    for name, model, inputs in (("twice", Twice(), (x, y)), ("chained", Chained(), (x,)),
                                ("residual", Residual(), (x,))):
        save(model.eval(), inputs, folder, name, traced(inputs))
    for name in ("a", "b"):
        save(getattr(model, name), (x,), folder, f"residual.{name}", traced((x,)))
    control = Control().eval()
    save(control, (x,), folder, "control", torch.jit.script)
    for name in ("gate", "block", "last"):
        save(getattr(control, name), (x,), folder, f"control.{name}", torch.jit.script)
    ids = torch.randint(0, 100, (2, 5))
    save(make_t5(), (ids, ids[:, :3]), folder, "t5", traced((ids, ids[:, :3])))


if __name__ == "__main__":
    main()
