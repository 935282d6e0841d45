"""Sequences: attention, positions, masks, recurrence, labels."""

import math

import torch
import torch.nn.functional as F
from torch import nn

from writing import FREE_TOKENS, Idioms, Input, flags, floats, ids, tokens

IDIOMS = Idioms()
call, add = IDIOMS.call, IDIOMS.add
HEADS = floats("batch", 4, "sequence", "features")
MASK = flags("batch", "sequence")

# ---- attention ----------------------------------------------------------------------------------------


class SelfAttention(nn.Module):
    def __init__(self, causal: bool = False):
        super().__init__()
        self.qkv, self.out = nn.Linear(16, 48), nn.Linear(16, 16)
        self.causal = causal

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, 4, 4).permute(2, 0, 3, 1, 4).unbind(0)
        scores = q @ k.transpose(-2, -1) / math.sqrt(4)
        if self.causal:
            later = torch.triu(torch.ones(t, t, dtype=torch.bool, device=x.device), 1)
            scores = scores.masked_fill(later, float("-inf"))
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(b, t, c))


class CrossAttention(nn.Module):
    """Queries of one sequence on another, which is masked."""

    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(16, 16), nn.Linear(12, 16), nn.Linear(12, 16)

    def split(self, x):
        return x.view(x.size(0), x.size(1), 4, 4).transpose(1, 2)

    def forward(self, x, context, mask):
        q, k, v = self.split(self.q(x)), self.split(self.k(context)), self.split(self.v(context))
        scores = q @ k.transpose(2, 3) * 0.5 + (1.0 - mask[:, None, None, :].to(x.dtype)) * -1e4
        return (scores.softmax(-1) @ v).transpose(1, 2).flatten(2)


class Torch(nn.Module):
    """nn.MultiheadAttention, with its padding mask."""

    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(16, 4, batch_first=True)
        self.norm = nn.LayerNorm(16)

    def forward(self, x, mask):
        y = self.attention(x, x, x, key_padding_mask=mask, need_weights=False)[0]
        return self.norm(x + y)


class LinearAttention(nn.Module):
    """Kernels instead of a softmax."""

    def forward(self, q, k, v):
        q, k = F.elu(q) + 1, F.elu(k) + 1
        kv = torch.einsum("bhnd,bhne->bhde", k, v)
        return torch.einsum("bhnd,bhde->bhne", q, kv) / (q * k.sum(2, keepdim=True)).sum(-1, keepdim=True)


class RelativeBias(nn.Module):
    """T5: a bias by how far apart two tokens are, in buckets."""

    def __init__(self):
        super().__init__()
        self.bias = nn.Embedding(16, 4)

    def forward(self, scores):
        n = scores.size(-1)
        places = torch.arange(n, device=scores.device)
        distance = places[None, :] - places[:, None]
        bucket = (distance.abs().clamp(max=7) + (distance > 0).long() * 8)
        return scores + self.bias(bucket).permute(2, 0, 1).unsqueeze(0)


class AlibiAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("slopes", 2.0 ** -torch.arange(1.0, 5.0))

    def forward(self, q, k, v):
        n = q.size(2)
        places = torch.arange(n, device=q.device)
        bias = -(places[:, None] - places[None, :]).abs() * self.slopes[:, None, None]
        return ((q @ k.transpose(-1, -2)) * q.size(-1) ** -0.5 + bias).softmax(-1) @ v


class LocalAttention(nn.Module):
    """Each token sees the four before it."""

    def forward(self, q, k, v):
        n = q.size(2)
        i = torch.arange(n, device=q.device)
        near = (i[None] <= i[:, None]) & (i[None] > i[:, None] - 4)
        scores = (q @ k.transpose(-1, -2) / math.sqrt(16)).masked_fill(~near, -1e9)
        return scores.softmax(-1) @ v


class PooledQueries(nn.Module):
    """A few learned queries on as many tokens as there are."""

    def __init__(self):
        super().__init__()
        self.queries = nn.Parameter(torch.randn(3, 16))

    def forward(self, x, mask):
        scores = torch.einsum("qd,bnd->bqn", self.queries, x) * 0.25
        return scores.masked_fill(~mask[:, None], -1e4).softmax(-1) @ x


class ChunkedAttention(nn.Module):
    """Chunks of four tokens that attend to each other alone."""

    def forward(self, x):
        b, n, d = x.shape
        c = x.view(b, n // 4, 4, d)
        return ((c @ c.transpose(2, 3)) / d**0.5).softmax(-1).matmul(c).view(b, n, d)


def scaled(q, k, v):
    return F.scaled_dot_product_attention(q, k, v)


def scaled_causal(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


def scaled_by_hand(q, k, v):
    return (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).softmax(-1) @ v


def grouped_queries(q, k, v):
    """Each key and value for two heads of queries."""
    k, v = k.repeat_interleave(2, 1), v.repeat_interleave(2, 1)
    return (q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5).softmax(-1) @ v


def free_heads(x):
    """Eight heads of whatever size is left for each."""
    b, n, d = x.shape
    x = x.view(b, n, 4, d // 4).transpose(1, 2)
    return (x @ x.transpose(2, 3) / math.sqrt(d // 4)).softmax(-1).matmul(x).transpose(1, 2).reshape(b, n, d)


PAIR = floats("batch", 2, "sequence", "features")
add("self-attention", SelfAttention, tokens())
add("causal-attention", lambda: SelfAttention(True), tokens())
add("cross-attention", CrossAttention, tokens(), floats("batch", "length", 12), flags("batch", "length"))
add("multihead-attention", Torch, tokens(), flags("batch", "sequence"))
add("linear-attention", LinearAttention, HEADS, HEADS, HEADS)
add("relative-bias", RelativeBias, floats("batch", 4, "sequence", "sequence"))
add("alibi", AlibiAttention, HEADS, HEADS, HEADS)
add("local-attention", LocalAttention, HEADS, HEADS, HEADS)
add("pooled-queries", PooledQueries, tokens(), MASK)
add("chunked-attention", ChunkedAttention, FREE_TOKENS, multiple=4)
call("scaled-attention", scaled, HEADS, HEADS, HEADS, needs=(2, 0))
call("scaled-causal-attention", scaled_causal, HEADS, HEADS, HEADS, needs=(2, 0))
call("scaled-by-hand", scaled_by_hand, HEADS, HEADS, HEADS)
call("grouped-queries", grouped_queries, HEADS, PAIR, PAIR)
call("free-heads", free_heads, FREE_TOKENS)

# ---- positions and masks ------------------------------------------------------------------------------


class Sinusoids(nn.Module):
    def __init__(self):
        super().__init__()
        places = torch.arange(512).unsqueeze(1)
        turns = torch.exp(torch.arange(0, 16, 2) * (-math.log(10000.0) / 16))
        table = torch.zeros(512, 16)
        table[:, 0::2], table[:, 1::2] = torch.sin(places * turns), torch.cos(places * turns)
        self.register_buffer("table", table)

    def forward(self, x):
        return x + self.table[:x.size(1)]


class Rotary(nn.Module):
    """RoPE: halves of the features turned by the place of the token."""

    def __init__(self):
        super().__init__()
        self.register_buffer("turns", 1.0 / 10000 ** (torch.arange(0, 16, 2).float() / 16))

    def forward(self, x):
        t = torch.arange(x.size(-2), device=x.device).float()
        angles = torch.outer(t, self.turns)
        angles = torch.cat((angles, angles), -1)
        a, b = x.chunk(2, -1)
        return x * angles.cos() + torch.cat((-b, a), -1) * angles.sin()


class LearnedPositions(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(50, 16), nn.Embedding(512, 16)
        self.norm = nn.LayerNorm(16, eps=1e-12)

    def forward(self, ids):
        places = torch.arange(ids.size(1), device=ids.device).unsqueeze(0).expand_as(ids)
        return self.norm(self.words(ids) + self.places(places))


class MaskedPositions(nn.Module):
    """RoBERTa: padding has no place, the others are counted."""

    def __init__(self):
        super().__init__()
        self.places = nn.Embedding(512, 16, padding_idx=1)

    def forward(self, ids):
        mask = ids.ne(1).int()
        return self.places((torch.cumsum(mask, 1).type_as(mask) * mask).long() + 1)


class TokenClassifier(nn.Module):
    """A small encoder: embedding, two convolutions over time, a head per token."""

    def __init__(self):
        super().__init__()
        self.words, self.mix = nn.Embedding(50, 16), nn.Conv1d(16, 16, 3, padding=1)
        self.head = nn.Linear(16, 4)

    def forward(self, ids, mask):
        x = self.words(ids) * mask.unsqueeze(-1).float()
        x = x + F.gelu(self.mix(x.transpose(1, 2))).transpose(1, 2)
        return F.log_softmax(self.head(x), -1)


class BagOfWords(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.EmbeddingBag(50, 8, mode="mean")

    def forward(self, ids):
        return self.words(ids)


def length_mask(x, lengths):
    places = torch.arange(x.size(1), device=x.device)
    return x * (places[None, :] < lengths[:, None]).unsqueeze(-1)


def extended_mask(mask):
    mask = mask[:, None, None, :].to(torch.float32)
    return (1.0 - mask) * torch.finfo(torch.float32).min


def causal_mask(ids):
    t = ids.size(1)
    mask = torch.full((t, t), float("-inf"), device=ids.device)
    return torch.triu(mask, diagonal=1)[None, None].expand(ids.size(0), 1, t, t)


def shifted_labels(ids):
    """What a decoder is given: labels moved by one, behind a first token."""
    moved = ids.new_zeros(ids.shape)
    moved[:, 1:] = ids[:, :-1].clone()
    moved[:, 0] = 2
    return moved.masked_fill(moved == 0, 1)


def token_shift(x):
    """RWKV: half of what the token before had."""
    before = F.pad(x, (0, 0, 1, -1))
    return x * 0.5 + before * 0.5


def first_end(ids):
    """The features at the end token: the largest id."""
    return ids.argmax(-1), (ids == 0).int().argmax(-1), (ids != 0).sum(1)


add("sinusoids", Sinusoids, tokens())
add("rotary", Rotary, floats("batch", 4, "sequence", 16))
add("learned-positions", LearnedPositions, ids("batch", "sequence"))
add("masked-positions", MaskedPositions, ids("batch", "sequence"))
add("token-classifier", TokenClassifier, ids("batch", "sequence"), MASK)
add("bag-of-words", BagOfWords, ids("batch", "sequence"))
call("length-mask", length_mask, FREE_TOKENS, ids("batch", below=6))
call("extended-mask", extended_mask, Input(("batch", "sequence"), torch.int64), script=False)
call("causal-mask", causal_mask, ids("batch", "sequence"))
call("shifted-labels", shifted_labels, ids("batch", "sequence"))
call("token-shift", token_shift, FREE_TOKENS)
call("first-end", first_end, ids("batch", "sequence"))

# ---- recurrence and scans -----------------------------------------------------------------------------


class Recurrent(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.layer, self.head = layer, nn.Linear(12, 3)

    def forward(self, x):
        return self.head(self.layer(x)[0])


class Encoder(nn.Module):
    """The last states of both directions."""

    def __init__(self):
        super().__init__()
        self.layer = nn.LSTM(16, 6, batch_first=True, bidirectional=True)

    def forward(self, x):
        outputs, (h, c) = self.layer(x)
        return outputs, torch.cat((h[0], h[1]), -1), c


class Packed(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.GRU(16, 6, batch_first=True)

    def forward(self, x, lengths):
        packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        return nn.utils.rnn.pad_packed_sequence(self.layer(packed)[0], batch_first=True)[0]


class CellLoop(nn.Module):
    """An LSTM cell, step by step."""

    def __init__(self):
        super().__init__()
        self.cell = nn.LSTMCell(16, 6)

    def forward(self, x):
        h = torch.zeros(x.size(1), 6, device=x.device)
        c = torch.zeros(x.size(1), 6, device=x.device)
        made = []
        for step in x.unbind(0):
            h, c = self.cell(step, (h, c))
            made.append(h)
        return torch.stack(made)


class MinimalGate(nn.Module):
    """A scan without a loop, in logarithms."""

    def __init__(self):
        super().__init__()
        self.gate, self.hidden = nn.Linear(16, 8), nn.Linear(16, 8)

    def forward(self, x):
        gate, hidden = self.gate(x), self.hidden(x)
        kept = -F.softplus(gate)
        taken = -F.softplus(-gate) + F.logsigmoid(hidden)
        total = kept.cumsum(1)
        return (total + torch.logcumsumexp(taken - total, 1)).exp()


class Quantizer(nn.Module):
    """The nearest entry of a codebook."""

    def __init__(self):
        super().__init__()
        self.codes = nn.Parameter(torch.randn(20, 16))

    def forward(self, x):
        distance = x.pow(2).sum(-1, keepdim=True) - 2 * x @ self.codes.t() + self.codes.pow(2).sum(1)
        index = distance.argmin(-1)
        return F.embedding(index, self.codes), index


def running_mean(x):
    n = torch.arange(1, x.size(1) + 1, device=x.device, dtype=x.dtype)
    return x.cumsum(1) / n[None, :, None]


def sliding_windows(x):
    return x.unfold(1, 4, 2).mean(-1)


def moving_average(x):
    """Autoformer: a series without its trend."""
    first, last = x[:, :1].repeat(1, 2, 1), x[:, -1:].repeat(1, 2, 1)
    trend = F.avg_pool1d(torch.cat([first, x, last], 1).transpose(1, 2), 5, 1).transpose(1, 2)
    return x - trend, trend


def gated_chunks(x):
    a, b = x.chunk(2, dim=-1)
    return a * torch.sigmoid(b)


def halves(x):
    n = x.size(1) // 2
    a, b = x.split([n, x.size(1) - n], 1)
    return a.mean(1) - b.mean(1)


def differences(x):
    return torch.diff(x, dim=1), (x[:, 1:] - x[:, :-1]).abs().sum(1)


def standardized(x):
    """RevIN: each series by its own mean and deviation."""
    mean, deviation = x.mean(1, keepdim=True), torch.sqrt(x.var(1, keepdim=True, unbiased=False) + 1e-5)
    return (x - mean) / deviation, mean, deviation


def log_cumulative(x):
    return torch.logcumsumexp(x, dim=1)


def sorted_tokens(x):
    """Tokens by their norm, the strongest first."""
    order = x.norm(p=2, dim=-1).argsort(1, descending=True)
    return x.gather(1, order.unsqueeze(-1).expand(x.size(0), x.size(1), x.size(2)))


add("lstm", lambda: Recurrent(nn.LSTM(16, 12, 2, batch_first=True)), tokens())
add("gru", lambda: Recurrent(nn.GRU(16, 6, bidirectional=True)), floats("sequence", "batch", 16))
add("encoder", Encoder, tokens())
add("packed", Packed, tokens(), Input(("batch",), torch.int64, 1, 5), script=False, needs=(2, 0))
add("cell-loop", CellLoop, floats("time", "batch", 16), fixed=("time",), scripted_fixed=())
add("minimal-gate", MinimalGate, tokens())
add("quantizer", Quantizer, tokens())
call("running-mean", running_mean, FREE_TOKENS)
call("sliding-windows", sliding_windows, FREE_TOKENS)
call("moving-average", moving_average, FREE_TOKENS)
call("gated-chunks", gated_chunks, FREE_TOKENS)
call("sequence-halves", halves, FREE_TOKENS)
call("differences", differences, FREE_TOKENS)
call("standardized", standardized, FREE_TOKENS)
call("log-cumulative", log_cumulative, FREE_TOKENS)
call("sorted-tokens", sorted_tokens, FREE_TOKENS)

# ---- labels and scores --------------------------------------------------------------------------------


class LabelSmoothing(nn.Module):
    def forward(self, scores, labels):
        target = F.one_hot(labels, 10).float() * 0.9 + 0.01
        return -(target * scores.log_softmax(-1)).sum(-1).mean(1)


def one_hot_count(labels):
    return F.one_hot(labels, 50).sum(1)


def best_tokens(scores):
    p = scores.softmax(-1)
    values, index = p.topk(3, -1)
    return values / values.sum(-1, keepdim=True), index


def nucleus(scores):
    """What remains of the tokens that make up nine tenths."""
    ordered, index = scores.sort(-1, descending=True)
    late = ordered.softmax(-1).cumsum(-1) > 0.9
    late = torch.cat([torch.zeros_like(late[..., :1]), late[..., :-1]], -1)
    return scores.masked_fill(torch.zeros_like(late).scatter(-1, index, late), float("-inf"))


def contrastive(a, b):
    """Similarities of all pairs of a batch."""
    return F.normalize(a, dim=-1) @ F.normalize(b, dim=-1).t() / 0.07


def token_loss(scores, labels):
    return F.cross_entropy(scores.flatten(0, 1), labels.flatten(), reduction="mean")


add("label-smoothing", LabelSmoothing, tokens(10), ids("batch", "sequence", below=10))
call("one-hot-count", one_hot_count, ids("batch", "sequence"))
call("best-tokens", best_tokens, FREE_TOKENS)
call("nucleus", nucleus, FREE_TOKENS)
call("contrastive", contrastive, floats("batch", "features"), floats("length", "features"))
call("token-loss", token_loss, tokens(10), ids("batch", "sequence", below=10))
