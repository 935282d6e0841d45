"""How the files of idioms write theirs down.

An idiom is a dict:
  name      unique among all
  make      a function that returns a module, or a function of tensors
  inputs    what each argument is: an Input
  fixed     names of axes that cannot be dynamic; all others are
  scripted_fixed  the same of the scripted program, where it differs
  multiple  what heights and widths, or lengths, are multiples of
  least     the smallest height, width or length
  script    False: not an idiom of scripted code
  needs     the PyTorch that has what it uses: (2, 0)
"""

from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class Input:
    """A tensor: its dims are numbers and names of axes."""

    dims: tuple
    dtype: torch.dtype = torch.float32
    low: int = 0
    high: int = 2  # numbers are below

    def __call__(self, sizes: dict) -> torch.Tensor:
        shape = [sizes.get(dim, dim) for dim in self.dims]
        if self.dtype.is_floating_point:
            return torch.randn(shape, dtype=self.dtype)
        return torch.randint(self.low, self.high, shape).to(self.dtype)


def floats(*dims) -> Input:
    return Input(dims)


def ids(*dims, below: int = 50) -> Input:
    return Input(dims, torch.int64, 0, below)


def flags(*dims, dtype=torch.bool) -> Input:
    return Input(dims, dtype)


def image(channels=3) -> Input:
    return floats("batch", channels, "height", "width")


FREE_IMAGE = image("channels")


def tokens(features=16) -> Input:
    return floats("batch", "sequence", features)


FREE_TOKENS = tokens("features")

# The sizes of a small example and of an ordinary one, and two others at which numbers are compared.
SIZES = {
    "batch": (2, 1, 3, 1), "channels": (8, 8, 12, 16), "features": (16, 16, 24, 8),
    "height": (16, 112, 24, 13), "width": (16, 112, 20, 17), "sequence": (8, 256, 11, 5),
    "length": (8, 256, 13, 6), "time": (4, 16, 5, 3), "depth": (8, 16, 10, 7), "samples": (512, 4096, 700, 641),
}
SMALL, ORDINARY = 0, 1
SMALL_SIZE, ORDINARY_SIZE, SCRIPTED = KINDS = ("small", "ordinary", "scripted")
EXTENTS = ("height", "width", "sequence", "length", "time", "depth", "samples")


class Idioms(list):
    """A list of idioms under construction."""

    def add(self, name, make, *inputs, **options):
        """Adds an idiom: a module class, or what makes a module."""
        self.append({"name": name, "make": make, "inputs": inputs, **options})

    def call(self, name, function, *inputs, **options):
        """Adds an idiom that is a function."""
        self.add(name, lambda: function, *inputs, **options)


def axes_of(idiom: dict) -> list:
    """The names of the axes, each once."""
    return list(dict.fromkeys(dim for one in idiom["inputs"] for dim in one.dims if isinstance(dim, str)))


def fixed_of(idiom: dict, is_scripted: bool) -> tuple:
    fixed = idiom.get("fixed", ())
    return idiom.get("scripted_fixed", fixed) if is_scripted else fixed


def sizes_of(idiom: dict, which: int) -> dict:
    """The sizes of the axes: the multiples that the idiom asks for, from its least on."""
    made = {}
    step, least = idiom.get("multiple", 1), idiom.get("least", 1)
    for name in axes_of(idiom):
        size = SIZES[name][which]
        made[name] = -(-max(size, least) // step) * step if name in EXTENTS else size
    return made


def examples(idiom: dict, kind: str) -> list:
    """Arguments at the sizes of the example, and at two others with what is fixed as it was."""
    is_scripted = kind == SCRIPTED
    traced = sizes_of(idiom, ORDINARY if kind == ORDINARY_SIZE else SMALL)
    kept = {name: traced[name] for name in fixed_of(idiom, is_scripted)}
    torch.manual_seed(3)
    return [tuple(one(sizes | kept) for one in idiom["inputs"])
            for sizes in (traced, *(sizes_of(idiom, which) for which in (2, 3)))]
