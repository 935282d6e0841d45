"""An export of 438 MB that is killed while it writes: a model and its weights, which must be of one export."""

import os
import random
import signal
import time
from pathlib import Path

import numpy
import onnx
import torch
from torch import nn

import faulty
from compiled import save
from harness import EXIT_INTERNAL, EXIT_OK, quick_scratch, scratch

SIDE = 10_464  # of a weight of 438 MB
OUT = "out/m.onnx"
KINDS = ("never", "always")  # of external data


class Large(nn.Module):
    """One large weight and one small one, which stays in the model, all of one value."""

    def __init__(self, value: float):
        super().__init__()
        self.weight = nn.Parameter(torch.full((SIDE, SIDE), value))
        self.shift = nn.Parameter(torch.full((1,), value))

    def forward(self, x):
        return x @ self.weight + self.shift


def value_of(path: Path) -> float:
    """The value of all weights of a model."""
    found = set()
    for tensor in onnx.load(str(path), load_external_data=False).graph.initializer:
        places = {entry.key: entry.value for entry in tensor.external_data}
        weight = numpy.memmap(path.parent / places["location"], numpy.float32, "r", int(places.get("offset", 0)),
                              int(places["length"]) // 4) if places else onnx.numpy_helper.to_array(tensor)
        if weight.dtype == numpy.float32:
            found |= {float(weight.min()), float(weight.max())}
    assert len(found) == 1, f"a mixture of {found}"
    return found.pop()


def export(folder: Path, model: Path, kind: str, order: str = "") -> tuple:
    arguments = [str(model), "--out", OUT, "--external-data", kind, "--quiet"]
    return faulty.run_program(arguments, folder, order)


def export_whole(folder: Path, model: Path, kind: str) -> int:
    """@return how long it took, in microseconds"""
    begin = time.monotonic()
    result, _ = export(folder, model, kind)
    assert result.returncode == EXIT_OK, result.stderr
    return int((time.monotonic() - begin) * 1e6)


def check(kind: str, count: int) -> None:
    """Kills exports in place of each other at random moments: the first process, or the one that works on the model.
    The last whole export tells how long one takes at present."""
    generator = random.Random(kind)
    killed = 0
    with quick_scratch() as folder, scratch() as disk:
        (folder / "out").mkdir()
        models = {value: disk / f"{value}.pt" for value in (1, 2)}
        for value, path in models.items():
            save(Large(float(value)), (torch.ones(1, SIDE),), "traced", path)
        export_whole(folder, models[1], kind)
        latest = export_whole(folder, models[1], kind)
        old = 1
        for number in range(count):
            moment = generator.randrange(latest)
            process = number % 2
            order = f"after:{process << 32 | 1:x}:{moment}:signal:{signal.SIGKILL.value}"
            result, acted = export(folder, models[3 - old], kind, order)
            codes = (EXIT_INTERNAL, EXIT_OK) if process else (-signal.SIGKILL,)
            assert result.returncode in (codes if acted else (EXIT_OK,)), result.stderr
            found = value_of(folder / OUT)
            assert found == 3 - old or (found == old and result.returncode != EXIT_OK), (number, moment, found, old)
            killed += result.returncode != EXIT_OK
            old = int(found)
            if number % 5 == 4:
                old = 3 - old
                latest = export_whole(folder, models[old], kind)
                assert value_of(folder / OUT) == old
                assert len(os.listdir(folder / "out")) == 1 + (kind == "always"), os.listdir(folder / "out")
    assert killed > count // 2, f"{killed} of {count} killed"
