"""Tags that a file of torch.export does not record."""

import onnx

import onnx_facts as facts
from commands import NO_SHIM
from exported_files import files
from harness import case, libtorch_version, run, scratch


@case
def branches_without_modules_are_told() -> None:
    """Their nodes have the tag of the module around the branch; strict programs name their modules."""
    if libtorch_version() < (2, 13):
        return
    with scratch() as there:
        for mode, is_told in (("plain", True), ("strict", False)):
            model = there / f"{mode}.onnx"
            result = run(files("control_programs", "branch") / f"{mode}.pt2", "--out", model, env=NO_SHIM)
            assert ("does not say in which modules they ran" in result.stderr) == is_told, result.stderr
            tags = {facts.tag_of(node) for node in facts.nodes_of(onnx.load(str(model)).graph)}
            assert ("/Branch/Block" in tags) == (not is_told), tags
