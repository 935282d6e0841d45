"""External data that end before a weight does: the file is too short, or the model says that a weight lies beyond it. No
command may map what is not there."""

import functools
from pathlib import Path

import onnx

import changing
import faulty
from harness import EXIT_BAD_INPUT, quick_scratch

MODEL, DATA = "m.onnx", "m.onnx.data"
TRUNCATED_AT = 64  # bytes between two ends of the file
COMMANDS = [command for command, (names, _, _) in changing.COMMANDS.items() if DATA in names]


@functools.cache
def ends() -> dict:
    """Where the weights end in their file, by name."""
    found = {}
    for tensor in onnx.load_from_string(changing.files()[MODEL]).graph.initializer:
        places = {entry.key: entry.value for entry in tensor.external_data}
        if places:
            found[tensor.name] = int(places["offset"]) + int(places["length"])
    return found


def sizes() -> list:
    """Of files that are too short: by one byte for each weight, and throughout."""
    return sorted({0, 1, *(end - 1 for end in ends().values()), *range(0, max(ends().values()), TRUNCATED_AT)})


def moved(name: str) -> bytes:
    """The model, in which a weight ends one byte behind the file."""
    model = onnx.load_from_string(changing.files()[MODEL])
    for tensor in model.graph.initializer:
        places = {entry.key: entry for entry in tensor.external_data}
        if tensor.name == name:
            places["offset"].value = str(len(changing.files()[DATA]) - int(places["length"].value) + 1)
    return model.SerializeToString()


def complaint(command: str, what: str, change, folder: Path) -> str:
    """@p change: what is done to the files in the folder"""
    changing.restore(folder, changing.COMMANDS[command][0])
    change()
    answer, _ = changing.run(command, folder)
    is_told = len(answer.told) == 1 and f"external data '{DATA}' are cut short: tensor '" in answer.told[0]
    is_right = answer.code == EXIT_BAD_INPUT and is_told and not answer.left
    return "" if is_right else f"{command}, {what}: exit code {answer.code}, {answer.told[:20]}, " \
        f"{[name for name, _ in answer.left]}"


def check(command: str, count: int = 0) -> None:
    """So many sizes of the file, and weights; all if the count is 0."""
    content = changing.files()[DATA]
    with quick_scratch() as folder:
        complaints = [complaint(command, f"{size} bytes", lambda: (folder / DATA).write_bytes(content[:size]), folder)
                      for size in faulty.evenly(sizes(), count)]
        complaints += [complaint(command, f"{name} beyond", lambda: (folder / MODEL).write_bytes(moved(name)), folder)
                       for name in faulty.evenly(list(ends()), count)]
    found = [text for text in complaints if text]
    assert ends() and not found, f"{len(found)} of {len(complaints)}\n" + "\n".join(found[:40])
