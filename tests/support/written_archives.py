"""TorchScript archives of which tests write every byte: pickles opcode by opcode, code as text, the archive with
zipfile. They need no PyTorch.
"""

import struct
import warnings
import zipfile
from pathlib import Path

PYTHON = """class Net(Module):
  __parameters__ = ["w", ]
  __buffers__ = []
  w : Tensor
  def forward(self: __torch__.Net,
    x: Tensor) -> Tensor:
    return torch.add(x, self.w)
"""


def integer(value: int) -> bytes:
    return b"\x8a\x08" + struct.pack("<q", value)


def text(value: str) -> bytes:
    return b"X" + struct.pack("<I", len(value)) + value.encode()


def name(module: str, item: str) -> bytes:
    return f"c{module}\n{item}\n".encode()


def numbers(values) -> bytes:
    return b"(" + b"".join(map(integer, values)) + b"t"


def tensor(count=16, sizes=(4, 4), strides=(4, 1), offset=0, key="0") -> bytes:
    storage = text("storage") + name("torch", "FloatStorage") + text(key) + text("cpu")
    return (
        name("torch._utils", "_rebuild_tensor_v2") + b"((" + storage + integer(count) + b"tQ" +
        integer(offset) + numbers(sizes) + numbers(strides) + b"\x89" +
        name("collections", "OrderedDict") + b")RtR"
    )


def module(weight: bytes) -> bytes:
    return b"\x80\x02" + name("__torch__", "Net") + b")\x81}(" + text("w") + weight + b"ub."


def write(path: Path, data: bytes, method=zipfile.ZIP_STORED, more=(), code=PYTHON,
          constants=b"\x80\x02).", version=3) -> None:
    records = [
        ("data.pkl", data), ("code/__torch__.py", code.encode()), ("data/0", bytes(64)),
        ("constants.pkl", constants), ("version", b"%d\n" % version), *more,
    ]
    with zipfile.ZipFile(path, "w", method) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about duplicate names
        for record, content in records:
            archive.writestr(f"net/{record}", content)
