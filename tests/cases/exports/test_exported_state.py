"""Programs of torch.export that keep state: twenty calls, each with the state that the previous one left."""

import numpy
import torch

from commands import NO_SHIM
from exported_files import files
from harness import EXIT_OK, case_for_each, libtorch_version, run, scratch
from numbers_check import assert_close, session

STATEFUL = ("counter", "cache", "trained", "native")
PAIRS = [(program, mode) for program in STATEFUL for mode in ("plain", "decomposed")] if libtorch_version() >= (2, 13) \
    else []


def varied(value: numpy.ndarray, call: int) -> numpy.ndarray:
    """Floats differ from call to call; positions stay."""
    return value * value.dtype.type(1 + 0.1 * call) if value.dtype.kind == "f" else value


@case_for_each(PAIRS, name="/".join)
def twenty_calls(pair: tuple) -> None:
    program, mode = pair
    folder = files("memory_programs", program)
    eager = torch.export.load(str(folder / f"{mode}.pt2")).module()
    numbers = dict(numpy.load(folder / "numbers.npz"))
    first = [numbers[key] for key in sorted(numbers) if key.startswith("0/input/")]
    with scratch() as there:
        result = run(folder / f"{mode}.pt2", "--out", there / "x.onnx", "--state-out", there / "first.npz", env=NO_SHIM)
        assert result.returncode == EXIT_OK, result.stderr
        state = dict(numpy.load(there / "first.npz"))
        runner = session(there / "x.onnx", True)
    own = [argument.name for argument in runner.get_inputs() if not argument.name.startswith("state.")]
    assert state and len(own) + len(state) == len(runner.get_inputs())
    for call in range(20):
        given = [varied(value, call) for value in first]
        wanted = eager(*(torch.from_numpy(value) for value in given))
        wanted = [value.detach().numpy().copy() for value in torch.utils._pytree.tree_leaves(wanted)]
        got = runner.run(None, {**dict(zip(own, given)), **state})
        assert_close(got[:len(wanted)], wanted, f"call {call}")
        state = dict(zip(state, got[len(wanted):]))
