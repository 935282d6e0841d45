"""Commands answer for files with functions as for the flat ones: names, tags, types, parts and numbers."""

import json
import resource

import numpy
import onnx
import onnx.inliner
from google.protobuf import text_format
from onnx import AttributeProto, helper, numpy_helper

from commands import NO_SHIM, ask
from function_pairs import F, OPSETS, PAIRS, function, model, node, typed
from harness import EXIT_BAD_INPUT, EXIT_OK, EXIT_USAGE, case, case_for_each, run, scratch
from numbers_check import session
from test_bad_input import check_line


# ---- answers ---------------------------------------------------------------------------------------


def save_pair(folder, name):
    files = []
    for kind, made in zip(("functions", "flat"), PAIRS[name]()):
        onnx.checker.check_model(made, full_check=name not in ("handed_on", "operators"))  # their types
        (folder / kind).mkdir()
        files.append(folder / kind / "m.onnx")
        onnx.save(made, files[-1])
    return files


def answers(file) -> dict:
    """A command's answer about a model, without its path."""
    def told(*arguments):
        return ask(*arguments).replace(str(file.parent), "FOLDER")

    sidecar = file.parent / "s.json"
    ask("sidecar", file, "--out", sidecar)
    return {
        "inspect": told("inspect", file, "--json"),
        "region": told("inspect", file, "--module", "/**", "--json"),
        "select": told("select", file, "--module", "**", "--weights"),
        "graph": told("graph", file, "--format", "graphml"),
        "validate": told("validate", file, "--json"),
        "sidecar": sidecar.read_text().replace(str(file.parent), "FOLDER"),
    }


def numbers_of(file) -> list:
    made = onnx.load(file)
    sizes = {i.name: [d.dim_value or 2 for d in i.type.tensor_type.shape.dim] for i in made.graph.input}
    random = numpy.random.default_rng(0)
    kinds = {i.name: i.type.tensor_type.elem_type for i in made.graph.input}
    feeds = {n: numpy.array(random.standard_normal(s), numpy.float32) if kinds[n] == F
             else numpy.ones(s, helper.tensor_dtype_to_np_dtype(kinds[n])) for n, s in sizes.items()}
    return session(file, optimised=False).run(None, feeds)


@case_for_each(PAIRS)
def answers_are_those_of_the_flat_file(name):
    with scratch() as folder:
        functions, flat = save_pair(folder, name)
        got, wanted = answers(functions), answers(flat)
        for question, answer in wanted.items():
            assert got[question] == answer, (question, got[question], answer)
        assert run("compare", functions, flat, env=NO_SHIM).returncode == EXIT_OK
        if name != "handed_on":  # ONNX Runtime refuses calls that omit an output
            assert all(map(numpy.array_equal, numbers_of(functions), numbers_of(flat)))


def canonical(made) -> onnx.ModelProto:
    """A model without irrelevant orders."""
    def sort(items, key):
        kept = sorted(items, key=key)
        del items[:]
        items.extend(kept)

    for each in made.graph.node:
        sort(each.metadata_props, lambda p: p.key)
        sort(each.attribute, lambda a: a.name)
    sort(made.graph.value_info, lambda v: v.name)
    return made


@case_for_each(PAIRS)
def parts_are_those_of_the_flat_file(name):
    with scratch() as folder:
        files = save_pair(folder, name)
        modules = [m["tag"] for m in json.loads(ask("inspect", files[1], "--json"))["modules"]]
        cut = 0
        for module in modules:
            for place in ("auto", "always"):
                parts = [file.parent / f"{len(module)}-{place}.onnx" for file in files]
                results = [run("extract", file, "--module", module, "--external-data", place, "--out", part, env=NO_SHIM)
                           for file, part in zip(files, parts)]
                assert results[0].returncode == results[1].returncode
                if results[1].returncode != EXIT_OK:
                    texts = [r.stderr.replace(f.parent.name, "") for r, f in zip(results, files)]
                    assert texts[0] == texts[1], texts
                    continue
                cut += 1
                onnx.checker.check_model(str(parts[0]), full_check=True)
                got, wanted = (canonical(onnx.load(part)) for part in parts)
                assert got == wanted, f"{module}\n{text_format.MessageToString(got)}\n---\n{text_format.MessageToString(wanted)}"
                assert all(numpy.array_equal(a, b, equal_nan=True)
                           for a, b in zip(*map(numbers_of, parts), strict=True))
        assert cut > 1


@case_for_each(PAIRS)
def the_package_inlines_the_same(name):
    """Another inliner leaves relative tags, which are the ends of the flat file's."""
    with scratch() as folder:
        functions, flat = save_pair(folder, name)
        if name in ("handed_on", "operators", "references"):
            return  # it supports neither functions that override an operator nor defaults of attributes
        onnx.save(onnx.inliner.inline_local_functions(onnx.load(functions)), folder / "inlined.onnx")
        if name == "foreign":
            result = run("compare", folder / "inlined.onnx", flat, "--json", env=NO_SHIM)
            assert json.loads(result.stdout)["identical_topology"]
            return
        ask("compare", folder / "inlined.onnx", flat)
        ask("compare", folder / "inlined.onnx", functions)


@case
def a_relative_tag_of_another_module_differs():
    with scratch() as folder:
        functions, flat = save_pair(folder, "shared")
        inlined = onnx.inliner.inline_local_functions(onnx.load(functions))
        moved = next(n for n in inlined.graph.node if n.op_type == "Mul")
        for attribute in moved.attribute:
            attribute.s = b"Other"
        onnx.save(inlined, folder / "inlined.onnx")
        result = run("compare", folder / "inlined.onnx", flat, "--json", env=NO_SHIM)
        assert len(json.loads(result.stdout)["tags"]["disagreeing"]) == 1, result.stdout


@case_for_each(PAIRS)
def stripped_files_have_functions_without_tags(name):
    with scratch() as folder:
        file = save_pair(folder, name)[0]
        ask("strip", file, "--out", folder / "s.onnx")
        before, after = onnx.load(file), onnx.load(folder / "s.onnx")
        assert [f.name for f in after.functions] == [f.name for f in before.functions]
        nodes = [n for f in after.functions for n in f.node] + list(after.graph.node)
        assert not any(n.metadata_props for n in nodes)
        assert not any(a.name.startswith("__") for n in nodes for a in n.attribute)


# ---- functions that stay -------------------------------------------------------------------------


def kept_model(**more):
    old = [helper.make_opsetid("", 17), helper.make_opsetid("p", 1)]
    kept = function("Old", "x", "output", [node("p::Leaf", "x", "t", "leaf"), node("Neg", "t", "output", "Neg")],
                    opsets=old)
    leaf = function("Leaf", "x", "output", [node("Abs", "x", "output", "Abs", ".")], opsets=old)
    new = function("New", "x", "output", [node("p::Old", "x", "output", "old", ".")])
    return model([node("p::New", "x", "y", "/n", "/Net/New")], functions=[leaf, kept, new], **more)


@case
def other_versions_of_operators_stay_functions():
    with scratch() as folder:
        onnx.save(kept_model(), folder / "m.onnx")
        assert ask("select", folder / "m.onnx", "--module", "New").split() == ["/n/old"]
        ask("extract", folder / "m.onnx", "--module", "New", "--out", folder / "p.onnx")
        part = onnx.load(folder / "p.onnx")
        onnx.checker.check_model(part)
        assert {f.name for f in part.functions} == {"Old", "Leaf"} and part.graph.node[0].op_type == "Old"
        assert {i.domain for i in part.opset_import} == {"", "p"}


@case
def imports_of_functions_are_the_parts():
    """Imports of operators that the model's own nodes do not have."""
    with scratch() as folder:
        opsets = [*OPSETS, helper.make_opsetid("com.microsoft", 1)]
        block = function("Block", "x", "output", [node("com.microsoft::Gelu", "x", "output", "Gelu", ".")],
                         opsets=opsets)
        onnx.save(model([node("p::Block", "x", "y", "/b", "/Net/Block")], functions=[block]), folder / "m.onnx")
        ask("extract", folder / "m.onnx", "--module", "Block", "--out", folder / "p.onnx")
        imports = {i.domain: i.version for i in onnx.load(folder / "p.onnx").opset_import}
        assert imports == {"": 18, "com.microsoft": 1}, imports
        assert numbers_of(folder / "p.onnx")[0].shape == (2, 3)


@case
def weights_of_bodies_in_functions():
    """They are written from memory, or from the data file of the model."""
    with scratch() as folder:
        big = numpy_helper.from_array(numpy.arange(600, dtype=numpy.float32).reshape(200, 3), "big")
        branches = {kind: helper.make_graph([node(op, "big", "out", op, ".")], kind, [], [typed("out", 200, 3)], [big])
                    for kind, op in (("then_branch", "Neg"), ("else_branch", "Abs"))}
        block = function("Block", "x c", "output", [node("If", "c", "output", "If", ".", attributes=branches)])
        made = model([node("p::Block", "x c", "y", "/b", "/Net/Block")], [numpy_helper.from_array(numpy.array(True), "c")],
                     functions=[block], outputs=[typed("y", 200, 3)])
        onnx.save(made, folder / "inside.onnx")
        onnx.save(made, folder / "beside.onnx", save_as_external_data=True, location="w", size_threshold=0)
        wanted = -numpy.arange(600, dtype=numpy.float32).reshape(200, 3)
        for name in ("inside", "beside"):
            for place in ("always", "never"):
                out = folder / f"{name}-{place}.onnx"
                ask("extract", folder / f"{name}.onnx", "--module", "Block", "--out", out, "--external-data", place)
                assert numpy.array_equal(numbers_of(out)[0], wanted), (name, place)


# ---- findings --------------------------------------------------------------------------------------


def findings(folder, made) -> list:
    onnx.save(made, folder / "m.onnx")
    result = run("validate", folder / "m.onnx", "--json", env=NO_SHIM)
    return json.loads(result.stdout)["findings"]


def with_records(made, *tags):
    modules = [{"tag": tag, "full_tag": tag, "path": tag[5:].replace("/", ".").lower(), "class": tag.rsplit("/")[-1],
                "qualified_class": tag, "calls": 1} for tag in tags]
    made.metadata_props.add(key="htp.module_tree", value=json.dumps({"rules": 1, "modules": modules}))
    return made


def tagged_block(calls, tag):
    block = function("Block", "x", "output", [node("Neg", "x", "output", "Neg", tag)])
    values = ["x", *(f"v{i}" for i in range(len(calls) - 1)), "y"]
    return model([node("p::Block", values[i], values[i + 1], f"/{i}", call) for i, call in enumerate(calls)],
                 functions=[block])


@case
def wrong_tags_in_functions_are_found():
    with scratch() as folder:
        right = [tagged_block(["/Net/A", "/Net/B"], "."), tagged_block(["/Net/A"], "/Net/A"),
                 tagged_block(["/Net/A"], "/Net/A/Inner"), tagged_block(["/Net/A"], "Inner"),
                 tagged_block(["/Net/A"], "/Net/B")]  # of a module that is owned elsewhere
        assert not any(findings(folder, made) for made in right)
        for made, part in (
                (tagged_block(["/Net/A", "/Net/B"], "/Net/A"), "absolute, and calls of '/Net/A' and '/Net/B' run it"),
                (tagged_block([None], "Inner"), "the tag 'Inner' is relative, and no call of a function says"),
                (model([node("Neg", "x", "y", "/n", "Inner")]), "the tag 'Inner' is relative"),
                (with_records(tagged_block(["/Net/A"], "Lost"), "/Net", "/Net/A"),
                 "node '/0/Neg': '/Net/A/Lost' is no module of htp.module_tree")):
            found = findings(folder, made)
            assert any(part in text for text in found), (part, found)


@case
def names_of_functions_are_their_own():
    """Nodes of two functions, and of the model, may share a name; two of one function may not."""
    with scratch() as folder:
        twice = [node("Neg", "x", "t", "Neg", "."), node("Neg", "t", "output", "Neg", ".")]
        one = function("One", "x", "output", twice[1:])
        one.node[0].input[0] = "x"
        nodes = [node("p::One", "x", "t", "/a", "/Net/A"), node("p::Two", "t", "y", "/b", "/Net/B")]
        right = model(nodes, functions=[one, function("Two", "x", "output", one.node)])
        assert findings(folder, right) == []
        assert findings(folder, model(nodes, functions=[one, function("Two", "x", "output", twice)])) == [
            "node 'Neg': another node has this name"]


# ---- invalid functions ---------------------------------------------------------------------------


def chain_of_calls(count, calls=1):
    """A chain of functions, each of which calls the next this often."""
    functions = [function("F0", "x", "output", [node("Neg", "x", "output", "Neg")])]
    for i in range(1, count):
        values = ["x", *(f"v{k}" for k in range(calls - 1)), "output"]
        functions.append(function(f"F{i}", "x", "output", [
            node(f"p::F{i - 1}", values[k], values[k + 1], f"c{k}") for k in range(calls)]))
    return model([node(f"p::F{count - 1}", "x", "y", "/c")], functions=functions)


def ring(*names):
    functions = [function(name, "x", "output", [node(f"p::{names[i - 1]}", "x", "output", "c")])
                 for i, name in enumerate(names)]
    return model([node("Neg", "x", "y", "n")], functions=functions)


def calls_with(source, target):
    return model([node("p::One", source, target, "/c")],
                 functions=[function("One", "x", "output", [node("Neg", "x", "output", "Neg")])])


def undeclared():
    made = calls_with("x", "y")
    made.functions[0].node[0].attribute.add(name="a", ref_attr_name="b", type=AttributeProto.INT)
    return made


def twice_defined():
    made = calls_with("x", "y")
    made.functions.append(made.functions[0])
    return made


def growing_names():
    """Names, not nodes, would take the memory."""
    made = chain_of_calls(200)
    for each in made.functions:
        each.node[0].name = "n" * 2000
        each.node.extend(node("Neg", "x", f"w{k}", f"{'n' * 100}{k}") for k in range(20))
    return made


def growing_values():
    """A value with a long name that is read often."""
    made = calls_with("x", "y")
    made.functions[0].node[0].output[0] = "t"
    made.functions[0].node.append(node("Max", " ".join(["t"] * 10000), "output", "Max"))
    made.graph.node[0].name = "/" + "c" * 100000
    return made


HOSTILE = {
    "calls itself": (lambda: ring("A"), "function 'p::A' calls itself"),
    "ring": (lambda: ring("A", "B", "C"), "calls itself, in 'p::"),
    "twice as often": (lambda: chain_of_calls(60, 2), "so often that their nodes would take"),
    "deep": (lambda: chain_of_calls(300), "more than 256 functions call each other"),
    "inputs": (lambda: calls_with("x x", "y"), "'/c' has 2 inputs, and its function 'p::One' has 1"),
    "outputs": (lambda: calls_with("x", "y z"), "'/c' has 2 outputs, and its function 'p::One' has 1"),
    "undeclared": (undeclared, "node 'Neg' of function 'p::One' takes its attribute 'b'"),
    "defined twice": (twice_defined, "function 'p::One' is defined twice"),
    "long names": (growing_names, "so often that their nodes would take"),
    "long values": (growing_values, "so often that their nodes would take"),
}


@case_for_each(HOSTILE)
def wrong_functions_are_refused(name):
    make, message = HOSTILE[name]
    limit = (4 << 30, 4 << 30)
    with scratch() as folder:
        onnx.save(make(), folder / "m.onnx")
        for command in ("inspect", "validate", "strip"):
            out = ("--out", folder / "s.onnx") if command == "strip" else ()
            result = run(command, folder / "m.onnx", *out, env=NO_SHIM, timeout=60,
                         preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, limit))
            check_line(result, EXIT_BAD_INPUT, message)
            assert not (folder / "s.onnx").exists()


@case
def many_layers_are_read():
    """A realistic maximum of layers: a hundred times the file."""
    with scratch() as folder:
        chain = "/".join(f"path.of.a.module.{i}: package.of.a.Class" for i in range(6))
        body = [node("Neg", f"v{k}" if k else "x", f"v{k + 1}" if k < 46 else "output", f"sub/Neg_{k}", "Sub",
                     namespace=f"{chain}/neg_{k}: aten.neg") for k in range(47)]
        values = ["x", *(f"/layer.{i}/out" for i in range(1023)), "y"]
        calls = [node("p::Layer", values[i], values[i + 1], f"/layer.{i}", f"/Net/Layer.{i}",
                      namespace=f": q.Net/{chain}/layers.{i}: q.Layer/forward: q.Layer") for i in range(1024)]
        file = folder / "m.onnx"
        onnx.save(model(calls, functions=[function("Layer", "x", "output", body)]), file)
        assert json.loads(ask("inspect", file, "--json", "--depth", "0"))["nodes"] == 1024 * 47
        assert len(ask("select", file, "--module", "/Net/Layer.7").split()) == 47
        result = run("select", file, "--module", "Layer.1024", env=NO_SHIM)
        check_line(result, EXIT_USAGE, "Layer.1024")
