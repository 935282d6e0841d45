"""A trace has the arguments of each running call, by the names of forward()'s parameters: --dump-graph shows them, and
the call's place."""

import re
from typing import Dict, List, NamedTuple, Optional, Tuple

import torch
from torch import nn

from compiled import input_flags, save
from harness import EXIT_OK, case, run, scratch

SCOPE = re.compile(r"# scope (?P<number>\d+): (?P<path>\S+)  call: (?P<call>\d+)"
                   r"(?:  caller: (?P<caller>\d+))?(?:  source: \S+:(?P<line>\d+))?"
                   r"(?:  passed: (?P<passed>.*))?")
NODE = re.compile(r"%(?P<output>\d+) : .* = (?P<kind>[\w:.]+)\((?P<inputs>.*)\)  # scope: (?P<path>\S+)"
                  r"  call: (?P<call>\d+)")


class Dump:
    """Arguments by module and call: {name: value}; and the producer of each value."""

    def __init__(self, net: nn.Module, inputs: tuple, mode: str):
        with scratch() as folder:
            pt = save(net, inputs, mode, folder / "model.pt")
            result = run(pt, "--dump-graph", *input_flags(*inputs))
        assert result.returncode == EXIT_OK, result.stderr
        lines = result.stdout.splitlines()
        scopes = [SCOPE.fullmatch(line) for line in lines if line.startswith("# scope ")]
        assert [int(scope["number"]) for scope in scopes] == list(range(len(scopes)))
        self.callers = {(s["path"], int(s["call"])): s["caller"] and scopes[int(s["caller"])]["path"]
                        for s in scopes}
        self.lines = {(s["path"], int(s["call"])): s["line"] and int(s["line"]) for s in scopes}
        self.passed = {(s["path"], int(s["call"])): dict(
            part.split(" = ") for part in (s["passed"] or "").split(", ") if part) for s in scopes}
        nodes = [match for match in map(NODE.match, lines) if match]
        self.reads = {(n["kind"], n["path"], int(n["call"])): n["inputs"].split(", ") for n in nodes}
        self.makers = {f"%{n['output']}": f"{n['kind']} {n['path']} {n['call']}" for n in nodes}

    def made(self, path: str, call: int) -> dict:
        """The producer of each argument of a call; a constant is shown itself."""
        return {name: self.makers.get(value, value) for name, value in self.passed[path, call].items()}


class Pair(NamedTuple):
    left: torch.Tensor
    right: torch.Tensor


class Attend(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)

    def forward(self, hidden, mask: Optional[torch.Tensor] = None, scale: float = 0.5):
        y = self.linear(hidden) * scale
        if mask is not None:
            y = y + mask
        return y


class Parts(nn.Module):
    def forward(self, past: Tuple[torch.Tensor, Tuple[torch.Tensor, int]], pair: Pair,
                table: Dict[str, torch.Tensor], by_number: Dict[int, torch.Tensor],
                items: List[torch.Tensor], mode: str):
        assert mode == "sum"
        x = past[0] + past[1][0] * past[1][1] + pair.left - pair.right
        return x + table["query"] + by_number[7] + items[0]


class Sine(nn.Module):
    def forward(self, angle):
        return torch.sin(angle)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.attend, self.parts = Attend(), Parts()
        self.left, self.right, self.step = Sine(), Sine(), Sine()

    def forward(self, x):
        a = self.attend(x)
        b = self.attend(x, scale=2.0, mask=a)
        c = self.parts((torch.cos(a), (b, x.size(0))), Pair(torch.exp(a), torch.tanh(b)),
                       {"query": torch.relu(x)}, {7: torch.sigmoid(x)}, [torch.neg(a), b], "sum")
        if bool(c.sum() > 0):
            c = self.left(c)
        else:
            c = self.right(torch.abs(c))
        count = 0
        while bool(c.sum() < 10) and count < 5:
            c = self.step(angle=c) + 1
            count += 1
        return c


def line_of(net: type, text: str) -> int:
    """The number of the line of this file that holds a text of a class."""
    lines = open(__file__).read().splitlines()
    begin = next(i for i, line in enumerate(lines) if line.startswith(f"class {net.__name__}("))
    return next(i + 1 for i in range(begin, len(lines)) if text in lines[i])


@case
def names_of_scripted_modules():
    dump = Dump(Net(), (torch.randn(2, 4),), "scripted")
    x = dump.passed[".", 0]["x"]
    first, second = "aten::mul.Scalar attend 0", "aten::add.Tensor attend 1"
    assert dump.passed["attend", 0] == {"hidden": x, "scale": "0.5"}, dump.passed
    assert dump.made("attend", 1) == {"hidden": x, "mask": first, "scale": "2.0"}, dump.passed
    assert dump.passed["attend.linear", 1] == {"input": x}, dump.passed
    assert dump.made("parts", 0) == {
        "past_0": "aten::cos . 0", "past_1_0": second, "past_1_1": "2",
        "pair_left": "aten::exp . 0", "pair_right": "aten::tanh . 0",
        "table_query": "aten::relu . 0", "by_number_7": "aten::sigmoid . 0",
        "items_0": "aten::neg . 0", "items_1": second}, dump.passed


@case
def names_in_branches_and_loops():
    """A value carried by a loop is the value that its body reads."""
    dump = Dump(Net(), (torch.randn(2, 4),), "scripted")
    assert dump.made("left", 0) == {"angle": "aten::add.Tensor parts 0"}, dump.passed
    assert dump.made("right", 0) == {"angle": "aten::abs . 0"}, dump.passed
    assert dump.passed["step", 0] == {"angle": dump.reads["aten::sin", "step", 0][0]}, dump.passed


@case
def places_of_calls():
    dump = Dump(Net(), (torch.randn(2, 4),), "scripted")
    assert dump.callers["attend.linear", 1] == "attend" and dump.callers["attend", 1] == "."
    assert dump.callers[".", 0] is None and dump.lines[".", 0] is None
    assert dump.lines["attend", 1] == line_of(Net, "b = self.attend"), dump.lines
    assert dump.lines["attend.linear", 1] == line_of(Attend, "y = self.linear"), dump.lines
    assert dump.lines["step", 0] == line_of(Net, "c = self.step"), dump.lines


class TracedNet(nn.Module):
    """The tracer only records tensors, by the names of its values; others are numbered."""

    def __init__(self):
        super().__init__()
        self.attend, self.parts = Attend(), Parts()

    def forward(self, x):
        a = self.attend(x)
        b = self.attend(x, scale=2.0, mask=a)
        return self.parts((torch.cos(a), (b, 3)), Pair(torch.exp(a), torch.tanh(b)),
                          {"query": torch.relu(x)}, {7: torch.sigmoid(x)}, [torch.neg(a), b], "sum")


@case
def names_of_traced_modules():
    """Each outer value that an operator of a module reads is listed, by the schema's name."""
    dump = Dump(TracedNet(), (torch.randn(2, 4),), "traced")
    x = dump.passed[".", 0]["x"]
    assert dump.passed["attend", 0] == {"x": x}, dump.passed
    assert dump.passed["attend.linear", 1] == {"x": x}, dump.passed
    given = dump.made("attend", 1)
    assert given.pop("x") == x and list(given.values()) == ["aten::mul.Scalar attend 0"], given
    assert all(re.fullmatch(r"argument_\d+|[a-z]\w*", name) for name in dump.passed["parts", 0])
    assert set(dump.made("parts", 0).values()) == {
        "aten::cos . 0", "aten::add.Tensor attend 1", "aten::exp . 0", "aten::tanh . 0",
        "aten::relu . 0", "aten::sigmoid . 0", "aten::neg . 0"}, dump.passed


class Changing(nn.Module):
    """Returns views of a changed tensor, from before and after the changes."""

    def __init__(self):
        super().__init__()
        self.before, self.behind, self.listed = Sine(), Sine(), First()
        self.adding = Adding()

    def forward(self, x):
        y = torch.relu(x)
        row = y[0]
        held = [row]
        a = self.before(row)
        y.add_(1)
        b = self.behind(row) + self.listed(held)
        c = self.adding(row)
        held.append(a)
        return a + b + c + y.sum() + held[1]


class First(nn.Module):
    def forward(self, items: List[torch.Tensor]):
        return torch.cos(items[0])


class Adding(nn.Module):
    """Changes its argument, whose old value is recorded."""

    def forward(self, total):
        total.mul_(2)
        return torch.tan(total)


@case
def what_was_changed_in_place():
    dump = Dump(Changing(), (torch.randn(2, 4),), "scripted")
    assert dump.passed["before", 0] == {"angle": dump.reads["aten::sin", "before", 0][0]}
    assert dump.passed["behind", 0] == {"angle": dump.reads["aten::sin", "behind", 0][0]}
    assert dump.passed["before", 0] != dump.passed["behind", 0], dump.passed
    assert dump.passed["listed", 0] == {"items_0": dump.reads["aten::cos", "listed", 0][0]}
    assert dump.passed["listed", 0]["items_0"] == dump.passed["behind", 0]["angle"], dump.passed
    assert dump.passed["adding", 0] == {"total": dump.reads["aten::mul_.Scalar", "adding", 0][0]}


class Apart(nn.Module):
    """Sides that cannot be merged run again, with the remaining code."""

    def __init__(self):
        super().__init__()
        self.short, self.long, self.last = Sine(), Sine(), First()

    def forward(self, x):
        items = [x]
        if bool(x.sum() > 0):
            items = [self.short(x)]
        else:
            items = [self.long(x), x]
        return self.last(items)


@case
def sides_that_are_run_again():
    """Calls that were discarded leave nothing behind."""
    dump = Dump(Apart(), (torch.randn(2, 4),), "scripted")
    assert dump.passed["short", 0] == dump.passed["long", 0] == {"angle": dump.passed[".", 0]["x"]}
    assert dump.made("last", 0) == {"items_0": "aten::sin short 0"}, dump.passed
    assert dump.made("last", 1) == {"items_0": "aten::sin long 0", "items_1": "%0"}, dump.passed
    assert sorted(dump.passed) == [(".", 0), ("last", 0), ("last", 1), ("long", 0), ("short", 0)]
    assert dump.lines["last", 0] == dump.lines["last", 1] == line_of(Apart, "self.last(items)")


class Grows(nn.Module):
    """A list of data-dependent length is one tensor."""

    def __init__(self):
        super().__init__()
        self.step, self.join = Sine(), Join()

    def forward(self, x):
        items: List[torch.Tensor] = []
        while bool(x.sum() > 0):
            x = self.step(x) - 1
            items.append(x)
        return self.join(items)


class Join(nn.Module):
    def forward(self, items: List[torch.Tensor]):
        return torch.stack(items).sum()


@case
def lists_of_any_length():
    dump = Dump(Grows(), (torch.randn(2, 4),), "scripted")
    assert dump.passed["join", 0] == {"items": dump.reads["aten::movedim.int", "join", 0][0]}, dump.passed
