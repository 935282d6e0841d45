"""Pairs of a file with functions and its flat file, both written by hand from the rules of names and tags
(core/onnx/inliner/inline.h), and their building blocks."""

import json

import numpy
from onnx import AttributeProto, TensorProto, helper, numpy_helper

F = TensorProto.FLOAT
OPSETS = [helper.make_opsetid("", 18), helper.make_opsetid("p", 1)]
PATHS = "pkg.torch.onnx.name_scopes"
CLASSES = "pkg.torch.onnx.class_hierarchy"
STACK = "pkg.torch.onnx.stack_trace"


# ---- making models ---------------------------------------------------------------------------------


def node(op, source, target, name, tag=None, tags=None, attributes=None, **texts):
    """A node; names are separated by blanks ("-" is none). Its tag is an attribute and metadata."""
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
    """Two instances of one class: tags, chains and stack traces continue those of the calls; dims that differ are
    open; equal constants are merged."""
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
    """Tags are those of the flat file; a chain that does not begin with the model continues that of the call."""
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
    """An If in a function, whose branches read the function's values and call another function; and a Loop in the
    model, whose body calls functions."""
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
    """One module that runs three times, and one in it twice each time: nodes and calls are numbered consecutively."""
    inner = function("Inner", "x", "output", [node("Neg", "x", "output", "Neg", ".", namespace="neg: aten.neg")])
    forward = {"namespace": "in: q.Inner/forward: q.Inner"}
    block = function("Block", "x", "output", [
        node("p::Inner", "x", "in/Neg_output_0", "in", "Inner", call="0", calls={"in": [0]}, **forward),
        node("p::Inner", "in/Neg_output_0", "in/Neg_1_output_0", "in#1", "Inner", call="1", calls={"in": [1]}, **forward),
        node("Abs", "in/Neg_1_output_0", "Abs_output_0", "Abs", ".", namespace="abs: aten.abs"),
        node("Abs", "Abs_output_0", "output", "Abs_1", ".", namespace="abs: aten.abs")])
    names = ["x", "/s/Abs_1_output_0", "/s/Abs_3_output_0", "y"]
    chain = ": q.Net/s: q.Block"
    calls = [node("p::Block", names[i], names[i + 1], f"/s#{i}" if i else "/s", "/Net/Block", call=str(i),
                  calls={"s": [i]}, namespace=f"{chain}/forward: q.Block", first_calls={"in": 2 * i}) for i in range(3)]

    def number(base, i):
        return f"{base}_{i}" if i else base

    flat = []
    for i in range(3):
        source = names[i]
        for k in range(2):
            name = number("/s/in/Neg", 2 * i + k)
            flat.append(node("Neg", source, f"{name}_output_0", name, "/Net/Block/Inner", call=str(2 * i + k),
                             calls={"s": [i], "s.in": [2 * i + k]}, namespace=f"{chain}/s.in: q.Inner/neg: aten.neg"))
            source = f"{name}_output_0"
        for k in range(2):
            name = number("/s/Abs", 2 * i + k)
            target = names[i + 1] if k else f"{name}_output_0"
            flat.append(node("Abs", source, target, name, "/Net/Block", call=str(i), calls={"s": [i]},
                             namespace=f"{chain}/abs: aten.abs"))
            source = target
    return model(calls, functions=[inner, block]), model(flat)


def references():
    """Attributes of functions: given, by default, left out, and passed on."""
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
    """A function overrides an operator of its name; overloads are separate functions."""
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
    """A value passed through by a function has two names if the model needs both; inputs and outputs may be omitted."""
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
    """Equal ones of one name are merged, including the model's own; others get separate names. They follow weights, by
    number."""
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
    """The model's own nodes and values keep their names."""
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
