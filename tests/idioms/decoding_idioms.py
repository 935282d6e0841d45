"""Decoders and encoders of tokens: positions, caches, masks, experts, codebooks, beams."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from writing import FREE_TOKENS, Idioms, flags, floats, ids, tokens

IDIOMS = Idioms()
call, add = IDIOMS.call, IDIOMS.add

# ---- positions ----------------------------------------------------------------------------------------


class RelativeShift(nn.Module):
    """Transformer-XL and Conformer: positions shifted by a pad and a view."""

    def __init__(self):
        super().__init__()
        self.pos = nn.Linear(8, 8, bias=False)

    def forward(self, x):
        b, t, c = x.shape
        p = torch.arange(t - 1, -t, -1, dtype=torch.float32)
        div = torch.exp(torch.arange(0, 8, 2, dtype=torch.float32) * -(math.log(10000.0) / 8))
        pe = torch.cat([torch.sin(p[:, None] * div), torch.cos(p[:, None] * div)], -1)
        s = torch.matmul(x, self.pos(pe).t())
        zero = torch.zeros((b, t, 1), dtype=s.dtype)
        s = torch.cat([zero, s], dim=-1).view(b, 2 * t, t)
        s = s[:, 1:].view(b, t, 2 * t - 1)[:, :, :t]
        return (s + x @ x.transpose(1, 2)).softmax(-1)


def rope_interleaved(x):
    """GPT-J: pairs beside each other."""
    b, h, t, d = x.shape
    inv = 1.0 / (10000 ** (torch.arange(0, 8, 2).float() / 8))
    angle = torch.einsum("i,j->ij", torch.arange(t).float(), inv)
    sin, cos = torch.repeat_interleave(angle.sin(), 2, 1), torch.repeat_interleave(angle.cos(), 2, 1)
    x1, x2 = x[:, :, :, ::2], x[:, :, :, 1::2]
    r = torch.stack((-x2, x1), dim=-1).flatten(-2)
    return x * cos[None, None] + r * sin[None, None]


def rope_complex(x):
    """LLaMA: as complex numbers."""
    b, t, h, d = x.shape
    freqs = 1.0 / (10000.0 ** (torch.arange(0, 8, 2)[:4].float() / 8))
    angles = torch.outer(torch.arange(t, device=x.device), freqs)
    cis = torch.polar(torch.ones_like(angles), angles)
    z = torch.view_as_complex(x.float().reshape(b, t, h, -1, 2))
    return torch.view_as_real(z * cis.view(1, t, 1, 4)).flatten(3).type_as(x)


def rotate_half(x):
    return torch.cat((-x[..., x.shape[-1] // 2:], x[..., :x.shape[-1] // 2]), dim=-1)


def rope_partial(x, positions):
    """GPT-NeoX: the first features turn, by given positions."""
    rot, rest = x[..., :4], x[..., 4:]
    inv = 1.0 / (10000 ** (torch.arange(0, 4, 2).float() / 4))
    angle = positions[:, None, :, None].float() * inv
    emb = torch.cat((angle, angle), -1)
    rot = rot * emb.cos() + rotate_half(rot) * emb.sin()
    return torch.cat((rot, rest), -1)


class Rope2d(nn.Module):
    """By rows and columns of a picture."""

    def forward(self, x):
        b, h, w, c = x.shape
        inv = 1.0 / (100 ** (torch.arange(0, 4, 2).float() / 4))
        ay = torch.arange(h).float()[:, None] * inv
        ax = torch.arange(w).float()[:, None] * inv
        angle = torch.cat([ay[:, None, :].expand(h, w, 2), ax[None, :, :].expand(h, w, 2)], -1)
        emb = angle.repeat_interleave(2, dim=-1)
        y = x.unflatten(-1, (-1, 2)).flip(-1)
        y = torch.stack((-y[..., 0], y[..., 1]), -1).flatten(-2)
        return x * emb.cos() + y * emb.sin()


class BucketedBias(nn.Module):
    """T5: distances by buckets, a table of them."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(32, 2)

    def forward(self, x):
        t = x.shape[1]
        d = torch.arange(t)[None, :] - torch.arange(t)[:, None]
        b = (d > 0).to(torch.long) * 16
        d = torch.abs(d)
        small = d < 8
        large = 8 + (torch.log(d.float() / 8) / math.log(128 / 8) * 8).to(torch.long)
        large = torch.min(large, torch.full_like(large, 15))
        b = b + torch.where(small, d, large)
        bias = self.table(b).permute(2, 0, 1).unsqueeze(0)
        return bias + (x @ x.transpose(1, 2)).unsqueeze(1)


class AlibiSlopes(nn.Module):
    """BLOOM: slopes times positions, counted by a mask."""

    def forward(self, mask):
        b, t = mask.shape
        slopes = torch.pow(torch.tensor(2.0**-2), torch.arange(1, 5, dtype=torch.int32))
        positions = ((mask.cumsum(dim=-1) - 1) * mask)[:, None, :]
        return (slopes[..., None] * positions).reshape(b * 4, 1, t)


class Offsets(nn.Module):
    """RoBERTa: positions counted past the padding."""

    def __init__(self):
        super().__init__()
        self.position = nn.Embedding(300, 8)

    def forward(self, ids):
        mask = ids.ne(1).int()
        positions = (torch.cumsum(mask, dim=1).type_as(mask)) * mask
        return self.position(positions.long() + 1)


add("relative-shift", RelativeShift, tokens(8))
call("rope-interleaved", rope_interleaved, floats("batch", "depth", "sequence", 8))
call("rope-complex", rope_complex, floats("batch", "sequence", "depth", 8))
call("rope-partial", rope_partial, floats("batch", 2, "sequence", 8), ids("batch", "sequence"))
add("rope-of-pictures", Rope2d, floats("batch", "height", "width", 8))
add("bucketed-bias", BucketedBias, tokens(8))
add("alibi-by-mask", AlibiSlopes, ids("batch", "sequence", below=2))
add("padded-positions", Offsets, ids("batch", "sequence"))

# ---- caches -------------------------------------------------------------------------------------------


class CachedStep(nn.Module):
    """New keys written into a cache of fixed room."""

    def __init__(self):
        super().__init__()
        self.q, self.k = nn.Linear(8, 8), nn.Linear(8, 8)

    def forward(self, x, cache, position):
        k = self.k(x)
        cache = cache.index_copy(1, position, k)
        s = self.q(x) @ cache.transpose(1, 2)
        mask = torch.arange(cache.size(1)) <= position[:, None]
        return s.masked_fill(~mask, -1e4).softmax(-1) @ cache, cache


class ScatterStep(nn.Module):
    def forward(self, x, cache, position):
        index = position[:, None, None].expand(-1, x.size(1), x.size(2))
        return cache.scatter(1, index, x)


class PastStep(nn.Module):
    """Keys of the past before the new ones, and a mask that is causal."""

    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(8, 24)

    def forward(self, x, past_k, past_v):
        b, t, c = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, 2, 4).permute(2, 0, 3, 1, 4).unbind(0)
        k, v = torch.cat((past_k, k), -2), torch.cat((past_v, v), -2)
        n = k.size(-2)
        mask = torch.ones(t, n, dtype=torch.bool).tril(diagonal=n - t)
        s = (q @ k.transpose(-1, -2) / 2).masked_fill(~mask, float("-inf"))
        return (s.softmax(-1) @ v).transpose(1, 2).reshape(b, t, c), k, v


class SlicedBias(nn.Module):
    """GPT-2: a part of a large lower triangle."""

    def __init__(self):
        super().__init__()
        self.register_buffer("bias", torch.tril(torch.ones(512, 512, dtype=torch.bool)).view(1, 1, 512, 512))

    def forward(self, q, k):
        s = torch.matmul(q, k.transpose(-1, -2))
        nd, ns = s.size(-2), s.size(-1)
        mask = self.bias[:, :, ns - nd:ns, :ns]
        value = torch.full([], torch.finfo(torch.float32).min, dtype=s.dtype, device=s.device)
        return torch.where(mask, s / (k.size(-1) ** 0.5), value).softmax(-1)


add("cached-step", CachedStep, floats("batch", 1, 8), floats("batch", "length", 8), ids(1, below=3))
add("scatter-step", ScatterStep, floats("batch", 1, "features"), floats("batch", "length", "features"),
    ids("batch", below=3))
add("past-step", PastStep, tokens(8), floats("batch", 2, "length", 4), floats("batch", 2, "length", 4))
add("sliced-bias", SlicedBias, floats("batch", 2, "sequence", 8), floats("batch", 2, "length", 8), least=8,
    script=False)

# ---- attention ----------------------------------------------------------------------------------------


class MultiQuery(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.kv = nn.Linear(16, 16), nn.Linear(16, 8)

    def forward(self, x):
        b, t, c = x.shape
        q = self.q(x).view(b, t, 4, 4).transpose(1, 2).reshape(b, 4 * t, 4)
        k, v = self.kv(x).split(4, dim=-1)
        s = torch.bmm(q, k.transpose(1, 2)).view(b, 4, t, t).softmax(-1)
        return torch.bmm(s.view(b, 4 * t, t), v).view(b, 4, t, 4).transpose(1, 2).reshape(b, t, 16)


class PackedFused(nn.Module):
    """Queries, keys and values of heads interleaved, as GPT-NeoX packs them."""

    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(16, 48)

    def forward(self, x, mask):
        qkv = self.qkv(x)
        qkv = qkv.view(qkv.size()[:-1] + (4, 12))
        q, k, v = (part.permute(0, 2, 1, 3) for part in qkv.split(4, -1))
        b, n, t, d = q.shape
        q, k = q.reshape(b * n, t, d), k.reshape(b * n, t, d)
        s = torch.baddbmm(torch.zeros(b * n, t, t), q, k.transpose(1, 2), beta=1.0, alpha=0.5)
        s = s.view(b, n, t, t) + (1.0 - mask[:, None, None, :].float()) * -1e4
        y = torch.matmul(s.softmax(-1), v).permute(0, 2, 1, 3).contiguous()
        return y.view(y.size(0), y.size(1), 16)


def banded_mask(x):
    """Mistral: a window of the past."""
    t = x.size(1)
    m = torch.ones(t, t, dtype=torch.bool).tril() & ~torch.ones(t, t, dtype=torch.bool).tril(-3)
    s = x @ x.transpose(1, 2)
    return s.masked_fill(m.logical_not(), -1e4).softmax(-1)


def triu_mask(x):
    t = x.size(1)
    m = torch.triu(torch.full((t, t), float("-inf")), diagonal=1)
    return (x @ x.transpose(1, 2) + m).softmax(-1)


def sliding_rows(x):
    """Each row with the two behind it."""
    x = x.contiguous()
    b, t, c = x.shape
    return x.as_strided([b, t - 2, 3, c], [t * c, c, c, 1]).sum(2)


def pad_to_chunks(x):
    b, t, c = x.shape
    n = (8 - t % 8) % 8
    x = F.pad(x, (0, 0, 0, n))
    x = x.view(b, -1, 8, c)
    s = (x @ x.transpose(2, 3)).softmax(-1) @ x
    return s.view(b, -1, c)[:, :t]


class MaskedDecoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.TransformerDecoderLayer(16, 2, 32, batch_first=True)

    def forward(self, x, memory):
        t = x.size(1)
        mask = torch.triu(torch.ones(t, t, dtype=torch.bool), 1)
        return self.layer(x, memory, tgt_mask=mask)


class Perceiver(nn.Module):
    def __init__(self):
        super().__init__()
        self.latents, self.kv, self.q = nn.Parameter(torch.randn(6, 8)), nn.Linear(16, 16), nn.Linear(8, 8)

    def forward(self, x, mask):
        b = x.shape[0]
        z = self.latents.unsqueeze(0).expand(b, -1, -1)
        k, v = self.kv(x).chunk(2, -1)
        q = self.q(z).reshape(b, 6, 2, 4).permute(0, 2, 1, 3)
        k = k.reshape(b, -1, 2, 4).permute(0, 2, 1, 3)
        v = v.reshape(b, -1, 2, 4).permute(0, 2, 1, 3)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask[:, None, None, :])
        return y.transpose(1, 2).flatten(2)


add("multi-query", MultiQuery, tokens())
add("packed-fused", PackedFused, tokens(), ids("batch", "sequence", below=2), script=False)
call("banded-mask", banded_mask, FREE_TOKENS)
call("triu-mask", triu_mask, FREE_TOKENS)
call("sliding-by-strides", sliding_rows, tokens(8))
call("pad-to-chunks", pad_to_chunks, FREE_TOKENS)
add("decoder-layer", MaskedDecoder, tokens(), floats("batch", "length", 16))
add("perceiver", Perceiver, tokens(), flags("batch", "sequence"), needs=(2, 0))

# ---- experts and codebooks ----------------------------------------------------------------------------


class Experts(nn.Module):
    """Mixture of experts, all computed and weighed."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(8, 4)
        self.w1, self.w2 = nn.Parameter(torch.randn(4, 8, 16)), nn.Parameter(torch.randn(4, 16, 8))

    def forward(self, x):
        b, t, d = x.shape
        x = x.view(-1, d)
        weights = F.softmax(self.gate(x), dim=1)
        weights, chosen = torch.topk(weights, 2, dim=-1)
        weights = weights / weights.sum(-1, keepdim=True)
        full = torch.zeros(x.size(0), 4).scatter(1, chosen, weights)
        h = torch.einsum("td,edf->etf", x, self.w1).relu()
        y = torch.einsum("etf,efd->etd", h, self.w2)
        return torch.einsum("etd,te->td", y, full).view(b, t, d)


class ExpertsByIndex(nn.Module):
    """Mixtral: each expert gets the tokens that chose it."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(8, 3)
        self.experts = nn.ModuleList([nn.Linear(8, 8) for _ in range(3)])

    def forward(self, x):
        b, t, d = x.shape
        x = x.view(-1, d)
        weights = F.softmax(self.gate(x), dim=1)
        weights, chosen = torch.topk(weights, 2, dim=-1)
        out = torch.zeros((b * t, d), dtype=x.dtype, device=x.device)
        masks = F.one_hot(chosen, num_classes=3).permute(2, 1, 0)
        for i, expert in enumerate(self.experts):
            where = torch.where(masks[i])
            idx, top = where[0], where[1]
            y = expert(x[top]) * weights[top, idx, None]
            out.index_add_(0, top, y)
        return out.reshape(b, t, d)


class Capacity(nn.Module):
    """Switch: the place of each token in its expert's queue."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(8, 4)

    def forward(self, x):
        p = self.gate(x).softmax(-1)
        one = F.one_hot(p.argmax(-1), 4)
        place = torch.cumsum(one, dim=1)
        capacity = x.size(1) // 2 + 1
        one = one * (place <= capacity).long()
        return p.max(-1).values.unsqueeze(-1) * one, place


class Codebook(nn.Module):
    def __init__(self):
        super().__init__()
        self.codes = nn.Parameter(torch.randn(12, 8))

    def forward(self, x):
        flat = x.reshape(-1, 8)
        d = torch.cdist(flat, self.codes)
        index = d.argmin(1)
        q = F.embedding(index, self.codes).view(x.shape)
        return x + (q - x).detach(), index.view(x.shape[:-1])


class ResidualCodes(nn.Module):
    def __init__(self):
        super().__init__()
        self.books = nn.ParameterList([nn.Parameter(torch.randn(10, 8)) for _ in range(3)])

    def forward(self, x):
        x = x.transpose(1, 2)
        residual = x
        out = torch.zeros_like(x)
        codes = []
        for book in self.books:
            d = residual.pow(2).sum(2, keepdim=True) - 2 * residual @ book.t() + book.pow(2).sum(1)
            i = (-d).max(-1)[1]
            q = book[i]
            residual = residual - q
            out = out + q
            codes.append(i)
        return out.transpose(1, 2), torch.stack(codes, 1)


add("experts", Experts, tokens(8))
add("experts-by-index", ExpertsByIndex, tokens(8))
add("capacity", Capacity, tokens(8))
add("codebook", Codebook, tokens(8))
add("residual-codes", ResidualCodes, floats("batch", 8, "length"))

# ---- heads --------------------------------------------------------------------------------------------


class BeamStep(nn.Module):
    def __init__(self):
        super().__init__()
        self.out = nn.Linear(8, 13)

    def forward(self, x, scores, tokens):
        b, k, _ = x.shape
        logp = F.log_softmax(self.out(x), -1) + scores[:, :, None]
        v = logp.size(-1)
        best, flat = logp.view(b, k * v).topk(2, dim=-1)
        beam = torch.div(flat, v, rounding_mode="trunc")
        token = flat % v
        kept = tokens.gather(1, beam[:, :, None].expand(-1, -1, tokens.size(2)))
        return best, torch.cat([kept, token.unsqueeze(-1)], -1)


def span_scores(x):
    s, e = x.split(1, dim=-1)
    s, e = s.squeeze(-1).contiguous(), e.squeeze(-1).contiguous()
    both = s.unsqueeze(2) + e.unsqueeze(1)
    both = both + torch.triu(torch.ones_like(both)).log()
    flat = both.flatten(1).argmax(1)
    return torch.div(flat, x.size(1), rounding_mode="floor"), flat % x.size(1)


class ClipPool(nn.Module):
    """CLIP: the features at the end-of-text token, the largest id."""

    def __init__(self):
        super().__init__()
        self.token, self.position = nn.Embedding(50, 8), nn.Embedding(300, 8)
        self.register_buffer("position_ids", torch.arange(300).expand((1, -1)))

    def forward(self, ids):
        t = ids.shape[-1]
        x = self.token(ids) + self.position(self.position_ids[:, :t])
        return x[torch.arange(x.shape[0]), ids.to(torch.int).argmax(dim=-1)]


class LastToken(nn.Module):
    """Reward models: the scores at the last token that is no padding."""

    def __init__(self):
        super().__init__()
        self.token, self.score = nn.Embedding(50, 8), nn.Linear(8, 3)

    def forward(self, ids):
        last = torch.eq(ids, 0).int().argmax(-1) - 1
        last = last % ids.shape[-1]
        return self.score(self.token(ids))[torch.arange(ids.shape[0]), last]


add("beam-step", BeamStep, floats("batch", 3, 8), floats("batch", 3), ids("batch", 3, "length"))
call("span-scores", span_scores, tokens(2))
add("clip-pool", ClipPool, ids("batch", "sequence"))
add("last-token", LastToken, ids("batch", "sequence"))
