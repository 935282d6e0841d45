"""`extract` with nodes that have bodies: bodies go with their nodes, functions with their calls."""

from collections import Counter

import numpy
import onnx
import torch
from onnx import TensorProto, helper

from harness import EXIT_USAGE, INTO, case, case_for_each, export, made_by, run, scratch
from numbers_check import session
from test_bad_input import check_line
from test_extract import (
    MAKER, NETWORKS, X, Y, arrays_of, body, branching, extract, inputs_of, is_equal, network, node, save,
    walk,
)


def operators(model) -> Counter:
    return Counter(node.op_type for node in walk(model.graph))


@case_for_each(("control.gate", "control.block", "control.last", "residual.a", "residual.b"))
def a_part_is_a_direct_export(name):
    """Operator for operator, and its numbers are those of the module exported alone."""
    whole, module = name.split(".")
    pt = made_by((MAKER,), INTO) / f"{name}.pt"
    with scratch() as folder:
        file = network(whole, folder)
        told = extract(file, folder / "part.onnx", "--module", module)
        export(pt, folder / "alone.onnx", "--input", NETWORKS[whole][0])
        assert len(told["inputs"]) == len(told["outputs"]) == 1, told
        part, alone = (onnx.load(folder / f) for f in ("part.onnx", "alone.onnx"))
        assert operators(part) == operators(alone), (operators(part), operators(alone))
        onnx.checker.check_model(part, full_check=True)
        for seed in range(3):
            x = numpy.random.default_rng(seed).normal(size=(seed + 1, 6)).astype(numpy.float32)
            got, wanted = (
                runner.run(None, {runner.get_inputs()[0].name: x})[0]
                for runner in (session(folder / f, optimised=False)
                               for f in ("part.onnx", "alone.onnx")))
            assert is_equal(got, wanted), seed
            with torch.no_grad():
                eager = torch.jit.load(str(pt))(torch.from_numpy(x)).numpy()
            assert numpy.allclose(got, eager, atol=1e-6), seed


@case
def a_body_of_a_loop():
    """Carried values, and outer values that the body reads, are inputs."""
    with scratch() as folder:
        file = network("control", folder)
        told = extract(file, folder / "part.onnx", "--module", "step")
        assert [i["dtype"] for i in told["inputs"]] == ["float32", "int64"], told["inputs"]
        runner = session(folder / "part.onnx", optimised=False)
        model = torch.jit.load(str(made_by((MAKER,), INTO) / "control.pt")).step
        x = numpy.ones((3, 6), numpy.float32)
        with torch.no_grad():
            wanted = model(torch.from_numpy(x), 4).numpy()
        first, second = (i["name"] for i in told["inputs"])
        got = runner.run(None, {first: x, second: numpy.array(4)})[0]
        assert numpy.allclose(got, wanted, atol=1e-6)


@case
def bodies_go_with_their_nodes():
    """The root of a scripted model is all of it, captured values included."""
    with scratch() as folder:
        file = network("control", folder)
        told = extract(file, folder / "part.onnx", "--module", "/Control")
        whole = onnx.load(file)
        assert told["nodes"] == len(list(walk(whole.graph)))
        feeds = inputs_of(file, arrays_of("control"))
        a, b = (session(f, optimised=False).run(None, feeds) for f in (file, folder / "part.onnx"))
        assert is_equal(a[0], b[0])


@case
def what_bodies_read_from_outside():
    with scratch() as folder:
        file = branching(folder)
        told = extract(file, folder / "part.onnx", "--module", "/Net/A")
        assert [i["name"] for i in told["inputs"]] == ["n"], told
        assert [o["name"] for o in told["outputs"]] == ["t2"], told
        part = onnx.load(folder / "part.onnx").graph
        assert [n.op_type for n in part.node] == ["Constant", "Mul", "Add"]
        assert [i.name for i in part.initializer] == ["half"]
        onnx.checker.check_model(str(folder / "part.onnx"), full_check=True)
        n = numpy.array([1, 2], numpy.float32)
        got = session(folder / "part.onnx").run(None, {"n": n})[0]
        assert numpy.array_equal(got, n * [0.5, 0.25] + [2, 3])
        told = extract(file, folder / "part.onnx", "--module", "/Net/B")
        assert [i["name"] for i in told["inputs"]] == ["n", "x"], told


@case
def a_path_through_a_body():
    """A body that reads a module's value, and whose node feeds the module."""
    nodes = [node("Neg", ["x"], ["a"], "/Net/A"),
             node("If", ["c"], ["i"], "/Net", name="choose",
                  then_branch=body([node("Neg", ["a"], ["t"], "/Net")], "t"),
                  else_branch=body([node("Neg", ["x"], ["e"], "/Net")], "e")),
             node("Add", ["x", "i"], ["y"], "/Net/A")]
    with scratch() as folder:
        inputs = [X, ("c", TensorProto.BOOL, [])]
        file = save(folder / "m.onnx", nodes, inputs, [Y], inner="ai")
        for command in (("extract", "--module", "A", "--out"), ("split", "--at", "A", "--out-dir")):
            result = run(command[0], file, *command[1:], folder / "part")
            check_line(result, EXIT_USAGE, "'a' -> 'choose' -> 'y'")
        assert not (folder / "part").exists()


@case
def what_serves_several_modules():
    """A shared node belongs to the first of them, and is an input of the others."""
    nodes = [node("Neg", ["x"], ["s"], "/Net/A"), node("Abs", ["s"], ["a"], "/Net/A"),
             node("Add", ["a", "s"], ["y"], "/Net/B")]
    nodes[0].metadata_props.add(key="hierarchy_tags", value='["/Net/A", "/Net/B"]')
    with scratch() as folder:
        file = save(folder / "m.onnx", nodes, [X], [Y], inner="sa")
        told = extract(file, folder / "part.onnx", "--module", "B")
        assert told["nodes"] == 1 and [i["name"] for i in told["inputs"]] == ["a", "s"], told
        told = extract(file, folder / "part.onnx", "--module", "A")
        assert told["nodes"] == 2 and [o["name"] for o in told["outputs"]] == ["s", "a"], told


@case
def what_lies_in_two_bodies():
    with scratch() as folder:
        file = branching(folder, "/Net/A", "/Net/A")
        result = run("extract", file, "--module", "/Net/A", "--out", folder / "part.onnx")
        check_line(result, EXIT_USAGE, "'then_branch' of node 'choose'")
        assert "'else_branch'" in result.stderr and "is '/Net'" in result.stderr, result.stderr
        assert not (folder / "part.onnx").exists()


def call_functions(folder, version):
    """A model that calls functions, which import @p version of ONNX's operators."""
    imports = [helper.make_opsetid("", version), helper.make_opsetid("my", 1)]

    def function(name, op, domain=""):
        return helper.make_function("my", name, ["a"], ["b"],
                                    [helper.make_node(op, ["a"], ["c"], domain=domain),
                                     helper.make_node("Identity", ["c"], ["b"])], imports)

    nodes = [node("Outer", ["x"], ["m"], "/Net/A", domain="my"),
             node("Other", ["m"], ["y"], "/Net/B", domain="my")]
    file = save(folder / "m.onnx", nodes, [X], [Y], inner=["m"],
                functions=[function("Inner", "Neg"), function("Other", "Abs"),
                           function("Outer", "Inner", "my")])
    model = onnx.load(file)
    model.opset_import.append(helper.make_opsetid("my", 1))
    onnx.save(model, file)
    extract(file, folder / "part.onnx", "--module", "A")
    part = onnx.load(folder / "part.onnx")
    onnx.checker.check_model(part, full_check=True)
    got = session(folder / "part.onnx").run(None, {"x": numpy.array([1, 2], numpy.float32)})[0]
    assert got.tolist() == [-1, -2]
    return part


@case
def functions_are_inlined():
    with scratch() as folder:
        part = call_functions(folder, 18)
        assert [n.op_type for n in part.graph.node] == ["Neg", "Identity", "Identity"]
        assert not part.functions
        assert [i.domain for i in part.opset_import] == [""]


@case
def functions_of_other_operators_go_along():
    """Called functions, and those that these call; no others."""
    with scratch() as folder:
        part = call_functions(folder, 17)
        assert {f.name for f in part.functions} == {"Inner", "Outer"}
