"""Runs models in the ONNX Runtime of this Python, and compares results.

Standard input is a JSON list of cases: objects with the model, the .npz file of inputs and PyTorch's results, and the
number of roundings. It prints a line of JSON per case: the error, or null.
"""

import json
import os
import sys

import numpy
import onnxruntime

sys.dont_write_bytecode = True

from operator_numbers import compare  # noqa: E402  (without bytecode)


def wrong_with(case: dict) -> str:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    try:
        session = onnxruntime.InferenceSession(case["model"], options, providers=["CPUExecutionProvider"])
        compare(session, dict(numpy.load(case["arrays"])), case["name"], case["roundings"])
    except Exception as failure:
        return f"{type(failure).__name__}: {failure}"
    return None


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # kernels print to stdout
    for case in json.load(sys.stdin):
        print(json.dumps(wrong_with(case)), file=answers, flush=True)


if __name__ == "__main__":
    main()
