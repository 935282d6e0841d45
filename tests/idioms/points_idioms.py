"""Points, graphs, sounds and steps of time."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from writing import FREE_TOKENS, Idioms, flags, floats, ids, tokens

IDIOMS = Idioms()
call, add = IDIOMS.call, IDIOMS.add

# ---- points -------------------------------------------------------------------------------------------


def index_points(points, idx):
    b = points.shape[0]
    view = [b] + [1] * (idx.dim() - 1)
    repeat = [1] + list(idx.shape[1:])
    batch = torch.arange(b, dtype=torch.long).view(view).repeat(repeat)
    return points[batch, idx, :]


def square_distance(a, b):
    n, s, _ = a.shape
    m = b.shape[1]
    d = -2 * torch.matmul(a, b.permute(0, 2, 1))
    d = d + torch.sum(a**2, -1).view(n, s, 1)
    return d + torch.sum(b**2, -1).view(n, 1, m)


def ball_query(xyz, new):
    b, n, c = xyz.shape
    s = new.shape[1]
    group = torch.arange(n, dtype=torch.long).view(1, 1, n).repeat([b, s, 1])
    group[square_distance(new, xyz) > 1.0] = n
    group = group.sort(dim=-1)[0][:, :, :4]
    first = group[:, :, 0].view(b, s, 1).repeat([1, 1, 4])
    mask = group == n
    group[mask] = first[mask]
    return torch.where(group == n, torch.zeros_like(group), group)


def ball_points(xyz, new):
    return index_points(xyz, ball_query(xyz, new)) - new.unsqueeze(2)


def ball_points_script(xyz, new):
    index = ball_query(xyz, new)
    batch = torch.arange(xyz.size(0)).view(-1, 1, 1)
    return xyz[batch, index] - new.unsqueeze(2)


def edge_features(x):
    """DGCNN: nearest neighbours, by flat places."""
    b, c, n = x.shape
    inner = -2 * torch.matmul(x.transpose(2, 1), x)
    xx = torch.sum(x**2, dim=1, keepdim=True)
    idx = (-xx - inner - xx.transpose(2, 1)).topk(k=3, dim=-1)[1]
    base = torch.arange(0, b).view(-1, 1, 1) * n
    idx = (idx + base).view(-1)
    x = x.transpose(2, 1).contiguous()
    feature = x.view(b * n, -1)[idx, :].view(b, n, 3, c)
    x = x.view(b, n, 1, c).repeat(1, 1, 3, 1)
    return torch.cat((feature - x, x), dim=3).permute(0, 3, 1, 2).contiguous()


def three_interpolate(xyz, known, feature):
    """PointNet++: features of the three nearest, by their distances."""
    d, idx = square_distance(xyz, known).sort(dim=-1)
    d, idx = d[:, :, :3], idx[:, :, :3]
    w = 1.0 / (d.clamp(min=0) + 1e-1)
    w = w / w.sum(2, keepdim=True)
    b = torch.arange(xyz.size(0))[:, None, None]
    return (feature[b, idx] * w.unsqueeze(-1)).sum(2)


call("ball-points", ball_points, floats("batch", "sequence", 3), floats("batch", "time", 3), script=False, least=5)
call("ball-points-scripted", ball_points_script, floats("batch", "sequence", 3), floats("batch", "time", 3), least=5)
call("edge-features", edge_features, floats("batch", 3, "length"), least=4)
call("three-interpolate", three_interpolate, floats("batch", "sequence", 3), floats("batch", "length", 3),
     floats("batch", "length", "features"), least=4)

# ---- graphs -------------------------------------------------------------------------------------------


class MessagePassing(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(8, 8)

    def forward(self, x, edges):
        row, col = edges[0], edges[1]
        n = x.size(0)
        deg = torch.zeros(n).scatter_add_(0, col, torch.ones(col.size(0)))
        norm = deg.clamp(min=1).pow(-0.5)
        w = norm[row] * norm[col]
        m = self.lin(x)[row] * w.unsqueeze(-1)
        scattered = torch.zeros(n, 8).scatter_add(0, col.unsqueeze(-1).expand(-1, 8), m)
        return torch.zeros_like(x).index_add(0, col, m), scattered


class GraphAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.att = nn.Parameter(torch.randn(16))

    def forward(self, x, edges):
        row, col = edges[0], edges[1]
        n = x.size(0)
        e = F.leaky_relu(torch.cat([x[row], x[col]], -1) @ self.att, 0.2)
        top = torch.full((n,), -1e9).scatter_reduce(0, col, e, "amax")
        e = torch.exp(e - top[col])
        total = torch.zeros(n).index_add(0, col, e)
        a = e / (total[col] + 1e-16)
        return torch.zeros(n, x.size(1)).index_add(0, col, a[:, None] * x[row])


class Pool(nn.Module):
    """Nodes of several graphs, averaged by graph."""

    def forward(self, x, batch):
        size = int(batch.max()) + 1
        total = torch.zeros(size, x.size(1)).index_add(0, batch, x)
        count = torch.zeros(size).index_add(0, batch, torch.ones_like(batch, dtype=x.dtype))
        return total / count.clamp(min=1).unsqueeze(1)


add("message-passing", MessagePassing, floats("length", 8), ids(2, "sequence", below=5))
add("graph-attention", GraphAttention, floats("length", 8), ids(2, "sequence", below=5))
add("graph-pool", Pool, floats("length", "features"), ids("length", below=3))

# ---- sounds -------------------------------------------------------------------------------------------


class MelFront(nn.Module):
    """Whisper: a spectrogram, a bank, the logarithm, the largest."""

    def __init__(self):
        super().__init__()
        self.register_buffer("window", torch.hann_window(64))
        self.register_buffer("bank", torch.rand(10, 33))

    def forward(self, x):
        s = torch.stft(x, 64, 16, window=self.window, return_complex=True)
        power = s[..., :-1].abs() ** 2
        mel = self.bank @ power
        log = torch.clamp(mel, min=1e-10).log10()
        log = torch.maximum(log, log.amax((1, 2), keepdim=True) - 8.0)
        return (log + 4.0) / 4.0


class ConvStft(nn.Module):
    def __init__(self):
        super().__init__()
        n = torch.arange(64.0)
        k = torch.arange(33.0)[:, None]
        basis = torch.cat([torch.cos(2 * math.pi * k * n / 64), -torch.sin(2 * math.pi * k * n / 64)])
        self.register_buffer("basis", basis[:, None] * torch.hann_window(64))

    def forward(self, x):
        b, t = x.shape
        x = F.pad(x.view(b, 1, 1, t), (32, 32, 0, 0), mode="reflect").squeeze(1)
        y = F.conv1d(x, self.basis, stride=16)
        real, imag = y[:, :33], y[:, 33:]
        return torch.sqrt(real**2 + imag**2), torch.atan2(imag, real + 1e-3).cos()


class Subsample(nn.Module):
    """Speech: two strided convolutions, features and channels flattened, lengths halved twice."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(1, 4, 3, 2), nn.ReLU(), nn.Conv2d(4, 4, 3, 2), nn.ReLU())
        self.out = nn.Linear(4 * 3, 8)

    def forward(self, x, lengths):
        x = self.conv(x.unsqueeze(1))
        b, c, t, f = x.size()
        x = self.out(x.transpose(1, 2).contiguous().view(b, t, c * f))
        lengths = ((lengths - 1) // 2 - 1) // 2
        mask = torch.arange(t)[None, :] < lengths[:, None]
        return x * mask.unsqueeze(-1).to(x.dtype), lengths


class CtcHead(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(16, 6)

    def forward(self, x, lengths):
        logp = F.log_softmax(self.lin(x), dim=-1)
        best = logp.argmax(-1)
        previous = F.pad(best[:, :-1], (1, 0), value=-1.0)
        keep = (best != previous) & (best != 0)
        keep = keep & (torch.arange(x.size(1))[None, :] < lengths[:, None])
        return torch.where(keep, best, torch.full_like(best, -1)), keep.sum(-1)


class LengthRegulator(nn.Module):
    """FastSpeech: frames of each token, to a length that is given."""

    def forward(self, x, durations, frames):
        ends = durations.cumsum(1)
        t = frames.size(1)
        index = (torch.arange(t)[None, :, None] >= ends[:, None, :]).sum(-1).clamp(max=x.size(1) - 1)
        return x.gather(1, index.unsqueeze(-1).expand(-1, -1, x.size(2)))


add("mel-front", MelFront, floats("batch", "samples"))
add("conv-stft", ConvStft, floats("batch", "samples"))
add("subsample", Subsample, floats("batch", "length", 16), ids("batch"), least=8)
add("ctc-head", CtcHead, tokens(), ids("batch", below=8))
add("length-regulator", LengthRegulator, FREE_TOKENS, ids("batch", "sequence", below=4), floats("batch", "time"))

# ---- steps of time ------------------------------------------------------------------------------------


class ConvLSTM(nn.Module):
    """Four pictures, one after the other."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3 + 4, 16, 3, padding=1)

    def forward(self, x):
        b, t, c, h, w = x.size()
        hidden, cell = torch.zeros(b, 4, h, w), torch.zeros(b, 4, h, w)
        out = []
        for i in range(4):
            z = self.conv(torch.cat([x[:, i], hidden], 1))
            ci, cf, co, cg = torch.split(z, 4, dim=1)
            cell = torch.sigmoid(cf) * cell + torch.sigmoid(ci) * torch.tanh(cg)
            hidden = torch.sigmoid(co) * torch.tanh(cell)
            out.append(hidden)
        return torch.stack(out, 1)


class WholeFrames(nn.Module):
    """A convolution behind as many samples as its last frame lacks."""

    def __init__(self, size, stride):
        super().__init__()
        self.conv = nn.Conv1d(4, 4, size, stride)
        for name, number in (("size", size), ("stride", stride), ("pad", size - stride)):
            self.register_buffer(name, torch.tensor(number))

    def forward(self, x):
        length = x.shape[-1]
        frames = torch.ceil((length - self.size + self.pad) / self.stride + 1).to(torch.int64) - 1
        missing = frames * self.stride + self.size - self.pad - length
        return self.conv(F.pad(x, (int(self.pad), int(missing)), mode="reflect"))


class Codec(nn.Module):
    """Down and up again, with residuals behind what was cut off."""

    def __init__(self):
        super().__init__()
        self.down, self.up = WholeFrames(8, 4), nn.ConvTranspose1d(4, 4, 8, 4)
        self.block = nn.Sequential(WholeFrames(3, 1), nn.ELU(), WholeFrames(1, 1))

    def forward(self, x):
        x = self.up(self.down(x))
        x = x[..., :x.shape[-1] - 4]
        return x + self.block(x)


class WaveNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.start = nn.Conv1d(4, 8, 1)
        self.layers = nn.ModuleList([nn.Conv1d(8, 16, 2, dilation=2**i) for i in range(3)])
        self.skips = nn.ModuleList([nn.Conv1d(8, 4, 1) for i in range(3)])
        self.res = nn.ModuleList([nn.Conv1d(8, 8, 1) for i in range(3)])

    def forward(self, x):
        x = self.start(x)
        skip = torch.zeros(x.size(0), 4, 1)
        for i, (layer, s, r) in enumerate(zip(self.layers, self.skips, self.res)):
            y = layer(F.pad(x, (2**i, 0)))
            a, b = y.chunk(2, dim=1)
            y = torch.tanh(a) * torch.sigmoid(b)
            new = s(y)
            skip = skip[:, :, -new.size(2):] + new
            x = r(y) + x[:, :, -y.size(2):]
        return F.relu(skip)


class WaveNetValid(nn.Module):
    """Without pads: what is skipped is cut to the end."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Conv1d(4, 8, 2, dilation=1), nn.Conv1d(8, 8, 2, dilation=2)

    def forward(self, x):
        y = self.a(x)
        z = self.b(y)
        return z + y[:, :, -z.size(2):] + y[..., y.size(-1) - z.size(-1):]


class ConformerConv(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.p1 = nn.LayerNorm(16), nn.Conv1d(16, 32, 1)
        self.dw = nn.Conv1d(16, 16, 7, padding=3, groups=16)
        self.bn, self.p2 = nn.BatchNorm1d(16), nn.Conv1d(16, 16, 1)

    def forward(self, x, mask):
        y = self.norm(x).transpose(1, 2)
        y = F.glu(self.p1(y), dim=1)
        y = y.masked_fill(~mask.unsqueeze(1), 0.0)
        y = self.p2(F.silu(self.bn(self.dw(y)))).transpose(1, 2)
        return x + y


def crf_scores(x):
    """Viterbi's first part over four steps."""
    t = torch.arange(25.0).view(5, 5) / 25
    score = x[:, 0]
    for i in range(1, 4):
        score = (score.unsqueeze(2) + t).logsumexp(1) + x[:, i]
    return score.logsumexp(1)


class SelectiveScan(nn.Module):
    """Mamba by cumulative sums of logarithms."""

    def __init__(self):
        super().__init__()
        self.dt = nn.Linear(8, 8)
        self.conv = nn.Conv1d(8, 8, 4, groups=8, padding=3)

    def forward(self, x):
        b, l, d = x.shape
        u = F.silu(self.conv(x.transpose(1, 2))[..., :l].transpose(1, 2))
        a = -F.softplus(self.dt(u))
        s = torch.cumsum(a, 1)
        later = torch.tril(torch.ones(l, l, dtype=torch.bool))[None, :, :, None]
        decay = torch.where(later, s.unsqueeze(2) - s.unsqueeze(1), float("-inf")).exp()
        return torch.einsum("btsd,bsd->btd", decay, u)


add("conv-lstm", ConvLSTM, floats("batch", 4, 3, "height", "width"))
add("codec", Codec, floats("batch", 4, "samples"))
add("wave-net", WaveNet, floats("batch", 4, "length"), script=False)
add("wave-net-valid", WaveNetValid, floats("batch", 4, "length"))
add("conformer-conv", ConformerConv, tokens(), flags("batch", "sequence"))
call("crf-scores", crf_scores, floats("batch", "sequence", 5), least=4)
add("selective-scan", SelectiveScan, tokens(8))
