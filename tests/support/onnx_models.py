"""Writes the models of the onnx package's backend tests: those stored in the package, and those that it makes.

Usage: onnx_models.py --into DIR. Slashes of their names become __.
"""

import argparse
import warnings
from pathlib import Path

import onnx
from onnx.backend.test.case.node import collect_testcases

DATA = Path(onnx.__file__).parent / "backend" / "test" / "data"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--into", type=Path, required=True)
    folder = parser.parse_args().into
    folder.mkdir()
    for file in sorted(DATA.glob("*/*/model.onnx")):
        name = f"{file.parent.parent.name}__{file.parent.name}"
        (folder / f"{name}.onnx").write_bytes(file.read_bytes())
    warnings.simplefilter("ignore")  # about the numbers that it computes
    for case in collect_testcases(None):
        (folder / f"node__{case.name}.onnx").write_bytes(case.model.SerializeToString())


if __name__ == "__main__":
    main()
