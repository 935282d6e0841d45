"""Models with state: twenty calls, each with the state that the previous one left."""

import json
from pathlib import Path

import numpy
import onnx
import torch

import numbers_check
from compiled import save
from harness import (EXIT_OK, EXIT_UNSUPPORTED, EXIT_USAGE, INTO, case, case_for_each, export, made_by, run,
                     scratch)

MAKER = Path(__file__).resolve().parents[2] / "custom" / "state.py"
NAMES = ("gru", "lstm", "policy", "twice", "cache", "window", "counters", "mean", "lists", "branch",
         "traced", "swapped", "delay", "loop", "ring", "static", "rounds",
         "statistics", "lazy", "hidden")


def made() -> Path:
    return made_by((MAKER,), INTO)


def facts_of(name: str) -> tuple:
    """The flags of its inputs, and its first values."""
    facts = json.loads((made() / f"{name}.json").read_text())
    return [part for flag in facts["flags"] for part in ("--input", flag)], facts["first"]


def export_state(name: str, folder: Path, *flags) -> tuple:
    """The file, the note, and initial values."""
    given, _ = facts_of(name)
    result = export(made() / f"{name}.pt", folder / "x.onnx", *given, "--state-out",
                    folder / "first.npz", *flags)
    return folder / "x.onnx", result.stderr, dict(numpy.load(folder / "first.npz"))


def resized(value, declared: tuple, sizes: dict):
    """A first value for other sizes of the axes; all elements are equal."""
    dims = [sizes.get(dim, size) for dim, size in zip(declared, value.shape)]
    return numpy.broadcast_to(value.ravel()[:1], dims) if dims != list(value.shape) else value


def sizes_of(session, x) -> dict:
    return {dim: size for dim, size in zip(session.get_inputs()[0].shape, x.shape)
            if isinstance(dim, str)}


def check_calls(session, name: str, first: dict) -> None:
    arrays = dict(numpy.load(made() / f"{name}.npz"))
    own, *others = session.get_inputs()
    assert [argument.name for argument in others] == list(first), others
    state = None
    for number in range(20):
        x = arrays[f"{number:02}/input"]
        if state is None:
            state = {argument.name: resized(first[argument.name], argument.shape,
                                            sizes_of(session, x)) for argument in others}
        outputs = session.run(None, {own.name: x, **state})
        wanted = [value for key, value in arrays.items() if key.startswith(f"{number:02}/output/")]
        got = outputs[:len(wanted)]
        got = [array.astype(value.dtype) if not value.shape else array
               for array, value in zip(got, wanted)]
        numbers_check.assert_close(got, wanted, f"{name}, call {number}")
        state = dict(zip(state, outputs[len(wanted):]))


@case_for_each(NAMES)
def twenty_calls(name):
    with scratch() as folder:
        path, _, first = export_state(name, folder)
        onnx.checker.check_model(onnx.load(path), full_check=True)
        for optimised in (True, False):
            check_calls(numbers_check.session(path, optimised), name, first)


@case_for_each(NAMES)
def the_state_is_told(name):
    """By a note, by --json, by the model's metadata, and by inspect."""
    _, first = facts_of(name)
    with scratch() as folder:
        given, _ = facts_of(name)
        result = export(made() / f"{name}.pt", folder / "x.onnx", *given, "--json")
        pairs = json.loads(result.stdout)["states"]
        metadata = {entry.key: entry.value for entry in onnx.load(folder / "x.onnx").metadata_props}
        shown = run("inspect", folder / "x.onnx").stdout
        as_json = json.loads(run("inspect", "--json", folder / "x.onnx").stdout)["states"]
    assert sorted(pair["attribute"] for pair in pairs) == sorted(first)
    assert as_json == pairs == json.loads(metadata.get("htp.states", "[]"))
    for pair in pairs:
        attribute = pair["attribute"]
        assert pair["input"] == f"state.{attribute}" and pair["output"] == f"state.{attribute}.next"
        said = f"at first {first[attribute]}"
        assert (f"{pair['input']} is the {pair['output']} of the call before, {said}"
                in result.stderr), result.stderr
        line = f"{pair['input']} <- {pair['output']}, {said}"
        assert f" {line}\n" in shown, shown
    assert ("keeps state" in result.stderr) == bool(first)


@case
def files_of_tags_that_are_stripped_say_nothing_of_state():
    with scratch() as folder:
        path, *_ = export_state("gru", folder)
        bare, *_ = export_state("gru", folder, "--tags", "none")
        run("strip", path, "--out", folder / "stripped.onnx")
        assert (folder / "stripped.onnx").read_bytes() == bare.read_bytes()


@case
def defaults_need_not_be_given():
    with scratch() as folder:
        path, _, first = export_state("policy", folder, "--state-defaults")
        onnx.checker.check_model(onnx.load(path), full_check=True)
        session = numbers_check.session(path)
        arrays = dict(numpy.load(made() / "policy.npz"))
        assert [argument.name for argument in session.get_inputs()] == ["x"]
        outputs = session.run(None, {"x": arrays["00/input"]})
        numbers_check.assert_close(outputs[:1], [arrays["00/output/0"]], "the first call")
        state = dict(zip(first, outputs[1:]))
        outputs = session.run(None, {"x": arrays["01/input"], **state})
        numbers_check.assert_close(outputs[:1], [arrays["01/output/0"]], "the second call")
        assert run("validate", path).returncode == 0


@case_for_each(("policy", "twice", "cache"))
def functions_keep_state(name):
    with scratch() as folder:
        path, _, first = export_state(name, folder, "--functions")
        check_calls(numbers_check.session(path), name, first)
        path, _, first = export_state(name, folder, "--functions", "--state-defaults")
        assert [tensor.name for tensor in onnx.load(path).graph.initializer][-len(first):] == list(
            first)
        onnx.checker.check_model(onnx.load(path), full_check=True)


@case_for_each(NAMES)
def functions_are_inlined(name):
    """The result equals, byte for byte, the flat file whose modules share nothing."""
    given, _ = facts_of(name)
    with scratch() as folder:
        export(made() / f"{name}.pt", folder / "modules.onnx", *given, "--functions")
        export(made() / f"{name}.pt", folder / "flat.onnx", *given, "--share", "module")
        result = run("inline", folder / "modules.onnx", "--out", folder / "inlined.onnx")
        assert result.returncode == EXIT_OK, result
        assert (folder / "inlined.onnx").read_bytes() == (folder / "flat.onnx").read_bytes()


@case
def a_frozen_state_is_one_call():
    with scratch() as folder:
        given, _ = facts_of("policy")
        result = export(made() / "policy.pt", folder / "x.onnx", *given, "--freeze-state")
        assert "state is frozen: each call begins with the archive's value of " in result.stderr
        assert "hidden" in result.stderr and "carry" in result.stderr
        session = numbers_check.session(folder / "x.onnx")
        arrays = dict(numpy.load(made() / "policy.npz"))
        for _ in range(2):
            outputs = session.run(None, {"x": arrays["00/input"]})
            numbers_check.assert_close(outputs, [arrays["00/output/0"]], "each call")


@case
def other_methods_have_the_same_state():
    with scratch() as folder:
        export(made() / "policy.pt", folder / "reset.onnx", "--method", "reset")
        outputs = numbers_check.session(folder / "reset.onnx").run(None, {
            argument.name: numpy.ones((1, 4), numpy.float32)
            for argument in numbers_check.session(folder / "reset.onnx").get_inputs()})
        names = [o.name for o in onnx.load(folder / "reset.onnx").graph.output]
        state = dict(zip(names, outputs))
        assert sorted(state) == ["state.carry.next", "state.hidden.next"], names
        assert (state["state.hidden.next"] == 0).all() and (state["state.carry.next"] == 0.25).all()
        export(made() / "policy.pt", folder / "peek.onnx", "--method", "peek", "--input",
               "scale:float=2")
        peek = onnx.load(folder / "peek.onnx").graph
        assert not peek.input, "a method that changes nothing has no state"


@case
def a_file_of_first_values_replaces_no_other_file():
    with scratch() as folder:
        given, _ = facts_of("gru")
        for path in (folder / "x.onnx", made() / "gru.pt"):
            result = run(made() / "gru.pt", "--out", folder / "x.onnx", *given, "--state-out", path)
            assert result.returncode == EXIT_USAGE, result.stderr
            assert not (folder / "x.onnx").exists()
        result = run(made() / "gru.pt", made() / "lstm.pt", "--out-dir", folder, "--state-out",
                     folder / "first.npz")
        assert result.returncode == EXIT_USAGE and "one model" in result.stderr, result.stderr


# ---- refusals ----


class Shared(torch.nn.Module):
    """Two attributes that become one memory."""

    def __init__(self):
        super().__init__()
        self.register_buffer("a", torch.zeros(3))
        self.register_buffer("b", torch.zeros(3))

    def forward(self, x):
        self.a += x
        self.b = self.a
        return self.a + self.b


class Alternating(torch.nn.Module):
    """Its rank alternates."""

    def __init__(self):
        super().__init__()
        self.register_buffer("a", torch.zeros(3))

    def forward(self, x):
        self.a = self.a.unsqueeze(0) if self.a.dim() == 1 else self.a.squeeze(0)
        return self.a.sum() + x


class OtherFirst(torch.nn.Module):
    """The first call is a different program from later ones."""

    def __init__(self):
        super().__init__()
        self.register_buffer("a", torch.zeros(0))

    def forward(self, x):
        if self.a.numel() == 0:
            self.a = x.exp()
            return x.sin()
        self.a = self.a + x
        return self.a


class Widened(torch.nn.Module):
    """The initial value has another shape, which addition broadcasts."""

    def __init__(self):
        super().__init__()
        self.register_buffer("a", torch.zeros(0))

    def forward(self, x):
        a = self.a
        if a.size(0) == 0:
            a = torch.zeros(1)
        a = a + x
        self.a = a
        return a


class Perhaps(torch.nn.Module):
    """The tensor changed in place may be a buffer."""

    def __init__(self):
        super().__init__()
        self.register_buffer("state", torch.ones(3))

    def forward(self, x):
        y = x * 2
        if bool(x.sum() > 0):
            y = self.state
        y += 1
        return y


REFUSED = (
    (Widened, 'the first call does something else than later ones, because of the attribute "a"'),
    (Perhaps, "the tensor that it changes is read under another name, which shares its memory only on one side"),
    (Shared, "a tensor that several attributes hold"),
    (Alternating, 'attribute "a"'),
    (OtherFirst, 'the first call does something else than later ones, because of the attribute "a"'),
)


@case_for_each(REFUSED, name=lambda row: row[0].__name__)
def refused(row):
    module, reason = row
    with scratch() as folder:
        path = save(module(), (), "scripted", folder / "x.pt")
        result = run(path, "--out", folder / "x.onnx", "--input", "x:float32[3]")
        assert result.returncode == EXIT_UNSUPPORTED, result.stderr
        assert reason in result.stderr, result.stderr
        assert not (folder / "x.onnx").exists()
