"""One export by PyTorch, a process of its own for scripts/bench:

bench-torch.py script NAME MODEL.pt OUT        torch.onnx.export(dynamo=False) of a TorchScript file
bench-torch.py program NAME MODEL.pt2 OUT      torch.onnx.export(dynamo=True) of an exported program
bench-torch.py verify NAME MODEL.pt2 -         the same in memory, then torch.onnx.verification of all of its tensors
bench-torch.py prepare NAME - MODEL.pt2        makes the exported program
"""

import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import torch
import torch.onnx.verification

from models.make import build, example_inputs
from models.table import ALL, PROGRAMS


def main() -> None:
    warnings.filterwarnings("ignore")
    what, name, source, target = sys.argv[1:]
    model = next((model for model in PROGRAMS if model.name == name), None) or ALL[name]
    inputs = example_inputs(model, model.traced)
    with torch.no_grad():
        if what == "prepare":
            torch.export.save(torch.export.export(build(model), inputs), target)
        elif what == "script":
            torch.onnx.export(torch.jit.load(source), inputs, target, dynamo=False)
        elif what == "program":
            program = torch.export.load(source)
            torch.onnx.export(program, inputs, target, dynamo=True, verbose=False)
        else:
            made = torch.onnx.export(torch.export.load(source), inputs, dynamo=True, verbose=False)
            torch.onnx.verification.verify_onnx_program(made, compare_intermediates=True)


main()
