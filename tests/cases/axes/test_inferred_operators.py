"""The types that follow from one operator, by the file's opset."""

from pathlib import Path

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

from harness import case, case_for_each, scratch
from told_types import check_against_onnx, types_of

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
    ("Pad", (9,), [X], {"pads": [0, 0, 0, 1, 0, 0, 0, 1]}, ["float32[n,3,1,10]"]),
    ("Pad", (11, 13), [X, ints(0, 0, 0, 1, 1, 0, 0, 1)], {}, ["float32[n + 1,3,1,10]"]),
    ("Pad", (18,), [X, ints(1, 1), None, ints(0)], {}, ["float32[n + 2,3,1,8]"]),
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


@case
def names_that_are_no_words():
    """Formulas over names that contain operators are written unambiguously."""
    with scratch() as folder:
        x = (F, ["past + now", 2, "unknown_0", "dim_0"])
        _, file = one_node(folder, "Flatten", 17, [x], {"axis": 2})
        assert types_of(file)["t0"] == ("float32", ["(past + now)*2", "unknown_0*dim_0"])
        _, file = one_node(folder, "Neg", 17, [x], {})
        assert types_of(file)["t0"] == ("float32", ["past + now", "2", "unknown_0", "dim_0"])
