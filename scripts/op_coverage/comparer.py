"""The worker with ONNX Runtime. A job is a model with its arrays; the answer is an outcome."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "scripts"), str(ROOT / "tests/support")]

import numpy  # noqa: E402  (needs the path above)
import onnx  # noqa: E402

import numbers_check  # noqa: E402
from op_coverage.processes import serve_jobs  # noqa: E402
from op_coverage import rules  # noqa: E402
from op_coverage.results import LIMIT, RIGHT, WRONG  # noqa: E402
from operator_numbers import assert_close  # noqa: E402


class Differs(Exception):
    """An error in a model: its kind, and a message."""


def first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


def session_of(model: str):
    try:
        return numbers_check.session(model)
    except Exception as error:
        raise Differs("does not load", first_line(error)) from None


def outputs_of(session, arrays: dict, names: list, are_all_inputs: bool) -> list:
    """ONNX Runtime's results. A peer may have dropped unused inputs."""
    feed = {name: arrays[f"input/{number:03}"] for number, name in enumerate(names)}
    taken = {argument.name for argument in session.get_inputs()}
    if taken - set(feed) or (are_all_inputs and taken != set(feed)):
        raise Differs("inputs", f"{sorted(taken)}, not {sorted(feed)}")
    try:
        return session.run(None, {name: feed[name] for name in taken})
    except Exception as error:
        raise Differs("does not run", first_line(error)) from None


def is_another_answer(array, key: str, arrays: dict) -> bool:
    """Whether an output that is not close is another right answer."""
    _, number, dtype = key.split("/")
    exact = arrays.get(f"exact/{number}")
    if dtype in rules.NARROW and exact is not None and exact.shape == array.shape:
        return rules.is_near_exact(array, arrays[key], exact)
    axis = arrays.get(f"indices/{number}")
    return axis is not None and rules.picks_equal(arrays["input/000"], array, arrays[key], int(axis))


def compare(got: list, arrays: dict) -> None:
    wanted = sorted(key for key in arrays if key.startswith("output/"))
    if len(got) != len(wanted):
        raise Differs("outputs", f"{len(got)}, not {len(wanted)}")
    for array, key in zip(got, wanted):
        array = numpy.asarray(array)
        if array.shape != arrays[key].shape:
            raise Differs("shape", f"{key}: {array.shape}, not {arrays[key].shape}")
        if array.dtype != arrays[key].dtype:
            raise Differs("dtype", f"{key}: {array.dtype}, not {arrays[key].dtype}")
        try:
            assert_close(array, arrays[key], key.split("/")[-1], key, 1)
        except AssertionError as error:
            if not is_another_answer(array, key, arrays):
                raise Differs("values", " ".join(str(error).split())) from None


def check(job: dict) -> None:
    arrays = dict(numpy.load(job["stem"] + ".npz"))
    model = job["stem"] + ".onnx"
    if job["strict"]:
        try:
            onnx.checker.check_model(onnx.load(model), full_check=True)
        except Exception as error:
            raise Differs("checker", first_line(error)) from None
    compare(outputs_of(session_of(model), arrays, job["names"], job["strict"]), arrays)


def perform(job: dict):
    try:
        check(job)
    except Differs as difference:
        kind, words = difference.args
        record = {"outcome": WRONG, "reason": f"{kind}: {words[:400]}"}
        limit = rules.runtime_limit(job["op"], job["stem"]) if kind == "values" else None
        yield {**record, "outcome": LIMIT, "limit": limit} if limit else record
    else:
        yield {"outcome": RIGHT}


if __name__ == "__main__":
    serve_jobs(perform)
