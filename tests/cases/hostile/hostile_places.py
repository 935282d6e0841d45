"""Files of other kinds in the place of models, of what is given beside them, and of outputs. All models are harmless."""

import os
from pathlib import Path

from written_onnx import graph, model, node
from written_archives import module, tensor, write
from written_programs import records, write as write_program


def pipe(path: Path) -> None:
    os.mkfifo(path)


def folder_instead(path: Path) -> None:
    path.mkdir()


def link_to_itself(path: Path) -> None:
    path.symlink_to(path.name)


def link_to_nothing(path: Path) -> None:
    path.symlink_to("gone")


def link_to_a_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def link_to_a_folder(path: Path) -> None:
    path.with_name("folder").mkdir()
    path.symlink_to("folder")


def sparse_file(path: Path) -> None:
    """Ten gigabytes that take no place."""
    with open(path, "wb") as file:
        file.truncate(10 << 30)


def socket_file(path: Path) -> None:
    os.mknod(path, 0o140600)


def nothing(path: Path) -> None:
    path.touch()


THINGS = {"a pipe": pipe, "a folder": folder_instead, "a link to itself": link_to_itself, "a link to nothing": link_to_nothing,
          "a link to a device": link_to_a_device, "a link to a folder": link_to_a_folder, "a sparse file": sparse_file,
          "a socket": socket_file, "an empty file": nothing}
# What is replaced: an input in {in}, or an output in {out}.
PLACES = {"model.pt": "in", "model.pt2": "in", "model.onnx": "in", "x.npy": "in", "x.npz": "in", "x.json": "in", "p.json": "in",
          "s.json": "in", "r.json": "in", "o.onnx": "out", "o.onnx.data": "out", "o.json": "out", "parts": "out"}
# Whoever names a pipe here waits for its other end.
WAITING = {f"a pipe as {place}" for place in ("x.json", "o.onnx", "o.json")}
MODELS = {f"{thing} as {place}" for place in PLACES for thing in THINGS} - WAITING


def make(name: str, folder: Path) -> None:
    nodes = [node("Neg", ("x",), ("m",), "n", metadata={"source_module": "/Net/A"}),
             node("Abs", ("m",), ("y",), "k", metadata={"source_module": "/Net/B"})]
    (folder / "m.onnx").write_bytes(model(graph(nodes)))
    write(folder / "net.pt", module(tensor()))
    write(folder / "large.pt", module(tensor(sizes=(32, 32), strides=(0, 0))))
    write_program(folder / "net.pt2", records())
    thing, _, place = name.partition(" as ")
    at = (folder if PLACES[place] == "in" else folder.parent / "out") / place
    if at.exists():
        at.unlink()
    THINGS[thing](at)
