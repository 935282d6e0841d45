"""libhtp, its functions and its failures."""

from __future__ import annotations

import ctypes
import importlib.util
import json
import os
from ctypes import POINTER, byref, c_bool, c_char_p, c_size_t, c_uint64, c_void_p
from pathlib import Path
from typing import Any, Mapping

FOLDER = Path(__file__).resolve().parent


class Error(Exception):
    """A failure of the library."""

    code: int
    """Its kind, an exit code of the program: 1 internal, 2 usage, 3 bad input, 4 unsupported, 5 cannot write."""
    message: str
    """One line: what went wrong, where, and what to do."""
    details: list[str]
    """Further lines, for example one for each operator that cannot be exported."""

    def __init__(self, code: int, message: str, details: list[str]) -> None:
        super().__init__("\n".join([message, *details]))
        self.code = code
        self.message = message
        self.details = details

    def name_bytes(self, path: str) -> None:
        """Says "bytes" where the message has the path of bytes in memory."""
        self.message = self.message.replace(path, "bytes")
        self.args = ("\n".join([self.message, *self.details]),)


def _load() -> ctypes.CDLL:
    found = os.environ.get("HTP_LIBRARY") or next(iter(sorted(FOLDER.glob("libhtp.so.*"))), "libhtp.so.0")
    return ctypes.CDLL(str(found))


lib = _load()

_OWNED = POINTER(c_char_p)  # a string that the library hands over
_STATUS = c_void_p
_SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "htp_version": (c_char_p, []),
    "htp_status_code": (ctypes.c_int, [_STATUS]),
    "htp_status_message": (c_char_p, [_STATUS]),
    "htp_status_detail_count": (c_size_t, [_STATUS]),
    "htp_status_detail_line": (c_char_p, [_STATUS, c_size_t]),
    "htp_status_free": (None, [_STATUS]),
    "htp_string_free": (None, [c_void_p]),
    "htp_options_free": (None, [c_void_p]),
    "htp_libtorch_version": (_STATUS, [POINTER(c_char_p)]),
    "htp_export": (_STATUS, [c_char_p, c_char_p, c_void_p, POINTER(c_void_p)]),
    "htp_result_json": (c_char_p, [c_void_p]),
    "htp_result_free": (None, [c_void_p]),
    "htp_memory_file_make": (_STATUS, [c_char_p, c_size_t, POINTER(c_void_p)]),
    "htp_memory_file_path": (c_char_p, [c_void_p]),
    "htp_memory_file_free": (None, [c_void_p]),
    "htp_inspect": (_STATUS, [c_char_p, c_void_p, _OWNED, POINTER(c_void_p)]),
    "htp_limit_models": (_STATUS, [POINTER(c_char_p), c_size_t]),
    "htp_model_open": (_STATUS, [c_char_p, POINTER(c_void_p)]),
    "htp_model_free": (None, [c_void_p]),
    "htp_model_inspect": (_STATUS, [c_void_p, c_void_p, _OWNED, POINTER(c_void_p)]),
    "htp_model_select": (_STATUS, [c_void_p, c_void_p, POINTER(c_void_p)]),
    "htp_model_extract": (_STATUS, [c_void_p, c_void_p, c_char_p, _OWNED, POINTER(c_void_p)]),
    "htp_model_split": (_STATUS, [c_void_p, c_void_p, c_char_p, _OWNED, POINTER(c_void_p)]),
    "htp_model_replace": (_STATUS, [c_void_p, c_void_p, c_char_p, _OWNED, POINTER(c_void_p)]),
    "htp_model_compare": (_STATUS, [c_void_p, c_void_p, _OWNED, POINTER(c_void_p), POINTER(c_bool)]),
    "htp_model_verify": (_STATUS, [c_void_p, c_void_p, c_void_p, _OWNED, POINTER(c_void_p), POINTER(c_bool)]),
    "htp_program_verify": (_STATUS, [c_char_p, c_void_p, c_void_p, c_void_p, _OWNED, POINTER(c_void_p),
                                     POINTER(c_bool)]),
    "htp_validate_model": (_STATUS, [c_char_p, c_void_p, _OWNED, POINTER(c_void_p), POINTER(c_uint64)]),
    "htp_measure_quality": (_STATUS, [POINTER(c_char_p), c_size_t, c_void_p, _OWNED, POINTER(c_void_p),
                                      POINTER(c_void_p)]),
}
READERS = ("htp_options", "htp_inspect_options", "htp_selection", "htp_validate_options", "htp_verify_options",
           "htp_quality_options", "htp_extraction", "htp_splitting", "htp_replacing")
for _reader in READERS:
    _SIGNATURES[f"{_reader}_from_json"] = (_STATUS, [c_char_p, POINTER(c_void_p)])
for _name, (_returned, _taken) in _SIGNATURES.items():
    _function = getattr(lib, _name)
    _function.restype, _function.argtypes = _returned, _taken


def check(status: int | None) -> None:
    """Raises a failure."""
    if not status:
        return
    lines = [lib.htp_status_detail_line(status, i) for i in range(lib.htp_status_detail_count(status))]
    error = Error(lib.htp_status_code(status), lib.htp_status_message(status).decode(errors="replace"),
                  [line.decode(errors="replace") for line in lines])
    lib.htp_status_free(status)
    raise error


def take(text: c_void_p) -> str:
    """A string that the library handed over."""
    value = ctypes.string_at(text.value).decode() if text.value else ""
    lib.htp_string_free(text)
    return value


class Options:
    """Options of a call, in the library's memory until the end of a `with` block."""

    def __init__(self, kind: str, options: Mapping[str, Any]) -> None:
        self.pointer = c_void_p()
        text = json.dumps({name: os.fspath(value) if isinstance(value, os.PathLike) else value
                           for name, value in options.items()})
        check(getattr(lib, f"{kind}_from_json")(text.encode(), byref(self.pointer)))

    def __enter__(self) -> c_void_p:
        return self.pointer

    def __exit__(self, *_: object) -> None:
        lib.htp_options_free(self.pointer)


class File:
    """A path, or bytes as a file in memory, as the library takes files."""

    path: bytes

    def __init__(self, file: Any) -> None:
        self._pointer = c_void_p()
        if isinstance(file, (bytes, bytearray, memoryview)):
            content = bytes(file)
            check(lib.htp_memory_file_make(content, len(content), byref(self._pointer)))
            self.path = lib.htp_memory_file_path(self._pointer)
        else:
            self.path = os.fsencode(file)

    def close(self) -> None:
        lib.htp_memory_file_free(self._pointer)
        self._pointer = c_void_p()

    def __enter__(self) -> bytes:
        return self.path

    def __exit__(self, kind: object, error: object, *_: object) -> None:
        if self._pointer and isinstance(error, Error):
            error.name_bytes(os.fsdecode(self.path))
        self.close()


def torch_package() -> str | None:
    """The folder of the torch that this Python would import, which is not imported."""
    found = importlib.util.find_spec("torch")
    folders = list(found.submodule_search_locations or []) if found else []
    return folders[0] if folders else None


def version() -> str:
    """The version of the library."""
    return str(lib.htp_version().decode())


def libtorch_version() -> str:
    """The version of the libtorch that reads TorchScript; it is opened."""
    text = c_char_p()
    check(lib.htp_libtorch_version(byref(text)))
    return (text.value or b"").decode()
