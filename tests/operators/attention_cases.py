"""Attention, the fused operators of transformer encoders, and look-ups in tables."""

import math

import torch
from torch import nn
from torch.nn import functional as F

from building import Cases, randomized, seeded

CASES = Cases()
add, call, layer = CASES.add, CASES.call, CASES.layer
INF = math.inf


def attention(*arguments, **options):
    """Looked up at the call, since an older PyTorch does not have it."""
    return F.scaled_dot_product_attention(*arguments, **options)


# ---- scaled_dot_product_attention ------------------------------------------------------------------

QKV = [(2, 3, 4, 8), (2, 3, 5, 8), (2, 3, 5, 8)]
for rank in (2, 3, 4):
    call(f"attention/{rank}d", attention, *[shape[4 - rank:] for shape in QKV])
call("attention/5d", attention, (2, 2, 3, 4, 8), (2, 2, 3, 5, 8), (2, 2, 3, 5, 8))
call("attention/other-value-size", attention, QKV[0], QKV[1], (2, 3, 5, 6))
call("attention/scale", lambda q, k, v: attention(q, k, v, scale=0.3), *QKV)
for length, other in [(4, 4), (3, 5), (5, 3)]:
    call(f"attention/causal/{length}x{other}", lambda q, k, v: attention(q, k, v, is_causal=True),
         (2, 3, length, 8), (2, 3, other, 8), (2, 3, other, 8))
call("attention/causal/dynamic", lambda q, k, v: attention(q, k, v, is_causal=True),
     (2, 3, 4, 8), (2, 3, 4, 8), (2, 3, 4, 8),
     dynamic={i: {0: "batch", 2: "length"} for i in range(3)})
for shape in [(4, 5), (1, 5), (2, 1, 4, 5), (2, 3, 4, 5), (2, 1, 1, 5)]:
    call(f"attention/float-mask/{shape}", attention, *QKV, shape)
    mask = torch.ones(shape, dtype=torch.bool)
    mask[..., 1:3] = False
    call(f"attention/bool-mask/{shape}", attention, *QKV, mask)
    blind = mask.clone()
    blind[..., -1, :] = False
    call(f"attention/blind-bool/{shape}", attention, *QKV, blind)
    call(f"attention/blind-float/{shape}", attention, *QKV, torch.zeros(shape).masked_fill(~blind, -INF))
    call(f"attention/blind-3d/{shape}", lambda q, k, v, m: attention(q, k, v, m),
         *[s[1:] for s in QKV], blind[0] if len(shape) == 4 else blind)
call("attention/lowest-mask", attention, *QKV, torch.full((4, 5), torch.finfo(torch.float32).min))
call("attention/dynamic-mask", attention, *QKV, torch.rand(2, 1, 4, 5) > 0.3,
     dynamic={0: {0: "batch", 2: "length"}, 1: {0: "batch", 2: "other"}, 2: {0: "batch", 2: "other"},
              3: {0: "batch", 2: "length", 3: "other"}})
call("attention/nothing", attention, QKV[0], (2, 3, 0, 8), (2, 3, 0, 6),
     refused="a tensor without elements meets one with elements")
for heads in (1, 2, 6):
    call(f"attention/grouped/{heads}", lambda q, k, v: attention(q, k, v, enable_gqa=True),
         (2, 6, 4, 8), (2, heads, 5, 8), (2, heads, 5, 8))
call("attention/grouped/3d", lambda q, k, v: attention(q, k, v, enable_gqa=True),
     (6, 4, 8), (2, 5, 8), (2, 5, 8))
call("attention/grouped/dynamic", lambda q, k, v: attention(q, k, v, is_causal=True, enable_gqa=True),
     (2, 6, 4, 8), (2, 2, 4, 8), (2, 2, 4, 8),
     dynamic={i: {0: "batch", 2: "length"} for i in range(3)})
for dtype in [torch.float64, torch.float16, torch.bfloat16]:
    # 1 / sqrt(16) is a float32: ONNX Runtime folds the factor into its product as one.
    typed = [((2, 3, length, 16), dtype) for length in (4, 5, 5)]
    call(f"attention/{dtype}", attention, *typed, ((4, 5), dtype), roundings=2)
    call(f"attention/{dtype}/bool", attention, *typed, ((4, 5), torch.bool), roundings=2)
call("attention/dropout", lambda q, k, v: attention(q, k, v, dropout_p=0.1), *QKV,
     refused="it is in training mode")
for dtype in (torch.float32, torch.float64, torch.bfloat16):
    typed = [((2, 3, length, 16), dtype) for length in (4, 5, 5)]
    call(f"attention/kernel/{dtype}",
         lambda q, k, v, m: torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(q, k, v, attn_mask=m)[0],
         *typed, ((4, 5), dtype), dynamic={i: {0: "batch"} for i in range(3)}, roundings=2, needs=(2, 2))
call("attention/kernel/causal",
     lambda *p: torch.ops.aten._scaled_dot_product_flash_attention_for_cpu(*p, is_causal=True)[0],
     (2, 3, 4, 8), (2, 3, 4, 8), (2, 3, 4, 8), needs=(2, 2))


# ---- fused operators -------------------------------------------------------------------------------


class Fused(nn.Module):
    """Calls a transformer module on its fused path, without gradients."""

    def __init__(self, module, **options):
        super().__init__()
        self.module = module.requires_grad_(False)
        self.options = options
        self.eval()

    def forward(self, x, mask=None):
        masked = {} if mask is None else {self.options["mask"]: mask}
        if isinstance(self.module, nn.MultiheadAttention):
            result = self.module(x, x, x, need_weights=self.options.get("weights", False),
                                 average_attn_weights=self.options.get("average", True), **masked)
            return result if self.options.get("weights", False) else result[0]
        return self.module(x, **masked)


def fused(name, make, *specs, dynamic=None, roundings=None, **options):
    add(f"fused/{name}", lambda: Fused(randomized(make()), **options), *specs, dynamic=dynamic,
        roundings=roundings)


def multihead():
    return nn.MultiheadAttention(8, 2, batch_first=True)


def encoder_layer(**options):
    return nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, **options)


SEEN = torch.zeros(2, 5, dtype=torch.bool)
SEEN[0, 3:] = True
CAUSAL = torch.ones(5, 5, dtype=torch.bool).triu(1)
TWO_AXES = {0: {0: "batch", 1: "length"}}
fused("multihead", multihead, (2, 5, 8), dynamic=TWO_AXES)
fused("multihead/weights", multihead, (2, 5, 8), weights=True)
fused("multihead/all-weights", multihead, (2, 5, 8), weights=True, average=False)
fused("multihead/padding", multihead, (2, 5, 8), SEEN, mask="key_padding_mask")
fused("multihead/causal", multihead, (2, 5, 8), CAUSAL, mask="attn_mask")
fused("layer", encoder_layer, (2, 5, 8), dynamic=TWO_AXES)
fused("layer/gelu-first", lambda: encoder_layer(activation="gelu", norm_first=True), (2, 5, 8))
fused("layer/padding", encoder_layer, (2, 5, 8), SEEN, mask="src_key_padding_mask",
      dynamic={0: {0: "batch", 1: "length"}, 1: {0: "batch", 1: "length"}})
fused("layer/causal", encoder_layer, (2, 5, 8), CAUSAL, mask="src_mask")
fused("layer/float16", lambda: encoder_layer().half(), ((2, 5, 8), torch.float16), roundings=6)
fused("layer/float64", lambda: encoder_layer().double(), ((2, 5, 8), torch.float64))
fused("encoder", lambda: nn.TransformerEncoder(encoder_layer(), 2, enable_nested_tensor=False), (2, 5, 8))


class MaskedEncoder(nn.Module):
    def __init__(self, nested: bool):
        super().__init__()
        self.encoder = randomized(nn.TransformerEncoder(encoder_layer(), 2, enable_nested_tensor=nested))

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return self.encoder(x, src_key_padding_mask=mask)


for nested in (False, True):
    add(f"encoder/masked/{'nested' if nested else 'plain'}", lambda n=nested: MaskedEncoder(n).eval(), (2, 5, 8),
        SEEN, script=True, refused="enable_nested_tensor=False" if nested else None,
        needs=(2, 0) if nested else None)


def native_multihead(x, y, weight, bias, out, out_bias, mask_type, mask):
    return torch._native_multi_head_attention(x, y, y, 8, 2, weight, bias, out, out_bias, mask, True,
                                              False, mask_type)


PARAMETERS = [(24, 8), (24,), (8, 8), (8,)]
WIDE_MASK = (CAUSAL[None, None] | SEEN[:, None, None]).expand(2, 2, 5, 5).contiguous()
for mask_type, mask in [(0, CAUSAL), (1, SEEN), (2, WIDE_MASK), (0, CAUSAL.float()), (0, ~CAUSAL * 0 + CAUSAL)]:
    blind = mask.clone()
    blind[0] = 1
    for name, chosen in [("", mask), ("/blind", blind)]:
        call(f"fused/native/{mask_type}-{mask.dtype}{name}",
             lambda x, w, b, o, c, m, t=mask_type: native_multihead(x, x, w, b, o, c, t, m),
             (2, 5, 8), *PARAMETERS, chosen)

# ---- look-ups --------------------------------------------------------------------------------------

layer("embedding", lambda: nn.Embedding(10, 4), ((2, 3), 0, 10), dynamic={0: {0: "batch", 1: "length"}})
layer("embedding/padding", lambda: nn.Embedding(10, 4, padding_idx=2), ((2, 3), 0, 10))
call("embedding/int32", lambda i, w: F.embedding(i, w), torch.tensor([3, 1], dtype=torch.int32), (5, 4))
call("embedding/scalar", lambda i, w: F.embedding(i, w), torch.tensor(3), (5, 4))
for dtype in [torch.float64, torch.float16, torch.bfloat16]:
    add(f"embedding/{dtype}", lambda d=dtype: randomized(nn.Embedding(10, 4)).to(d), ((2, 3), 0, 10))
call("one_hot", lambda x: F.one_hot(x, 7), ((2, 3), 0, 7), dynamic={0: {0: "batch"}})
OFFSETS = torch.tensor([0, 2, 2, 5])
for mode in ["sum", "mean", "max"]:
    opset = 18 if mode == "max" else 17
    layer(f"embedding_bag/{mode}", lambda m=mode: nn.EmbeddingBag(10, 4, mode=m), ((7,), 0, 10), OFFSETS,
          opset=opset)
    layer(f"embedding_bag/{mode}/last",
          lambda m=mode: nn.EmbeddingBag(10, 4, mode=m, include_last_offset=True), ((7,), 0, 10),
          torch.tensor([0, 2, 2, 5, 7]), opset=opset,
          needs=(2, 0) if mode == "max" else None)  # 1.13 writes beyond its memory
    layer(f"embedding_bag/{mode}/2d", lambda m=mode: nn.EmbeddingBag(10, 4, mode=m), ((3, 4), 0, 10),
          opset=opset)
call("embedding_bag/weighted",
     lambda i, o, w, p: F.embedding_bag(i, w, o, mode="sum", per_sample_weights=p), ((7,), 0, 10),
     OFFSETS, (10, 4), (7,))
layer("embedding_bag/padding", lambda: nn.EmbeddingBag(10, 4, padding_idx=3), ((7,), 0, 10), OFFSETS)
for norm in (1.0, 2.0, 3.5, math.inf):
    call(f"embedding/max_norm/{norm}", lambda i, w, n=norm: (F.embedding(i, w, max_norm=1.5, norm_type=n), w),
         torch.tensor([[3, 1], [3, 4]]), (5, 4), dynamic={0: {0: "batch"}, 1: {0: "words"}})
for dtype in [torch.float64, torch.float16]:
    call(f"embedding/max_norm/{dtype}", lambda i, w: F.embedding(i, w, max_norm=1.5), torch.tensor([3, 1, 3]),
         ((5, 4), dtype), roundings=2)
for mode in ["sum", "mean"]:
    call(f"embedding_bag/max_norm/{mode}",
         lambda i, o, w, m=mode: F.embedding_bag(i, w, o, mode=m, max_norm=0.7), ((7,), 0, 10), OFFSETS, (10, 4))
for name, self in {"": ((2, 3), 0, 7), "/vector": torch.tensor([4, 0, 2]), "/scalar": torch.tensor(4)}.items():
    call(f"one_hot/largest{name}", lambda x: F.one_hot(x), self,
         dynamic={0: {0: "batch"}} if isinstance(self, tuple) else None,
         others=lambda s=self: [[seeded([s])[0] * 2]])
