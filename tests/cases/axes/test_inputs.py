"""Structured inputs: tuples, lists, dicts, NumPy files, other methods."""

import json
from typing import Dict, List, NamedTuple, Optional, Tuple

import numpy
import onnx
import torch
from torch import Tensor, nn
from torch.utils import bundled_inputs

import onnx_facts as facts
from harness import (
    EXIT_OK, EXIT_USAGE, case, case_for_each, export, run, scratch, skip_unless,
)
from numbers_check import assert_close, feed, session
from test_bad_input import check_line


class State(NamedTuple):
    hidden: Tensor
    cell: Tensor


class Nested(nn.Module):
    """Reads every kind of container in every way."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(3, 3)

    def forward(self, x: Tensor, past: Tuple[Tensor, List[Tensor]], features: Dict[str, Tensor],
                state: State, mask: Optional[Tensor] = None, steps: int = 2):
        total = self.linear(x) + past[0]
        for tensor in past[1]:
            total = total * tensor
        for key, value in features.items():
            total = total + (value if key == "plus" else -value)
        total = total + state.hidden * len(past[1]) - state.cell
        if mask is not None:
            total = total * mask
        return total * steps, len(features)


class Lookups(nn.Module):
    def forward(self, x: Dict[str, Tensor]):
        known = x.get("a")
        assert known is not None
        total = known * 2 + x.get("b", known) + len(x.items())
        if x.get("c") is None:
            total = total - 1
        return total


class Growing(nn.Module):
    """Changes the list and the dict in its arguments."""

    def forward(self, items: List[Tensor], named: Dict[str, Tensor]):
        items.append(items[0] * 2)
        items[0] = items[1] + 1
        named["sum"] = items[0] + named["a"]
        named["a"] = named["a"] * 3
        return items, named["a"], named["sum"]


class Optionals(nn.Module):
    def forward(self, pair: Tuple[Optional[Tensor], Tensor], numbers: Dict[int, Tensor],
                sizes: List[int], flag: Tuple[bool, float], extra: Optional[List[Tensor]] = None):
        first = pair[0]
        total = pair[1] + numbers[7]
        if first is not None:
            total = total * first
        if extra is not None:
            total = total - extra[0]
        if flag[0]:
            total = total * flag[1]
        return total.reshape(sizes)


NESTED = (
    "x:float32[batch=2,3]", "past.0:float32[batch=2,3]", "past.1.0:float32[3]",
    "past.1.1:float32[batch=2,3]", "features.plus:float32[3]", "features.minus:float32[batch=2,1]",
    "state.hidden:float32[3]", "state.cell:float32[batch=2,3]",
)
NAMES = ["x", "past_0", "past_1_0", "past_1_1", "features_plus", "features_minus", "state_hidden",
         "state_cell"]


def flags(*inputs) -> list:
    return [part for text in inputs for part in ("--input", text)]


def saved(module: nn.Module, folder):
    file = folder / "model.pt"
    torch.jit.script(module.eval()).save(str(file))
    return file


def tensors(runner) -> list:
    """Random values for a session's inputs, batch being 5."""
    generator = torch.Generator().manual_seed(7)
    return [torch.rand([5 if isinstance(d, str) else d for d in argument.shape], generator=generator)
            for argument in runner.get_inputs()]


def nested_arguments(given: list) -> tuple:
    x, first, second, third, plus, minus, hidden, cell = given[:8]
    return (x, (first, [second, third]), {"plus": plus, "minus": minus}, State(hidden, cell),
            *given[8:])


def check_nested(module, file, out, names, *options) -> None:
    export(file, out, *options)
    onnx.checker.check_model(onnx.load(str(out)), full_check=True)
    runner = session(out)
    assert [argument.name for argument in runner.get_inputs()] == names
    given = tensors(runner)
    with torch.no_grad():
        wanted = module(*nested_arguments(given))[0]
    assert_close(feed(runner, given)[:1], [wanted.numpy()], "nested")


@case
def nested():
    module = Nested()
    with scratch() as folder:
        file, out = saved(module, folder), folder / "model.onnx"
        check_nested(module, file, out, NAMES, *flags(*NESTED))
        masked = [*NAMES, "mask"]
        check_nested(module, file, out, masked, *flags(*NESTED, "mask:float32[batch=2,3]"))
        # Parts of a NamedTuple have numbers, too, and their order does not matter.
        numbered = [text.replace("state.hidden", "state.0").replace("state.cell", "state.1")
                    for text in NESTED]
        moved = [*numbered[:2], numbered[3], numbered[2], *numbered[4:6], numbered[7], numbered[6]]
        check_nested(module, file, out, NAMES, *flags(*moved))


@case
def nested_in_a_file():
    module = Nested()
    content = {
        "x": "float32[batch=2,3]",
        "past": ["float32[batch=2,3]",
                 ["float32[3]", {"dtype": "float32", "shape": [{"batch": 2}, 3], "value": 1}]],
        "features": {"plus": "float32[3]", "minus": "float32[batch=2,1]"},
        "state": {"hidden": "float32[3]=arange", "cell": "float32[batch=2,3]"},
    }
    with scratch() as folder:
        (folder / "inputs.json").write_text(json.dumps(content))
        check_nested(module, saved(module, folder), folder / "model.onnx", NAMES,
                     "--inputs", folder / "inputs.json")


@case
def containers_that_forward_changes():
    module = Growing()
    with scratch() as folder:
        file, out = saved(module, folder), folder / "model.onnx"
        export(file, out, *flags("items.0:float32[3]", "items.1:float32[3]", "named.a:float32[3]"))
        runner = session(out)
        assert [a.name for a in runner.get_inputs()] == ["items_0", "items_1", "named_a"]
        a, b, c = given = tensors(runner)
        items, *others = module([a, b], {"a": c})
        assert_close(feed(runner, given), [t.numpy() for t in (*items, *others)], "changed")


@case
def dicts_are_looked_up():
    with scratch() as folder:
        file, out = saved(Lookups(), folder), folder / "model.onnx"
        for keys in ("a", "ab", "abc"):
            export(file, out, *flags(*(f"x.{key}:float32[3]" for key in keys)))
            runner = session(out)
            # An unused argument stays an input.
            assert [a.name for a in runner.get_inputs()] == [f"x_{key}" for key in keys]
            given = tensors(runner)
            wanted = Lookups()(dict(zip(keys, given)))
            assert_close(feed(runner, given), [wanted.numpy()], keys)


@case
def parts_that_stay_out():
    module = Optionals()
    with scratch() as folder:
        file, out = saved(module, folder), folder / "model.onnx"
        least = ("pair.1:float32[6]", "numbers.7:float32[6]", "sizes.0:int=2", "sizes.1:int=-1",
                 "flag.0:bool=true", "flag.1:float=0.5")
        export(file, out, *flags(*least))
        runner = session(out)
        assert [a.name for a in runner.get_inputs()] == ["pair_1", "numbers_7"]
        a, b = given = tensors(runner)
        wanted = module((None, a), {7: b}, [2, -1], (True, 0.5))
        assert_close(feed(runner, given), [wanted.numpy()], "least")
        export(file, out, *flags("pair.0:float32[6]", *least, "extra.0:float32[6]"))
        runner = session(out)
        a, b, c, d = given = tensors(runner)
        wanted = module((a, b), {7: c}, [2, -1], (True, 0.5), [d])
        assert_close(feed(runner, given), [wanted.numpy()], "all")


WRONG_PARTS = {
    "missing": (NESTED[:-1], 'argument "state.cell" of forward() is missing'),
    "missing_argument": (NESTED[:-2], "pass --input state.hidden:DTYPE[DIMS] --input state.cell:"),
    "number": ([*NESTED, "state.2:float32[3]"], 'has no "2"'),
    "field": ([*NESTED, "state.other:float32[3]"], 'has no "other"'),
    "gap": ([t.replace("past.1.0", "past.1.2") for t in NESTED], 'argument "past.1.0" of forward()'),
    "twice": ([*NESTED, NESTED[-1]], '"state.cell" is given twice'),
    "tensor": ([*NESTED[1:], "x.0:float32[2]"], 'argument "x" has type Tensor'),
    "deeper": ([*NESTED[:-1], "state.cell.0:float32[2]"],
               'argument "state.cell" of forward() is a Tensor'),
    "list": ([NESTED[0], *NESTED[4:], "past.0:float32[2,3]", "past.1:float32[3]"],
             'argument "past.1" of forward() is a List[Tensor], not a tensor'),
    "scalar": ([*NESTED[:-1], "state.cell:float=3"], 'of forward() is a Tensor, not a number'),
}


@case_for_each(sorted(WRONG_PARTS))
def wrong_parts(kind):
    inputs, words = WRONG_PARTS[kind]
    with scratch() as folder:
        file = saved(Nested(), folder)
        check_line(run(file, "--out", folder / "x.onnx", *flags(*inputs)), EXIT_USAGE, words)
        assert [path.name for path in folder.iterdir()] == ["model.pt"]


class Key(nn.Module):
    def forward(self, x: Dict[int, Tensor]):
        return x[1]


@case
def wrong_keys():
    with scratch() as folder:
        file = saved(Key(), folder)
        for name in ("one", "01", "99999999999999999999", "1a"):
            result = run(file, "--out", folder / "x.onnx", "--input", f"x.{name}:float32[2]")
            check_line(result, EXIT_USAGE, f'"{name}" is no int')
        result = run(file, "--out", folder / "x.onnx", "--input", "x.2:float32[2]")
        check_line(result, EXIT_USAGE, "a key is not in its dict")


# ---- inputs of the archive -------------------------------------------------------------------------


@case
def bundled():
    """Bundled inputs are nested like the arguments."""
    module = Nested()
    arguments = nested_arguments([torch.rand(2, 3), torch.rand(2, 3), torch.rand(3),
                                  torch.rand(2, 3), torch.rand(3), torch.rand(2, 1), torch.rand(3),
                                  torch.rand(2, 3)])
    with scratch() as folder:
        file = folder / "model.pt"
        scripted = torch.jit.script(module.eval())
        bundled_inputs.augment_model_with_bundled_inputs(scripted, [(*arguments, None, 2)])
        scripted.save(str(file))
        check_nested(module, file, folder / "model.onnx", NAMES)
        result = run(file, "--out", folder / "model.onnx", "--static")
        assert result.returncode == EXIT_OK, result.stderr
        for text in ("past.1.1:float32[2,3]", "features.minus:float32[2,1]", "steps:int=2"):
            assert f"taken from the archive --input {text}\n" in result.stderr, result.stderr


def modes() -> nn.Module:
    """A new class each time, since inputs can be bundled with a class only once."""

    class Modes(nn.Module):
        def forward(self, x: Tensor, mode: str = "twice", steps: int = 1):
            return x * 2 * steps if mode == "twice" else x

    return Modes()


@case
def bundled_text():
    """A string cannot be an input: its default is kept, but never put in place of another one."""
    with scratch() as folder:
        file, out = folder / "model.pt", folder / "model.onnx"
        for mode, steps in (("twice", 2), ("once", 2), ("twice", 2**53 + 1)):
            scripted = torch.jit.script(modes())
            inputs = [(torch.rand(3), mode, steps)]
            bundled_inputs.augment_model_with_bundled_inputs(scripted, inputs)
            scripted.save(str(file))
            result = run(file, "--out", out)
            if (mode, steps) == ("twice", 2):
                assert result.returncode == EXIT_OK, result.stderr
                out.unlink()
            else:
                check_line(result, EXIT_USAGE, "the bundled inputs give argument")
                assert not out.exists()


@case
def hidden_text():
    """A NUL in a text is refused, not read as its end."""
    with scratch() as folder:
        file, out = saved(Codec(), folder), folder / "model.onnx"
        (folder / "x.json").write_bytes(b'{"x": "float32[2,4]"}\0{')
        check_line(run(file, "--out", out, "--inputs", folder / "x.json"), EXIT_USAGE, "NUL")
        (folder / "x.json").write_text('{"x\\u0000": "float32[2,4]"}')
        check_line(run(file, "--out", out, "--inputs", folder / "x.json"), EXIT_USAGE, "not valid JSON")
        extra = {"htp_inputs.json": '{"x": "float32[2,4]"}\0{'}
        torch.jit.save(torch.jit.script(Codec()), str(file), _extra_files=extra)
        check_line(run(file, "--out", out), EXIT_USAGE, "htp_inputs.json: not valid JSON")


class Sums(nn.Module):
    def forward(self, pair, named):
        return pair[0] + pair[1][0] * named["a"]


@case
def traced_with():
    """PyTorch 2 keeps nested inputs of a trace."""
    with scratch() as folder:
        file, out = folder / "model.pt", folder / "model.onnx"
        example = ((torch.rand(4), [torch.rand(4)]), {"a": torch.rand(4)})
        torch.jit.trace(Sums(), example).save(str(file))
        result = run(file, "--out", out, "--static")
        assert result.returncode == EXIT_OK, result.stderr
        assert "--input pair.1.0:float32[4]\n" in result.stderr, result.stderr
        runner = session(out)
        assert [a.name for a in runner.get_inputs()] == ["pair_0", "pair_1_0", "named_a"]
        a, b, c = given = tensors(runner)
        assert_close(feed(runner, given), [(a + b * c).numpy()], "traced")


# ---- NumPy files -----------------------------------------------------------------------------------


class Plus(nn.Module):
    def forward(self, x: Tensor, ids: Tensor):
        return x + ids


def shapes(path) -> list:
    return [(v.name, v.type.tensor_type.elem_type,
             [d.dim_param or d.dim_value for d in v.type.tensor_type.shape.dim])
            for v in onnx.load(str(path)).graph.input]


@case
def arrays():
    wanted = [("x", onnx.TensorProto.FLOAT, [2, 3]), ("ids", onnx.TensorProto.INT64, [3])]
    x, ids = numpy.zeros((2, 3), numpy.float32), numpy.arange(3)
    with scratch() as folder:
        file, out = saved(Plus(), folder), folder / "model.onnx"
        numpy.save(folder / "x.npy", x)
        numpy.save(folder / "ids.npy", numpy.asfortranarray(ids))
        export(file, out, *flags(f"x:@{folder}/x.npy", f"ids:@{folder}/ids.npy"))
        assert shapes(out) == wanted
        numpy.savez(folder / "both.npz", ids=ids, x=x)
        export(file, out, "--inputs", folder / "both.npz")
        assert shapes(out) == wanted
        numpy.savez(folder / "unnamed.npz", x, ids)
        export(file, out, "--inputs", folder / "unnamed.npz")
        assert shapes(out) == wanted
        export(file, out, *flags(f"x:float32[n=2,3]=@{folder}/x.npy", "ids:int64[3]=arange"))
        assert shapes(out) == [("x", onnx.TensorProto.FLOAT, ["n", 3]), wanted[1]]


@case
def wrong_arrays():
    with scratch() as folder:
        file, out = saved(Plus(), folder), folder / "model.onnx"
        x = numpy.zeros((2, 3), numpy.float32)
        for name, array in {"text": numpy.array(["a"]), "swapped": x.astype(">f4"),
                            "wide": x.astype(numpy.longdouble)}.items():
            numpy.save(folder / f"{name}.npy", array)
            result = run(file, "--out", out, *flags(f"x:@{folder}/{name}.npy"))
            check_line(result, EXIT_USAGE, f"{name}.npy: an array ")
        numpy.save(folder / "x.npy", x)
        result = run(file, "--out", out, *flags(f"x:float32[3,2]=@{folder}/x.npy"))
        check_line(result, EXIT_USAGE, "another dtype or shape")
        numpy.savez_compressed(folder / "x.npz", x=x)
        check_line(run(file, "--out", out, "--inputs", folder / "x.npz"), EXIT_USAGE,
                   "x.npy: compressed; save the arrays with numpy.savez()")
        (folder / "x.npz").write_bytes(b"no zip file")
        check_line(run(file, "--out", out, "--inputs", folder / "x.npz"), EXIT_USAGE, "no .npz file")
        assert not out.exists()


# ---- other methods ---------------------------------------------------------------------------------


class Encoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 2)

    def forward(self, x: Tensor) -> Tensor:
        return self.linear(x).relu()


class Codec(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = Encoder()
        self.decoder = nn.Linear(2, 4)

    def forward(self, x: Tensor) -> Tensor:
        return self.decode(self.encode(x))

    @torch.jit.export
    def encode(self, x: Tensor) -> Tensor:
        return self.encoder(x) * 2

    @torch.jit.export
    def decode(self, code: Tensor) -> Tensor:
        return self.decoder(code)


@case
def method():
    module = Codec()
    with scratch() as folder:
        file, out = saved(module, folder), folder / "model.onnx"
        result = export(file, out, "--method", "encode")
        assert "assumed --input x:float32[batch=2,4]" in result.stderr, result.stderr
        runner = session(out)
        given = tensors(runner)
        with torch.no_grad():
            assert_close(feed(runner, given), [module.encode(*given).numpy()], "encode")
        tags = {facts.tag_of(node) for node in onnx.load(str(out)).graph.node}
        assert tags == {"/Codec", "/Codec/Encoder"}, tags
        export(file, out, "--method", "decode", "--input", "code:float32[n=3,2]")
        runner = session(out)
        given = tensors(runner)
        with torch.no_grad():
            assert_close(feed(runner, given), [module.decode(*given).numpy()], "decode")
        export(file, folder / "a.onnx")
        export(file, folder / "b.onnx", "--method", "forward")
        assert (folder / "a.onnx").read_bytes() == (folder / "b.onnx").read_bytes()


class NoForward(nn.Module):
    @torch.jit.export
    def score(self, x: Tensor) -> Tensor:
        return x * 2


@case
def wrong_methods():
    with scratch() as folder:
        file, out = saved(Codec(), folder), folder / "model.onnx"
        check_line(run(file, "--out", out, "--method", "encoder"), EXIT_USAGE,
                   "the root module has no encoder(); its methods are: ")
        check_line(run(file, "--out", out, "--method", "decode", "--input", "x:float32[2,2]"),
                   EXIT_USAGE, 'decode(): input "x:float32[2,2]": there is no argument "x"')
        check_line(run(file, "--out", out, "--method", ""), EXIT_USAGE, "has no ()")
        lonely = saved(NoForward(), folder)
        check_line(run(lonely, "--out", out), EXIT_USAGE, "no forward(); its methods are: score")
        export(lonely, out, "--method", "score", "--input", "x:float32[3]")


@case
def bundled_for_a_method():
    with scratch() as folder:
        file, out = folder / "model.pt", folder / "model.onnx"
        scripted = torch.jit.script(Codec().eval())
        lists = {scripted.encode: [(torch.rand(3, 4),)], scripted.forward: [(torch.rand(2, 4),)]}
        bundled_inputs.augment_many_model_functions_with_bundled_inputs(scripted, lists)
        scripted.save(str(file))
        result = export(file, out, "--method", "encode", "--static")
        assert "--input x:float32[3,4]\n" in result.stderr, result.stderr
        result = export(file, out, "--static")
        assert "--input x:float32[2,4]\n" in result.stderr, result.stderr


class Attention(nn.Module):
    def forward(self, x: Tensor):
        return nn.functional.scaled_dot_product_attention(x, x, x)


@case
def sizes_that_nobody_can_compute() -> None:
    """An export only computes shapes; the scores would take 16 terabytes."""
    skip_unless("aten::scaled_dot_product_attention")
    with scratch() as folder:
        file = folder / "attention.pt"
        torch.jit.script(Attention()).save(str(file))
        export(file, folder / "x.onnx", "--input", "x:float32[1,1,2000000,8]")
        output = onnx.load(folder / "x.onnx").graph.output[0]
        sizes = [dim.dim_value for dim in output.type.tensor_type.shape.dim]
        assert sizes == [1, 1, 2000000, 8], sizes
