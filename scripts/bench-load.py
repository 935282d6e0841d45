"""Measures an ONNX model for scripts/bench, in a process of its own.

    bench-load.py off|on MODEL.onnx    seconds to create an InferenceSession
    bench-load.py once MODEL.onnx N... creates one with optimisation off, and runs it with inputs of these dims
    bench-load.py sizes MODEL.onnx     bytes of its nodes, functions and value_info; bytes of all but weights
"""

import sys
import time


def session_of(path: str, is_optimised: bool):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    if not is_optimised:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def load(path: str, is_optimised: bool) -> float:
    import onnxruntime  # noqa: F401  (its import is not measured)

    begin = time.perf_counter()
    session_of(path, is_optimised)
    return time.perf_counter() - begin


def run_once(path: str, dims: list) -> None:
    """All inputs are ids or masks of the same dims."""
    import numpy

    session = session_of(path, False)
    session.run(None, {given.name: numpy.ones(dims, numpy.int64) for given in session.get_inputs()})


def sizes(path: str) -> tuple:
    import onnx

    model = onnx.load(path, load_external_data=False)
    lists = (model.graph.node, model.graph.value_info, model.functions)
    structure = sum(message.ByteSize() for messages in lists for message in messages)
    weights = sum(len(tensor.raw_data) for tensor in model.graph.initializer)
    return structure, model.ByteSize() - weights


def main() -> None:
    question, path, *dims = sys.argv[1:]
    if question == "once":
        run_once(path, list(map(int, dims)))
    elif question == "sizes":
        print(*sizes(path))
    else:
        print(load(path, question == "on"))


if __name__ == "__main__":
    main()
