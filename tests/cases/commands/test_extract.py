"""`extract`: a part returns the whole's values at its border, bit for bit."""

import json
import shutil
from pathlib import Path

import numpy
import onnx
from onnx import TensorProto, helper

from commands import NO_SHIM, ask, facts, tags_of
from exporters import foreign, ours
from harness import (
    EXIT_BAD_INPUT, EXIT_CANNOT_WRITE, EXIT_OK, EXIT_USAGE, INTO, ROOT, case, case_for_each,
    case_for_each_model, export, exported, made_by, run, scratch, skip_unless_loadable,
)
from models.make import example_inputs
from models.table import FIDELITY
from numbers_check import session
from small_models import nested
from test_bad_input import check_line

MAKER = ROOT / "tests" / "support" / "cutting.py"
NETWORKS = {  # and the dims of their inputs
    "twice": (":float32[b=2,6]", ":float32[b=2,6]"),
    "chained": (":float32[b=2,6]",),
    "residual": (":float32[b=2,6]",),
    "control": (":float32[b=2,6]",),
    "t5": (":int64[b=2,s=5]", ":int64[b=2,d=3]"),
}
MODELS = ("transformer-traced", "transformer-scripted", "bert-tiny", "gpt2-sdpa", "vit", "resnet18",
          "distilbert")


# ---- numbers ---------------------------------------------------------------------------------------


def inputs_of(file: Path, arrays) -> dict:
    names = [i.name for i in session(file, optimised=False).get_inputs()]
    assert len(names) == len(arrays), (names, len(arrays))
    return dict(zip(names, arrays))


def through_the_whole(file: Path, feeds: dict, folder: Path) -> dict:
    """All values of the main graph, including inputs, without any optimisation."""
    model = onnx.load(file)
    known = {o.name for o in model.graph.output}
    made = dict.fromkeys(name for node in model.graph.node for name in node.output if name)
    model.graph.output.extend(onnx.ValueInfoProto(name=n) for n in made if n not in known)
    onnx.save(model, folder / "all.onnx", save_as_external_data=False)
    runner = session(folder / "all.onnx", optimised=False)
    names = [o.name for o in runner.get_outputs()]
    return {**feeds, **dict(zip(names, runner.run(names, feeds)))}


def is_equal(a, b) -> bool:
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def check_numbers(part: Path, told: dict, values: dict) -> None:
    """The part's inputs and outputs are the reported ones, and its results are the whole's."""
    onnx.checker.check_model(str(part), full_check=True)
    runner = session(part, optimised=False)
    assert [i.name for i in runner.get_inputs()] == [i["name"] for i in told["inputs"]], told
    assert [o.name for o in runner.get_outputs()] == [o["name"] for o in told["outputs"]], told
    got = runner.run(None, {i["name"]: values[i["name"]] for i in told["inputs"]})
    for output, array in zip(told["outputs"], got):
        assert is_equal(array, values[output["name"]]), (part.name, output)


def walk(graph):
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            for body in (attribute.g, *attribute.graphs):
                yield from walk(body)


def check_contents(part: Path, whole: Path, told: dict) -> None:
    """Nodes, initializers and types are those of the whole; nothing is unneeded."""
    model, all_of_it = (onnx.load(f, load_external_data=False) for f in (part, whole))
    nodes = {n.output[0]: n for n in walk(all_of_it.graph)}
    weights = {i.name: i for g in graphs(all_of_it.graph) for i in g.initializer}
    types = {v.name: v.type for g in graphs(all_of_it.graph)
             for v in (*g.input, *g.output, *g.value_info)}
    for node in model.graph.node:
        assert node == nodes[node.output[0]], node.name
    read = {name for node in walk(model.graph) for name in node.input}
    for weight in model.graph.initializer:
        assert weight == weights[weight.name] and weight.name in read, weight.name
    for value in (*model.graph.input, *model.graph.output, *model.graph.value_info):
        assert value.type == types[value.name], value.name
    assert model.opset_import == all_of_it.opset_import
    check_metadata(model, all_of_it)
    assert told["nodes"] == len(list(walk(model.graph)))
    assert told["weights"] == len(model.graph.initializer)


def check_metadata(part, whole) -> None:
    """Metadata are unchanged, except that records are those of modules with nodes, and of enclosing modules."""
    kept, wanted = ({p.key: p.value for p in model.metadata_props} for model in (part, whole))
    assert ("htp.part" in kept) == ("htp.module_tree" in wanted)
    kept.pop("htp.part", None)
    records, all_of_them = (json.loads(m.pop("htp.module_tree", '{"modules": []}'))["modules"]
                            for m in (kept, wanted))
    assert kept == wanted
    assert records == [r for r in all_of_them if r in records]
    used = {next(p.value for p in n.metadata_props if p.key == "full_tag")
            for n in walk(part.graph)} if records else set()
    paths = {r["path"] for r in all_of_them if r["full_tag"] in used} | {""}
    around = {p.rsplit(".", n)[0] for p in paths for n in range(p.count(".") + 1)}
    tagged = {a.s.decode() for n in walk(part.graph) for a in n.attribute
              if a.name == "__source_module"}
    tagged |= {s.decode() for n in walk(part.graph) for a in n.attribute
               if a.name == "__hierarchy_tags" for s in a.strings}
    for record in records:
        is_around = any(t.startswith(record["tag"]) for t in tagged)
        assert record["path"] in around or is_around, record["path"]
    chosen = {r["path"] for r in records}
    assert paths <= chosen or not records
    assert all(r["path"] in chosen for r in all_of_them
               for path in chosen if path.startswith(r["path"] + "."))


def graphs(graph):
    yield graph
    for node in graph.node:
        for attribute in node.attribute:
            for body in (attribute.g, *attribute.graphs):
                yield from graphs(body)


def extract(file: Path, part: Path, *options) -> dict:
    return facts("extract", file, "--out", part, *options)


def called_modules(file: Path) -> list:
    """Addresses of called modules, including torch.nn's, and their numbers of calls."""
    return [(m["full_tag"], m["calls"] or 1) for m in facts("inspect", file)["modules"]
            if m["calls"] != 0]


def check_all_modules(file: Path, feeds: dict) -> int:
    """Every module, whole and each of its calls. If a module cannot be extracted, all of its calls can."""
    count = 0
    with scratch() as folder:
        part = folder / "part.onnx"
        values = through_the_whole(file, feeds, folder)
        for address, calls in called_modules(file):
            wanted = [()] + [("--call", str(n)) for n in range(calls)]
            for options in wanted:
                result = run("extract", file, "--module", address, *options, "--out", part, "--json",
                             env=NO_SHIM)
                if "has no nodes" in result.stderr:
                    continue
                if result.returncode != EXIT_OK:
                    assert calls > 1 and not options, (address, options, result.stderr)
                    assert "comes back" in result.stderr, result.stderr
                    continue
                told = json.loads(result.stdout)
                check_numbers(part, told, values)
                check_contents(part, file, told)
                assert run("validate", part).returncode == EXIT_OK, address
                count += 1
    return count


@case_for_each_model([model for model in FIDELITY if model.name in MODELS])
def modules_of_models(model):
    skip_unless_loadable(model)
    file = exported(model)
    arrays = [t.numpy() for t in example_inputs(model, model.others[-1], seed=5)]
    assert check_all_modules(file, inputs_of(file, arrays)) >= 10


def network(name: str, folder: Path, *flags) -> Path:
    file = folder / f"{name}.onnx"
    given = [part for flag in NETWORKS[name] for part in ("--input", flag)]
    export(made_by((MAKER,), INTO) / f"{name}.pt", file, *given, *flags)
    return file


def arrays_of(name: str) -> list:
    arrays = numpy.load(made_by((MAKER,), INTO) / f"{name}.npz")
    return [arrays[key] for key in arrays.files]


@case_for_each(("twice", "chained", "residual", "t5"))
def modules_of_networks(name):
    with scratch() as folder:
        file = network(name, folder)
        assert check_all_modules(file, inputs_of(file, arrays_of(name))) >= 2


@case_for_each(("older", "newer", "external"))
def modules_of_other_exporters(name):
    file = foreign(name)
    with scratch() as folder:
        feeds = {"ids": numpy.arange(10).reshape(2, 5)}
        values = through_the_whole(file, feeds, folder)
        count = 0
        for module in facts("inspect", file)["modules"]:
            if module["nodes_total"]:
                address = module["full_tag"] or module["tag"]
                told = extract(file, folder / "part.onnx", "--module", address)
                check_numbers(folder / "part.onnx", told, values)
                count += 1
        assert count >= 26, count
        whole = onnx.load(file)  # a weight under another name is no input
        weights = {i.name for i in whole.graph.initializer}
        renamed = {n.output[0] for n in whole.graph.node
                   if n.op_type == "Identity" and n.input[0] in weights}
        assert bool(renamed) == (name == "older")
        for norm in [f"encoder.layer.{n}.norm" for n in range(12)]:
            told = extract(file, folder / "part.onnx", "--module", norm)
            assert not renamed & {i["name"] for i in told["inputs"]}, told


# ---- models written by hand ------------------------------------------------------------------------


def save(file: Path, nodes, inputs, outputs, **more) -> Path:
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        nodes, "g", [value(n, t, d) for n, t, d in inputs],
        [value(n, t, d) for n, t, d in outputs],
        value_info=[value(n, TensorProto.FLOAT, [2]) for n in more.pop("inner", ())],
        initializer=more.pop("initializer", ()))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)],
                              functions=more.pop("functions", ()), ir_version=10)
    assert not more
    onnx.save(model, file)
    return file


def node(op, source, target, tag, name="", **more):
    made = helper.make_node(op, source, target, name=name or target[0], **more)
    made.metadata_props.add(key="source_module", value=tag)
    return made


X, Y = ("x", TensorProto.FLOAT, [2]), ("y", TensorProto.FLOAT, [2])


def body(nodes, output):
    return helper.make_graph(
        nodes, "b", [], [helper.make_tensor_value_info(output, TensorProto.FLOAT, [2])])


def branching(folder: Path, tag_of_then="/Net/A", tag_of_else="/Net/B") -> Path:
    """An If whose bodies read outer values: a computed one, a weight and a Constant."""
    half = helper.make_tensor("half", TensorProto.FLOAT, [2], [0.5, 0.25])
    nodes = [
        node("Constant", [], ["two"], "/Net",
             value=helper.make_tensor("t", TensorProto.FLOAT, [2], [2, 3])),
        node("Neg", ["x"], ["n"], "/Net"),
        node("If", ["c"], ["y"], "/Net", name="choose",
             then_branch=body([node("Mul", ["n", "half"], ["t1"], tag_of_then),
                               node("Add", ["t1", "two"], ["t2"], tag_of_then)], "t2"),
             else_branch=body([node("Sub", ["n", "x"], ["e1"], tag_of_else)], "e1")),
    ]
    return save(folder / "m.onnx", nodes, [X, ("c", TensorProto.BOOL, [])], [Y], inner=["n"],
                initializer=[half])


# ---- which nodes -----------------------------------------------------------------------------------


@case
def own_and_except():
    with scratch() as folder:
        file = ours(folder)
        part = folder / "part.onnx"
        all_of_it = extract(file, part, "--module", "encoder.layer.1")
        attention = extract(file, part, "--module", "encoder.layer.1.attention")
        rest = extract(file, part, "--module", "encoder.layer.1", "--except", "Attention")
        assert rest["nodes"] == all_of_it["nodes"] - attention["nodes"]
        assert attention["outputs"][0] in rest["inputs"]
        assert extract(file, part, "--module", "encoder.layer.1", "--own")["nodes"] == 8
        both = extract(file, part, "--module", "encoder.layer.1", "--module", "Layer.2")
        assert both["nodes"] == 2 * all_of_it["nodes"]


@case
def tags_are_those_of_the_whole():
    with scratch() as folder:
        file = ours(folder)
        extract(file, folder / "part.onnx", "--module", "encoder.layer.1")
        tags = {t: m["nodes_total"] for t, m in tags_of(folder / "part.onnx").items()}
        assert tags["/Net/Encoder/Layer.1"] == 16 and "/Net/Encoder/Layer.2" not in tags
        again = extract(folder / "part.onnx", folder / "again.onnx", "--module", "Attention")
        direct = extract(file, folder / "direct.onnx", "--module", "encoder.layer.1.attention")
        for name in ("model", "output", "bytes"):
            again.pop(name), direct.pop(name)
        assert again == direct
        model = onnx.load(folder / "part.onnx")
        note = next(p.value for p in model.metadata_props if p.key == "htp.part")
        assert json.loads(note) == {"modules": ["encoder.layer.1"]}, note
        ask("strip", folder / "part.onnx", "--out", folder / "stripped.onnx")
        assert not onnx.load(folder / "stripped.onnx").metadata_props


@case
def calls_are_tags_too():
    """An export's metadata about calls disappear with its tags."""
    with scratch() as folder:
        (folder / "none").mkdir()
        file = network("twice", folder)
        calls = [p.value for n in onnx.load(file).graph.node for p in n.metadata_props
                 if p.key == "calls"]
        assert '{"block": [2], "block.gate": [5]}' in calls, calls
        plain = network("twice", folder / "none", "--tags", "none")
        ask("strip", file, "--out", folder / "stripped.onnx")
        assert (folder / "stripped.onnx").read_bytes() == plain.read_bytes()


@case
def calls_without_records():
    """Calls that the file does not mark are separated by connected nodes."""
    weight = helper.make_tensor("w", TensorProto.FLOAT, [2], [2, 3])
    with scratch() as folder:
        nodes = [node("Mul", ["x", "w"], ["a"], "/Net/A"), node("Neg", ["a"], ["b"], "/Net/A"),
                 node("Abs", ["b"], ["c"], "/Net"),
                 node("Mul", ["c", "w"], ["d"], "/Net/A"), node("Neg", ["d"], ["y"], "/Net/A")]
        file = save(folder / "m.onnx", nodes, [X], [Y], inner="abcd", initializer=[weight])
        part = folder / "part.onnx"
        assert [i["name"] for i in extract(file, part, "--module", "A", "--call", "1")["inputs"]] == ["c"]
        assert [o["name"] for o in extract(file, part, "--module", "A", "--call", "0")["outputs"]] == ["b"]
        check_line(run("extract", file, "--module", "A", "--call", "2", "--out", part), EXIT_USAGE,
                   "only calls 0 to 1")
        check_line(run("extract", file, "--module", "A", "--out", part), EXIT_USAGE,
                   "'b' -> 'c' -> 'd'; the smallest module around it that can be is '/Net'")
        nodes[2].metadata_props[0].value = "/Net/A"  # they feed each other
        onnx.save(onnx.load(save(folder / "m.onnx", nodes, [X], [Y], inner="abcd",
                                 initializer=[weight])), file)
        check_line(run("extract", file, "--module", "A", "--call", "1", "--out", part), EXIT_USAGE,
                   "only call 0")
        branches = [node("Neg", ["x"], ["a"], "/Net/A"), node("Neg", ["x"], ["b"], "/Net/A"),
                    node("Add", ["a", "b"], ["y"], "/Net")]
        file = save(folder / "m.onnx", branches, [X], [Y], inner="ab")
        check_line(run("extract", file, "--module", "A", "--call", "1", "--out", part), EXIT_USAGE,
                   "cannot be told apart")


@case
def a_call_of_several_modules():
    with scratch() as folder:
        file = ours(folder)
        result = run("extract", file, "--module", "Layer", "--call", "0", "--out", folder / "p.onnx")
        check_line(result, EXIT_USAGE, "names several")


@case
def defaults_stay_inputs():
    """As in IR version 3, where all initializers are also inputs."""
    weight = helper.make_tensor("w", TensorProto.FLOAT, [2], [2, 3])
    with scratch() as folder:
        nodes = [node("Mul", ["x", "w"], ["a"], "/Net/A"), node("Neg", ["a"], ["y"], "/Net/B")]
        file = save(folder / "m.onnx", nodes, [X, ("w", TensorProto.FLOAT, [2])], [Y], inner="a",
                    initializer=[weight])
        told = extract(file, folder / "part.onnx", "--module", "A")
        assert [i["name"] for i in told["inputs"]] == ["x"] and told["weights"] == 1, told
        part = onnx.load(folder / "part.onnx").graph
        assert [i.name for i in part.input] == ["x", "w"]
        x = numpy.array([1, 2], numpy.float32)
        assert session(folder / "part.onnx").run(None, {"x": x})[0].tolist() == [2, 6]


@case
def what_nobody_reads():
    with scratch() as folder:
        nodes = [node("Neg", ["x"], ["a"], "/Net/A"), node("Abs", ["a"], ["b"], "/Net/A"),
                 node("Neg", ["x"], ["y"], "/Net/B")]
        file = save(folder / "m.onnx", nodes, [X], [Y], inner="ab")
        told = extract(file, folder / "part.onnx", "--module", "A")
        assert [o["name"] for o in told["outputs"]] == ["b"]
        onnx.checker.check_model(str(folder / "part.onnx"), full_check=True)


# ---- weights ---------------------------------------------------------------------------------------


@case_for_each(("inside", "beside"))
def weights_go_where_they_are_asked_to(source):
    with scratch() as folder:
        (folder / "in").mkdir()
        file = ours(folder / "in", *(("--external-data", "always") if source == "beside" else ()))
        expected = None
        for choice in ("auto", "always", "never"):
            part = folder / f"{choice}.onnx"
            told = extract(file, part, "--module", "encoder.layer.1", "--external-data", choice)
            data = folder / f"{choice}.onnx.data"
            assert data.exists() == (choice == "always")
            assert bool(told["external_data"]) == data.exists()
            onnx.checker.check_model(str(part), full_check=True)
            model = onnx.load(part)
            names = [(i.name, onnx.numpy_helper.to_array(i).tobytes())
                     for i in model.graph.initializer]
            expected = expected or names
            assert names == expected, choice
            beside = [i for i in onnx.load(part, load_external_data=False).graph.initializer
                      if i.data_location == TensorProto.EXTERNAL]
            assert len(beside) == (4 if choice == "always" else 0)
        assert (folder / "auto.onnx").read_bytes() == (folder / "never.onnx").read_bytes()
        again = extract(folder / "always.onnx", folder / "back.onnx", "--module", "Attention")
        direct = extract(file, folder / "direct.onnx", "--module", "encoder.layer.1.attention")
        assert again["weights"] == direct["weights"] == 4
        a, b = (onnx.load(folder / f).graph.initializer for f in ("back.onnx", "direct.onnx"))
        assert {i.name: i.raw_data for i in a} == {i.name: i.raw_data for i in b}


# ---- refusals -------------------------------------------------------------------------------


@case
def no_debris():
    with scratch() as folder:
        file = ours(folder)
        (folder / "out").mkdir()
        part = folder / "out" / "part.onnx"
        part.write_bytes(b"what was there")
        content = file.read_bytes()
        (folder / "broken.onnx").write_bytes(content[: len(content) // 2])
        check_line(run("extract", folder / "broken.onnx", "--module", "Head", "--out", part),
                   EXIT_BAD_INPUT, "damaged")
        check_line(run("extract", file, "--module", "Nothing", "--out", part), EXIT_USAGE, "no module")
        check_line(run("extract", file, "--module", "Head"), EXIT_USAGE, "no output")
        check_line(run("extract", file, "--out", part), EXIT_USAGE, "no module")
        check_line(run("extract", file, "--module", "Head", "--out", file), EXIT_USAGE, "input itself")
        check_line(run("extract", file, "--module", "Head", "--out", folder / "none" / "p.onnx"),
                   EXIT_CANNOT_WRITE, "none")
        check_line(run("extract", file, "--module", "Head", "--call", "x", "--out", part), EXIT_USAGE,
                   "--call takes a number")
        check_line(run("extract", file, "--module", "Head", "--except", "Head", "--out", part),
                   EXIT_USAGE, "has no nodes")
        assert part.read_bytes() == b"what was there"
        assert [p.name for p in (folder / "out").iterdir()] == ["part.onnx"]


HOSTILE = {
    "cycle": ([("Neg", ["y"], ["a"]), ("Neg", ["a"], ["y"])], "cycle"),
    "nothing makes": ([("Neg", ["lost"], ["y"])], "which nothing makes"),
    "twice": ([("Neg", ["x"], ["y"]), ("Neg", ["x"], ["y"])], "taken already"),
}


@case_for_each(HOSTILE)
def broken_graphs(name):
    nodes, part = HOSTILE[name]
    with scratch() as folder:
        made = [node(op, source, target, "/Net/A", name=f"n{i}")
                for i, (op, source, target) in enumerate(nodes)]
        file = save(folder / "m.onnx", made, [X], [Y])
        for command in (("extract", "--module", "A", "--out", folder / "p"),
                        ("split", "--at", "A", "--out-dir", folder / "p")):
            check_line(run(command[0], file, *command[1:]), EXIT_BAD_INPUT, part)
            assert not (folder / "p").exists()


@case
def bodies_in_bodies():
    """As deep as a model may be nested, extracted from the innermost body."""
    with scratch() as folder:
        model = onnx.ModelProto(ir_version=10, graph=nested(30))
        model.graph.input.append(helper.make_tensor_value_info("x", TensorProto.FLOAT, [1]))
        model.graph.input.append(helper.make_tensor_value_info("c", TensorProto.BOOL, []))
        inner = model.graph
        while inner.node[0].attribute:
            inner = inner.node[0].attribute[0].g
        inner.node[0].metadata_props.add(key="source_module", value="/Net/A")
        inner.output.append(helper.make_tensor_value_info("y0", TensorProto.FLOAT, [1]))
        file = folder / "m.onnx"
        file.write_bytes(model.SerializeToString())
        told = extract(file, folder / "part.onnx", "--module", "A")
        assert told["nodes"] == 1 and [i["name"] for i in told["inputs"]] == ["x"], told


@case
def bits_flipped():
    """Whatever a file contains, there is a part, or one line and no output."""
    generator = numpy.random.default_rng(3)
    with scratch() as folder:
        content = ours(folder).read_bytes()
        for number in range(60):
            changed = bytearray(content)
            for _ in range(generator.choice((1, 3, 20))):
                changed[generator.integers(len(changed))] ^= 1 << generator.integers(8)
            (folder / "f.onnx").write_bytes(changed)
            for command in (("extract", "--module", "encoder.layer.1", "--out"),
                            ("split", "--at", "Layer", "--out-dir")):
                result = run(command[0], folder / "f.onnx", *command[1:], folder / "p", env=NO_SHIM,
                             text=False)
                assert result.returncode in (0, 2, 3), (number, result)
                assert result.stderr.count(b"\n") == (result.returncode != 0), (number, result)
                assert (folder / "p").exists() == (result.returncode == 0), number
                if (folder / "p").is_dir():
                    shutil.rmtree(folder / "p")
                (folder / "p").unlink(missing_ok=True)
