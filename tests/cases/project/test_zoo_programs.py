"""The measurement of programs of torch.export: references, sizes, and reports."""

import contextlib
import io
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "scripts"))

import numpy  # noqa: E402  (needs the path above)
import torch  # noqa: E402

import harness  # noqa: E402
from zoo import inputs, markdown  # noqa: E402
from zoo.driver import Plan  # noqa: E402
from zoo.exported import document, eager, maker, slice  # noqa: E402
from zoo.exported.command import LARGE, ExportedDriver  # noqa: E402
from zoo.inputs import Argument  # noqa: E402
from zoo.results import PROGRAMS, RIGHT, Results, UNTRACEABLE, WRONG  # noqa: E402

# ---- numbers -------------------------------------------------------------------------------------


class NamesDtypes(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(3, 3)

    def forward(self, x):
        scale = torch.arange(3, dtype=torch.float32) / 7 + torch.tensor([0.1, 0.2, 0.3])
        return self.inner(x.to(torch.float32)).softmax(-1, dtype=torch.float32) * scale.float(), x.sort(0)[1]


@harness.case
def eager_models_are_evaluated_in_double_precision():
    torch.manual_seed(0)
    model, x = NamesDtypes().eval(), torch.randint(0, 2, (40, 3)).float()
    single, order = eager.outputs(model, (x,))
    assert single.dtype == numpy.float32
    assert numpy.array_equal(order, x.sort(dim=0, stable=True)[1].numpy())
    found, _ = eager.precise_outputs(model.double(), (x,))
    scale = torch.arange(3).double() / 7 + torch.tensor([0.1, 0.2, 0.3], dtype=torch.float64)
    exact = model.inner(x.double()).softmax(-1) * scale
    assert found.dtype == numpy.float64
    assert numpy.abs(found - exact.detach().numpy()).max() < 1e-14
    assert torch.get_default_dtype() == torch.float32, "not put back"


# ---- sizes ---------------------------------------------------------------------------------------


class InFours(torch.nn.Module):
    """Takes multiples of four; the batch is one that it was exported with."""

    def forward(self, x):
        return x.reshape(2, -1, 4).sum(1)


@harness.case
def sizes_are_those_that_the_program_takes():
    arguments = [Argument("x", ("batch", "sequence"), "normal")]
    program, way, failures = maker.exported(InFours(), arguments)
    assert way == maker.AUTO and list(failures) == [maker.DYNAMIC], (way, failures)
    assert maker.fixed_axes(program, arguments) == ["batch"]
    dynamic, other = maker.admitted(program, arguments, ["sequence"])
    assert dynamic == ["sequence"] and other["sequence"] == maker.TWICE["sequence"], (dynamic, other)


@harness.case
def batch_and_sequence_are_one_where_they_may_be():
    dynamic = ["batch", "sequence"]
    other = {**inputs.TRACED, "batch": 3, "sequence": 13}
    traced, changed, ones = maker.places(dynamic, other)
    assert traced[0][0] == inputs.TRACED and changed[0][0] == other
    assert (ones[0][0]["batch"], ones[0][0]["sequence"]) == (1, 1), ones
    assert [sizes for sizes, _ in maker.places(dynamic, {**other, "sequence": 16})[2]] == [{**inputs.TRACED, "batch": 1}]
    assert [seed for ((_, seed),) in maker.places([], inputs.TRACED)] == list(maker.SEEDS)


@harness.case
def large_programs_are_not_kept():
    with harness.scratch() as folder:
        plan = Plan(PROGRAMS, {}, (), folder)
        driver = ExportedDriver(plan, Results(folder, PROGRAMS))
        for name, size in (("small", 10), ("large", LARGE + 1)):
            for suffix in (".pt2", ".json"):
                with open(driver.files / f"{name}{suffix}", "wb") as file:
                    file.truncate(size)
            driver.drop_large(name)
        assert sorted(path.name for path in driver.files.iterdir()) == ["small.json", "small.pt2"]


# ---- what is told --------------------------------------------------------------------------------

SAME = {"more": [], "less": [], "lost": [], "made up": []}
RECORDS = (
    {"name": "a.eager", "outcome": RIGHT, "way": "DYNAMIC", "tags": {}, "twin": SAME, "nodes": 3, "difference": 2e-6,
     "error": 2e-6, "libtorch_error": 1e-6, "seconds": 0.1},
    {"name": "b.eager", "outcome": RIGHT, "way": "AUTO", "tags": {}, "twin": {**SAME, "more": ["/A"]}, "nodes": 4},
    {"name": "c.eager", "outcome": "refused", "way": "DYNAMIC", "reason": "no aten::x"},
    {"name": "d.eager", "outcome": UNTRACEABLE, "reason": "torch.export: no"},
    {"name": "d.sdpa", "outcome": UNTRACEABLE, "reason": "cannot be built: no choice of attention"},
)
PEERS = {"a.eager": {"outcome": "refused"}, "c.eager": {"outcome": RIGHT}}
COSTS = {"a.eager": {"name": "a.eager", "outcome": RIGHT, "reason": ""},
         "b.eager": {"name": "b.eager", "outcome": WRONG, "reason": "products 1 for 2"},
         "c.eager": {"name": "c.eager", "outcome": "refused", "reason": "depends on data"}}


@harness.case
def the_table_of_programs_is_put_in_its_place():
    ours = {record["name"]: record for record in RECORDS}
    with harness.scratch() as folder:
        path = folder / "ZOO.md"
        path.write_text("# Title\n\n## First\n\nrow\n\n## Last\n\nrow\n")
        for _ in range(2):
            markdown.put(path, document.section(ours, PEERS, COSTS))
        text = path.read_text()
    assert text.count(document.TITLE) == 1 and text.count("## Last\n\nrow\n") == 1, text
    for wanted in ("| htp-trace | 2 | 0 | 1 | 0 | 1 | 66.7 % of 3 |", "| dynamo=True | 1 | 0 | 1 | 0 | 0 | 50.0 % of 2 |",
                   "Measured: 4 eager.", "2 of 2 exports", "1 equal, 1 another program", "right ones, 0 are right here; the others: c.eager.",
                   "| a.eager | DYNAMIC | right |  | hold | equal | refused | 3 | 2e-06 | 2e-06 (1e-06) | 0.1 |",
                   "of 2: 1 count half of what torch.utils.flop_counter counts; the others: b.eager: products 1 for 2.",
                   "| c.eager | DYNAMIC | refused | no aten::x |", "| d.eager | torch.export: no |"):
        assert wanted in text, (wanted, text)


@harness.case
def what_is_wrong_fails():
    fine, lost = RECORDS[0], {**SAME, "less": ["/A"], "lost": ["/A"]}
    assert not document.is_failure(fine) and not document.is_failure(RECORDS[1])
    for broken in ({"outcome": WRONG}, {"tags": {"rules": "no"}}, {"twin": lost}):
        assert document.is_failure({**fine, **broken}), broken
        assert slice.failure_of({**fine, **broken}), broken
    assert slice.failure_of(None) and not slice.failure_of(fine)
    with harness.scratch() as folder, contextlib.redirect_stdout(io.StringIO()) as told:
        assert slice.judge(Results(folder, PROGRAMS)) == len(slice.NAMES)
    assert told.getvalue().endswith(f"0 passed, {len(slice.NAMES)} failed, 0 skipped\n"), told.getvalue()
