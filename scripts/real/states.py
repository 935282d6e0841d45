"""The state of an exported model: inputs `state.NAME` take the outputs `state.NAME.next` of the previous call."""

import numpy

BEFORE, AFTER = "state.", ".next"

DTYPES = {
    "tensor(float)": "float32", "tensor(double)": "float64", "tensor(float16)": "float16",
    "tensor(int64)": "int64", "tensor(int32)": "int32", "tensor(int16)": "int16",
    "tensor(int8)": "int8", "tensor(uint8)": "uint8", "tensor(bool)": "bool",
}


def names_of(session) -> list:
    """The states, as their inputs are named."""
    return [taken.name for taken in session.get_inputs() if taken.name.startswith(BEFORE)]


def filled(taken, sizes: dict, told: dict) -> numpy.ndarray:
    """An initial value of an input's dtype: one number, in the sizes of the axes, or in those of the exporter if it has
    others (an empty one grows)."""
    if told["first"] is None and 0 not in told["dims"]:
        raise ValueError(f"{taken.name} begins with several numbers")
    dims = [sizes.get(dim, size) if isinstance(dim, str) else size
            for dim, size in zip(taken.shape, told["dims"])]
    return numpy.full(dims, float(told["first"] or 0)).astype(DTYPES[taken.type])


def first_values(session, answer: dict, sizes: dict) -> dict:
    """Initial states from the exporter's answer: answer["states"] are objects with "input", its name, "dims", and
    "first", the value of all elements."""
    told = {state["input"]: state for state in answer.get("states", [])}
    return {taken.name: filled(taken, sizes, told[taken.name])
            for taken in session.get_inputs() if taken.name.startswith(BEFORE)}


def take_out(outputs: dict) -> dict:
    """Removes the state from a call's outputs, and returns it by input."""
    names = [name for name in outputs if name.startswith(BEFORE) and name.endswith(AFTER)]
    return {name.removesuffix(AFTER): outputs.pop(name) for name in names}
