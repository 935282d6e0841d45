"""The worker with PyTorch. A job names an entry of the database and a dtype; for each sample it writes the exporter's
input or output and the eager results.

The messages on a job: {"begin": sample}, then a record of that sample, with an outcome if it ends here, or with the
file's stem and the names of its inputs; at the end {"total": samples}.
"""

import functools
import io
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts"), str(ROOT / "tests/operators")]

import numpy  # noqa: E402  (needs the path above)
import torch  # noqa: E402
from torch import nn  # noqa: E402

import make  # noqa: E402
from op_coverage import samples  # noqa: E402
from op_coverage.processes import serve_torch_jobs  # noqa: E402
from op_coverage.rules import NARROW, is_near_exact  # noqa: E402
from op_coverage.results import (  # noqa: E402
    FILES, NO_SAMPLE, NOT_INFERENCE, OURS, PEERS, PROGRAMS, REFUSED, UNTRACEABLE,
)

OPSET = 18


class Fails(Exception):
    """A sample that PyTorch cannot export: the outcome, and why."""

    def __init__(self, outcome: str, reason: str):
        super().__init__(outcome, reason)
        self.outcome = outcome
        self.reason = reason


def first_line(error: BaseException) -> str:
    """The message of an error; of its cause, if it has one."""
    while error.__cause__ is not None:
        error = error.__cause__
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0] if lines else ''}"[:400]


# ---- exporters -----------------------------------------------------------------------------------


def trace(sample: samples.Sample, stem: Path, expected: list) -> dict:
    """A TorchScript file with the inputs' sizes inside."""
    module = samples.SampleModule(sample).eval()
    try:
        traced = torch.jit.trace(module, sample.copies(), check_trace=False, strict=False)
        names = make.argument_names(traced)
        found = traced(*sample.copies())
    except Exception as error:
        raise Fails(UNTRACEABLE, first_line(error)) from None
    check_faithful(sample, make.leaves(found), expected)
    specifications = {
        name: make.specification(tensor, {}) for name, tensor in zip(names, sample.tensors)
    }
    extra = {"htp_inputs.json": json.dumps(specifications)}
    torch.jit.save(traced, f"{stem}.pt", _extra_files=extra)
    return {"names": names, "aten": sorted(kinds_of(traced.inlined_graph))}


def save_program(sample: samples.Sample, stem: Path, expected: list) -> dict:
    """A program of torch.export."""
    module = samples.SampleModule(sample).eval()
    try:
        program = torch.export.export(module, sample.copies())
        found = program.module()(*sample.copies())
        torch.export.save(program, f"{stem}.pt2")
    except Exception as error:
        raise Fails(UNTRACEABLE, first_line(error)) from None
    check_faithful(sample, make.leaves(found), expected)
    return {"names": list(program.graph_signature.user_inputs), "aten": sorted(targets_of(program.graph_module))}


def targets_of(module) -> set:
    """The operators of a program and of graphs in their arguments: aten.add.Tensor."""
    graphs = [inner.graph for inner in module.modules() if isinstance(inner, torch.fx.GraphModule)]
    nodes = [node for graph in graphs for node in graph.nodes if node.op == "call_function"]
    return {str(node.target) for node in nodes if isinstance(node.target, torch._ops.OpOverload)}


def check_faithful(sample: samples.Sample, found: list, expected: list) -> None:
    if not samples.are_same(found, expected) and not differs_by_rounding(sample, found, expected):
        raise Fails(UNTRACEABLE, "the program that PyTorch makes computes something else than eager mode")


def differs_by_rounding(sample: samples.Sample, found: list, expected: list) -> bool:
    """Whether outputs in 16 bits are as near to exact ones as the expected ones are."""
    triples = list(zip(*map(make.arrays_of, (found, expected, samples.exact(sample)))))
    is_complete = len(triples) == len(found) == len(expected)
    return is_complete and all(
        one.shape == other.shape == exact.shape and dtype in NARROW
        and is_near_exact(one, other, exact)
        for (one, other, exact), dtype in zip(triples, sample.output_dtypes)
    )


def kinds_of(block) -> set:
    """The operators of a graph or block, and of the blocks in it."""
    found = set()
    for node in block.nodes():
        if not node.kind().startswith("prim::"):
            found.add(node.kind())
        for inner in node.blocks():
            found |= kinds_of(inner)
    return found


def export(sample: samples.Sample, stem: Path, column: str) -> dict:
    """An ONNX file by one of PyTorch's exporters."""
    module = samples.SampleModule(sample).eval()
    names = [f"input_{number}" for number in range(len(sample.tensors))]
    options = {"opset_version": OPSET, "input_names": names, "dynamo": column == "dynamo_true"}
    try:
        torch.onnx.export(module, sample.copies(), f"{stem}.onnx", verbose=False, **options)
    except Exception as error:
        raise Fails(REFUSED, first_line(error)) from None
    return {"names": names}


MAKERS = {OURS: trace, PROGRAMS: save_program}


# ---- samples -------------------------------------------------------------------------------------


def eager(sample: samples.Sample) -> list:
    try:
        expected = samples.eager(sample)
    except samples.Unsuitable:
        raise
    except Exception as error:
        raise Fails(NOT_INFERENCE, f"eager mode fails: {first_line(error)}") from None
    if not all(isinstance(leaf, torch.Tensor) for leaf in expected):
        raise Fails(UNTRACEABLE, "an output is no tensor")
    return expected


def save_arrays(stem: Path, sample: samples.Sample, outputs: list) -> None:
    arrays = {}
    for number, array in enumerate(make.arrays_of(sample.tensors)):
        arrays[f"input/{number:03}"] = array
    for number, array in enumerate(make.arrays_of(outputs)):
        arrays[f"output/{number:03}/{sample.output_dtypes[number]}"] = array
    if any(dtype in NARROW for dtype in sample.output_dtypes):
        for number, array in enumerate(make.arrays_of(samples.exact(sample))):
            arrays[f"exact/{number:03}"] = array
    if sample.index_axis is not None:
        output, axis = sample.index_axis
        arrays[f"indices/{output:03}"] = numpy.int64(axis)
    numpy.savez(stem.with_suffix(".npz"), **arrays)


def measure(name: str, drawn, stem: Path, column: str) -> dict:
    """The state of a sample after PyTorch's part."""
    try:
        sample = samples.Sample(name, drawn)
        expected = eager(sample)
        made = MAKERS[column](sample, stem, expected) if column in FILES else export(sample, stem, column)
        save_arrays(stem, sample, expected)
    except samples.Unsuitable as error:
        return {"outcome": NOT_INFERENCE, "reason": str(error)}
    except Fails as error:
        return {"outcome": error.outcome, "reason": error.reason}
    except Exception as error:
        return {"outcome": NOT_INFERENCE, "reason": f"cannot be kept: {first_line(error)}"}
    return {"stem": str(stem), **made}


def perform(job: dict):
    """The messages on a job."""
    if job["kind"] == "list":
        yield {name: samples.dtypes_of(name, job["dtypes"]) for name in samples.entries()}
        return
    try:
        drawn = samples.draw(job["op"], job["dtype"], job["limit"])
    except Exception as error:
        yield {"begin": NO_SAMPLE}
        yield {"sample": NO_SAMPLE, "outcome": NOT_INFERENCE, "reason": f"no samples: {first_line(error)}"}
        drawn = []
    for number, sample in enumerate(drawn):
        if number in job["skip"]:
            continue
        yield {"begin": number}
        stem = Path(job["folder"]) / f"{job['number']:05}-{number:05}"
        with torch.no_grad():
            record = measure(job["op"], sample, stem, job["column"])
        yield {"sample": number, "arguments": samples.describe(sample), **record}
    yield {"total": len(drawn)}


def needs_shelter(job: dict) -> bool:
    """The older exporter's C++ passes crash at times."""
    if job.get("column") in PEERS:
        warm_up(job["column"])
    return job.get("column") == PEERS[0]


@functools.cache
def warm_up(column: str) -> None:
    """Makes an exporter load its modules, once for all samples and later processes."""
    if column == PEERS[1]:
        from torch.onnx._internal.exporter._registration import ONNXRegistry

        # It reads its own sources for every model, which takes half of its time.
        ONNXRegistry.from_torchlib = staticmethod(functools.cache(ONNXRegistry.from_torchlib))
    options = {"opset_version": OPSET, "dynamo": column == PEERS[1], "verbose": False}
    torch.onnx.export(nn.ReLU(), (torch.zeros(1),), io.BytesIO(), **options)


if __name__ == "__main__":
    samples.entries()  # before any job, since it takes longer than a job's time limit
    serve_torch_jobs(perform, needs_shelter)
