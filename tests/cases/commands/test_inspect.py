"""The answers of `htp-trace inspect` about a model before its export."""

import json
import random
from typing import Dict, List, Optional, Tuple

import torch
from torch import Tensor, nn

from harness import (
    EXIT_BAD_INPUT, EXIT_OK, EXIT_UNSUPPORTED, EXIT_USAGE, ROOT, case, case_for_each, run, scratch,
)
from test_bad_input import check_line
from test_damage import WHOLE, truncations

BERT = ROOT / "models" / "bert-tiny.pt"


def inspect(file, *options) -> str:
    result = run("inspect", file, *options)
    assert result.returncode == EXIT_OK, result.stderr
    assert result.stderr == "", result.stderr
    return result.stdout


def facts_of(file, *options) -> dict:
    return json.loads(inspect(file, "--json", *options))


def saved(module: nn.Module, folder):
    file = folder / "model.pt"
    torch.jit.script(module.eval()).save(str(file))
    return file


@case
def text():
    lines = inspect(BERT).splitlines()
    assert lines[0] == f"model    {BERT}", lines[0]
    assert lines[1].startswith("archive  format 10, written by PyTorch 2, read with "), lines[1]
    assert lines[2].startswith("method   forward(input_ids: Tensor, attention_mask: "), lines[2]
    assert "  --input input_ids:int64[2,8]" in lines, lines
    assert any(line.split() == ["/BertModel", "735,104"] for line in lines), lines
    assert "  /BertEmbeddings" in (line.rstrip("0123456789, ") for line in lines), lines
    assert any(line.startswith("aten::embedding ") for line in lines), lines
    assert lines[-1].endswith(" operators, 0 not supported"), lines[-1]


@case
def as_json():
    found = facts_of(BERT)
    assert found["status"] == "ok" and found["method"] == "forward"
    assert [a["name"] for a in found["arguments"]] == ["input_ids", "attention_mask",
                                                      "token_type_ids"]
    assert [i["input"] for i in found["inputs"]] == [
        f"{name}:int64[2,8]" for name in ("input_ids", "attention_mask", "token_type_ids")]
    assert len(found["modules"]) == 48
    root = found["modules"][0]
    assert root["tag"] == "/BertModel" and root["parameters"] == 735104
    assert found["unsupported"] == 0 and all(o["supported"] for o in found["operators"])
    assert found["operators"] == sorted(found["operators"], key=lambda o: o["name"])
    tags = {m["tag"] for m in facts_of(BERT, "--include-torch-nn")["modules"]}
    assert len(tags) == 48, "every module has a tag of its own"


class Inner(nn.Module):
    def forward(self, x: Tensor, twice: bool) -> Tensor:
        if twice:
            x = torch.linalg.matrix_exp(x).relu_()
        else:
            x = torch.rand_like(x)
        for i in range(3):
            x = torch.linalg.matrix_exp(x) + i
        return x


def free(items: List[Tensor]) -> Tensor:
    items.append(items[0].sin())
    return torch.stack(items)


class Outer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = Inner()
        self.linear = nn.Linear(3, 3, bias=False)

    def forward(self, x: Tensor, state: Tuple[Tensor, Dict[str, Tensor]], scale: float = 0.5,
                mask: Optional[Tensor] = None, mode: str = "a\"b"):
        return free([self.inner(self.linear(x), True)]) * scale + state[0]

    @torch.jit.export
    def other(self, x: Tensor, device: torch.device) -> int:
        return x.dim()


@case
def operators():
    """All operators that forward() calls, in branches and loops, whether they run or not."""
    with scratch() as folder:
        file = saved(Outer(), folder)
        found = {o["name"]: o for o in facts_of(file)["operators"]}
        assert found["aten::linalg_matrix_exp"]["places"] == 2
        wrong = {name: o["reason"] for name, o in found.items() if not o["supported"]}
        assert set(wrong) == {"aten::linalg_matrix_exp", "aten::rand_like"}, wrong
        assert "random" in wrong["aten::rand_like"]
        for name in ("aten::sin", "aten::stack", "aten::relu_", "aten::append.t"):
            assert found[name]["supported"], name
        text = inspect(file)
        assert "NOT SUPPORTED: it draws random numbers" in text, text
        assert f"{len(found)} operators, 2 not supported: " in text, text
        (told,) = facts_of(file, "--method", "other")["operators"][:1]
        assert told["name"] == "aten::dim" and told["supported"], told


@case
def signature():
    with scratch() as folder:
        file = saved(Outer(), folder)
        assert ("method   forward(x: Tensor, state: Tuple[Tensor, Dict[str, Tensor]], "
                'scale: float = 0.5, mask: Optional[Tensor] = None, mode: str = "a\\"b") -> Tensor'
                ) in inspect(file).splitlines(), inspect(file)
        found = facts_of(file)
        assert found["methods"][0] == "forward" and "other" in found["methods"]
        assert [a["default"] for a in found["arguments"]] == [None, None, "0.5", "None",
                                                              '"a\\"b"']
        assert found["inputs_origin"] == "derived"
        inputs = {i["name"]: i for i in found["inputs"]}
        assert inputs["x"]["input"] == "x:float32[2,3]", inputs
        assert inputs["scale"]["left_out"] and inputs["mask"]["left_out"]
        other = facts_of(file, "--method", "other")
        assert other["returns"] == "int" and other["inputs"][1]["pass"] is None


class Unclear(nn.Module):
    def forward(self, x: Tensor, y: Tensor, n: int, past: List[Tensor]):
        return x @ y * n + past[0]


@case
def inputs_that_cannot_be_derived():
    with scratch() as folder:
        file = saved(Unclear(), folder)
        inputs = {i["name"]: i for i in facts_of(file)["inputs"]}
        assert inputs["n"]["pass"] == "--input n:int=VALUE" and inputs["n"]["input"] is None
        assert inputs["past.0"]["input"].startswith("past.0:float32["), inputs
        assert inputs["x"]["input"].startswith("x:"), inputs
        assert "\n  n cannot be derived; pass --input n:int=VALUE\n" in inspect(file)
        given = facts_of(file, "--input", "x:float32[2,2]", "--input", "y:float32[2,2]",
                         "--input", "n:int=3", "--input", "past.0:float32[]")
        assert given["inputs_origin"] == "given"
        assert [i["input"] for i in given["inputs"]] == ["x:float32[2,2]", "y:float32[2,2]",
                                                        "n:int=3", "past.0:float32[]"]


@case
def wrong_usage():
    check_line(run("inspect"), EXIT_USAGE, "no model")
    check_line(run("inspect", BERT, "--out", "x.onnx"), EXIT_USAGE, "--out is no option of inspect")
    check_line(run("inspect", BERT, "--dump-graph"), EXIT_USAGE, "no option of inspect")
    check_line(run("inspect", "missing.pt"), EXIT_BAD_INPUT, "missing.pt")
    result = run("inspect", BERT, "missing.pt", "--json")
    assert result.returncode == EXIT_BAD_INPUT
    statuses = [json.loads(line)["status"] for line in result.stdout.splitlines()]
    assert statuses == ["ok", "failed"], result.stdout


def attempt(content: bytes, what: str) -> None:
    with scratch() as folder:
        file = folder / "damaged.pt"
        file.write_bytes(content)
        for option in ((), ("--json",)):
            result = run("inspect", file, *option, errors="replace")
            allowed = (EXIT_OK, EXIT_USAGE, EXIT_BAD_INPUT, EXIT_UNSUPPORTED)
            assert result.returncode in allowed, f"{what}: {result.returncode} {result.stderr}"
            if option:
                json.loads(result.stdout)


@case
def truncated():
    for length in truncations()[::4]:
        attempt(WHOLE[:length], f"truncated to {length} bytes")


@case_for_each(range(4))
def bytes_changed(group):
    generator = random.Random(100 + group)
    code = WHOLE.find(b"code/")
    for number in range(6):
        content = bytearray(WHOLE)
        for _ in range(generator.choice((1, 3, 20))):
            start = max(0, generator.choice((code - 4000, len(WHOLE) - 60000)))
            place = generator.randrange(start, min(len(content), start + 60000))
            content[place] ^= 1 << generator.randrange(8)
        attempt(bytes(content), f"group {group}, change {number}")
