"""Dtypes that programs have and this exporter has not: refused by names, with a way round."""

import torch
from torch import nn

from harness import EXIT_UNSUPPORTED, case_for_each, libtorch_version, run, scratch

RARE = ("uint16", "uint32", "float8_e4m3fn", "float8_e5m2") if libtorch_version() >= (2, 13) else ()


class Through(nn.Module):
    """A detour through another dtype."""

    def __init__(self, dtype: torch.dtype):
        super().__init__()
        self.dtype = dtype

    def forward(self, x):
        return x.to(self.dtype).to(torch.float32) + x


@case_for_each(RARE)
def refused_with_advice(name):
    net, inputs = Through(getattr(torch, name)).eval(), (torch.rand(2, 3),)
    with scratch() as folder:
        torch.export.save(torch.export.export(net, inputs), folder / "program.pt2")
        torch.jit.trace(net, inputs).save(folder / "traced.pt")
        for file in "program.pt2", "traced.pt":
            result = run(folder / file, "--out", folder / "x.onnx")
            assert result.returncode == EXIT_UNSUPPORTED, (file, result.stderr)
            assert "uint16, uint32, uint64, float8" in result.stderr and "cast them to" in result.stderr, result.stderr
            assert "test_rare_dtypes.py" in result.stderr and not (folder / "x.onnx").exists()
