"""`htp-trace verify` of a PyTorch model runs operators whose kernels trust their operands once these are checked, and layers
with packed weights. What it does not run is never equal."""

import json

import numpy
import onnx
import torch
from torch import nn

from harness import EXIT_FOUND, EXIT_OK, case, case_for_each, run, scratch
from test_verify import PACKAGE
from test_verify_programs import verified


# ---- operators that trust their operands -------------------------------------------------------


class Bag(nn.Module):
    def __init__(self):
        super().__init__()
        self.bag = nn.EmbeddingBag(10, 4)
        self.out = nn.Linear(4, 4)

    def forward(self, indices, offsets):
        return self.out(self.bag(indices, offsets))


class Cells(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second, self.third = nn.GRUCell(4, 4), nn.LSTMCell(4, 4), nn.RNNCell(4, 4)

    def forward(self, x, state):
        state = self.first(x, state)
        return self.third(*self.second(x, (state, state)))


class Unpooled(nn.Module):
    def __init__(self):
        super().__init__()
        self.pool, self.back = nn.MaxPool2d(2, return_indices=True), nn.MaxUnpool2d(2)

    def forward(self, x):
        pooled, indices = self.pool(x)
        return self.back(pooled * 2, indices, [x.size(2), x.size(3)])


class Searched(nn.Module):
    def forward(self, x, y):
        return torch.searchsorted(x, y, sorter=torch.argsort(x))


class Told(nn.Module):
    def forward(self, x, y, sorter):
        return torch.searchsorted(x, y, sorter=sorter)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.MultiheadAttention(8, 2, batch_first=True)

    def forward(self, x):
        return self.inner(x, x, x, need_weights=False)[0]


class Labelled(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 5)

    def forward(self, x, labels, steps, lengths):
        return nn.functional.ctc_loss(torch.log_softmax(self.inner(x), -1), labels, steps, lengths, reduction="none")


class Segments(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 4)

    def forward(self, x, lengths):
        return torch.segment_reduce(self.inner(x), "sum", lengths=lengths, axis=0)


class Sampled(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Conv2d(2, 2, 1)

    def forward(self, x, samples):
        return torch.ops.aten.fractional_max_pool2d(self.inner(x), [2, 2], [3, 3], samples)[0]


class Sorted(nn.Module):
    def forward(self, x, boundaries, rows):
        return torch.bucketize(x, boundaries), torch.bucketize(x, boundaries, right=True), torch.searchsorted(rows, x)


TRUSTING = {
    "labelled": (Labelled, (torch.zeros(6, 2, 4), torch.ones(2, 3).long(), torch.tensor([6, 5]), torch.tensor([3, 2]))),
    "segments": (Segments, (torch.zeros(6, 4), torch.tensor([2, 3, 1]))),
    "sampled": (Sampled, (torch.zeros(1, 2, 7, 7), torch.zeros(1, 2, 2))),
    "bag": (Bag, (torch.arange(6), torch.tensor([0, 2, 3]))),
    "sorted": (Sorted, (torch.zeros(3, 4), torch.arange(5.0), torch.arange(15.0).view(3, 5))),
    "cells": (Cells, (torch.zeros(2, 4), torch.zeros(2, 4))),
    "encoder": (lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2), (torch.zeros(2, 3, 8),)),
    "attention": (Attention, (torch.zeros(2, 3, 8),)),
    "renormalised": (lambda: nn.Sequential(nn.Embedding(10, 4, max_norm=0.5), nn.Linear(4, 4)), (torch.ones(2, 3).long(),)),
    "unpooled": (Unpooled, (torch.zeros(1, 2, 6, 6),)),
    "told": (Told, (torch.arange(5.0).repeat(2, 1), torch.zeros(2, 3), torch.arange(5).repeat(2, 1))),
    "searched": (Searched, (torch.zeros(2, 5), torch.zeros(2, 3))),
    "norm": (lambda: nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4)).train(), (torch.zeros(2, 3, 6, 6),)),
}


def saved(name: str, kind: str, folder):
    """A model of the table, traced, or as a program of torch.export."""
    make, inputs = TRUSTING[name]
    torch.manual_seed(0)
    model = make() if name == "norm" else make().eval()
    if kind == "traced":
        torch.jit.trace(model, inputs, check_trace=False).save(str(folder / "x.pt"))
        return folder / "x.pt"
    program = torch.export.export(model, inputs)
    torch.export.save(program.run_decompositions() if kind == "decomposed" else program, folder / "x.pt2")
    return folder / "x.pt2"


KINDS = ("traced", "plain", "decomposed")


NOT_MADE = (("unpooled", "traced"), ("labelled", "plain"), ("labelled", "decomposed"))  # torch.export refuses lengths


@case_for_each([(name, kind) for name in TRUSTING for kind in KINDS if (name, kind) not in NOT_MADE],
               name="-".join)
def operators_with_checked_operands_run(row):
    with scratch() as folder:
        program = saved(*row, folder)
        result = run(program, "--out", folder / "x.onnx")
        assert result.returncode == EXIT_OK, result.stderr
        found = verified(program, folder / "x.onnx")
        assert found["not_computed"] is None and not found["is_beyond"] and found["compared"] > 0, found


# ---- norms in training mode ---------------------------------------------------------------------


class Moving(nn.Module):
    """Norms that update their statistics: one twice in a call, with momenta of their own."""

    def __init__(self):
        super().__init__()
        self.filter, self.first = nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4, momentum=0.3)
        self.second = nn.InstanceNorm2d(4, affine=True, track_running_stats=True)

    def forward(self, x):
        y = self.first(self.filter(x))
        return self.second(torch.relu(self.first(y * 2 + 1)))


def moving(kind: str, folder) -> tuple:
    torch.manual_seed(0)
    program = torch.export.export(Moving().train(), (torch.randn(2, 3, 8, 8),))
    torch.export.save(program.run_decompositions() if kind == "decomposed" else program, folder / "x.pt2")
    assert run(folder / "x.pt2", "--out", folder / "x.onnx").returncode == EXIT_OK
    return folder / "x.pt2", folder / "x.onnx"


def make_biased(model, number: int) -> str:
    """One variance is divided by the number of its elements, not by one less. @return the address of its module"""
    weights = {i.name: i for i in model.graph.initializer}
    less = [node for node in model.graph.node if node.op_type == "Sub" and node.input[1] in weights
            and numpy.array_equal(onnx.numpy_helper.to_array(weights[node.input[1]]), numpy.int64(1))]
    assert len(less) == 3, [node.name for node in less]
    model.graph.initializer.append(onnx.numpy_helper.from_array(numpy.int64(0), "nothing"))
    less[number].input[1] = "nothing"
    return next(p.value for p in less[number].metadata_props if p.key == "full_tag")


@case_for_each(["plain", "decomposed"], name=str)
def statistics_of_norms_in_training_are_compared(kind):
    """Over three calls, each of which goes on with the statistics of the one before."""
    with scratch() as folder:
        program, file = moving(kind, folder)
        found = verified(program, file)
        assert found["not_computed"] is None and not found["is_beyond"] and len(found["sizes"]) == 3, found
        assert not [left for left in found["not_compared"] if left["reason"] == "its operator did not run"]
        for number in range(3 if kind == "plain" else 1):
            model = onnx.load(file)
            module = make_biased(model, number)
            onnx.save(model, folder / "changed.onnx")
            found = verified(program, folder / "changed.onnx", code=EXIT_FOUND)
            assert found["first"] == module and found["not_computed"] is None, (found["first"], module)


@case
def positions_are_checked_before_kernels_trust_them():
    """Ids beyond the table, and bags that begin behind its end: the kernel would read them unchecked."""
    with scratch() as folder:
        torch.manual_seed(0)
        torch.jit.trace(Bag().eval(), (torch.arange(6), torch.tensor([0, 2, 3]))).save(str(folder / "x.pt"))
        assert run(folder / "x.pt", "--out", folder / "x.onnx").returncode == EXIT_OK
        for indices, offsets, culprit in (([0, 9, 3, 4, 5, 6], [0, 2, 6], None),
                                          ([0, 1, 3, 4, 5, 6], [0, 1 << 40, 3], "offsets"),
                                          ([0, 1, 3, 4, 5, 6], [0, 3, 2], "offsets"), ([0, -1, 3, 4, 5, 6], [0, 3, 4], "indices")):
            numpy.savez(folder / "given.npz", indices=numpy.array(indices), offsets=numpy.array(offsets))
            result = run("verify", folder / "x.pt", folder / "x.onnx", "--onnxruntime", PACKAGE[0], "--json", "--quiet",
                         "--inputs", folder / "given.npz")
            told = json.loads(result.stdout)
            if culprit is None:
                assert told["not_computed"] is None and not told["is_beyond"] and told["compared"] > 1, told
            else:
                refusal = told.get("not_computed", told.get("error"))
                assert f"its kernel trusts '{culprit}'" in refusal, told


# ---- operators that are refused ------------------------------------------------------------------


class Chosen(nn.Module):
    """Its first output does not depend on what may be refused."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 4)
        self.bag = nn.EmbeddingBag(10, 4)

    def forward(self, x, indices, offsets):
        return self.inner(x), self.bag(indices, offsets)


@case
def what_is_refused_is_never_equal():
    """An output that libtorch does not compute is named, and the exit code says that it is not known."""
    with scratch() as folder:
        torch.manual_seed(0)
        torch.jit.trace(Chosen().eval(), (torch.zeros(2, 4), torch.arange(6), torch.tensor([0, 2, 3]))).save(
            str(folder / "x.pt"))
        assert run(folder / "x.pt", "--out", folder / "x.onnx").returncode == EXIT_OK
        assert verified(folder / "x.pt", folder / "x.onnx")["outputs_not_compared"] == 0
        numpy.savez(folder / "given.npz", x=numpy.ones((2, 4), numpy.float32), indices=numpy.array([0, 1, 3, 4, 5, 6]),
                    offsets=numpy.array([0, 3, 2]))
        given = ("--inputs", folder / "given.npz")
        found = verified(folder / "x.pt", folder / "x.onnx", *given, code=EXIT_FOUND)
        assert "its kernel trusts 'offsets'" in found["not_computed"] and found["first"] is None, found
        assert (found["outputs"], found["outputs_not_compared"], found["is_beyond"]) == (2, 1, False), found
        assert [n["reason"] for n in found["not_compared"] if n["model"] == "a"].count("its operator did not run") == 1
        told = run("verify", folder / "x.pt", folder / "x.onnx", "--onnxruntime", PACKAGE[0], *given)
        assert told.returncode == EXIT_FOUND and "not compared: 1 of the model's 2 outputs" in told.stdout, told.stdout


class Constant(nn.Module):
    def forward(self, x):
        return x * 2, torch.ones(3)


@case
def outputs_that_are_known_at_export_are_no_gap():
    with scratch() as folder:
        torch.jit.trace(Constant(), torch.zeros(2, 3)).save(str(folder / "x.pt"))
        assert run(folder / "x.pt", "--out", folder / "x.onnx").returncode == EXIT_OK
        assert verified(folder / "x.pt", folder / "x.onnx")["outputs_not_compared"] == 0


# ---- packed weights ------------------------------------------------------------------------------


class Quantised(nn.Module):
    def __init__(self):
        super().__init__()
        self.enter, self.inner, self.leave = torch.ao.quantization.QuantStub(), nn.Linear(4, 4), torch.ao.quantization.DeQuantStub()

    def forward(self, x):
        return self.leave(self.inner(self.enter(x)))


def quantise(kind: str):
    torch.manual_seed(0)
    if kind == "dynamic":
        return torch.ao.quantization.quantize_dynamic(nn.Sequential(nn.Linear(4, 4), nn.ReLU()).eval(), {nn.Linear})
    model = Quantised().eval()
    model.qconfig = torch.ao.quantization.get_default_qconfig("fbgemm")
    prepared = torch.ao.quantization.prepare(model)
    prepared(torch.randn(8, 4))
    return torch.ao.quantization.convert(prepared)


@case_for_each(["static", "dynamic"])
def layers_with_packed_weights_run(kind):
    """The kernel's object is made of the weights that the trace has."""
    with scratch() as folder:
        torch.jit.trace(quantise(kind), torch.zeros(2, 4)).save(str(folder / "x.pt"))
        assert run(folder / "x.pt", "--out", folder / "x.onnx").returncode == EXIT_OK
        found = verified(folder / "x.pt", folder / "x.onnx")
        assert found["not_computed"] is None and found["outputs_not_compared"] == 0, found
