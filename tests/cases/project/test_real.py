"""The judge of published files: sizes, calls with state, and permitted downloads. It downloads nothing."""

import hashlib
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "scripts"))

import numpy  # noqa: E402  (needs the path above)
import onnx  # noqa: E402
import torch  # noqa: E402
from onnx import TensorProto, helper  # noqa: E402

import harness  # noqa: E402
from real import document, download, judge, running, states  # noqa: E402
from real.table import PACKAGES, Case, File, Package  # noqa: E402
from zoo.compare import Differs  # noqa: E402
from zoo.inputs import Argument, axes_of  # noqa: E402
from zoo.results import FIXED, REFUSED, RIGHT  # noqa: E402

X = Argument("x", ("batch", 3), "normal")
HANDED = Argument("state", ("batch", 3), "normal")
SIZES = ({"batch": 2}, {"batch": 4})


class Remembers(torch.nn.Module):
    """Sums up its inputs, from 1 on."""

    def __init__(self):
        super().__init__()
        self.register_buffer("total", torch.ones(1, 3))

    def forward(self, x):
        self.total = self.total + x.sum(0, keepdim=True)
        return x + self.total


class IsHanded(torch.nn.Module):
    """Takes the previous sum, and returns the next."""

    def forward(self, x, state):
        return 2 * x + state, state + x


def saved(module: torch.nn.Module, folder: Path) -> Path:
    path = folder / "model.pt"
    torch.jit.script(module.eval()).save(str(path))
    return path


def written(folder: Path, nodes: list, inputs: dict, outputs: dict) -> Path:
    """A model by hand; of inputs and outputs the dims."""
    path, axes = folder / "model.onnx", numpy.array([0], "int64")
    values = [
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, dims) for name, dims in some.items()]
        for some in (inputs, outputs)
    ]
    initializers = [
        onnx.numpy_helper.from_array(axes, "axes"),
        onnx.numpy_helper.from_array(numpy.float32(2), "two"),
    ]
    graph = helper.make_graph(nodes, "graph", *values, initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
    onnx.save(model, str(path))
    return path


def remembering(folder: Path) -> Path:
    """The expected export of Remembers."""
    nodes = [
        helper.make_node("ReduceSum", ["x", "axes"], ["sum"], keepdims=1),
        helper.make_node("Add", ["state.total", "sum"], ["state.total.next"]),
        helper.make_node("Add", ["x", "state.total.next"], ["y"]),
    ]
    total = [1, 3]
    return written(folder, nodes, {"x": ["batch", 3], "state.total": total},
                   {"y": ["batch", 3], "state.total.next": total})


def handing(folder: Path, factor: str = "two", batch="batch") -> Path:
    """The expected export of IsHanded."""
    nodes = [
        helper.make_node("Mul", ["x", factor], ["twice"]),
        helper.make_node("Add", ["twice", "state"], ["y"]),
        helper.make_node("Add", ["state", "x"], ["next"]),
    ]
    dims = [batch, 3]
    return written(folder, nodes, {"x": dims, "state": dims}, {"y": dims, "next": dims})


def differs(*arguments) -> str:
    try:
        running.compare_all(*arguments)
    except Differs as error:
        return ": ".join(error.args)
    return ""


# ---- calls ---------------------------------------------------------------------------------------


@harness.case
def states_are_handed_on():
    case = Case("", (X,), SIZES, calls=4)
    answer = {"states": [{"input": "state.total", "dims": [1, 3], "first": 1}]}
    other = {"states": [{"input": "state.total", "dims": [1, 3], "first": 0}]}
    with harness.scratch() as folder:
        out, pt = remembering(folder), saved(Remembers(), folder)
        found = running.compare_all(out, answer, pt, case)
        assert (found.sizes, found.states) == (2, ["state.total"]), found
        assert "call 1" in differs(out, other, pt, case)


@harness.case
def arguments_are_handed_on():
    case = Case("", (X, HANDED), SIZES, calls=4, carried={"state": 1})
    with harness.scratch() as folder:
        pt = saved(IsHanded(), folder)
        assert running.compare_all(handing(folder), {}, pt, case).sizes == 2
        assert "batch=2, call 1" in differs(handing(folder, "x"), {}, pt, case)


@harness.case
def first_values_have_the_dims_of_inputs():
    with harness.scratch() as folder:
        session = running.session_of(handing(folder))
        assert states.first_values(session, {}, {"batch": 2}) == {}
        session = running.session_of(remembering(folder))
        told = {"input": "state.total", "dims": [1, 3], "first": "-inf"}
        (found,) = states.first_values(session, {"states": [told]}, {"batch": 2}).values()
    assert found.shape == (1, 3) and found.dtype == numpy.float32
    assert numpy.array_equal(found, numpy.full((1, 3), -numpy.inf, numpy.float32))


# ---- sizes ---------------------------------------------------------------------------------------


@harness.case
def fixed_axes_are_told():
    case = Case("", (X, HANDED), SIZES)
    with harness.scratch() as folder:
        pt = saved(IsHanded(), folder)
        found = running.compare_all(handing(folder, batch=4), {}, pt, case)
    assert (found.fixed, found.sizes) == ({"batch": 4}, 1), found


@harness.case_for_each(PACKAGES, name=lambda package: package.name)
def table_has_sizes_of_all_axes(package: Package):
    for file in package.files:
        for case in file.cases:
            for sizes in case.sizes:
                assert set(sizes) == set(axes_of(case.arguments)), f"{case.name}: {sizes}"
            assert case.calls > 1 or len(case.sizes) > 2, f"{case.name}: too few sizes"
            assert case.carried.keys() <= {argument.name for argument in case.arguments}


# ---- files ---------------------------------------------------------------------------------------


def package_of(*members) -> Package:
    files = tuple(File(name, hashlib.sha256(name.encode()).hexdigest(), ()) for name in members)
    return Package("some", "1.0", "", "", "", files)


def unpacking(members: dict, package: Package, folder: Path) -> str:
    wheel = folder / "some.whl"
    with zipfile.ZipFile(wheel, "w") as target:
        for name, text in members.items():
            target.writestr(name, text)
    try:
        download.unpack(wheel, package, folder)
    except download.NotFetched as error:
        return str(error)
    return ""


@harness.case
def files_have_the_bytes_of_the_table():
    package = package_of("some/a.pt", "some/b.pt")
    with harness.scratch() as folder:
        paths = [download.path_of(folder, package, file) for file in package.files]
        right = {"some/a.pt": "some/a.pt", "some/b.pt": "some/b.pt"}
        assert unpacking(right, package, folder) == ""
        assert all(map(download.is_there, paths, package.files))
        download.fetch(package, folder)  # no download
        words = unpacking({**right, "some/b.pt": "other"}, package, folder)
        assert words == "some/b.pt has not the bytes of the table", words
        assert [path.exists() for path in paths] == [True, False]
        assert "no some/a.pt in some.whl" in unpacking({}, package, folder)


# ---- output --------------------------------------------------------------------------------


def judged(outcome: str, reason: str = "", refused: str = "", problems: tuple = ()) -> judge.Judged:
    package = package_of("some/a|b.pt")
    case = Case("calls", (X,), SIZES, flags=("--input", "x:float32[2,3]"), refused=refused)
    return judge.Judged(package, package.files[0], case, outcome, reason, problems=list(problems))


@harness.case
def refusals_are_fine_for_the_reason_of_the_table():
    assert judged(RIGHT).is_fine and judged(FIXED).is_fine
    assert judged(REFUSED, "it reads a file", refused="reads a file").is_fine
    assert not judged(REFUSED, "it reads a file").is_fine
    assert not judged(REFUSED, "it crashed", refused="reads a file").is_fine
    assert not judged(RIGHT, refused="reads a file").is_fine
    assert not judged(RIGHT, problems=("validate: 1 finding",)).is_fine


@harness.case
def tables_have_a_line_for_each_export():
    row = judged(REFUSED, "there is no lowering, at /home/somebody/model.py:3")
    text = "\n".join(document.tables([row, replace(row, outcome=RIGHT, reason="")]))
    assert text.count("some 1.0") == 1 and text.count("`a\\|b.pt`") == 3, text
    assert "at model.py:3" in text and "somebody" not in text, text
    assert "`--input 'x:float32[2,3]'`" in text, text
