"""Integral floats that torch.jit.save writes as ints: libtorch raises on them after loading, and an export refuses them
with the reason."""

import torch

from harness import EXIT_OK, case_for_each, run, scratch

PROGRAMS = {
    "softmax": lambda x: torch.full((3, 4), 1e10).softmax(1) + x,
    "matmul": lambda x: x @ torch.full((4, 2), 1e10),
    "bmm": lambda x: torch.bmm(x[None], torch.full((1, 4, 2), 1e10)),
    "index_put": lambda x: x.index_put((torch.tensor([0]),), torch.full((4,), 1e10)),
    "masked_scatter": lambda x: x.masked_scatter(x > 0, torch.full((3, 4), 1e10)),
    "cross": lambda x: torch.cross(x[:, :3], torch.full((3, 3), 1e10)),
    "einsum": lambda x: torch.einsum("ij,jk->ik", x, torch.full((4, 2), 1e10)),
}


@case_for_each(PROGRAMS)
def filled_with_a_large_float(name: str) -> None:
    with scratch() as folder:
        torch.jit.trace(PROGRAMS[name], torch.ones(3, 4), check_trace=False).save(str(folder / "model.pt"))
        told = run(folder / "model.pt", "--out", folder / "model.onnx", "--input", "x:float32[3,4]")
    assert told.returncode != EXIT_OK
    assert "torch.jit.save wrote the tensor's fill value as an int" in told.stderr, told.stderr
