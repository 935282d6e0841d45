"""The stack trace of a node equals that of PyTorch's exporter, which copies torch.export's. Files contain the text of
lines only for scripted code."""

import re

import onnx
import torch
from torch import nn

import onnx_facts as facts
from compiled import input_flags, save
from harness import case, case_for_each, export, scratch

KEY = "pkg.torch.onnx.stack_trace"
FRAME = re.compile(r'File "(?P<file>.*)", line (?P<line>\d+), in (?P<function>.*)')


class Inner(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def helper(self, x):
        return torch.tanh(
            self.linear(x)
        )

    def forward(self, x):
        y = self.helper(x)
        return torch.sigmoid(y)


class Outer(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()
        self.layers = nn.Sequential(nn.ReLU(), nn.Linear(4, 4))

    def forward(self, x):
        x = self.layers(self.inner(x))
        return torch.sin(x)


# Operators that become one node each.
OPERATORS = {"linear": "Gemm", "tanh": "Tanh", "sigmoid": "Sigmoid", "relu": "Relu", "sin": "Sin"}


def frames_of(trace: str) -> list:
    """[file, line, function, text or ""] of each frame."""
    frames = []
    for number, line in enumerate(trace.split("\n")):
        match = FRAME.fullmatch(line.removeprefix("  ") if number else line)
        if match:
            frames.append([match["file"], int(match["line"]), match["function"], ""])
        else:
            assert line.startswith("    ") and frames and not frames[-1][3], trace
            frames[-1][3] = line[4:]
    return frames


def exporters_frames(net: nn.Module, inputs: tuple) -> list:
    graph = torch.export.export(net, inputs).graph
    found = []
    for node in graph.nodes:
        name = str(node.target).split(".")[1] if node.op == "call_function" else ""
        if name in OPERATORS:
            found.append((OPERATORS[name], frames_of(node.meta["stack_trace"].strip())))
    return found


def exported(net: nn.Module, inputs: tuple, mode: str) -> onnx.ModelProto:
    with scratch() as folder:
        pt = save(net, inputs, mode, folder / "model.pt")
        export(pt, folder / "model.onnx", *input_flags(*inputs))
        return onnx.load(str(folder / "model.onnx"))


@case_for_each(("traced", "scripted"))
def as_the_exporter_writes_it(mode):
    net, inputs = Outer().eval(), (torch.randn(2, 4),)
    wanted = exporters_frames(net, inputs)
    assert [len(frames) for _, frames in wanted] == [3, 2, 2, 3, 3, 1], wanted
    model = exported(net, inputs, mode)
    nodes = [node for node in model.graph.node if node.op_type in OPERATORS.values()]
    got = [(node.op_type, frames_of(facts.properties(node)[KEY])) for node in nodes]
    if mode == "traced":
        wanted = [(name, [[*frame[:3], ""] for frame in frames]) for name, frames in wanted]
    assert got == wanted, (got, wanted)


class Half(nn.Module):
    """A scripted module of traced modules."""

    def __init__(self, traced):
        super().__init__()
        self.traced = traced

    def forward(self, x):
        return torch.cos(self.traced(x))


@case
def a_traced_module_within_a_scripted_one():
    inputs = (torch.randn(2, 4),)
    model = exported(Half(torch.jit.trace(Inner().eval(), inputs)), inputs, "scripted")
    traces = {n.op_type: frames_of(facts.properties(n)[KEY]) for n in model.graph.node}
    texts = [frame[3] for frame in traces["Gemm"]]
    assert texts == ["return torch.cos(self.traced(x))", "", ""], traces
    assert [frame[2] for frame in traces["Gemm"]] == ["forward"] * 3, traces
    assert [frame[3] for frame in traces["Cos"]] == ["return torch.cos(self.traced(x))"], traces
    assert all("_trace.py" not in frame[0] for frames in traces.values() for frame in frames)


class Twice(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()

    def forward(self, x):
        for _ in range(2):
            x = self.inner(x)
        y = self.inner(x)
        if y.sum() > 0:
            y = self.inner(y)
        return y


@case
def calls_from_different_lines():
    """Also in a branch, which is a separate node."""
    model = exported(Twice(), (torch.randn(2, 4),), "scripted")
    nodes = [node for node in facts.all_nodes(model) if node.op_type == "Tanh"]
    outer = [frames_of(facts.properties(node)[KEY])[0][3] for node in nodes]
    assert outer == ["x = self.inner(x)", "x = self.inner(x)", "y = self.inner(x)",
                     "y = self.inner(y)"], outer
    branch = next(node for node in model.graph.node if node.op_type == "If")
    assert frames_of(facts.properties(branch)[KEY])[-1][3] == "if y.sum() > 0:", branch
