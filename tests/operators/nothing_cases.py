"""Empty selections by data: the mean of nothing is NaN."""

import torch
from building import Cases
from torch.nn import functional as F

CASES = Cases()
X = torch.arange(20.0).reshape(5, 4).cos()
DYNAMIC = {0: {0: "rows"}}


def others():
    return [[-X.abs() - 0.1], [X.abs() + 0.1], [torch.full((5, 4), -1.0)]]


def selected(function):
    """A function of the elements above 0, and of the rows that begin with one."""
    return lambda x: function(x[x > 0], x[x[:, 0] > 0])


for name, function in {
    "mean": lambda x, rows: (x.mean(), rows.mean(), rows.mean(0), rows.mean(1), rows.mean((0, 1), keepdim=True)),
    "mean/float16": lambda x, rows: (x.half().mean(), rows.half().mean(0, keepdim=True)),
    "mean/float64": lambda x, rows: (x.double().mean(), rows.mean(0, dtype=torch.float64)),
    "mean/part": lambda x, rows: (rows[:, :2].mean(0), torch.stack([rows, rows]).mean(1), rows[1:].mean(0)),
    "variance": lambda x, rows: (*torch.var_mean(rows, 0), *torch.std_mean(x), rows.var(0), x.std(unbiased=False)),
    "nanmean": lambda x, rows: (x.nanmean(), rows.nanmean(0)),
    "losses": lambda x, rows: (F.mse_loss(x, x + 1), F.l1_loss(rows, rows + 1), F.smooth_l1_loss(x, x + 1),
                               F.huber_loss(x, x + 1), F.soft_margin_loss(x, x)),
    "losses/more": lambda x, rows: (F.binary_cross_entropy_with_logits(x, x), F.kl_div(rows, rows),
                                    F.poisson_nll_loss(x, x), F.hinge_embedding_loss(x, x)),
    "losses/float16": lambda x, rows: F.mse_loss(x.half(), x.half() + 1),
    "class-losses": lambda x, rows: (F.cross_entropy(rows, rows.argmax(1)), F.nll_loss(rows, rows.argmax(1)),
                                     F.multilabel_soft_margin_loss(rows, rows)),
    "sums": lambda x, rows: (x.sum(), rows.prod(0), rows.norm(dim=0), rows.logsumexp(0), rows.any(0), rows.all(0)),
    "search": lambda x, rows: (torch.bucketize(rows, torch.tensor([0.0, 1.0])),
                               torch.searchsorted(torch.tensor([-1.0, 0.0, 1.0]), rows, right=True)),
    "bessel": lambda x, rows: (torch.special.i0e(rows), torch.special.modified_bessel_k0(rows + 2)),
    "attention": lambda x, rows: F.scaled_dot_product_attention(
        rows[:, None], rows[:, None], rows[:, None], attn_mask=(rows > 0).all(1)[:, None, None]),
}.items():
    CASES.call(name, selected(function), X, others=others)

# Over the rest of an axis.
CASES.call("mean/behind", lambda x: (x[3:].mean(0), x[:, 2:].mean((0, 1))), X, dynamic=DYNAMIC,
           others=lambda: [[torch.randn(rows, 4)] for rows in (2, 3, 4, 9)])
CASES.call("losses/behind", lambda x: F.mse_loss(x[3:], x[3:] * 2), X, dynamic=DYNAMIC,
           others=lambda: [[torch.randn(rows, 4)] for rows in (2, 3, 4, 9)])
