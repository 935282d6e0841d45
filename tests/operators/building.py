"""Building blocks for files of cases.

A case is a dict: name; module, a function that returns a module or a function; inputs, a function that returns the
arguments; dynamic, {argument: {axis: name}}; refused, the reason with which the exporter must refuse it.
tests/cases/exports/test_operators.py lists the other keys.
"""

import torch

BATCH = {0: {0: "batch"}}
X = torch.arange(12.0).reshape(3, 4) - 5  # decides a program's branches


def leaves(value) -> list:
    """The tensors and numbers of what a model takes or returns."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [leaf for item in value for leaf in leaves(item)]
    return [] if value is None else [value]


def signs():
    """Other arguments than X: negative, positive, zero."""
    return [[-X.abs() - 1], [X.abs() + 1], [torch.zeros(3, 4)]]


def counts(*numbers, first=(X,)):
    """Other arguments: each of the numbers after the first ones."""
    return lambda: [[*first, torch.tensor(n)] for n in numbers]


def tensor(spec):
    """A tensor of a shape (float32, normal), of (shape, dtype), or of (shape, low, high) integers; a tensor or a
    number is unchanged."""
    if isinstance(spec, (torch.Tensor, bool, int, float)):
        return spec
    if spec and isinstance(spec[0], tuple):
        if len(spec) == 3:
            return torch.randint(spec[1], spec[2], spec[0])
        if spec[1] is torch.bool:
            return torch.rand(spec[0]) > 0.4
        if spec[1].is_complex:
            return torch.randn(spec[0], dtype=spec[1])
        if not spec[1].is_floating_point:
            return torch.randint(0, 9, spec[0]).to(spec[1])
        return torch.randn(spec[0]).to(spec[1])
    return torch.randn(spec)


def seeded(specs):
    torch.manual_seed(1)
    return tuple(tensor(spec) for spec in specs)


def randomized(module):
    """The module in eval mode, with parameters and statistics that are not the initial ones."""
    torch.manual_seed(2)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.randn_like(parameter) * 0.5)
        for buffer in module.buffers():
            if buffer.is_floating_point():
                buffer.copy_(torch.rand_like(buffer) + 0.5)
    return module.eval()


class Cases(list):
    """A list of cases under construction."""

    def add(self, name, module, *specs, **options):
        """Adds a case; module() makes the module or function. Options are further keys."""
        case = {"name": name, "module": module, "inputs": lambda: seeded(specs)}
        self.append(case | {key: value for key, value in options.items() if value})

    def call(self, name, function, *specs, **options):
        """Adds a case that calls a function."""
        self.add(name, lambda: function, *specs, **options)

    def script(self, name, function, *specs, **options):
        """Adds a case that scripts a function or a module."""
        self.call(name, function, *specs, script=True, **options)

    def layer(self, name, make, *specs, **options):
        """Adds a case of a torch.nn module."""
        self.add(name, lambda: randomized(make()), *specs, **options)
