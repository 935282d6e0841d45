"""What files have, or lack, for the sake of tools that only `make downstream` runs."""

import onnx

from harness import INTO, ROOT, case, export, made_by, scratch

MAKER = ROOT / "tests" / "zero_bias_models.py"


@case
def hard_sigmoid_leaves_its_beta_out():
    """OpenCV merges one into the convolution before, and gives up at the Add behind it where beta is written."""
    with scratch() as folder:
        export(made_by((MAKER,), INTO) / "hardsigmoid.pt", folder / "model.onnx")
        nodes = [node for node in onnx.load(folder / "model.onnx").graph.node if node.op_type == "HardSigmoid"]
    assert len(nodes) == 3
    for node in nodes:
        assert [item.name for item in node.attribute if not item.name.startswith("__")] == ["alpha"]
