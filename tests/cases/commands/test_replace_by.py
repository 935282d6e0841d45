"""`replace --by`: the nodes of another model take the place of a module, and a part that `extract` wrote changes nothing."""

from pathlib import Path

import numpy
import onnx
from onnx import TensorProto, helper

from commands import NO_SHIM, ask, facts, tags_of
from custom_nodes import walk
from exporters import foreign, ours
from harness import (
    EXIT_BAD_INPUT, EXIT_CANNOT_WRITE, EXIT_OK, EXIT_USAGE, case, case_for_each, case_for_each_model, exported, run,
    scratch, skip_unless_loadable,
)
from models.make import example_inputs
from models.table import ALL
from numbers_check import session
from test_bad_input import check_line
from test_extract import X, Y, arrays_of, extract, inputs_of, is_equal, network, node, save
from test_verify_programs import remembering

MODULES = {
    "bert-tiny": ("encoder.layer.1", "BertSelfAttention.", "embeddings", "pooler"),
    "gpt2-sdpa": ("transformer.h.1.attn", "transformer.h.0.mlp"),
    "resnet18": ("layer1.0", "layer2.0.conv1", "layer4"),
    "transformer-scripted": ("Block.0",),
    "detector": ("backbone", "backbone.1", "Conv2d.scores"),
}


def replace(file: Path, part: Path, out: Path, *options) -> dict:
    return facts("replace", file, "--by", part, "--out", out, *options)


def sorted_bytes(messages) -> list:
    return sorted(m.SerializeToString() for m in messages)


def check_round_trip(file: Path, address: str, feeds: dict, folder: Path, *call) -> None:
    """Cut out and put back: the same nodes, weights, types and numbers."""
    extract(file, folder / "part.onnx", "--module", address, *call, "--external-data", "never")
    replace(file, folder / "part.onnx", folder / "back.onnx", "--module", address)
    before, after = (onnx.load(f) for f in (file, folder / "back.onnx"))
    onnx.checker.check_model(str(folder / "back.onnx"), full_check=True)
    assert run("validate", folder / "back.onnx", env=NO_SHIM).returncode == EXIT_OK, address
    assert sorted_bytes(walk(before.graph)) == sorted_bytes(walk(after.graph)) or list(walk(before.graph)) != list(
        before.graph.node), address
    for field in ("input", "output", "value_info", "initializer"):
        a, b = (sorted_bytes(getattr(m.graph, field)) for m in (before, after))
        assert a == b, (address, field)
    assert tags_of(file) == tags_of(folder / "back.onnx"), address
    got, wanted = (session(f, optimised=False).run(None, feeds) for f in (folder / "back.onnx", file))
    assert len(got) == len(wanted) and all(map(is_equal, got, wanted)), address


@case_for_each_model([ALL[name] for name in MODULES])
def round_trips_of_models(model):
    skip_unless_loadable(model)
    file = exported(model)
    feeds = inputs_of(file, [t.numpy() for t in example_inputs(model, model.others[-1], seed=5)])
    known = {m["path"] for m in facts("inspect", file)["modules"]}
    for address in MODULES[model.name]:
        if address in known or "." not in address or address[0].isupper() and not address.endswith("."):
            with scratch() as folder:
                check_round_trip(file, address, feeds, folder)


@case_for_each(("control.step", "control.gate", "control.block", "residual.a", "residual.b", "t5.decoder"))
def round_trips_of_networks(name):
    """Modules in bodies, with several outputs, or with weights of others."""
    whole, address = name.split(".")
    with scratch() as folder:
        file = network(whole, folder)
        address = "T5Stack.decoder" if whole == "t5" else address
        check_round_trip(file, address, inputs_of(file, arrays_of(whole)), folder)


@case
def round_trips_with_state():
    """The state crosses the border, and its outputs keep their names."""
    with scratch() as folder:
        _, file = remembering(folder)
        feeds = {"x": numpy.ones((2, 4), numpy.float32), "state.memory": numpy.full((2, 8), 0.5, numpy.float32)}
        assert set(feeds) == {i.name for i in onnx.load(file).graph.input}
        for address in ("second", "third", "first"):
            check_round_trip(file, address, feeds, folder)


@case_for_each(("older", "newer", "external"))
def round_trips_of_other_exporters(name):
    file = foreign(name)
    with scratch() as folder:
        extract(file, folder / "part.onnx", "--module", "encoder.layer.3", "--external-data", "never")
        replace(file, folder / "part.onnx", folder / "back.onnx", "--module", "encoder.layer.3")
        onnx.checker.check_model(str(folder / "back.onnx"))
        feeds = {"ids": numpy.arange(10).reshape(2, 5)}
        got, wanted = (session(f, optimised=False).run(None, feeds) for f in (folder / "back.onnx", file))
        assert all(map(is_equal, got, wanted))
        assert run("validate", folder / "back.onnx").stdout.count("\n") == run("validate", file).stdout.count("\n")


@case
def one_part_for_all_layers():
    """Names and tags are those of each layer; the weights are there once."""
    with scratch() as folder:
        (folder / "in").mkdir()
        file = ours(folder / "in")
        extract(file, folder / "part.onnx", "--module", "encoder.layer.4")
        told = replace(file, folder / "part.onnx", folder / "out.onnx", "--module", "Layer")
        before, after = (onnx.load(f) for f in (file, folder / "out.onnx"))
        assert sorted(n.name for n in before.graph.node) == sorted(n.name for n in after.graph.node)
        assert len(told["modules"]) == 12 and {m["nodes"] for m in told["modules"]} == {16}
        assert {t: m["nodes_total"] for t, m in tags_of(file).items()} == {
            t: m["nodes_total"] for t, m in tags_of(folder / "out.onnx").items()}
        weights = [i.name for i in after.graph.initializer if ".layer." in i.name]
        assert len(weights) == len(set(weights)) <= 12 and all(".layer.4." in w for w in weights), weights
        assert run("validate", folder / "out.onnx").returncode == EXIT_OK, run("validate", folder / "out.onnx").stdout
        session(folder / "out.onnx").run(None, {"ids": numpy.arange(10).reshape(2, 5)})


# ---- models written by hand ------------------------------------------------------------------------


def chain(folder: Path, dims=("n", 3)) -> Path:
    """/Net/A is Neg and Mul; /Net/B is what follows."""
    weight = helper.make_tensor("A.w", TensorProto.FLOAT, [3], [1, 2, 3])
    nodes = [node("Abs", ["x"], ["h"], "/Net"), node("Neg", ["h"], ["a"], "/Net/A", name="/a/Neg"),
             node("Mul", ["a", "A.w"], ["b"], "/Net/A", name="/a/Mul"), node("Add", ["b", "h"], ["y"], "/Net/B")]
    return save(folder / "m.onnx", nodes, [("x", TensorProto.FLOAT, dims)], [("y", TensorProto.FLOAT, dims)],
                initializer=[weight])


def part_of(folder: Path, nodes, source=("in", ["N", 3]), target=("out", ["N", 3]), kind=TensorProto.FLOAT, opset=18,
            weights=(), imports=(), name="part.onnx") -> Path:
    graph = helper.make_graph(nodes, "p", [helper.make_tensor_value_info(source[0], kind, source[1])],
                              [helper.make_tensor_value_info(target[0], kind, target[1])], initializer=weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset), *imports], ir_version=10)
    onnx.save(model, folder / name)
    return folder / name


@case
def a_fused_layer():
    """Tags go below the module, names into its scope, values and weights get names that are free."""
    weights = [helper.make_tensor("A.w", TensorProto.FLOAT, [3], [5, 6, 7])]
    nodes = [node("Exp", ["in"], ["h"], "/Fused/Inner", name="/inner/Exp"),
             node("Mul", ["h", "A.w"], ["b"], "/Fused", name="/Mul"), node("Neg", ["b"], ["out"], "/Fused", name="/Neg")]
    with scratch() as folder:
        file = chain(folder)
        replace(file, part_of(folder, nodes, weights=weights), folder / "r.onnx", "--module", "A")
        model = onnx.load(folder / "r.onnx")
        onnx.checker.check_model(model, full_check=True)
        assert [n.op_type for n in model.graph.node] == ["Abs", "Exp", "Mul", "Neg", "Add"]
        assert [n.metadata_props[0].value for n in model.graph.node] == ["/Net", "/Net/A/Inner", "/Net/A", "/Net/A", "/Net/B"]
        assert [n.name for n in model.graph.node[1:4]] == ["/a/inner/Exp", "/a/Mul", "/a/Neg"]
        x = numpy.ones((2, 3), numpy.float32)
        got = session(folder / "r.onnx").run(None, {"x": x})[0]
        assert numpy.allclose(got, -numpy.exp(x) * [5, 6, 7] + x)
        assert run("validate", folder / "r.onnx").returncode == EXIT_OK
        # the model has a value "h" of its own
        assert len({name for n in model.graph.node for name in n.output}) == 5


@case
def outputs_that_no_node_makes():
    with scratch() as folder:
        file = chain(folder)
        replace(file, part_of(folder, [], target=("in", ["N", 3])), folder / "r.onnx", "--module", "A")
        model = onnx.load(folder / "r.onnx")
        assert [n.op_type for n in model.graph.node] == ["Abs", "Identity", "Add"]
        assert model.graph.node[1].metadata_props[0].value == "/Net/A"
        x = numpy.ones((2, 3), numpy.float32)
        assert (session(folder / "r.onnx").run(None, {"x": x})[0] == 2).all()


@case
def bodies_of_a_part():
    """Names in bodies are made unique, too."""
    def body(op, name):
        return helper.make_graph([helper.make_node(op, ["in"], [name])], "g", [],
                                 [helper.make_tensor_value_info(name, TensorProto.FLOAT, None)])
    nodes = [helper.make_node("Constant", [], ["yes"], value=helper.make_tensor("t", TensorProto.BOOL, [], [True])),
             helper.make_node("If", ["yes"], ["out"], then_branch=body("Exp", "h"), else_branch=body("Neg", "x"))]
    with scratch() as folder:
        file = chain(folder)
        replace(file, part_of(folder, nodes), folder / "r.onnx", "--module", "A")
        model = onnx.load(folder / "r.onnx")
        onnx.checker.check_model(model, full_check=True)
        made = [name for n in walk(model.graph) for name in n.output]
        assert len(made) == len(set(made)) and "x" not in made, made
        x = numpy.ones((2, 3), numpy.float32)
        assert numpy.allclose(session(folder / "r.onnx").run(None, {"x": x})[0], numpy.exp(x) + x)
        assert run("validate", folder / "r.onnx").returncode == EXIT_OK, run("validate", folder / "r.onnx").stdout


@case
def operators_of_other_versions():
    """Another opset fits if its operators are the same; a domain that the model lacks is imported."""
    with scratch() as folder:
        file = chain(folder)
        exp = [helper.make_node("Exp", ["in"], ["out"])]
        replace(file, part_of(folder, exp, opset=21), folder / "r.onnx", "--module", "A")
        assert [(o.domain, o.version) for o in onnx.load(folder / "r.onnx").opset_import] == [("", 18)]
        gelu = [helper.make_node("Gelu", ["in"], ["out"], domain="com.microsoft")]
        part = part_of(folder, gelu, imports=[helper.make_opsetid("com.microsoft", 1)])
        replace(file, part, folder / "r.onnx", "--module", "A")
        assert ("com.microsoft", 1) in [(o.domain, o.version) for o in onnx.load(folder / "r.onnx").opset_import]
        session(folder / "r.onnx").run(None, {"x": numpy.ones((2, 3), numpy.float32)})
        cast = [helper.make_node("Cast", ["in"], ["out"], to=1)]
        check_line(run("replace", file, "--module", "A", "--by", part_of(folder, cast, opset=21), "--out", folder / "s.onnx"),
                   EXIT_USAGE, "is Cast of version 21 of ONNX's operators")
        assert not (folder / "s.onnx").exists()


@case
def weights_before_ir_version_4():
    """There, each initializer is the default of an input."""
    with scratch() as folder:
        file = chain(folder)
        model = onnx.load(file)
        model.ir_version = 3
        model.graph.input.append(helper.make_tensor_value_info("A.w", TensorProto.FLOAT, [3]))
        onnx.save(model, file)
        part = part_of(folder, [helper.make_node("Mul", ["in", "v"], ["out"])],
                       weights=[helper.make_tensor("v", TensorProto.FLOAT, [3], [4, 5, 6])])
        replace(file, part, folder / "r.onnx", "--module", "A")
        onnx.checker.check_model(str(folder / "r.onnx"), full_check=True)
        assert [i.name for i in onnx.load(folder / "r.onnx").graph.input] == ["x", "A.w", "v"]
        x = numpy.ones((2, 3), numpy.float32)
        assert (session(folder / "r.onnx").run(None, {"x": x})[0] == [[5, 6, 7]] * 2).all()


@case_for_each((
    ("another dtype", {"kind": TensorProto.DOUBLE}, "'in' is float64[N,3]"),
    ("another rank", {"source": ("in", ["N", 3, 1])}, "'in' is float32[N,3,1]"),
    ("another size", {"source": ("in", ["N", 4])}, "'in' is float32[N,4]"),
    ("a fixed size", {"source": ("in", [2, 3])}, "as dynamic"),
    ("one name for two sizes", {"source": ("in", ["N", "N"])}, "a name stands for one size"),
    ("another output", {"target": ("out", [3, "N"])}, "'out' is float32[3,N]"),
))
def borders_that_do_not_fit(given):
    _, more, why = given
    with scratch() as folder:
        file = chain(folder)
        part = part_of(folder, [helper.make_node("Exp", ["in"], ["out"])], **more)
        check_line(run("replace", file, "--module", "A", "--by", part, "--out", folder / "r.onnx"), EXIT_USAGE, why)
        assert not (folder / "r.onnx").exists()


@case
def parts_that_are_none():
    with scratch() as folder:
        file, out = chain(folder), folder / "r.onnx"
        two = folder / "two.onnx"
        value = helper.make_tensor_value_info
        onnx.save(helper.make_model(helper.make_graph(
            [helper.make_node("Add", ["p", "q"], ["out"])], "g", [value(n, TensorProto.FLOAT, ["N", 3]) for n in "pq"],
            [value("out", TensorProto.FLOAT, ["N", 3])])), two)
        part = part_of(folder, [helper.make_node("Exp", ["in"], ["out"])])
        whole = part.read_bytes()
        (folder / "short.onnx").write_bytes(whole[:-9])
        (folder / "text.onnx").write_text("no model")
        cycle = part_of(folder, [helper.make_node("Add", ["in", "z"], ["out"]), helper.make_node("Neg", ["out"], ["z"])],
                        name="cycle.onnx")
        for wrong, code, why in (
            (two, EXIT_USAGE, "its inputs are p, q, and those of '/Net/A' are h"), (folder / "short.onnx", EXIT_BAD_INPUT, "is cut short"),
            (folder / "text.onnx", EXIT_BAD_INPUT, "not an ONNX model"), (folder / "none.onnx", EXIT_BAD_INPUT, "none.onnx"),
            (part_of(folder, [helper.make_node("Foo", ["in"], ["out"], domain="zz")], name="zz.onnx"), EXIT_BAD_INPUT,
             "is Foo of zz, which the model does not import"), (cycle, EXIT_BAD_INPUT, "reads 'z' before node 'Neg that makes z'"),
        ):
            check_line(run("replace", file, "--module", "A", "--by", wrong, "--out", out), code, why)
            assert not out.exists(), wrong
        check_line(run("replace", file, "--module", "A", "--by", part, "--out", part), EXIT_USAGE, "is the input itself")
        assert part.read_bytes() == whole
        check_line(run("replace", file, "--module", "A", "--by", part, "--op", "a:B", "--out", out), EXIT_USAGE,
                   "either --op DOMAIN:NAME or --by PART.onnx")
        assert EXIT_CANNOT_WRITE == run("replace", file, "--module", "A", "--by", part, "--out", folder / "no" / "r.onnx").returncode


@case
def external_data_of_the_model():
    """Weights of the module go, others move up in the data file."""
    with scratch() as folder:
        (folder / "in").mkdir()
        file = ours(folder / "in", "--external-data", "always")
        extract(file, folder / "part.onnx", "--module", "encoder.layer.1", "--external-data", "never")
        replace(file, folder / "part.onnx", folder / "back.onnx", "--module", "encoder.layer.1")
        feeds = {"ids": numpy.arange(10).reshape(2, 5)}
        got, wanted = (session(f, optimised=False).run(None, feeds) for f in (folder / "back.onnx", file))
        assert all(map(is_equal, got, wanted))
        assert ask("validate", folder / "back.onnx").count("\n") == 1


@case_for_each((("never", "always"), ("always", "always"), ("always", "never")))
def external_data_of_the_part(given):
    """Weights stay where they were, in the model or beside it, and the file beside it has those of both."""
    of_model, of_part = given
    with scratch() as folder:
        (folder / "in").mkdir()
        file = ours(folder / "in", "--external-data", of_model)
        extract(file, folder / "part.onnx", "--module", "encoder.layer.1", "--external-data", of_part)
        told = replace(file, folder / "part.onnx", folder / "back.onnx", "--module", "encoder.layer.1")
        onnx.checker.check_model(str(folder / "back.onnx"), full_check=True)
        assert told["external_bytes"] == (folder / "back.onnx.data").stat().st_size
        feeds = {"ids": numpy.arange(10).reshape(2, 5)}
        got, wanted = (session(f, optimised=False).run(None, feeds) for f in (folder / "back.onnx", file))
        assert all(map(is_equal, got, wanted))
        part = {i.name: i for i in onnx.load(folder / "part.onnx").graph.initializer}
        back = {i.name: i for i in onnx.load(folder / "back.onnx").graph.initializer}
        assert set(part) <= set(back) and all(part[n].raw_data == back[n].raw_data for n in part)
        assert ask("validate", folder / "back.onnx").count("\n") == 1
        (folder / "part.onnx.data" if of_part == "always" else folder / "part.onnx").write_bytes(b"short")
        check_line(run("replace", file, "--module", "encoder.layer.1", "--by", folder / "part.onnx", "--out", folder / "s.onnx"),
                   EXIT_BAD_INPUT, "cut short")
        assert not (folder / "s.onnx").exists() and not (folder / "s.onnx.data").exists()


@case
def external_data_of_nodes_and_bodies():
    """Data of Constants and of bodies, which every copy reads, are in the new file once."""
    values = {n: numpy.arange(k, k + 3, dtype=numpy.float32) for k, n in enumerate(("c", "w", "same"))}
    tensor = {n: onnx.numpy_helper.from_array(v, n) for n, v in values.items()}
    body = helper.make_graph([helper.make_node("Mul", ["a", "w"], ["m"])], "g", [],
                             [helper.make_tensor_value_info("m", TensorProto.FLOAT, None)], initializer=[tensor["w"]])
    other = helper.make_graph([helper.make_node("Neg", ["a"], ["k"])], "h", [],
                              [helper.make_tensor_value_info("k", TensorProto.FLOAT, None)])
    yes = helper.make_tensor("t", TensorProto.BOOL, [], [True])
    nodes = [helper.make_node("Constant", [], ["c"], value=tensor["c"]), helper.make_node("Add", ["in", "c"], ["a"]),
             helper.make_node("Constant", [], ["yes"], value=yes), helper.make_node("Add", ["b", "same"], ["out"]),
             helper.make_node("If", ["yes"], ["b"], then_branch=body, else_branch=other)]
    nodes[3:] = nodes[:2:-1]
    weight = helper.make_tensor("w", TensorProto.FLOAT, [3], [1, 2, 3])
    layers = [node("Mul", ["x", "w"], ["h"], "/Net/Layer.0"), node("Mul", ["h", "w"], ["y"], "/Net/Layer.1")]
    with scratch() as folder:
        file = save(folder / "m.onnx", layers, [("x", TensorProto.FLOAT, ["n", 3])], [("y", TensorProto.FLOAT, ["n", 3])],
                    initializer=[weight])
        part = part_of(folder, nodes, weights=[tensor["same"]])
        onnx.save(onnx.load(part), part, save_as_external_data=True, location="p.data", size_threshold=0,
                  convert_attribute=True)
        told = replace(file, part, folder / "r.onnx", "--module", "Layer")
        onnx.checker.check_model(str(folder / "r.onnx"), full_check=True)
        assert told["external_bytes"] <= 4 * 64
        x = numpy.ones((2, 3), numpy.float32)
        for _ in layers:
            wanted = x = (x + values["c"]) * values["w"] + values["same"]
        got = session(folder / "r.onnx").run(None, {"x": numpy.ones((2, 3), numpy.float32)})[0]
        assert numpy.allclose(got, wanted)
