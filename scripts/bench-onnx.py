"""The work of htp-trace's commands done with the onnx package, in a process of its own for scripts/bench:

    bench-onnx.py inspect MODEL.onnx     loads the model, counts nodes and parameters of modules by their tags
    bench-onnx.py validate MODEL.onnx    loads the model, checks it and that every node has a tag
    bench-onnx.py extract MODEL.onnx PART.onnx INPUTS OUTPUTS
                                         onnx.utils.extract_model() between these names, JSON lists
    bench-onnx.py compare A.onnx B.onnx  loads both, gives every node a digest of its operator, attributes,
                                         weights and producers, and counts equal ones
    bench-onnx.py quality MODEL.onnx     loads the model, checks that nodes that read weights have tags of the
                                         modules in the weights' names, or of enclosing ones

Prints the seconds taken, without starting Python and importing the package.
"""

import json
import sys
import time
from collections import Counter

import onnx
import onnx.utils


def walk(graph):
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            if attribute.type == onnx.AttributeProto.GRAPH:
                yield from walk(attribute.g)


def tag_of(node) -> str:
    return next((a.s.decode() for a in node.attribute if a.name == "__source_module"), "")


def inspect(path: str) -> None:
    model = onnx.load(path)
    weights = {i.name: onnx.numpy_helper.to_array(i).size for i in model.graph.initializer}
    own, total, owners = Counter(), Counter(), {}
    for node in walk(model.graph):
        tag = tag_of(node)
        own[tag] += 1
        for name in node.input:
            if name in weights:
                owners.setdefault(name, tag)
        while tag:
            total[tag] += 1
            tag = tag.rpartition("/")[0]
    parameters = Counter()
    for name, tag in owners.items():
        parameters[tag] += weights[name]
    assert own and total


def validate(path: str) -> None:
    model = onnx.load(path)
    onnx.checker.check_model(path)  # by path, since models over 2 GiB cannot be checked otherwise
    names = Counter(node.name for node in walk(model.graph))
    assert all(tag_of(node) for node in walk(model.graph)) and max(names.values()) == 1


def extract(path: str, part: str, inputs: str, outputs: str) -> None:
    onnx.utils.extract_model(path, part, json.loads(inputs), json.loads(outputs), check_model=False)


def digests_of(path: str) -> Counter:
    model, digests, found = onnx.load(path), {}, Counter()
    for tensor in model.graph.initializer:
        array = onnx.numpy_helper.to_array(tensor)
        digests[tensor.name] = hash((array.dtype.str, array.shape, array.tobytes()))
    for node in walk(model.graph):
        attributes = [a.SerializeToString() for a in node.attribute if not a.name.startswith("__")]
        taken = tuple(digests.get(name, name) for name in node.input)
        digest = hash((node.domain, node.op_type, tuple(sorted(attributes)), taken))
        found[digest] += 1
        for number, name in enumerate(node.output):
            digests[name] = hash((digest, number))
    return found


def compare(first: str, second: str) -> None:
    assert digests_of(first) == digests_of(second)


def quality(path: str) -> None:
    model = onnx.load(path)
    facts = {entry.key: entry.value for entry in model.metadata_props}
    tags = {m["path"]: m["tag"] for m in json.loads(facts["htp.module_tree"])["modules"]}
    weights = {i.name for i in model.graph.initializer}
    judged = wrong = 0
    for node in walk(model.graph):
        tag = tag_of(node)
        held = [name for name in node.input if name in weights and "." in name]
        owners = [tags.get(name.rpartition(".")[0]) for name in held]
        owners = [owner for owner in owners if owner]
        judged += bool(owners)
        wrong += any(not (owner + "/").startswith(tag + "/") for owner in owners)
    assert judged and not wrong


COMMANDS = {"inspect": inspect, "validate": validate, "extract": extract, "compare": compare,
            "quality": quality}


def main() -> None:
    begin = time.perf_counter()
    COMMANDS[sys.argv[1]](*sys.argv[2:])
    print(time.perf_counter() - begin)


main()
