"""A file with functions, compared with the flat one: nodes, tags, order, constants, types, everything else; and that no
two functions are equal."""

import copy
import json
import re
from collections import defaultdict

import onnx
import onnx.inliner

from functions_files import Files, first_few
from functions_match import match
from functions_reading import check_places, facts_of, properties, read

COUNTED = re.compile(r"_\d+$")


def check_inliner(files: Files) -> None:
    """The onnx package inlines it to the flat model, node for node."""
    inlined = onnx.inliner.inline_local_functions(files.model)
    assert not inlined.functions, "functions are left"
    match(read(inlined), files.flat_reading)


FACTS = ("tag", "tags", "full_tag", "layer_ann", "class_hierarchy", "calls", "call", "doc_string")


def uncounted(names: list) -> list:
    """Scopes without the number of the last one, which is counted per function."""
    return [*names[:-1], COUNTED.sub("", names[-1])]


def namespace_of(facts: dict) -> tuple:
    *chain, last = facts["namespace"]
    name, _, target = last.partition(": ")
    return chain, COUNTED.sub("", name), target


def difference_of(node, flat, paths: dict) -> str | None:
    mine, theirs = dict(node.facts), flat.facts
    check_places(flat.name, theirs)
    numbers = mine["calls"].get(paths[mine["tag"]]) if mine["tag"] in paths else None
    mine["call"] = ", ".join(map(str, numbers)) if numbers else None
    for key in FACTS:
        if mine[key] != theirs[key]:
            return f"{flat.name}: {key}: {mine[key]}, not {theirs[key]}"
    if uncounted(mine["name_scopes"]) != uncounted(theirs["name_scopes"]):
        return f"{flat.name}: name_scopes: {mine['name_scopes']}, not {theirs['name_scopes']}"
    if namespace_of(mine) != namespace_of(theirs):
        return f"{flat.name}: namespace: {mine['namespace']}, not {theirs['namespace']}"
    if mine["trace"] != theirs["trace"]:
        return f"{flat.name}: stack trace: {mine['trace']}, not {theirs['trace']}"
    return None


def check_tags(files: Files) -> None:
    """By the tag rules, every node has the metadata of its counterpart in the flat file."""
    pairs = match(files.reading, files.flat_reading)
    paths = {}
    for module in json.loads(properties(files.flat_model)["htp.module_tree"])["modules"]:
        paths.setdefault(module["tag"], module["path"])  # parents come first
    broken = [difference_of(node, flat, paths) for node, flat in pairs]
    first_few([words for words in broken if words], "nodes that say something else")
    for node, _ in pairs:
        check_places(node.name, {**node.facts, "attributes": {}})


def check_order(files: Files) -> None:
    """Names and the order of nodes are those of the flat file."""
    mine = [node.name for node in files.reading.all_nodes()]
    flat = [node.name for node in files.flat_reading.all_nodes()]
    differ = [(a, b) for a, b in zip(mine, flat) if a != b]
    first_few(differ, "names")
    pairs = match(files.reading, files.flat_reading)
    first_few([(a.name, b.name) for a, b in pairs if a.name != b.name], "names of counterparts")


def check_constants(files: Files) -> None:
    """Constants have the names, the contents and, all together, the tags of those in the flat file."""
    flat = {constant.name: constant for constant in files.flat_reading.constants}
    tags = defaultdict(set)
    for constant in files.reading.constants:
        assert constant.name in flat, f"{constant.name} is no constant of the flat file"
        assert constant.content == flat[constant.name].content, f"{constant.name}: contents differ"
        tags[constant.name].update(constant.tags)
    first_few(sorted(set(flat) - set(tags)), "constants that are gone")
    wrong = [(name, sorted(found), flat[name].tags) for name, found in tags.items()
             if found != set(flat[name].tags)]
    first_few(wrong, "tags of constants")


def dims_of(type_) -> tuple:
    tensor = type_.tensor_type
    if not tensor.HasField("shape"):
        return tensor.elem_type, None
    return tensor.elem_type, [
        d.dim_value if d.HasField("dim_value") else d.dim_param or None for d in tensor.shape.dim]


def check_types(files: Files) -> None:
    """Values have the types of the flat file; in a function, only dims in which its calls differ are open."""
    by_place = defaultdict(list)
    for node, flat in match(files.reading, files.flat_reading):
        for value, counterpart in zip(node.outputs, flat.outputs):
            if value is None or counterpart.type is None:
                continue
            assert value.type is not None, f"{flat.name}: no type in {node.function or 'the graph'}"
            if not counterpart.type.HasField("tensor_type"):
                assert value.type == counterpart.type, flat.name
                continue
            by_place[value.place].append((dims_of(value.type), dims_of(counterpart.type)))
    for place, found in by_place.items():
        flat = [dims for _, (_, dims) in found]
        for (dtype, dims), (wanted, _) in found:
            assert dtype == wanted, f"{place}: type {dtype}, not {wanted}"
            assert dims == common_dims(flat), f"{place}: {dims} of {flat[:3]}"


def common_dims(all_dims: list) -> list | None:
    if any(dims is None or len(dims) != len(all_dims[0]) for dims in all_dims):
        return None
    return [column[0] if len(set(column)) == 1 else None for column in zip(*all_dims)]


def check_rest(files: Files) -> None:
    """Everything but nodes: metadata of the model and of initializers, inputs, outputs, weights."""
    model, flat = files.model, files.flat_model
    assert properties(model) == properties(flat), "metadata of the model"
    for part in ("input", "output"):
        ours, theirs = getattr(model.graph, part), getattr(flat.graph, part)
        assert list(ours) == list(theirs), f"{part}s of the model"
    initializers = {tensor.name: tensor for tensor in model.graph.initializer}
    for tensor in flat.graph.initializer:
        found = initializers.pop(tensor.name, None)
        if found is None:
            assert tensor.name.startswith("/"), f"the weight {tensor.name} is gone"
            continue
        assert found.SerializeToString() == tensor.SerializeToString(), f"{tensor.name} differs"
    first_few(sorted(initializers), "initializers that the flat file has not")


def shape_of(function: onnx.FunctionProto) -> bytes:
    """A function's behaviour, without names and metadata."""
    plain = copy.deepcopy(function)
    known = {}

    def rename(name: str) -> str:
        return known.setdefault(name, f"v{len(known)}") if name else ""

    def settle(nodes) -> None:
        for node in nodes:
            node.name = node.doc_string = ""
            node.ClearField("metadata_props")
            kept = [a for a in node.attribute if not a.name.startswith("__")]
            del node.attribute[:]
            node.attribute.extend(sorted(kept, key=lambda a: a.name))
            node.input[:] = [rename(name) for name in node.input]
            for attribute in node.attribute:
                if attribute.type == onnx.AttributeProto.TENSOR:
                    attribute.t.name = ""
                if attribute.type == onnx.AttributeProto.GRAPH:
                    attribute.g.name = ""
                    for info in attribute.g.input:
                        info.name = rename(info.name)
                    settle(attribute.g.node)
                    for info in attribute.g.output:
                        info.name = rename(info.name)
                    del attribute.g.value_info[:]
            node.output[:] = [rename(name) for name in node.output]

    plain.input[:] = [rename(name) for name in plain.input]
    types = [(info.name, info.type.tensor_type.elem_type, dynamic_dims_of(info.type))
             for info in plain.value_info]
    settle(plain.node)
    plain.output[:] = [rename(name) for name in plain.output]
    del plain.value_info[:]
    plain.name = plain.doc_string = ""
    plain.ClearField("metadata_props")
    listed = sorted((rename(name), dtype, repr(dims)) for name, dtype, dims in types)
    return plain.SerializeToString(deterministic=True) + repr(listed).encode()


def dynamic_dims_of(type_) -> list | None:
    """A type's dims: names of dynamic ones, and None for numbers."""
    dims = dims_of(type_)[1]
    return dims and [dim if isinstance(dim, str) else None for dim in dims]


def said_in(function: onnx.FunctionProto) -> str:
    """A function's names, which contain paths of calls, and lines in forward()."""
    facts = [(node.name, facts_of(node)) for node in function.node]
    return str([(name, said["trace"] if said["trace"] and not said["namespace"][0].startswith(": ")
                 else "") for name, said in facts])


def check_sharing(files: Files) -> None:
    """No two functions of one class are equal."""
    known = {}
    calls = {call.function: call for call in files.reading.calls}
    for function in () if files.is_per_instance else files.model.functions:
        call = calls[function.domain, function.name]
        dims = str([v and v.type and dynamic_dims_of(v.type) for v in call.values])
        key = call.facts["class_hierarchy"][-1], dims, shape_of(function), said_in(function)
        assert key not in known, f"{function.name} does what {known[key]} does"
        known[key] = function.name
