"""scripts/save_program.py saves what completes the tags of a program: the classes in which nothing runs."""

import sys

import onnx
import torch
from torch import nn

import onnx_facts as facts
from harness import EXIT_OK, ROOT, case_for_each, libtorch_version, run, scratch

sys.path.insert(0, str(ROOT / "scripts"))

HAS_PROGRAMS = libtorch_version() >= (2, 13)  # and so has the Python of the tests


class Inner(nn.Module):
    def forward(self, x):
        return torch.tanh(x) * 2


class Holder(nn.Module):
    """Its forward() is not called."""

    def __init__(self, unused):
        super().__init__()
        self.inner = nn.ModuleList([Inner(), Inner()])
        self.other, self.same = unused, unused


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.holder = Holder(nn.ReLU())

    def forward(self, x):
        return self.holder.inner[1](self.holder.inner[0](x))


def exported(path, folder):
    out = folder / f"{path.name}.onnx"
    result = run(path, "--out", out)
    assert result.returncode == EXIT_OK, result.stderr
    return onnx.load(out)


def tags_of(path, folder) -> set:
    return {facts.tag_of(node) for node in exported(path, folder).graph.node}


@case_for_each(["nested"] if HAS_PROGRAMS else [])
def tags_are_those_of_the_trace(_):
    """With the script; without it a program lacks the class, which shows that the script is needed."""
    import save_program

    net, inputs = Net().eval(), (torch.randn(2, 3),)
    program = torch.export.export(net, inputs)
    with scratch() as folder:
        save_program.save(program, net, folder / "whole.pt2")
        torch.export.save(program, folder / "bare.pt2")
        torch.jit.trace(net, inputs).save(folder / "traced.pt")
        traced = tags_of(folder / "traced.pt", folder)
        assert traced == {"/Net/Holder/Inner.0", "/Net/Holder/Inner.1"}, traced
        assert tags_of(folder / "whole.pt2", folder) == traced
        assert not any("Holder" in tag for tag in tags_of(folder / "bare.pt2", folder))


@case_for_each(["aliases"] if HAS_PROGRAMS else [])
def classes_are_known_by_all_names(_):
    """Those of a module that is not called, too."""
    import save_program

    net = Net().eval()
    with scratch() as folder:
        save_program.save(torch.export.export(net, (torch.randn(2, 3),)), net, folder / "whole.pt2")
        modules = facts.module_tree(exported(folder / "whole.pt2", folder))
    known = {module["path"]: module["qualified_class"] for module in modules}
    names = net.named_modules(remove_duplicate=False)
    assert known == {path: f"{type(module).__module__}.{type(module).__qualname__}" for path, module in names}, known
