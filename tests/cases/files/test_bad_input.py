"""All errors in inputs and flags: one clear line, the documented exit code, nothing left behind, an existing output
untouched."""

import math
import os
import subprocess
import zipfile
from pathlib import Path

import onnx
import torch
from torch import nn

import unsupported_model
from compiled import input_flags as tensor_flags, save
from harness import (
    EXIT_BAD_INPUT, EXIT_UNSUPPORTED, EXIT_USAGE, ROOT, case, case_for_each, export, input_flags, run,
    scratch,
)
from models.table import ALL

BERT = ALL["bert-tiny"]
BERT_FILE = ROOT / "models" / "bert-tiny.pt"
EXISTING = b"an earlier result"


def check_line(result: subprocess.CompletedProcess, code: int, *words: str) -> None:
    """One line that begins with the program's name, perhaps with indented details below it."""
    assert result.returncode == code, f"exit code {result.returncode}, not {code}: {result.stderr}"
    lines = result.stderr.splitlines()
    headed = [line for line in lines if line.startswith("htp-trace: ")]
    assert len(headed) == 1 and lines[0] == headed[0], result.stderr
    assert all(line.startswith("  ") for line in lines[1:]), result.stderr
    assert code == EXIT_UNSUPPORTED or len(lines) == 1, result.stderr
    for word in words:
        assert word in result.stderr, f"{word!r} is not in: {result.stderr}"


def refused(folder: Path, model: Path, code: int, *words: str, flags=()) -> None:
    """The export fails in the documented way and leaves the folder as it was."""
    out = folder / "out.onnx"
    out.write_bytes(EXISTING)
    before = sorted(folder.iterdir())
    result = run(model, "--out", out, *(flags or input_flags(BERT)))
    check_line(result, code, *words)
    assert result.stdout == "", result.stdout
    assert out.read_bytes() == EXISTING, "the existing output was changed"
    assert sorted(folder.iterdir()) == before, sorted(folder.iterdir())


@case
def messages_are_utf8():
    """Whatever the system or libtorch puts into them; also without control codes."""
    with scratch() as folder:
        check_line(run(folder / os.fsdecode(b"a\xe4\x1bb.pt")), EXIT_USAGE, "/a??b.pt is neither")


# ---- files that are not TorchScript ----------------------------------------------------------------


def missing(path: Path) -> None:
    pass


def folder_instead(path: Path) -> None:
    path.mkdir()


def empty(path: Path) -> None:
    path.touch()


def plain_text(path: Path) -> None:
    path.write_text("this is not a model\n" * 100)


def other_zip(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme.txt", "hello")


def pickled_state_dict(path: Path) -> None:
    torch.save(nn.Linear(4, 4).state_dict(), path)


def pickled_state_dict_of_old(path: Path) -> None:
    torch.save(nn.Linear(4, 4).state_dict(), path, _use_new_zipfile_serialization=False)


def pickled_module(path: Path) -> None:
    torch.save(nn.Linear(4, 4), path)


def pipe(path: Path) -> None:
    os.mkfifo(path)


def onnx_file(path: Path) -> None:
    value = onnx.helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [1])
    graph = onnx.helper.make_graph([], "g", [value], [value])
    onnx.save(onnx.helper.make_model(graph), path)


NOT_TORCHSCRIPT = {
    "missing": missing, "directory": folder_instead, "empty": empty, "text": plain_text,
    "zip": other_zip, "state_dict": pickled_state_dict, "old_state_dict": pickled_state_dict_of_old,
    "module": pickled_module, "pipe": pipe, "onnx": onnx_file,
}


@case_for_each(sorted(NOT_TORCHSCRIPT))
def not_torchscript(kind):
    with scratch() as folder:
        file = folder / ("program.pt2" if kind == "pt2" else "model.pt")
        NOT_TORCHSCRIPT[kind](file)
        refused(folder, file, EXIT_BAD_INPUT, file.name)


# ---- operators -------------------------------------------------------------------------------------


def with_code_replaced(source: Path, target: Path, old: bytes, new: bytes) -> None:
    """A copy of an archive whose code calls something else."""
    replaced = 0
    with zipfile.ZipFile(source) as old_zip, zipfile.ZipFile(target, "w") as new_zip:
        for name in old_zip.namelist():
            content = old_zip.read(name)
            if name.endswith(".py"):
                replaced += content.count(old)
                content = content.replace(old, new)
            new_zip.writestr(name, content)
    assert replaced, f"{old} is not in the code of {source.name}"


@case
def operator_that_libtorch_lacks():
    with scratch() as folder:
        file = folder / "newer.pt"
        with_code_replaced(BERT_FILE, file, b"torch.tanh(", b"torch.tanh_of_tomorrow(")
        refused(folder, file, EXIT_BAD_INPUT, "newer.pt", "tanh_of_tomorrow")


@case
def unsupported_operators():
    """All are listed at once, each with its module, source file and line, and count."""
    with scratch() as folder:
        file = folder / "model.pt"
        inputs = (torch.rand(4, 4),)
        save(unsupported_model.Net(), inputs, "traced", file)
        flags = tensor_flags(*inputs)
        refused(folder, file, EXIT_UNSUPPORTED, "model.pt", flags=flags)
        lines = run(file, "--out", folder / "out.onnx", *flags).stderr.splitlines()
        for operator, (module, line, count) in unsupported_model.EXPECTED.items():
            hits = [text for text in lines if operator in text]
            assert len(hits) >= 1, f"{operator} is not listed: {lines}"
            about = hits[-1]
            for word in (module, f"unsupported_model.py:{line}", str(count)):
                assert word in about, f"{word!r} is not in: {about}"


# ---- inputs that do not fit ------------------------------------------------------------------------

MISFITS = {
    "too_many": ["a:int64[2,8]", "b:int64[2,8]", "c:int64[2,8]", "d:int64[2,8]"],
    "too_few": ["input_ids:int64[2,8]"],
    "unknown_name": ["ids:int64[2,8]", "attention_mask:int64[2,8]", "token_type_ids:int64[2,8]"],
    "dtype": ["input_ids:float32[2,8]", "attention_mask:int64[2,8]", "token_type_ids:int64[2,8]"],
    "shape": ["input_ids:int64[2,8]", "attention_mask:int64[2,9]", "token_type_ids:int64[2,8]"],
    "rank": ["input_ids:int64[2]", "attention_mask:int64[2,8]", "token_type_ids:int64[2,8]"],
    "too_long": [f"{n}:int64[2,513]" for n in ("input_ids", "attention_mask", "token_type_ids")],
    "syntax": ["input_ids:int64[2,", "attention_mask:int64[2,8]", "token_type_ids:int64[2,8]"],
    "no_dtype": ["input_ids:int7[2,8]", "attention_mask:int64[2,8]", "token_type_ids:int64[2,8]"],
    "negative": ["input_ids:int64[-2,8]", "attention_mask:int64[2,8]", "token_type_ids:int64[2,8]"],
}


@case_for_each(sorted(MISFITS))
def inputs_that_do_not_fit(kind):
    flags = [part for text in MISFITS[kind] for part in ("--input", text)]
    with scratch() as folder:
        refused(folder, BERT_FILE, EXIT_USAGE, flags=flags)


class Picky(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if x.size(0) > 2:
            raise ValueError("at most two rows, please")
        return torch.relu(x)


@case
def forward_that_raises():
    with scratch() as folder:
        file = save(Picky(), (), "scripted", folder / "model.pt")
        flags = ["--input", "x:float32[3,4]"]
        refused(folder, file, EXIT_USAGE, "at most two rows, please", flags=flags)
        export(file, folder / "good.onnx", "--input", "x:float32[2,4]")


class Checks(nn.Module):
    def forward(self, x):
        if x.dim() != 3:
            raise ValueError(f"3 dims are needed, got {x.dim()} in {x.size()}")
        return x


@case
def message_of_the_program():
    """Values in the program's own messages are filled in."""
    with scratch() as folder:
        file = save(Checks(), (), "scripted", folder / "model.pt")
        refused(folder, file, EXIT_USAGE, "3 dims are needed, got 2 in [2, 4]",
                flags=["--input", "x:float32[2,4]"])


@case
def output_is_the_file_of_inputs():
    with scratch() as folder:
        inputs = folder / "inputs.json"
        inputs.write_text('{"input_ids": "int64[2,8]"}')
        result = run(ROOT / "models" / "bert-tiny.pt", "--inputs", inputs, "--out", inputs)
        assert result.returncode == EXIT_USAGE and "the input itself" in result.stderr, result.stderr
        assert inputs.read_text().startswith("{")


# ---- numbers and constants of the file that kernels do not look at ---------------------------------

LEAST = -(2**63)


class Held(nn.Module):
    """Its operands come from the file: two numbers and two tensors."""

    def __init__(self, a: int = LEAST, b: int = -1, first=(LEAST,), second=(-1,)):
        super().__init__()
        self.a = a
        self.b = b
        self.first = torch.tensor(first)
        self.second = torch.tensor(second)


class Quotient(Held):
    def forward(self, x):
        return x + self.a // self.b


class Remainder(Held):
    def forward(self, x):
        return x + self.a % self.b


class CommonDivisor(Held):
    def forward(self, x):
        return x + math.gcd(self.a, self.b)


class RemainderOfZero(nn.Module):
    def forward(self, x):
        return x + x.size(0) % (x.size(0) - 2)


class QuotientOfTensors(Held):
    def forward(self, x):
        return x + torch.div(self.first, self.second, rounding_mode="trunc")


class RemainderOfTensors(Held):
    def forward(self, x):
        return x + torch.remainder(self.first, self.b)


class Shifted(Held):
    def forward(self, x):
        return x + (self.a << self.b)


class NegativeSize(Held):
    def forward(self, x):
        return x + torch.zeros([self.b]).sum()


class ManyPositions(Held):
    def forward(self, x):
        return x + torch.tril_indices(-self.b, -self.b).sum()


def many_positions():
    return ManyPositions(b=-(2**40))


class Labels(Held):
    def forward(self, x):
        lengths = torch.ones(2, dtype=torch.long)
        scores = torch.zeros(5, 2, 3)
        return x + torch.ctc_loss(scores, self.first.view(2, 1), lengths, lengths)


def labels():
    return Labels(first=(10**9, 10**9))


class Segments(Held):
    def forward(self, x):
        return x + torch.segment_reduce(torch.ones(4), "sum", offsets=self.first).sum()


def segments():
    return Segments(first=(0, 10**8))


class Gradients(Held):
    def forward(self, x):
        return x + torch.ops.aten.embedding_dense_backward(torch.ones(2, 2), self.first, 4, -1, False).sum()


def gradients():
    return Gradients(first=(10**9, 10**9))


class ManyDims(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(2).view([1] * 99 + [2]))

    def forward(self, x):
        return x + self.weight.view(2)


class ManyDimsOfOne(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("number", torch.ones([1] * 100))

    def forward(self, x):
        return x + self.number.view(1)


class ManyDimsMade(nn.Module):
    def forward(self, x):
        return x.view([1] * 99 + [2]).view(2) * 2


HOSTILE = {
    Quotient: (EXIT_USAGE, "is divided by -1"),
    Remainder: (EXIT_USAGE, "is divided by -1"),
    CommonDivisor: (EXIT_USAGE, "is divided by -1"),
    RemainderOfZero: (EXIT_USAGE, "aten::remainder.int raised in the root module"),
    QuotientOfTensors: (EXIT_USAGE, "is divided by -1"),
    RemainderOfTensors: (EXIT_USAGE, "is divided by -1"),
    Shifted: (EXIT_USAGE, "shifted by less than 0"),
    NegativeSize: (EXIT_USAGE, "aten::zeros raised"),
    many_positions: (EXIT_USAGE, "their triangle of a size that a tensor may have"),
    gradients: (EXIT_UNSUPPORTED, "aten::embedding_dense_backward"),
    ManyDims: (EXIT_UNSUPPORTED, "100 dims"),
    ManyDimsOfOne: (EXIT_UNSUPPORTED, "100 dims"),
    ManyDimsMade: (EXIT_UNSUPPORTED, "more than 64 dims"),
}


@case_for_each(HOSTILE, name=lambda make: make.__name__)
def numbers_of_the_file(make):
    """Operands for which libtorch would crash, or read out of bounds, are refused."""
    code, words = HOSTILE[make]
    with scratch() as folder:
        file = save(make(), (), "scripted", folder / "model.pt")
        refused(folder, file, code, words, flags=["--input", "x:float32[2]"])


@case_for_each((labels, segments), name=lambda make: make.__name__)
def positions_of_the_file(make):
    """Kernels that would read out of bounds do not run if sizes alone determine the result."""
    with scratch() as folder:
        file = save(make(), (), "scripted", folder / "model.pt")
        export(file, folder / "x.onnx", "--input", "x:float32[2]")


class Slices(Held):
    def forward(self, x):
        numbers = [1, 2, 3, 4]
        step = -1 - self.a
        return x + len(numbers[1::step]) + 10 * len(numbers[self.a:step:2])


@case
def slices_with_extreme_steps():
    with scratch() as folder:
        file = save(Slices(), (), "scripted", folder / "model.pt")
        export(file, folder / "x.onnx", "--input", "x:float32[2]")


class Nothing(nn.Module):
    def forward(self, x):
        return None


@case
def nothing_comes_out():
    with scratch() as folder:
        file = save(Nothing(), (), "scripted", folder / "model.pt")
        refused(folder, file, EXIT_UNSUPPORTED, "nothing to export", flags=["--input", "x:float32[2]"])


@case
def frozen_module():
    """Exports, with a note that the hierarchy is lost."""
    with scratch() as folder:
        module = torch.jit.load(str(ROOT / "models" / "transformer-traced.pt")).eval()
        file = folder / "frozen.pt"
        torch.jit.save(torch.jit.freeze(module), str(file))
        out = folder / "model.onnx"
        result = export(file, out, *input_flags(ALL["transformer-traced"]))
        assert "torch.jit.freeze" in result.stderr, result.stderr
        onnx.checker.check_model(str(out), full_check=True)


# ---- flags -----------------------------------------------------------------------------------------

BAD_FLAGS = {
    "no_model": ["--out", "x.onnx"],
    "no_output": [str(BERT_FILE)],
    "unknown": [str(BERT_FILE), "--out", "x.onnx", "--frobnicate"],
    "opset_16": [str(BERT_FILE), "--out", "x.onnx", "--opset", "16"],
    "opset_24": [str(BERT_FILE), "--out", "x.onnx", "--opset", "24"],
    "opset_text": [str(BERT_FILE), "--out", "x.onnx", "--opset", "18a"],
    "tags": [str(BERT_FILE), "--out", "x.onnx", "--tags", "attribute,nothing"],
    "external": [str(BERT_FILE), "--out", "x.onnx", "--external-data", "sometimes"],
    "value_missing": [str(BERT_FILE), "--out"],
    "two_models": [str(BERT_FILE), str(BERT_FILE), "--out", "x.onnx"],
    "same_output": [str(BERT_FILE), str(BERT_FILE), "--out-dir", "."],
    "both_outputs": [str(BERT_FILE), "--out", "x.onnx", "--out-dir", "."],
    "inputs_missing": [str(BERT_FILE), "--out", "x.onnx", "--inputs", "no.json"],
}


@case_for_each(sorted(BAD_FLAGS))
def bad_flags(kind):
    with scratch() as folder:
        check_line(run(*BAD_FLAGS[kind], cwd=folder), EXIT_USAGE)
        assert not list(folder.iterdir())


# The error in --functions, and words of the message.
BAD_FUNCTIONS = {
    "nothing": (["--functions", "BertLayr"], "no module is 'BertLayr'; the nearest are BertLayer"),
    "qualified": (["--functions", "torch.nn.LayrNorm"], "the nearest are torch.nn.LayerNorm"),
    "one_of_two": (["--functions", "BertLayer,Nothing"], "no module is 'Nothing'"),
    "of_two_flags": (["--functions=Nothing", "--functions", "BertLayer"], "no module is 'Nothing'"),
    "unbalanced": (["--functions", "(BertLayer"], "no module is '(BertLayer'"),
    "never_called": (["--functions", "encoder.layer"],
                     "never called; called below: encoder.layer.0, encoder.layer.1"),
    "root": (["--functions", "BertModel"], "is the root, whose body is the model itself"),
    "empty": (["--functions", "BertLayer,,pooler"], "an empty selector in 'BertLayer,,pooler'"),
    "last_is_empty": (["--functions=BertLayer,"], "an empty selector"),
    "comma": (["--functions", ","], "an empty selector"),
    "depth_text": (["--functions", "depth=x"], "'depth=x' is no depth"),
    "depth_negative": (["--functions", "depth=-1"], "'depth=-1' is no depth"),
    "depth_missing": (["--functions", "depth="], "'depth=' is no depth"),
    "depth_0": (["--functions", "depth=0"], "'depth=0' is the root"),
    "depth_too_large": (["--functions", "depth=99999999999999999999"], "depth where one is: depth=4"),
    "with_and_without": (["--functions", "encoder", "--functions"], "either with selectors or"),
    "per_nothing": (["--functions-per", "instance"], "goes with --functions"),
    "share_other": (["--share", "layer"], "takes all or module"),
    "per_other": (["--functions", "--functions-per", "module"], "takes body or instance"),
    "opset_14": (["--functions", "--opset", "14"], "functions need opset 15"),
}


@case_for_each(sorted(BAD_FUNCTIONS))
def bad_functions(kind):
    flags, words = BAD_FUNCTIONS[kind]
    with scratch() as folder:
        refused(folder, BERT_FILE, EXIT_USAGE, words, flags=[*flags, "--quiet"])


@case
def selectors_in_place_of_a_model():
    with scratch() as folder:
        result = run("--functions", "missing.pt", "--out", "x.onnx", cwd=folder)
        check_line(result, EXIT_USAGE, '"missing.pt" is no file', "--functions")
        assert not list(folder.iterdir())
