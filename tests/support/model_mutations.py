"""Errors in ONNX models: each function of MUTATIONS makes one change, which may be an error, and returns whether there
was something to change."""

import random

import onnx
from onnx import AttributeProto, TensorProto, helper

OTHER_TYPES = (TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL, TensorProto.STRING,
               TensorProto.DOUBLE, TensorProto.INT32, TensorProto.UINT8, TensorProto.FLOAT16)

MUTATIONS = {}


def mutation(function):
    MUTATIONS[function.__name__] = function
    return function


def graphs_of(graph) -> list:
    """A graph and all bodies in it."""
    found = [graph]
    for node in graph.node:
        for attribute in node.attribute:
            for body in (*attribute.graphs, *([attribute.g] if attribute.HasField("g") else ())):
                found += graphs_of(body)
    return found


def some_node(model, chance, suits=lambda node: True):
    nodes = [node for graph in graphs_of(model.graph) for node in graph.node if suits(node)]
    return chance.choice(nodes) if nodes else None


def some_info(infos, chance, suits=lambda tensor: True):
    tensors = [info.type.tensor_type for info in infos if info.type.HasField("tensor_type")]
    tensors = [tensor for tensor in tensors if suits(tensor)]
    return chance.choice(tensors) if tensors else None


# ---- nodes ------------------------------------------------------------------------------------------


@mutation
def input_of_nobody(model, chance):
    node = some_node(model, chance, lambda node: node.input)
    if node:
        node.input[chance.randrange(len(node.input))] = "made_by_nobody"
    return node


@mutation
def input_gone(model, chance):
    node = some_node(model, chance, lambda node: node.input)
    if node:
        node.input.pop()
    return node


@mutation
def input_left_out(model, chance):
    node = some_node(model, chance, lambda node: node.input)
    if node:
        node.input[chance.randrange(len(node.input))] = ""
    return node


@mutation
def input_more(model, chance):
    node = some_node(model, chance, lambda node: node.input)
    if node:
        node.input.append(node.input[0])
    return node


@mutation
def inputs_in_turn(model, chance):
    node = some_node(model, chance, lambda node: len(node.input) > 1)
    if node:
        node.input.insert(0, node.input.pop())
    return node


@mutation
def output_more(model, chance):
    node = some_node(model, chance)
    if node:
        node.output.extend(f"one_more_{i}" for i in range(chance.randint(1, 4)))
    return node


@mutation
def output_gone(model, chance):
    node = some_node(model, chance, lambda node: node.output)
    if node:
        node.output.pop()
    return node


@mutation
def output_left_out(model, chance):
    node = some_node(model, chance, lambda node: node.output)
    if node:
        node.output[0] = ""
    return node


@mutation
def output_twice(model, chance):
    node = some_node(model, chance, lambda node: node.input and node.input[0] and node.output)
    if node:
        node.output[0] = node.input[0]
    return node


@mutation
def operator_unknown(model, chance):
    node = some_node(model, chance)
    if node:
        node.op_type += "Ex"
    return node


@mutation
def operator_other(model, chance):
    node = some_node(model, chance)
    if node:
        node.op_type = chance.choice([s.name for s in onnx.defs.get_all_schemas()
                                      if s.domain == "" and s.name != node.op_type])
    return node


@mutation
def domain_unknown(model, chance):
    node = some_node(model, chance)
    if node:
        node.domain = "com.example"
    return node


@mutation
def nodes_backwards(model, chance):
    graphs = [graph for graph in graphs_of(model.graph) if len(graph.node) > 1]
    if not graphs:
        return False
    graph = chance.choice(graphs)
    nodes = list(graph.node)[::-1]
    del graph.node[:]
    graph.node.extend(nodes)
    return True


@mutation
def cycle(model, chance):
    node = some_node(model, chance, lambda node: node.input and node.output and node.output[0])
    if node:
        node.input[0] = node.output[0]
    return node


@mutation
def node_twice(model, chance):
    node = some_node(model, chance)
    if node:
        model.graph.node.add().CopyFrom(node)
    return node


@mutation
def node_name_twice(model, chance):
    if len(model.graph.node) > 1:
        model.graph.node[0].name = model.graph.node[1].name = "same"
    return len(model.graph.node) > 1


# ---- attributes ----------------------------------------------------------------------------------------


def some_attribute(model, chance, suits=lambda attribute: True):
    node = some_node(model, chance, lambda node: any(map(suits, node.attribute)))
    return chance.choice(list(filter(suits, node.attribute))) if node else None


@mutation
def attribute_unknown(model, chance):
    node = some_node(model, chance)
    if node:
        node.attribute.append(helper.make_attribute("unheard_of", 1))
    return node


@mutation
def attribute_of_another_type(model, chance):
    attribute = some_attribute(model, chance, lambda attribute: attribute.type != AttributeProto.GRAPH)
    if attribute:
        value = "text" if attribute.type != AttributeProto.STRING else 3
        attribute.CopyFrom(helper.make_attribute(attribute.name, value))
    return attribute


@mutation
def attribute_gone(model, chance):
    node = some_node(model, chance, lambda node: node.attribute)
    if node:
        node.attribute.pop(chance.randrange(len(node.attribute)))
    return node


@mutation
def attribute_twice(model, chance):
    node = some_node(model, chance, lambda node: node.attribute)
    if node:
        node.attribute.append(node.attribute[0])
    return node


@mutation
def number_out_of_range(model, chance):
    attribute = some_attribute(model, chance, lambda attribute: attribute.type == AttributeProto.INT)
    if attribute:
        attribute.i = chance.choice((-9, 9, 77))
    return attribute


@mutation
def list_longer(model, chance):
    attribute = some_attribute(model, chance, lambda attribute: attribute.type == AttributeProto.INTS)
    if attribute:
        attribute.ints.append(chance.choice((0, 1, 7)))
    return attribute


@mutation
def list_shorter(model, chance):
    attribute = some_attribute(
        model, chance, lambda attribute: attribute.type == AttributeProto.INTS and attribute.ints)
    if attribute:
        attribute.ints.pop()
    return attribute


@mutation
def list_out_of_range(model, chance):
    attribute = some_attribute(
        model, chance, lambda attribute: attribute.type == AttributeProto.INTS and attribute.ints)
    if attribute:
        attribute.ints[chance.randrange(len(attribute.ints))] = chance.choice((-9, 9))
    return attribute


# ---- types ------------------------------------------------------------------------------------------------


def set_other_type(tensor, chance) -> None:
    tensor.elem_type = chance.choice([one for one in OTHER_TYPES if one != tensor.elem_type])


@mutation
def type_of_input(model, chance):
    tensor = some_info(model.graph.input, chance)
    if tensor is not None:
        set_other_type(tensor, chance)
    return tensor is not None


@mutation
def type_of_output(model, chance):
    tensor = some_info(model.graph.output, chance)
    if tensor is not None:
        set_other_type(tensor, chance)
    return tensor is not None


@mutation
def type_of_initializer(model, chance):
    if model.graph.initializer:
        tensor = chance.choice(model.graph.initializer)
        size = 1
        for dim in tensor.dims:
            size *= dim
        if tensor.data_type == TensorProto.STRING:
            return False
        wanted = chance.choice([t for t in (TensorProto.FLOAT, TensorProto.INT64, TensorProto.DOUBLE)
                                if t != tensor.data_type])
        values = [1] * size
        tensor.CopyFrom(helper.make_tensor(tensor.name, wanted, tensor.dims, values))
        for info in model.graph.input:
            if info.name == tensor.name:
                info.type.tensor_type.elem_type = wanted
    return model.graph.initializer


def has_dims(tensor) -> bool:
    return tensor.HasField("shape") and len(tensor.shape.dim) > 0


def set_dim(tensor, chance) -> None:
    dim = chance.choice(tensor.shape.dim)
    dim.dim_value = dim.dim_value + chance.choice((1, 2, 5))


def change_dim(infos, chance) -> bool:
    tensor = some_info(infos, chance, has_dims)
    if tensor is not None:
        set_dim(tensor, chance)
    return tensor is not None


@mutation
def dim_of_input(model, chance):
    return change_dim(model.graph.input, chance)


@mutation
def dim_of_output(model, chance):
    return change_dim(model.graph.output, chance)


def change_rank(infos, chance) -> bool:
    tensor = some_info(infos, chance, has_dims)
    if tensor is not None:
        if chance.random() < 0.5:
            tensor.shape.dim.pop()
        else:
            tensor.shape.dim.add().dim_value = 2
    return tensor is not None


@mutation
def rank_of_input(model, chance):
    return change_rank(model.graph.input, chance)


@mutation
def rank_of_output(model, chance):
    return change_rank(model.graph.output, chance)


@mutation
def dims_of_initializer(model, chance):
    tensors = [tensor for tensor in model.graph.initializer if tensor.dims]
    if tensors:
        tensor = chance.choice(tensors)
        tensor.dims[chance.randrange(len(tensor.dims))] += 1
    return tensors


@mutation
def type_missing(model, chance):
    if model.graph.input:
        chance.choice(model.graph.input).ClearField("type")
    return model.graph.input


# ---- graphs -----------------------------------------------------------------------------------------------


@mutation
def input_twice(model, chance):
    if model.graph.input:
        model.graph.input.add().CopyFrom(chance.choice(model.graph.input))
    return model.graph.input


@mutation
def graph_input_gone(model, chance):
    if model.graph.input:
        model.graph.input.pop(chance.randrange(len(model.graph.input)))
    return model.graph.input


@mutation
def output_of_nobody(model, chance):
    if model.graph.output:
        chance.choice(model.graph.output).name = "made_by_nobody"
    return model.graph.output


@mutation
def initializer_twice(model, chance):
    if model.graph.initializer:
        model.graph.initializer.add().CopyFrom(chance.choice(model.graph.initializer))
    return model.graph.initializer


@mutation
def graph_without_name(model, chance):
    chance.choice(graphs_of(model.graph)).name = ""
    return True


def bodies(model) -> list:
    """(outer values, a body) of all bodies."""
    return [(graph, body) for graph in graphs_of(model.graph) for node in graph.node
            for attribute in node.attribute if attribute.HasField("g") for body in (attribute.g,)]


@mutation
def body_output_from_outside(model, chance):
    found = [(o, b) for o, b in bodies(model) if b.output and o.input]
    if found:
        outside, body = chance.choice(found)
        chance.choice(body.output).name = outside.input[0].name
    return found


@mutation
def body_output_gone(model, chance):
    found = [body for _, body in bodies(model) if body.output]
    if found:
        chance.choice(found).output.pop()
    return found


@mutation
def body_shadows_input(model, chance):
    found = [(o, b) for o, b in bodies(model) if b.node and o.input]
    if found:
        outside, body = chance.choice(found)
        rename(body, body.node[-1].output[0], outside.input[0].name)
    return found


@mutation
def body_shadows_node(model, chance):
    found = [(o, b) for o, b in bodies(model) if b.node and o.node[0].output]
    if found:
        outside, body = chance.choice(found)
        rename(body, body.node[0].output[0], outside.node[0].output[0])
    return found


@mutation
def body_input_shadows(model, chance):
    found = [(o, b) for o, b in bodies(model) if b.input and o.input]
    if found:
        outside, body = chance.choice(found)
        rename(body, body.input[0].name, outside.input[0].name)
    return found


def rename(graph, old: str, new: str) -> None:
    for node in graph.node:
        for names in (node.input, node.output):
            names[:] = [new if name == old else name for name in names]
    for info in (*graph.input, *graph.output, *graph.value_info):
        info.name = new if info.name == old else info.name


# ---- the model ------------------------------------------------------------------------------------------


@mutation
def opset_earlier(model, chance):
    own = [entry for entry in model.opset_import if entry.domain in ("", "ai.onnx") and entry.version > 7]
    for entry in own:
        entry.version = chance.randint(7, entry.version - 1)
    return own


@mutation
def opset_later(model, chance):
    own = [entry for entry in model.opset_import
           if entry.domain in ("", "ai.onnx") and 7 <= entry.version < 24]
    for entry in own:
        entry.version = chance.randint(entry.version + 1, 24)
    return own


@mutation
def opset_gone(model, chance):
    del model.opset_import[:]
    return True


def mutants(name: str, model: onnx.ModelProto, count: int):
    """Some mutants of a model, the same ones at each call: (name of the mutation, model)."""
    chance = random.Random(name)
    names = chance.sample(sorted(MUTATIONS), len(MUTATIONS))
    made = 0
    for mutation_name in names:
        mutant = onnx.ModelProto()
        mutant.CopyFrom(model)
        if made < count and MUTATIONS[mutation_name](mutant, chance):
            made += 1
            yield mutation_name, mutant
