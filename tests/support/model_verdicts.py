"""Prints for each ONNX file named on standard input, one per line, why onnx.checker and ONNX Runtime refuse it, or ""
if they do not: a JSON list per line. It is a separate process, because some files crash ONNX Runtime.
"""

import json
import os
import sys
from pathlib import Path

import onnx
import onnxruntime


def checker_refuses(content: bytes) -> str:
    try:
        onnx.checker.check_model(content, full_check=True)
    except Exception as failure:
        return f"{type(failure).__name__}: {failure}"
    return ""


def runtime_refuses(content: bytes) -> str:
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    except Exception as failure:
        return f"{type(failure).__name__}: {failure}"
    return ""


def main() -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        content = Path(line.rstrip("\n")).read_bytes()
        answer = checker_refuses(content), runtime_refuses(content)
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
