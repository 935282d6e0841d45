"""`htp-trace verify` of a PyTorch model runs and compares lists whose length depends on the data: loops and branches that
make, change, read and return them."""

from typing import List

import onnx
import torch
from torch import Tensor, nn

from harness import EXIT_FOUND, EXIT_OK, case, case_for_each, run, scratch
from test_verify_programs import verified


class Parts(nn.Module):
    """The base of models that make a list of parts of different sizes."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(3, 3)


class Appended(Parts):
    def forward(self, x, n):
        parts: List[Tensor] = []
        for i in range(int(n) + 2):
            parts.append(self.inner(x[:i + 1]))
        return torch.cat(parts), len(parts)


class Changed(Parts):
    def forward(self, x, n):
        parts: List[Tensor] = []
        for i in range(int(n) + 2):
            parts.append(self.inner(x[:i + 1]))
        parts[-1] = x
        parts[0] = x * 2
        return torch.cat(parts)


class Inserted(Parts):
    def forward(self, x, n):
        parts: List[Tensor] = []
        for i in range(int(n) + 2):
            parts.insert(0, self.inner(x[:i + 1]))
        parts.insert(1, x)
        parts.insert(-9, x[:1])
        parts.insert(9, x[1:])
        return torch.cat(parts), len(parts)


class Taken(Parts):
    def forward(self, x, n):
        parts: List[Tensor] = []
        for i in range(int(n) + 3):
            parts.append(self.inner(x[:i + 1]))
        last = parts.pop()
        first = parts.pop(0)
        return torch.cat(parts), last, first, parts[-1]


class Kept(Parts):
    """Each trip reads all of the list, and goes on with it."""

    def forward(self, x, n):
        parts: List[Tensor] = [x]
        for i in range(int(n) + 2):
            total = torch.zeros(3)
            for part in parts:
                total = total + part.sum(0)
            parts.append(self.inner(total.unsqueeze(0).expand(i + 1, 3)))
        y = torch.zeros(3)
        for part in parts:
            y = y * 0.5 + part.mean(0)
        return y, torch.cat(parts)


class Chosen(Parts):
    def forward(self, x, n):
        y = self.inner(x)
        parts: List[Tensor] = []
        for i in range(3):
            mask = y.argmax(1) == i
            if bool(mask.any()):
                parts.append(y[mask] * (n + i))
        return torch.cat(parts), len(parts)


class Split(Parts):
    def forward(self, x, n):
        return torch.cat([part.mean(0, keepdim=True) for part in torch.split(self.inner(x), int(n) + 1)])


MODELS = (Appended, Changed, Inserted, Taken, Kept, Chosen, Split)
INPUTS = ("--input", "x:float32[batch=4,3]", "--input", "n:int64[]")


def made(model, folder) -> tuple:
    torch.manual_seed(0)
    torch.jit.script(model().eval()).save(str(folder / "x.pt"))
    result = run(folder / "x.pt", "--out", folder / "x.onnx", *INPUTS)
    assert result.returncode == EXIT_OK, result.stderr
    return folder / "x.pt", folder / "x.onnx"


@case_for_each(MODELS, name=lambda model: model.__name__.lower())
def lists_of_parts_are_compared(model):
    with scratch() as folder:
        program, file = made(model, folder)
        found = verified(program, file, *INPUTS)
        assert found["not_computed"] is None and not found["is_beyond"] and found["compared"] > 0, found
        made_here = [left for left in found["not_compared"] if left["reason"] == "its operator did not run"]
        assert not made_here and len(found["sizes"]) == 3, (made_here, found["sizes"])


class Returned(Parts):
    def forward(self, x, n):
        parts: List[Tensor] = []
        for i in range(int(n) + 2):
            parts.append(self.inner(x[:i + 1]))
        return parts, x * 2


def change_length(model) -> None:
    """The list that the model returns has one tensor more."""
    made = next(n for n in model.graph.node if model.graph.output[0].name in n.output)
    made.output[0] = "whole"
    model.graph.node.append(onnx.helper.make_node("SequenceInsert", ["whole", model.graph.output[1].name],
                                                  [model.graph.output[0].name]))


def change_number(model) -> None:
    weight = next(i for i in model.graph.initializer if "weight" in i.name)
    array = onnx.numpy_helper.to_array(weight) * 1.01
    weight.CopyFrom(onnx.numpy_helper.from_array(array.astype("float32"), weight.name))


@case
def lists_that_are_returned_are_compared():
    with scratch() as folder:
        program, file = made(Returned, folder)
        for a in (program, file):
            options = INPUTS if a == program else ()
            found = verified(a, file, *options)
            assert (found["outputs"], found["outputs_not_compared"], found["first"]) == (2, 0, None), found
            for change in (change_length, change_number):
                changed = onnx.load(file)
                change(changed)
                onnx.save(changed, folder / "changed.onnx")
                found = verified(a, folder / "changed.onnx", *options, code=EXIT_FOUND)
                lengths = found["lists_of_another_length"]
                assert found["is_beyond"] and bool(lengths) == (change is change_length), found
                assert all(told["b"] == told["a"] + 1 for told in lengths), lengths


@case
def a_fault_in_a_list_is_found():
    """The loop makes parts that differ, and what joins them tells."""
    with scratch() as folder:
        program, file = made(Appended, folder)
        model = onnx.load(file)
        change_number(model)
        onnx.save(model, folder / "changed.onnx")
        found = verified(program, folder / "changed.onnx", *INPUTS, code=EXIT_FOUND)
        assert found["first"] == "/Appended" and found["not_computed"] is None, found
