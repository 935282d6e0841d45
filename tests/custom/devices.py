"""Makes programs that make, move and compare tensors on devices: devices.py FOLDER."""

import sys
from pathlib import Path
from typing import List, Tuple

import torch
from torch import Tensor, nn


class Makes(nn.Module):
    """All ways to make a tensor: on the device of another one, of an attribute, an argument, a text."""

    home: torch.device

    def __init__(self, dtype: torch.dtype):
        super().__init__()
        self.weight = nn.Parameter(torch.arange(4, dtype=torch.float32).to(dtype))
        self.register_buffer("shift", torch.ones(4, dtype=dtype))
        self.home = torch.device("cpu")

    def forward(self, x: Tensor) -> Tuple[Tensor, Tensor, Tensor, Tensor]:
        return self.made(x), self.like(x), self.moved(x), self.known(x)

    def made(self, x: Tensor) -> Tensor:
        n = x.shape[0]
        y = torch.zeros(n, 4, device=x.device, dtype=x.dtype) + torch.ones(4, device="cpu", dtype=x.dtype)
        y = y + torch.full((n, 1), 2.5, device=self.home, dtype=x.dtype)
        y = y + torch.linspace(0.0, 1.0, n, device=x.device).to(x.dtype).unsqueeze(1)
        y = y + torch.arange(n, device=torch.device("cpu")).unsqueeze(1).to(x.dtype)
        return y + torch.empty(n, 4, device="cpu", dtype=x.dtype).fill_(0.5) + self.weight

    def like(self, x: Tensor) -> Tensor:
        y = torch.zeros_like(x, device="cpu") + x.new_ones(4, device=x.device)
        y = y + torch.full_like(x, 3.0, device=self.home) + x.new_zeros(x.shape, device="cpu")
        return y + torch.ones_like(x) + x.new_full((4,), 2.0) + self.shift

    def moved(self, x: Tensor) -> Tensor:
        y = x.to("cpu").to(self.home).to(torch.device("cpu"), x.dtype).to(self.weight)
        y = y.to(device=x.device).type_as(self.shift) + torch.tensor([1.0, 2.0, 3.0, 4.0]).to(y)
        return y + torch.tensor([2.0, 1.0, 0.0, -1.0], dtype=x.dtype, device=torch.device("cpu"))

    def known(self, x: Tensor) -> Tensor:
        """Tensors that depend only on constants: they are computed at export."""
        y = torch.arange(4, device="cpu") * 2 + torch.eye(4, device=self.home).sum(0).to(torch.int64)
        return y + torch.tril_indices(4, 4, device="cpu")[0, :4] + torch.ones(4, device="cpu").to(y)


class Asks(nn.Module):
    """A program's queries about devices, as numbers."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(4))

    def forward(self, x: Tensor, d: torch.device = torch.device("cpu")) -> Tensor:
        index = x.device.index
        cuda = "cu" + "da"
        return torch.tensor([
            int(x.is_cuda), int(x.device.type == "cuda"), int(x.device == torch.device(cuda + ":0")),
            int(x.device == torch.device(cuda)), int(x.device != self.weight.device), int(x.device == d),
            -1 if index is None else index, x.get_device(), len(str(x.device)),
            int(torch.zeros(2).is_cuda), int(torch.zeros(2, device=x.device).is_cuda),
            int((torch.tensor(1.0) + x).is_cuda), int((x + self.weight).is_cuda), int(x.cpu().is_cuda),
            int(x.to(cuda).is_cuda), int(torch.zeros(2).to(x).is_cuda),
        ]) + x.sum() * 0


class Meets(nn.Module):
    """Queries of merged tensors, and of results on other devices than their operands."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(4))

    def forward(self, x: Tensor) -> Tensor:
        x = x * self.weight
        y = torch.zeros(4)
        z = torch.zeros(4)
        first = 0
        kept: List[Tensor] = []
        made: List[Tensor] = []
        numbers: List[float] = []
        if bool(x.sum() > 0):
            y = torch.ones(4)
        for i in range(int(x.sum())):
            first += int(z.is_cuda)
            z = z + 1.0
            kept.append(x[0] + i)
            made.append(torch.zeros(2) + i)
            numbers.append(i * 1.0)
        number = torch.tensor(0.0)
        number.copy_(x.sum())
        spread = torch.broadcast_tensors(x, torch.zeros(4))
        packed = torch._VF._pack_padded_sequence(x.unsqueeze(2), torch.tensor([4, 3]), True)
        return torch.tensor([
            int(y.is_cuda), int(z.is_cuda), first, int(kept[0].is_cuda), int(torch.stack(kept).is_cuda),
            int(made[0].is_cuda), int(torch.stack(made).is_cuda), int(torch.tensor(numbers).is_cuda),
            int(number.is_cuda), int(spread[0].is_cuda), int(spread[1].is_cuda), int(packed[0].is_cuda),
            int(packed[1].is_cuda), int(torch._shape_as_tensor(x).is_cuda),
        ]) + x.sum() * 0


class Undecided(nn.Module):
    """A tensor whose device is data-dependent, and queries of it."""

    def __init__(self, joined: str, asked: str):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(4))
        self.joined = joined
        self.asked = asked

    def forward(self, x: Tensor) -> Tensor:
        x = x * self.weight
        y = torch.ones(4) * 2.0
        kept = [torch.ones(4) * 2.0]
        if self.joined == "branch":
            if bool(x.sum() > 0):
                y = x[0] * 2.0
        elif self.joined == "loop":
            for _ in range(int(x.sum())):
                y = x[0] * 2.0
        else:
            for _ in range(int(x.sum())):
                kept.append(x[0] * 2.0)
            y = kept[0]
        if self.asked == "device":
            return x * (2.0 if y.device == x.device else 3.0)
        z = y.cpu() if self.asked == "cpu" else y.to(x.device)
        if self.asked == "changed":
            z += 1.0
        return y + z


class Keeps(nn.Module):
    """A call leaves state on another device than the first call finds."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(4))
        self.state = torch.zeros(2, 4)

    def forward(self, x: Tensor) -> Tensor:
        y = x * self.weight + self.state
        if self.state.is_cuda:
            y = y * 2.0
        self.state = y.cpu()
        return y


class Branches(nn.Module):
    """Different programs on different devices, without weights: only the code says where it was saved."""

    def forward(self, x: Tensor) -> Tensor:
        y = torch.zeros(4, device=torch.device("cpu")) + x
        if x.is_cuda:
            y = y * 2.0
        if x.device.type == "cpu":
            y = y + 10.0
        return y


class Compares(nn.Module):
    """A device in a comparison does not imply where the file was saved."""

    def forward(self, x: Tensor) -> Tensor:
        return x * 2.0 if x.device == torch.device("cuda:0") else x + 10.0


class Copies(nn.Module):
    """A copy made by a move does not change with the original."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(4))
        self.letter = "c"  # a part of a name that is only known at run time

    def forward(self, x: Tensor) -> Tuple[Tensor, Tensor, Tensor]:
        x = x * self.weight
        y = x.cpu()
        y += 1.0
        z = x.to(self.letter + "pu")
        z += 10.0
        return x, y, z


class Casts(nn.Module):
    """Casts that autocast inserts."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(4))

    def forward(self, x: Tensor) -> Tuple[Tensor, Tensor, Tensor]:
        x = x * self.weight
        half = x._autocast_to_reduced_precision(True, False, torch.float16, torch.bfloat16)
        both = x._autocast_to_reduced_precision(True, True, torch.float16, torch.bfloat16)
        return half, both.to(torch.float32), half._autocast_to_full_precision(True, False)


class Pins(nn.Module):
    """Memory that a GPU's driver reads."""

    def forward(self, x: Tensor) -> Tensor:
        y = torch.zeros(4, pin_memory=True) + torch.ones(4).pin_memory()
        return x + y.to(x.device, non_blocking=True)


class Restored(nn.Module):
    """Queries devices while it is restored, and keeps one."""

    home: torch.device

    def __init__(self):
        super().__init__()
        self.scale = torch.ones(4)
        self.home = torch.device("cpu")

    def forward(self, x: Tensor) -> Tensor:
        return x * self.scale + torch.ones(4, device=self.home)

    @torch.jit.export
    def __getstate__(self) -> Tuple[Tensor, bool]:
        return (self.scale, self.training)

    @torch.jit.export
    def __setstate__(self, state: Tuple[Tensor, bool]) -> None:
        self.home = torch.device("cpu")
        self.scale = state[0] + torch.zeros(4, device=self.home).to("cpu")
        if state[0].is_cuda:
            self.scale = self.scale * 3.0
        if state[0].device == torch.device("cu" + "da:0"):
            self.scale = self.scale * 5.0
        self.training = state[1]


class RestoredApart(nn.Module):
    """Moves a restored tensor, and then changes the copy."""

    def __init__(self):
        super().__init__()
        self.scale = torch.ones(4)
        self.shift = torch.ones(4)

    def forward(self, x: Tensor) -> Tensor:
        return x * self.scale + self.shift

    @torch.jit.export
    def __getstate__(self) -> Tuple[Tensor, bool]:
        return (self.scale, self.training)

    @torch.jit.export
    def __setstate__(self, state: Tuple[Tensor, bool]) -> None:
        self.scale = state[0]
        self.training = state[1]
        shift = state[0].cpu()
        shift += 1.0
        self.shift = shift


class RestoredAsks(RestoredApart):
    """Queries a tensor on another device."""

    @torch.jit.export
    def __setstate__(self, state: Tuple[Tensor, bool]) -> None:
        self.scale = state[0]
        self.shift = torch.zeros(4)
        self.training = state[1]
        if self.shift.is_cuda:
            self.scale = self.scale * 2.0


class RestoredUnsure(RestoredApart):
    """Changes a tensor that may have been moved."""

    @torch.jit.export
    def __setstate__(self, state: Tuple[Tensor, bool]) -> None:
        self.scale = state[0]
        self.training = state[1]
        shift = state[0].to(torch.zeros(1))
        shift += 1.0
        self.shift = shift


class AsksPinned(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x * 2.0 if x.cpu().pin_memory().is_pinned() else x


def traced(x: Tensor) -> Tensor:
    n = x.shape[0]
    y = torch.zeros(n, 4, dtype=x.dtype) + torch.arange(n).unsqueeze(1).to(x.dtype)
    return y + torch.full((4,), 2.0, dtype=x.dtype) + x.to(torch.device("cpu"), torch.float16).to(x.dtype)


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True)
    for dtype, name in (torch.float32, "float32"), (torch.float16, "float16"):
        example = torch.ones(3, 4, dtype=dtype)
        makes = Makes(dtype).eval()
        torch.jit.script(makes).save(str(folder / f"makes-{name}.pt"))
        torch.jit.trace(makes, example).save(str(folder / f"makes-traced-{name}.pt"))
        torch.jit.trace(traced, example).save(str(folder / f"alone-{name}.pt"))
    linear = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU(), torch.nn.Linear(3, 2)).eval()
    quantised = torch.quantization.quantize_dynamic(linear, {torch.nn.Linear}, dtype=torch.qint8)
    torch.jit.script(quantised).save(str(folder / "quantised.pt"))
    for joined in "branch", "loop", "list":
        for asked in "device", "cpu", "to", "changed":
            torch.jit.script(Undecided(joined, asked)).save(str(folder / f"{joined}-{asked}.pt"))
    for made in (Asks(), Meets(), Keeps(), Branches(), Compares(), Copies(), Casts(), Pins(), AsksPinned(),
                 Restored(), RestoredApart(), RestoredAsks(), RestoredUnsure()):
        torch.jit.script(made.eval()).save(str(folder / f"{type(made).__name__.lower()}.pt"))


if __name__ == "__main__":
    main()
