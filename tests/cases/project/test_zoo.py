"""The judge of make zoo: equality of numbers, and its reference."""

import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "scripts"))

import numpy  # noqa: E402  (needs the path above)
import onnx  # noqa: E402
import torch  # noqa: E402
from onnx import TensorProto, helper  # noqa: E402

import harness  # noqa: E402
from zoo import defaults, judge, maker, markdown, reference  # noqa: E402
from zoo.compare import Differs, compare, compare_large  # noqa: E402
from zoo.inputs import Argument  # noqa: E402
from zoo.libtorch import Program, Refuses  # noqa: E402
from zoo.native import document  # noqa: E402
from zoo.native import judge as native_judge  # noqa: E402
from zoo.native import slice as native_slice  # noqa: E402
from zoo.results import NATIVE, RIGHT, UNTRACEABLE, WRONG, Results  # noqa: E402

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
def few_elements_without_error_by_chance():
    one = numpy.ones(1, "float32")
    far = numpy.float32([1 + 1e-5])

    def is_right_beside(wanted, exact, got=far) -> bool:
        try:
            compare([got, wanted], [numpy.ones_like(got), wanted], [numpy.ones_like(got), exact], "")
        except Differs:
            return False
        return True

    errs = ROUNDED[:3], EXACT[:3]
    assert is_right_beside(*errs)
    assert not is_right_beside(one, one)
    assert not is_right_beside(*errs, got=numpy.float32([1.01]))
    assert not is_right_beside(*errs, got=numpy.float32([1 + 1e-5] * 100))


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


@harness.case
def large_models_are_evaluated_again_only_where_numbers_are_far():
    asked = []

    def evaluate() -> list:
        asked.append(True)
        return [EXACT, EXACT]

    near, far = EXACT.astype("float32"), (EXACT + 3e-2).astype("float32")
    compare_large([near, near], [near, near], evaluate, "here")
    assert not asked
    compare_large([(EXACT - 2e-4).astype("float32"), near], [ROUNDED, near],
                  evaluate, "here")
    try:
        compare_large([near, far], [near, ROUNDED], evaluate, "here")
        raise AssertionError("far numbers were taken")
    except Differs as error:
        assert asked and "output 1" in error.args[1], error.args


class FixesDtypes(torch.nn.Module):
    """A traced program with float32 as dtypes and in constants."""

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


class AddsNumber(torch.nn.Module):
    """Saved, the number is a tensor of doubles, but does not decide a dtype."""

    def forward(self, x):
        return x.sum(1) + 1e-8


@harness.case
def numbers_decide_no_dtypes():
    x = torch.ones(2, 3, dtype=torch.int64)
    with harness.scratch() as folder:
        path = str(folder / "model.pt")
        torch.jit.trace(AddsNumber(), x).save(path)
        for _ in range(2):
            (found,) = reference.outputs(path, (x,))
            assert found.dtype == numpy.float32, found.dtype
        reference.precise_outputs(path, (x,))
        (found,) = reference.outputs(path, (x,))
        assert found.dtype == numpy.float32, f"{found.dtype} after a run in double precision"


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


# ---- exports that choose dynamic axes themselves ----------------------------------------------


class Doubles(torch.nn.Module):
    """Runs at the lengths from 1 to 12."""

    def __init__(self):
        super().__init__()
        self.register_buffer("limit", torch.zeros(12))

    def forward(self, x):
        return 2 * x + self.limit[torch.arange(x.shape[1])]


def facts_of(python: str) -> dict:
    argument = Argument("x", ("batch", 8), "normal")
    return {"python": python, "libraries": [], "arguments": [argument.to_json()]}


def program_in(folder: Path, python: str = sys.executable) -> Program:
    path = folder / "model.pt"
    torch.jit.trace(Doubles(), torch.ones(2, 8)).save(str(path))
    return Program(str(path), facts_of(python), folder)


def exported(path: Path, factors: int) -> dict:
    """A model by hand that claims all dims to be dynamic, right for as many factors as columns or for one; and an
    exporter's answer."""
    x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, ["b", "n"]) for n in "xy")
    factor = helper.make_tensor("factor", TensorProto.FLOAT, [factors], [2.0] * factors)
    node = helper.make_node("Mul", ["x", "factor"], ["y"])
    graph = helper.make_graph([node], "graph", [x], [y], [factor])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    onnx.save(model, str(path))
    return {"inputs": [{"name": "x", "dtype": "float32", "dims": [2, 8]}]}


@harness.case
def dims_that_are_claimed_must_be_dynamic():
    with harness.scratch() as folder:
        program, facts = program_in(folder), facts_of(sys.executable)
        path = folder / "model.onnx"
        found = defaults.check(path, program, exported(path, 1), facts)
        # More columns than 12 are not taken; another batch is, alone, and fewer columns with it.
        assert found == {"outcome": RIGHT, "dynamic": 2, "sizes": 3}, found
        found = defaults.check(path, program, exported(path, 8), facts)
        assert found["outcome"] == WRONG and "does not run: at b=1 n=5" in found["reason"], found


@harness.case
def recorded_inputs_are_forgotten():
    with harness.scratch() as folder:
        program, bare = program_in(folder), folder / "bare.pt"
        assert defaults.forget_inputs(program.path, bare)
        assert not defaults.forget_inputs(str(bare), folder / "again.pt")
        (found,) = reference.outputs(str(bare), (torch.ones(1, 3),))
        assert numpy.array_equal(found, numpy.full((1, 3), 2, "float32"))


@harness.case
def what_libtorch_refuses_is_not_judged():
    with harness.scratch() as folder:
        program = program_in(folder)
        single, double = program.outputs((torch.ones(1, 3),))
        assert (single[0].dtype, double[0].dtype) == (numpy.float32, numpy.float64)
        try:
            program.outputs((torch.ones(1, 13),))
            raise AssertionError("13 columns were taken")
        except Refuses as error:
            found = judge.verdict(error)
    assert found["outcome"] == UNTRACEABLE and "out of bounds" in found["reason"], found


@harness.case
def programs_run_in_the_python_that_made_them():
    script = "import sys, torch; f = torch.jit.trace(torch.abs, torch.ones(2)); f.save(sys.argv[1])"
    with harness.scratch() as folder:
        path = folder / "model.pt"
        subprocess.run([harness.DEBIAN_PYTHON, "-c", script, str(path)], check=True)
        program = Program(str(path), facts_of(harness.DEBIAN_PYTHON), folder)
        (found,), _ = program.outputs((torch.tensor([-1.5, 2.0]),))
    assert found.tolist() == [1.5, 2.0]


# ---- models at native sizes ----------------------------------------------------------------------

RECORDS = (
    {"name": "a", "outcome": RIGHT, "input": "1x8", "dynamic": ["batch"], "sizes": 2, "nodes": 3,
     "seconds": 0.2, "code": 1000, "stages": {"traced": 3.0, "loaded": 1.0},
     "notes": ["s is fixed to 8: aten::add.Tensor raised in a.b (/x/y.py:1): sizes; more",
               "t is fixed to 8: aten::add.Tensor raised in a.b (/x/y.py:1): sizes; more",
               "c is fixed to 3: aten::linear raised in a: expected input[?] to have 3 channels"]},
    {"name": "b", "outcome": "refused", "reason": "no /x/y/z.py", "seconds": 0.1, "notes": []},
    {"name": "c", "outcome": RIGHT, "input": "1x8", "dynamic": [], "sizes": 1, "nodes": 3,
     "seconds": 0.2, "stages": {}, "notes": []},
    {"name": "d", "outcome": RIGHT, "input": "1x8", "dynamic": ["batch"], "sizes": 2, "nodes": 9,
     "seconds": 5.0, "code": 2500000, "stages": {"traced": 3.0, "loaded": 1.0}, "notes": []},
    {"name": "e", "outcome": UNTRACEABLE, "reason": "cannot be made"},
)


def results_in(folder: Path) -> Results:
    results = Results(folder, NATIVE)
    for record in RECORDS:
        results.add(record)
    return results


@harness.case
def the_table_of_native_sizes_is_put_in_its_place():
    with harness.scratch() as folder:
        path = folder / "ZOO.md"
        path.write_text("# Title\n\n## First\n\nrow\n")
        for _ in range(2):
            markdown.put(path, document.section(results_in(folder)))
        text = path.read_text()
    assert text.startswith("# Title\n\n## First\n\nrow\n\n## Native sizes\n"), text
    assert text.count("## Native sizes") == 1
    for wanted in ("| a | 1x8 | right | batch | s, t: aten::add.Tensor in a.b | 2 | 3 | 0.20 |",
                   "| b |  | refused |  | no z.py |", "4 models: 3 right, 1 refused.",
                   "2 of 3 have dynamic axes; without any: c.", "The median is 0.20 seconds",
                   "| d | 75 % traced: what becomes 9 nodes runs at each choice of sizes; "
                   "25 % loaded: libtorch reads 2.5 MB of code | 5.00 | 25.0 |", "Not made: e: cannot be made"):
        assert wanted in text, (wanted, text)


@harness.case
def a_lost_axis_fails_the_slice_of_native_sizes():
    record = RECORDS[0]
    assert native_slice.failure_of(record, ("batch",)) is None
    assert "s not dynamic" in native_slice.failure_of(record, ("batch", "s"))
    assert native_slice.failure_of(RECORDS[1], ()).startswith("refused")
    assert native_slice.failure_of(None, ()) == "not measured"


@harness.case
def other_sizes_are_near_native_ones():
    (candidates,) = native_judge.OTHERS
    assert [other(1) for other in candidates] == [2, 2, 2]
    assert [other(224) for other in candidates] == [160, 96, 192]
    assert [other(16) for other in candidates] == [12, 8, 14]
