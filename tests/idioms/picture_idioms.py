"""What is done to pictures: gradients, filters, warps, augmentations, heatmaps, losses."""

import torch
import torch.nn.functional as F
from torch import nn

from writing import FREE_IMAGE, Idioms, flags, floats, image

IDIOMS = Idioms()
call, add = IDIOMS.call, IDIOMS.add

# ---- filters ------------------------------------------------------------------------------------------


class Sobel(nn.Module):
    def __init__(self):
        super().__init__()
        kernel = torch.tensor([[1.0, 0, -1], [2, 0, -2], [1, 0, -1]])
        self.register_buffer("kernel", torch.stack([kernel, kernel.t()])[:, None])

    def forward(self, x):
        gray = x.mean(1, keepdim=True)
        edges = F.conv2d(F.pad(gray, (1, 1, 1, 1), mode="replicate"), self.kernel)
        return edges.pow(2).sum(1, keepdim=True).add(1e-6).sqrt()


class GaussianBlur(nn.Module):
    def __init__(self):
        super().__init__()
        x = torch.arange(5.0) - 2
        kernel = torch.exp(-x**2 / 2)
        kernel = torch.outer(kernel, kernel)
        self.register_buffer("kernel", (kernel / kernel.sum()).expand(3, 1, 5, 5).contiguous())

    def forward(self, x):
        return F.conv2d(F.pad(x, (2, 2, 2, 2), mode="reflect"), self.kernel, groups=3)


class LocalContrast(nn.Module):
    """Each pixel by mean and deviation of its neighbourhood."""

    def forward(self, x):
        mean = F.avg_pool2d(x, 5, 1, 2, count_include_pad=False)
        square = F.avg_pool2d(x * x, 5, 1, 2, count_include_pad=False)
        return (x - mean) / (square - mean * mean).clamp(min=0).add(1e-4).sqrt()


class StructuralSimilarity(nn.Module):
    def forward(self, x, y):
        mx, my = F.avg_pool2d(x, 3, 1), F.avg_pool2d(y, 3, 1)
        vx, vy = F.avg_pool2d(x**2, 3, 1) - mx**2, F.avg_pool2d(y**2, 3, 1) - my**2
        vxy = F.avg_pool2d(x * y, 3, 1) - mx * my
        n = (2 * mx * my + 0.01**2) * (2 * vxy + 0.03**2)
        d = (mx**2 + my**2 + 0.01**2) * (vx + vy + 0.03**2)
        return torch.clamp((1 - n / d) / 2, 0, 1)


class DarkChannel(nn.Module):
    def forward(self, x):
        return -F.max_pool2d(-x.amin(1, keepdim=True), 3, 1, 1)


class Compressor(nn.Module):
    """A picture to luma and chroma, with chroma at half the size and back."""

    def __init__(self):
        super().__init__()
        self.register_buffer("matrix", torch.tensor(
            [[0.299, 0.587, 0.114], [-0.169, -0.331, 0.5], [0.5, -0.419, -0.081]]))

    def forward(self, x):
        y = torch.einsum("bchw,dc->bdhw", x, self.matrix)
        chroma = F.interpolate(F.avg_pool2d(y[:, 1:], 2, ceil_mode=True), size=y.shape[2:], mode="nearest")
        return torch.cat([y[:, :1], chroma], 1)


def total_variation(x):
    down = (x[:, :, 1:] - x[:, :, :-1]).abs().mean()
    return down + (x[..., 1:] - x[..., :-1]).abs().mean()


def gradients(x):
    dy = F.pad(x[:, :, 1:] - x[:, :, :-1], (0, 0, 0, 1))
    dx = F.pad(x[..., 1:] - x[..., :-1], (0, 1))
    return torch.stack([dy, dx], 2)


def laplacian(x):
    x = F.pad(x, (1, 1, 1, 1), mode="reflect")
    centre = x[:, :, 1:-1, 1:-1]
    return x[:, :, :-2, 1:-1] + x[:, :, 2:, 1:-1] + x[:, :, 1:-1, :-2] + x[:, :, 1:-1, 2:] - 4 * centre


def gram_matrix(x):
    n, c, h, w = x.size()
    x = x.view(n, c, h * w)
    return torch.bmm(x, x.transpose(1, 2)) / (c * h * w)


def gray_by_unbind(x):
    r, g, b = x.unbind(1)
    return (0.2989 * r + 0.587 * g + 0.114 * b).unsqueeze(1)


def hue(x):
    """Colours by their largest and smallest part."""
    r, g, b = x[:, 0], x[:, 1], x[:, 2]
    largest, smallest = x.max(1)[0], x.min(1)[0]
    span = (largest - smallest).clamp(min=1e-6)
    rest = torch.where(largest == g, 2 + (b - r) / span, 4 + (r - g) / span)
    h = torch.where(largest == r, (g - b) / span, rest)
    return torch.stack([(h / 6) % 1.0, span / largest.abs().clamp(min=1e-6), largest], 1)


def normalized_colours(x):
    mean = torch.tensor([0.485, 0.456, 0.406]).view(1, 3, 1, 1)
    deviation = torch.tensor([0.229, 0.224, 0.225]).view(1, 3, 1, 1)
    return (x - mean) / deviation


def stretched(x):
    """Between the smallest and the largest pixel of each picture."""
    flat = x.flatten(1)
    low = flat.min(1)[0].view(-1, 1, 1, 1)
    high = flat.max(1)[0].view(-1, 1, 1, 1)
    return (x - low) / (high - low + 1e-8)


def charbonnier(x, y):
    return torch.sqrt((x - y) ** 2 + 1e-6).mean((1, 2, 3))


def finite(x):
    x = torch.log(x)
    return torch.where(torch.isfinite(x), x, torch.zeros_like(x)), torch.isnan(x), torch.isinf(x)


def absolute(x):
    return x.abs()


def posterize(x):
    return torch.floor(x.clamp(0, 1) * 255 / 32) * 32 / 255


add("sobel", Sobel, image())
add("gaussian-blur", GaussianBlur, image())
add("local-contrast", LocalContrast, FREE_IMAGE)
add("structural-similarity", StructuralSimilarity, FREE_IMAGE, FREE_IMAGE)
add("dark-channel", DarkChannel, FREE_IMAGE)
add("chroma-subsampling", Compressor, image())
call("total-variation", total_variation, FREE_IMAGE)
call("gradients", gradients, FREE_IMAGE)
call("laplacian", laplacian, FREE_IMAGE)
call("gram-matrix", gram_matrix, FREE_IMAGE)
call("gray-by-unbind", gray_by_unbind, image())
call("hue", hue, image())
call("normalized-colours", normalized_colours, image())
call("stretched", stretched, FREE_IMAGE)
call("charbonnier", charbonnier, FREE_IMAGE, FREE_IMAGE)
call("finite", finite, FREE_IMAGE)
call("absolute", absolute, FREE_IMAGE)
call("posterize", posterize, FREE_IMAGE)

# ---- warps --------------------------------------------------------------------------------------------


class SpatialTransformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.locate = nn.Linear(3, 6)

    def forward(self, x):
        theta = self.locate(x.mean((2, 3))).view(-1, 2, 3)
        grid = F.affine_grid(theta, x.size(), align_corners=False)
        return F.grid_sample(x, grid, align_corners=False)


class FlowWarp(nn.Module):
    """Pixels fetched from where a flow points."""

    def forward(self, x, flow):
        h, w = x.size(2), x.size(3)
        rows, columns = torch.arange(h, device=x.device), torch.arange(w, device=x.device)
        y, z = torch.meshgrid(rows, columns, indexing="ij")
        places = torch.stack((z, y), 0).unsqueeze(0).to(x.dtype) + flow
        u = 2.0 * places[:, 0] / max(w - 1, 1) - 1.0
        v = 2.0 * places[:, 1] / max(h - 1, 1) - 1.0
        grid = torch.stack((u, v), 3)
        return F.grid_sample(x, grid, mode="bilinear", padding_mode="border", align_corners=True)


class CoordinateChannels(nn.Module):
    """CoordConv: where a pixel is, as two more channels."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(5, 4, 3, padding=1)

    def forward(self, x):
        b, _, h, w = x.shape
        ys = torch.linspace(-1, 1, h, device=x.device).view(1, 1, h, 1).expand(b, 1, h, w)
        xs = torch.linspace(-1, 1, w, device=x.device).view(1, 1, 1, w).expand(b, 1, h, w)
        return self.conv(torch.cat([x, ys, xs], 1))


def soft_argmax(x):
    """Where a heatmap is, on the average."""
    b, k, h, w = x.shape
    p = x.flatten(2).softmax(-1).view(b, k, h, w)
    ys = torch.arange(h, dtype=x.dtype, device=x.device)
    xs = torch.arange(w, dtype=x.dtype, device=x.device)
    return torch.stack([(p.sum(2) * xs).sum(-1), (p.sum(3) * ys).sum(-1)], -1)


def peaks(heat):
    """CenterNet: local maxima, the best of them, and where they are."""
    kept = heat * (F.max_pool2d(heat, 3, 1, 1) == heat).float()
    scores, index = kept.flatten(2).topk(5)
    w = heat.size(3)
    return scores, torch.div(index, w, rounding_mode="floor"), index % w


def at_peaks(features, heat):
    """The features at the strongest place of each heatmap."""
    index = heat.flatten(2).argmax(2)
    flat = features.flatten(2)
    index = index.unsqueeze(1).expand(flat.size(0), flat.size(1), index.size(1))
    return flat.gather(2, index)


add("spatial-transformer", SpatialTransformer, image())
add("flow-warp", FlowWarp, FREE_IMAGE, floats("batch", 2, "height", "width"))
add("coordinate-channels", CoordinateChannels, image())
call("soft-argmax", soft_argmax, FREE_IMAGE)
call("peaks", peaks, FREE_IMAGE)
call("at-peaks", at_peaks, FREE_IMAGE, floats("batch", 5, "height", "width"))

# ---- augmentations and parts --------------------------------------------------------------------------


def center_crop(x):
    top, left = (x.size(2) - 8) // 2, (x.size(3) - 8) // 2
    return x[:, :, top:top + 8, left:left + 8]


def padded_square(x):
    h, w = x.size(2), x.size(3)
    return F.pad(x, (0, (32 - w % 32) % 32, 0, (32 - h % 32) % 32), value=0.5)


def halves_swapped(x):
    a, b = torch.split(x, [x.size(2) // 2, x.size(2) - x.size(2) // 2], 2)
    return torch.cat([b, a], 2)


def left_and_right(x):
    a, b = x.chunk(2, dim=3)
    return torch.cat([b, a], 3)


def masked_patches(x, mask):
    """MAE and the like: places that are blanked."""
    return x * mask.unsqueeze(1).to(x.dtype) + (~mask).unsqueeze(1).to(x.dtype) * x.mean()


def flipped(x):
    return torch.stack([x, x.flip(-1), x.flip(-2), x.rot90(1, (2, 3)).transpose(2, 3)])


def rolled(x):
    return torch.roll(x, (3, -2), (2, 3))


def rolled_by_half(x):
    return torch.roll(x, (x.size(2) // 2, x.size(3) // 2), (2, 3))


def tiled(x):
    return x.repeat(1, 1, 2, 2)[..., ::2, ::2]


def reflected(x):
    return F.pad(x, (3, 3, 3, 3), mode="reflect")


def circular(x):
    return F.pad(x, (2, 2, 2, 2), mode="circular")


class OverlappingCrops(nn.Module):
    """Four crops, whose results are added and divided by how many there are."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 2, 3, padding=1)

    def forward(self, x):
        b, c, h, w = x.shape
        total, count = torch.zeros(b, 2, h, w), torch.zeros(b, 1, h, w)
        for i in range(2):
            for j in range(2):
                y, z = i * (h // 3), j * (w // 3)
                bottom, right = y + h - h // 3, z + w - w // 3
                total[:, :, y:bottom, z:right] += self.conv(x[:, :, y:bottom, z:right])
                count[:, :, y:bottom, z:right] += 1
        return total / count


add("overlapping-crops", OverlappingCrops, image())
call("flipped", flipped, FREE_IMAGE)
call("rolled", rolled, FREE_IMAGE)
call("rolled-by-half", rolled_by_half, FREE_IMAGE)
call("center-crop", center_crop, FREE_IMAGE)
call("padded-to-multiples", padded_square, FREE_IMAGE)
call("halves-swapped", halves_swapped, FREE_IMAGE)
call("left-and-right", left_and_right, FREE_IMAGE)
call("masked-places", masked_patches, FREE_IMAGE, flags("batch", "height", "width"))
call("tiled", tiled, FREE_IMAGE)
call("reflected", reflected, FREE_IMAGE)
call("circular", circular, FREE_IMAGE)

# ---- faces, classes -----------------------------------------------------------------------------------


class ArcFace(nn.Module):
    """Cosines of normalized features and normalized classes."""

    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.act = nn.Conv2d(3, 8, 3, 2, 1, bias=False), nn.BatchNorm2d(8), nn.PReLU(8)
        self.weight = nn.Parameter(torch.randn(5, 8))

    def forward(self, x):
        x = F.normalize(self.act(self.norm(self.conv(x))).mean((2, 3)))
        return F.linear(x, F.normalize(self.weight)).clamp(-1, 1) * 30


class Segmentation(nn.Module):
    """The class of every pixel, at the size of the picture."""

    def __init__(self):
        super().__init__()
        self.encode, self.classify = nn.Conv2d(3, 8, 3, 4, 1), nn.Conv2d(8, 5, 1)

    def forward(self, x):
        scores = self.classify(F.relu6(self.encode(x)))
        scores = F.interpolate(scores, size=x.shape[-2:], mode="bilinear", align_corners=False)
        return scores.argmax(1), F.one_hot(scores.argmax(1), 5).permute(0, 3, 1, 2).float()


class Anchors(nn.Module):
    """Boxes around every cell, moved by what is predicted."""

    def __init__(self):
        super().__init__()
        self.predict = nn.Conv2d(3, 4, 3, 8, 1)

    def forward(self, x):
        moved = self.predict(x)
        h, w = moved.shape[-2:]
        ys = (torch.arange(h, device=x.device, dtype=x.dtype) + 0.5) * 8
        xs = (torch.arange(w, device=x.device, dtype=x.dtype) + 0.5) * 8
        cy, cx = torch.meshgrid(ys, xs, indexing="ij")
        centre = torch.stack([cx, cy], -1).view(1, h * w, 2)
        moved = moved.permute(0, 2, 3, 1).reshape(x.size(0), h * w, 4)
        half = moved[..., 2:].exp() * 4
        return torch.cat([centre + moved[..., :2] - half, centre + moved[..., :2] + half], -1)


add("arc-face", ArcFace, image())
add("segmentation", Segmentation, image())
add("anchors", Anchors, image())
