"""The judge of make zoo: what counts as the same numbers, and what they are held against."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))

import numpy  # noqa: E402  (needs the path above)
import torch  # noqa: E402

import harness  # noqa: E402
from zoo import maker, reference  # noqa: E402
from zoo.compare import Differs, compare  # noqa: E402

EXACT = numpy.array([1.0, 2.0, 3.0, 1000.0])
ROUNDED = (EXACT + 1e-4).astype("float32")  # libtorch's, with an error of 1e-4


def is_right(got, wanted, exact) -> bool:
    try:
        compare([got], [wanted], [exact] if exact is not None else None, "here")
    except Differs:
        return False
    return True


@harness.case
def errors_of_libtorchs_order_are_fine():
    assert is_right((EXACT - 2e-4).astype("float32"), ROUNDED, EXACT)
    assert not is_right((EXACT - 3e-2).astype("float32"), ROUNDED, EXACT)


@harness.case
def tolerance_without_double_precision():
    assert is_right(ROUNDED + numpy.float32(5e-5), ROUNDED, None)
    assert not is_right(ROUNDED * numpy.float32(1.01), ROUNDED, None)


@harness.case
def infinities_and_nan_must_be_the_same():
    wanted = numpy.array([numpy.inf, numpy.nan, -3.4e38, 1.0], "float32")
    assert is_right(wanted.copy(), wanted, wanted.astype("float64"))
    for at in range(3):
        got = wanted.copy()
        got[at] = 7
        assert not is_right(got, wanted, wanted.astype("float64")), f"element {at}"


@harness.case
def integers_shapes_and_dtypes_must_be_the_same():
    wanted = numpy.array([1, 2])
    assert is_right(wanted.copy(), wanted, wanted)
    assert not is_right(wanted + 1, wanted, wanted)
    assert not is_right(wanted[None], wanted, wanted)
    assert not is_right(wanted.astype("int32"), wanted, wanted)


class FixesDtypes(torch.nn.Module):
    """A traced program that holds float32 as dtypes and as constants."""

    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(3, 3)

    def forward(self, x):
        scale = torch.arange(3, dtype=torch.float32) / 7 + torch.tensor([0.1, 0.2, 0.3])
        return self.inner(x.to(torch.float32)).softmax(-1, dtype=torch.float32) * scale


@harness.case
def programs_are_evaluated_in_double_precision():
    torch.manual_seed(0)
    model, x = FixesDtypes().eval(), torch.randn(2, 3)
    with harness.scratch() as folder:
        path = str(folder / "model.pt")
        with torch.no_grad():
            torch.jit.trace(model, x).save(path)
        (found,) = reference.precise_outputs(path, (x,))
    scale = torch.arange(3).double() / 7 + torch.tensor([0.1, 0.2, 0.3]).double()
    exact = model.double().inner(x.double()).softmax(-1) * scale
    assert found.dtype == numpy.float64
    assert numpy.abs(found - exact.detach().numpy()).max() < 1e-14


class Sorts(torch.nn.Module):
    def forward(self, x):
        return x.sort(0, descending=True)[1], x.argsort(-1)


@harness.case
def sorts_keep_the_order_of_equal_elements():
    x = torch.randint(0, 3, (40,), generator=torch.Generator().manual_seed(1))
    with harness.scratch() as folder:
        path = str(folder / "model.pt")
        torch.jit.trace(Sorts(), x, check_trace=False).save(path)
        down, up = reference.outputs(path, (x,))
    assert numpy.array_equal(down, x.sort(dim=0, descending=True, stable=True)[1].numpy())
    assert numpy.array_equal(up, x.sort(dim=0, stable=True)[1].numpy())


class Doubling(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        context.save_for_backward(x)
        return 2 * x


class CallsFunction(torch.nn.Module):
    def forward(self, x):
        return Doubling.apply(x)


@harness.case
def python_functions_are_inlined():
    with maker.without_functions():
        traced = torch.jit.trace(CallsFunction(), torch.ones(2), check_trace=False)
    assert "aten::mul" in str(traced.graph), traced.graph
    assert Doubling.apply(torch.ones(2, requires_grad=True)).requires_grad, "not put back"
