"""What a program costs: the multiply-adds that `inspect --cost` counts against half of what torch.utils.flop_counter
counts while the program runs."""

import json
import os
from collections import Counter
from pathlib import Path

import onnx
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

import harness
from commands import NO_SHIM
from zoo import inputs
from zoo.judge import arguments_of
from zoo.results import REFUSED, RIGHT, UNTRACEABLE, WRONG
from zoo.running import first_line

# Operators of ONNX that stand for those of PyTorch's counter.
KINDS = {
    **dict.fromkeys(("MatMul", "Gemm", "Einsum"), "products"),
    **dict.fromkeys(("Conv", "ConvTranspose", "DeformConv"), "convolutions"),
}


def has_effect(node) -> bool:
    """PyTorch keeps operators without an effect, too, such as a dropout that does nothing."""
    schema = getattr(node.target, "_schema", None)
    return node.op != "call_function" or schema is None or schema.is_mutable


def counted_by_pytorch(program, tensors: tuple) -> Counter:
    """Multiply-adds of products and of convolutions. The counter does not know the CPU's kernel of attention, so that
    runs as products."""
    with torch.no_grad(), sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as counter:
        program(*tensors)
    found = Counter()
    for operator, operations in counter.get_flop_counts()["Global"].items():
        found["convolutions" if "convolution" in str(operator) else "products"] += operations // 2
    return found


def here(*arguments) -> dict:
    result = harness.run(*arguments, "--json", env={**os.environ, **NO_SHIM})
    return json.loads(result.stdout.splitlines()[0])


def dims_of(model: Path) -> dict:
    """Of inputs: names and numbers."""
    return {argument.name: [dim.dim_param or dim.dim_value for dim in argument.type.tensor_type.shape.dim]
            for argument in onnx.load(str(model)).graph.input}


def taken(facts: dict, dims: dict):
    """Examples that the model takes, and their axes, as --sizes takes them."""
    arguments = arguments_of(facts)
    for place in facts["places"]:
        tensors = inputs.example(arguments, place["sizes"], place["seed"])
        shapes = {argument.name: tensor.shape for argument, tensor in zip(arguments, tensors)}
        pairs = [pair for name, of_input in dims.items() for pair in zip(of_input, shapes[name])]
        if all(dim == size for dim, size in pairs if isinstance(dim, int)):
            yield tensors, ",".join(f"{dim}={size}" for dim, size in dict(pairs).items() if isinstance(dim, str))


def count(program, examples) -> tuple:
    """What PyTorch counts for the first example that the program's guards take, and its axes."""
    for tensors, sizes in examples:
        try:
            return counted_by_pytorch(program, tensors), sizes
        except AssertionError as error:
            refusal = error
    raise refusal


def judge(job: dict) -> dict:
    stem, model = Path(job["stem"]), Path(job["scratch"]) / "model.onnx"
    told = here(f"{stem}.pt2", "--out", model, "--quiet", "--no-fold")
    if told["status"] != "ok":
        return {"outcome": REFUSED, "reason": told["error"]}
    try:
        program = torch.export.load(f"{stem}.pt2").module()
        program.graph.eliminate_dead_code(has_effect)  # an export leaves out what no output needs
        program.recompile()
        wanted, sizes = count(program, taken(json.loads(Path(f"{stem}.json").read_text()), dims_of(model)))
    except Exception as error:
        return {"outcome": UNTRACEABLE, "reason": f"PyTorch does not load or run it: {first_line(error)}"}
    told = here("inspect", model, "--cost", *(["--sizes", sizes] if sizes else []))
    return compare(told, wanted)


def compare(told: dict, wanted: Counter) -> dict:
    found = Counter()
    unknown = told["values_of_unknown_size"]
    for operator in told["operators"]:
        amount = operator["multiply_adds"]
        if amount["number"] is None and amount["formula"] != "0":
            return {"outcome": REFUSED, "reason": f"depends on data: {operator['op_type']} {amount['formula']}"}
        found[KINDS.get(operator["op_type"], "others")] += amount["number"] or 0
    apart = [f"{kind} {found[kind]:,} for {wanted[kind]:,}" for kind in ("products", "convolutions")
             if found[kind] != wanted[kind]]
    if apart and unknown:
        return {"outcome": REFUSED, "reason": f"{unknown} tensors have sizes that are not inferred"}
    return {"outcome": WRONG if apart else RIGHT, "reason": ", ".join(apart), "multiply_adds": dict(found)}
