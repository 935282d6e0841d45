"""`quality --reference MODEL.pt`: a static analysis of the program finds the module of each node, without running it.
It knows all nodes of our exports, finds none misplaced, and finds those that were moved."""

import json

import onnx
import torch

import onnx_facts as facts
import reference_models
from compiled import save
from harness import (EXIT_OK, EXIT_UNSUPPORTED, ROOT, case, case_for_each, case_for_each_model, export,
                     input_flags, run, scratch, skip_unless_loadable, torchscript)
from models.table import FIDELITY

CALLS = "contamination.calls"
NUMBERS = {"control": ["--input", "x:float32[2,4]", "--input", "times:int=3"]}
CASES = [(name, mode) for name, (_, _, modes) in reference_models.MODELS.items() for mode in modes]
WHOLE = ("bert-tiny-30522-sdpa", "distilbert", "gpt2", "llama-sdpa", "vit", "vit-unfused", "resnet18",
         "mobilenet-v3-small")
# Made for no operator: the second time that one tensor is an output.
PASSED_ON = 2


def measure(onnx_path, pt, *flags) -> dict:
    result = run("quality", onnx_path, "--reference", pt, "--json", *flags)
    assert result.returncode == EXIT_OK, result.stderr
    [model] = json.loads(result.stdout)["models"]
    assert model["reference"]["kind"] == "torchscript", model["reference"]
    return model


def found(model: dict) -> set:
    """Names of the nodes that are in a wrong place."""
    table = model["nodes_table"]
    name, problems = (table["columns"].index(column) for column in ("name", "problems"))
    return {row[name] for row in table["rows"] if CALLS in row[problems]}


def check_known(model: dict, unknown: int = 0) -> None:
    """All nodes except this many are known, and in their places."""
    told = model["reference"]
    assert (told["matched"], told["unmatched"]) == (model["nodes"] - unknown, unknown), told
    metric = model["metrics"][CALLS]
    assert (metric["count"], metric["of"]) == (0, model["nodes"] - unknown), metric
    assert not found(model)


# ---- correct tags -------------------------------------------------------------------------------------


@case_for_each(CASES, name="/".join)
def knows_all_nodes(case):
    name, mode = case
    with scratch() as folder:
        pt, flags = folder / "model.pt", NUMBERS.get(name, [])
        reference_models.save(name, mode, pt)
        export(pt, folder / "model.onnx", *flags)
        check_known(measure(folder / "model.onnx", pt, *flags))


@case_for_each(("bert-tiny", "transformer-scripted", "transformer-traced"))
def knows_the_committed_models(name):
    with scratch() as folder:
        pt = ROOT / "models" / f"{name}.pt"
        export(pt, folder / "model.onnx")
        check_known(measure(folder / "model.onnx", pt))


@case_for_each_model([model for model in FIDELITY if model.name in WHOLE])
def knows_whole_models(model):
    skip_unless_loadable(model)
    with scratch() as folder:
        flags = input_flags(model)
        export(torchscript(model), folder / "model.onnx", *flags)
        check_known(measure(folder / "model.onnx", torchscript(model), *flags))


class Passing(torch.nn.Module):
    def forward(self, x):
        y = torch.tanh(x)
        return y, y, y


@case
def does_not_know_what_serves_no_operator():
    with scratch() as folder:
        pt = save(Passing(), (torch.ones(2),), "scripted", folder / "model.pt")
        export(pt, folder / "model.onnx", "--input", "x:float32[2]")
        check_known(measure(folder / "model.onnx", pt, "--input", "x:float32[2]"), PASSED_ON)


@case
def leaves_nothing_beside_the_model():
    with scratch() as folder:
        pt = folder / "model.pt"
        reference_models.save("twice", "traced", pt)
        export(pt, folder / "model.onnx")
        before = sorted(folder.iterdir())
        measure(folder / "model.onnx", pt)
        assert sorted(folder.iterdir()) == before


# ---- moved nodes ------------------------------------------------------------------------------------


def move(model, path: str, to: str) -> set:
    """Tags all nodes of one module, and of those below it, with another one. @return their names"""
    records = {record["path"]: record for record in facts.module_tree(model)}
    moved = set()
    for node in facts.all_nodes(model):
        if not facts.is_at_or_below(facts.tag_of(node), records[path]["tag"]):
            continue
        moved.add(node.name)
        for kind in ("tag", "full_tag"):
            old, new = records[path][kind], records[to][kind]
            for attribute in node.attribute:
                if kind == "tag" and attribute.name == "__source_module":
                    attribute.s = attribute.s.replace(old.encode(), new.encode(), 1)
            for entry in node.metadata_props:
                if entry.key == ("source_module" if kind == "tag" else "full_tag"):
                    entry.value = entry.value.replace(old, new, 1)
    return moved


MOVES = [
    ("twice", "traced", "shared", "other"), ("twice", "scripted", "other", "shared"),
    ("layers", "scripted", "first.0", "first.2"), ("layers", "traced", "second.2", "first.1"),
    ("control", "scripted", "warm", "cold"), ("control", "scripted", "step", "inner.1"),
    ("functions", "traced", "one", "two"), ("functions", "scripted", "two.functions.a", "one.functions.a"),
    ("sharing", "traced", "user.used", "user.own"), ("interfaces", "scripted", "b.shape", "a.shape.block"),
    ("forked", "scripted", "a", "b"), ("collecting", "scripted", "b", "a"),
]


@case_for_each(MOVES, name="/".join)
def finds_what_was_moved(case):
    name, mode, path, to = case
    with scratch() as folder:
        pt, flags = folder / "model.pt", NUMBERS.get(name, [])
        reference_models.save(name, mode, pt)
        export(pt, folder / "model.onnx", *flags)
        model = onnx.load(str(folder / "model.onnx"))
        moved = move(model, path, to)
        onnx.save(model, str(folder / "moved.onnx"))
        measured = measure(folder / "moved.onnx", pt, *flags)
        assert moved and found(measured) == moved, (moved ^ found(measured))
        assert measured["metrics"][CALLS]["count"] == len(moved), measured["metrics"][CALLS]


# ---- files of strangers --------------------------------------------------------------------------------


class Doubling(torch.nn.Module):
    """Runs its child twice, which does the same."""

    def __init__(self, depth: int):
        super().__init__()
        self.inner = Doubling(depth - 1) if depth > 0 else torch.nn.Tanh()

    def forward(self, x):
        return self.inner(self.inner(x))


class Guarded(torch.nn.Module):
    """Calls 2^40 modules in a branch that no input takes."""

    def __init__(self):
        super().__init__()
        self.last = Doubling(40)

    def forward(self, x):
        if x.size(0) > 100:
            x = self.last(x)
        return torch.tanh(x)


@case
def refuses_what_is_too_large_with_all_calls_inlined():
    with scratch() as folder:
        pt = save(Guarded(), (), "scripted", folder / "model.pt")
        flags = ("--input", "x:float32[2]")
        export(pt, folder / "model.onnx", *flags)
        result = run("quality", folder / "model.onnx", "--reference", pt, *flags)
        assert result.returncode == EXIT_UNSUPPORTED, result
        [line] = result.stderr.splitlines()
        assert "with all calls inlined, the program has more than" in line, line
