"""Dependence on the build of libtorch: oneDNN, MKL and others decide the layout of some outputs. A program that depends
on it is refused: it reads the layout, or changes a tensor that is a view in some builds and a copy in others. Beside
each is one that does not depend on it."""

import torch
from torch import nn
import torch.nn.functional as F

from building import Cases, X

CASES = Cases()
PIXELS = (2, 5, 6, 4)  # channels last
SIGNAL = (2, 5, 6)
LOST = "and whether that shares its memory depends on how libtorch was built: with oneDNN"
PLACES = "it takes elements by their places in memory, which depend on how libtorch was built: "
TOLD = " depends on how libtorch was built: "
TOLD_OF_STRIDE = f"the result of aten::stride.int{TOLD}"


class Convolved(nn.Module):
    """A function applied to a convolution's output and the module's input."""

    def __init__(self, use):
        super().__init__()
        self.conv = nn.Conv2d(4, 6, 3, padding=1)
        self.use = use

    def forward(self, x):
        return self.use(self.conv(x.permute(0, 3, 1, 2)), x)


class ScriptedConvolved(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(4, 6, 3, padding=1)

    def convolved(self, x: torch.Tensor):
        return self.conv(x.permute(0, 3, 1, 2))

    def copied(self, x: torch.Tensor):
        return self.convolved(x).clone(memory_format=torch.contiguous_format)


class Number(ScriptedConvolved):
    def forward(self, x):
        return x * self.convolved(x).relu().mul(2).stride(1)


class NumberOfCopy(ScriptedConvolved):
    def forward(self, x):
        return x * self.copied(x).stride(1)


class NumberOfNobody(ScriptedConvolved):
    def forward(self, x):
        y = self.convolved(x)
        y.stride(1)
        return y * 2


class Branch(ScriptedConvolved):
    def forward(self, x):
        y = self.convolved(x)
        return y * 2 if y.is_contiguous() else y


class BranchOfCopy(ScriptedConvolved):
    def forward(self, x):
        y = self.copied(x)
        return y * 2 if y.is_contiguous() else y


class NumberOfSide(ScriptedConvolved):
    def forward(self, x):
        y = self.convolved(x)
        if bool(x.sum() > 0):
            y = torch.zeros_like(y, memory_format=torch.contiguous_format)
        return x * y.stride(1)


class NumberInLoop(ScriptedConvolved):
    def forward(self, x):
        y, strides = x.permute(0, 3, 1, 2).contiguous(), 0
        for _ in range(int(x.abs().sum())):
            strides += y.stride(1)
            y = self.conv(y.contiguous(memory_format=torch.channels_last))[:, :4]
        return y * strides


def changed(y):
    y.add_(3)
    return y


def rows(y):
    return y.permute(0, 2, 3, 1).contiguous()


def read_behind_change(y, x):
    changed(rows(y))
    return y * 1


def changed_behind_view(y, x):
    seen = y.flatten(1)
    changed(y)
    return seen * 1


def read_behind_copy(y, x):
    return read_behind_change(y.clone(memory_format=torch.contiguous_format), x)


class OfConstant(nn.Module):
    def __init__(self, is_copied):
        super().__init__()
        self.is_copied = is_copied
        self.register_buffer("signal", torch.arange(60.0).reshape(SIGNAL))

    def forward(self, x):
        signal = torch.fft.irfft(torch.fft.rfft(self.signal, dim=1), n=5, dim=1)
        signal = signal.clone(memory_format=torch.contiguous_format) if self.is_copied else signal
        return x + torch.as_strided(signal, (3, 4), (6, 1))


for name, use, refused in [
    ("read-behind-change", read_behind_change, LOST),
    ("changed-behind-view", changed_behind_view, LOST),
    ("read-behind-copy", read_behind_copy, None),
    ("changed-alone", lambda y, x: changed(rows(y)), None),
    ("reshaped", lambda y, x: F.linear(y.flatten(1).relu(), torch.ones(2, 180)), None),
    ("viewed", lambda y, x: y.permute(0, 2, 3, 1).view(-1, 6), None),
    ("strided", lambda y, x: y.as_strided((2, 5), (2, 1)), PLACES),
    ("strided-part", lambda y, x: y[0, 0].as_strided((2, 5), (2, 1)), PLACES),
    ("strided-copy", lambda y, x: y.clone(memory_format=torch.contiguous_format).as_strided((2, 5), (2, 1)), None),
]:
    CASES.layer(f"convolved/{name}", lambda use=use: Convolved(use), PIXELS, refused=refused)
for name, make, refused in [
    ("number", Number, TOLD_OF_STRIDE),
    ("number-of-copy", NumberOfCopy, None),
    ("number-of-nobody", NumberOfNobody, None),
    ("branch", Branch, f"the result of aten::is_contiguous{TOLD}"),
    ("branch-of-copy", BranchOfCopy, None),
    ("number-of-side", NumberOfSide, "the result of aten::stride.int depends on which side of a branch is taken"),
    ("number-in-loop", NumberInLoop, TOLD_OF_STRIDE),
]:
    CASES.layer(f"scripted/{name}", lambda make=make: torch.jit.script(make()), PIXELS, refused=refused)


def stride_of_spectrum(x: torch.Tensor):
    return x * torch.fft.irfft(torch.fft.rfft(x, dim=1), n=5, dim=1).stride(1)


def stride_of_last(x: torch.Tensor):
    return x * torch.fft.irfft(torch.fft.rfft(x), n=6).stride(1)


CASES.script("spectrum/number", stride_of_spectrum, SIGNAL, refused=f"{TOLD_OF_STRIDE}MKL puts the dims")
CASES.script("spectrum/number-of-last", stride_of_last, SIGNAL)
CASES.layer("spectrum/constant", lambda: OfConstant(False), X.shape, refused=f"{PLACES}MKL puts the dims")
CASES.layer("spectrum/copy-of-constant", lambda: OfConstant(True), X.shape)
