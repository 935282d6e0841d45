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


def zeros(taken, sizes: dict) -> numpy.ndarray:
    """Of an input's dtype and dims. A dim that has no size among the axes is of no known one: 0."""
    dims = [sizes.get(dim, 0) if isinstance(dim, str) else dim or 0 for dim in taken.shape]
    return numpy.zeros(dims, DTYPES[taken.type])


def first_values(session, answer: dict, sizes: dict) -> dict:
    """What the first call is given for each state: the value that the exporter's answer says, or
    zeros. answer["states"] are objects with "input", its name, and "first", its elements nested as
    the dims are."""
    told = {state["input"]: state.get("first") for state in answer.get("states", [])}
    values = {}
    for taken in session.get_inputs():
        if taken.name.startswith(BEFORE):
            first = told.get(taken.name)
            values[taken.name] = (
                zeros(taken, sizes) if first is None else numpy.array(first, DTYPES[taken.type])
            )
    return values


def take_out(outputs: dict) -> dict:
    """Removes what the next call is given from a call's outputs, and returns it by input."""
    names = [name for name in outputs if name.startswith(BEFORE) and name.endswith(AFTER)]
    return {name.removesuffix(AFTER): outputs.pop(name) for name in names}
