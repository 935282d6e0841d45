"""Spectra: of pictures, of sound, of sequences."""

import torch
import torch.nn.functional as F
from torch import nn

from writing import FREE_IMAGE, FREE_TOKENS, Idioms, floats

IDIOMS = Idioms()
call, add = IDIOMS.call, IDIOMS.add
SOUND = floats("batch", "samples")


class Spectrogram(nn.Module):
    """Magnitudes of a short-time transform, as mel bands and in decibels."""

    def __init__(self):
        super().__init__()
        self.register_buffer("window", torch.hann_window(64))
        self.register_buffer("bands", torch.rand(33, 10))

    def forward(self, x):
        z = torch.stft(x, 64, 16, window=self.window, return_complex=True)
        power = z.abs().pow(2)
        return 10 * torch.log10((power.transpose(1, 2) @ self.bands).clamp(min=1e-5))


class Denoiser(nn.Module):
    """A spectrum that is weighed, and back to a signal."""

    def __init__(self):
        super().__init__()
        self.register_buffer("window", torch.hann_window(64))

    def forward(self, x):
        z = torch.stft(x, 64, 16, window=self.window, return_complex=True)
        size = z.abs()
        z = z * (size / (size + 1.0))
        return torch.istft(z, 64, 16, window=self.window)


class GlobalFilter(nn.Module):
    """GFNet, with a filter that follows the size of the picture."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(2, 8, 4, 4))

    def forward(self, x):
        z = torch.fft.rfft2(x, norm="ortho")
        weight = F.interpolate(self.weight, size=z.shape[-2:], mode="bilinear", align_corners=True)
        z = z * torch.complex(weight[0], weight[1])
        return torch.fft.irfft2(z, s=(x.size(2), x.size(3)), norm="ortho")


class FrameFeatures(nn.Module):
    """Frames by a strided convolution, as learned filter banks are."""

    def __init__(self):
        super().__init__()
        self.filters = nn.Conv1d(1, 16, 32, 16, bias=False)
        self.norm = nn.GroupNorm(1, 16)

    def forward(self, x):
        return F.gelu(self.norm(self.filters(x.unsqueeze(1)))).transpose(1, 2)


def fourier_mixing(x):
    """FNet: the real part of a transform along tokens and features."""
    return torch.fft.fft(torch.fft.fft(x, dim=-1), dim=1).real


def low_pass(x):
    """The lower half of the frequencies of a picture."""
    z = torch.fft.fftshift(torch.fft.fft2(x), dim=(-2, -1))
    h, w = x.size(2), x.size(3)
    ys = torch.arange(h, device=x.device) - h // 2
    xs = torch.arange(w, device=x.device) - w // 2
    near = (ys[:, None].abs() * 4 <= h) & (xs[None, :].abs() * 4 <= w)
    return torch.fft.ifft2(torch.fft.ifftshift(z * near, dim=(-2, -1))).real


def high_pass(x):
    z = torch.fft.rfft2(x)
    near = torch.fft.fftfreq(x.size(2), device=x.device).abs()[:, None] + torch.fft.rfftfreq(
        x.size(3), device=x.device)[None, :]
    return torch.fft.irfft2(z * (near > 0.1), s=x.shape[-2:])


def autocorrelation(x):
    """Autoformer: by the power of the spectrum."""
    z = torch.fft.rfft(x, dim=1)
    return torch.fft.irfft(z * z.conj(), n=x.size(1), dim=1)


def long_convolution(x, kernel):
    """Hyena: as long a filter as the signal, through twice the length."""
    n = x.size(-1)
    z = torch.fft.rfft(x, n=2 * n) * torch.fft.rfft(kernel, n=2 * n)
    return torch.fft.irfft(z, n=2 * n)[..., :n]


def amplitude_and_phase(x):
    """What is left of a picture whose frequencies are all as strong."""
    z = torch.fft.fft2(x, norm="ortho")
    return z.abs(), torch.fft.ifft2(z / (z.abs() + 0.1), norm="ortho").real


def dominant_periods(x):
    """TimesNet: the strongest frequencies on the average of the batch."""
    size = torch.fft.rfft(x, dim=1).abs().mean(-1)
    return size.topk(2, 1)[0]


def focal_frequency(x, y):
    d = torch.fft.fft2(x, norm="ortho") - torch.fft.fft2(y, norm="ortho")
    distance = d.real**2 + d.imag**2
    return (distance.sqrt() * distance).mean((1, 2, 3))


def overlap_add(frames):
    """Windows of eight with steps of four, added up."""
    n = frames.size(2)
    out = F.fold(frames, output_size=(1, (n - 1) * 4 + 8), kernel_size=(1, 8), stride=(1, 4))
    return out.squeeze(2).squeeze(1)


def pre_emphasis(x):
    return torch.cat([x[:, :1], x[:, 1:] - 0.97 * x[:, :-1]], 1)


def framed_energy(x):
    frames = x.unfold(1, 64, 32)
    window = torch.hann_window(64, device=x.device)
    return torch.log(frames.pow(2).sum(-1) + 1e-6), torch.fft.rfft(frames * window).abs()


add("spectrogram", Spectrogram, SOUND)
add("denoiser", Denoiser, SOUND)
add("global-filter", GlobalFilter, floats("batch", 8, "height", "width"))
add("frame-features", FrameFeatures, SOUND)
call("fourier-mixing", fourier_mixing, FREE_TOKENS)
call("low-pass", low_pass, FREE_IMAGE)
call("high-pass", high_pass, FREE_IMAGE)
call("autocorrelation", autocorrelation, FREE_TOKENS)
call("long-convolution", long_convolution, floats("batch", "features", "sequence"),
     floats("features", "sequence"))
call("amplitude-and-phase", amplitude_and_phase, FREE_IMAGE)
call("dominant-periods", dominant_periods, FREE_TOKENS)
call("focal-frequency", focal_frequency, FREE_IMAGE, FREE_IMAGE)
call("overlap-add", overlap_add, floats("batch", 8, "sequence"))
call("pre-emphasis", pre_emphasis, SOUND)
call("framed-energy", framed_energy, SOUND)
