"""Makes models with custom operators runnable: each becomes a function of the model, with the nodes that `extract` writes
for its module. Weights come from the node's inputs and constants from its attributes, so numbers prove both."""

import re
from pathlib import Path

import numpy
import onnx
from onnx import helper, numpy_helper

KINDS = {"INTS": "value_ints", "INT": "value_int", "FLOAT": "value_float", "FLOATS": "value_floats"}


def is_constant(node, part) -> bool:
    weights = {i.name for i in part.graph.initializer}
    return node.op_type == "Constant" or (node.op_type == "Identity" and node.input[0] in weights)


def contents(part) -> dict:
    """By name: the contents of weights and constants."""
    found = {i.name: numpy_helper.to_array(i) for i in part.graph.initializer}
    for node in part.graph.node:
        if node.op_type == "Constant":
            found[node.output[0]] = numpy_helper.to_array(node.attribute[0].t)
        elif is_constant(node, part):  # another name of a weight
            found[node.output[0]] = found[node.input[0]]
    read = {name for node in walk(part.graph) if not is_constant(node, part) for name in node.input}
    return {name: array for name, array in found.items() if name in read}


def attributes_of(node, part, values: dict) -> dict:
    """By name of a constant: the attribute OP_N_input_K with its value, for input K of a node of type OP."""
    uses = {(n.op_type, k, name) for n in walk(part.graph) for k, name in enumerate(n.input)}
    found = {}
    for attribute in node.attribute:
        matched = re.fullmatch(r"(\w+?)(_\d+)?_input_(\d+)", attribute.name)
        if not matched:
            continue
        value = numpy.asarray(helper.get_attribute_value(attribute))
        found[next(name for name, array in values.items()
                   if (matched[1], int(matched[3]), name) in uses and name not in found and name not in node.input
                   and array.shape == value.shape and (value.astype(array.dtype) == array).all())] = attribute
    return found


def constant(name: str, attribute) -> onnx.NodeProto:
    """A Constant with the value of an attribute of the function."""
    kind = onnx.AttributeProto.AttributeType.Name(attribute.type)
    made = onnx.NodeProto(op_type="Constant", output=[name])
    made.attribute.append(onnx.AttributeProto(name=KINDS[kind], type=attribute.type, ref_attr_name=attribute.name))
    return made


def function_of(node, part, imports) -> onnx.FunctionProto:
    """The function that a custom node stands for. Its weights are the node's inputs, in their order."""
    values, outputs = contents(part), [o.name for o in part.graph.output]
    given = attributes_of(node, part, values)
    border = [i.name for i in part.graph.input if i.name not in values]
    assert list(node.input[:len(border)]) == border and list(node.output) == outputs, (node, border, outputs)
    assert sorted([*node.input[len(border):], *given]) == sorted(values), (node, list(values))
    body = [constant(name, attribute) for name, attribute in given.items()]
    body += [n for n in part.graph.node if not is_constant(n, part)]
    return helper.make_function(node.domain, node.op_type, list(node.input), outputs, body, imports,
                                sorted(a.name for a in given.values()))


def add_functions(file: Path, parts: list, out: Path) -> Path:
    """@param parts  by custom node, in their order: what `extract` writes for it"""
    model = onnx.load(file, load_external_data=True)
    nodes = [n for n in walk(model.graph) if n.domain == "my.domain"]
    assert len(nodes) == len(parts)
    for number, (node, part) in enumerate(zip(nodes, parts)):
        imports = [o for o in part.opset_import]
        function = function_of(node, part, imports)
        function.name = node.op_type = f"{node.op_type}{number}"  # inputs have the names of one call
        model.functions.append(function)
    onnx.save(model, out)
    return out


def walk(graph):
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            for body in (attribute.g, *attribute.graphs):
                yield from walk(body)
