"""Numbers that stay inputs of the exported model: --input NAME:int, without a value."""

import numpy
import torch
from torch import Tensor, nn

from harness import EXIT_OK, EXIT_UNSUPPORTED, case, case_for_each, run, scratch
from numbers_check import assert_close, session
from test_bad_input import check_line


class Sides(nn.Module):
    def forward(self, x: Tensor, n: int):
        if n > 0:
            return x * n
        return x - n


class Rates(nn.Module):
    def forward(self, x: Tensor, n: int):
        if n == 16000:
            return x[:, ::2]
        elif n == 8000:
            return x[:, :4]
        return x


class Steps(nn.Module):
    def forward(self, x: Tensor, n: int):
        for i in range(n):
            x = x * 2 + i
        return x


class Arithmetic(nn.Module):
    def forward(self, x: Tensor, n: int):
        numbers = [n // 3, n % 4, n * n, abs(n), max(n, 3), min(n, 2), -n]
        return torch.tensor(numbers), float(n) / 2, bool(n), n == 0, x if n else x + 1


class Sizes(nn.Module):
    def forward(self, x: Tensor, n: int):
        return (torch.zeros(n, 3) + x[0, 0], x.reshape(-1)[n], x.sum(dim=0)[:n], x.repeat(n, 1),
                torch.arange(n), torch.full((2, 2), n))


class Places(nn.Module):
    def forward(self, x: Tensor, n: int):
        return x[:, n], x.narrow(1, n, 1), x.roll(n)


class Floats(nn.Module):
    def forward(self, x: Tensor, s: float, b: bool):
        y = x * s
        if b:
            y = y + 1
        if s < 0.5:
            y = y - 3
        return y, s * 2 + 1, int(s) * x, x.clamp(min=s), x > s, torch.full([2], s), not b


class While(nn.Module):
    def forward(self, x: Tensor, n: int, b: bool):
        while n < 10 and b:
            x = x + n
            n += 3
        return x, n, not b


class Axis(nn.Module):
    def forward(self, x: Tensor, n: int):
        return x.sum(n)


WHOLE = [{"n": n} for n in (-3, -1, 0, 1, 2, 3, 7, 8000, 16000)]
# The inputs of runs, except those that libtorch refuses.
MODELS = {
    Sides: WHOLE, Rates: WHOLE, Steps: WHOLE[:7], Arithmetic: WHOLE,
    Sizes: [{"n": n} for n in (0, 1, 2, 5, 15)], Places: [{"n": n} for n in (0, -1, 3, 7, -8)],
    Floats: [{"s": s, "b": b} for s in (-1.5, 0.0, 0.4, 0.7, 2.7) for b in (True, False)],
    While: [{"n": n, "b": b} for n in (-3, 0, 1, 10, 20) for b in (True, False)],
}
DTYPES = {int: numpy.int64, float: numpy.float64, bool: numpy.bool_}
TYPES = {int: "tensor(int64)", float: "tensor(double)", bool: "tensor(bool)"}


def export(kind: type, numbers: dict, folder) -> tuple:
    module = torch.jit.script(kind())
    file, out = folder / "m.pt", folder / "m.onnx"
    module.save(str(file))
    options = [f"{name}:{type(value).__name__}" for name, value in numbers.items()]
    given = [word for option in ("x:float32[2,8]", *options) for word in ("--input", option)]
    return module, out, run(file, "--out", out, *given)


@case_for_each(MODELS, name=lambda kind: kind.__name__)
def follows(kind) -> None:
    with scratch() as folder:
        module, out, result = export(kind, MODELS[kind][0], folder)
        assert result.returncode == EXIT_OK, result.stderr
        runner = session(out)
        types = {i.name: i.type for i in runner.get_inputs() if i.name != "x"}
        assert types == {k: TYPES[type(v)] for k, v in MODELS[kind][0].items()}, types
        x = torch.rand(2, 8)
        for numbers in MODELS[kind]:
            wanted = module(x, **numbers)
            wanted = wanted if isinstance(wanted, tuple) else (wanted,)
            arrays = [w.numpy() if isinstance(w, Tensor) else numpy.array(w, DTYPES[type(w)])
                      for w in wanted]
            feeds = {k: numpy.array(v, DTYPES[type(v)]) for k, v in numbers.items()}
            assert_close(runner.run(None, {"x": x.numpy(), **feeds}), arrays, str(numbers))


@case
def an_axis_is_no_input() -> None:
    with scratch() as folder:
        _, out, result = export(Axis, {"n": 0}, folder)
        check_line(result, EXIT_UNSUPPORTED, "a number that it needs depends on the data")
        assert not out.exists()
