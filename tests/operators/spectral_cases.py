"""Cases of Fourier transforms: torch.fft, and short-time ones."""

import torch
from building import Cases
from torch import fft

CASES = Cases()
call = CASES.call
N = {0: {0: "batch", 1: "time"}}
DOUBLE = torch.float64
complex_of = torch.view_as_complex


def shown(z):
    return torch.view_as_real(z.resolve_conj()) if z.is_complex() else z


def plain(function, *arguments, **options):
    return lambda x: shown(function(x, *arguments, **options))


def of_pairs(function, *arguments, **options):
    return lambda x: shown(function(complex_of(x), *arguments, **options))


# ---- one axis ----------------------------------------------------------------------------------------

# Powers of two, products with a matrix, and lengths too long for one.
LENGTHS = (1, 2, 3, 8, 12, 17, 64, 1100)
OF_REALS = {"fft": fft.fft, "ifft": fft.ifft, "rfft": fft.rfft, "ihfft": fft.ihfft}
OF_PAIRS = {"fft": fft.fft, "ifft": fft.ifft, "irfft": fft.irfft, "hfft": fft.hfft}
for length in LENGTHS:
    for name, function in OF_REALS.items():
        call(f"{name}/real/{length}", plain(function), (2, length))
    for name, function in OF_PAIRS.items():
        if length > 1 or not name.endswith(("rfft", "hfft")):
            call(f"{name}/pairs/{length}", of_pairs(function), (2, length, 2))
for norm in ("backward", "ortho", "forward"):
    for name, function in OF_REALS.items():
        call(f"{name}/real/{norm}", plain(function, norm=norm), (2, 12), dynamic=N)
    for name, function in OF_PAIRS.items():
        call(f"{name}/pairs/{norm}", of_pairs(function, norm=norm), (2, 12, 2), dynamic=N)
for n in (5, 8, 30):
    for name, function in OF_REALS.items():
        call(f"{name}/real/n={n}", plain(function, n=n), (2, 12))
        call(f"{name}/real/n={n}/dynamic", plain(function, n=n), (2, 12), dynamic=N)
    for name, function in OF_PAIRS.items():
        call(f"{name}/pairs/n={n}", of_pairs(function, n=n), (2, 12, 2))
        call(f"{name}/pairs/n={n}/dynamic", of_pairs(function, n=n), (2, 12, 2), dynamic=N)
for name, function in OF_REALS.items():
    call(f"{name}/first", plain(function, dim=0), (6, 5), dynamic=N)
    call(f"{name}/middle", plain(function, dim=1), (2, 6, 5))
    call(f"{name}/double", plain(function), ((2, 12), DOUBLE), dynamic=N)
    call(f"{name}/whole", plain(function), ((2, 12), -5, 5))
    call(f"{name}/vector", plain(function), (12,))
for name, function in OF_PAIRS.items():
    call(f"{name}/pairs/first", of_pairs(function, dim=0), (6, 5, 2), dynamic=N)
    call(f"{name}/pairs/middle", of_pairs(function, dim=1), (2, 6, 5, 2))
    call(f"{name}/pairs/double", of_pairs(function), ((2, 12, 2), DOUBLE), dynamic=N)
    call(f"{name}/pairs/long-double", of_pairs(function), ((2, 1100, 2), DOUBLE))
call("irfft/of-reals", lambda x: (fft.irfft(x), fft.hfft(x, n=9), fft.irfft2(x)), (3, 6))
call("round-trip", lambda x: fft.irfft(fft.rfft(x), n=x.shape[-1]), (2, 12), dynamic=N)
call("own-images", lambda x: fft.rfft(-x.abs()).imag[:, 0].reciprocal(), (2, 12), dynamic=N)

# ---- several ------------------------------------------------------------------------------------------

SEVERAL = {
    "fft2": fft.fft2, "ifft2": fft.ifft2, "rfft2": fft.rfft2, "ihfft2": fft.ihfft2,
    "fftn": fft.fftn, "ifftn": fft.ifftn, "rfftn": fft.rfftn, "ihfftn": fft.ihfftn,
}
BACK = {"irfft2": fft.irfft2, "irfftn": fft.irfftn, "hfft2": fft.hfft2, "hfftn": fft.hfftn, "ifft2": fft.ifft2}
for name, function in SEVERAL.items():
    call(name, plain(function), (4, 6, 5), dynamic={0: {0: "batch"}})
    call(f"{name}/sizes", plain(function, s=(8, 3), norm="ortho"), (2, 6, 5))
    call(f"{name}/dims", plain(function, dim=(2, 0), norm="forward"), (4, 6, 5))
for name, function in BACK.items():
    call(f"{name}/pairs", of_pairs(function), (4, 6, 5, 2), dynamic={0: {0: "batch"}})
    call(f"{name}/pairs/sizes", of_pairs(function, s=(8, 7), norm="ortho"), (2, 6, 5, 2))
call("fftshift", of_pairs(fft.fftshift), (4, 5, 2), dynamic=N)
call("ifftshift", of_pairs(fft.ifftshift, dim=1), (4, 5, 2))

# ---- short-time -----------------------------------------------------------------------------------------


def frames(n_fft, hop=None, window=True, **options):
    def run(x):
        weights = torch.hann_window(options.get("win_length", n_fft)) if window else None
        return shown(torch.stft(x, n_fft, hop, window=weights, return_complex=True, **options))
    return run


def there_and_back(n_fft, hop, length=None, **options):
    def run(x):
        window = torch.hamming_window(options.get("win_length", n_fft))
        z = torch.stft(x, n_fft, hop, window=window, return_complex=True, **options)
        return torch.istft(z, n_fft, hop, window=window, length=length, **options)
    return run


call("stft", frames(16, 4), (2, 64), dynamic=N)
call("stft/odd", frames(20, 7), (2, 64), dynamic=N)
call("stft/vector", frames(16), (64,))
call("stft/no-window", frames(16, 4, window=False, normalized=True), (2, 64))
call("stft/window-within", frames(20, 5, win_length=13, onesided=False), (2, 64))
call("stft/constant", frames(16, 4, pad_mode="constant"), (2, 64))
call("stft/from-the-start", frames(16, 5, center=False), (2, 64), dynamic=N)
call("istft", there_and_back(16, 4), (2, 64), dynamic={0: {0: "batch", 1: "time"}})
call("istft/odd", there_and_back(20, 7, normalized=True), (2, 64), dynamic=N)
call("istft/length", there_and_back(16, 5, length=60), (2, 64))
call("istft/vector", there_and_back(16, 5), (64,))
call("istft/window-within", there_and_back(20, 5, win_length=16), (2, 64))
call("istft/whole", lambda x: torch.istft(complex_of(x), 12, 3, window=torch.ones(12), onesided=False),
     (12, 7, 2))


def complex_signal(x, window=torch.ones(12), **options):
    return shown(torch.istft(complex_of(x), 12, 3, window=window, onesided=False, return_complex=True, **options))


call("istft/complex", complex_signal, (12, 7, 2))
call("istft/complex/frames", lambda x: complex_signal(x, center=False), (12, 7, 2), dynamic={0: {1: "frames"}})
call("istft/complex/batch", lambda x: complex_signal(x, torch.hann_window(12) + 0.1, normalized=True, length=30),
     (3, 12, 9, 2), dynamic={0: {0: "batch"}})
call("istft/complex/window", lambda x: complex_signal(x, torch.ones(12, dtype=torch.complex64) * 1j), (12, 7, 2),
     refused="a complex window is not supported")

# ---- models ------------------------------------------------------------------------------------------------


class Spectrogram(torch.nn.Module):
    def __init__(self, n_fft=400, hop=160, bands=10):
        super().__init__()
        torch.manual_seed(3)
        self.n_fft, self.hop = n_fft, hop
        self.register_buffer("window", torch.hann_window(n_fft))
        self.register_buffer("bands", torch.rand(bands, n_fft // 2 + 1))

    def forward(self, x):
        z = torch.stft(x, self.n_fft, self.hop, window=self.window, return_complex=True)
        return torch.clamp(self.bands @ (z[..., :-1].abs() ** 2), min=1e-10).log10()


class SpectralLayer(torch.nn.Module):
    """The low frequencies of a plane, mixed with complex weights."""

    def __init__(self, channels=3, modes=3):
        super().__init__()
        torch.manual_seed(3)
        shape = (channels, channels, modes, modes)
        self.modes = modes
        self.low = torch.nn.Parameter(torch.randn(shape, dtype=torch.cfloat))
        self.high = torch.nn.Parameter(torch.randn(shape, dtype=torch.cfloat))

    def forward(self, x):
        z, m = fft.rfft2(x), self.modes
        mixed = torch.zeros_like(z)
        mixed[:, :, :m, :m] = torch.einsum("bixy,ioxy->boxy", z[:, :, :m, :m], self.low)
        mixed[:, :, -m:, :m] = torch.einsum("bixy,ioxy->boxy", z[:, :, -m:, :m], self.high)
        return fft.irfft2(mixed, s=(x.size(-2), x.size(-1)))


class Filter(torch.nn.Module):
    """A plane times a filter whose complex weights are kept as pairs."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(3)
        self.weights = torch.nn.Parameter(torch.randn(14, 8, 6, 2))

    def forward(self, x):
        z = fft.rfft2(x, dim=(1, 2), norm="ortho") * complex_of(self.weights)
        return fft.irfft2(z, s=(14, 14), dim=(1, 2), norm="ortho")


def correlate(a, b):
    spectrum = fft.rfft(a, dim=1) * torch.conj(fft.rfft(b, dim=1))
    return fft.irfft(spectrum, n=a.shape[1], dim=1)


CASES.add("model/spectrogram", Spectrogram, (2, 1600), dynamic=N)
CASES.add("model/spectrogram/512", lambda: Spectrogram(512, 128), (2, 1600), dynamic=N)
CASES.add("model/spectral-layer", SpectralLayer, (2, 3, 12, 16), dynamic={0: {0: "batch", 2: "height", 3: "width"}})
CASES.add("model/filter", Filter, (2, 14, 14, 6), dynamic={0: {0: "batch"}})
call("model/mixing", lambda x: fft.fft(fft.fft(x, dim=-1), dim=-2).real, (2, 12, 16), dynamic={0: {0: "batch"}})
call("model/correlation", correlate, (2, 24, 3), (2, 24, 3), dynamic={k: {0: "batch", 1: "time"} for k in (0, 1)})

call("complex-output", fft.fft, (2, 12), dynamic={0: {0: "batch"}})

# ---- refusals ------------------------------------------------------------------------------------------

call("refused/angle", lambda x: torch.stft(x, 16, window=torch.hann_window(16), return_complex=True).angle(), (2, 64),
     refused="the angles of a Fourier transform hang on its rounding")
call("refused/angle-of-parts", lambda x: torch.atan2(fft.fft(x)[:, 1:].imag, fft.fft(x)[:, 1:].real), (2, 12),
     refused="the angles of a Fourier transform hang on its rounding")
