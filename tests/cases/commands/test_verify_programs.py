"""`htp-trace verify` with a PyTorch model as the reference: faults that are planted in its export are found in the right
module, and a faithful export passes."""

import json
import re
import math

import numpy
import onnx
import torch
from torch import nn

from harness import (
    EXIT_FOUND, EXIT_INTERNAL, EXIT_OK, case, case_for_each, exported, input_flags, libtorch_version, run, scratch,
    skip_unless_loadable, torchscript,
)
from exported_files import files
from models.table import ALL
from commands import NO_SHIM
from test_bad_input import check_line
from test_verify import PACKAGE, change_weight, make_half, modules, swap_operator, tags_of

SAMPLES = [ALL[name] for name in ("bert-tiny", "small-gpt2", "narrow-resnet50", "detector")]
FAULTS = (change_weight, swap_operator, make_half)


def verified(program, b, *options, code=EXIT_OK) -> dict:
    result = run("verify", program, b, "--onnxruntime", PACKAGE[0], "--json", "--quiet", *options)
    assert result.returncode == code and not result.stderr, (result.returncode, result.stderr, result.stdout[:2000])
    return json.loads(result.stdout)


def check_fault(program, file, fault, *options) -> None:
    """Plants a fault in an export, and looks for its module."""
    model = onnx.load(file)
    full, tag = fault(model)
    with scratch() as folder:
        onnx.save(model, folder / "changed.onnx")
        found = verified(program, folder / "changed.onnx", *options, code=EXIT_FOUND)
    told = modules(found)
    where = full if full in told else tag
    assert found["first"] == where, (found["first"], where)
    assert [m["address"] for m in found["modules"] if m["is_source"]] == [where] and found["first_tensor"] is None
    worst = told[where]["worst_operator"]
    assert worst and worst["growth"] > 0 and worst["source"], worst


@case_for_each([(s, f) for s in SAMPLES for f in FAULTS], name=lambda row: f"{row[0].name}-{row[1].__name__}")
def the_module_of_a_fault_is_named_first(row):
    sample, fault = row
    skip_unless_loadable(sample)
    check_fault(torchscript(sample), exported(sample), fault, *input_flags(sample))


@case
def where_no_module_is_beyond_the_first_tensor_tells():
    """A sum of a detector's boxes that is a difference, and of which what the detector returns does not depend."""
    sample = ALL["detector"]
    skip_unless_loadable(sample)
    model = onnx.load(exported(sample))
    node = [n for n in model.graph.node if n.op_type == "Add"][-1]
    node.op_type = "Sub"
    with scratch() as folder:
        onnx.save(model, folder / "changed.onnx")
        options = torchscript(sample), folder / "changed.onnx", *input_flags(sample)
        found = verified(*options, code=EXIT_FOUND)
        text = run("verify", *options, "--onnxruntime", PACKAGE[0], "--quiet").stdout
    assert found["first_tensor"] == node.output[0] and found["is_beyond"], found["first_tensor"]
    assert found["first"] in tags_of(node) and not any(m["is_source"] for m in found["modules"]), found["first"]
    assert re.search(rf"^first +{re.escape(found['first'])}$", text, re.M), text
    assert f"{node.output[0]} is the first tensor beyond the tolerance; no single module exceeds it\n" in text, text


@case_for_each(SAMPLES, name=lambda model: model.name)
def a_faithful_export_passes(sample):
    skip_unless_loadable(sample)
    found = verified(torchscript(sample), exported(sample), *input_flags(sample))
    assert found["first"] is None and not found["is_beyond"] and found["compared"] > 10, found
    assert all(m["own"]["relative"] < 1e-4 for m in found["modules"] if m["own"]), found


@case
def models_of_many_layers_pass():
    """Their memory goes back to the system at the end, after what lies in it was closed."""
    sample = ALL["bert-256-layers"]
    skip_unless_loadable(sample)
    flags = [re.sub(r"\w+=(?=\d)", "", flag) for flag in input_flags(sample)]  # at one choice of sizes
    found = verified(torchscript(sample), exported(sample), *flags)
    assert found["first"] is None and found["compared"] > 5000, (found["first"], found["compared"])


# ---- state -------------------------------------------------------------------------------------


class Remembering(nn.Module):
    """A recurrence whose state outlives a call."""

    def __init__(self):
        super().__init__()
        self.first = nn.Sequential(nn.Linear(4, 8), nn.Tanh())
        self.second = nn.Sequential(nn.Linear(8, 8), nn.Tanh())
        self.third = nn.Sequential(nn.Linear(8, 4), nn.Tanh())
        self.register_buffer("memory", torch.zeros(2, 8))

    def forward(self, x):
        self.memory = self.second(self.first(x) + self.memory)
        return self.third(self.memory)


def remembering(folder) -> tuple:
    torch.manual_seed(0)
    torch.jit.script(Remembering().eval()).save(str(folder / "state.pt"))
    result = run(folder / "state.pt", "--out", folder / "state.onnx")
    assert result.returncode == EXIT_OK, result.stderr
    return folder / "state.pt", folder / "state.onnx"


@case_for_each([None, *FAULTS], name=lambda fault: fault.__name__ if fault else "none")
def states_are_handed_on(fault):
    with scratch() as folder:
        program, file = remembering(folder)
        if fault:
            check_fault(program, file, fault)
        else:
            found = verified(program, file)
            assert found["first"] is None and not found["is_beyond"] and len(found["sizes"]) == 3, found


class Echo(nn.Module):
    """At the first call nothing is remembered, so the weight of what is counts from the second one on."""

    def __init__(self):
        super().__init__()
        self.past = nn.Linear(4, 4, bias=False)
        self.present = nn.Linear(4, 4)
        self.register_buffer("memory", torch.zeros(2, 4))

    def forward(self, x):
        said = self.present(x) + self.past(self.memory)
        self.memory = x
        return said


@case
def later_calls_show_what_the_first_does_not():
    with scratch() as folder:
        torch.manual_seed(0)
        torch.jit.script(Echo().eval()).save(str(folder / "x.pt"))
        assert run(folder / "x.pt", "--out", folder / "x.onnx").returncode == EXIT_OK
        model = onnx.load(folder / "x.onnx")
        weight = next(i for i in model.graph.initializer if i.name.startswith("past"))
        weight.CopyFrom(onnx.numpy_helper.from_array(onnx.numpy_helper.to_array(weight) * numpy.float32(1.01), weight.name))
        onnx.save(model, folder / "changed.onnx")
        assert verified(folder / "x.pt", folder / "x.onnx")["first"] is None
        found = verified(folder / "x.pt", folder / "changed.onnx", code=EXIT_FOUND)
        assert found["first"].endswith("/Linear.past") and len(found["sizes"]) == 3, found["first"]


class Total(nn.Module):
    """All inputs so far, moved by a bias, from a first total that differs from element to element."""

    def __init__(self):
        super().__init__()
        self.step = nn.Linear(4, 4)
        self.register_buffer("total", torch.tensor([[50.0, 60.0, 70.0, 80.0], [51.0, 61.0, 71.0, 81.0]]))

    def forward(self, x):
        self.total = torch.clamp(self.total, max=100.0) + self.step(x)
        return self.total * 2


def totals(folder) -> tuple:
    torch.manual_seed(0)
    torch.jit.script(Total().eval()).save(str(folder / "x.pt"))
    assert run(folder / "x.pt", "--out", folder / "x.onnx").returncode == EXIT_OK
    return folder / "x.pt", onnx.load(folder / "x.onnx")


def change_constant(model, chosen, change) -> None:
    """Changes the initializers of which chosen(array) holds."""
    for initializer in model.graph.initializer:
        array = onnx.numpy_helper.to_array(initializer)
        if chosen(initializer.name, array):
            initializer.CopyFrom(onnx.numpy_helper.from_array(change(array).astype(array.dtype), initializer.name))


@case
def errors_of_states_add_up():
    """Carried begins each call with B's own state; own, with A's."""
    with scratch() as folder:
        program, model = totals(folder)
        assert verified(program, folder / "x.onnx")["first"] is None
        change_constant(model, lambda name, _: name.endswith("bias"), lambda bias: bias + 0.25)
        onnx.save(model, folder / "changed.onnx")
        found = verified(program, folder / "changed.onnx", code=EXIT_FOUND)
        told = modules(found)
        step = next(m for address, m in told.items() if "Linear" in address)
        root = told["/Total"]
        assert found["first"] == step["address"] and len(found["sizes"]) == 3, found
        assert abs(step["own"]["largest"] - 0.25) < 1e-4 and abs(step["carried"]["largest"] - 0.25) < 1e-4, step
        assert abs(root["carried"]["largest"] - 3 * 0.5) < 1e-3, root  # the third call's
        assert abs(root["own"]["largest"] - 0.5) < 1e-3, root


@case
def the_first_call_begins_as_the_file_does():
    with scratch() as folder:
        program, model = totals(folder)
        change_constant(model, lambda _, array: array.size == 1 and array == 100, lambda array: array - 60)
        onnx.save(model, folder / "changed.onnx")
        found = verified(program, folder / "changed.onnx", code=EXIT_FOUND)
        assert found["first"] == "/Total" and modules(found)["/Total"]["carried"]["largest"] > 20, found


# ---- what is not compared ----------------------------------------------------------------------


class Prepared(nn.Module):
    """A convolution whose norm is folded, a table that is computed at export, and a loop."""

    def __init__(self):
        super().__init__()
        self.filter = nn.Conv2d(3, 4, 3)
        self.norm = nn.BatchNorm2d(4)
        self.register_buffer("table", torch.arange(4.0))

    def forward(self, x):
        y = self.norm(self.filter(x)) + torch.exp(self.table).view(4, 1, 1)
        while bool(y.abs().max() > 0.5):
            y = torch.sin(y) * 0.9
        return torch.nn.functional.logsigmoid(y)


@case
def what_is_not_compared_is_named():
    with scratch() as folder:
        torch.manual_seed(0)
        torch.jit.script(Prepared().eval()).save(str(folder / "x.pt"))
        inputs = "--input", "x:float32[2,3,8,8]"
        result = run(folder / "x.pt", "--out", folder / "x.onnx", *inputs)
        assert result.returncode == EXIT_OK, result.stderr
        found = verified(folder / "x.pt", folder / "x.onnx", *inputs)
        assert found["first"] is None and not found["is_beyond"] and not found["not_computed"], found
        told = {}
        for left in found["not_compared"]:
            told.setdefault((left["model"], left["reason"]), []).append(left)
        assert [left["operator"] for left in told["a", "folded into other operators at export"]] == ["aten::conv2d"]
        folded = told["a", "folded into other operators at export"][0]
        assert folded["module"].endswith("/Conv2d") and folded["source"] and folded["tensor"] is None, folded
        assert "aten::exp" in [left["operator"] for left in told["a", "computed at export"]], told
        for model in "ab":
            loop = told[model, "in a body, and compared where it leaves that"]
            assert {"Sin", "Mul"} <= {left["operator"] for left in loop} and all(left["tensor"] for left in loop)
            steps = told[model, "a step of an operator that PyTorch runs as a whole"]
            assert len(steps) == found["without_counterpart"][model] > 0, found
        text = run("verify", folder / "x.pt", folder / "x.onnx", "--onnxruntime", PACKAGE[0], "--quiet", *inputs).stdout
        assert "1 of A: folded into other operators at export\n      aten::conv2d  " in text, text


class Statistics(nn.Module):
    """A norm of a batch, whose statistics are returned beside it, and read or not."""

    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(4))
        self.register_buffer("variance", torch.ones(4))

    def forward(self, x):
        found = torch.ops.aten._native_batch_norm_legit_functional(
            x, None, None, self.mean, self.variance, True, 0.1, 1e-5)
        return found[0] * 2 + found[1].view(1, 4, 1)


@case
def outputs_that_nothing_reads_are_named_so():
    with scratch() as folder:
        example = torch.rand(2, 4, 3)
        torch.jit.trace(Statistics().eval(), example, check_trace=False).save(str(folder / "x.pt"))
        inputs = "--input", "x:float32[2,4,3]"
        result = run(folder / "x.pt", "--out", folder / "x.onnx", *inputs)
        assert result.returncode == EXIT_OK, result.stderr
        found = verified(folder / "x.pt", folder / "x.onnx", *inputs)
        told = [(left["operator"], left["reason"]) for left in found["not_compared"] if not left["tensor"]]
        unread = "aten::_native_batch_norm_legit_functional", "an output that nothing reads"
        assert found["first"] is None and told == [unread] * 3, told


class Passing(nn.Module):
    def forward(self, x):
        y = torch.sin(x)
        return x, y, y


@case
def outputs_that_are_inputs_or_each_other_are_compared():
    with scratch() as folder:
        torch.jit.trace(Passing(), torch.zeros(2, 3)).save(str(folder / "x.pt"))
        assert run(folder / "x.pt", "--out", folder / "x.onnx").returncode == EXIT_OK
        found = verified(folder / "x.pt", folder / "x.onnx")
        assert found["compared"] == 3 and found["without_counterpart"] == {"a": 0, "b": 0}, found
        for output in range(3):
            model = onnx.load(folder / "x.onnx")
            name = model.graph.output[output].name
            node = next(n for n in model.graph.node if name in n.output)
            node.op_type = "Neg"
            onnx.save(model, folder / "changed.onnx")
            assert verified(folder / "x.pt", folder / "changed.onnx", code=EXIT_FOUND)["is_beyond"]


# ---- inputs that are given ---------------------------------------------------------------------


@case
def inputs_of_a_file_are_used():
    """At a given input the two models part, and only there."""

    class Clipped(nn.Module):
        def forward(self, x):
            return torch.clamp(x, max=100.0) * 2

    with scratch() as folder:
        torch.jit.trace(Clipped(), torch.zeros(2, 3)).save(str(folder / "x.pt"))
        assert run(folder / "x.pt", "--out", folder / "x.onnx").returncode == EXIT_OK
        model = onnx.load(folder / "x.onnx")
        for initializer in model.graph.initializer:
            if onnx.numpy_helper.to_array(initializer) == 100:
                initializer.CopyFrom(onnx.numpy_helper.from_array(numpy.float32(90), initializer.name))
        onnx.save(model, folder / "changed.onnx")
        assert verified(folder / "x.pt", folder / "changed.onnx")["first"] is None
        for name in ("x", "arr_0"):
            numpy.savez(folder / "given.npz", **{name: numpy.full((4, 3), 95, numpy.float32)})
            options = "--inputs", folder / "given.npz"
            found = verified(folder / "x.pt", folder / "changed.onnx", *options, code=EXIT_FOUND)
            assert found["sizes"] in ([{}], [{"batch": 4}]) and found["first"], found
            assert verified(folder / "x.pt", folder / "x.onnx", *options)["first"] is None


# ---- programs of torch.export ------------------------------------------------------------------


@case_for_each(["plain", "decomposed"] if libtorch_version() >= (2, 13) else [], name=str)
def all_operators_of_programs_run(mode):
    """Also those whose defaults are one number for a list of them, and those that name a device."""
    plain = [("plain_programs", name) for name in ("pooled", "resnet", "lstm", "gru", "patches")]
    for family, name in (*plain, ("transformer_programs", "bert")):
        program = files(family, name) / f"{mode}.pt2"
        with scratch() as folder:
            assert run(program, "--out", folder / "x.onnx", env=NO_SHIM).returncode == EXIT_OK
            found = verified(program, folder / "x.onnx")
            assert found["not_computed"] is None and not found["is_beyond"], (name, found)
            elements = [math.prod(sizes.values()) for sizes in found["sizes"]]
            assert len(elements) == 3 and max(elements) <= 16 * elements[0], (name, found["sizes"])


@case_for_each(["plain", "decomposed"] if libtorch_version() >= (2, 13) else [], name=str)
def programs_of_torch_export_are_verified(mode):
    program = files("plain_programs", "convolutional") / f"{mode}.pt2"
    with scratch() as folder:
        assert run(program, "--out", folder / "x.onnx", env=NO_SHIM).returncode == EXIT_OK
        found = verified(program, folder / "x.onnx")
        assert found["first"] is None and not found["is_beyond"] and found["compared"] > 0, found
        check_fault(program, folder / "x.onnx", change_weight)
        check_line(run("verify", program, folder / "x.onnx", "--quiet", "--onnxruntime", PACKAGE[0], env=NO_SHIM),
                   EXIT_INTERNAL, "runs PyTorch models in libtorch")
