"""Hostile NumPy files in place of inputs, and JSON that names inputs."""

import io
import os
import struct
import zipfile
from pathlib import Path

from written_archives import module, tensor, write

DEEP = 100_000
RIGHT = "{'descr': '<f4', 'fortran_order': False, 'shape': (4, 4), }"


def npy(header=RIGHT, data=bytes(64), version=(1, 0), size=None) -> bytes:
    text = header.encode("latin-1") if isinstance(header, str) else header
    length = len(text) + 1 if size is None else size
    form = "<H" if version[0] == 1 else "<I"
    return b"\x93NUMPY" + bytes(version) + struct.pack(form, length) + text + b"\n" + data


def shaped(shape: str, data=bytes(64)) -> bytes:
    return npy(f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}", data)


def typed(dtype: str) -> bytes:
    return npy(f"{{'descr': {dtype}, 'fortran_order': False, 'shape': (4, 4), }}")


# Given as --input x:@x.npy.
ARRAYS = {
    "a header that is code": npy("__import__('os').system('touch owned')"),
    "a shape that is code": shaped("(4, __import__('os').system('touch owned'))"),
    "a dtype that is code": typed("__import__('os')"),
    "an array of objects": npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", b"\x80\x02cos\nsystem\n(tR."),
    "an array of records": typed("[('a', '<f4'), ('b', '<f4')]"),
    "an array of texts": typed("'<U1000000000'"),
    "an array of dates": typed("'<M8[ns]'"),
    "an array of big-endian floats": typed("'>f4'"),
    "a negative dim": shaped("(-4, 4)"),
    "a dim of 2^63": shaped("(9223372036854775808,)"),
    "dims whose product overflows": shaped("(4294967296, 4294967296, 4294967296)"),
    "dims far beyond the file": shaped("(1000000, 1000000)"),
    "a thousand dims": shaped("(" + "1, " * 1000 + ")"),
    "a shape of brackets": shaped("(" * 60_000),
    "a shape of a float": shaped("(4.5, 4)"),
    "a shape that is a number": shaped("16"),
    "a shape without an end": npy("{'descr': '<f4', 'fortran_order': False, 'shape': (4, 4"),
    "no shape": npy("{'descr': '<f4', 'fortran_order': False, }"),
    "two shapes": npy("{'descr': '<f4', 'fortran_order': False, 'shape': (4, 4), 'shape': (1000000, 4), }"),
    "a member that is not known": npy("{'descr': '<f4', 'fortran_order': False, 'shape': (4, 4), 'evil': 1, }"),
    "an order that is a number": npy("{'descr': '<f4', 'fortran_order': 7, 'shape': (4, 4), }"),
    "Fortran's order": npy("{'descr': '<f4', 'fortran_order': True, 'shape': (4, 4), }"),
    "a header of 4 GiB": npy(version=(2, 0), size=2**32 - 1),
    "a header longer than the file": npy(size=60_000),
    "a header of nothing": npy(b"", size=0),
    "a header of NUL": npy(b"\0" * 100),
    "a header with NUL in it": npy(RIGHT[:20] + "\0" + RIGHT[20:]),
    "a header that is not UTF-8": npy(b"{'descr': '\xff\xfe'}", version=(3, 0)),
    "version 9": npy(version=(9, 9)),
    "less data than its dims": npy(data=bytes(63)),
    "more data than its dims": npy(data=bytes(65)),
    "the magic alone": b"\x93NUMPY",
    "nothing": b"",
    "an array of another rank": shaped("(64,)", bytes(256)),
}


def packed(records, method=zipfile.ZIP_STORED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name, content in records:
            archive.writestr(name, content)
    return file.getvalue()


def repeated(method: int, size: int) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive, archive.open("x.npy", "w", force_zip64=True) as record:
        for _ in range(size >> 20):
            record.write(bytes(1 << 20))
    return file.getvalue()


def changed_entry(offset: int, form: str, *values) -> bytes:
    data = bytearray(packed([("x.npy", npy())]))
    struct.pack_into(form, data, data.rindex(b"PK\x01\x02") + offset, *values)
    return bytes(data)


def changed_end(offset: int, form: str, *values) -> bytes:
    data = bytearray(packed([("x.npy", npy())]))
    struct.pack_into(form, data, data.rindex(b"PK\x05\x06") + offset, *values)
    return bytes(data)


def zip64(size: int, packed_size: int) -> bytes:
    """An array whose sizes are in an extra field of the directory."""
    data = bytearray(changed_entry(20, "<II", 2**32 - 1, 2**32 - 1))
    entry, end = data.rindex(b"PK\x01\x02"), data.rindex(b"PK\x05\x06")
    extra = struct.pack("<HHQQ", 1, 16, size, packed_size)
    struct.pack_into("<H", data, entry + 30, len(extra))
    struct.pack_into("<I", data, end + 12, end - entry + len(extra))
    data[end:end] = extra
    return bytes(data)


def twice() -> bytes:
    """Two arrays of one name."""
    return packed([("x.npy", npy()), ("y.npy", npy(data=bytes(range(64))))]).replace(b"y.npy", b"x.npy")


def overlapping() -> bytes:
    """Two entries of the directory that are one record."""
    data = bytearray(packed([("x.npy", npy()), ("y.npy", npy())]))
    struct.pack_into("<I", data, data.rindex(b"PK\x01\x02") + 42, 0)
    return bytes(data)


def renamed() -> bytes:
    """A record that has another name than its entry in the directory."""
    return packed([("x.npy", npy())]).replace(b"x.npy", b"z.npy", 1)


# Given as --inputs x.npz.
ARCHIVES = {
    "an array beside a text": packed([("x.npy", npy()), ("readme.txt", b"x")]),
    "an array above the archive": packed([("../x.npy", npy())]),
    "an array with a root": packed([("/etc/x.npy", npy())]),
    "an array without a name": packed([(".npy", npy())]),
    "an array of a hostile name": packed([("\x1b]0;owned\x07.npy", npy())]),
    "an array of a long name": packed([("x" * 60_000 + ".npy", npy())]),
    "arrays of one name": packed([("x.npy", npy()), ("X.npy", npy())]),
    "compressed arrays": packed([("x.npy", npy())], zipfile.ZIP_DEFLATED),
    "a bomb": lambda: repeated(zipfile.ZIP_DEFLATED, 1 << 30),
    "no arrays": packed([]),
    "60,000 arrays": lambda: packed([(f"a{i}.npy", npy()) for i in range(60_000)]),
    "objects": packed([("x.npy", npy("{'descr': '|O', 'fortran_order': False, 'shape': (), }", b"\x80\x02cos\nsystem\n(tR."))]),
    "an array that begins beyond the file": changed_entry(42, "<I", 2**31),
    "an array larger than the file": changed_entry(20, "<II", 10**6, 10**6),
    "an array of two sizes": changed_entry(20, "<II", 192, 10**6),
    "an array in nested archives": packed([("x.npy", packed([("x.npy", npy())]))]),
    "a directory without records": b"PK\x05\x06" + bytes(18),
    "sizes in a ZIP64 field without one": changed_entry(20, "<II", 2**32 - 1, 2**32 - 1),
    "a place in a ZIP64 field without one": changed_entry(42, "<I", 2**32 - 1),
    "sizes in a ZIP64 field of 2^63": zip64(2**63, 2**63),
    "sizes in a ZIP64 field of -1": zip64(2**64 - 1, 2**64 - 1),
    "a ZIP64 field that is cut short": zip64(192, 192)[:-30],
    "arrays that overlap": overlapping(),
    "an array twice": twice(),
    "a name of another name in its record": renamed(),
    "a checksum that is wrong": changed_entry(16, "<I", 7),
    "an encrypted array": changed_entry(8, "<H", 1),
    "a method that there is not": changed_entry(10, "<H", 99),
    "a directory of 65,535 arrays": changed_end(8, "<HH", 65_535, 65_535),
    "a directory that is its own": changed_end(16, "<I", 0),
    "a header of huge dims": packed([("x.npy", shaped("(4294967296, 4294967296)"))]),
    "a header of negative dims": packed([("x.npy", shaped("(-4, -4)"))]),
    "a header that is cut short": packed([("x.npy", npy()[:40])]),
    "an array of Fortran's order": packed([("x.npy", npy("{'descr': '<f4', 'fortran_order': True, 'shape': (4, 4), }"))]),
    "an array of an unknown dtype": packed([("x.npy", typed("'<x7'"))]),
    "an archive cut short": packed([("x.npy", npy())])[:-30],
}


def deep(opening: str) -> str:
    return opening * DEEP


# Given as --inputs x.json.
DOCUMENTS = {
    "JSON that nests": deep("["),
    "objects that nest": deep('{"x":'),
    "containers that nest": '{"x": ' + "[" * 5000 + '"float32[4,4]"' + "]" * 5000 + "}",
    "1e999": '{"x": 1e999}',
    "a size of 1e999": '{"x": {"dtype": "float32", "shape": [1e999, 4]}}',
    "a member twice": '{"x": "float32[4,4]", "x": "float32[2,4]"}',
    "a lone surrogate": '{"\\ud800": "float32[4,4]"}',
    "NUL in a name": '{"x\\u0000": "float32[4,4]"}',
    "a name with escapes": '{"\\u001b]0;owned\\u0007": "float32[4,4]"}',
    "a name of a megabyte": '{"' + "x" * 1_000_000 + '": "float32[4,4]"}',
    "a million arguments": lambda: "{" + ", ".join(f'"a{i}": "float32[4,4]"' for i in range(300_000)) + "}",
    "a size of 2^62": '{"x": "float32[4611686018427387904,4611686018427387904]"}',
    "a size of 10,000 digits": '{"x": "float32[' + "9" * 10_000 + ']"}',
    "a thousand sizes": '{"x": "float32[' + "1," * 999 + '1]"}',
    "a formula of brackets": '{"x": "float32[' + "(" * DEEP + ']"}',
    "a formula of signs": '{"x": "float32[a' + "+1" * DEEP + ',4]"}',
    "a formula that divides by nothing": '{"x": "float32[4//0,4]"}',
    "a file of the machine": '{"x": "@/etc/passwd"}',
    "a file that never ends": '{"x": "@/dev/zero"}',
    "a dtype with escapes": '{"x": "\\u001b[2J[4,4]"}',
    "a list of everything": '["float32[4,4]"]',
    "a number": "7",
    "two documents": '{"x": "float32[4,4]"} {"x": "float32[4,4]"}',
    "UTF-16": '{"x": "float32[4,4]"}'.encode("utf-16"),
    "Latin-1": b'{"x\xe9": "float32[4,4]"}',
    "a comment": '{"x": "float32[4,4]" /* all */}',
    "nothing at all": "",
}
MODELS = {**{f"npy: {name}": None for name in ARRAYS}, **{f"npz: {name}": None for name in ARCHIVES},
          **{f"inputs: {name}": None for name in DOCUMENTS}}
TABLES = {"npy": ARRAYS, "npz": ARCHIVES, "inputs": DOCUMENTS}
ENDINGS = {"npy": "x.npy", "npz": "x.npz", "inputs": "x.json"}


def make(name: str, folder: Path) -> None:
    kind, _, what = name.partition(": ")
    content = TABLES[kind][what]
    content = content() if callable(content) else content
    (folder / ENDINGS[kind]).write_bytes(content.encode() if isinstance(content, str) else content)
    write(folder / "net.pt", module(tensor()))
