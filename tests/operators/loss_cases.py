"""Cases of loss functions."""

import math

import torch
from torch.nn import functional as F

from building import Cases

CASES = Cases()
call = CASES.call
HALF, BRAIN, DOUBLE = torch.float16, torch.bfloat16, torch.float64
BATCH = {0: {0: "batch"}, 1: {0: "batch"}}
REDUCTIONS = ("none", "mean", "sum")
INF = math.inf


def short(dtype):
    return str(dtype).removeprefix("torch.")


def likely(shape, dtype=torch.float32):
    """Numbers between 0 and 1."""
    torch.manual_seed(3)
    return (torch.rand(shape) * 0.98 + 0.01).to(dtype)


def signs(*shape):
    torch.manual_seed(4)
    return torch.randint(0, 2, shape) * 2 - 1


# ---- of numbers --------------------------------------------------------------------------------------

LOSSES = {
    "mse": F.mse_loss, "l1": F.l1_loss, "smooth_l1": F.smooth_l1_loss, "huber": F.huber_loss,
    "smooth_l1/beta": lambda a, b, reduction: F.smooth_l1_loss(a, b, reduction=reduction, beta=0.4),
    "smooth_l1/zero": lambda a, b, reduction: F.smooth_l1_loss(a, b, reduction=reduction, beta=0.0),
    "huber/delta": lambda a, b, reduction: F.huber_loss(a, b, reduction=reduction, delta=0.4),
    "kl_div/log": lambda a, b, reduction: F.kl_div(a, b, reduction=reduction, log_target=True),
    "poisson": F.poisson_nll_loss,
    "logits": F.binary_cross_entropy_with_logits,
}
for name, function in LOSSES.items():
    for reduction in REDUCTIONS:
        call(f"{name}/{reduction}", lambda a, b, f=function, r=reduction: f(a, b, reduction=r), (3, 4), (3, 4),
             dynamic=BATCH)
    for dtype in (HALF, BRAIN, DOUBLE):
        call(f"{name}/{short(dtype)}", lambda a, b, f=function: f(a, b, reduction="none"),
             ((3, 4), dtype), ((3, 4), dtype), roundings=dtype is not DOUBLE and 3)
call("mse/broadcast", lambda a, b: F.mse_loss(a, b, reduction="none"), (3, 4), (4,))
call("l1/int", lambda a, b: F.l1_loss(a, b, reduction="sum"), ((3, 4), 0, 9), ((3, 4), 0, 9))
call("kl_div", lambda a, b: F.kl_div(a, b, reduction="batchmean"), (3, 4), likely((3, 4)), dynamic=BATCH)
call("kl_div/zero", lambda a, b: F.kl_div(a, b, reduction="none"), (2, 2), torch.tensor([[0.0, 1.0], [0.5, 2.0]]))
call("poisson/full", lambda a, b: F.poisson_nll_loss(a, b * 4, full=True, reduction="none"), (3, 4), likely((3, 4)))
call("poisson/plain", lambda a, b: F.poisson_nll_loss(a, b, log_input=False), likely((3, 4)), likely((3, 4)))
call("poisson/int", lambda a, b: F.poisson_nll_loss(a, b, full=True, reduction="none"), ((3, 4), 0, 5), ((3, 4), 0, 5))
for reduction in REDUCTIONS:
    call(f"entropy/{reduction}", lambda a, b, r=reduction: F.binary_cross_entropy(a, b, reduction=r),
         likely((3, 4)), likely((3, 4)), dynamic=BATCH)
call("entropy/certain", lambda a, b: F.binary_cross_entropy(a, b, reduction="none"),
     torch.tensor([0.0, 1.0, 0.0, 1.0]), torch.tensor([0.0, 0.0, 1.0, 1.0]))
call("entropy/weight", lambda a, b, w: F.binary_cross_entropy(a, b, w), likely((3, 4)), likely((3, 4)), (4,))
call("logits/weights", lambda a, b, w, p: F.binary_cross_entropy_with_logits(a, b, w, pos_weight=p),
     (3, 4), likely((3, 4)), (4,), (4,))
call("logits/large", lambda a, b: F.binary_cross_entropy_with_logits(a, b, reduction="none"),
     torch.tensor([-200.0, -50.0, 50.0, 200.0]), likely((4,)))
call("gaussian", lambda a, b, v: F.gaussian_nll_loss(a, b, v, full=True), (3, 4), (3, 4), likely((3, 4)))

# ---- of margins --------------------------------------------------------------------------------------

for reduction in REDUCTIONS:
    call(f"soft_margin/{reduction}", lambda a, b, r=reduction: F.soft_margin_loss(a, b, reduction=r), (3, 4),
         signs(3, 4), dynamic=BATCH)
    call(f"hinge/{reduction}", lambda a, b, r=reduction: F.hinge_embedding_loss(a, b, margin=0.7, reduction=r),
         (3, 4), signs(3, 4), dynamic=BATCH)
    call(f"ranking/{reduction}",
         lambda a, b, t, r=reduction: F.margin_ranking_loss(a, b, t, margin=0.3, reduction=r),
         (5,), (5,), signs(5), dynamic={0: {0: "n"}, 1: {0: "n"}, 2: {0: "n"}})
    call(f"cosine/{reduction}",
         lambda a, b, t, r=reduction: F.cosine_embedding_loss(a, b, t, margin=0.2, reduction=r),
         (3, 4), (3, 4), signs(3), dynamic={**BATCH, 2: {0: "batch"}})
    call(f"triplet/{reduction}", lambda a, p, n, r=reduction: F.triplet_margin_loss(a, p, n, reduction=r),
         (3, 4), (3, 4), (3, 4), dynamic={**BATCH, 2: {0: "batch"}})
    for p in (1, 2):
        call(f"multi_margin/{p}/{reduction}",
             lambda x, t, p=p, r=reduction: F.multi_margin_loss(x, t, p=p, margin=0.8, reduction=r),
             (3, 5), ((3,), 0, 5), dynamic=BATCH)
call("hinge/other-targets", lambda a, b: F.hinge_embedding_loss(a, b, reduction="none"), (6,),
     torch.tensor([1, -1, 0, 2, 1, -1]))
call("ranking/int", lambda a, b, t: F.margin_ranking_loss(a, b, t, reduction="none"), ((5,), 0, 9), ((5,), 0, 9),
     signs(5))
call("cosine/one", F.cosine_embedding_loss, (4,), (4,), torch.tensor(-1))
call("triplet/swap", lambda a, p, n: F.triplet_margin_loss(a, p, n, swap=True, p=3.0), (3, 4), (3, 4), (3, 4))
call("multi_margin/weight", lambda x, t, w: F.multi_margin_loss(x, t, weight=w), (3, 5), ((3,), 0, 5), (5,))
for name, loss in {"cosine_embedding": lambda a, t: F.cosine_embedding_loss(a, a + 1, t, margin=-0.5),
                   "hinge_embedding": lambda a, t: F.hinge_embedding_loss(a, t[:, None], margin=-0.5)}.items():
    call(f"{name}/bool-target", loss, (3, 4), ((3,), torch.bool))
LABELS = torch.tensor([[3, 0, -1, 1, 2], [-1, 0, 1, 2, 3], [4, 4, 2, 0, 1]])
for reduction in REDUCTIONS:
    call(f"multilabel_margin/{reduction}",
         lambda x, t, r=reduction: F.multilabel_margin_loss(x, t, reduction=r), (3, 5), LABELS)
call("multilabel_margin/one", F.multilabel_margin_loss, (5,), LABELS[0])
call("multi_margin/one", F.multi_margin_loss, (5,), torch.tensor([2]))

# ---- of classes --------------------------------------------------------------------------------------

TARGETS = torch.tensor([1, 4, -100, 0])
for name, function in {"nll": F.nll_loss, "cross_entropy": F.cross_entropy}.items():
    for reduction in REDUCTIONS:
        def reduced(x, t, f=function, r=reduction, **options):
            return f(x, t, reduction=r, **options)

        def weighted(x, t, w, f=reduced):
            return f(x, t, weight=w)

        call(f"{name}/{reduction}", reduced, (4, 5), TARGETS, dynamic=BATCH)
        call(f"{name}/weight/{reduction}", weighted, (4, 5), TARGETS, likely((5,)), dynamic=BATCH)
        call(f"{name}/image/{reduction}", weighted, (2, 5, 3, 4), ((2, 3, 4), 0, 5), likely((5,)),
             dynamic={0: {0: "batch", 2: "height"}, 1: {0: "batch", 1: "height"}})
        call(f"{name}/ignore/{reduction}", lambda x, t, f=reduced: f(x, t, ignore_index=2), (4, 5), ((4,), 0, 5))
        for dtype in (HALF, BRAIN, DOUBLE):
            call(f"{name}/{short(dtype)}/{reduction}", reduced, ((4, 5), dtype), TARGETS, roundings=2)
    call(f"{name}/one", function, (5,), torch.tensor(3))
    call(f"{name}/one/none", lambda x, t, f=function: f(x, t, reduction="none"), (5,), torch.tensor(3))
    call(f"{name}/all-ignored", function, (3, 5), torch.full((3,), -100))
    call(f"{name}/line", function, (2, 5, 3), ((2, 3), 0, 5))
for reduction in REDUCTIONS:
    def smooth(x, t, w=None, r=reduction):
        return F.cross_entropy(x, t, weight=w, reduction=r, label_smoothing=0.3)

    call(f"smooth/{reduction}", smooth, (4, 5), TARGETS, dynamic=BATCH)
    call(f"smooth/weight/{reduction}", smooth, (4, 5), TARGETS, likely((5,)))
    call(f"smooth/image/{reduction}", smooth, (2, 5, 3), ((2, 3), 0, 5), likely((5,)))
    call(f"probabilities/{reduction}", lambda x, t, r=reduction: F.cross_entropy(x, t, reduction=r),
         (4, 5), likely((4, 5)), dynamic=BATCH)
    call(f"probabilities/smooth/{reduction}", smooth, (4, 5), likely((4, 5)), likely((5,)), dynamic=BATCH)
    call(f"probabilities/image/{reduction}", smooth, (2, 5, 3), likely((2, 5, 3)), likely((5,)))

# ---- of sequences of classes -------------------------------------------------------------------------

WORDS = torch.tensor([[1, 1, 2], [3, 4, 9], [-5, 0, 0]])  # elements after the lengths are not read
INPUTS, LABELS_GIVEN = torch.tensor([6, 5, 4]), torch.tensor([3, 2, 0])
for reduction in REDUCTIONS:
    for blank in (0, 2):
        def aligned(x, t, n, k, r=reduction, b=blank):
            return F.ctc_loss(x.log_softmax(2), t, n, k, blank=b, reduction=r)

        call(f"ctc/{reduction}/{blank}", aligned, (6, 3, 5), torch.where(WORDS == blank, 1, WORDS), INPUTS,
             LABELS_GIVEN, dynamic={0: {0: "steps", 2: "classes"}})
        call(f"ctc/one-list/{reduction}/{blank}", aligned, (6, 3, 5), torch.tensor([1, 3, 1, 4, 4]), INPUTS.int(),
             LABELS_GIVEN.int())
    call(f"ctc/lengths/{reduction}",
         lambda x, t, r=reduction: F.ctc_loss(x.log_softmax(2), t, [6, 2, 3], [3, 2, 0], reduction=r), (6, 3, 5), WORDS)
    for zero in (True, False):
        call(f"ctc/too-short/{reduction}/{zero}",
             lambda x, t, n, k, r=reduction, z=zero: F.ctc_loss(
                 x.log_softmax(2), t, n, k, reduction=r, zero_infinity=z),
             (6, 3, 5), WORDS, torch.tensor([3, 6, 1]), LABELS_GIVEN,
             others=lambda: [[torch.randn(6, 3, 5), WORDS, torch.tensor([4, 2, 6]), torch.tensor([2, 1, 0])]])
    call(f"ctc/no-steps/{reduction}",
         lambda x, t, n, k, r=reduction: F.ctc_loss(x.log_softmax(2), t, n, k, reduction=r, zero_infinity=True),
         (6, 3, 5), WORDS, torch.tensor([0, 6, 0]), LABELS_GIVEN, needs=(2, 1))
    call(f"ctc/one/{reduction}", lambda x, t, n, k, r=reduction: F.ctc_loss(x.log_softmax(1), t, n, k, reduction=r),
         (6, 5), torch.tensor([1, 3]), torch.tensor(6), torch.tensor(2), dynamic={0: {0: "steps"}})
call("ctc/float64", lambda x, t, n, k: F.ctc_loss(x.log_softmax(2), t, n, k), ((6, 3, 5), DOUBLE), WORDS, INPUTS,
     LABELS_GIVEN)
call("ctc/one-step", lambda x, t, n, k: F.ctc_loss(x.log_softmax(2), t, n, k, reduction="none"), (1, 2, 5),
     torch.tensor([[1], [2]]), torch.tensor([1, 1]), torch.tensor([1, 0]))
call("ctc/impossible", lambda x, t, n, k: F.ctc_loss(x, t, n, k, reduction="none"),
     torch.tensor([[[0, 0.0]], [[0, -INF]], [[-1, -2]]]), torch.tensor([[1]]), torch.tensor([3]), torch.tensor([1]))
