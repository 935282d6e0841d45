"""TorchScript files as saved on another device."""

import bisect
import io
import pickle
import re
import struct
import zipfile
from pathlib import Path

CPU = "cpu"
zipfile.ZIP64_LIMIT = (1 << 32) - 2  # libtorch 1.13 cannot read the other layout that Python writes from 2 GiB on
NAMED = b'torch.device("cpu"'  # in code; other strings stay


def string(text: str) -> bytes:
    return b"X" + struct.pack("<I", len(text.encode())) + text.encode()


def moved_pickle(content: bytes, device: str) -> bytes:
    """The pickle with another device for every string "cpu"."""
    return content.replace(string(CPU), string(device))


def moved_code(content: bytes, device: str) -> bytes:
    return content.replace(NAMED, NAMED.replace(CPU.encode(), device.encode()))


class Pickler(pickle._Pickler):
    """Writes lists as libtorch's reader takes them."""

    def _batch_appends(self, items, *_):
        self.write(pickle.MARK)
        for item in items:
            self.save(item)
        self.write(pickle.APPENDS)


def moved_positions(content: bytes, code: bytes, device: str) -> bytes:
    """The debug record of code whose strings have changed in length."""
    places = [found.start() for found in re.finditer(re.escape(NAMED), code)]
    if not places:
        return content
    longer = len(device.encode()) - len(CPU)
    whole = pickle.loads(content)
    positions = whole[2] if whole[0] == "FORMAT_WITH_STRING_TABLE" else whole
    shifted = tuple(
        (offset + longer * bisect.bisect_left(places, offset), *more) for offset, *more in positions)
    made = io.BytesIO()
    Pickler(made, 2).dump((*whole[:2], shifted) if positions is not whole else shifted)
    return made.getvalue()


def rewritten(old: Path, new: Path, change) -> Path:
    """A copy of an archive: change(name, content) gives each record, or None to leave it out."""
    with zipfile.ZipFile(old) as source, zipfile.ZipFile(new, "w") as made:
        for name in source.namelist():
            content = change(name, source.read(name))
            if content is not None:
                made.writestr(name, content)
    return new


def moved(old: Path, new: Path, device: str, in_code: str = "") -> Path:
    """A copy of a CPU file for another device; the code may name a third one."""
    in_code = in_code or device
    with zipfile.ZipFile(old) as archive:
        code = {name: archive.read(name) for name in archive.namelist() if name.endswith(".py")}

    def change(name: str, content: bytes) -> bytes:
        if name.endswith(".pkl"):
            return moved_pickle(content, device)
        if name.endswith(".py"):
            return moved_code(content, in_code)
        if name.endswith(".debug_pkl"):
            return moved_positions(content, code[name.removesuffix(".debug_pkl")], in_code)
        return content

    return rewritten(old, new, change)
