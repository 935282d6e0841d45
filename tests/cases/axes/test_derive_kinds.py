"""Derived inputs of common kinds of models, scripted and traced: they are those that a user would give, and the file is
right for them."""

import re

import torch
from torch import Tensor

from derive_kinds import FORMS, KINDS, SCRIPT
from harness import EXIT_OK, EXIT_USAGE, case, case_for_each, run, scratch, skip_unless
from numbers_check import assert_close, feed, reference, session
from test_derive import assumed, example_of, without_example


def value_of(dtype: str, dims: list) -> Tensor:
    """Example values; lengths and times are positive."""
    return torch.ones(dims, dtype=torch.int64) if dtype == "int64" and len(dims) == 1 else example_of(dtype, dims)


def nested(name: str, values: tuple) -> tuple:
    if name == "levels":
        return (list(values),)
    return ({"ids": values[0], "mask": values[1]},) if name == "named" else values


@case_for_each(FORMS)
def kind(form: str) -> None:
    name, made = form.split("/")
    module, example, wanted = KINDS[name]
    if name in NEEDS:
        skip_unless(NEEDS[name])
    torch.manual_seed(6)
    module = module().eval()
    with scratch() as folder, torch.no_grad():
        file, out = folder / "model.pt", folder / "model.onnx"
        model = torch.jit.script(module) if made == SCRIPT else torch.jit.trace(module, example, check_trace=False)
        without_example(model, file)
        result = run(file, "--out", out)
        assert result.returncode == EXIT_OK, result.stderr
        inputs = assumed(result.stderr)
        sizes = [f"{dtype}[{','.join(map(str, dims))}]" for dtype, dims in inputs]
        chosen = [text and re.sub(r"\{(\d+)\|(\d+)\}", r"\1" if made == SCRIPT else r"\2", text) for text in wanted]
        assert len(sizes) == len(chosen) and all(b in (None, a) for a, b in zip(sizes, chosen)), sizes
        values = tuple(value_of(*one) for one in inputs)
        assert_close(feed(session(out), values), reference(file, nested(name, values)), form)


@case
def what_cannot_be_derived() -> None:
    """The message has the last attempt, why it failed, the argument, and how to give it."""

    class Never(torch.nn.Module):
        def forward(self, x, y):
            if y.size(0) * 2 != y.size(1) * 2 + 1:
                raise ValueError("no such sizes")
            return x + 1

    with scratch() as folder:
        file = folder / "model.pt"
        torch.jit.save(torch.jit.script(Never()), str(file))
        result = run(file, "--out", folder / "model.onnx")
        assert result.returncode == EXIT_USAGE and len(result.stderr.splitlines()) == 1, result.stderr
        assert "no such sizes" in result.stderr and 'argument "y" cannot be derived' in result.stderr, result.stderr
        assert re.search(r"none of \d+ guesses ran", result.stderr), result.stderr
        assert re.search(r"in this form: --input x:float32\[[\d,]*\] --input y:", result.stderr), result.stderr


# Conditions of tests/support/skips.py.
NEEDS = dict.fromkeys(("padded", "translated", "optionals"), "aten::scaled_dot_product_attention")
