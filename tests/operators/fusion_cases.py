"""Activations right after products, convolutions and normalizations.

ONNX Runtime fuses such pairs when it optimises a model, and then refuses attributes that are not the fused operator's
own: core/lower/passes/fusion.h.
"""

import torch
import torch.nn.functional as F

from building import Cases, seeded

CASES = Cases()

WEIGHT, BIAS, KERNEL, SQUARE = seeded([(5, 4), (5,), (6, 3, 1), (4, 3, 3, 3)])
PRODUCTS = {
    "linear": lambda x: F.linear(x, WEIGHT, BIAS),
    "linear-no-bias": lambda x: F.linear(x, WEIGHT),
    "addmm": lambda x: torch.addmm(BIAS, x, WEIGHT.t()),
    "addmm-factors": lambda x: torch.addmm(BIAS, x, WEIGHT.t(), alpha=2.0, beta=0.5),
    "addmm-of-transposed": lambda x: torch.addmm(BIAS[:4], x.t(), x),
    "mm": lambda x: torch.mm(x, WEIGHT.t()),
    "mm-add": lambda x: torch.mm(x, WEIGHT.t()) + BIAS,
    "add-mm": lambda x: BIAS + torch.mm(x, WEIGHT.t()),
    "mm-add-mm": lambda x: torch.mm(x, WEIGHT.t()) + torch.mm(x * 2, WEIGHT.t()),
    "mm-add-mm-add": lambda x: torch.mm(x, WEIGHT.t()) + torch.mm(x * 2, WEIGHT.t()) + BIAS,
    "linear-add-mm": lambda x: F.linear(x, WEIGHT, BIAS) + torch.mm(x * 2, WEIGHT.t()),
    "linear-add-linear": lambda x: F.linear(x, WEIGHT, BIAS) + F.linear(x * 2, WEIGHT),
    "linear-zeros": lambda x: F.linear(x, WEIGHT, torch.zeros(5)),
    "mm-add-zeros": lambda x: torch.mm(x, WEIGHT.t()) + torch.zeros(5),
    "mm-add-more-zeros": lambda x: torch.mm(x, WEIGHT.t()) + torch.zeros(2, 3, 5),
    "mm-add-number": lambda x: torch.mm(x, WEIGHT.t()) + 0.0,
    "linear-read-twice": lambda x: (lambda y: torch.stack([y, y + 1]))(F.linear(x, WEIGHT, BIAS)),
    "conv": lambda x: F.conv1d(x[None], KERNEL),
    "layer_norm": lambda x: F.layer_norm(x, (4,)),
}
ACTIVATIONS = {
    "relu": F.relu, "tanh": torch.tanh, "sigmoid": torch.sigmoid, "leaky_relu": F.leaky_relu,
    "elu": F.elu, "selu": F.selu, "hardsigmoid": F.hardsigmoid, "softplus": F.softplus,
    "softsign": F.softsign, "threshold": lambda x: F.threshold(x, 1.0, 0.0), "clamp": lambda x: x.clamp(0, 2),
    "hardswish": F.hardswish, "silu": F.silu, "gelu": F.gelu, "softmax": lambda x: F.softmax(x, -1),
}
for product_name, product in PRODUCTS.items():
    for name, activation in ACTIVATIONS.items():
        CASES.call(f"{product_name}/{name}", lambda x, p=product, a=activation: a(p(x)), (3, 4))
# Neutral arithmetic is removed before pairs are fused.
for name, idle in {
    "add-0": lambda x: x + 0.0, "0-add": lambda x: 0.0 + x, "sub-0": lambda x: x - 0.0,
    "mul-1": lambda x: x * torch.ones(1), "div-1": lambda x: x / 1.0, "twice": lambda x: (x + 0.0) * 1.0,
    "add-2": lambda x: x + 2.0,
}.items():
    CASES.call(f"linear/{name}/relu", lambda x, f=idle: F.relu(f(F.linear(x, WEIGHT, BIAS))), (3, 4))
    CASES.call(f"mm-add/{name}/tanh", lambda x, f=idle: torch.tanh(f(x @ WEIGHT.t() + BIAS)), (3, 4))
# Scales are fused into products, also for a scaled tensor with a second reader.
for name, scaled in {
    "first": lambda e: (e * 0.3) @ e.t() @ e, "last": lambda e: e @ e.t() @ (e / 3),
    "both": lambda e: (e * 0.3) @ (e.t() / 2) @ e, "thrice": lambda e: (e * 0.3 * 2) @ e.t() @ e,
    "behind-noop": lambda e: ((e + 0.0) * 0.3) @ (e + 0.0).t() @ (e + 0.0),
    "behind-slice": lambda e: (e[:9] * 0.3) @ e[:9].t() @ e[:9],
    "read-once": lambda e: (e * 0.3 / 2) @ e.t(), "factors": lambda e: ((e * 0.3) @ e.t() * 0.7 * 2) @ e,
    "both-read": lambda e: (lambda s: (s * 2) @ s.t() @ s)(e * 0.3),
}.items():
    for by in "mul", "div":
        CASES.call(f"scaled-twice/{by}/{name}", lambda x, f=scaled, b=by: f(getattr(x, b)(2.0)), (3, 4))
# Zeros around negative numbers are the largest elements.
for name, padded in {
    "zeros": lambda x: F.pad(x, (1, 1, 1, 1)),
    "below": lambda x: F.pad(x, (1, 1, 1, 1), value=-100.0),
    "reflected": lambda x: F.pad(x, (1, 1, 1, 1), mode="reflect"),
}.items():
    CASES.call(f"pad/{name}/max_pool2d", lambda x, p=padded: F.max_pool2d(p(-x.abs() - 1), 3, 2),
               (2, 3, 8, 9), opset=18 if name != "reflected" else 0)
    CASES.call(f"pad/{name}/avg_pool2d", lambda x, p=padded: F.avg_pool2d(p(-x.abs() - 1), 3, 2), (2, 3, 8, 9))
    CASES.call(f"pad/{name}/conv", lambda x, p=padded: F.conv2d(p(-x.abs() - 1), SQUARE), (2, 3, 8, 9))
for name, activation in ACTIVATIONS.items():
    CASES.call(f"linear-dynamic/{name}", lambda x, a=activation: a(F.linear(x, WEIGHT, BIAS)), (3, 4),
               dynamic={0: {0: "batch"}})

# Factors of float64 of matrix products, which ONNX Runtime rounds to float32 when it fuses them.
DOUBLE = torch.float64
MATRICES = (((3, 4), DOUBLE), ((4, 5), DOUBLE))
for name, function in {
        "before": lambda a, b: (a * 0.6) @ b, "second": lambda a, b: a @ (b * 0.6), "behind": lambda a, b: (a @ b) * 0.6,
        "divided": lambda a, b: ((a / 3) @ b) / 7, "twice": lambda a, b: (a * 2 * 0.3) @ (b * 0.7) * 0.9,
        "turned": lambda a, b: (b * 0.6).t() @ a.t(), "behind-two": lambda a, b: (a @ b) * 4 * 0.1,
        "by-tensor": lambda a, b: (a * torch.tensor([0.6], dtype=DOUBLE)) @ b,
        "batch": lambda a, b: (a * 0.6).expand(2, *a.shape) @ b,
        "linear": lambda a, b: F.linear(a * 0.6, b.t()) * 0.7,
        "addmm": lambda a, b: torch.addmm(a.new_ones(5), a, b, alpha=0.6, beta=0.2),
        "mv": lambda a, b: torch.addmv(a.new_ones(1), a, b[:, 0], alpha=0.6, beta=0.2),
        "einsum": lambda a, b: torch.einsum("ij,jk->ik", a * 0.6, b) * 0.7,
}.items():
    CASES.call(f"digits/{name}", function, *MATRICES, dynamic={0: {0: "rows"}})
CASES.call("digits/attention", lambda q, k, v: F.scaled_dot_product_attention(q, k, v), *[((2, 3, 4, 8), DOUBLE)] * 3)
