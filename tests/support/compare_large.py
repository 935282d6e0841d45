"""Compares a large export with its TorchScript file, run in turn to save memory: compare_large.py PT ONNX"""

import sys

import harness  # noqa: F401  (makes models importable)
import numbers_check
import onnx
from models.make import example_inputs
from models.table import LARGE

pt, exported = sys.argv[1:]
onnx.checker.check_model(exported, full_check=True)
inputs = example_inputs(LARGE, {"batch": 1, "sequence": 5})
wanted = numbers_check.reference(pt, inputs)
numbers_check.loaded.cache_clear()
got = numbers_check.feed(numbers_check.session(exported, optimised=False), inputs)
numbers_check.assert_close(got, wanted, "large")
