"""Nodes of branches and loops obey the rules of tags, and the files are well formed."""

from typing import List

import onnx
import torch
from torch import nn

from harness import EXIT_OK, EXIT_USAGE, case, case_for_each, run, scratch
from numbers_check import assert_close, feed, reference, session


class Expert(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, x):
        return torch.tanh(self.linear(x))


class Router(nn.Module):
    """One of two experts, chosen by the data."""

    def __init__(self):
        super().__init__()
        self.left, self.right = Expert(), Expert()

    def forward(self, x):
        if bool(x.mean() > 0):
            y = self.left(x)
        else:
            y = self.right(x) * 2
        return y


class Stepper(nn.Module):
    """Applies its router to each row."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(7)
        self.router = Router()
        self.last = Expert()

    def forward(self, x):
        states: List[torch.Tensor] = []
        state = torch.zeros(4)
        for i in range(x.size(0)):
            state = self.router(state + x[i])
            states.append(state)
        return self.last(torch.stack(states))


ROOT_TAG = "/Stepper"
ROUTER_TAG = "/Stepper/Router"
EXPERT_TAGS = {f"{ROUTER_TAG}/Expert.left", f"{ROUTER_TAG}/Expert.right"}


def make(folder):
    file = folder / "model.pt"
    model = torch.jit.script(Stepper().eval())
    torch.jit.save(model, str(file))
    return file


def export(folder, *flags):
    file, out = make(folder), folder / "model.onnx"
    result = run(file, "--out", out, "--input", "x:float32[rows=3,4]", *flags)
    assert result.returncode == EXIT_OK, result.stderr
    return file, out


def walk(graph, depth=0):
    """Every node with its nesting depth."""
    for node in graph.node:
        yield node, depth
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                yield from walk(attribute.g, depth + 1)


def tag_of(node) -> str:
    (tag,) = [a.s.decode() for a in node.attribute if a.name == "__source_module"]
    return tag


@case
def nested_nodes_are_tagged() -> None:
    with scratch() as folder:
        _, out = export(folder)
        nodes = list(walk(onnx.load(str(out)).graph))
    tags = {(node.op_type, depth): tag_of(node) for node, depth in nodes}
    assert tags["Loop", 0] == ROOT_TAG and tags["If", 1] == ROUTER_TAG, tags
    tanh = sorted(tag_of(node) for node, _ in nodes if node.op_type == "Tanh")
    assert tanh == sorted([*EXPERT_TAGS, "/Stepper/Expert"]), tanh
    deepest = {tag_of(node) for node, depth in nodes if depth == 2}
    assert deepest <= {ROUTER_TAG, *EXPERT_TAGS} and EXPERT_TAGS <= deepest, deepest
    for node, _ in nodes:
        metadata = {entry.key: entry.value for entry in node.metadata_props}
        assert metadata["source_module"] == tag_of(node)


@case
def names_are_unique_in_all_graphs() -> None:
    with scratch() as folder:
        _, out = export(folder)
        model = onnx.load(str(out))
    nodes = [node for node, _ in walk(model.graph)]
    names = [node.name for node in nodes]
    assert len(set(names)) == len(names)
    made = [name for node in nodes for name in node.output]
    assert len(set(made)) == len(made)


@case
def without_tags_it_is_the_same_model() -> None:
    with scratch() as folder:
        file, out = export(folder)
        tagged = onnx.load(str(out))
        run(file, "--out", out, "--input", "x:float32[rows=3,4]", "--tags", "none")
        bare = onnx.load(str(out))
    for node, _ in walk(tagged.graph):
        del node.metadata_props[:]
        kept = [a for a in node.attribute if not a.name.startswith("__")]
        del node.attribute[:]
        node.attribute.extend(kept)
    assert [n for n, _ in walk(tagged.graph)] == [n for n, _ in walk(bare.graph)]


@case
def numbers_at_every_length() -> None:
    """Rows that take either branch."""
    with scratch() as folder:
        file, out = export(folder)
        onnx.checker.check_model(str(out), full_check=True)
        runner = session(out)
        for rows in (1, 2, 7):
            x = (torch.randn(rows, 4, generator=torch.Generator().manual_seed(rows)) * 3,)
            assert_close(feed(runner, x), reference(file, x), f"{rows} rows")


@case
def blocks_in_the_dump() -> None:
    with scratch() as folder:
        file = make(folder)
        dump = run(file, "--dump-after", "dead-code", "--input", "x:float32[rows=3,4]")
    assert dump.returncode == EXIT_OK, dump.stderr
    lines = dump.stdout.splitlines()
    (loop,) = [line for line in lines if "prim::Loop" in line]
    (branch,) = [line for line in lines if "prim::If" in line]
    assert "  blocks: " in loop and "  block: " not in loop
    assert "  blocks: " in branch and "  block: " in branch


class RaisingSide(nn.Module):
    """The check of instance_norm: one value is not enough."""

    def forward(self, x, z):
        p = z * 1.0
        if bool(x.sum() > 0.3):
            if z.size(2) * z.size(3) == 1:
                raise ValueError("too small")
            p = torch.relu(z)
        return p


class RaisingBody(nn.Module):
    def forward(self, x, z):
        p = z * 1.0
        for _ in range(int(x.sum())):
            if z.size(2) * z.size(3) == 1:
                raise ValueError("too small")
            p = torch.relu(z) + p
        return p


class RaisingRepeatedly(nn.Module):
    def forward(self, x, z):
        p = z * 1.0
        if bool(x.sum() > 0.3):
            for _ in range(z.size(2) - 6):
                raise ValueError("too large")
            p = torch.relu(z)
        return p


@case_for_each([RaisingSide, RaisingBody, RaisingRepeatedly], name=lambda kind: kind.__name__)
def raising_at_some_sizes_is_not_raising(kind) -> None:
    """What runs on a condition, and raises at some sizes only, is there at the others."""
    with scratch() as folder:
        file, out = folder / "model.pt", folder / "model.onnx"
        torch.jit.save(torch.jit.script(kind().eval()), str(file))
        height = "6" if kind is RaisingRepeatedly else "height=6"
        given = ["--input", "x:float32[rows=3]", "--input", f"z:float32[1,2,{height},width=5]"]
        made = run(file, "--out", out, *given)
        assert made.returncode == EXIT_OK, made.stderr
        runner = session(out)
        for sign in (1, -1):
            for width in (5, 9):
                values = torch.full((3,), sign * 0.7), torch.linspace(-1, 1, 12 * width).reshape(1, 2, 6, width)
                assert_close(feed(runner, values), reference(file, values), f"{sign}, {width}")


@case
def sizes_that_raise_on_a_condition_are_refused() -> None:
    with scratch() as folder:
        file = folder / "model.pt"
        torch.jit.save(torch.jit.script(RaisingRepeatedly().eval()), str(file))
        made = run(file, "--out", folder / "model.onnx", "--input", "x:float32[3]",
                   "--input", "z:float32[1,2,height=6,5]")
    assert made.returncode == EXIT_USAGE and "axis height" in made.stderr, made.stderr
