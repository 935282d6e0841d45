"""Dense prediction: pyramids, windows, attention of neighbours, volumes, detectors, filters."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from writing import FREE_IMAGE, Idioms, floats, ids, image

IDIOMS = Idioms()
call, add = IDIOMS.call, IDIOMS.add

# ---- pyramids and heads -------------------------------------------------------------------------------


class TopDown(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1, self.c2, self.c3 = nn.Conv2d(3, 4, 3, 2, 1), nn.Conv2d(4, 6, 3, 2, 1), nn.Conv2d(6, 8, 3, 2, 1)
        self.lateral = nn.ModuleList([nn.Conv2d(4, 5, 1), nn.Conv2d(6, 5, 1), nn.Conv2d(8, 5, 1)])

    def forward(self, x):
        a = self.c1(x)
        b = self.c2(F.relu(a))
        c = self.c3(F.relu(b))
        features = [a, b, c]
        laterals = []
        for i, layer in enumerate(self.lateral):
            laterals.append(layer(features[i]))
        for i in range(2, 0, -1):
            size = laterals[i - 1].shape[2:]
            laterals[i - 1] = laterals[i - 1] + F.interpolate(laterals[i], size=size, mode="nearest")
        return laterals[0], laterals[1], F.max_pool2d(laterals[2], 1, 2)


class TiledUp(nn.Module):
    """A vector on every place of a picture, as DeepLab's pooled branch."""

    def __init__(self):
        super().__init__()
        self.pool, self.conv = nn.AdaptiveAvgPool2d(1), nn.Conv2d(3, 4, 1)

    def forward(self, x):
        size = x.shape[-2:]
        y = F.relu(self.conv(self.pool(x)))
        y = F.interpolate(y, size=size, mode="bilinear", align_corners=False)
        return torch.cat([x, y], 1)


def crop_to_other(x, y):
    """U-Net of old: the larger one is cropped at the middle."""
    dh, dw = (x.size(2) - y.size(2)) // 2, (x.size(3) - y.size(3)) // 2
    return torch.cat([x[:, :, dh:dh + y.size(2), dw:dw + y.size(3)], y], 1)


class CropSkip(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.up = nn.Conv2d(3, 4, 3), nn.Conv2d(4, 4, 3), nn.ConvTranspose2d(4, 4, 2, 2)

    def forward(self, x):
        a = self.a(x)
        b = self.up(self.b(F.max_pool2d(a, 2)))
        return crop_to_other(a, b)


add("top-down", TopDown, image())
add("tiled-up", TiledUp, image())
add("crop-skip", CropSkip, image(), least=12)

# ---- attention of places ------------------------------------------------------------------------------


def window_partition(x, size: int):
    b, h, w, c = x.shape
    x = x.view(b, h // size, size, w // size, size, c)
    return x.permute(0, 1, 3, 2, 4, 5).contiguous().view(-1, size, size, c)


def window_reverse(windows, size: int, h: int, w: int):
    b = int(windows.shape[0] / (h * w / size / size))
    x = windows.view(b, h // size, w // size, size, size, -1)
    return x.permute(0, 1, 3, 2, 4, 5).contiguous().view(b, h, w, -1)


class SwinBlock(nn.Module):
    """Windows with a mask for what was shifted, written for every picture."""

    def __init__(self, dim=8, heads=2, window=4, shift=2):
        super().__init__()
        self.heads, self.window, self.shift, self.scale = heads, window, shift, (dim // heads) ** -0.5
        self.qkv, self.proj, self.norm = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim), nn.LayerNorm(dim)
        self.table = nn.Parameter(torch.randn((2 * window - 1) ** 2, heads))
        coords = torch.stack(torch.meshgrid(torch.arange(window), torch.arange(window), indexing="ij")).flatten(1)
        relative = (coords[:, :, None] - coords[:, None, :]).permute(1, 2, 0) + window - 1
        relative[:, :, 0] *= 2 * window - 1
        self.register_buffer("index", relative.sum(-1))

    def forward(self, x):
        b, h, w, c = x.shape
        pad_r = (self.window - w % self.window) % self.window
        pad_b = (self.window - h % self.window) % self.window
        shortcut = x
        x = F.pad(self.norm(x), (0, 0, 0, pad_r, 0, pad_b))
        hp, wp = x.shape[1], x.shape[2]
        mask = torch.zeros((1, hp, wp, 1), device=x.device)
        count = 0
        for hs in ((0, -self.window), (-self.window, -self.shift), (-self.shift, hp)):
            for ws in ((0, -self.window), (-self.window, -self.shift), (-self.shift, wp)):
                mask[:, hs[0]:hs[1], ws[0]:ws[1], :] = count
                count += 1
        mask = window_partition(mask, self.window).view(-1, self.window * self.window)
        mask = mask.unsqueeze(1) - mask.unsqueeze(2)
        mask = mask.masked_fill(mask != 0, -100.0).masked_fill(mask == 0, 0.0)
        x = torch.roll(x, shifts=(-self.shift, -self.shift), dims=(1, 2))
        windows = window_partition(x, self.window).view(-1, self.window * self.window, c)
        bn, n, _ = windows.shape
        qkv = self.qkv(windows).reshape(bn, n, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        q, k, v = qkv[0] * self.scale, qkv[1], qkv[2]
        attn = q @ k.transpose(-2, -1)
        bias = self.table[self.index.view(-1)].view(n, n, -1).permute(2, 0, 1).contiguous()
        attn = attn + bias.unsqueeze(0)
        nw = mask.shape[0]
        attn = attn.view(bn // nw, nw, self.heads, n, n) + mask.unsqueeze(1).unsqueeze(0)
        attn = attn.view(-1, self.heads, n, n).softmax(-1)
        x = self.proj((attn @ v).transpose(1, 2).reshape(bn, n, c))
        x = window_reverse(x.view(-1, self.window, self.window, c), self.window, hp, wp)
        x = torch.roll(x, shifts=(self.shift, self.shift), dims=(1, 2))
        return shortcut + x[:, :h, :w, :].contiguous()


class DecomposedBias(nn.Module):
    """SAM / ViTDet: relative positions of rows and columns, resized to the picture."""

    def __init__(self, dim=8):
        super().__init__()
        self.qkv = nn.Linear(dim, 3 * dim)
        self.rel_h, self.rel_w = nn.Parameter(torch.randn(31, dim)), nn.Parameter(torch.randn(31, dim))

    def positions(self, q_size: int, table):
        length = 2 * q_size - 1
        resized = F.interpolate(table.reshape(1, table.shape[0], -1).permute(0, 2, 1), size=length, mode="linear")
        resized = resized.reshape(-1, length).permute(1, 0)
        q = torch.arange(q_size)[:, None]
        k = torch.arange(q_size)[None, :]
        return resized[(q - k + (q_size - 1)).long()]

    def forward(self, x):
        b, h, w, c = x.shape
        q, k, v = self.qkv(x).reshape(b, h * w, 3, c).permute(2, 0, 1, 3).unbind(0)
        attn = (q * c**-0.5) @ k.transpose(-2, -1)
        rq = q.reshape(b, h, w, c)
        rh = torch.einsum("bhwc,hkc->bhwk", rq, self.positions(h, self.rel_h))
        rw = torch.einsum("bhwc,wkc->bhwk", rq, self.positions(w, self.rel_w))
        attn = (attn.view(b, h, w, h, w) + rh[:, :, :, :, None] + rw[:, :, :, None, :]).view(b, h * w, h * w)
        return (attn.softmax(-1) @ v).view(b, h, w, -1)


class NonLocal(nn.Module):
    def __init__(self):
        super().__init__()
        self.theta, self.phi, self.g = (nn.Conv2d(4, 2, 1) for _ in range(3))
        self.out = nn.Conv2d(2, 4, 1)
        self.pool = nn.MaxPool2d(2)

    def forward(self, x):
        b = x.size(0)
        g = self.pool(self.g(x)).view(b, 2, -1).permute(0, 2, 1)
        theta = self.theta(x).view(b, 2, -1).permute(0, 2, 1)
        phi = self.pool(self.phi(x)).view(b, 2, -1)
        f = torch.matmul(theta, phi)
        f = f / f.size(-1)
        y = torch.matmul(f, g).permute(0, 2, 1).contiguous().view(b, 2, *x.size()[2:])
        return self.out(y) + x


class NeighbourhoodAttention(nn.Module):
    """Each pixel attends to seven by seven around it."""

    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = nn.Conv2d(4, 4, 1), nn.Conv2d(4, 4, 1), nn.Conv2d(4, 4, 1)

    def forward(self, x):
        b, c, h, w = x.shape
        q = self.q(x).view(b, c, 1, h * w)
        k = F.unfold(self.k(x), 3, padding=1).view(b, c, 9, h * w)
        v = F.unfold(self.v(x), 3, padding=1).view(b, c, 9, h * w)
        a = (q * k).sum(1, keepdim=True).softmax(2)
        return (a * v).sum(2).view(b, c, h, w)


class DeformableLike(nn.Module):
    """Offsets around reference points, by grid_sample."""

    def __init__(self):
        super().__init__()
        self.value, self.offset, self.weight = nn.Linear(8, 8), nn.Linear(8, 16), nn.Linear(8, 8)

    def forward(self, query, feature):
        n, q, c = query.shape
        h, w = feature.shape[-2:]
        value = self.value(feature.flatten(2).transpose(1, 2)).view(n, h * w, 2, 4)
        offsets = self.offset(query).view(n, q, 2, 4, 2)
        weights = self.weight(query).view(n, q, 2, 4).softmax(-1)
        scale = torch.tensor([w, h], dtype=query.dtype)
        ref = query.sigmoid()[..., :2]
        places = ref[:, :, None, None, :] + offsets / scale
        grid = (2 * places - 1).transpose(1, 2).flatten(0, 1)
        v = value.flatten(2).transpose(1, 2).reshape(n * 2, 4, h, w)
        s = F.grid_sample(v, grid, mode="bilinear", padding_mode="zeros", align_corners=False)
        weights = weights.transpose(1, 2).reshape(n * 2, 1, q, 4)
        return (s * weights).sum(-1).view(n, 8, q).transpose(1, 2).contiguous()


add("swin-block", SwinBlock, floats("batch", "height", "width", 8), least=8, fixed=("batch",),
    scripted_fixed=())  # a trace computes the batch of the windows once
add("decomposed-bias", DecomposedBias, floats("batch", "depth", "time", 8))
add("non-local", NonLocal, floats("batch", 4, "depth", "time"), script=False)
add("neighbourhood-attention", NeighbourhoodAttention, image(4))
add("deformable-like", DeformableLike, floats("batch", "sequence", 8), image(8))

# ---- volumes of two pictures --------------------------------------------------------------------------


def correlation_volume(a, b):
    """RAFT: all pairs."""
    n, c, h, w = a.shape
    corr = torch.matmul(a.view(n, c, h * w).transpose(1, 2), b.view(n, c, h * w))
    corr = corr.view(n, h, w, 1, h, w) / torch.sqrt(torch.tensor(c).float())
    corr = corr.reshape(n * h * w, 1, h, w)
    return F.avg_pool2d(corr, 2, stride=2).view(n, h, w, -1)


def cost_volume(left, right):
    """Stereo: one picture moved along the other."""
    n, c, h, w = left.shape
    volume = torch.zeros(n, c * 2, 4, h, w, dtype=left.dtype, device=left.device)
    for i in range(4):
        if i > 0:
            volume[:, :c, i, :, i:] = left[:, :, :, i:]
            volume[:, c:, i, :, i:] = right[:, :, :, :-i]
        else:
            volume[:, :c, i] = left
            volume[:, c:, i] = right
    return volume


def local_correlation(a, b):
    """PWC: neighbours within two pixels."""
    n, c, h, w = a.shape
    padded = F.pad(b, (2, 2, 2, 2))
    out = []
    for i in range(5):
        for j in range(5):
            out.append((a * padded[:, :, i:i + h, j:j + w]).mean(1, keepdim=True))
    return torch.cat(out, 1)


call("correlation-volume", correlation_volume, floats("batch", 4, "depth", "time"),
     floats("batch", 4, "depth", "time"))
call("cost-volume", cost_volume, FREE_IMAGE, FREE_IMAGE)
call("local-correlation", local_correlation, FREE_IMAGE, FREE_IMAGE)

# ---- detectors without suppression --------------------------------------------------------------------


class Detr(nn.Module):
    """Queries that attend to a picture with positions of sines by its size."""

    def __init__(self):
        super().__init__()
        self.backbone, self.queries = nn.Conv2d(3, 16, 4, 4), nn.Parameter(torch.randn(5, 16))
        self.attend = nn.MultiheadAttention(16, 2)
        self.boxes, self.classes = nn.Linear(16, 4), nn.Linear(16, 6)

    def positions(self, x):
        mask = torch.zeros(x.shape[0], x.shape[2], x.shape[3], dtype=torch.bool)
        not_mask = ~mask
        y = not_mask.cumsum(1, dtype=torch.float32)
        z = not_mask.cumsum(2, dtype=torch.float32)
        y = y / (y[:, -1:, :] + 1e-6) * 6.283185307179586
        z = z / (z[:, :, -1:] + 1e-6) * 6.283185307179586
        t = torch.arange(8, dtype=torch.float32)
        t = 10000 ** (2 * torch.div(t, 2, rounding_mode="floor") / 8)
        pz, py = z[:, :, :, None] / t, y[:, :, :, None] / t
        pz = torch.stack((pz[:, :, :, 0::2].sin(), pz[:, :, :, 1::2].cos()), dim=4).flatten(3)
        py = torch.stack((py[:, :, :, 0::2].sin(), py[:, :, :, 1::2].cos()), dim=4).flatten(3)
        return torch.cat((py, pz), dim=3).permute(0, 3, 1, 2)

    def forward(self, x):
        f = self.backbone(x)
        p = self.positions(f)
        b = f.shape[0]
        memory = f.flatten(2).permute(2, 0, 1)
        q = self.queries.unsqueeze(1).repeat(1, b, 1)
        y, _ = self.attend(q, memory + p.flatten(2).permute(2, 0, 1), memory)
        y = y.transpose(0, 1)
        return self.classes(y), self.boxes(y).sigmoid()


class YoloHead(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 2 * 7, 3, 8, 1)
        self.register_buffer("anchors", torch.tensor([[10.0, 13], [16, 30]]))

    def forward(self, x):
        y = self.conv(x)
        bs, _, ny, nx = y.shape
        y = y.view(bs, 2, 7, ny, nx).permute(0, 1, 3, 4, 2).contiguous()
        yv, xv = torch.meshgrid(torch.arange(ny), torch.arange(nx), indexing="ij")
        grid = torch.stack((xv, yv), 2).expand(1, 2, ny, nx, 2) - 0.5
        anchor = (self.anchors.clone()).view(1, 2, 1, 1, 2).expand(1, 2, ny, nx, 2)
        y = y.sigmoid()
        xy = (y[..., 0:2] * 2 + grid) * 8
        wh = (y[..., 2:4] * 2) ** 2 * anchor
        y = torch.cat((xy, wh, y[..., 4:]), -1)
        return y.view(bs, -1, 7)


class YoloInPlace(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 6, 3, 8, 1)

    def forward(self, x):
        y = self.conv(x).permute(0, 2, 3, 1).contiguous().sigmoid()
        ny, nx = y.size(1), y.size(2)
        gx = torch.arange(nx, dtype=x.dtype).repeat(ny, 1).view(1, ny, nx)
        gy = torch.arange(ny, dtype=x.dtype).repeat(nx, 1).t().view(1, ny, nx)
        y[..., 0] = (y[..., 0] + gx) / nx
        y[..., 1] = (y[..., 1] + gy) / ny
        y[..., 2:4] = torch.exp(y[..., 2:4])
        return y.reshape(x.size(0), ny * nx, 6)


class Fcos(nn.Module):
    def __init__(self):
        super().__init__()
        self.c1, self.c2 = nn.Conv2d(3, 4, 3, 4, 1), nn.Conv2d(4, 4, 3, 2, 1)
        self.reg, self.cls = nn.Conv2d(4, 4, 1), nn.Conv2d(4, 5, 1)

    def forward(self, x):
        a = self.c1(x)
        levels = [a, self.c2(a)]
        boxes = []
        scores = []
        stride = 4
        for f in levels:
            h, w = f.shape[-2], f.shape[-1]
            sx = torch.arange(0, w * stride, step=stride, dtype=torch.float32)
            sy = torch.arange(0, h * stride, step=stride, dtype=torch.float32)
            yy, xx = torch.meshgrid(sy, sx, indexing="ij")
            loc = torch.stack((xx.reshape(-1), yy.reshape(-1)), dim=1) + stride // 2
            r = F.relu(self.reg(f)).permute(0, 2, 3, 1).reshape(f.shape[0], -1, 4)
            boxes.append(torch.cat([loc - r[:, :, :2], loc + r[:, :, 2:]], -1))
            scores.append(self.cls(f).permute(0, 2, 3, 1).reshape(f.shape[0], -1, 5).sigmoid())
            stride = stride * 2
        return torch.cat(boxes, 1), torch.cat(scores, 1).max(-1)[0].topk(3, dim=1)[1]


add("detr", Detr, image())
add("yolo-head", YoloHead, image())
add("yolo-in-place", YoloInPlace, image())
add("fcos", Fcos, image())

# ---- filters ------------------------------------------------------------------------------------------


class BlurPool(nn.Module):
    def __init__(self):
        super().__init__()
        a = torch.tensor([1.0, 2, 1])
        k = a[:, None] * a[None, :]
        self.register_buffer("filt", k / k.sum())
        self.pad = nn.ReflectionPad2d([1, 1, 1, 1])

    def forward(self, x):
        filt = self.filt[None, None].repeat(x.shape[1], 1, 1, 1)
        return F.conv2d(self.pad(x), filt, stride=2, groups=x.shape[1])


class StandardizedConv(nn.Conv2d):
    def forward(self, x):
        w = self.weight
        mean, var = w.mean((1, 2, 3), keepdim=True), w.var((1, 2, 3), keepdim=True, unbiased=False)
        w = (w - mean) / torch.sqrt(var + 1e-5)
        # same padding as TensorFlow
        ih, iw = x.size()[-2:]
        ph = max((math.ceil(ih / 2) - 1) * 2 + 3 - ih, 0)
        pw = max((math.ceil(iw / 2) - 1) * 2 + 3 - iw, 0)
        x = F.pad(x, [pw // 2, pw - pw // 2, ph // 2, ph - ph // 2])
        return F.conv2d(x, w, self.bias, 2, 0, 1, 1)


class FourierUnit(nn.Module):
    """FFC."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(8, 8, 1)

    def forward(self, x):
        b = x.size(0)
        r = x.size()[-2:]
        f = torch.fft.rfftn(x, dim=(-2, -1), norm="ortho")
        f = torch.stack((f.real, f.imag), dim=-1).permute(0, 1, 4, 2, 3).contiguous()
        f = f.view((b, -1) + f.size()[3:])
        f = F.relu(self.conv(f))
        f = f.view((b, -1, 2) + f.size()[2:]).permute(0, 1, 3, 4, 2).contiguous()
        return torch.fft.irfftn(torch.complex(f[..., 0], f[..., 1]), s=r, dim=(-2, -1), norm="ortho")


class FourierUnitScript(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(8, 8, 1)

    def forward(self, x):
        b, c, h, w = x.shape
        f = torch.fft.rfft2(x, norm="ortho")
        f = torch.view_as_real(f).permute(0, 1, 4, 2, 3).reshape(b, 2 * c, h, -1)
        f = F.relu(self.conv(f)).view(b, c, 2, h, -1).permute(0, 1, 3, 4, 2).contiguous()
        return torch.fft.irfft2(torch.view_as_complex(f), s=(h, w), norm="ortho")


def haar(x):
    """A wavelet by slices: four bands."""
    x01, x02 = x[:, :, 0::2, :] / 2, x[:, :, 1::2, :] / 2
    x1, x2, x3, x4 = x01[:, :, :, 0::2], x02[:, :, :, 0::2], x01[:, :, :, 1::2], x02[:, :, :, 1::2]
    return torch.cat((x1 + x2 + x3 + x4, -x1 - x2 + x3 + x4, -x1 + x2 - x3 + x4, x1 - x2 - x3 + x4), 1)


def inverse_haar(x):
    n, c, h, w = x.size()
    o = c // 4
    x1, x2, x3, x4 = x[:, :o] / 2, x[:, o:2 * o] / 2, x[:, 2 * o:3 * o] / 2, x[:, 3 * o:4 * o] / 2
    out = torch.zeros([n, o, h * 2, w * 2], dtype=torch.float32, device=x.device)
    out[:, :, 0::2, 0::2] = x1 - x2 - x3 + x4
    out[:, :, 1::2, 0::2] = x1 - x2 + x3 - x4
    out[:, :, 0::2, 1::2] = x1 + x2 - x3 - x4
    out[:, :, 1::2, 1::2] = x1 + x2 + x3 + x4
    return out


class TimeSteps(nn.Module):
    """Diffusion: steps as sines, on every pixel."""

    def __init__(self):
        super().__init__()
        self.lin, self.conv = nn.Linear(8, 8), nn.Conv2d(3, 8, 3, padding=1)

    def forward(self, x, t):
        half = 4
        f = torch.exp(-math.log(10000) * torch.arange(0, half, dtype=torch.float32) / (half - 1))
        a = t[:, None].float() * f[None, :]
        e = torch.cat([torch.sin(a), torch.cos(a)], -1)
        e = F.pad(e, (0, 8 - e.shape[-1]))
        scale, shift = self.lin(F.silu(e))[:, :, None, None].chunk(2, dim=1)
        h = self.conv(x)
        return torch.cat([h[:, :4] * (1 + scale) + shift, h[:, 4:]], 1)


add("blur-pool", BlurPool, FREE_IMAGE, fixed=("channels",), script=False)
add("standardized-conv", lambda: StandardizedConv(3, 4, 3), image())
add("fourier-unit", FourierUnit, image(4), script=False)
add("fourier-unit-scripted", FourierUnitScript, image(4))
call("haar", haar, FREE_IMAGE, multiple=2)
call("inverse-haar", inverse_haar, image(8))
add("time-steps", TimeSteps, image(), ids("batch"))
