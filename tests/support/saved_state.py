"""Dicts of tensors in the format of torch.save(), made without PyTorch, and also in ways that it does not write."""

import io
import struct
import zipfile

STOP = b"."
DICT = b"}"


def text(value: str) -> bytes:
    return b"X" + struct.pack("<I", len(value.encode())) + value.encode()


def number(value: int) -> bytes:
    if 0 <= value < 256:
        return b"K" + bytes([value])
    size = (value.bit_length() + 8) // 8
    return b"\x8a" + bytes([size]) + value.to_bytes(size, "little", signed=True)


def numbers(values) -> bytes:
    return b"(" + b"".join(number(value) for value in values) + b"t"


def call(module: str, name: str, *arguments: bytes) -> bytes:
    return glob(module, name) + b"(" + b"".join(arguments) + b"t" + b"R"


def glob(module: str, name: str) -> bytes:
    return f"c{module}\n{name}\n".encode()


def storage(key: str = "0", elements: int = 2, kind: bytes = glob("torch", "FloatStorage"), place: str = "cpu") -> bytes:
    return b"(" + text("storage") + kind + text(key) + text(place) + number(elements) + b"tQ"


def tensor(sizes=(2,), strides=(1,), offset: int = 0, of: bytes = storage(), name: str = "_rebuild_tensor_v2",
           more: bytes = b"") -> bytes:
    hooks = call("collections", "OrderedDict")
    return call("torch._utils", name, of, number(offset), numbers(sizes), numbers(strides), b"\x89", hooks, more)


def parameter(of: bytes) -> bytes:
    return call("torch._utils", "_rebuild_parameter", of, b"\x88", call("collections", "OrderedDict"))


def pickled(members: dict, behind: bytes = STOP) -> bytes:
    return b"\x80\x02" + DICT + b"(" + b"".join(text(name) + value for name, value in members.items()) + b"u" + behind


def saved(pickle: bytes, storages: dict, order: bytes = b"little", folder: str = "archive/", packed=()) -> bytes:
    """@param packed  names of records that are compressed"""
    records = {"data.pkl": pickle, "byteorder": order, **{f"data/{key}": content for key, content in storages.items()}}
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in records.items():
            method = zipfile.ZIP_DEFLATED if name in packed else zipfile.ZIP_STORED
            archive.writestr(zipfile.ZipInfo(folder + name), content, method)
    return file.getvalue()
