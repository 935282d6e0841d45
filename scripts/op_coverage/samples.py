"""The entries of PyTorch's operator database, and their samples as modules that take tensors."""

import functools
import itertools
import random
import warnings
import zlib

import numpy
import torch
from torch import nn

from make import leaves, outer, short_dtype
from op_coverage.rules import INDICES

# Entries without a comparable result: never used in inference, or undefined.
WITHOUT_RESULT = {
    **dict.fromkeys(
        ("_softmax_backward_data", "max_pool2d_with_indices_backward", "native_dropout_backward"),
        "computes a gradient",
    ),
    **dict.fromkeys(
        ("empty", "empty_like", "empty_permuted", "empty_strided", "new_empty", "new_empty_strided"),
        "its elements are undefined",
    ),
}


NARROW = (torch.float16, torch.bfloat16)


class Unsuitable(Exception):
    """A sample without anything to export; the message says why."""


@functools.cache
def entries() -> dict:
    """The database by name: add, nn.functional.interpolate.bilinear. Importing it takes seconds."""
    from torch.testing._internal import common_methods_invocations as database

    # Its random operators would set a seed first and look reproducible.
    database.wrapper_set_seed = lambda op, *args, **kwargs: op(*args, **kwargs)
    named = ((".".join(filter(None, (op.name, op.variant_test_name))), op) for op in database.op_db)
    return dict(named)


def dtypes_of(name: str, wanted: tuple) -> list:
    """The dtypes among the wanted ones that the entry defines on the CPU."""
    supported = entries()[name].supported_dtypes("cpu")
    return [dtype for dtype in wanted if getattr(torch, dtype) in supported]


def draw(name: str, dtype: str, limit) -> list:
    """The first samples of an entry; the same ones for any limit."""
    seed = zlib.crc32(f"{name} {dtype}".encode())
    random.seed(seed)
    numpy.random.seed(seed)
    torch.manual_seed(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        samples = entries()[name].sample_inputs("cpu", getattr(torch, dtype), requires_grad=False)
        return list(itertools.islice(samples, limit))


# ---- a sample as a module ------------------------------------------------------------------------


def dense(tensor: torch.Tensor) -> torch.Tensor:
    """A contiguous copy, as in ONNX."""
    if tensor.is_nested or tensor.layout is not torch.strided:
        raise Unsuitable("sparse or nested tensors")
    if tensor.is_quantized:
        raise Unsuitable("quantised tensors")
    tensor = tensor.detach().resolve_conj().resolve_neg()
    return tensor.clone(memory_format=torch.contiguous_format)


def walk(value, visit):
    """The value with each tensor replaced by visit(tensor)."""
    if isinstance(value, torch.Tensor):
        return visit(value)
    if isinstance(value, dict):
        return {key: walk(item, visit) for key, item in value.items()}
    if type(value) in (list, tuple):
        return type(value)(walk(item, visit) for item in value)
    return value


class Sample:
    """An operator's arguments, split into tensors and the rest."""

    def __init__(self, name: str, sample):
        if name in WITHOUT_RESULT:
            raise Unsuitable(WITHOUT_RESULT[name])
        self.op = entries()[name].op
        self.tensors = []
        self.output_dtypes = []  # of the last call, before bfloat16 became float32
        arguments = (sample.input, tuple(sample.args), dict(sample.kwargs))
        self.template = walk(arguments, self._take)
        self.index_axis = index_axis(name, sample)

    def _take(self, tensor: torch.Tensor) -> "Placeholder":
        self.tensors.append(dense(tensor))
        return Placeholder(len(self.tensors) - 1)

    def call(self, tensors: tuple) -> tuple:
        """The outputs, flat. bfloat16, which numpy lacks, becomes float32."""
        first, args, kwargs = put_back(self.template, tensors)
        outputs = leaves(self.op(first, *args, **kwargs))
        self.output_dtypes = [short_dtype(leaf) for leaf in outputs]
        return outer(outputs)

    def copies(self) -> tuple:
        return tuple(tensor.clone() for tensor in self.tensors)


def index_axis(name: str, sample) -> tuple | None:
    """(index of the output with indices, dim of the input to which they refer)."""
    if name not in INDICES or not isinstance(sample.input, torch.Tensor):
        return None
    position, output = INDICES[name]
    given = sample.args[position] if len(sample.args) > position else -1
    return output, 0 if name == "msort" else sample.kwargs.get("dim", given)


class Placeholder:
    """Stands for a tensor that is an input."""

    def __init__(self, number: int):
        self.number = number


def put_back(value, tensors: tuple):
    if isinstance(value, Placeholder):
        return tensors[value.number]
    if isinstance(value, dict):
        return {key: put_back(item, tensors) for key, item in value.items()}
    if type(value) in (list, tuple):
        return type(value)(put_back(item, tensors) for item in value)
    return value


class SampleModule(nn.Module):
    """The exported module: forward takes exactly the sample's tensors."""

    def __init__(self, sample: Sample):
        super().__init__()
        self.sample = sample

    def forward(self, *tensors):
        return self.sample.call(tensors)


def describe(sample) -> str:
    """The arguments as text: (float32[2,3], dim=1)."""
    parts = [text_of(sample.input), *map(text_of, sample.args)]
    parts += [f"{key}={text_of(value)}" for key, value in sample.kwargs.items()]
    return f"({', '.join(parts)})"[:300]


def text_of(value) -> str:
    if isinstance(value, torch.Tensor):
        dtype = str(value.dtype).removeprefix("torch.")
        return f"{dtype}[{','.join(map(str, value.shape))}]" if not value.is_nested else "nested"
    if isinstance(value, (list, tuple)):
        text = ", ".join(map(text_of, value))
        return f"[{text}]" if isinstance(value, list) else f"({text})"
    return getattr(value, "__name__", None) or str(value).removeprefix("torch.")


# ---- PyTorch's results -----------------------------------------------------------------------


def eager(sample: Sample) -> list:
    """The outputs. Raises Unsuitable if they are not a function of the inputs."""
    torch.manual_seed(1)
    first = outputs_of(sample)
    torch.manual_seed(2)
    torch.use_deterministic_algorithms(True, warn_only=True)  # fills new memory with NaN
    try:
        second = outputs_of(sample)
    finally:
        torch.use_deterministic_algorithms(False)
    if not are_same(first, second):
        raise Unsuitable("random or uninitialised: two runs differ")
    return first


def exact(sample: Sample) -> list:
    """The outputs for the same inputs in float64; [] if the operator does not take them."""
    tensors = [x.double() if x.dtype in NARROW else x.clone() for x in sample.tensors]
    dtypes = sample.output_dtypes
    try:
        return [leaf.detach() for leaf in sample.call(tuple(tensors))]
    except Exception:
        return []
    finally:
        sample.output_dtypes = dtypes


def outputs_of(sample: Sample) -> list:
    outputs = sample.call(sample.copies())
    if not outputs:
        raise Unsuitable("no output")
    return [dense(leaf) if isinstance(leaf, torch.Tensor) else leaf for leaf in outputs]


def are_same(first: list, second: list) -> bool:
    try:
        torch.testing.assert_close(list(first), list(second), equal_nan=True)
    except (AssertionError, TypeError):
        return False
    return True
