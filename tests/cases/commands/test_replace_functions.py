"""`replace` in models with functions: what the module has nothing to do with stays a function, byte for byte, and the rest
is what `replace` makes of the flat model."""

from pathlib import Path

import numpy
import onnx
import onnx.inliner
from onnx import TensorProto, helper

from commands import NO_SHIM, ask, facts, tags_of
from custom_nodes import add_functions, walk
from exporters import ours
from function_pairs import F, OPSETS, PAIRS, constant, function, model, node, typed, weight
from functions_match import match
from functions_reading import read
from harness import (
    EXIT_OK, EXIT_USAGE, case, case_for_each, export, exported, run, scratch, skip_unless_loadable,
)
from models.make import example_inputs
from models.table import ALL
from numbers_check import session
from test_bad_input import check_line
from test_extract import NETWORKS, arrays_of, extract, inputs_of, is_equal, network
from test_inlined import numbers_of
from test_replace import OPERATOR

MODULES = {
    "bert-tiny": ("encoder.layer.1", "encoder.layer.0.attention.self", "embeddings", "encoder"),
    "gpt2-sdpa": ("transformer.h.1.attn",),
    "resnet18": ("layer1.0", "layer2"),
    "transformer-scripted": ("Block.0",),
}
FLAGS = {"shared": ("--functions",), "own": ("--functions", "--functions-per", "instance")}


def messages(found) -> list:
    return [m.SerializeToString() for m in found]


def check_kept(file: Path, out: Path, told: dict) -> None:
    """Functions that are left, and nodes of the graph outside of the modules, keep their bytes."""
    before, after = (onnx.load(f, load_external_data=False) for f in (file, out))
    functions = messages(before.functions)
    assert [f for f in functions if f in messages(after.functions)] == messages(after.functions)
    assert len(after.functions) == told["kept_functions"]
    called = {(n.domain, n.op_type) for f in (after.graph, *after.functions) for n in walk(f)}
    assert {(f.domain, f.name) for f in after.functions} <= called
    assert [o for o in messages(after.opset_import) if o in messages(before.opset_import)] == messages(before.opset_import)
    onnx.checker.check_model(str(out))
    assert run("validate", out, env=NO_SHIM).returncode == EXIT_OK, run("validate", out).stdout


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


@case_for_each([(name, per) for name in MODULES for per in FLAGS])
def modules_of_models(given):
    name, per = given
    skip_unless_loadable(ALL[name])
    file = exported(ALL[name], *FLAGS[per])
    feeds = inputs_of(file, [t.numpy() for t in example_inputs(ALL[name], ALL[name].others[-1], seed=5)])
    for address in MODULES[name]:
        with scratch() as folder:
            check_module(file, address, feeds, folder)


@case_for_each([(name, per) for name in NETWORKS for per in FLAGS])
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
            if module["nodes_total"] == 0 or made.returncode != EXIT_OK or checked == 5:
                continue
            calls = [m["call"] for m in facts("replace", file, "--module", address, "--op", OPERATOR, "--out",
                                              folder / "o.onnx")["modules"]]
            for call in calls if len(calls) > 1 else [None]:
                if call is not None or len(calls) == 1:
                    check_module(file, address, feeds, folder, *(() if call is None else ("--call", str(call))))
                    checked += 1
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


# ---- models written by hand ------------------------------------------------------------------------


def replaced(folder: Path, made, *options) -> onnx.ModelProto:
    """Replaces module A by an operator, as `replace` does in the flat model."""
    onnx.checker.check_model(made)
    onnx.save(made, folder / "m.onnx")
    ask("inline", folder / "m.onnx", "--out", folder / "flat.onnx")
    check_like_flat(folder / "m.onnx", folder / "r.onnx", folder / "flat.onnx", "--module", "A", *(options or ("--op", OPERATOR)))
    return onnx.load(folder / "r.onnx")


@case
def a_call_that_would_be_on_a_cycle():
    """It makes what the module reads, and reads what the module makes: only its nodes can be ordered."""
    two = function("Two", "a b", "c d", [node("Neg", "a", "c", "n"), node("Abs", "b", "d", "m")])
    nodes = [node("Exp", "x", "h", "e", "/Net/A"), node("p::Two", "x h", "c d", "t", "/Net"),
             node("Mul", "c h", "k", "o", "/Net/A"), node("Add", "k d", "y", "z", "/Net")]
    with scratch() as folder:
        made = replaced(folder, model(nodes, functions=[two], infos=[typed(n, "n", 3) for n in "hcdk"]))
        assert [n.op_type for n in made.graph.node] == ["Neg", "Fused", "Abs", "Add"] and not made.functions


@case
def a_call_whose_function_ignores_an_input():
    """The weight stays that the call names, and so does the order."""
    first = function("First", "a b", "c", [node("Neg", "a", "c", "n")])
    nodes = [node("Mul", "x w", "h", "m", "/Net/A"), node("p::First", "x w", "c", "f", "/Net"),
             node("Add", "h c", "y", "z", "/Net")]
    with scratch() as folder:
        weights = [weight("w", [1, 2, 3])]
        part = model([node("Neg", "x", "out", "n")], outputs=[typed("out", "n", 3)])
        onnx.save(part, folder / "part.onnx")
        made = replaced(folder, model(nodes, weights, functions=[first]), "--by", folder / "part.onnx")
        assert [i.name for i in made.graph.initializer] == ["w"] and [f.name for f in made.functions] == ["First"]
        session(folder / "r.onnx")


@case
def constants_of_functions():
    """They become initializers only for nodes that are inlined."""
    inner = function("Inner", "a", "c", [constant("two", [2]), node("Mul", "a two", "c", "Mul")])
    outer = function("Outer", "a", "c", [constant("three", [3]), node("p::Inner", "a", "b", "in"),
                                         node("Add", "b three", "d", "Add", "/Net/A"), node("Neg", "d", "c", "Neg")])
    nodes = [node("p::Outer", "x", "h", "o", "/Net"), node("p::Inner", "h", "y", "i", "/Net")]
    with scratch() as folder:
        made = replaced(folder, model(nodes, functions=[inner, outer]))
        assert [n.op_type for n in made.graph.node] == ["Inner", "Fused", "Neg", "Inner"]
        assert not made.graph.initializer and [f.name for f in made.functions] == ["Inner"]
        custom = made.graph.node[1]
        assert [a.name for a in custom.attribute if a.name.startswith("Add")] == ["Add_input_1"]


@case
def calls_in_bodies():
    """A call beside the module in a body stays, and so does a branch that has nothing of it."""
    block = function("Block", "a", "c", [node("Neg", "a", "c", "n")])
    then = helper.make_graph([node("p::Block", "x", "p", "b1", "/Net"), node("Exp", "p", "q", "e", "/Net/A"),
                              node("p::Block", "q", "r", "b2", "/Net")], "then", [], [typed("r", "n", 3)])
    other = helper.make_graph([node("p::Block", "x", "s", "b3", "/Net")], "else", [], [typed("s", "n", 3)])
    alone = helper.make_graph([node("p::Block", "h", "t", "b4", "/Net")], "then", [], [typed("t", "n", 3)])
    last = helper.make_graph([node("Abs", "h", "u", "b5", "/Net")], "else", [], [typed("u", "n", 3)])
    nodes = [node("If", "f", "h", "if", "/Net", attributes={"then_branch": then, "else_branch": other}),
             node("If", "f", "y", "if2", "/Net", attributes={"then_branch": alone, "else_branch": last})]
    with scratch() as folder:
        whole = model(nodes, functions=[block], inputs=[typed("x", "n", 3), typed("f", kind=TensorProto.BOOL)])
        made = replaced(folder, whole)
        bodies = [[n.op_type for n in a.g.node] for n in made.graph.node for a in n.attribute if a.name.endswith("branch")]
        assert sorted(bodies) == [["Abs"], ["Block"], ["Block"], ["Block", "Fused", "Block"]], bodies
        assert made.graph.node[1] == whole.graph.node[1] and len(made.functions) == 1


@case
def names_of_calls_that_move_out_of_a_function():
    """Two calls of it would have one name."""
    inner = function("Inner", "a", "c", [node("Neg", "a", "c", "n")])
    outer = function("Outer", "a", "c", [node("p::Inner", "a", "b", "in"), node("Exp", "b", "d", "e", "/Net/A"),
                                         node("p::Inner", "d", "c", "in#1")])
    nodes = [node("p::Outer", "x", "h", "o", "/Net"), node("Abs", "h", "y", "o/in", "/Net")]
    with scratch() as folder:
        made = replaced(folder, model(nodes, functions=[inner, outer]))
        names = [n.name for n in made.graph.node]
        assert len(names) == len(set(names)) == 4 and "o/in" in names, names


@case
def external_data_in_functions():
    """The file with such data is written flat, and its data are right."""
    block = function("Block", "a", "c", [constant("w", [1, 2, 3]), node("Mul", "a w", "c", "m")])
    nodes = [node("p::Block", "x", "h", "b", "/Net/B"), node("Add", "h v", "y", "a", "/Net/A")]
    with scratch() as folder:
        made = model(nodes, [weight("v", [5, 6, 7])], functions=[block])
        data = made.functions[0].node[0].attribute[0].t
        assert made.functions[0].node[0].op_type == "Constant" and data.raw_data
        (folder / "w.bin").write_bytes(data.raw_data)
        data.ClearField("raw_data")
        data.data_location = TensorProto.EXTERNAL
        data.external_data.add(key="location", value="w.bin")
        onnx.save(made, folder / "m.onnx")
        extract(folder / "m.onnx", folder / "part.onnx", "--module", "A", "--external-data", "never")
        told = facts("replace", folder / "m.onnx", "--module", "A", "--by", folder / "part.onnx", "--out", folder / "r.onnx")
        assert (told["kept_functions"], told["inlined_functions"]) == (0, 1) and told["external_bytes"] == 12
        x = numpy.ones((2, 3), numpy.float32)
        assert (session(folder / "r.onnx").run(None, {"x": x})[0] == [[6, 8, 10]] * 2).all()


@case
def imports_of_functions_that_are_inlined():
    """A domain that only they import."""
    opsets = [*OPSETS, helper.make_opsetid("com.microsoft", 1)]
    block = function("Block", "a", "c", [node("Exp", "a", "b", "e", "/Net/A"), node("com.microsoft::Gelu", "b", "c", "g")],
                     opsets=opsets)
    with scratch() as folder:
        made = replaced(folder, model([node("p::Block", "x", "y", "b", "/Net")], functions=[block]))
        assert ("com.microsoft", 1) in [(o.domain, o.version) for o in made.opset_import]


@case
def functions_of_other_versions_stay():
    """A function that cannot be inlined is no obstacle to replacing something else."""
    old = function("Old", "a", "c", [node("Neg", "a", "c", "n", "/Net")], opsets=[helper.make_opsetid("", 13)])
    block = function("Block", "a", "c", [node("Exp", "a", "b", "e", "/Net/A"), node("p::Old", "b", "c", "o")])
    with scratch() as folder:
        onnx.save(model([node("p::Block", "x", "y", "b", "/Net")], functions=[old, block]), folder / "m.onnx")
        told = facts("replace", folder / "m.onnx", "--module", "A", "--op", OPERATOR, "--out", folder / "r.onnx")
        check_kept(folder / "m.onnx", folder / "r.onnx", told)
        assert [f.name for f in onnx.load(folder / "r.onnx").functions] == ["Old"]


@case
def an_operator_that_is_a_function():
    block = function("Block", "a", "c", [node("Neg", "a", "c", "n")])
    with scratch() as folder:
        onnx.save(model([node("p::Block", "x", "h", "b", "/Net/B"), node("Abs", "h", "y", "a", "/Net/A")], functions=[block]),
                  folder / "m.onnx")
        for op, why in (("p:Block", "p:Block is a function of the model"), ("p:Other@2", "imports version 1 of 'p', not 2")):
            check_line(run("replace", folder / "m.onnx", "--module", "A", "--op", op, "--out", folder / "r.onnx"), EXIT_USAGE, why)
        ask("replace", folder / "m.onnx", "--module", "A", "--op", "p:Other", "--out", folder / "r.onnx")


@case
def functions_of_parts():
    """They are inlined, whatever names the model's have. One that cannot be comes along, once."""
    fun = function("Fun", "a", "c", [node("Neg", "a", "c", "n", "/Net")])
    other = function("Fun", "a", "c", [node("Abs", "a", "c", "n", "/Net")])
    old = [function("Old", "a", "c", [node(op, "a", "c", "n", "/Net")], opsets=[helper.make_opsetid("", 17)])
           for op in ("Neg", "Abs")]
    nodes = [node("Exp", "x", "h", "e", "/Net/A"), node("p::Fun", "h", "y", "f", "/Net")]
    out = [typed("out", "n", 3)]
    with scratch() as folder:
        file, part = folder / "m.onnx", folder / "part.onnx"
        chosen = ("--module", "A", "--by", part, "--out", folder / "r.onnx")
        onnx.save(model(nodes, functions=[fun]), file)
        x = numpy.array([[-1, 0, 2]], numpy.float32)
        for functions, kept in (([other], ["Fun"]), ([old[0]], ["Fun", "Old"])):
            call = node(f"p::{functions[0].name}", "x", "out", "c")
            onnx.save(model([call], functions=functions, outputs=out), part)
            told = facts("replace", file, *chosen)
            made = onnx.load(folder / "r.onnx")
            assert [f.name for f in made.functions] == kept and told["kept_functions"] == len(kept)
            assert made.functions[0] == fun
            onnx.checker.check_model(made)
            got = session(folder / "r.onnx").run(None, {"x": x})[0]
            assert (got == (-abs(x) if functions == [other] else x)).all()
        onnx.save(made, folder / "two.onnx")  # the part once more
        facts("replace", folder / "two.onnx", *chosen)
        assert [f.name for f in onnx.load(folder / "r.onnx").functions] == kept
        (folder / "r.onnx").unlink()
        made.functions[1].CopyFrom(old[1])
        onnx.save(made, folder / "two.onnx")
        plain = model([node("p::Fun", "x", "out", "c")], outputs=out, opsets=OPSETS)
        early = model([node("Exp", "x", "y", "e", "/Net/A")])
        early.ir_version = 7
        onnx.save(early, folder / "early.onnx")
        check_line(run("replace", folder / "two.onnx", *chosen), EXIT_USAGE, "function p::Old is another one in")
        check_line(run("replace", folder / "early.onnx", *chosen), EXIT_USAGE, "IR version 7")
        onnx.save(plain, part)
        check_line(run("replace", file, *chosen), EXIT_USAGE, "is p::Fun, which is a function of")
        assert not (folder / "r.onnx").exists()
