"""--module: a module of a model, exported as a separate model."""

import onnx
import torch
from torch import Tensor, nn

import onnx_facts as facts
from harness import EXIT_OK, EXIT_USAGE, case, case_for_each, run, scratch
from numbers_check import assert_close, session
from test_bad_input import check_line


class Block(nn.Module):
    def __init__(self, features: int) -> None:
        super().__init__()
        self.inner = nn.Linear(features, features)
        self.twin = self.inner

    def forward(self, value: Tensor) -> Tensor:
        return torch.relu(self.inner(value)) + self.twin(value)

    @torch.jit.export
    def doubled(self, x: Tensor, times: int = 2) -> Tensor:
        return self.inner(x) * times


class Encoder(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.ModuleList([Block(4), Block(4)])

    def forward(self, x: Tensor) -> Tensor:
        for block in self.blocks:
            x = block(x)
        return x


class Whole(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = Encoder()
        self.same = self.encoder.blocks[1]
        self.head = nn.Linear(4, 2)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.encoder(x)) + self.same(x).sum()


def saved(folder) -> tuple:
    torch.manual_seed(0)
    module = Whole().eval()
    file = folder / "m.pt"
    torch.jit.script(module).save(str(file))
    return module, file


def tags_of(path) -> set:
    return {facts.tag_of(node) for node in onnx.load(path).graph.node}


# Path, further options, and an equal computation.
PARTS = {
    "submodule": ("encoder", [], lambda m, x: m.encoder(x)),
    "item_of_a_list": ("encoder.blocks.1", [], lambda m, x: m.encoder.blocks[1](x)),
    "alias": ("same", [], lambda m, x: m.same(x)),
    "leaf": ("encoder.blocks.0.inner", [], lambda m, x: m.encoder.blocks[0].inner(x)),
    "method": ("encoder.blocks.0", ["--method", "doubled"],
               lambda m, x: m.encoder.blocks[0].doubled(x)),
}


@case_for_each(sorted(PARTS))
def part(name) -> None:
    path, options, right = PARTS[name]
    with scratch() as folder:
        module, file = saved(folder)
        out, whole = folder / "m.onnx", folder / "whole.onnx"
        common = ["--input", "x:float32[batch=2,4]"]
        given = ["--input", ":float32[batch=2,4]"]
        result = run(file, "--module", path, "--out", out, *given, *options)
        assert result.returncode == EXIT_OK, result.stderr
        runner = session(out)
        for batch in (1, 2, 5):
            x = torch.rand(batch, 4)
            with torch.no_grad():
                wanted = [right(module, x).numpy()]
            got = runner.run(None, {runner.get_inputs()[0].name: x.numpy()})
            assert_close(got, wanted, f"batch {batch}")
        assert run(file, "--out", whole, *common).returncode == EXIT_OK
        names = {tensor.name for tensor in onnx.load(whole).graph.initializer}
        weights = [tensor.name for tensor in onnx.load(out).graph.initializer
                   if tensor.name.endswith((".weight", ".bias"))]
        # Modules that share weights are distinguished, and a weight has the name of its first owner.
        assert weights and all(w in names or w.startswith(f"{path}.") for w in weights), weights
        assert tags_of(out) and all(tag.startswith("/Whole") for tag in tags_of(out))
        if name != "method":
            assert tags_of(out) <= tags_of(whole), tags_of(out) - tags_of(whole)
        check = run("validate", out)
        assert check.returncode == EXIT_OK, check.stdout + check.stderr


@case
def inspected() -> None:
    with scratch() as folder:
        _, file = saved(folder)
        result = run("inspect", file, "--module", "encoder.blocks.0")
        assert result.returncode == EXIT_OK, result.stderr
        assert "encoder.blocks.0.forward(value: Tensor)" in result.stdout, result.stdout
        assert "doubled" in result.stdout


@case
def quality_of_a_part() -> None:
    with scratch() as folder:
        _, file = saved(folder)
        out = folder / "m.onnx"
        options = ["--module", "encoder.blocks.0", "--input", "value:float32[batch=2,4]"]
        assert run(file, "--out", out, *options).returncode == EXIT_OK
        result = run("quality", out, "--reference", file, *options)
        assert result.returncode == EXIT_OK, result.stdout + result.stderr


# Options, exit code, part of the message.
WRONG = {
    "unknown": (["--module", "encoder.block.1"], EXIT_USAGE, "nearest are encoder.blocks"),
    "twice": (["--module", "encoder", "--module", "head"], EXIT_USAGE, "one --module"),
    "no_forward": (["--module", "encoder.blocks"], EXIT_USAGE,
                   "module encoder.blocks has no forward(); its methods are: __len__"),
    "no_method": (["--module", "encoder", "--method", "doubled"], EXIT_USAGE,
                  "module encoder has no doubled(); its methods are: forward"),
}


@case_for_each(sorted(WRONG))
def wrong(name) -> None:
    options, code, part_of_it = WRONG[name]
    with scratch() as folder:
        _, file = saved(folder)
        result = run(file, "--out", folder / "m.onnx", *options)
        check_line(result, code, part_of_it)
