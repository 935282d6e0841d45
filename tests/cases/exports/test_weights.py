"""Weights are written in the layout of their readers: converted at export, once, and recorded."""

import json
from collections import Counter

import onnx
import torch
from torch import Tensor, nn

import laid_out
import onnx_facts as facts
from harness import EXIT_OK, case, case_for_each, run, scratch, skip_unless
from numbers_check import assert_close, session


def export(module, folder, inputs: dict, *options) -> tuple:
    """The ONNX model, its path, and the program's output. Axis 0 of every input is dynamic."""
    file, out = folder / "m.pt", folder / "m.onnx"
    scripted = torch.jit.trace(module.eval(), tuple(inputs.values()))
    scripted.save(str(file))
    given = [part for name, x in inputs.items()
             for part in ("--input", f"{name}:{str(x.dtype)[6:]}[n={','.join(map(str, x.shape))}]")]
    result = run(file, "--out", out, *given, *options)
    assert result.returncode == EXIT_OK, result.stderr
    model = onnx.load(out)
    onnx.checker.check_model(model, full_check=True)
    return model, out, result.stderr


def check_numbers(module, out, inputs: dict) -> None:
    wanted = module(*inputs.values())
    wanted = [wanted] if isinstance(wanted, Tensor) else list(wanted)
    found = session(out).run(None, {name: x.numpy() for name, x in inputs.items()})
    assert_close(found, [x.detach().float().numpy() if x.dtype == torch.bfloat16 else
                         x.detach().numpy() for x in wanted], "numbers")


def check_contents(model, module) -> None:
    """Each initializer of weights has the contents that its metadata describe."""
    state = module.state_dict()
    for initializer in model.graph.initializer:
        wanted = laid_out.contents(initializer, state)
        if wanted is not None:
            assert laid_out.holds(initializer, wanted), initializer.name


def operators(model) -> Counter:
    return Counter(node.op_type for node in model.graph.node)


def told(model) -> dict:
    """The layouts of initializers that are not stored as in the model."""
    return {i.name: facts.properties(i)["htp.layout"] for i in model.graph.initializer
            if "htp.layout" in facts.properties(i)}


# ---- layouts ----

class Layouts(nn.Module):
    """One weight, and forward()'s use of it."""

    def __init__(self, make, *sizes, dtype=torch.float32):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(sizes).to(dtype))
        self.make = make

    def forward(self, x: Tensor) -> Tensor:
        return x.sum() * self.make(self.weight)


# The operation on a weight, its sizes, and the value of htp.layout; None: several boxes.
LAYOUTS = {
    "t": (lambda w: w.t(), (3, 5), "transpose"),
    "twice": (lambda w: w.t().t(), (3, 5), ""),
    "permute": (lambda w: w.permute(2, 0, 1), (3, 4, 5), "[2, 0, 1]"),
    "transpose-of-view": (lambda w: w.view(4, 3, 5).transpose(0, 1), (12, 5), None),
    "reshape": (lambda w: w.view(5, 3), (3, 5), "reshape"),
    "all-rows": (lambda w: w[torch.arange(5)], (5, 3), ""),
    "each-second-column": (lambda w: w[:, torch.tensor([-5, 2, 4])], (3, 5), None),
    "copied-reshape": (lambda w: w.t().reshape(3, 5), (3, 5), None),
    "unsqueeze": (lambda w: w.unsqueeze(0).unsqueeze(-1), (7,), "reshape"),
    "squeeze": (lambda w: w.squeeze(1).t(), (3, 1, 5), None),
    "select": (lambda w: w[1], (3, 5), None),
    "last-column": (lambda w: w[:, -1], (3, 5), None),
    "every-second": (lambda w: w[1:6:2], (7, 5), None),
    "chunk": (lambda w: w.chunk(3)[1].t(), (9, 5), None),
    "cat": (lambda w: torch.cat([w[2:], w[:2]], 0), (5, 3), None),
    "cat-inside": (lambda w: torch.cat([w[:, 2:], w[:, :2]], 1), (3, 5), None),
    "cast": (lambda w: w.to(torch.float32), (3, 5), "cast"),
    "cast-and-t": (lambda w: w.to(torch.float32).t(), (3, 5), "transpose"),
    "large": (lambda w: w.permute(1, 2, 0), (70, 300, 11), None),
    "large-t": (lambda w: w.t(), (1031, 517), "transpose"),
}
DTYPES = {"cast": (torch.bfloat16, torch.float16, torch.float64, torch.int32),
          "cast-and-t": (torch.bfloat16, torch.float16, torch.float64)}
CASES = [(name, dtype) for name in LAYOUTS for dtype in DTYPES.get(name, (torch.float32,))]


@case_for_each(CASES, name=lambda row: f"{row[0]}/{str(row[1])[6:]}")
def layouts(row):
    name, dtype = row
    make, sizes, layout = LAYOUTS[name]
    torch.manual_seed(1)
    module = Layouts(make, *sizes, dtype=dtype) if dtype.is_floating_point else Whole(make, *sizes)
    inputs = {"x": torch.randn(2, 3)}
    with scratch() as folder:
        model, out, _ = export(module, folder, inputs)
        check_contents(model, module)
        check_numbers(module, out, {"x": torch.randn(5, 3)})
        weights = [i for i in model.graph.initializer
                   if laid_out.parameters_of(i)[0] == "weight"]
        assert len(weights) == 1, [i.name for i in weights]
        assert layout is None or told(model).get(weights[0].name, "") == layout, told(model)
        readers = [n.op_type for n in model.graph.node if weights[0].name in n.input]
        assert not {"Transpose", "Reshape", "Cast", "Slice", "Gather"} & set(readers), readers


class Whole(nn.Module):
    """Layouts of a buffer of integers."""

    def __init__(self, make, *sizes):
        super().__init__()
        self.register_buffer("weight", torch.randint(-1000, 1000, sizes, dtype=torch.int32))
        self.make = make

    def forward(self, x: Tensor) -> Tensor:
        return x.sum() * self.make(self.weight)


# ---- linear layers, as quantisers look for them ----

class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(64, 96)
        self.outer = nn.Linear(96, 32, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.outer(torch.relu(self.inner(x)))


@case
def linear_of_sequences():
    """MatMul of a weight that is stored as [in, out], and its bias added."""
    with scratch() as folder:
        inputs = {"x": torch.randn(2, 7, 64)}
        module = Layers()
        model, out, _ = export(module, folder, inputs)
        assert operators(model) == {"MatMul": 2, "Add": 1, "Relu": 1}, operators(model)
        assert told(model) == {"inner.weight.T": "transpose", "outer.weight.T": "transpose"}
        check_contents(model, module)
        check_numbers(module, out, {"x": torch.randn(5, 7, 64)})


@case
def linear_of_rows():
    """Gemm takes the weight's bytes as they are."""
    class Two(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner, self.outer = nn.Linear(64, 96), nn.Linear(96, 32)
            self.last = nn.Parameter(torch.randn(8, 32))

        def forward(self, x: Tensor) -> Tensor:
            x = self.outer(self.inner(x))
            return torch.addmm(x.sum(), x, self.last.t())

    with scratch() as folder:
        inputs = {"x": torch.randn(2, 64)}
        module = Two()
        model, out, _ = export(module, folder, inputs)
        assert operators(model)["Gemm"] == 3 and operators(model)["Transpose"] == 0, operators(model)
        assert told(model) == {}, told(model)
        check_numbers(module, out, {"x": torch.randn(5, 64)})


# ---- tied weights ----

class Tied(nn.Module):
    def __init__(self, rows: int):
        super().__init__()
        self.words = nn.Embedding(rows, 64)
        self.inner = nn.Linear(64, 64)
        self.head = nn.Linear(64, rows, bias=False)
        self.head.weight = self.words.weight

    def forward(self, ids: Tensor) -> Tensor:
        return self.head(self.inner(self.words(ids)))


@case
def a_tied_weight_stays_one():
    """It keeps its Transpose; for a large one, a note has the remedy."""
    inputs = {"ids": torch.tensor([[1, 2, 3]])}
    for rows, is_told in ((100, False), (5000, True)):
        with scratch() as folder:
            module = Tied(rows)
            model, out, said = export(module, folder, inputs)
            large = [i.name for i in model.graph.initializer if rows in i.dims]
            assert large == ["words.weight"] or large == ["head.weight"], large
            assert operators(model)["Transpose"] == 1
            assert ("--untie" in said) == is_told, said
            check_numbers(module, out, inputs)
            model, out, said = export(module, folder, inputs, "--untie")
            large = sorted(i.name for i in model.graph.initializer if rows in i.dims)
            assert len(large) == 2 and large[1] == f"{large[0]}.T", large
            assert operators(model)["Transpose"] == 0 and "--untie" not in said, said
            check_contents(model, module)
            check_numbers(module, out, inputs)


@case
def names_are_unique():
    """A parameter with the name that a transposed one would get."""
    class Clash(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.ParameterDict({"T": nn.Parameter(torch.randn(5))})
            self.inner = nn.Module()
            self.inner.weight = nn.Parameter(torch.randn(5, 3))
            self.inner.T = nn.Parameter(torch.randn(5))

        def forward(self, x: Tensor) -> Tensor:
            return x @ self.inner.weight.t() + self.inner.T + self.weight["T"]

    with scratch() as folder:
        inputs = {"x": torch.randn(2, 4, 3)}
        module = Clash()
        model, out, _ = export(module, folder, inputs)
        assert {i.name for i in model.graph.initializer} == {"inner.weight.T", "inner.T", "weight.T"}
        check_contents(model, module)
        check_numbers(module, out, inputs)


# ---- recurrent layers ----

@case_for_each(("LSTM", "GRU", "RNN"), name=str)
def recurrent(kind: str):
    """Gates have ONNX's order in the file: a layer is one node and a Squeeze of its output."""
    with scratch() as folder:
        module = getattr(nn, kind)(6, 5, num_layers=2, bidirectional=True)
        inputs = {"x": torch.randn(4, 3, 6)}
        file, out = folder / "m.pt", folder / "m.onnx"
        torch.jit.trace(module, (inputs["x"],)).save(str(file))
        result = run(file, "--out", out, "--input", "input:float32[4,batch=3,6]")
        assert result.returncode == EXIT_OK, result.stderr
        model = onnx.load(out)
        counted = operators(model)
        assert counted[kind] == 2 and counted["Split"] == 0, counted
        assert counted["Unsqueeze"] == 0 and counted["Concat"] <= 4, counted
        check_contents(model, module)
        names = {name for i in model.graph.initializer if i.name in told(model)
                 for name in laid_out.parameters_of(i)}
        assert names == set(dict(module.named_parameters())), names
        wanted = module(inputs["x"])
        found = session(out).run(None, {"input": inputs["x"].numpy()})
        assert_close(found[:1], [wanted[0].detach().numpy()], kind)


# ---- notes about them, and tools ----

@case
def commands_know_them():
    with scratch() as folder:
        model, out, _ = export(Layers(), folder, {"x": torch.randn(2, 7, 64)})
        listed = run("select", out, "--module", "inner", "--weights").stdout.split()
        assert listed == ["inner.weight.T", "inner.bias"] or listed == ["inner.bias", "inner.weight.T"]
        answer = json.loads(run("select", out, "--module", "inner", "--weights", "--json").stdout)
        made = {w["name"]: w["parameters"] for w in answer["weights"]}
        assert made == {"inner.weight.T": ["inner.weight"], "inner.bias": None}, made
        assert run("validate", out).returncode == EXIT_OK
        result = run("quality", out, "--json", folder / "q.json")
        assert result.returncode == EXIT_OK, result.stderr
        (judged,) = json.loads((folder / "q.json").read_text())["models"]
        measured = judged["metrics"]["contamination.weights"]
        assert (measured["count"], measured["of"]) == (0, 3), measured


@case
def quantisers_find_them():
    """int8 and 4 bits, in ONNX Runtime's own tools: every layer of weights is quantised."""
    skip_unless("onnxruntime quantisers")
    from onnxruntime.quantization import quantize_dynamic
    from onnxruntime.quantization.matmul_nbits_quantizer import MatMulNBitsQuantizer

    with scratch() as folder:
        inputs = {"x": torch.randn(2, 7, 64)}
        module = Layers()
        model, out, _ = export(module, folder, inputs)
        quantize_dynamic(out, folder / "8.onnx")
        counted = operators(onnx.load(folder / "8.onnx"))
        assert counted["MatMulInteger"] == 2 and counted["MatMul"] == 0, counted
        excluded = run("select", out, "--module", "outer", "--format", "ort-exclude").stdout
        quantize_dynamic(out, folder / "7.onnx", nodes_to_exclude=json.loads(excluded))
        counted = operators(onnx.load(folder / "7.onnx"))
        assert counted["MatMulInteger"] == 1 and counted["MatMul"] == 1, counted
        four = MatMulNBitsQuantizer(model, block_size=32, is_symmetric=True)
        four.process()
        assert operators(four.model.model)["MatMulNBits"] == 2, operators(four.model.model)
        onnx.save(four.model.model, folder / "4.onnx")
        for file in ("8.onnx", "7.onnx", "4.onnx"):
            found = session(folder / file).run(None, {"x": inputs["x"].numpy()})[0]
            wanted = module(inputs["x"]).detach().numpy()
            assert abs(found - wanted).max() < 0.25 * abs(wanted).max(), file


@case
def an_lstm_is_quantised():
    skip_unless("onnxruntime quantisers")
    from onnxruntime.quantization import quantize_dynamic

    with scratch() as folder:
        file, out = folder / "m.pt", folder / "m.onnx"
        torch.jit.trace(nn.LSTM(8, 16), (torch.randn(4, 3, 8),)).save(str(file))
        result = run(file, "--out", out, "--input", "input:float32[4,batch=3,8]")
        assert result.returncode == EXIT_OK, result.stderr
        quantize_dynamic(out, folder / "8.onnx")
        assert operators(onnx.load(folder / "8.onnx"))["DynamicQuantizeLSTM"] == 1
