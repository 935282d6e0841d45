"""`htp-trace inspect --cost`: multiply-adds, bytes and memory, against PyTorch's counter and by hand."""

import json
import math
import re

import onnx
import torch
from onnx import TensorProto, helper
from torch import nn
from torch.nn import functional as F
from torch.utils.flop_counter import FlopCounterMode

from commands import NO_SHIM, facts
from harness import (
    EXIT_BAD_INPUT, EXIT_USAGE, ROOT, case, case_for_each, exported, export, run, scratch, torchscript,
)
from models.make import example_inputs
from models.table import ALL
from numbers_check import every_tensor
from test_bad_input import check_line
from test_extract import inputs_of

ROWS = ROOT / "core" / "query" / "cost" / "multiply_adds.def"
FLOAT, INT8, UINT8, INT64, BOOL = (TensorProto.FLOAT, TensorProto.INT8, TensorProto.UINT8, TensorProto.INT64,
                                   TensorProto.BOOL)
MICROSOFT = "com.microsoft"


def cost(file, **sizes) -> dict:
    flags = ["--sizes", ",".join(f"{axis}={size}" for axis, size in sizes.items())] if sizes else []
    return facts("inspect", file, "--cost", *flags)


def number(amount: dict) -> int:
    assert amount["number"] is not None, amount
    return amount["number"]


def at(amount: dict, **sizes) -> int:
    return eval(amount["formula"], {}, sizes)  # a formula is written as Python would compute it


def refuse(*arguments) -> str:
    result = run("inspect", *arguments, env=NO_SHIM)
    check_line(result, EXIT_USAGE)
    return result.stderr


# ---- PyTorch's counter ------------------------------------------------------------------------------


class Mixed(nn.Module):
    """Products and convolutions of all kinds."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.ReLU(), nn.Conv2d(8, 8, 3, groups=4))
        self.up = nn.ConvTranspose2d(8, 6, 2, stride=2, groups=2)
        self.out = nn.Linear(6, 5)

    def forward(self, x):
        x = self.up(self.stem(x)).flatten(2).transpose(1, 2)
        y = self.out(x)
        return torch.einsum("bni,bnj->bij", x, y) + x.transpose(1, 2) @ y


def flops(file, inputs) -> int:
    """Operations, as torch.utils.flop_counter counts them while the program runs."""
    program = torch.jit.load(str(file)).eval()
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        program(*inputs)
    return counter.get_total_flops()


@case
def half_of_what_pytorch_counts():
    with scratch() as folder:
        torch.jit.trace(Mixed().eval(), torch.ones(2, 3, 12, 10)).save(str(folder / "mixed.pt"))
        export(folder / "mixed.pt", folder / "mixed.onnx", "--input", "x:float32[batch=2,3,height=12,width=10]")
        sizes = {"batch": 3, "height": 16, "width": 9}
        found = cost(folder / "mixed.onnx", **sizes)
        assert not found["not_counted"] and not found["values_of_unknown_size"]
        for key in ("multiply_adds", "activation_bytes"):
            assert at(found[key], **sizes) == number(found[key])
        assert 2 * number(found["multiply_adds"]) == flops(folder / "mixed.pt", [torch.ones(3, 3, 16, 9)])


class Same(nn.Conv2d):
    """Padded for ceil(size / 2) outputs, as TensorFlow pads."""

    def forward(self, x):
        h, w = x.shape[-2:]
        down = max((-(h // -2) - 1) * 2 + 3 - h, 0)
        across = max((math.ceil(w / 2) - 1) * 2 + 3 - w, 0)
        padded = F.pad(x, [across // 2, across - across // 2, down // 2, down - down // 2])
        return F.conv2d(padded, self.weight, self.bias, 2)


@case
def of_padding_that_is_computed():
    """Numbers are followed through divisions that round, truth values and floats."""
    with scratch() as folder:
        torch.jit.script(nn.Sequential(Same(3, 8, 3), Same(8, 8, 3)).eval()).save(str(folder / "m.pt"))
        export(folder / "m.pt", folder / "m.onnx", "--input", "input:float32[batch=2,3,height=12,width=10]")
        for sizes in ({"batch": 3, "height": 17, "width": 224}, {"batch": 1, "height": 224, "width": 223}):
            found = cost(folder / "m.onnx", **sizes)
            assert not found["values_of_unknown_size"], sizes
            x = torch.ones(sizes["batch"], 3, sizes["height"], sizes["width"])
            assert 2 * number(found["multiply_adds"]) == flops(folder / "m.pt", [x]), sizes


@case_for_each(("traced", "program"))
def of_programs(kind):
    """A PyTorch model costs what its export costs: it is exported in memory, and nothing is written."""
    x = torch.ones(2, 3, 12, 10)
    with scratch() as folder:
        file = folder / ("m.pt" if kind == "traced" else "m.pt2")
        if kind == "traced":
            torch.jit.trace(Mixed().eval(), x).save(str(file))
        else:
            torch.export.save(torch.export.export(Mixed().eval(), (x,), dynamic_shapes=({0: torch.export.Dim("batch")},)),
                              file)
        given = ["--input", "x:float32[batch=2,3,12,10]"] if kind == "traced" else []
        export(file, folder / "m.onnx", *given)
        for flags in ([], ["--sizes", "batch=3"], ["--sizes", "batch=1", "--module", "out"]):
            found = json.loads(run("inspect", file, "--cost", "--json", *flags, *given).stdout)
            wanted = facts("inspect", folder / "m.onnx", "--cost", *flags)
            assert found.pop("model") != wanted.pop("model") and found == wanted, flags
        assert sorted(p.name for p in folder.iterdir()) == sorted([file.name, "m.onnx"])
        result = run("inspect", file, "--cost", "--sizes", "x=1", *given)
        assert result.returncode == EXIT_USAGE and "no axis 'x'" in result.stderr, result.stderr


@case_for_each(("bert-tiny", "transformer-scripted", "resnet18", "distilbert", "vit"))
def of_sample_models(name):
    model = ALL[name]
    sizes = model.others[-1]
    found = cost(exported(model), **sizes)
    for key in ("multiply_adds", "activation_bytes", "peak_bytes"):
        assert found[key]["formula"] is None or at(found[key], **sizes, max=max) == number(found[key]), key
    inputs = [torch.ones(i.shape(sizes), dtype=torch.float32 if i.kind == "normal" else torch.int64)
              for i in model.inputs]
    assert 2 * number(found["multiply_adds"]) == flops(torchscript(model), inputs)


@case
def modules_operators_and_nodes_add_up():
    file = exported(ALL["bert-tiny"])
    found = cost(file, batch=2, sequence=16)
    modules = {m["tag"]: m for m in found["modules"]}
    assert found["parameters"] == 735104 and found["weight_bytes"] == modules["/BertModel"]["weight_bytes"]
    for key in ("multiply_adds", "activation_bytes"):
        whole = number(found[key])
        assert whole == sum(number(m["own"][key]) for m in found["modules"] if m["has_tag"])
        assert whole == sum(number(o[key]) for o in found["operators"])
        assert whole == sum(number(n[key]) for n in found["nodes"])
        assert whole == number(modules["/BertModel"][key])
        layers = [number(modules[f"/BertModel/BertEncoder/BertLayer.{i}"][key]) for i in (0, 1)]
        assert layers[0] == layers[1] > 0 and sum(layers) <= whole
    of_layer = facts("inspect", file, "--cost", "--module", "encoder.layer.0", "--sizes", "batch=2,sequence=16")["nodes"]
    assert sum(number(n["multiply_adds"]) for n in of_layer) == number(
        modules["/BertModel/BertEncoder/BertLayer.0"]["multiply_adds"])


# ---- models by hand ---------------------------------------------------------------------------------


def save(folder, nodes, inputs, outputs, weights=(), infos=(), opset=18, functions=()):
    def values(table):
        return [helper.make_tensor_value_info(name, kind, dims) for name, (kind, dims) in table.items()]
    constants = [helper.make_tensor(name, kind, dims, bytes(8 * max(1, torch.Size(dims).numel())), raw=True)
                 if kind == INT64 else helper.make_tensor(name, kind, dims, contents(kind, dims), raw=True)
                 for name, (kind, dims) in dict(weights).items()]
    graph = helper.make_graph(nodes, "g", values(inputs), values(outputs), constants, value_info=values(dict(infos)))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset), helper.make_opsetid(MICROSOFT, 1)],
                              ir_version=8)
    onnx.save(model, folder / "m.onnx")
    return folder / "m.onnx"


def contents(kind: int, dims) -> bytes:
    return bytes({FLOAT: 4, INT8: 1, UINT8: 1, BOOL: 1}[kind] * torch.Size(dims).numel())


# Operator, its operands' dims (and dtype), attributes, multiply-adds; further outputs are left out.
OPERATORS = {
    "Gemm": ([[3, 4], [5, 3]], {"transA": 1, "transB": 1}, 3 * 4 * 5),
    "MatMul": ([[7, 1, 2, 3], [4, 3, 5]], {}, 7 * 4 * 2 * 3 * 5),
    "MatMulInteger": ([(UINT8, [2, 3]), (UINT8, [3, 4])], {}, 2 * 3 * 4),
    "QLinearMatMul": ([(UINT8, [6, 2, 3]), [], (UINT8, []), (UINT8, [3, 4]), [], (UINT8, []), [], (UINT8, [])], {},
                      6 * 2 * 3 * 4),
    "Einsum": ([[2, 3], [3, 4], [4, 5]], {"equation": "ab,bc,cd->ad"}, 2 * 3 * 4 + 2 * 4 * 5),
    "Conv": ([[2, 4, 9, 8], [6, 2, 3, 2]], {"group": 2, "strides": [2, 1]}, 2 * 6 * 4 * 7 * 2 * 3 * 2),
    "ConvInteger": ([(UINT8, [1, 4, 6]), (UINT8, [5, 4, 3])], {}, 5 * 4 * 4 * 3),
    "ConvTranspose": ([[2, 4, 5], [4, 3, 2]], {"group": 2, "strides": [2]}, 2 * 4 * 5 * 3 * 2),
    "QLinearConv": ([(UINT8, [1, 4, 6]), [], (UINT8, []), (UINT8, [5, 4, 3]), [], (UINT8, []), [], (UINT8, [])], {},
                    5 * 4 * 4 * 3),
    "DeformConv": ([[1, 4, 5, 5], [6, 4, 3, 3], [1, 18, 3, 3]], {}, 6 * 9 * 4 * 9),
    "Attention": ([[2, 3, 24], [2, 7, 8], [2, 7, 10]], {"q_num_heads": 6, "kv_num_heads": 2}, 2 * 3 * 7 * (24 + 30)),
    "LSTM": ([[5, 2, 3], [2, 16, 3], [2, 16, 4]], {"hidden_size": 4, "direction": "bidirectional"}, 5 * 2 * 32 * 7),
    "GRU": ([[5, 2, 3], [1, 12, 3], [1, 12, 4]], {"hidden_size": 4}, 5 * 2 * 12 * 7),
    "RNN": ([[5, 2, 3], [1, 4, 3], [1, 4, 4]], {"hidden_size": 4}, 5 * 2 * 4 * 7),
    MICROSOFT + ".DynamicQuantizeMatMul": ([[2, 3], (UINT8, [3, 4])], {}, 24),
    MICROSOFT + ".FusedGemm": ([[2, 3], [3, 4]], {"activation": "Relu"}, 24),
    MICROSOFT + ".FusedMatMul": ([[6, 3, 2], [6, 4, 3]], {"transA": 1, "transB": 1}, 6 * 24),
    MICROSOFT + ".FusedMatMulActivation": ([[3, 2], [3, 4]], {"transA": 1, "activation": "Relu"}, 24),
    MICROSOFT + ".TransposeMatMul": ([[2, 3], [4, 3]], {"transB": 1}, 24),
    MICROSOFT + ".MatMulBnb4": ([[5, 2, 16], (UINT8, [64]), [2]], {"K": 16, "N": 8, "block_size": 64}, 10 * 16 * 8),
    MICROSOFT + ".MatMulNBits": ([[5, 2, 32], (UINT8, [8, 1, 16]), [8]], {"K": 32, "N": 8, "bits": 4}, 10 * 32 * 8),
    MICROSOFT + ".MatMulIntegerToFloat": ([(UINT8, [2, 3]), (UINT8, [3, 4])], {}, 24),
    MICROSOFT + ".QGemm": ([(UINT8, [2, 3]), [], (UINT8, []), (UINT8, [4, 3])], {"transB": 1}, 24),
    MICROSOFT + ".FusedConv": ([[1, 4, 6], [5, 4, 3]], {"activation": "Relu"}, 5 * 4 * 4 * 3),
    MICROSOFT + ".Attention": ([[2, 5, 6], [6, 36], [36], None, [2, 2, 3, 4, 4]], {"num_heads": 3},
                               10 * 6 * 36 + 2 * 10 * 9 * 12),
    MICROSOFT + ".QAttention": ([(UINT8, [2, 5, 6]), (UINT8, [6, 36])], {"num_heads": 3}, 10 * 6 * 36 + 2 * 10 * 5 * 12),
    MICROSOFT + ".MultiHeadAttention": ([[2, 5, 12], [2, 7, 12], [2, 7, 9]], {"num_heads": 3}, 2 * 5 * 7 * 21),
    MICROSOFT + ".DynamicQuantizeLSTM": ([[5, 2, 3], (UINT8, [1, 3, 16]), (UINT8, [1, 4, 16])], {"hidden_size": 4},
                                         5 * 2 * 16 * 7),
}


@case
def operators_by_hand():
    """Every operator of the table that multiplies; those of other domains that do not are counted as 0."""
    rows = re.findall(r'^MULTIPLY_ADDS\("([\w.]*)", "(\w+)", (\w+)', ROWS.read_text(), re.MULTILINE)
    names = {f"{domain}.{op}" if domain else op: function for domain, op, function in rows}
    assert OPERATORS.keys() == {name for name, function in names.items() if function != "htp_count_none"}
    with scratch() as folder:
        nodes, inputs, wanted = [], {}, {}
        for name, (operands, attributes, count) in OPERATORS.items():
            domain, _, op = name.rpartition(".")
            given = []
            for i, operand in enumerate(operands):
                given.append("" if operand is None else f"{name}{i}")
                if operand is not None:
                    inputs[given[-1]] = operand if isinstance(operand, tuple) else (FLOAT, operand)
            nodes.append(helper.make_node(op, given, [name], name=name, domain=domain, **attributes))
            wanted[name] = count
        for i, name in enumerate(n for n, function in names.items() if function == "htp_count_none"):
            nodes.append(helper.make_node(name.rpartition(".")[2], ["MatMul0"], [name], name=name, domain=MICROSOFT))
            wanted[name] = 0
        declared = {"ConvInteger": (TensorProto.INT32, [1, 5, 4]), "QLinearConv": (UINT8, [1, 5, 4]), MICROSOFT + ".FusedConv": (FLOAT, [1, 5, 4]),
                    "DeformConv": (FLOAT, [1, 6, 3, 3])}
        found = cost(save(folder, nodes, inputs, {"MatMul": (FLOAT, [7, 4, 2, 5])}, infos=declared, opset=23))
        counted = {n["name"]: n["multiply_adds"]["number"] for n in found["nodes"]}
        assert counted == wanted, {name: (count, wanted[name]) for name, count in counted.items() if count != wanted[name]}
        assert found["not_counted"] == []


@case
def what_is_not_known_is_said():
    with scratch() as folder:
        nodes = [helper.make_node("Mystery", ["x"], ["y"], name="other", domain="a.b"),
                 helper.make_node("MatMul", ["y", "w"], ["z"], name="behind"),
                 helper.make_node("MatMul", ["x", "w"], ["v"], name="known")]
        file = save(folder, nodes, {"x": (FLOAT, [2, 3])}, {"z": (FLOAT, None), "v": (FLOAT, [2, 4])},
                    {"w": (FLOAT, [3, 4])})
        found = cost(file)
        assert found["not_counted"] == ["other", "behind"] and found["values_of_unknown_size"] == 2
        assert number(found["multiply_adds"]) == 24 and found["peak_bytes"] == {"formula": None, "number": None}
        text = run("inspect", file, "--cost", env=NO_SHIM).stdout
        assert "multiply-adds  at least 24\n" in text and "not counted: a.b.Mystery other: " in text, text


def body(name: str, extra=()) -> onnx.GraphProto:
    """Multiplies what it carries by w, [3, 3]."""
    carried = helper.make_tensor_value_info(name + "in", FLOAT, [2, 3])
    return helper.make_graph(
        [*extra, helper.make_node("MatMul", [name + "in", "w"], [name + "out"], name=name + "MatMul")], name,
        [helper.make_tensor_value_info(name + "i", INT64, []), helper.make_tensor_value_info(name + "c", BOOL, []),
         carried] if extra else [carried],
        [*([helper.make_tensor_value_info(name + "go", BOOL, [])] if extra else []),
         helper.make_tensor_value_info(name + "out", FLOAT, [2, 3])])


@case
def bodies_count_as_often_as_they_run():
    """18 multiply-adds in each body: a loop over a dim, a loop that data end, a scan, and two branches."""
    def loop(name, go):
        return helper.make_node("Loop", ["count", "", "x"], [name], name=name, body=body(name, [go]))
    true = helper.make_node("Constant", [], ["forgo"], value=helper.make_tensor("t", BOOL, [], [True]))
    seen = helper.make_node("Identity", ["flag"], ["whilego"])
    scan = helper.make_graph([helper.make_node("MatMul", ["row", "w"], ["made"], name="scanMatMul")], "scan",
                             [helper.make_tensor_value_info("row", FLOAT, [2, 3])],
                             [helper.make_tensor_value_info("made", FLOAT, [2, 3])])
    large = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["t1"], name="large"),
                               helper.make_node("MatMul", ["t1", "w"], ["t2"], name="larger")], "t", [],
                              [helper.make_tensor_value_info("t2", FLOAT, [2, 3])])
    small = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["e"], name="small")], "e", [],
                              [helper.make_tensor_value_info("e", FLOAT, [2, 3])])
    nodes = [helper.make_node("Shape", ["rows"], ["shape"], end=1), helper.make_node("Squeeze", ["shape"], ["count"]),
             loop("for", true), loop("while", seen),
             helper.make_node("Scan", ["rows"], ["stacked"], name="scan", body=scan, num_scan_inputs=1),
             helper.make_node("If", ["flag"], ["chosen"], name="if", then_branch=large, else_branch=small)]
    with scratch() as folder:
        file = save(folder, nodes, {"x": (FLOAT, [2, 3]), "rows": (FLOAT, ["n", 2, 3]), "flag": (BOOL, [])},
                    {name: (FLOAT, None) for name in ("for", "while", "stacked", "chosen")}, {"w": (FLOAT, [3, 3])})
        found = cost(file, n=5)
        counts = {n["name"]: number(n["multiply_adds"]) for n in found["nodes"] if n["op_type"] == "MatMul"}
        assert counts == {"forMatMul": 90, "whileMatMul": 18, "scanMatMul": 90, "large": 18, "larger": 18}, counts
        assert found["notes"] == ["Loop while: how often it runs is not known; its body is counted once"]
        assert at(found["multiply_adds"], n=5) == number(found["multiply_adds"]) == 234
        assert found["multiply_adds"]["formula"] == "n*36 + 54"


@case
def peak_by_hand():
    """a = x + x is read by c, b = -a by c alone; d is smaller; nobody reads e."""
    nodes = [helper.make_node("Add", ["x", "x"], ["a"]), helper.make_node("Neg", ["a"], ["b"]),
             helper.make_node("Exp", ["b"], ["e"]), helper.make_node("MatMul", ["a", "b"], ["c"]),
             helper.make_node("ReduceSum", ["c"], ["d"], keepdims=0)]
    with scratch() as folder:
        file = save(folder, nodes, {"x": (FLOAT, ["n", "n"])}, {"d": (FLOAT, [])})
        found = cost(file, n=10)
        assert number(found["peak_bytes"]) == 3 * 400  # a, b, e; then a, b, c
        assert found["peak_bytes"]["formula"] == "n*n*12"
        assert number(found["activation_bytes"]) == 4 * 400 + 4
        assert found["activation_bytes"]["formula"] == "n*n*16 + 4"


@case_for_each(("bert-tiny", "resnet18", "distilbert", "vit", "gpt2-sdpa"))
def the_peak_is_that_of_a_run(name):
    """The tensors of a run, each from its maker to its last reader, in the order of the file."""
    model = ALL[name]
    sizes, file = model.others[-1], exported(model)
    feeds = inputs_of(file, [t.numpy() for t in example_inputs(model, sizes, seed=1)])
    nodes = onnx.load(file).graph.node
    bytes_of = {key: value.nbytes for key, value in {**feeds, **every_tensor(file, feeds)}.items()}
    bytes_of |= dict.fromkeys((o for n in nodes if n.op_type == "Constant" for o in n.output), 0)
    last = {key: place for place, n in enumerate(nodes) for key in (*n.output, *n.input)}
    last |= dict.fromkeys((o.name for o in onnx.load(file).graph.output), len(nodes))
    live = peak = sum(bytes_of[key] for key in feeds)
    for place, n in enumerate(nodes):
        live += sum(bytes_of[key] for key in n.output if key)
        peak = max(peak, live)
        live -= sum(bytes_of[key] for key in {*n.input, *n.output} if key in bytes_of and last[key] == place)
    assert number(cost(file, **sizes)["peak_bytes"]) == peak


# ---- axes and refusals ------------------------------------------------------------------------------


@case
def axes_have_names():
    with scratch() as folder:
        nodes = [helper.make_node("Concat", ["x", "y"], ["z"], axis=1), helper.make_node("MatMul", ["z", "w"], ["v"])]
        file = save(folder, nodes, {"x": (FLOAT, ["batch", None, 3]), "y": (FLOAT, ["batch", "past length", 3])},
                    {"v": (FLOAT, None)}, {"w": (FLOAT, [3, 4])})
        assert cost(file)["axes"] == ["batch", "x.1", "past length"]
        found = facts("inspect", file, "--cost", "--sizes", "past length=2,batch=3,x.1=4")
        assert number(found["multiply_adds"]) == 3 * 6 * 12
        text = run("inspect", file, "--cost", env=NO_SHIM).stdout
        assert "axes           batch, x.1, past length\n" in text, text
        assert "axis 'past length' has no size" in refuse(file, "--cost", "--sizes", "batch=2,x.1=1")
        assert "no axis 'length'; its axes: batch, x.1, past length" in refuse(file, "--cost", "--sizes", "length=1")
        for wrong in ("batch", "batch=", "batch=-1", "=3", "batch=1x", "batch=99999999999", ","):
            assert "is no size: pass AXIS=NUMBER" in refuse(file, "--cost", "--sizes", wrong)
        assert "sizes and node data are for the cost" in refuse(file, "--sizes", "batch=1")
        assert "nothing" in refuse(file, "--cost", "--module", "nothing")


@case
def other_files_are_refused():
    assert "pass --cost" in refuse(ROOT / "models" / "bert-tiny.pt", "--sizes", "batch=1")
    with scratch() as folder:
        file = save(folder, [helper.make_node("Neg", ["x"], ["y"])], {"x": (FLOAT, [2])}, {"y": (FLOAT, [2])}, opset=5)
        result = run("inspect", file, "--cost", env=NO_SHIM)
        check_line(result, EXIT_BAD_INPUT, "sizes cannot be inferred")


@case
def sizes_that_overflow_are_not_counted():
    with scratch() as folder:
        file = save(folder, [helper.make_node("MatMul", ["x", "x"], ["y"], name="huge")],
                    {"x": (FLOAT, ["n", "n"])}, {"y": (FLOAT, ["n", "n"])})
        found = cost(file, n=2147483647)
        assert found["not_counted"] == ["huge"] and found["values_of_unknown_size"] == 2
        assert found["multiply_adds"]["formula"] == "n*n*n"
