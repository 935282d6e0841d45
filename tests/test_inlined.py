"""Files with functions answer as the flat files that they mean: names, tags, types, parts and numbers.

Both files of each pair are written by hand, from the rules of names and tags (core/onnx/inline.h).
"""

import json
import resource

import numpy
import onnx
import onnx.inliner
from google.protobuf import text_format
from onnx import AttributeProto, TensorProto, helper, numpy_helper

from harness import EXIT_BAD_INPUT, EXIT_OK, EXIT_USAGE, case, case_for_each, run, scratch
from numbers_check import session
from test_bad_input import check_line
from test_onnx_models import NO_SHIM, ask

F = TensorProto.FLOAT
OPSETS = [helper.make_opsetid("", 18), helper.make_opsetid("p", 1)]
PATHS = "pkg.torch.onnx.name_scopes"
CLASSES = "pkg.torch.onnx.class_hierarchy"
STACK = "pkg.torch.onnx.stack_trace"


# ---- making models ---------------------------------------------------------------------------------


def node(op, source, target, name, tag=None, tags=None, attributes=None, **texts):
    """A node of names that blanks separate ("-" is none); its tag is an attribute and metadata."""
    operands = [["" if name == "-" else name for name in names.split()] for names in (source, target)]
    domain, _, op = op.rpartition("::")
    made = helper.make_node(op, *operands, name=name, domain=domain or None, **(attributes or {}))
    if tag:
        made.attribute.append(helper.make_attribute("__source_module", tag))
        made.metadata_props.add(key="source_module", value=tag)
    if tags:
        made.attribute.append(helper.make_attribute("__hierarchy_tags", tags))
        made.metadata_props.add(key="hierarchy_tags", value=json.dumps(tags))
    for key, value in texts.items():
        key = {"paths": PATHS, "classes": CLASSES, "stack": STACK}.get(key, key)
        made.metadata_props.add(key=key, value=value if isinstance(value, str) else json.dumps(value))
    return made


def constant(name, value, tag=None, tags=None):
    tensor = numpy_helper.from_array(numpy.array(value, numpy.float32))
    return node("Constant", "", name, name, tag, tags, {"value": tensor})


def weight(name, value, *tags):
    made = numpy_helper.from_array(numpy.array(value, numpy.float32), name)
    if tags:
        made.metadata_props.add(key="hierarchy_tags", value=json.dumps(tags))
    return made


def typed(name, *dims, kind=F):
    return helper.make_tensor_value_info(name, kind, dims)


def function(name, inputs, outputs, nodes, infos=(), opsets=OPSETS, **more):
    return helper.make_function("p", name, inputs.split(), outputs.split(), nodes, opsets,
                                value_info=list(infos), **more)


def model(nodes, weights=(), infos=(), functions=(), inputs=None, outputs=None, opsets=None):
    graph = helper.make_graph(nodes, "g", inputs or [typed("x", "n", 3)], outputs or [typed("y", "n", 3)],
                              list(weights), value_info=list(infos))
    opsets = opsets or (OPSETS if functions else OPSETS[:1])
    return helper.make_model(graph, functions=list(functions), opset_imports=opsets, ir_version=10)


# ---- pairs -----------------------------------------------------------------------------------------


def shared():
    """Two instances of one class: tags, chains and stack traces go on from the calls'; dims that differ are
    open; constants are one."""
    def call(i, source, target):
        return node("p::Block", f"{source} w{i}", target, f"/{i}", f"/Net/Block.{i}",
                    full_tag=f"/Net/List/Block.{i}",
                    namespace=f": q.Net/layers.{i}: q.Block/forward: q.Block", stack=f"net {i}")

    block = function("Block", "x w", "output", [
        constant("/Constant_1", [2.0], "Act", ["Act", "."]),
        node("Mul", "x /Constant_1", "act/Mul_output_0", "act/Mul", "Act", full_tag="Act",
             namespace="act: q.Act/mul: aten.mul.Tensor", classes="['q.Act', 'aten.mul.Tensor']",
             paths="['act', 'mul']", stack="block\n  act"),
        node("Add", "act/Mul_output_0 /Constant_1", "Add_output_0", "Add", ".", [".", "Act"], full_tag=".",
             namespace="add: aten.add.Tensor", classes="['aten.add.Tensor']", paths="['add']", stack="block"),
        node("Concat", "Add_output_0 w", "output", "Concat", ".", attributes={"axis": 0}, full_tag=".",
             namespace="cat: aten.cat", classes="['aten.cat']", paths="['cat']"),
    ], [typed("act/Mul_output_0", None, 3), typed("Add_output_0", None, 3)])
    weights = [weight(f"w{i}", [[1.0, 2.0, 3.0]], f"/Net/Block.{i}") for i in range(2)]
    types = [typed("/0/Concat_output_0", "n + 1", 3)]

    def flat(i, source, target):
        tag, list_tag = f"/Net/Block.{i}", f"/Net/List/Block.{i}"
        chain, classes, paths = f": q.Net/layers.{i}: q.Block", "['q.Net', 'q.Block'", f"['', 'layers.{i}'"
        return [
            node("Mul", f"{source} /Constant_1", f"/{i}/act/Mul_output_0", f"/{i}/act/Mul", f"{tag}/Act",
                 full_tag=f"{list_tag}/Act", namespace=f"{chain}/layers.{i}.act: q.Act/mul: aten.mul.Tensor",
                 classes=f"{classes}, 'q.Act', 'aten.mul.Tensor']", paths=f"{paths}, 'layers.{i}.act', 'mul']",
                 stack=f"net {i}\n  block\n  act"),
            node("Add", f"/{i}/act/Mul_output_0 /Constant_1", f"/{i}/Add_output_0", f"/{i}/Add", tag,
                 [tag, f"{tag}/Act"], full_tag=list_tag, namespace=f"{chain}/add: aten.add.Tensor",
                 classes=f"{classes}, 'aten.add.Tensor']", paths=f"{paths}, 'add']", stack=f"net {i}\n  block"),
            node("Concat", f"/{i}/Add_output_0 w{i}", target, f"/{i}/Concat", tag, attributes={"axis": 0},
                 full_tag=list_tag, namespace=f"{chain}/cat: aten.cat", classes=f"{classes}, 'aten.cat']",
                 paths=f"{paths}, 'cat']"),
        ]

    end = {"outputs": [typed("y", "n + 2", 3)]}
    inner = [typed(f"/0/{name}_output_0", "n", 3) for name in ("act/Mul", "Add")]
    inner += [typed(f"/1/{name}_output_0", "n + 1", 3) for name in ("act/Mul", "Add")]
    users = ["/Net/Block.0/Act", "/Net/Block.0", "/Net/Block.1/Act", "/Net/Block.1"]
    return (model([call(0, "x", "/0/Concat_output_0"), call(1, "/0/Concat_output_0", "y")], weights, types,
                  [block], **end),
            model(flat(0, "x", "/0/Concat_output_0") + flat(1, "/0/Concat_output_0", "y"),
                  [*weights, weight("/Constant_1", [2.0], *users)], types + inner, **end))


def one_instance():
    """Tags are those of the flat file; a chain that does not begin with the model goes on from the call's."""
    chain = ": q.Net/a: q.Block"
    block = function("Block", "x", "output", [
        node("Neg", "x", "Neg_output_0", "Neg", "/Net/Block", namespace=f"{chain}/neg: aten.neg", stack="net\n  neg"),
        node("Abs", "Neg_output_0", "output", "Abs", "/Net/Block", namespace="abs: aten.abs", stack="abs")],
        [typed("Neg_output_0", "n", 3)])
    return (model([node("p::Block", "x", "y", "/a", "/Net/Block", namespace=f"{chain}/forward: q.Block",
                        stack="net")], functions=[block]),
            model([node("Neg", "x", "/a/Neg_output_0", "/a/Neg", "/Net/Block", namespace=f"{chain}/neg: aten.neg",
                        stack="net\n  neg"),
                   node("Abs", "/a/Neg_output_0", "y", "/a/Abs", "/Net/Block", namespace=f"{chain}/abs: aten.abs",
                        stack="net\n  abs")], infos=[typed("/a/Neg_output_0", "n", 3)]))


def nested():
    """A function that calls another one twice, under paths of odd names."""
    inner = function("Inner", "x", "output", [
        node("Neg", "x", "output", "Neg", ".", namespace="neg: aten.neg", paths="['neg']", classes="['aten.neg']")])
    outer = function("Outer", "x", "output", [
        node("p::Inner", "x", "it's/Neg_output_0", "it's", "Inner.it's",
             namespace="it's: q.Inner/forward: q.Inner"),
        node("p::Inner", "it's/Neg_output_0", "b%2Fc/Neg_output_0", "b%2Fc", "Inner.b%2Fc",
             namespace="b%2Fc: q.Inner/forward: q.Inner", stack="outer"),
        node("Abs", "b%2Fc/Neg_output_0", "output", "Abs", ".", namespace="abs: aten.abs", paths="['abs']",
             classes="['aten.abs']")],
        [typed("it's/Neg_output_0", "n", 3), typed("b%2Fc/Neg_output_0", "n", 3)])
    calls = [node("p::Outer", source, target, f"/{name}", f"/Net/Outer.{name}",
                  namespace=f": q.Net/{name}: q.Outer/forward: q.Outer", stack=name)
             for name, source, target in (("a", "x", "/a/Abs_output_0"), ("b", "/a/Abs_output_0", "y"))]

    def flat(name, source, target):
        chain = f": q.Net/{name}: q.Outer"
        return [
            node("Neg", source, f"/{name}/it's/Neg_output_0", f"/{name}/it's/Neg", f"/Net/Outer.{name}/Inner.it's",
                 namespace=f"{chain}/{name}.it's: q.Inner/neg: aten.neg", paths=f"""['', '{name}', "{name}.it's", 'neg']""",
                 classes="['q.Net', 'q.Outer', 'q.Inner', 'aten.neg']"),
            node("Neg", f"/{name}/it's/Neg_output_0", f"/{name}/b%2Fc/Neg_output_0", f"/{name}/b%2Fc/Neg",
                 f"/Net/Outer.{name}/Inner.b%2Fc", namespace=f"{chain}/{name}.b%2Fc: q.Inner/neg: aten.neg",
                 paths=f"['', '{name}', '{name}.b/c', 'neg']", classes="['q.Net', 'q.Outer', 'q.Inner', 'aten.neg']"),
            node("Abs", f"/{name}/b%2Fc/Neg_output_0", target, f"/{name}/Abs", f"/Net/Outer.{name}",
                 namespace=f"{chain}/abs: aten.abs", paths=f"['', '{name}', 'abs']",
                 classes="['q.Net', 'q.Outer', 'aten.abs']")]

    types = [typed("/a/Abs_output_0", "n", 3)]
    inside = [typed(f"/{m}/{i}/Neg_output_0", "n", 3) for m in "ab" for i in ("it's", "b%2Fc")]
    return (model(calls, infos=types, functions=[inner, outer]),
            model(flat("a", "x", "/a/Abs_output_0") + flat("b", "/a/Abs_output_0", "y"), infos=types + inside))


def branch(op, source, name, target, tag):
    return helper.make_graph([node(op, source, target, name, tag)], "branch", [], [typed(target, "n", 3)])


def bodies():
    """An If in a function, whose branches read the function's values and call another function; and in the
    model a Loop whose body calls functions."""
    leaf = function("Leaf", "x", "output", [node("Neg", "x", "output", "Neg", ".")])

    def choose(prefix, source, tag):
        at = f"{prefix}/" if prefix else ""
        act = f"{tag}/Leaf" if prefix else "Leaf"
        op = "Neg" if prefix else "p::Leaf"
        called = f"{at}leaf/Neg" if prefix else "leaf"
        return {"then_branch": branch(op, f"{at}Abs_output_0", called, f"{at}leaf/Neg_output_0", act),
                "else_branch": branch("Mul", f"{at}Abs_output_0 /Constant", f"{at}Mul", f"{at}Mul_output_0", tag)}

    def nodes(prefix, source, tag, target):
        at = f"{prefix}/" if prefix else ""
        return [node("Abs", source, f"{at}Abs_output_0", f"{at}Abs", tag),
                node("If", "c", target, f"{at}If", tag, attributes=choose(prefix, source, tag))]

    block = function("Block", "x c", "output",
                     [constant("/Constant", [3.0], "."), *nodes("", "x", ".", "output")],
                     [typed("Abs_output_0", "n", 3)])

    def loop(inside, infos=()):
        return node("Loop", "count c x", "y", "/Loop", "/Net", attributes={"body": helper.make_graph(
            [*inside, node("Identity", "c", "go", "/Identity", "/Net")], "body",
            [typed("i", kind=TensorProto.INT64), typed("before", kind=TensorProto.BOOL), typed("v", "n", 3)],
            [typed("go", kind=TensorProto.BOOL), typed("next", "n", 3)], value_info=infos)})

    weights = [numpy_helper.from_array(numpy.array(3), "count"), numpy_helper.from_array(numpy.array(True), "c")]
    for each, users in zip(weights, (["/Net"], ["/Net", "/Net/Block"])):
        each.metadata_props.add(key="hierarchy_tags", value=json.dumps(users))
    return (model([loop([node("p::Block", "v c", "next", "/block", "/Net/Block")])], weights, functions=[leaf, block]),
            model([loop(nodes("/block", "v", "/Net/Block", "next"), [typed("/block/Abs_output_0", "n", 3)])],
                  [*weights, weight("/Constant", [3.0], "/Net/Block")]))


def repeated():
    """One module that runs three times, and one in it twice each time: nodes and calls are numbered on."""
    inner = function("Inner", "x", "output", [node("Neg", "x", "output", "Neg", ".")])
    block = function("Block", "x", "output", [
        node("p::Inner", "x", "in/Neg_output_0", "in", "Inner", call="0", calls={"in": [0]}, namespace="in: q.Inner/forward: q.Inner"),
        node("p::Inner", "in/Neg_output_0", "in/Neg_1_output_0", "in#1", "Inner", call="1", calls={"in": [1]},
             namespace="in: q.Inner/forward: q.Inner"),
        node("Abs", "in/Neg_1_output_0", "Abs_output_0", "Abs", "."),
        node("Abs", "Abs_output_0", "output", "Abs_1", ".")])
    names = ["x", "/s/Abs_1_output_0", "/s/Abs_3_output_0", "y"]
    calls = [node("p::Block", names[i], names[i + 1], f"/s#{i}" if i else "/s", "/Net/Block", call=str(i),
                  calls={"s": [i]}, namespace=": q.Net/s: q.Block/forward: q.Block",
                  **({"first_calls": {"in": 2 * i}} if i else {})) for i in range(3)]

    def number(base, i):
        return f"{base}_{i}" if i else base

    flat = []
    for i in range(3):
        source = names[i]
        for k in range(2):
            name = number("/s/in/Neg", 2 * i + k)
            flat.append(node("Neg", source, f"{name}_output_0", name, "/Net/Block/Inner", call=str(2 * i + k),
                             calls={"s": [i], "s.in": [2 * i + k]}))
            source = f"{name}_output_0"
        for k in range(2):
            name = number("/s/Abs", 2 * i + k)
            target = names[i + 1] if k else f"{name}_output_0"
            flat.append(node("Abs", source, target, name, "/Net/Block", call=str(i), calls={"s": [i]}))
            source = target
    return model(calls, functions=[inner, block]), model(flat)


def references():
    """Attributes that functions take: given, by default, left out, and handed on."""
    def reference(kind, name, taken):
        return AttributeProto(name=name, ref_attr_name=taken, type=kind)

    inner = function("Inner", "x", "output", [node("LeakyRelu", "x", "output", "LeakyRelu", ".")],
                     attributes=["slope"])
    inner.node[0].attribute.append(reference(AttributeProto.FLOAT, "alpha", "slope"))
    outer = function("Outer", "x", "output", [
        node("p::Inner", "x", "in/LeakyRelu_output_0", "in", "Inner"),
        node("Elu", "in/LeakyRelu_output_0", "output", "Elu", ".")],
        attributes=["slope"], attribute_protos=[helper.make_attribute("power", 0.5)])
    outer.node[0].attribute.append(reference(AttributeProto.FLOAT, "slope", "slope"))
    outer.node[1].attribute.append(reference(AttributeProto.FLOAT, "alpha", "power"))
    ways = [{"slope": 0.25}, {"slope": 0.5, "power": 2.0}, {}]
    values = ["x", "/0/Elu_output_0", "/1/Elu_output_0", "y"]
    calls = [node("p::Outer", values[i], values[i + 1], f"/{i}", f"/Net/Outer.{i}", attributes=way)
             for i, way in enumerate(ways)]
    flat = []
    for i, way in enumerate(ways):
        slope = {"alpha": way["slope"]} if "slope" in way else {}
        flat.append(node("LeakyRelu", values[i], f"/{i}/in/LeakyRelu_output_0", f"/{i}/in/LeakyRelu",
                         f"/Net/Outer.{i}/Inner", attributes=slope))
        flat.append(node("Elu", f"/{i}/in/LeakyRelu_output_0", values[i + 1], f"/{i}/Elu", f"/Net/Outer.{i}",
                         attributes={"alpha": way.get("power", 0.5)}))
    return model(calls, functions=[inner, outer]), model(flat)


def foreign():
    """Functions of other exporters: nodes without tags ran in their call's module."""
    chain = {"namespace": ": q.Net/a: q.Block/linear: aten.linear", "call": "0", "stack": "net"}
    linear = function("linear", "x w", "out", [constant("k", 1.5), node("Mul", "x k", "m", "n0"),
                                               node("Add", "m w", "out", "")])
    users = ["/Net/Block", "/Net"]
    weights = [weight("w", [1.0, 2.0, 3.0], *users), weight("k", 1.5, *users)]
    return (model([node("p::linear", "x w", "y", "node_linear", "/Net/Block", ["/Net/Block", "/Net"], **chain)],
                  weights[:1], functions=[linear]),
            model([node("Mul", "x k", "node_linear/m", "node_linear/n0", "/Net/Block", ["/Net/Block", "/Net"], **chain),
                   node("Add", "node_linear/m w", "y", "", "/Net/Block", ["/Net/Block", "/Net"], **chain)], weights))


def operators():
    """A function takes the place of an operator of its name; overloads are functions of their own."""
    own = helper.make_function("", "Neg", ["x"], ["output"], [node("Abs", "x", "output", "Abs", ".")], OPSETS)
    kinds = [function("Kind", "x", "output", [node(op, "x", "output", op, ".")], overload=overload)
             for op, overload in (("Exp", ""), ("Sign", "int"))]
    calls = [node("Neg", "x", "/a/Abs_output_0", "/a", "/Net/A"),
             node("p::Kind", "/a/Abs_output_0", "/b/Exp_output_0", "/b", "/Net/B"),
             node("p::Kind", "/b/Exp_output_0", "y", "/c", "/Net/C")]
    calls[2].overload = "int"
    return (model(calls, functions=[own, *kinds]),
            model([node("Abs", "x", "/a/Abs_output_0", "/a/Abs", "/Net/A"),
                   node("Exp", "/a/Abs_output_0", "/b/Exp_output_0", "/b/Exp", "/Net/B"),
                   node("Sign", "/b/Exp_output_0", "y", "/c/Sign", "/Net/C")]))


def handed_on():
    """What a function hands on has two names where the model needs both; inputs and outputs may be left out."""
    inner = function("Same", "x unused", "one two", [
        node("Neg", "x", "one", "Neg", "."), node("Abs", "x", "two", "Abs", ".")])
    passes = function("Pass", "x", "x", [])
    outer = function("Outer", "x", "output", [
        node("p::Same", "x", "same/Neg_output_0", "same", "Same"),
        node("p::Pass", "same/Neg_output_0", "pass/x", "pass", "Pass"),
        node("Add", "pass/x same/Neg_output_0", "output", "Add", ".")])
    calls = [node("p::Outer", "x", "/o/Add_output_0", "/o", "/Net/Outer"),
             node("p::Pass", "/o/Add_output_0", "p", "/p", "/Net/Pass"),
             node("p::Same", "p -", "- y", "/s", "/Net/Same")]
    return (model(calls, functions=[inner, passes, outer], outputs=[typed("y", "n", 3), typed("p", "n", 3)]),
            model([node("Neg", "x", "/o/same/Neg_output_0", "/o/same/Neg", "/Net/Outer/Same"),
                   node("Abs", "x", "/o/same/Abs_output_0", "/o/same/Abs", "/Net/Outer/Same"),
                   node("Add", "/o/same/Neg_output_0 /o/same/Neg_output_0", "/o/Add_output_0", "/o/Add", "/Net/Outer"),
                   node("Identity", "/o/Add_output_0", "p", "/p/Identity", "/Net/Pass"),
                   node("Neg", "p", "/s/Neg_output_0", "/s/Neg", "/Net/Same"),
                   node("Abs", "p", "y", "/s/Abs", "/Net/Same")], outputs=[typed("y", "n", 3), typed("p", "n", 3)]))


def constants():
    """Equal ones of one name are one, the model's own included; others get names of their own. They stand
    behind weights, by number."""
    def block(name, *values):
        nodes = [constant(at, value, ".") for at, value in values]
        source = "x"
        for i, (at, _) in enumerate(values):
            target = "output" if i + 1 == len(values) else f"Add{'_' + str(i) if i else ''}_output_0"
            nodes.append(node("Add", f"{source} {at}", target, f"Add_{i}" if i else "Add", "."))
            source = target
        return function(name, "x", "output", nodes)

    functions = [block("A", ("/Constant_10", 1.0), ("/Constant_2", 2.0)), block("B", ("/Constant_2", 2.0), ("/Constant_3", 3.0)),
                 block("C", ("/Constant_2", 4.0))]
    own = [weight("/Constant_3", 3.0, "/Net", "/Net/B"), weight("w", 1.0, "/Net")]
    values = ["x", "/a/Add_1_output_0", "/b/Add_1_output_0", "/c/Add_output_0"]
    end = [node("Mul", "/c/Add_output_0 /Constant_3", "/Mul_output_0", "/Mul", "/Net"),
           node("Mul", "/Mul_output_0 w", "y", "/Mul_1", "/Net")]
    calls = [node(f"p::{name}", values[i], values[i + 1], f"/{name.lower()}", f"/Net/{name}")
             for i, name in enumerate("ABC")]
    flat = []
    for i, (name, read) in enumerate(zip("abc", (("_10", "_2"), ("_2", "_3"), ("_2_1",)))):
        source = values[i]
        for k, number in enumerate(read):
            at = f"/{name}/Add_{k}" if k else f"/{name}/Add"
            flat.append(node("Add", f"{source} /Constant{number}", f"{at}_output_0", at, f"/Net/{name.upper()}"))
            source = f"{at}_output_0"
    return (model(calls + end, own, functions=functions),
            model(flat + end, [own[1], weight("/Constant_2", 2.0, "/Net/A", "/Net/B"), own[0],
                               weight("/Constant_10", 1.0, "/Net/A"), weight("/Constant_2_1", 4.0, "/Net/C")]))


def taken_names():
    """Names that the model's own nodes and values have are theirs."""
    block = function("Block", "x", "output", [node("Neg", "x", "Neg_output_0", "Neg", "."),
                                              node("Neg", "Neg_output_0", "v", "Neg_1", "."),
                                              node("Abs", "v", "output", "Abs", ".")])
    own = [node("Exp", "u", "/a/v", "/a/Neg", "/Net/A"), node("Exp", "/a/v", "y", "/a/Abs_1", "/Net/A")]
    return (model([node("p::Block", "x", "u", "/a", "/Net/A"), *own], functions=[block]),
            model([node("Neg", "x", "/a/Neg_1_output_0", "/a/Neg_1", "/Net/A"),
                   node("Neg", "/a/Neg_1_output_0", "/a/v_1", "/a/Neg_2", "/Net/A"),
                   node("Abs", "/a/v_1", "u", "/a/Abs", "/Net/A"), *own]))


PAIRS = {f.__name__: f for f in (shared, one_instance, nested, bodies, repeated, references, foreign, operators,
                                 handed_on, constants, taken_names)}


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
    """What commands say of a model, without its path."""
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
        if name != "handed_on":  # ONNX Runtime takes no call that leaves an output out
            assert all(map(numpy.array_equal, numbers_of(functions), numbers_of(flat)))


def canonical(made) -> onnx.ModelProto:
    """Without orders that mean nothing."""
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
    """Another inliner leaves relative tags: they are the ends of the flat file's."""
    with scratch() as folder:
        functions, flat = save_pair(folder, name)
        if name in ("handed_on", "operators", "references"):
            return  # it takes no function for an operator, and no default of an attribute
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


# ---- what stays a function -------------------------------------------------------------------------


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
    """Operators that the model's own nodes do not have."""
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
    """They are written from memory, or from where they lie beside the model."""
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
                 tagged_block(["/Net/A"], "/Net/A/Inner"), tagged_block(["/Net/A"], "Inner")]
        assert not any(findings(folder, made) for made in right)
        for made, part in (
                (tagged_block(["/Net/A", "/Net/B"], "/Net/A"), "absolute, and calls of '/Net/A' and '/Net/B' run it"),
                (tagged_block(["/Net/A"], "/Net/AB"), "absolute, and not below '/Net/A' of its call"),
                (tagged_block([None], "Inner"), "the tag 'Inner' is relative, and no call of a function says"),
                (model([node("Neg", "x", "y", "/n", "Inner")]), "the tag 'Inner' is relative"),
                (with_records(tagged_block(["/Net/A"], "Lost"), "/Net", "/Net/A"),
                 "node '/0/Neg': '/Net/A/Lost' is no module of htp.module_tree")):
            found = findings(folder, made)
            assert any(part in text for text in found), (part, found)


@case
def names_of_functions_are_their_own():
    """Nodes of two functions, and of the model, may be called alike; two of one function may not."""
    with scratch() as folder:
        twice = [node("Neg", "x", "t", "Neg", "."), node("Neg", "t", "output", "Neg", ".")]
        one = function("One", "x", "output", twice[1:])
        one.node[0].input[0] = "x"
        nodes = [node("p::One", "x", "t", "/a", "/Net/A"), node("p::Two", "t", "y", "/b", "/Net/B")]
        right = model(nodes, functions=[one, function("Two", "x", "output", one.node)])
        assert findings(folder, right) == []
        assert findings(folder, model(nodes, functions=[one, function("Two", "x", "output", twice)])) == [
            "node 'Neg': another node has this name"]


# ---- what is no function ---------------------------------------------------------------------------


def chain_of_calls(count, calls=1):
    """Functions that call each other, each so often."""
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
    """One value that is read often under a long name."""
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
    """As many as may be asked for in earnest: a hundred times the file."""
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
