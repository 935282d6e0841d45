"""`replace` in models with functions: what the module has nothing to do with stays a function, byte for byte, and the rest
is what `replace` makes of the flat model."""

import json
from pathlib import Path

import numpy
import onnx
import onnx.inliner

from commands import NO_SHIM, ask, facts, tags_of
from custom_nodes import add_functions, walk
from exporters import ours
from function_pairs import PAIRS
from functions_match import match
from functions_reading import read
from harness import (
    EXIT_OK, EXIT_USAGE, case, case_for_each, export, exported, run, scratch, skip_unless_loadable,
)
from models.make import example_inputs
from models.table import ALL
from numbers_check import session
from test_extract import NETWORKS, arrays_of, extract, inputs_of, is_equal, network
from test_inlined import numbers_of
from test_replace import OPERATOR

MODULES = {
    "bert-tiny": ("encoder.layer.1", "encoder.layer.0.attention.self", "embeddings", "encoder"),
    "gpt2-sdpa": ("transformer.h.1.attn",),
    "resnet18": ("layer1.0",),
    "transformer-scripted": ("Block.0",),
}
FLAGS = {"shared": ("--functions",), "own": ("--functions", "--functions-per", "instance")}
DEAREST = ("gpt2-sdpa", "resnet18", "t5")  # one kind of functions is enough


def messages(found) -> list:
    return [m.SerializeToString() for m in found]


def check_kept(file: Path, out: Path, told: dict) -> None:
    """Functions that are left, and nodes of the graph outside of the modules, keep their bytes."""
    before, after = (onnx.load(f, load_external_data=False) for f in (file, out))
    left = messages(after.functions)
    assert [f for f in messages(before.functions) if f in set(left)] == left
    assert len(after.functions) == told["kept_functions"]
    called = {(n.domain, n.op_type) for f in (after.graph, *after.functions) for n in walk(f)}
    assert {(f.domain, f.name) for f in after.functions} <= called
    check_nodes(before, after, told)
    assert [o for o in messages(after.opset_import) if o in messages(before.opset_import)] == messages(before.opset_import)
    onnx.checker.check_model(str(out))
    assert run("validate", out, env=NO_SHIM).returncode == EXIT_OK, run("validate", out).stdout


def check_nodes(before: onnx.ModelProto, after: onnx.ModelProto, told: dict) -> None:
    """Nodes may change if they are calls, or in a module, or have bodies. Others may go if nothing reads them."""
    functions = {(f.domain, f.name) for f in before.functions}
    left = set(messages(after.graph.node))
    needed = {v for n in walk(after.graph) for v in n.input} | {o.name for o in after.graph.output}
    modules = tuple(m["module"] for m in told["modules"])
    for node, whole in zip(before.graph.node, messages(before.graph.node)):
        tags = [p.value for p in node.metadata_props if p.key in ("source_module", "full_tag")]
        may_change = ((node.domain, node.op_type) in functions or any(a.g.node or a.graphs for a in node.attribute)
                      or any((tag + "/").startswith(m + "/") for tag in tags for m in modules))
        assert whole in left or may_change or not needed.intersection(node.output), node.name


def check_like_flat(file: Path, out: Path, flat: Path, *options) -> dict:
    """The answer, and the result once it is flat, are those for the flat model."""
    told = facts("replace", file, *options, "--out", out)
    plain = facts("replace", flat, *options, "--out", flat.with_name("flat-replaced.onnx"))
    assert told["modules"] == plain["modules"]
    check_kept(file, out, told)
    ask("inline", out, "--out", out.with_name("inlined.onnx"))
    a, b = (onnx.load(out.with_name(n)) for n in ("inlined.onnx", "flat-replaced.onnx"))
    match(read(a), read(b))
    assert tags_of(out.with_name("inlined.onnx")) == tags_of(out.with_name("flat-replaced.onnx"))
    return told


def check_module(file: Path, address: str, feeds: dict, folder: Path, *call) -> None:
    """By its own part: the same numbers and topology. By an operator: the numbers with that part as a function."""
    ask("inline", file, "--out", folder / "flat.onnx")
    cut = extract(file, folder / "part.onnx", "--module", address, *call, "--external-data", "never")
    wanted = session(file, optimised=False).run(None, feeds)
    chosen = ("--module", address, *call)
    told = check_like_flat(file, folder / "back.onnx", folder / "flat.onnx", *chosen, "--by", folder / "part.onnx")
    onnx.checker.check_model(str(folder / "back.onnx"), full_check=True)
    inlined = [onnx.inliner.inline_local_functions(onnx.load(f)) for f in (file, folder / "back.onnx")]
    match(*map(read, inlined))
    assert tags_of(file) == tags_of(folder / "back.onnx")
    check_like_flat(file, folder / "op.onnx", folder / "flat.onnx", *chosen, "--op", OPERATOR)
    runnable = add_functions(folder / "op.onnx", [onnx.load(folder / "part.onnx")], folder / "runnable.onnx")
    assert told["modules"][0]["replaced"] == cut["nodes"]
    for made in (folder / "back.onnx", runnable):
        got = session(made, optimised=False).run(None, feeds)
        assert len(got) == len(wanted) and all(map(is_equal, got, wanted)), (address, made.name)


@case_for_each([(name, per) for name in MODULES for per in FLAGS if per == "shared" or name not in DEAREST])
def modules_of_models(given):
    name, per = given
    skip_unless_loadable(ALL[name])
    file = exported(ALL[name], *FLAGS[per])
    feeds = inputs_of(file, [t.numpy() for t in example_inputs(ALL[name], ALL[name].others[-1], seed=5)])
    for address in MODULES[name]:
        with scratch() as folder:
            check_module(file, address, feeds, folder)


@case_for_each([(name, per) for name in NETWORKS for per in FLAGS if per == "shared" or name not in DEAREST])
def modules_of_networks(given):
    """Calls, bodies of control flow, modules that several calls around them count."""
    name, per = given
    with scratch() as folder:
        file = network(name, folder, *FLAGS[per])
        feeds = inputs_of(file, arrays_of(name))
        checked = 0
        for module in facts("inspect", file)["modules"][1:]:
            address = module["full_tag"] or module["tag"]
            made = run("replace", file, "--module", address, "--op", OPERATOR, "--out", folder / "o.onnx", "--json")
            if made.returncode != EXIT_OK:
                assert made.returncode == EXIT_USAGE, (address, made.stderr)
                continue
            calls = [m["call"] for m in json.loads(made.stdout)["modules"]]
            for call in calls if len(calls) > 1 else [None]:
                if call is not None or len(calls) == 1:
                    check_module(file, address, feeds, folder, *(() if call is None else ("--call", str(call))))
                    checked += 1
            if checked >= 5:
                break
        assert checked >= 1


@case
def one_layer_is_one_call():
    """Its node is replaced, and nothing else."""
    with scratch() as folder:
        file = folder / "m.onnx"
        export("models/bert-tiny.pt", file, "--functions=BertLayer")
        before = onnx.load(file)
        call = next(n for n in before.graph.node if n.name == "/encoder/layer.1")
        assert len(before.functions) == 1
        for by in (("--op", OPERATOR), ("--by", folder / "part.onnx")):
            extract(file, folder / "part.onnx", "--module", "encoder.layer.1")
            told = facts("replace", file, "--module", "encoder.layer.1", *by, "--out", folder / "r.onnx")
            assert (told["kept_functions"], told["inlined_functions"]) == (1, 0)
            assert "functions: 1 kept, 0 inlined" in ask("replace", file, "--module", "encoder.layer.1", *by, "--out",
                                                         folder / "r.onnx")
            after = onnx.load(folder / "r.onnx")
            left = [n for n in after.graph.node if n in list(before.graph.node)]
            assert messages(left) == messages(n for n in before.graph.node if n != call)
            assert len(after.graph.node) == len(left) + told["modules"][0]["nodes"]
            assert messages(after.functions) == messages(before.functions)
            if by[0] == "--op":
                custom = next(n for n in after.graph.node if n.domain == "my.domain")
                assert list(custom.output) == list(call.output) and set(custom.input) <= set(call.input)


@case
def two_layers_of_several():
    with scratch() as folder:
        (folder / "in").mkdir()
        file = ours(folder / "in", "--functions")
        ask("inline", file, "--out", folder / "flat.onnx")
        told = check_like_flat(file, folder / "r.onnx", folder / "flat.onnx", "--module", "encoder.layer.2", "--module",
                               "encoder.layer.5", "--op", OPERATOR)
        operators = [n.op_type for n in onnx.load(folder / "r.onnx").graph.node]
        assert operators.count("Layer") == 10 and operators.count("Fused") == 2 and told["inlined_functions"] == 1


@case
def all_layers():
    """The function goes with its last call."""
    with scratch() as folder:
        file = folder / "m.onnx"
        export("models/bert-tiny.pt", file, "--functions=BertLayer,BertPooler")
        told = facts("replace", file, "--module", "BertLayer", "--op", OPERATOR, "--out", folder / "r.onnx")
        assert (told["kept_functions"], told["inlined_functions"]) == (1, 0)
        assert [f.name for f in onnx.load(folder / "r.onnx").functions] == ["BertPooler"]


@case_for_each(PAIRS)
def files_of_other_exporters(name):
    """References to attributes, bodies, nested and repeated calls, values that are handed on, constants."""
    with scratch() as folder:
        file, flat = folder / "m.onnx", folder / "flat.onnx"
        for path, made in zip((file, flat), PAIRS[name]()):
            onnx.save(made, path)
        runs = name != "handed_on"  # ONNX Runtime refuses the file itself
        for module in facts("inspect", file)["modules"][1:]:
            chosen = ("--module", module["full_tag"] or module["tag"])
            if run("extract", file, *chosen, "--out", folder / "part.onnx").returncode != EXIT_OK:
                assert name == "repeated"
                continue
            check_like_flat(file, folder / "op.onnx", flat, *chosen, "--op", OPERATOR)
            told = check_like_flat(file, folder / "back.onnx", flat, *chosen, "--by", folder / "part.onnx")
            if runs and len(told["modules"]) == 1:
                assert all(map(numpy.array_equal, numbers_of(file), numbers_of(folder / "back.onnx")))
