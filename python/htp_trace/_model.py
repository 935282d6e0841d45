"""Exports, and models that are open."""

from __future__ import annotations

import json
import os
import sys
from ctypes import byref, c_bool, c_char_p, c_void_p
from typing import Any, Union

from ._library import File, Options, check, lib, take, torch_package

Path = Union[str, "os.PathLike[str]"]
Answer = dict  # what a command prints with --json


def _loads(text: str) -> Answer:
    return json.loads(text)


def _with_libtorch(options: dict[str, Any]) -> dict[str, Any]:
    """The libtorch of this Python, unless another one is asked for."""
    if options.get("libtorch") or os.environ.get("HTP_LIBTORCH"):
        return options
    return {**options, "libtorch": torch_package()}


def export(model: Path | bytes, out: Path, **options: Any) -> Answer:
    """Exports a TorchScript file (.pt) or a program of torch.export (.pt2), or the bytes of one, to ONNX.

    Options are the fields of htp_options: inputs, opset, eval, functions, sidecar... Returns what `--json` prints.
    """
    result = c_void_p()
    with File(model) as path, Options("htp_options", _with_libtorch(options)) as given:
        check(lib.htp_export(path, os.fsencode(out), given, byref(result)))
    answer = _loads(lib.htp_result_json(result).decode())
    lib.htp_result_free(result)
    return answer


def limit_models(*limits: str) -> None:
    """Sets the limits of ONNX models that are opened from now on, "nodes=1000000" each; without any, to the defaults.
    docs/LIMITS.md lists them."""
    check(lib.htp_limit_models((c_char_p * len(limits))(*(limit.encode() for limit in limits)), len(limits)))


def inspect(model: Path | bytes, **options: Any) -> Answer:
    """Describes a model of PyTorch, or the bytes of one, before its export."""
    text = c_void_p()
    with File(model) as path, Options("htp_options", _with_libtorch(options)) as given:
        check(lib.htp_inspect(path, given, None, byref(text)))
    return _loads(take(text))


class Model:
    """An ONNX model of any exporter. One thread at a time may use it."""

    def __init__(self, model: Path | bytes) -> None:
        self._pointer = c_void_p()
        self._file = File(model)
        self.path = os.fsdecode(self._file.path)
        try:
            check(lib.htp_model_open(self._file.path, byref(self._pointer)))
        except BaseException as error:
            self._file.__exit__(type(error), error)
            raise

    def close(self) -> None:
        """Closes the model; it must not be used any more."""
        lib.htp_model_free(self._pointer)
        self._pointer = c_void_p()
        self._file.close()

    def __enter__(self) -> Model:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_pointer", None):
            self.close()

    def inspect(self, **options: Any) -> Answer:
        """The model, or with module=ADDRESS some modules: nodes, weights, values at the border."""
        text = c_void_p()
        with Options("htp_inspect_options", options) as given:
            check(lib.htp_model_inspect(self._pointer, given, None, byref(text)))
        return _loads(take(text))

    @property
    def modules(self) -> list[Answer]:
        """The modules in the order of the tree, each with its tag, class, nodes_total and parameters."""
        return self.inspect()["modules"]

    def borders(self, depth: int = -1) -> list[Answer]:
        """The values that cross the border of each module, down to a depth."""
        return self.inspect(borders=True, depth=depth)["modules"]

    def cost(self, sizes: str | None = None) -> Answer:
        """Multiply-adds, bytes and memory of modules; sizes: "batch=1,sequence=128"."""
        return self.inspect(cost=True, sizes=sizes)

    def select(self, *modules: str, exclude: tuple[str, ...] = (), **options: Any) -> list[str]:
        """The names of the nodes of some modules, or with weights=True of their weights."""
        text = c_void_p()
        options = {"modules": list(modules), "except": list(exclude), **options}
        with Options("htp_selection", options) as given:
            check(lib.htp_model_select(self._pointer, given, byref(text)))
        return take(text).splitlines()

    def extract(self, *modules: str, out: Path, exclude: tuple[str, ...] = (), **options: Any) -> Answer:
        """Writes some modules as a model of their own."""
        text = c_void_p()
        options = {"modules": list(modules), "except": list(exclude), **options}
        with Options("htp_extraction", options) as given:
            check(lib.htp_model_extract(self._pointer, given, os.fsencode(out), None, byref(text)))
        return _loads(take(text))

    def split(self, folder: Path, *at: str, **options: Any) -> Answer:
        """Writes the model as consecutive parts to a new folder: at these modules, at a depth, or into=N parts."""
        text = c_void_p()
        with Options("htp_splitting", {"at": list(at), **options}) as given:
            check(lib.htp_model_split(self._pointer, given, os.fsencode(folder), None, byref(text)))
        return _loads(take(text))

    def replace(self, *modules: str, out: Path, **options: Any) -> Answer:
        """Writes the model with nodes of op="my.domain:Name", or those of by="part.onnx", in the place of modules."""
        text = c_void_p()
        with Options("htp_replacing", {"modules": list(modules), **options}) as given:
            check(lib.htp_model_replace(self._pointer, given, os.fsencode(out), None, byref(text)))
        return _loads(take(text))

    def validate(self, **options: Any) -> Answer:
        """Findings of the checker."""
        text = c_void_p()
        with Options("htp_validate_options", options) as given:
            check(lib.htp_validate_model(os.fsencode(self.path), given, None, byref(text), None))
        return _loads(take(text))

    def compare(self, other: Model) -> Answer:
        """Differences from another model; "different" says whether there is any."""
        text, different = c_void_p(), c_bool()
        check(lib.htp_model_compare(self._pointer, other._pointer, None, byref(text), byref(different)))
        return {**_loads(take(text)), "different": different.value}

    def verify(self, other: Model | None = None, **options: Any) -> Answer:
        """Runs both models in ONNX Runtime; "beyond" says whether a difference is beyond the tolerance. Without another
        model, `values` names a file of its tensors."""
        text, beyond = c_void_p(), c_bool()
        with Options("htp_verify_options", {"onnxruntime": _onnxruntime(), **options}) as given:
            check(lib.htp_model_verify(self._pointer, other and other._pointer, given, None, byref(text), byref(beyond)))
        return {**_loads(take(text)), "beyond": beyond.value}

    def quality(self, **options: Any) -> Answer:
        """The quality of the tags."""
        text = c_void_p()
        paths = (c_char_p * 1)(os.fsencode(self.path))
        with Options("htp_quality_options", options) as given:
            check(lib.htp_measure_quality(paths, 1, given, None, byref(text), None))
        return _loads(take(text))


def verify(program: Path | bytes, model: Model, export: dict[str, Any] | None = None, **options: Any) -> Answer:
    """Runs a PyTorch model in libtorch and the model that was made of it in ONNX Runtime; "beyond" says whether a
    difference is beyond the tolerance. export: options of the export, such as its inputs."""
    text, beyond = c_void_p(), c_bool()
    with File(program) as path, Options("htp_options", _with_libtorch(export or {})) as made, \
            Options("htp_verify_options", {"onnxruntime": _onnxruntime(), **options}) as given:
        check(lib.htp_program_verify(path, model._pointer, made, given, None, byref(text), byref(beyond)))
    return {**_loads(take(text)), "beyond": beyond.value}


def _onnxruntime() -> str | None:
    """ONNX Runtime's library in the packages of this Python."""
    for folder in sys.path:
        capi = os.path.join(folder or ".", "onnxruntime", "capi")
        names = sorted(os.listdir(capi)) if os.path.isdir(capi) else []
        for name in names:
            if name.startswith("libonnxruntime.so"):
                return os.path.join(capi, name)
    return None


def open(model: Path | bytes) -> Model:
    """Opens an ONNX model: a path, or the bytes of a file."""
    return Model(model)
