"""Removes the folders of the machine that made a model from its debug records.

TorchScript archives tell where each line of code came from, with absolute paths. Only the path inside the package
remains: transformers/models/bert/modeling_bert.py.
"""

import pickletools
import re
import struct
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parent.parent
# The folder of packages first, since it may be inside this one.
FOLDER = re.compile(
    rf"/[^\s\"':]*/(?:site|dist)-packages/|{re.escape(str(ROOT))}/|/[^\s\"':]*/lib/"
)
WRITTEN_BY_THE_WRITER = ("version", ".data/serialization_id")


def neutral_pickle(data: bytes) -> bytes:
    """The same pickle, with folders removed from its strings."""
    pieces = []
    end = 0
    for opcode, argument, position in pickletools.genops(data):
        if opcode.name != "BINUNICODE":
            continue
        text = FOLDER.sub("", argument).encode()
        pieces += [data[end:position], b"X", struct.pack("<I", len(text)), text]
        end = position + 5 + len(argument.encode("utf-8", "surrogatepass"))
    return b"".join(pieces + [data[end:]])


def copy_archive(source: str, target: str) -> None:
    """Copies an archive with neutral debug records."""
    reader = torch._C.PyTorchFileReader(source)
    writer = torch._C.PyTorchFileWriter(target)
    names = reader.get_all_records()
    if "version" in names:
        writer.set_min_version(int(reader.get_record("version")))
    for name in names:
        if name in WRITTEN_BY_THE_WRITER:
            continue
        data = reader.get_record(name)
        if name.endswith(".debug_pkl"):
            data = neutral_pickle(data)
        writer.write_record(name, data, len(data))
    writer.write_end_of_file()
