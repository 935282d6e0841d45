"""`replace` in models with functions, written by hand: which calls stay, and what names, imports and functions then mean."""

from pathlib import Path

import numpy
import onnx
from onnx import TensorProto, helper

from commands import ask, facts
from custom_nodes import walk
from function_pairs import OPSETS, constant, function, model, node, typed, weight
from harness import EXIT_USAGE, case, run, scratch
from numbers_check import session
from test_bad_input import check_line
from test_extract import extract
from test_inlined import numbers_of
from test_replace import OPERATOR
from test_replace_functions import check_kept, check_like_flat


def replaced(folder: Path, made, *options) -> onnx.ModelProto:
    """Replaces module A by an operator, as `replace` does in the flat model."""
    onnx.checker.check_model(made)
    onnx.save(made, folder / "m.onnx")
    ask("inline", folder / "m.onnx", "--out", folder / "flat.onnx")
    check_like_flat(folder / "m.onnx", folder / "r.onnx", folder / "flat.onnx", "--module", "A", *(options or ("--op", OPERATOR)))
    return onnx.load(folder / "r.onnx")


def replaced_by_itself(folder: Path, made) -> tuple:
    """The same by what `extract` makes of the module, which keeps the numbers. Returns the facts of that part, too."""
    part = extract(folder / "m.onnx", folder / "part.onnx", "--module", "A")
    after = replaced(folder, made, "--by", folder / "part.onnx")
    assert all(map(numpy.array_equal, numbers_of(folder / "m.onnx"), numbers_of(folder / "r.onnx")))
    return part, after


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
def calls_behind_a_cycle():
    """They stay: only calls on it are inlined."""
    two = function("Two", "a b", "c d", [node("Neg", "a", "c", "n"), node("Abs", "b", "d", "m")])
    block = function("Block", "a", "c", [node("Neg", "a", "c", "n")])
    nodes = [node("Exp", "x", "h", "e", "/Net/A"), node("p::Two", "x h", "c d", "t", "/Net"),
             node("Mul", "c h", "k", "o", "/Net/A"), node("Add", "k d", "q", "z", "/Net"),
             node("p::Block", "q", "r", "b1", "/Net"), node("p::Block", "r", "y", "b2", "/Net")]
    with scratch() as folder:
        made = replaced(folder, model(nodes, functions=[two, block], infos=[typed(n, "n", 3) for n in "hcdkqr"]))
        assert [n.op_type for n in made.graph.node] == ["Neg", "Fused", "Abs", "Add", "Block", "Block"]
        assert [f.name for f in made.functions] == ["Block"]


@case
def cycles_in_many_bodies():
    """All bodies are ordered at once: time and memory are linear."""
    two = function("Two", "a b", "c d", [node("Neg", "a", "c", "n"), node("Abs", "b", "d", "m")])
    count = 400
    nodes = []
    for i in range(count):
        x, y, a = "x" if i == 0 else f"w{i}", "y" if i == count - 1 else f"w{i + 1}", f"/Net/A.{i}"
        then = [node("Exp", x, f"h{i}", f"e{i}", a), node("p::Two", f"{x} h{i}", f"c{i} d{i}", f"t{i}", "/Net"),
                node("Mul", f"c{i} h{i}", f"k{i}", f"o{i}", a), node("Add", f"k{i} d{i}", f"q{i}", f"z{i}", "/Net")]
        bodies = {"then_branch": helper.make_graph(then, "then", [], [typed(f"q{i}", "n", 3)]),
                  "else_branch": helper.make_graph([node("Neg", x, f"r{i}", f"s{i}", "/Net")], "else", [],
                                                   [typed(f"r{i}", "n", 3)])}
        nodes.append(node("If", "f", y, f"if{i}", "/Net", attributes=bodies))
    with scratch() as folder:
        whole = model(nodes, functions=[two], inputs=[typed("x", "n", 3), typed("f", kind=TensorProto.BOOL)])
        onnx.save(whole, folder / "m.onnx")
        told = facts("replace", folder / "m.onnx", "--module", "A.*", "--op", OPERATOR, "--out", folder / "r.onnx",
                     "--memory-limit", 300)
        assert len(told["modules"]) == count and (told["kept_functions"], told["inlined_functions"]) == (0, 1)
        check_kept(folder / "m.onnx", folder / "r.onnx", told)


@case
def modules_in_many_bodies():
    """Their borders are found at once: time and memory are linear."""
    count = 2000
    nodes = []
    for i in range(count):
        x, y = "x" if i == 0 else f"w{i}", "y" if i == count - 1 else f"w{i + 1}"
        then = [node("Exp", x, f"h{i}", f"e{i}", f"/Net/A.{i}"), node("Neg", f"h{i}", f"q{i}", f"z{i}", "/Net")]
        bodies = {"then_branch": helper.make_graph(then, "then", [], [typed(f"q{i}", "n", 3)]),
                  "else_branch": helper.make_graph([node("Neg", x, f"r{i}", f"s{i}", "/Net")], "else", [],
                                                   [typed(f"r{i}", "n", 3)])}
        nodes.append(node("If", "f", y, f"if{i}", "/Net", attributes=bodies))
    with scratch() as folder:
        onnx.save(model(nodes, inputs=[typed("x", "n", 3), typed("f", kind=TensorProto.BOOL)]), folder / "m.onnx")
        told = facts("replace", folder / "m.onnx", "--module", "A.*", "--op", OPERATOR, "--out", folder / "r.onnx",
                     "--memory-limit", 150)
        assert [len(m["inputs"]) for m in told["modules"]] == [1] * count, told["modules"][:2]
        onnx.checker.check_model(str(folder / "r.onnx"))


@case
def a_call_that_reads_what_is_gone():
    """Its function ignores a value of the module that nothing else reads."""
    first = function("First", "a b", "c", [node("Neg", "a", "c", "n")])
    nodes = [node("Exp", "x", "h", "e", "/Net/A"), node("Abs", "h", "k", "ab", "/Net/A"),
             node("p::First", "h k", "y", "f", "/Net")]
    with scratch() as folder:
        whole = model(nodes, functions=[first])
        made = replaced(folder, whole)
        assert [n.op_type for n in made.graph.node] == ["Fused", "Neg"] and not made.functions
        part, made = replaced_by_itself(folder, whole)
        assert part["nodes"] == 2 and [n.op_type for n in made.graph.node] == ["Exp", "Abs", "Neg"]


@case
def calls_that_hand_a_constant_on():
    """They make no value, and two of them would make one name."""
    two = function("Two", "a", "c", [constant("c", [2, 2, 2])])
    middle = function("Middle", "a", "b d", [node("p::Two", "a", "b", "k"), node("Neg", "a", "d", "n")])
    outer = function("Outer", "a", "c", [
        node("p::Middle", "a", "p p2", "m1"), node("Exp", "p2", "q", "e", "/Net/A"), node("p::Middle", "q", "r r2", "m2"),
        node("Add", "r r2", "s", "ad"), node("Mul", "s p", "c", "mu")])
    with scratch() as folder:
        whole = model([node("p::Outer", "x", "y", "o", "/Net")], functions=[two, middle, outer])
        assert "Middle" not in [f.name for f in replaced(folder, whole).functions]
        replaced_by_itself(folder, whole)


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
def names_of_calls_in_the_graph():
    """A call that moves out of a function does not get the name of one that was outside, before or after it."""
    inner = function("Inner", "a", "c", [node("Neg", "a", "c", "n")])
    outer = function("Outer", "a", "c", [node("p::Inner", "a", "b", "in"), node("Exp", "b", "c", "e", "/Net/A")])
    for calls in ([node("p::Outer", "x", "h", "o", "/Net"), node("p::Inner", "h", "y", "o/in", "/Net")],
                  [node("p::Inner", "x", "h", "o/in", "/Net"), node("p::Outer", "h", "y", "o", "/Net")]):
        with scratch() as folder:
            whole = model(calls, functions=[inner, outer])
            made = replaced(folder, whole)
            names = [n.name for n in made.graph.node]
            assert [n.op_type for n in made.graph.node].count("Inner") == 2 and len(set(names)) == 3, names
            assert next(n for n in calls if n.name == "o/in") in list(made.graph.node)


def put_beside(tensor, file: Path) -> None:
    """Appends the bytes of a tensor to a data file beside the model."""
    offset = file.stat().st_size if file.exists() else 0
    with file.open("ab") as out:
        out.write(tensor.raw_data + b"\0" * (-len(tensor.raw_data) % 64))
    for key, value in ("location", file.name), ("offset", str(offset)), ("length", str(len(tensor.raw_data))):
        tensor.external_data.add(key=key, value=value)
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL


def constants_in(made) -> list:
    """The tensors of Constant nodes in functions and in the graph and its bodies."""
    return [a.t for f in (*made.functions, made.graph) for n in walk(f) for a in n.attribute if a.HasField("t")]


def numbers_beside(folder: Path, name: str):
    """ONNX Runtime reads external data of initializers alone: those of a flat model."""
    ask("inline", folder / name, "--out", folder / f"flat-{name}")
    return session(folder / f"flat-{name}").run(None, {"x": numpy.ones((2, 3), numpy.float32)})[0]


def bodies_and_functions():
    """A function that is called twice, one that is called once, and a body with a constant and a call."""
    block = function("Block", "a", "c", [constant("w", [1, 2, 3]), node("Mul", "a w", "e", "m", "/Net/M/M"),
                                         node("Add", "e w", "c", "n", "/Net/M/N")])
    other = function("Other", "a", "c", [constant("u", [4, 5, 6]), node("p::Block", "a", "e", "o", "/Net/O"),
                                         node("Mul", "e u", "c", "m")])
    then = helper.make_graph([constant("t", [7, 8, 9]), node("p::Block", "g", "k", "b2", "/Net/T"), node("Mul", "k t", "q", "r")],
                             "then", [], [typed("q", "n", 3)])
    orelse = helper.make_graph([node("Neg", "g", "z", "s")], "else", [], [typed("z", "n", 3)])
    nodes = [node("p::Block", "x", "h", "b", "/Net/B"), node("p::Other", "h", "g", "o", "/Net/P"),
             node("If", "f", "d", "i", "/Net/I", attributes={"then_branch": then, "else_branch": orelse}),
             node("Add", "d v", "y", "a", "/Net/A")]
    flag = helper.make_tensor("f", TensorProto.BOOL, [], [True])
    return model(nodes, [weight("v", [5, 6, 7]), flag], functions=[block, other], infos=[typed(n, "n", 3) for n in "hgd"])


@case
def external_data_in_functions():
    """They stay beside the model, and functions stay: all of them, those that the module is not in, or those of which
    another call is inlined, whose constant is then an initializer, too."""
    rows = ((("A",), 2, 0, 3), (("P",), 1, 1, 3), (("M/M", "--call", "0"), 2, 1, 5))
    for files in (("w.bin",), ("w.bin", "more.bin")):
        for module, kept, inlined, count in rows:
            with scratch() as folder:
                made = bodies_and_functions()
                for i, tensor in enumerate([*constants_in(made), made.graph.initializer[0]]):
                    put_beside(tensor, folder / files[i % len(files)])
                onnx.save(made, folder / "m.onnx")
                wanted = numbers_beside(folder, "m.onnx")
                extract(folder / "m.onnx", folder / "part.onnx", "--module", *module, "--external-data", "never")
                told = facts("replace", folder / "m.onnx", "--module", *module, "--by", folder / "part.onnx", "--out",
                             folder / "r.onnx")
                after = onnx.load(folder / "r.onnx", load_external_data=False)
                assert (told["kept_functions"], told["inlined_functions"]) == (kept, inlined), told
                beside = [t for t in (*constants_in(after), *after.graph.initializer) if t.external_data]
                places = {tuple(e.value for e in t.external_data if e.key != "length") for t in beside}
                assert len(beside) == count and {name for name, _ in places} == {"r.onnx.data"}, beside
                assert told["external_bytes"] == (folder / "r.onnx.data").stat().st_size == 64 * len(places) - 52
                assert numpy.array_equal(numbers_beside(folder, "r.onnx"), wanted), (files, module)


@case
def external_data_of_a_part_and_of_a_function_that_is_not_called():
    """Both lie at the same place of a data file: that of the model, and that of the part."""
    functions = [function(name, "a", "c", [constant("w", value), node("Mul", "a w", "c", "m")])
                 for name, value in (("Never", [4, 5, 6]), ("Block", [1, 2, 3]))]
    nodes = [node("p::Block", "x", "h", "b", "/Net/B"), node("Add", "h v", "y", "a", "/Net/A")]
    with scratch() as folder:
        made = model(nodes, [weight("v", [5, 6, 7])], functions=functions)
        put_beside(constants_in(made)[0], folder / "w.bin")
        onnx.save(made, folder / "m.onnx")
        extract(folder / "m.onnx", folder / "part.onnx", "--module", "A", "--external-data", "never")
        part = onnx.load(folder / "part.onnx")
        part.graph.initializer[0].raw_data = numpy.array([50, 60, 70], numpy.float32).tobytes()
        put_beside(part.graph.initializer[0], folder / "part.bin")
        onnx.save(part, folder / "part.onnx")
        facts("replace", folder / "m.onnx", "--module", "A", "--by", folder / "part.onnx", "--out", folder / "r.onnx")
        after = onnx.load(folder / "r.onnx")
        tensors = [*constants_in(after), *after.graph.initializer]
        assert [numpy.frombuffer(t.raw_data, numpy.float32).tolist() for t in tensors] == [[4, 5, 6], [1, 2, 3], [50, 60, 70]]


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
def imports_that_only_a_staying_function_has():
    """Operators that take the place of the module need their own; so do calls that move out of a function."""
    opsets = [*OPSETS, helper.make_opsetid("com.microsoft", 1), helper.make_opsetid("q", 1)]
    block = function("Block", "a", "c", [node("com.microsoft::Gelu", "a", "c", "g")], opsets=opsets)
    nodes = [node("Exp", "x", "h", "e", "/Net/A"), node("p::Block", "h", "y", "b", "/Net")]
    with scratch() as folder:
        part = folder / "part.onnx"
        onnx.save(model([node("com.microsoft::Gelu", "x", "out", "c")], outputs=[typed("out", "n", 3)],
                        opsets=[OPSETS[0], opsets[2]]), part)
        for options in (("--by", part), ("--op", "com.microsoft:FastGelu"), ("--op", OPERATOR)):
            made = replaced(folder, model(nodes, functions=[block]), *options)
            domains = [o.domain for o in made.opset_import]
            assert len(set(domains)) == len(domains) and ("com.microsoft" in domains) == (options[-1] != OPERATOR)
            assert made.functions[0] == block
            if options[-1] != OPERATOR:
                session(folder / "r.onnx")
        inner = function("Inner", "a", "c", [node("Neg", "a", "c", "n")])
        inner.domain = "q"
        outer = function("Outer", "a", "c", [node("q::Inner", "a", "b", "in"), node("Exp", "b", "c", "e", "/Net/A")],
                         opsets=[*OPSETS, opsets[3]])
        made = replaced(folder, model([node("p::Outer", "x", "y", "o", "/Net")], functions=[inner, outer]))
        assert [n.op_type for n in made.graph.node] == ["Inner", "Fused"]
        assert [o.domain for o in made.opset_import].count("q") == 1


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


@case
def functions_of_parts_that_capture_operators():
    """A function that comes along names no operator of the model, nor the model's functions one of it."""
    old = function("Old", "a", "c", [node("Neg", "a", "c", "n", "/Net")], opsets=[helper.make_opsetid("", 17)])
    calling = function("Old", "a", "c", [node("p::Fun", "a", "c", "n", "/Net")],
                       opsets=[helper.make_opsetid("", 17), OPSETS[1]])
    calling.node.insert(0, node("Neg", "a", "b", "k", "/Net"))
    calling.node[1].input[0] = "b"
    fun = function("Fun", "a", "c", [node("Exp", "a", "c", "n", "/Net")])
    exp = node("Exp", "x", "h", "e", "/Net/A")
    with scratch() as folder:
        file, part = folder / "m.onnx", folder / "part.onnx"
        chosen = ("--module", "A", "--by", part, "--out", folder / "r.onnx")
        for whole, brought, why in (
                (model([exp, node("p::Old", "h", "y", "f", "/Net")], opsets=OPSETS), old,
                 "function p::Old is a custom operator in"),
                (model([exp, node("p::Fun", "h", "y", "f", "/Net")], functions=[fun]), calling,
                 "node 'n' is p::Fun, which is a function of")):
            onnx.save(whole, file)
            onnx.save(model([node("p::Old", "x", "out", "c")], functions=[brought], outputs=[typed("out", "n", 3)]), part)
            check_line(run("replace", file, *chosen), EXIT_USAGE, why)
            assert not (folder / "r.onnx").exists()
        onnx.save(model([node("p::Old", "x", "h", "e", "/Net/A"), node("Abs", "h", "y", "f", "/Net")], opsets=OPSETS), file)
        onnx.save(model([node("p::Old", "x", "out", "c")], functions=[old], outputs=[typed("out", "n", 3)]), part)
        ask("replace", file, *chosen)  # the operator goes
        assert [f.name for f in onnx.load(folder / "r.onnx").functions] == ["Old"]
