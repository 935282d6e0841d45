"""Properties of files that matter to tools which only `make downstream` runs."""

import onnx
import torch

from harness import INTO, ROOT, case, export, made_by, scratch

MAKER = ROOT / "tests" / "support" / "zero_bias_models.py"


@case
def hard_sigmoid_leaves_its_beta_out():
    """OpenCV fuses one into the preceding convolution, and fails at the following Add if beta is written."""
    with scratch() as folder:
        export(made_by((MAKER,), INTO) / "hardsigmoid.pt", folder / "model.onnx")
        nodes = [node for node in onnx.load(folder / "model.onnx").graph.node if node.op_type == "HardSigmoid"]
    assert len(nodes) == 3
    for node in nodes:
        assert [item.name for item in node.attribute if not item.name.startswith("__")] == ["alpha"]


@case
def bools_are_not_gathered_by_pairs_of_indices():
    """OpenCV's GatherND rejects bools, and MNN crashes on bytes; transformers reads padding masks in this way."""
    def mask(x, rows, columns):
        return (x > 0)[rows[:, None], columns]

    given = (torch.randn(3, 5), torch.arange(3), torch.arange(4))
    with scratch() as folder:
        torch.jit.trace(mask, given).save(str(folder / "model.pt"))
        export(folder / "model.pt", folder / "model.onnx")
        nodes = onnx.load(folder / "model.onnx").graph.node
    made = {node.output[0]: node for node in nodes}
    gather, = [node for node in nodes if node.op_type == "GatherND"]
    cast = made[gather.input[0]]
    targets = [item.i for item in cast.attribute if item.name == "to"]
    assert targets == [onnx.TensorProto.INT32]


@case
def reductions_of_all_axes_name_none():
    """OpenCV keeps one dim if all are symbolic, and fails at its readers."""
    def areas(x):
        return x.prod(1) + x[0].prod(0)

    with scratch() as folder:
        torch.jit.trace(areas, torch.randn(3, 2)).save(str(folder / "model.pt"))
        export(folder / "model.pt", folder / "model.onnx")
        nodes = onnx.load(folder / "model.onnx").graph.node
    assert [len(node.input) for node in nodes if node.op_type == "ReduceProd"] == [2, 1]
