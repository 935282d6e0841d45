"""Measures an ONNX model for scripts/bench, in a process of its own.

    bench-load.py off|on MODEL.onnx    seconds to create an InferenceSession
    bench-load.py sizes MODEL.onnx     bytes of its nodes, functions and value_info; bytes of all but weights
"""

import sys
import time


def load(path: str, is_optimised: bool) -> float:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    if not is_optimised:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    begin = time.perf_counter()
    onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return time.perf_counter() - begin


def sizes(path: str) -> tuple:
    import onnx

    model = onnx.load(path, load_external_data=False)
    lists = (model.graph.node, model.graph.value_info, model.functions)
    structure = sum(message.ByteSize() for messages in lists for message in messages)
    weights = sum(len(tensor.raw_data) for tensor in model.graph.initializer)
    return structure, model.ByteSize() - weights


def main() -> None:
    question, path = sys.argv[1:]
    if question == "sizes":
        print(*sizes(path))
    else:
        print(load(path, question == "on"))


if __name__ == "__main__":
    main()
