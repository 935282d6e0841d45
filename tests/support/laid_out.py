"""Initializers that differ from the model's weights: their source weights, by their metadata."""

import json

import onnx
import torch

import onnx_facts as facts
from onnx_facts import parameters_of

DTYPES = {onnx.TensorProto.FLOAT: torch.float32, onnx.TensorProto.FLOAT16: torch.float16,
          onnx.TensorProto.BFLOAT16: torch.bfloat16, onnx.TensorProto.DOUBLE: torch.float64,
          onnx.TensorProto.INT64: torch.int64, onnx.TensorProto.INT32: torch.int32,
          onnx.TensorProto.INT8: torch.int8, onnx.TensorProto.UINT8: torch.uint8,
          onnx.TensorProto.INT16: torch.int16, onnx.TensorProto.BOOL: torch.bool}


def lay(weights: list, layout: str, dims) -> torch.Tensor:
    """Weights laid out as htp.layout says."""
    first = weights[0]
    if layout in ("cast", "reshape"):
        return first.reshape(tuple(dims))
    if layout == "transpose":
        return first.t()
    told = json.loads(layout)
    if all(isinstance(axis, int) for axis in told):
        return first.permute(told)
    parts = []
    for box in told:
        of = weights[box["of"]]
        parts.append(torch.as_strided(of, box["sizes"], box["strides"],
                                      of.storage_offset() + box["offset"]).flatten())
    return torch.cat(parts).reshape(tuple(dims))


def is_computed(initializer) -> bool:
    """Whether it is computed from weights by more than a layout or a cast."""
    told = facts.properties(initializer)
    return "htp.parameter" in told and "htp.layout" not in told


def epsilons(apart: onnx.ModelProto) -> dict:
    """The epsilons of norms by their weights' names, in an export that folds nothing."""
    return {node.input[1]: attribute.f for node in apart.graph.node
            if node.op_type == "BatchNormalization"
            for attribute in node.attribute if attribute.name == "epsilon"}


def is_folded(initializer, state: dict, epsilon: dict) -> bool:
    """Whether it is the weight or the bias of a convolution with a folded norm, up to the last digit: computed from
    the layer's own weight or bias, and the norm's weight, bias, mean and variance."""
    names = parameters_of(initializer)
    *_, variance = weights = [state[name].double() for name in names]
    (scale,) = [state[name].double() for name in names if name in epsilon]
    factor = scale / (variance + epsilon[next(name for name in names if name in epsilon)]).sqrt()
    if initializer.name.endswith(".weight"):
        wanted = weights[0] * factor.reshape(-1, *[1] * (weights[0].dim() - 1))
    else:
        own = weights[0] if len(names) == 5 else 0
        wanted = (own - weights[-2]) * factor + weights[-3]
    got = torch.frombuffer(bytearray(initializer.raw_data), dtype=torch.float32)
    return torch.equal(got, wanted.flatten().float())


def contents(initializer, state: dict) -> torch.Tensor:
    """The expected contents of an initializer, from the model's own weights; None if it has none."""
    names = parameters_of(initializer)
    if any(name not in state for name in names):
        return None
    weights = [torch.view_as_real(state[n]) if state[n].is_complex() else state[n] for n in names]
    layout = facts.properties(initializer).get("htp.layout", "cast")
    return lay(weights, layout, initializer.dims).to(DTYPES[initializer.data_type])


def holds(initializer, wanted: torch.Tensor) -> bool:
    """Whether the contents are equal, byte for byte."""
    if list(wanted.shape) != list(initializer.dims):
        return False
    raw = wanted.contiguous().flatten().view(torch.uint8).numpy().tobytes()
    return initializer.raw_data == raw


def elements(initializer, state: dict) -> dict:
    """By weight, the indices of an initializer's elements, in the weight's own order."""
    names = parameters_of(initializer)
    layout = facts.properties(initializer).get("htp.layout", "cast")
    counted, begin = [], 0
    for name in names:
        numbers = torch.empty_strided(state[name].shape, state[name].stride(), dtype=torch.int64)
        numbers.copy_(torch.arange(begin, begin + numbers.numel()).reshape(numbers.shape))
        counted.append(numbers)
        begin += numbers.numel()
    held = lay(counted, layout, initializer.dims).flatten()
    found, begin = {}, 0
    for name, numbers in zip(names, counted, strict=True):
        own = (held >= begin) & (held < begin + numbers.numel())
        found[name] = held[own] - begin
        begin += numbers.numel()
    return found
