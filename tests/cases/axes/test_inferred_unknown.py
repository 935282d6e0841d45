"""Unknown types are left out, and hostile files do no harm."""

import math
import random
import re
from pathlib import Path

import onnx
from onnx import TensorProto, helper, numpy_helper

from commands import NO_SHIM, ask, facts
from harness import EXIT_BAD_INPUT, EXIT_OK, ROOT, case, case_for_each, run, scratch
from test_bad_input import check_line
from test_inferred_operators import B, F, I, ints
from told_types import types_of


# ---- unknown types -----------------------------------------------------------------------------


def tagged(op: str, inputs, outputs, tag: str, **attributes):
    node = helper.make_node(op, inputs, outputs, name=f"{tag}/{op}", **attributes)
    node.metadata_props.add(key="source_module", value=tag)
    return node


def two_modules(folder: Path, first, opset: int = 17, **graph) -> Path:
    """A produces a, which B reads."""
    nodes = [first, tagged("Neg", ["a"], ["y"], "/Net/B")]
    inputs = [helper.make_tensor_value_info("x", F, ["n", 2])]
    made = helper.make_graph(nodes, "g", inputs, [helper.make_tensor_value_info("y", F, None)], **graph)
    imports = [helper.make_opsetid("", opset), helper.make_opsetid("other", 1)]
    onnx.save(helper.make_model(made, opset_imports=imports, ir_version=10), folder / "m.onnx")
    return folder / "m.onnx"


REFUSED = {
    "other domain": (dict(op="Neg", domain="other"), 17),
    "no rank": (dict(op="Squeeze"), 17),
    "later opset": (dict(op="Neg"), 99),
    "earlier opset": (dict(op="Neg"), 6),
    "kind of attribute": (dict(op="Flatten", axis=1.0), 17),
}


@case_for_each(REFUSED)
def what_does_not_follow(name):
    what, opset = REFUSED[name]
    with scratch() as folder:
        file = two_modules(folder, tagged(inputs=["x"], outputs=["a"], tag="/Net/A", **what), opset)
        result = run("extract", file, "--module", "A", "--out", folder / "p.onnx", env=NO_SHIM)
        check_line(result, EXIT_BAD_INPUT,
                   f"does not say the type of 'a', which crosses the border, and it does not follow "
                   f"from node '/Net/A/{what['op']}' ({what['op']}); let types be inferred first")
        assert not (folder / "p.onnx").exists()
        assert types_of(file)["a"] is None


@case_for_each({"inlined": 17, "kept": 16})
def functions_take_the_place_of_operators(name):
    """A function of the model with an operator's name: its results follow from its nodes if it can be inlined, and are
    unknown otherwise."""
    version = {"inlined": 17, "kept": 16}[name]
    with scratch() as folder:
        file = two_modules(folder, tagged("Neg", ["x"], ["a"], "/Net/A"))
        model = onnx.load(file)
        model.functions.append(helper.make_function(
            "", "Neg", ["v"], ["w"], [helper.make_node("Cast", ["v"], ["w"], to=I)],
            [helper.make_opsetid("", version)]))
        onnx.save(model, file)
        assert types_of(file)["a"] == (("int64", ["n", "2"]) if name == "inlined" else None), types_of(file)


@case
def declared_types_stay():
    """Also those without dims, which get the inferred dims, if any."""
    with scratch() as folder:
        file = two_modules(folder, tagged("Neg", ["x"], ["a"], "/Net/A"),
                           value_info=[helper.make_tensor_value_info("a", F, ["k", 2])])
        assert types_of(file)["a"] == ("float32", ["k", "2"])
        file = two_modules(folder, tagged("Neg", ["x"], ["a"], "/Net/A"),
                           value_info=[helper.make_tensor_value_info("a", F, None)])
        told = facts("extract", file, "--module", "A", "--out", folder / "p.onnx")
        assert told["outputs"][0]["dims"] == ["n", 2], told
        onnx.checker.check_model(str(folder / "p.onnx"), full_check=True)
        file = two_modules(folder, tagged("Neg", ["x"], ["a"], "/Net/A"),
                           value_info=[helper.make_tensor_value_info("a", TensorProto.DOUBLE, None)])
        assert facts("extract", file, "--module", "A", "--out", folder / "p.onnx")[
            "outputs"][0]["dtype"] == "float64"


# ---- hostile files ---------------------------------------------------------------------------------

OPERATORS = re.findall(r'^HTP_INFER\w*\("(\w+)"',
                       (ROOT / "core/onnx/shape_inference/infer_rules.def").read_text(), re.MULTILINE)
ATTRIBUTES = re.findall(r'^    \{"(\w+)", HTP_VIEW_\w+\}',
                        "".join(p.read_text() for p in (ROOT / "core/onnx/shape_inference").glob("infer_*.c")),
                        re.MULTILINE)
ABSURD = (0, 1, 2, 3, -1, -2, 64, 65, 1 << 31, (1 << 62) + 1, (1 << 63) - 1, -(1 << 63))


def any_attribute(generator, name: str):
    kind = generator.randrange(8)
    number = generator.choice(ABSURD)
    value = {
        0: number, 1: 1.5, 2: "".join(generator.choice("ij.,->Z") for _ in range(9)),
        3: [generator.choice(ABSURD) for _ in range(generator.randrange(70))], 4: [0.5],
        5: numpy_helper.from_array(ints(*[number] * generator.randrange(3))),
        6: helper.make_graph([], "b", [onnx.ValueInfoProto(name="q")], []),
    }.get(kind, number)
    if kind == 3 and not value:
        return onnx.AttributeProto(name=name, type=onnx.AttributeProto.INTS)
    return helper.make_attribute(name, value)


def hostile(generator) -> onnx.ModelProto:
    """Nodes with attributes and operands of any kind and number."""
    def dims():
        return [generator.choice([*map(abs, ABSURD[:-1]), "n", "m*2", None])
                for _ in range(generator.choice((0, 1, 1, 2, 3, 4, 5, 63, 70)))]

    names = [f"x{n}" for n in range(8)]
    inputs = [helper.make_tensor_value_info(n, generator.choice((F, I, I, B, 8)), dims())
              for n in names]
    inputs[7] = helper.make_tensor_sequence_value_info("x7", F, dims())
    weights = [numpy_helper.from_array(ints(*[generator.choice(ABSURD) for _ in range(n)]), f"w{n}")
               for n in range(5)]
    names += [w.name for w in weights]
    nodes = []
    for number in range(150):
        node = helper.make_node(
            generator.choice(OPERATORS),
            [generator.choice(("", *names)) for _ in range(generator.randrange(6))],
            [generator.choice(("", f"v{number}_{n}")) for n in range(generator.randrange(4))])
        chosen = generator.sample(ATTRIBUTES, generator.randrange(6))
        node.attribute.extend(any_attribute(generator, name) for name in chosen)
        nodes.append(node)
        names += [o for o in node.output if o]
    graph = helper.make_graph(nodes, "g", inputs, [onnx.ValueInfoProto(name=n) for n in names[-9:]],
                              weights)
    opset = generator.choice((7, 9, 11, 13, 17, 18, 20, 23))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)


@case
def whatever_nodes_hold():
    with scratch() as folder:
        for seed in range(40):
            model = hostile(random.Random(seed))
            (folder / "m.onnx").write_bytes(model.SerializeToString())
            result = run("graph", folder / "m.onnx", "--format", "graphml", env=NO_SHIM)
            assert result.returncode == EXIT_OK, (seed, result.returncode, result.stderr[:300])


@case
def what_grows():
    """Time is linear in the size of a file: long chains, wide nodes, many unknown sizes, deep bodies."""
    def chain(count):
        nodes = [helper.make_node("NonZero", ["x"], ["v0"])]
        nodes += [helper.make_node("Concat", [f"v{n}", f"v{n}"], [f"v{n + 1}"], axis=1)
                  for n in range(count)]
        nodes.append(helper.make_node("Concat", [f"v{n}" for n in range(count)], ["w"], axis=1))
        nodes.append(helper.make_node("Split", ["w"], [f"s{n}" for n in range(count)], axis=1))
        graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", F, ["n"])],
                                  [onnx.ValueInfoProto(name="w")])
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)

    with scratch() as folder:
        (folder / "m.onnx").write_bytes(chain(20000).SerializeToString())
        assert math.isfinite(len(ask("graph", folder / "m.onnx", "--format", "graphml")))
