"""What an exported model hands from one call to the next: inputs `state.NAME`, which the next call
is to be given what the outputs `state.NAME.next` of the last one were."""

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
    """A first value of an input's dtype: one number, in the sizes of the axes, or those that the
    exporter says where it has others (an empty one grows)."""
    if told["first"] is None and 0 not in told["dims"]:
        raise ValueError(f"{taken.name} begins with several numbers")
    dims = [sizes.get(dim, size) if isinstance(dim, str) else size
            for dim, size in zip(taken.shape, told["dims"])]
    return numpy.full(dims, float(told["first"] or 0)).astype(DTYPES[taken.type])


def first_values(session, answer: dict, sizes: dict) -> dict:
    """What the first call is given for each state, as the exporter's answer says: answer["states"]
    are objects with "input", its name, "dims", and "first", the number that all elements are."""
    told = {state["input"]: state for state in answer.get("states", [])}
    return {taken.name: filled(taken, sizes, told[taken.name])
            for taken in session.get_inputs() if taken.name.startswith(BEFORE)}


def take_out(outputs: dict) -> dict:
    """Removes what the next call is given from a call's outputs, and returns it by input."""
    names = [name for name in outputs if name.startswith(BEFORE) and name.endswith(AFTER)]
    return {name.removesuffix(AFTER): outputs.pop(name) for name in names}
