"""Sizes, positions and masks that several modules compute from the same values are computed once."""

import json
from pathlib import Path

import numpy
import onnx

import numbers_check
from commands import ask, facts
from harness import EXIT_OK, EXIT_USAGE, INTO, case, case_for_each, export, made_by, run, scratch
from test_bad_input import check_line
from test_extract import check_contents, check_numbers, extract, is_equal, through_the_whole, walk
from test_split import check as check_split

MAKER = Path(__file__).resolve().parents[2] / "custom" / "sharing.py"
INPUTS = ("--input", "x:float32[b=2,s=5,6]", "--input", "ids:int64[b=2,s=5]")
NETWORKS = ("layers", "twice", "branches", "masks")
LAYERS = [f"/Layers/Layer.{n}" for n in range(3)]


def stored(name: str):
    return numpy.load(made_by((MAKER,), INTO) / f"{name}.npz")


def archive(name: str) -> Path:
    return made_by((MAKER,), INTO) / f"{name}.pt"


def written(name: str, path: Path, *flags) -> Path:
    export(archive(name), path, *INPUTS, *flags)
    return path


def feeds(name: str, rows: int) -> dict:
    return {"x": stored(name)[f"x{rows}"], "ids": stored(name)[f"ids{rows}"]}


def exported(name: str, path: Path, *flags) -> onnx.ModelProto:
    """The model, which is right at both sizes, and valid."""
    written(name, path, *flags)
    onnx.checker.check_model(str(path), full_check=True)
    for is_optimised in (False, True):
        session = numbers_check.session(path, is_optimised)
        for rows in (2, 3):
            got = session.run(None, feeds(name, rows))
            numbers_check.assert_close(got, [stored(name)[f"y{rows}"]], f"{name}, {rows} rows")
    found = run("validate", path)
    assert found.returncode == EXIT_OK, found.stdout
    return onnx.load(path)


def tags(node) -> tuple:
    """The first tag, and all of them."""
    attributes = {item.name: item for item in node.attribute}
    first = attributes["__source_module"].s.decode()
    more = attributes.get("__hierarchy_tags")
    return first, [tag.decode() for tag in more.strings] if more else [first]


def of_type(model: onnx.ModelProto, op_type: str) -> list:
    return [node for node in walk(model.graph) if node.op_type == op_type]


@case_for_each(NETWORKS)
def numbers(name):
    with scratch() as folder:
        once = exported(name, folder / "x.onnx")
        often = exported(name, folder / "y.onnx", "--share", "module")
    assert len(list(walk(once.graph))) < len(list(walk(often.graph))), name


@case
def masks_are_computed_once():
    with scratch() as folder:
        once = exported("layers", folder / "x.onnx")
        often = exported("layers", folder / "y.onnx", "--share", "module")
    (mask,) = of_type(once, "And")
    masks = [f"{layer}/Mask" for layer in LAYERS]
    assert tags(mask) == (masks[0], masks)
    assert [tags(node) for node in of_type(often, "And")] == [(tag, [tag]) for tag in masks]
    assert len(of_type(once, "Range")) == 1 and len(of_type(often, "Range")) == 3
    for node in of_type(once, "MatMul") + of_type(once, "Softmax") + of_type(once, "Where"):
        assert len(tags(node)[1]) == 1, node.name


@case
def it_stands_before_its_first_reader():
    with scratch() as folder:
        model = exported("layers", folder / "x.onnx")
    place = {name: n for n, node in enumerate(model.graph.node) for name in node.output}
    for n, node in enumerate(model.graph.node):
        assert all(place.get(name, -1) < n for name in node.input), node.name
        first, listed = tags(node)
        if len(listed) > 1:
            readers = [r for r in model.graph.node if set(r.input) & set(node.output)]
            assert tags(readers[0])[0] in (first, first.rpartition("/")[0]), node.name


@case
def a_module_that_runs_twice_lists_its_calls():
    with scratch() as folder:
        (mask,) = of_type(exported("twice", folder / "x.onnx"), "And")
    assert tags(mask)[1] == ["/Twice/Layer.layer/Mask", "/Twice/Layer.last/Mask"]
    assert next(p.value for p in mask.metadata_props if p.key == "call") == "0, 1"


@case
def bodies_share_with_what_is_around_them_alone():
    """Neither the other body nor later nodes may read a body's values."""
    with scratch() as folder:
        model = exported("branches", folder / "x.onnx")
    inside = [[n for n in walk(a.g) if n.op_type == "And"]
              for n in of_type(model, "If") for a in n.attribute if a.name.endswith("_branch")]
    outside = [n for n in model.graph.node if n.op_type == "And"]
    assert [len(nodes) for nodes in inside] == [1, 1] and len(outside) == 2, (inside, outside)
    for node in [n for nodes in inside for n in nodes] + outside:
        assert len(tags(node)[1]) == 1, tags(node)
    calls = [p.value for n in outside for p in n.metadata_props if p.key == "call"]
    assert calls == ["0, 1"], calls


# ---- parts -----------------------------------------------------------------------------------------


def check_part(whole: Path, folder: Path, name: str, *options) -> dict:
    told = extract(whole, folder / "part.onnx", *options)
    values = through_the_whole(whole, feeds(name, 3), folder)
    check_numbers(folder / "part.onnx", told, values)
    check_contents(folder / "part.onnx", whole, told)
    return told


@case_for_each(LAYERS)
def parts_have_their_own(tag):
    with scratch() as folder:
        whole = written("layers", folder / "x.onnx")
        told = check_part(whole, folder, "layers", "--module", tag)
        assert "ids" in [i["name"] for i in told["inputs"]]
        assert len(told["inputs"]) == 2 and len(told["outputs"]) == 1, told
        apart = written("layers", folder / "y.onnx", "--share", "module")
        assert extract(apart, folder / "apart.onnx", "--module", tag)["nodes"] == told["nodes"]


@case_for_each(("0", "1"))
def calls_have_their_own(call):
    with scratch() as folder:
        whole = written("twice", folder / "x.onnx")
        told = check_part(whole, folder, "twice", "--module", "layer", "--call", call)
        assert len(told["inputs"]) == 2 and len(told["outputs"]) == 1, told


@case
def a_module_of_nothing_else_is_cut_out():
    with scratch() as folder:
        whole = written("masks", folder / "x.onnx")
        told = check_part(whole, folder, "masks", "--module", "a")
        assert [i["name"] for i in told["inputs"]] == ["ids"] and len(told["outputs"]) == 1, told


@case_for_each(("layers", "twice"))
def models_are_split(name):
    with scratch() as folder:
        whole = written(name, folder / "x.onnx")
        told = check_split(whole, feeds(name, 3), "--depth", "1")
        for part in told["parts"]:
            assert not [o for o in part["outputs"] if "Shape" in o["name"]], part


SHARED = {"layers": ("layers.1.mask", "layers.0.mask"), "masks": ("b", "a")}


@case_for_each(SHARED)
def what_is_shared_alone_is_no_part(name):
    """Each part gets its own copy; the module that computes the value can be extracted, and messages about the others
    say so."""
    other, first = SHARED[name]
    with scratch() as folder:
        whole = written(name, folder / "x.onnx")
        for address in (first, other):
            check_line(run("split", whole, "--at", address, "--out-dir", folder / "parts"), EXIT_USAGE,
                       "cannot be a part: all that it computes, as /")
        check_line(run("extract", whole, "--module", other, "--out", folder / "part.onnx"), EXIT_USAGE,
                   f"'{other}' has no nodes of its own: it shares them with '/")
        apart = written(name, folder / "y.onnx", "--share", "module")
        check_split(apart, feeds(name, 3), "--at", other)
        check_part(apart, folder, name, "--module", other)


# ---- judged ----------------------------------------------------------------------------------------


@case_for_each(NETWORKS)
def tags_are_right(name):
    """By the independent call oracle; and each module is one region, as if it had its own copy."""
    with scratch() as folder:
        measured = []
        for flags in ((), ("--share", "module")):
            file = written(name, folder / "x.onnx", *flags)
            told = json.loads(ask_with_libtorch("quality", file, "--reference", archive(name)))
            (model,) = told["models"]
            measured.append(model["metrics"])
    for metrics in measured:
        for oracle in ("weights", "calls", "structure"):
            assert metrics[f"contamination.{oracle}"]["count"] == 0, metrics
        assert metrics["coverage"]["percent"] == 100, metrics
    apart = [m["cohesion"]["of"] - m["cohesion"]["count"] for m in measured]
    assert apart[0] == apart[1], measured


def ask_with_libtorch(*arguments) -> str:
    result = run(*arguments, "--json")
    assert result.returncode == EXIT_OK, result
    return result.stdout


@case_for_each(NETWORKS)
def functions_share_within_their_bodies(name):
    """Inlined, they equal the flat model whose modules share nothing."""
    with scratch() as folder:
        written(name, folder / "f.onnx", "--functions")
        ask("inline", folder / "f.onnx", "--out", folder / "inlined.onnx")
        flat = written(name, folder / "flat.onnx", "--share", "module")
        assert (folder / "inlined.onnx").read_bytes() == flat.read_bytes()
