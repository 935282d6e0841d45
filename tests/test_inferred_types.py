"""The types of values that a file does not declare: what `graph` and `extract` tell of them is true."""

import json
import math
import random
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

from commands import NO_SHIM, ask, facts
from harness import (
    EXIT_BAD_INPUT, EXIT_OK, INTO, ROOT, VENV_PYTHON, case, case_for_each, case_for_each_model,
    exported, made_by, run, scratch, skip_unless, skip_unless_loadable,
)
from models.table import FIDELITY
from numbers_check import session
from test_bad_input import check_line
from test_extract import MODELS, called_modules, check_numbers, inputs_of, through_the_whole
from test_split import check as check_split

MAKER = ROOT / "tests" / "older_exporter.py"
OLDER = ("bert-tiny", "distilbert-sdpa", "transformer-traced", "vit", "control", "images-11",
         "images-13", "images-17", "decoder-11", "decoder-17")
CUT = {  # and the least number of modules that are cut out
    "bert-tiny": 20, "transformer-traced": 8, "control": 4, "images-13": 6, "decoder-11": 10,
}
NAMESPACE = "{http://graphml.graphdrawing.org/xmlns}"
DTYPES = {
    "float32": TensorProto.FLOAT, "int64": TensorProto.INT64, "bool": TensorProto.BOOL,
    "int32": TensorProto.INT32, "float64": TensorProto.DOUBLE, "float16": TensorProto.FLOAT16,
}


def older(name: str) -> tuple:
    """A file of PyTorch's older exporter, and the arrays to run it with."""
    skip_unless("newer exporter")
    folder = made_by((MAKER, ROOT / "models/make.py", ROOT / "models/table.py"), INTO,
                     python=VENV_PYTHON)
    arrays = numpy.load(folder / f"{name}.npz")
    return folder / f"{name}.onnx", [arrays[key] for key in arrays.files]


# ---- types -----------------------------------------------------------------------------------------


def dims_of(text: str) -> list:
    """'batch,min(a, 2),?' in parts."""
    parts, depth = [""], 0
    for letter in text:
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts if text else []


def types_of(file: Path) -> dict:
    """What is told of each value that something reads: its dtype and its dims; None without dims."""
    root = ElementTree.fromstring(ask("graph", file, "--format", "graphml"))
    found = {}
    for edge in root.iter(f"{NAMESPACE}edge"):
        told = {data.get("key"): data.text or "" for data in edge}
        text = told.get("type", "")
        match = re.fullmatch(r"(\w+)\[(.*)\]", text)
        found[told["value"]] = (match[1], dims_of(match[2])) if match else None
        assert match or "[" not in text or text.startswith("sequence"), told
    return found


def declared(graph):
    for value in (*graph.input, *graph.output, *graph.value_info):
        yield value
    for node in graph.node:
        for attribute in node.attribute:
            for body in (attribute.g, *attribute.graphs):
                yield from declared(body)


def onnx_types(model) -> dict:
    """The same as onnx infers it; dims are numbers, names or None."""
    inferred = onnx.shape_inference.infer_shapes(model, data_prop=True)
    found = {}
    for value in declared(inferred.graph):
        tensor = value.type.tensor_type
        if tensor.elem_type:
            dims = [d.dim_value if d.HasField("dim_value") else d.dim_param or None
                    for d in tensor.shape.dim] if tensor.HasField("shape") else None
            found[value.name] = (tensor.elem_type, dims)
    return found


def check_against_onnx(model, told: dict, least_share: float) -> None:
    """No contradiction; and not fewer ranks and dims than onnx knows, or nearly."""
    wanted = onnx_types(model)
    assert sum(t is not None for t in told.values()) >= least_share * len(told), [
        name for name, type_ in told.items() if type_ is None]
    for name, (data_type, dims) in wanted.items():
        if told.get(name) is None:
            continue
        dtype, own = told[name]
        assert DTYPES[dtype] == data_type, (name, dtype, data_type)
        assert dims is None or len(own) == len(dims), (name, own, dims)
        for a, b in zip(own, dims or []):
            assert not (a.isdigit() and isinstance(b, int)) or int(a) == b, (name, own, dims)


def strip_types(model) -> None:
    def strip(graph):
        del graph.value_info[:]
        for node in graph.node:
            for attribute in node.attribute:
                for body in (attribute.g, *attribute.graphs):
                    strip(body)
    strip(model.graph)


# ---- what runs -------------------------------------------------------------------------------------


def size_of(dim: str, sizes: dict):
    """The number that a dim is; None where a name in it has none."""
    if dim in sizes:
        return sizes[dim]
    for name in sorted(sizes, key=len, reverse=True):
        dim = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", str(sizes[name]), dim)
    try:
        return eval(dim, {"__builtins__": {}, "min": min, "max": max})
    except (NameError, SyntaxError):
        return None


def sizes_of(model, values: dict) -> dict:
    sizes = {}
    for value in model.graph.input:  # this exporter gives one name to several dims of an output
        for dim, size in zip(value.type.tensor_type.shape.dim, values[value.name].shape):
            if dim.dim_param:
                assert sizes.setdefault(dim.dim_param, size) == size, dim.dim_param
    return sizes


def check_against_a_run(file: Path, told: dict, feeds: dict) -> tuple:
    """@return how many dims there are, and how many are told."""
    model = onnx.load(file)
    with scratch() as folder:
        values = through_the_whole(file, feeds, folder)
    sizes = sizes_of(model, values)
    counts = [0, 0]
    outputs = {o.name for o in model.graph.output}
    for name, type_ in told.items():
        if name in values and type_:
            dtype, dims = type_
            array = values[name]
            assert str(array.dtype) == dtype and array.ndim == len(dims), (name, type_, array.shape)
            for dim, size in zip(dims, array.shape):
                counts[0] += 1
                if dim != "?" and name not in outputs:
                    counts[1] += 1
                    assert size_of(dim, sizes) == size, (name, dims, array.shape, sizes)
    return tuple(counts)


@case_for_each(OLDER)
def types_of_the_older_exporter(name):
    file, arrays = older(name)
    model = onnx.load(file)
    assert not model.graph.value_info
    told = types_of(file)
    check_against_onnx(model, told, 1)
    dims, known = check_against_a_run(file, told, inputs_of(file, arrays))
    assert known >= 0.75 * dims, (known, dims)


def other_sizes(model, seed: int) -> dict:
    """Inputs of the same kinds, of other sizes."""
    generator = numpy.random.default_rng(seed)
    sizes, feeds = {}, {}
    for value in model.graph.input:
        tensor = value.type.tensor_type
        shape = [sizes.setdefault(d.dim_param, int(generator.integers(1, 7)) + 3 * (d.dim_param in (
            "height", "width"))) if d.dim_param else d.dim_value for d in tensor.shape.dim]
        if tensor.elem_type == TensorProto.INT64:
            feeds[value.name] = generator.integers(0, 2, shape)
        else:
            feeds[value.name] = generator.normal(size=shape).astype(numpy.float32)
    return feeds


@case_for_each(sorted(set(OLDER) - {"vit"}))
def types_hold_for_other_sizes(name):
    file, _ = older(name)
    told = types_of(file)
    for seed in range(3):
        check_against_a_run(file, told, other_sizes(onnx.load(file), seed))


@case_for_each(CUT)
def modules_of_the_older_exporter(name):
    """Whatever can be cut out has types; those of bodies are valid models."""
    file, arrays = older(name)
    count = 0
    with scratch() as folder:
        part = folder / "part.onnx"
        values = through_the_whole(file, inputs_of(file, arrays), folder)
        for address, _ in called_modules(file):
            result = run("extract", file, "--module", address, "--out", part, "--json", env=NO_SHIM)
            if result.returncode != EXIT_OK:
                assert "has no nodes" in result.stderr or "comes back" in result.stderr, result.stderr
                continue
            told = json.loads(result.stdout)
            assert all(v["dims"] is not None for v in (*told["inputs"], *told["outputs"])), told
            if all(v["name"] in values for v in (*told["inputs"], *told["outputs"])):
                check_numbers(part, told, values)
            else:
                onnx.checker.check_model(str(part), full_check=True)
                session(part, optimised=False)
            count += 1
    assert count >= CUT[name], count


@case_for_each(CUT)
def splits_of_the_older_exporter(name):
    file, arrays = older(name)
    feeds = inputs_of(file, arrays)
    parts = check_split(file, feeds, "--depth", "1", "--share-weights")["parts"]
    assert len(parts) > (name in ("control", "images-13", "decoder-11"))


@case_for_each_model([model for model in FIDELITY if model.name in MODELS])
def our_own_without_their_types(model):
    """As the export declared them, where they say it in the same words."""
    skip_unless_loadable(model)
    file = exported(model)
    wanted = types_of(file)
    bare = onnx.load(file)
    strip_types(bare)
    with scratch() as folder:
        onnx.save(bare, folder / "bare.onnx", save_as_external_data=False)
        told = types_of(folder / "bare.onnx")
    sizes = {d.dim_param: size for n, d in enumerate(
        d for i in bare.graph.input for d in i.type.tensor_type.shape.dim if d.dim_param)
        for size in [101 + 16 * n]}
    assert told.keys() == wanted.keys() and None not in told.values()
    for name, (dtype, dims) in wanted.items():
        assert told[name][0] == dtype and len(told[name][1]) == len(dims), (name, told[name], dims)
        for a, b in zip(told[name][1], dims):
            x, y = size_of(a, sizes), size_of(b, sizes)
            assert a == b or x is None or y is None or x == y, (name, told[name], dims)


# ---- operators of older opsets ---------------------------------------------------------------------

F, I, B = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL


def one_node(folder: Path, op: str, opset: int, inputs, attributes: dict, outputs: int = 1):
    """A file with a node whose inputs are types (dtype, dims) of inputs, arrays, or None."""
    names, given, initializers = [], [], []
    for number, what in enumerate(inputs):
        name = "" if what is None else f"i{number}"
        names.append(name)
        if isinstance(what, tuple):
            given.append(helper.make_tensor_value_info(name, *what))
        elif what is not None:
            initializers.append(numpy_helper.from_array(what, name))
    made = [f"t{n}" for n in range(outputs)]
    nodes = [helper.make_node(op, names, made, **attributes)]
    nodes += [helper.make_node("Identity", [t], [f"y{t}"]) for t in made]
    returned = [onnx.ValueInfoProto(name=f"y{t}") for t in made]
    graph = helper.make_graph(nodes, "g", given, returned, initializers)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)
    onnx.save(model, folder / "m.onnx")
    return model, folder / "m.onnx"


def ints(*values):
    return numpy.array(values, numpy.int64)


def floats(*values):
    return numpy.array(values, numpy.float32)


X = (F, ["n", 3, 1, 8])
ROWS = [  # operator, opsets, inputs, attributes, the types of its outputs
    ("Squeeze", (9, 11), [X], {"axes": [2]}, ["float32[n,3,8]"]),
    ("Squeeze", (13, 17), [X, ints(2)], {}, ["float32[n,3,8]"]),
    ("Squeeze", (9, 13), [X], {}, [None]),
    ("Unsqueeze", (9, 11), [X], {"axes": [0, 5]}, ["float32[1,n,3,1,8,1]"]),
    ("Unsqueeze", (13, 17), [X, ints(0, -1)], {}, ["float32[1,n,3,1,8,1]"]),
    ("ReduceSum", (9, 11), [X], {"axes": [1], "keepdims": 0}, ["float32[n,1,8]"]),
    ("ReduceSum", (13, 17), [X, ints(1)], {"keepdims": 0}, ["float32[n,1,8]"]),
    ("ReduceSum", (13, 17), [X], {"noop_with_empty_axes": 1}, ["float32[n,3,1,8]"]),
    ("ReduceMean", (9, 13, 17), [X], {"axes": [-1]}, ["float32[n,3,1,1]"]),
    ("ReduceMean", (18,), [X, ints(-1)], {}, ["float32[n,3,1,1]"]),
    ("Slice", (9,), [X], {"starts": [1], "ends": [2], "axes": [3]}, ["float32[?,?,?,?]"]),
    ("Slice", (10, 13), [X, ints(1), ints(6), ints(3), ints(2)], {}, ["float32[n,3,1,3]"]),
    ("Pad", (9,), [X], {"pads": [0, 0, 0, 1, 0, 0, 0, 1]}, ["float32[?,?,?,?]"]),
    ("Pad", (11, 13), [X, ints(0, 0, 0, 1, 1, 0, 0, 1)], {}, ["float32[n + 1,3,1,10]"]),
    ("Pad", (18,), [X, ints(1, 1), None, ints(0)], {}, ["float32[?,?,?,?]"]),
    ("Clip", (9,), [X], {"min": 0.0}, ["float32[n,3,1,8]"]),
    ("Clip", (11, 13), [X, numpy.float32(0)], {}, ["float32[n,3,1,8]"]),
    ("TopK", (9,), [X], {"k": 2}, ["float32[n,3,1,?]", "int64[n,3,1,?]"]),
    ("TopK", (10, 11), [X, ints(2)], {"axis": 1}, ["float32[n,2,1,8]", "int64[n,2,1,8]"]),
    ("Upsample", (7,), [X], {"scales": [1.0, 1.0, 2.0, 2.0]}, ["float32[?,?,?,?]"]),
    ("Upsample", (9,), [X, floats(1, 1, 2, 2)], {}, ["float32[?,?,?,?]"]),
    ("Resize", (10,), [X, floats(1, 1, 2, 2)], {}, ["float32[?,?,?,?]"]),
    ("Resize", (11, 13), [X, floats(), floats(1, 1, 2, 2)], {}, ["float32[n,3,2,16]"]),
    ("Resize", (13,), [X, None, None, ints(1, 3, 4, 5)], {}, ["float32[1,3,4,5]"]),
    ("Resize", (13,), [X, floats(0, 0, 0, 0, 1, 1, 1, .5), floats(1, 1, 2, 2)],
     {"coordinate_transformation_mode": "tf_crop_and_resize"}, ["float32[?,?,?,?]"]),
    ("Split", (9, 11), [X], {"axis": 3, "split": [3, 5]}, ["float32[n,3,1,3]", "float32[n,3,1,5]"]),
    ("Split", (9, 13), [X], {"axis": 3}, ["float32[n,3,1,4]", "float32[n,3,1,4]"]),
    ("Split", (13, 17), [X, ints(3, 5)], {"axis": 3}, ["float32[n,3,1,3]", "float32[n,3,1,5]"]),
    ("Flatten", (9, 11, 13), [X], {"axis": 2}, ["float32[n*3,8]"]),
    ("Flatten", (11,), [X], {"axis": -1}, ["float32[n*3,8]"]),
    ("Flatten", (9,), [X], {"axis": 0}, ["float32[1,n*24]"]),
    ("Flatten", (11,), [X], {"axis": 9}, [None]),
    ("Dropout", (9, 12, 13), [X], {}, ["float32[n,3,1,8]"]),
    ("Hardmax", (11, 13), [X], {}, ["float32[n,3,1,8]"]),
    ("Sum", (9, 13), [X, (F, [3, 4, 1])], {}, ["float32[n,3,4,8]"]),
    ("ConstantOfShape", (9,), [ints(2, 3)], {}, ["float32[2,3]"]),
    ("ConstantOfShape", (9,), [ints(2, 3)], {"value": numpy_helper.from_array(ints(1))},
     ["int64[2,3]"]),
    ("EyeLike", (9,), [(F, [4, "n"])], {"dtype": I}, ["int64[4,n]"]),
    ("CastLike", (15,), [X, (B, [1])], {}, ["bool[n,3,1,8]"]),
    ("RandomNormal", (9,), [], {"shape": [2, 4]}, ["float32[2,4]"]),
    ("RandomUniformLike", (9,), [X], {}, ["float32[n,3,1,8]"]),
    ("GlobalMaxPool", (9,), [X], {}, ["float32[n,3,1,1]"]),
    ("MaxPool", (12,), [X], {"kernel_shape": [1, 3], "auto_pad": "SAME_UPPER"},
     ["float32[n,3,?,?]"]),
    ("MaxPool", (12,), [X], {"kernel_shape": [1, 3], "auto_pad": "NOTSET"}, ["float32[n,3,1,6]"]),
    ("Conv", (11,), [X, (F, [5, 3, 1, 3])], {"auto_pad": "VALID"}, ["float32[n,5,?,?]"]),
    ("Cast", (13,), [X], {"to": TensorProto.STRING}, [None]),
    ("Add", (6,), [X, (F, [8])], {"broadcast": 1}, [None]),  # before opset 7
    ("Mul", (7,), [X, (F, ["m", 8])], {}, ["float32[n,3,m,8]"]),
    ("Shape", (13,), [X], {}, ["int64[4]"]),
]


@case_for_each(range(len(ROWS)), name=lambda row: f"{row}-{ROWS[row][0]}")
def operators(row):
    op, opsets, inputs, attributes, wanted = ROWS[row]
    for opset in opsets:
        with scratch() as folder:
            model, file = one_node(folder, op, opset, inputs, attributes, len(wanted))
            told = types_of(file)
            texts = [t and f"{t[0]}[{','.join(t[1])}]" for t in map(
                told.get, [f"t{n}" for n in range(len(wanted))])]
            assert texts == wanted, (op, opset, texts)
            if opset >= 7:
                check_against_onnx(model, told, 0)


# ---- what is not known -----------------------------------------------------------------------------


def tagged(op: str, inputs, outputs, tag: str, **attributes):
    node = helper.make_node(op, inputs, outputs, name=f"{tag}/{op}", **attributes)
    node.metadata_props.add(key="source_module", value=tag)
    return node


def two_modules(folder: Path, first, opset: int = 17, **graph) -> Path:
    """A makes a, which B reads."""
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
    """A function of the model that has an operator's name: what it gives follows from its nodes, where it
    can be inlined, and is not known otherwise."""
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
    """Also those without dims, which get the dims that follow, if any do."""
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


@case
def names_that_are_no_words():
    """Formulas of names that hold operators say what they should."""
    with scratch() as folder:
        x = (F, ["past + now", 2, "unknown_0", "dim_0"])
        _, file = one_node(folder, "Flatten", 17, [x], {"axis": 2})
        assert types_of(file)["t0"] == ("float32", ["(past + now)*2", "unknown_0*dim_0"])
        _, file = one_node(folder, "Neg", 17, [x], {})
        assert types_of(file)["t0"] == ("float32", ["past + now", "2", "unknown_0", "dim_0"])


# ---- hostile files ---------------------------------------------------------------------------------

OPERATORS = re.findall(r'^HTP_INFER\w*\("(\w+)"',
                       (ROOT / "core/onnx/infer_rules.def").read_text(), re.MULTILINE)
ATTRIBUTES = re.findall(r'^    \{"(\w+)", HTP_VIEW_\w+\}',
                        "".join(p.read_text() for p in (ROOT / "core/onnx").glob("infer_*.c")),
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
    """Time is linear in what a file holds: long chains, wide nodes, many unknown sizes, deep bodies."""
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
