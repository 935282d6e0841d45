"""Programs about sizes, layouts, arguments and outputs."""

from typing import NamedTuple

import torch
from torch import nn
from torch.nn import functional

from program import Program


def floats(*dims):
    return lambda b, s: tuple(torch.randn(*(b if d == "b" else s if d == "s" else d for d in dim)) for dim in dims)


class Block(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.up, self.norm = nn.Linear(width, 2 * width), nn.LayerNorm(2 * width)
        self.down = nn.Linear(2 * width, width)

    def forward(self, x):
        return x + self.down(torch.tanh(self.norm(self.up(x))))


class Mlp(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(Block() for _ in range(3))
        self.head = nn.Sequential(nn.Linear(8, 4), nn.Sigmoid())

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(x)


class Convolutional(nn.Module):
    """Convolutions with norms, pooling and a head."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1, bias=False), nn.BatchNorm2d(8), nn.ReLU())
        self.deep = nn.Sequential(nn.Conv2d(8, 8, 3, padding=1, groups=8), nn.Conv2d(8, 16, 1), nn.Hardswish())
        self.pool, self.head = nn.AdaptiveAvgPool2d(1), nn.Linear(16, 5)

    def forward(self, x):
        x = functional.max_pool2d(self.stem(x), 2, ceil_mode=True)
        return self.head(torch.flatten(self.pool(self.deep(x)), 1))


class Residual(nn.Module):
    def __init__(self, width, stride=1):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(width, width, 3, stride, 1, bias=False), nn.BatchNorm2d(width)
        self.conv2, self.bn2 = nn.Conv2d(width, width, 3, 1, 1, bias=False), nn.BatchNorm2d(width)
        self.short = nn.Sequential(nn.Conv2d(width, width, 1, stride, bias=False), nn.BatchNorm2d(width))

    def forward(self, x):
        y = self.bn2(self.conv2(functional.relu(self.bn1(self.conv1(x)), inplace=True)))
        y += self.short(x)
        return torch.relu(y)


class Resnet(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 7, 2, 3)
        self.layer1 = nn.Sequential(Residual(8), Residual(8))
        self.layer2 = nn.Sequential(Residual(8, 2), Residual(8))
        self.fc = nn.Linear(8, 4)

    def forward(self, x):
        x = self.layer2(self.layer1(self.stem(x)))
        return self.fc(x.mean((2, 3)))


class Recurrent(nn.Module):
    def __init__(self, kind, **options):
        super().__init__()
        self.steps = kind(6, 5, batch_first=True, **options)
        self.head = nn.Linear(5 * (2 if options.get("bidirectional") else 1), 3)

    def forward(self, x):
        outputs, state = self.steps(x)
        return self.head(outputs), state


class Interpolated(nn.Module):
    def forward(self, x):
        up = functional.interpolate(x, scale_factor=2.0, mode="nearest")
        smooth = functional.interpolate(x, scale_factor=1.5, mode="bilinear", align_corners=False)
        fixed = functional.interpolate(x, size=(7, 9), mode="bilinear", align_corners=True)
        like = functional.interpolate(x[:, :, ::2, ::2], size=x.shape[-2:], mode="nearest")
        return up, smooth, fixed, like


class Rearranged(nn.Module):
    """Reshapes as of einops: splitting heads, patches and back."""

    def forward(self, x, y):
        b, s, w = x.shape
        heads = x.reshape(b, s, 4, w // 4).permute(0, 2, 1, 3)
        merged = heads.permute(0, 2, 1, 3).reshape(b, s, w)
        flat = x.reshape(b * s, w).reshape(b, s, 2, -1).sum(-1)
        return merged + y.unsqueeze(1).expand(b, s, w), flat, torch.einsum("bhsd,bhtd->bhst", heads, heads)


class Patches(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(3 * 4, 6)

    def forward(self, x):
        b, c, h, w = x.shape
        x = x.reshape(b, c, h // 2, 2, w // 2, 2).permute(0, 2, 4, 3, 5, 1).reshape(b, (h // 2) * (w // 2), 4 * c)
        return self.project(x)


class Pair(NamedTuple):
    left: torch.Tensor
    right: torch.Tensor


torch.utils._pytree._register_namedtuple(Pair, serialized_type_name="programs.Pair")


class Outputs(nn.Module):
    """A dict, a tuple, a NamedTuple, None and a number."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(6, 6)

    def forward(self, x, y):
        z = self.layer(x)
        return {"z": z, "parts": (z + y, None, [x * 2]), "pair": Pair(z.sum(-1), y), "size": x.shape[0] + 1}


class Keywords(nn.Module):
    """Keywords, dicts, lists, numbers and None."""

    def forward(self, x, items, factor, missing=None, *, scale, table):
        y = x * factor + items[0] - items[1]["a"]
        y = y if missing is None else y + missing
        return y * scale + table["u"]["v.w"]


def keywords(b, s):
    return (torch.randn(b, s), [torch.randn(b, s), {"a": torch.randn(b, s)}], 3), {
        "scale": torch.randn(s), "table": {"u": {"v.w": torch.randn(b, 1)}}}


class Variadic(nn.Module):
    def forward(self, *tensors, weight):
        return sum(tensors) * weight, torch.cat(tensors, 1)


class Sizes(nn.Module):
    """Arithmetic of sizes: halves, maxima, powers, and numbers that become tensors."""

    def forward(self, x, y):
        b, s = x.shape
        positions = torch.arange(s).unsqueeze(0) + b
        half = x[:, : (s + 1) // 2]
        joined = torch.cat([x, y, x[:, :1]], 1)
        scaled = x / (s ** 0.5) + torch.full((b, s), s / (b + 1))
        zeros = torch.zeros(b, max(s - 2, 3)) + torch.ones(b, 1)
        return positions, half, joined, scaled, zeros, joined.reshape(-1), x.new_ones(2 * b, min(s, 4))


class Pooled(nn.Module):
    def forward(self, x):
        return (functional.avg_pool2d(x, 3, 2, ceil_mode=True, count_include_pad=False),
                functional.max_pool2d(x, 2), functional.pad(x, (1, 2, 0, 1)), functional.adaptive_avg_pool2d(x, (2, 3)),
                functional.unfold(x, 2), functional.pixel_shuffle(x, 2))


class Complex(nn.Module):
    """Rotary embedding as complex numbers, and a spectrum."""

    def __init__(self):
        super().__init__()
        self.register_buffer("angles", torch.randn(32, 4))

    def forward(self, x):
        turned = torch.polar(torch.ones_like(self.angles), self.angles)[: x.shape[1]]
        pairs = torch.view_as_complex(x.reshape(*x.shape[:-1], 4, 2))
        return torch.view_as_real(pairs * turned).flatten(2), torch.fft.rfft(x, dim=-1).abs()


class Detection(nn.Module):
    """A detection head: scores, the best positions, and their boxes."""

    def __init__(self):
        super().__init__()
        self.scores, self.boxes = nn.Conv2d(3, 2, 3, padding=1), nn.Conv2d(3, 8, 3, padding=1)

    def forward(self, x):
        scores = self.scores(x).flatten(1).sigmoid()
        boxes = self.boxes(x).reshape(x.shape[0], 2, 4, x.shape[2], x.shape[3]).permute(0, 1, 3, 4, 2).reshape(
            x.shape[0], -1, 4)
        best, where = scores.topk(5, 1)
        chosen = boxes.gather(1, where.unsqueeze(-1).expand(-1, -1, 4))
        middle, half = chosen[..., :2], chosen[..., 2:].exp() / 2
        corners = torch.cat([middle - half, middle + half], -1)
        return best, where, corners.clamp(0, 1)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)
        self.norm = nn.LayerNorm(8)

    def forward(self, x, mask):
        y, weights = self.attention(x, x, x, attn_mask=mask)
        return self.norm(x + y), weights


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.word, self.place = nn.Embedding(11, 8), nn.Embedding(64, 8)
        self.body = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, 0.0, batch_first=True), 2,
                                          enable_nested_tensor=False)

    def forward(self, ids):
        x = self.word(ids) + self.place(torch.arange(ids.shape[1], device=ids.device))
        causal = torch.triu(torch.full((ids.shape[1], ids.shape[1]), float("-inf")), 1)
        return self.body(x, mask=causal, is_causal=True)


class Constants(nn.Module):
    """Tensors that are no attributes, and attributes that are no buffers."""

    def __init__(self):
        super().__init__()
        self.plain = torch.randn(6)
        self.register_buffer("kept", torch.randn(6), persistent=False)

    def forward(self, x):
        return x * torch.tensor([1.0, -1.0, 0.5, 2.0, 0.0, 3.0]) + self.plain - self.kept


class Norms(nn.Module):
    def __init__(self):
        super().__init__()
        self.group, self.instance, self.rms = nn.GroupNorm(2, 4), nn.InstanceNorm1d(4, affine=True), nn.RMSNorm(6)
        self.drop, self.prelu = nn.Dropout(0.3), nn.PReLU(4)

    def forward(self, x):
        return self.rms(self.prelu(self.drop(self.instance(self.group(x)))))


def images(*dims):
    return lambda b, h, w: (torch.randn(b, *dims, h, w),)


STEPS = ((2, 6), (1, 6), (5, 6))  # PyTorch counts the steps of recurrent layers
IMAGES = ((2, 16, 20), (1, 16, 16), (3, 24, 12))

PROGRAMS = (
    Program("mlp", Mlp, floats(("b", "s", 8))),
    Program("convolutional", Convolutional, images(3), IMAGES),
    Program("resnet", Resnet, images(3), IMAGES),
    Program("lstm", lambda: Recurrent(nn.LSTM, num_layers=2), floats(("b", "s", 6)), STEPS),
    Program("gru", lambda: Recurrent(nn.GRU, bidirectional=True), floats(("b", "s", 6)), STEPS),
    Program("interpolated", Interpolated, images(2), ((2, 6, 8), (1, 4, 4), (3, 10, 6))),
    Program("rearranged", Rearranged, floats(("b", "s", 8), ("b", 8))),
    Program("patches", Patches, images(3), IMAGES),
    Program("outputs", Outputs, floats(("b", 6), ("b", 6)), twin=False),
    Program("keywords", Keywords, keywords, twin=False),
    Program("variadic", Variadic, lambda b, s: ((torch.randn(b, s), torch.randn(b, s)), {"weight": torch.randn(b, 1)}),
            twin=False),
    Program("sizes", Sizes, floats(("b", "s"), ("b", "s")), twin=False),
    Program("pooled", Pooled, images(4), ((2, 8, 10), (1, 5, 5), (3, 12, 7))),
    Program("complex", Complex, floats(("b", "s", 8))),
    Program("detection", Detection, images(3), ((2, 6, 8), (1, 4, 4), (3, 5, 9))),
    Program("attention", Attention, lambda b, s: (torch.randn(b, s, 8), torch.randn(s, s))),
    Program("encoder", Encoder, lambda b, s: (torch.randint(0, 11, (b, s)),)),
    Program("constants", Constants, floats(("b", 6))),
    Program("norms", Norms, floats(("b", 4, 6))),
)
