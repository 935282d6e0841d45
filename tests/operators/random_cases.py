"""Random operators: they are refused, with the reason."""

import torch
from torch import nn
from torch.nn import functional

from building import Cases

CASES = Cases()
call, layer = CASES.call, CASES.layer
ODDS = torch.tensor([[0.1, 0.5, 0.9]])

for name, function in [
    ("rand", lambda x: x + torch.rand(3)),
    ("rand_like", lambda x: x + torch.rand_like(x)),
    ("randn", lambda x: x + torch.randn(3)),
    ("randn_like", lambda x: x + torch.randn_like(x)),
    ("randint", lambda x: x + torch.randint(0, 9, (3,))),
    ("randint-low", lambda x: x + torch.randint(9, (3,))),
    ("randint_like", lambda x: x + torch.randint_like(x, 9)),
    ("randperm", lambda x: x[:, torch.randperm(3)]),
    ("normal", lambda x: torch.normal(x, 1.0)),
    ("normal-sizes", lambda x: x + torch.normal(0.0, 1.0, (3,))),
    ("normal-in-place", lambda x: (x + 0).normal_()),
    ("uniform", lambda x: (x + 0).uniform_(0, 1)),
    ("random", lambda x: (x + 0).random_(3)),
    ("exponential", lambda x: (x + 0).exponential_()),
    ("bernoulli", torch.bernoulli),
    ("bernoulli-p", lambda x: torch.bernoulli(x, 0.5)),
    ("bernoulli-in-place", lambda x: (x + 0).bernoulli_(0.5)),
    ("multinomial", lambda x: torch.multinomial(x, 2)),
    ("poisson", torch.poisson),
]:
    call(f"refused/{name}", function, ODDS, refused="it draws random numbers")
for name in ("dropout", "alpha_dropout"):
    function = getattr(functional, name)
    call(f"{name}/training", lambda x, f=function: f(x, 0.5, True), ODDS, refused="it is in training mode")
    call(f"{name}/inference", lambda x, f=function: f(x, 0.5, False), ODDS)
    call(f"{name}/nothing", lambda x, f=function: f(x, 0.0, True), ODDS)
call("feature_dropout/training", lambda x: torch.feature_dropout(x, 0.5, True), (1, 2, 3),
     refused="it is in training mode")
layer("Dropout2d", lambda: nn.Dropout2d(0.3), (1, 2, 3, 3))
