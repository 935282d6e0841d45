"""The fuzzers' initial corpus of archives: TorchScript, its pickles, and NumPy's arrays."""

import io
import struct
import zipfile

import numpy as np

CODE = """class Net(Module):
  __parameters__ = ["w", ]
  __buffers__ = []
  training : bool
  w : Tensor
  def forward(self: __torch__.Net, x: Tensor) -> Tensor:
    w = self.w
    return torch.add(x, w, alpha=1)
"""


def text(value):
    return b"X" + struct.pack("<I", len(value)) + value.encode()


def tensor(device="cpu", key="0", elements=16, sizes=(4, 4), strides=(4, 1)):
    """As TorchScript's pickler writes a tensor: _rebuild_tensor_v2(storage, offset, sizes, strides, False, {})."""
    def numbers(values):
        return b"(" + b"".join(b"K" + bytes([value]) for value in values) + b"t"
    return (b"ctorch._utils\n_rebuild_tensor_v2\n((" + text("storage") + b"ctorch\nFloatStorage\n" + text(key)
            + text(device) + b"K" + bytes([elements]) + b"tQK\0" + numbers(sizes) + numbers(strides)
            + b"\x89ccollections\nOrderedDict\n)RtR")


def module(*attributes):
    """An object of __torch__.Net with a state."""
    state = b"}(" + b"".join(text(name) + value for name, value in attributes) + b"u"
    return b"\x80\x02c__torch__\nNet\n)\x81" + state + b"b."


def pickles():
    yield "plain", module(("training", b"\x89"), ("w", tensor()))
    yield "cuda", module(("w", tensor("cuda:0")), ("v", tensor("cuda:1", "1", 1, (1,), (1,))))
    yield "memo", b"\x80\x02(" + text("cuda:0") + b"q\x00h\x00" + b"j\x00\x00\x00\x00" + b"r\x01\x00\x00\x00t."
    yield "numbers", (b"\x80\x02(K\x01M\x02\x00J\xff\xff\xff\xff\x8a\x08" + b"\x7f" * 8 + b"G" + struct.pack(">d", 1.5)
                      + b"\x88\x89Nt.")
    yield "lists", b"\x80\x02(](K\x01K\x02ea}(K\x01K\x02u\x85\x86\x87t."
    yield "enum", b"\x80\x02c__torch__\nColor\nK\x01\x85R."
    yield "cycle", b"\x80\x02]q\x00h\x00a."
    yield "deep", b"\x80\x02" + b"]" * 3000 + b"a" * 2999 + b"."
    yield "doubling", b"\x80\x02)" + b"q\x00h\x00h\x00\x86" * 60 + b"."
    yield "cut", module(("w", tensor()))[:-20]
    yield "large", module(("w", tensor(elements=255, sizes=(255, 255))))
    yield "os", b"\x80\x02cos\nsystem\n" + text("true") + b"\x85R."


def lines():
    yield "lines", b"l\x80\x02(" + text("FORMAT_WITH_STRING_TABLE") + b"(" + text("net.py") + b"tK\x00K\x05\x86t."
    yield "lines_old", b"l\x80\x02](K\x00K\x05K\x02(" + text("a = b\n") + text("net.py") + b"K\x01tt\x87e."


def torchscript(data=None, code=CODE, compression=zipfile.ZIP_STORED, folder="net", more=()):
    file = io.BytesIO()
    records = {"data.pkl": data or module(("training", b"\x89"), ("w", tensor())), "code/__torch__.py": code,
               "data/0": bytes(64), "constants.pkl": b"\x80\x02).", "version": "3\n", **dict(more)}
    with zipfile.ZipFile(file, "w", compression) as archive:
        for name, content in records.items():
            archive.writestr(zipfile.ZipInfo(f"{folder}/{name}"), content, compression)
    return file.getvalue()


def archives():
    plain = torchscript()
    yield "plain", plain
    yield "deflated", torchscript(compression=zipfile.ZIP_DEFLATED)
    yield "cuda", torchscript(module(("w", tensor("cuda:0"))))
    yield "code", torchscript(code=CODE.replace("alpha=1", 'alpha=1, device=torch.device("cuda")'))
    yield "no_code", torchscript(code="")
    yield "extra", torchscript(more={"extra/x": "x", "traced_inputs.pkl": b"\x80\x02."}.items())
    yield "old", torchscript(more={"model.json": "{}"}.items())
    yield "cut", plain[:-10]
    yield "before", b"some bytes" + plain
    yield "comment", plain[:-2] + b"\x04\0abcd"
    yield "empty", b"PK\x05\x06" + bytes(18)
    yield "size", plain.replace(struct.pack("<II", 64, 64), struct.pack("<II", 65, 65))
    yield "twice", plain.replace(b"net/version", b"net/data/0x")


def array(values, **more):
    file = io.BytesIO()
    np.save(file, values, **more)
    return file.getvalue()


def npz(save=np.savez, **arrays):
    file = io.BytesIO()
    save(file, **arrays)
    return file.getvalue()


def arrays():
    values = np.arange(6, dtype=np.float32).reshape(2, 3)
    yield "npy", array(values)
    yield "fortran", array(np.asfortranarray(values))
    yield "record", array(np.zeros(2, dtype=[("a", "i4")]))
    yield "text", array(np.array(["a", "b"]))
    yield "big_endian", array(values.astype(">f4"))
    yield "version", array(values).replace(b"NUMPY\x01", b"NUMPY\x03")
    yield "dims", array(values).replace(b"(2, 3)", b"(9, 9)")
    yield "npz", npz(x=values, ids=np.arange(4), on=np.array(True), arr_0=values.astype(np.float16))
    yield "packed", npz(np.savez_compressed, x=values)
    yield "none", npz()
    yield "npz_cut", npz(x=values)[:-8]


def write_all(made):
    def write(folder):
        for name, content in made():
            (folder / name).write_bytes(content)
    return write


def all_pickles():
    yield from pickles()
    yield from lines()


write_archives, write_pickles, write_arrays = map(write_all, (archives, all_pickles, arrays))
