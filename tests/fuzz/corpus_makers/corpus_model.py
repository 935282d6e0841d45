"""The fuzzers' initial corpus of ONNX models: places of tags, parts of graphs, and errors."""

import json

import numpy as np
from onnx import AttributeProto, TensorProto, helper, numpy_helper

FLOAT = TensorProto.FLOAT


def value(name, dims=(2,), dtype=FLOAT):
    return helper.make_tensor_value_info(name, dtype, dims)


def node(op_type, inputs, outputs, name="", **attributes):
    return helper.make_node(op_type, inputs, outputs, name=name, **attributes)


def graph(nodes, inputs=("x",), outputs=("y",), **more):
    return helper.make_graph(nodes, "g", [value(i) for i in inputs], [value(o) for o in outputs], **more)


def model(made, **more):
    more = {"ir_version": 10, "opset_imports": [helper.make_opsetid("", 18)], **more}
    return helper.make_model(made, **more)


def chain(count=4):
    """Neg after Neg; every second one in a layer of its own."""
    names = ["x", *(f"v{i}" for i in range(1, count)), "y"]
    return [node("Neg", [names[i]], [names[i + 1]], f"/layer.{i // 2}/Neg_{i}") for i in range(count)]


# ---- where tags are --------------------------------------------------------------------------------


def tagged(by):
    nodes = chain()
    for i, made in enumerate(nodes):
        by(made, f"/Net/Layer.{i // 2}/Act")
    return model(graph(nodes))


def by_attribute(made, tag):
    made.attribute.append(helper.make_attribute("__source_module", tag))
    made.attribute.append(helper.make_attribute("__hierarchy_tags", [tag, "/Net/Other"]))


def by_metadata(made, tag):
    made.metadata_props.add(key="source_module", value=tag)
    made.metadata_props.add(key="hierarchy_tags", value=json.dumps([tag, "/Net/Other"]))


def by_doc_string(made, tag):
    made.doc_string = f"source_module: {tag}\nhierarchy_tags: {json.dumps([tag])}"


def by_layer(made, tag):
    made.metadata_props.add(key="layer_ann", value=tag)


def by_namespace(made, tag):
    path = tag.lower().replace("/", ".").strip(".")
    made.metadata_props.add(key="namespace", value=f": m.Net/{path}: m.Act/{path}.neg: aten.neg")


def by_namespace_of_torch(made, tag):
    """Modules without a tag, far below all tags."""
    path = tag.lower().replace("/", ".").strip(".")
    below = "/".join(f"{path}.{'a.' * i}b: torch.nn.modules.linear.Linear" for i in range(12))
    made.metadata_props.add(key="namespace", value=f": m.Net/{path}: m.Act/{below}: aten.neg")


def by_name_scopes(made, tag):
    made.metadata_props.add(key="pkg.torch.onnx.name_scopes", value=str(["", tag.lower(), "neg"]))
    made.metadata_props.add(key="pkg.torch.onnx.class_hierarchy", value=str(["m.Net", "m.Act", "aten.neg"]))


def records():
    """Every node with all metadata, and the module tree."""
    made = tagged(by_attribute)
    modules = []
    for path, name in (("", "Net"), ("layer", "Layer"), ("layer.act", "Act")):
        tag = "/Net" + {"": "", "layer": "/Layer.0", "layer.act": "/Layer.0/Act"}[path]
        modules.append({
            "tag": tag, "full_tag": tag, "path": path, "aliases": [], "class": name,
            "qualified_class": f"m.{name}", "is_torch_nn": False, "level": tag.count("/") - 1,
            "calls": 1, "parameters": {"own": 0, "total": 0, "trainable": 0, "bytes": 0, "shapes": {}},
            "nodes": {"own": 2, "tagged": 2, "total": 2}})
    for key, text in (("htp.module_tree", json.dumps({"rules": 1, "modules": modules})), ("htp.tag_rules", "1")):
        made.metadata_props.add(key=key, value=text)
    for each in made.graph.node:
        each.metadata_props.add(key="full_tag", value="/Net/Layer.0/Act")
        each.metadata_props.add(key="pkg.torch.onnx.stack_trace", value='File "m.py", line 3, in forward')
    return made


# ---- what graphs are made of -----------------------------------------------------------------------


def bodies():
    """An If in a Loop, which reads values outside of both."""
    branch = lambda op: helper.make_graph([node(op, ["x"], ["b"], f"/cell/{op}")], op, [], [value("b")])
    choice = node("If", ["keep"], ["next"], "/loop/If", then_branch=branch("Neg"), else_branch=branch("Abs"))
    body = helper.make_graph(
        [choice, node("Identity", ["keep"], ["go"])], "body",
        [value("i", (), TensorProto.INT64), value("keep", (), TensorProto.BOOL), value("before")],
        [value("go", (), TensorProto.BOOL), value("next")])
    loop = node("Loop", ["n", "c", "x"], ["y"], "/loop/Loop", body=body)
    weights = [numpy_helper.from_array(np.array(3), "n"), numpy_helper.from_array(np.array(True), "c")]
    return model(graph([loop], initializer=weights))


def later():
    """A body that returns what a later node makes."""
    choice = node("If", ["c"], ["a"], "/if/If", then_branch=helper.make_graph([], "t", [], [value("y")]))
    return model(graph([choice, node("Neg", ["a"], ["y"], "/neg/Neg")], inputs=("x", "c")))


def functions():
    inner = helper.make_function("d", "Inner", ["a"], ["b"], [node("Neg", ["a"], ["b"], "n")],
                                 [helper.make_opsetid("", 18)])
    outer = helper.make_function("d", "Outer", ["a"], ["b"], [
        node("Inner", ["a"], ["c"], "first", domain="d"), node("Inner", ["c"], ["b"], "second", domain="d")],
        [helper.make_opsetid("", 18), helper.make_opsetid("d", 1)])
    made = model(graph([node("Outer", ["x"], ["y"], "/outer", domain="d")]), functions=[inner, outer])
    made.opset_import.append(helper.make_opsetid("d", 1))
    return made


def tagged_node(made, tag, **metadata):
    made.attribute.append(helper.make_attribute("__source_module", tag))
    for key, text in {"source_module": tag, **metadata}.items():
        made.metadata_props.add(key=key, value=text)
    return made


def calls():
    """Functions with tags: a module that runs twice and one in it, constants, attributes of calls, an If, a
    Loop that calls."""
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("d", 1)]
    slope = tagged_node(node("LeakyRelu", ["a"], ["b"], "LeakyRelu_1"), ".", full_tag=".",
                        namespace="leaky: aten.leaky", **{"pkg.torch.onnx.name_scopes": "['leaky']",
                                                          "pkg.torch.onnx.class_hierarchy": "['aten.leaky']"})
    slope.attribute.add(name="alpha", ref_attr_name="slope", type=AttributeProto.FLOAT)
    inner = helper.make_function("d", "Inner", ["a"], ["b"], [slope], opsets, attributes=["slope"],
                                 value_info=[value("b", None)])
    branch = lambda op: helper.make_graph([tagged_node(node(op, ["c"], ["e"], op), "Act")], op, [], [value("e")],
                                          [numpy_helper.from_array(np.ones(2, np.float32), "w")])
    constant = tagged_node(node("Constant", [], ["/Constant_1"], value=numpy_helper.from_array(np.array(True))), ".")
    constant.metadata_props.add(key="hierarchy_tags", value='[".", "Act"]')
    outer = helper.make_function("d", "Outer", ["a"], ["b", "a"], [
        constant,
        tagged_node(node("Inner", ["a"], ["in/LeakyRelu_output_0"], "in", domain="d", slope=0.5), "Inner",
                    calls='{"in": [0]}', call="0", namespace="in: q.Inner/forward: q.Inner"),
        tagged_node(node("Inner", ["in/LeakyRelu_output_0"], ["c"], "in#1", domain="d"), "Inner", calls='{"in": [1]}'),
        tagged_node(
            node("If", ["/Constant_1"], ["b"], "If", then_branch=branch("Neg"), else_branch=branch("Abs")), ".")],
        opsets)
    call = lambda x, y, name, **more: tagged_node(
        node("Outer", [x], [y, y + "_same"], name, domain="d"), "/Net/Outer",
        namespace=": q.Net/o%2F: q.Outer/forward: q.Outer", calls='{"o": [0]}', **more)
    body = helper.make_graph(
        [call("before", "next", "/o#1", first_calls='{"in": 2}'), node("Identity", ["keep"], ["go"])], "body",
        [value("i", (), TensorProto.INT64), value("keep", (), TensorProto.BOOL), value("before")],
        [value("go", (), TensorProto.BOOL), value("next")])
    weights = [numpy_helper.from_array(np.array(3), "n"), numpy_helper.from_array(np.array(True), "c")]
    made = model(graph([call("x", "first", "/o"), node("Loop", ["n", "c", "first"], ["y"], "/Loop", body=body)],
                       initializer=weights), functions=[inner, outer])
    made.opset_import.append(helper.make_opsetid("d", 1))
    return made


def kept_calls():
    """A function with other operator versions than the model's stays; nodes without tags have their call's."""
    made = calls()
    made.functions[0].opset_import[0].version = 17
    for each in made.functions[1].node:
        del each.attribute[:], each.metadata_props[:]
    return made


def ring():
    functions = [helper.make_function("d", name, ["a"], ["b"], [node(called, ["a"], ["b"], "c", domain="d")], [])
                 for name, called in (("A", "B"), ("B", "A"))]
    return model(graph([node("A", ["x"], ["y"], "/a", domain="d")]), functions=functions)


def attributes():
    tensor = numpy_helper.from_array(np.arange(3, dtype=np.float32), "t")
    sparse = helper.make_sparse_tensor(tensor, numpy_helper.from_array(np.array([0, 2, 4]), "i"), [9])
    type_proto = helper.make_tensor_type_proto(FLOAT, [2, "n"])
    kinds = {"f": 1.5, "i": 3, "s": "text", "t": tensor, "g": graph([node("Neg", ["x"], ["y"])]),
             "fs": [1.5, 2.5], "is_": [1, 2, 3], "ss": ["a", "b"], "ts": [tensor, tensor],
             "gs": [graph([node("Neg", ["x"], ["y"])])], "sp": sparse, "tp": type_proto}
    made = node("Odd", ["x"], ["y"], "/odd", domain="my", **kinds)
    reference = made.attribute.add(name="r", ref_attr_name="outer", type=AttributeProto.INT)
    assert reference.ref_attr_name
    return model(graph([made]), opset_imports=[helper.make_opsetid("my", 1)])


def weights():
    """Raw and typed data, shared, sparse, strings, scalars and empty tensors."""
    made = [numpy_helper.from_array(np.arange(6, dtype=np.float32).reshape(2, 3), "raw"),
            helper.make_tensor("typed", FLOAT, [2], [1.0, 2.0]),
            helper.make_tensor("ints", TensorProto.INT64, [2], [1, 2]),
            helper.make_tensor("half", TensorProto.FLOAT16, [2], [1.0, 2.0]),
            helper.make_tensor("text", TensorProto.STRING, [2], [b"a", b"bc"]),
            helper.make_tensor("number", FLOAT, [], [1.0]), helper.make_tensor("none", FLOAT, [0], [])]
    sparse = helper.make_sparse_tensor(helper.make_tensor("sparse", FLOAT, [1], [1.0]),
                                       helper.make_tensor("sparse_indices", TensorProto.INT64, [1], [1]), [4])
    nodes = [node("Add", ["x", each.name], [f"a{i}"], f"/a/{i}") for i, each in enumerate(made)]
    nodes += [node("Add", ["x", "raw"], ["y"], "/b/Add"), node("Neg", ["sparse"], ["z"], "/b/Neg")]
    whole = model(graph(nodes, inputs=("x", "raw"), initializer=made, sparse_initializer=[sparse]))
    whole.graph.initializer[0].metadata_props.add(key="hierarchy_tags", value='["/Net"]')
    return whole


def types():
    """Values that are no tensors, dims of all kinds."""
    tensor = helper.make_tensor_type_proto(FLOAT, ["batch", None, 3])
    infos = [helper.make_value_info("x", helper.make_sequence_type_proto(tensor)),
             helper.make_value_info("o", helper.make_optional_type_proto(tensor)),
             helper.make_value_info("m", helper.make_map_type_proto(
                 TensorProto.STRING, helper.make_sequence_type_proto(tensor))),
             helper.make_sparse_tensor_value_info("s", FLOAT, [2]), value("scalar", ()), value("unknown", None)]
    names = [i.name for i in infos]
    made = helper.make_graph([node("Many", names, ["y"], "/many", domain="my")], "g", infos, [value("y")])
    return model(made, opset_imports=[helper.make_opsetid("my", 1)])


def external():
    made = model(graph([node("Add", ["x", "w"], ["y"])],
                       initializer=[numpy_helper.from_array(np.zeros(64, np.float32), "w")]))
    tensor = made.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    for key, text in (("location", "w.data"), ("offset", "0"), ("length", "256")):
        tensor.external_data.add(key=key, value=text)
    return made


# ---- what is wrong ---------------------------------------------------------------------------------


def wrong_graphs():
    yield "cycle", graph([node("Neg", ["y"], ["a"], "n"), node("Neg", ["a"], ["y"], "m")])
    yield "twice", graph([node("Neg", ["x"], ["y"], "n"), node("Neg", ["x"], ["y"], "n")])
    yield "lost", graph([node("Neg", ["lost"], ["y"])])
    large = numpy_helper.from_array(np.zeros(3, np.float32), "w")
    del large.dims[:]
    large.dims.extend([1 << 62, 1 << 62])
    yield "dims", graph([node("Add", ["x", "w"], ["y"])], initializer=[large])
    yield "empty", graph([], outputs=())


def nested(depth):
    made = helper.make_graph([node("Neg", ["x"], ["b"])], "g", [], [value("b")])
    for _ in range(depth):
        choice = node("If", ["c"], ["b"], then_branch=made, else_branch=made if depth < 4 else graph([]))
        made = helper.make_graph([choice], "g", [], [value("b")])
    return made


def scalar():
    """Impossible dims."""
    return model(graph([node("Add", ["x", "w"], ["y"])], initializer=[helper.make_tensor("w", FLOAT, [], [1.0])]))


def empty_scopes():
    """Metadata without values."""
    made = tagged(by_name_scopes)
    for each in made.graph.node:
        for entry in each.metadata_props:
            entry.ClearField("value")
    return made


def untyped():
    """Types to infer: computed shapes, and operators of many kinds."""
    ints = lambda name, *numbers: numpy_helper.from_array(np.array(numbers, np.int64), name)
    nodes = [
        node("Shape", ["x"], ["s"]), node("Gather", ["s", "zero"], ["n"], axis=0),
        node("Constant", [], ["c"], value_ints=[2, -1]), node("Concat", ["n", "c"], ["t"], axis=0),
        node("Reshape", ["x", "t"], ["r"]), node("Split", ["r", "parts"], ["p", "q"], axis=1),
        node("Unsqueeze", ["p", "zero"], ["u"]), node("Squeeze", ["u", "zero"], ["v"]),
        node("Slice", ["v", "zero", "one", "one"], ["w"]), node("Transpose", ["w"], ["a"], perm=[2, 0, 1]),
        node("Resize", ["a", "", "scales"], ["b"]), node("Einsum", ["a", "a"], ["e"], equation="ijk,ilk->ijl"),
        node("ConstantOfShape", ["t"], ["m"], value=ints("one", 1)), node("Equal", ["t", "t"], ["k"]),
        node("Where", ["k", "t", "t"], ["o"]), node("Expand", ["e", "o"], ["f"]), node("Pad", ["e", "pads"], ["g"]),
        node("ReduceSum", ["g", "one"], ["h"], keepdims=0), node("TopK", ["g", "one"], ["i", "j"], axis=0),
        node("Conv", ["a", "kernel"], ["l"], pads=[1, 1]), node("MatMul", ["l", "l"], ["y"]),
        node("SplitToSequence", ["g"], ["d"]), node("SequenceAt", ["d", "zero"], ["z"])]
    weights = [ints("zero", 0), ints("one", 1), ints("parts", 1, 1), ints("pads", 0, 0, 1, 0, 0, 2),
               numpy_helper.from_array(np.array([1, 2, 2], np.float32), "scales"),
               numpy_helper.from_array(np.zeros((2, 1, 3), np.float32), "kernel")]
    made = helper.make_graph(nodes, "g", [value("x", ("n", 2, "m + 1"))], [value("y", None), value("z", None)], weights)
    return model(made, opset_imports=[helper.make_opsetid("", 17)])


def odd_names():
    odd = ['"\\', "<&>'", "a\nb", "\x01", "\ufffe", "%2A*", "é🙂", " ", "/", "//"]
    nodes = [node("Neg", ["x" if i == 0 else odd[i - 1]], [name], "/" + name + "/Neg") for i, name in enumerate(odd)]
    for i, made in enumerate(nodes):
        made.metadata_props.add(key="source_module", value="/Net/" + odd[i])
    return model(graph([*nodes, node("Neg", [odd[-1]], ["y"])]))


def models():
    for by in (by_attribute, by_metadata, by_doc_string, by_layer, by_namespace, by_namespace_of_torch,
               by_name_scopes):
        yield by.__name__, tagged(by)
    for make in (records, bodies, functions, calls, kept_calls, ring, attributes, weights, types, external,
                 scalar, empty_scopes, untyped, odd_names):
        yield make.__name__, make()
    yield "names", model(graph(chain()))
    yield "old", model(graph(chain()), ir_version=3)
    yield "nested", model(nested(3))
    yield "deep", model(nested(12))
    for name, made in wrong_graphs():
        yield name, model(made)


def write_models(folder):
    for name, made in models():
        content = made.SerializeToString(deterministic=True)
        (folder / name).write_bytes(content)
    whole = records().SerializeToString(deterministic=True)
    (folder / "cut").write_bytes(whole[: len(whole) // 2])
    (folder / "not_utf8").write_bytes(whole.replace(b"/Net/Layer.0", b"/Net/\xff\xfe\xfder.0"))
    (folder / "no_json").write_bytes(whole.replace(b'{"rules"', b'["rules"'))
    (folder / "unknown_field").write_bytes(whole + b"\xba\x3e\x03abc")
    (folder / "archive").write_bytes(b"PK\x03\x04" + bytes(60))
