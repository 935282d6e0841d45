"""Elements by their places in memory, elements repeated, and products of groups of rows."""

import torch
from torch import nn

from building import BATCH, Cases

CASES = Cases()
call, layer, script = CASES.call, CASES.layer, CASES.script
GROUPED = (2, 9)  # the PyTorch that multiplies groups on a CPU

# ---- aten::as_strided ------------------------------------------------------------------------------


def strided(*arguments):
    return lambda x: torch.as_strided(x, *arguments)


call("strided/whole", strided((3, 4), (4, 1)), (3, 4))
call("strided/transposed", strided((4, 3), (1, 4)), (3, 4))
call("strided/overlapping", strided((5, 4), (2, 1)), (12,))
call("strided/rows", strided((3, 4, 2), (8, 4, 1)), (8, 4))
call("strided/rows-overlap", strided((2, 3, 4, 2), (16, 4, 2, 1)), (2, 8, 2))
call("strided/offset", strided((2, 3), (3, 1), 2), (3, 4))
call("strided/scalar", strided((), (), 5), (3, 4))
call("strided/broadcast", strided((3, 4), (0, 1)), (3, 4))
call("strided/int8", strided((2, 2), (3, 1)), ((8,), torch.int8))
call("strided/bool", strided((2, 2), (3, 1)), ((8,), torch.bool))
call("strided/of-view", lambda x: x.transpose(0, 1).as_strided((2, 5), (1, 2)), (3, 4))
call("strided/of-slice", lambda x: x[1:, 1:].as_strided((2, 2), (4, 1)), (4, 4))
call("strided/of-slice-offset", lambda x: x[1:, 1:].as_strided((2, 2), (4, 1), 3), (4, 4))
call("strided/of-select", lambda x: x[1].as_strided((2, 2), (1, 1)), (3, 4))
call("strided/of-copy", lambda x: x.t().contiguous().as_strided((2, 5), (1, 2)), (3, 4))
call("strided/of-reshaped-copy", lambda x: x.t().reshape(-1).as_strided((5, 2), (2, 1)), (3, 4))
call("strided/of-reshaped-view", lambda x: x[:, :2].reshape(3, 1, 2).as_strided((2, 2), (3, 1)), (3, 4))
call("strided/of-flat-view", lambda x: x.view(2, 6).unsqueeze(1).as_strided((5, 2), (2, 1)), (3, 4))
call("strided/of-sum", lambda x, y: (x + y).as_strided((2, 5), (1, 2)), (3, 4), (3, 4))
call("strided/of-strange", lambda x, y: (x.t() + y).as_strided((2, 5), (1, 2)), (3, 4), (4, 3),
     refused="how its input lies in memory is not known at all sizes")
call("strided/of-strange-copy", lambda x, y: (x.t() + y).clone(memory_format=torch.contiguous_format).as_strided(
    (2, 5), (1, 2)), (3, 4), (4, 3))
call("strided/of-padded", lambda x: nn.functional.pad(x.t(), (1, 1)).as_strided((5, 2), (2, 1)), (3, 4))
call("strided/of-cut", lambda x: nn.functional.pad(x.t(), (-1, 0)).as_strided((2, 2), (2, 1)), (3, 4),
     refused="how its input lies in memory is not known at all sizes")
call("strided/of-cast", lambda x: x.double().as_strided((5, 2), (2, 1)), (3, 4))
call("strided/of-no-cast", lambda x, y: x.t().type_as(y).as_strided((5, 2), (2, 1)), (3, 4), (1,))
call("strided/of-filled", lambda x: x.t().masked_fill(x.t() > 0, 2).as_strided((5, 2), (2, 1)), (3, 4))
call("strided/of-dynamic", strided((3, 2), (2, 1)), (5, 4), dynamic=BATCH)
call("strided/of-dynamic-view", lambda x: x.view(-1).as_strided((3, 2), (2, 1), 1), (5, 4), dynamic=BATCH)
call("strided/dynamic-size", lambda x: x.as_strided((x.shape[0], 2), (4, 1)), (5, 4), dynamic=BATCH)
call("strided/dynamic-copy", lambda x: x.t().contiguous().as_strided((3, 2), (2, 1)), (5, 4), dynamic=BATCH,
     refused="how its input lies in memory is not known at all sizes")
call("strided/dynamic-slice", lambda x: x[1:].as_strided((3, 2), (2, 1)), (5, 4), dynamic=BATCH,
     refused="how its input lies in memory is not known at all sizes")
call("strided/copy", lambda x: torch.as_strided_copy(x, (4, 3), (1, 4)), (3, 4), needs=(2, 0))



def scattered(*arguments):
    return lambda x, y: torch.as_strided_scatter(x, y, *arguments)


call("strided/scatter", scattered((2, 3), (4, 1), 1), (3, 4), (2, 3))
call("strided/scatter/transposed", scattered((4, 3), (1, 4)), (3, 4), (4, 3))
call("strided/scatter/scalar", scattered((), ()), (3,), ())
call("strided/scatter/int8", scattered((2,), (3,)), ((8,), torch.int8), ((2,), torch.int8))
call("strided/scatter/bool", scattered((2,), (3,)), ((8,), torch.bool), ((2,), torch.bool))
call("strided/scatter/float16", scattered((2,), (3,)), ((8,), torch.float16), ((2,), torch.float16))
call("strided/scatter/twice", scattered((2, 2), (1, 1)), (3, 4), (2, 2),
     refused="some places are written more than once")
call("strided/scatter/dynamic", scattered((2,), (3,)), (3, 4), (2,), dynamic=BATCH)


def changed(x):
    x = x * 2
    x.as_strided((3,), (5,)).add_(1)
    return x


call("strided/changed", changed, (3, 4))
call("strided/after-change", lambda x: (x * 1).mul_(2).as_strided((5, 2), (2, 1)), (3, 4))


class Chunks(nn.Module):
    """Overlapping chunks, as in models with windowed attention."""

    def __init__(self):
        super().__init__()
        self.query = nn.Linear(12, 12)

    def forward(self, x):
        query = self.query(x.transpose(0, 1)) / 2.0
        query = query.view(16, x.shape[0], 3, 4).transpose(0, 1).transpose(1, 2)
        query = query.reshape(x.shape[0] * 3, 16, 4).view(x.shape[0] * 3, 2, 8, 4)
        size, stride = list(query.size()), list(query.stride())
        size[1], stride[1] = size[1] * 2 - 1, stride[1] // 2
        return query.as_strided(size=size, stride=stride)


for batch in (1, 2):
    layer(f"strided/chunks-{batch}", Chunks, (batch, 16, 12))
layer("strided/chunks-dynamic", Chunks, (2, 16, 12), dynamic=BATCH,
      refused="how its input lies in memory is not known at all sizes")


def chunked(x):
    """Overlapping chunks of rows, by the strides of a contiguous tensor."""
    x = x.reshape(x.size(0), x.size(1) // 4, 4, x.size(2))
    size, stride = list(x.size()), list(x.stride())
    size[1], stride[1] = size[1] * 2 - 1, stride[1] // 2
    return x.as_strided(size, stride)


def halved(x):
    return x.as_strided([2, x.size(1)], [x.stride(0), x.stride(-1)]) / x.stride(0)


def all_strides(x):
    return torch.tensor(x.stride()) + x.size(0)


def halved_columns(x):
    return halved(x.t())


ROWS = {0: {0: "batch", 1: "sequence"}}
script("strided/stride/all", chunked, (3, 8, 6), dynamic={0: {0: "batch", 2: "width"}})
script("strided/stride/one", halved, (3, 5), dynamic=ROWS)
script("strided/stride/alone", all_strides, (3, 5, 2), dynamic=ROWS)
script("strided/stride/transposed", halved_columns, (3, 5), dynamic=ROWS,
       refused="how its input lies in memory is not known at all sizes")

# ---- aten::repeat_interleave with a tensor of repeats -------------------------------------------------

REPEATS = torch.tensor([2, 0, 3])


def repeated(*arguments, **options):
    return lambda x: torch.repeat_interleave(x, REPEATS, *arguments, **options)


call("repeat/constant", repeated(0), (3, 4))
call("repeat/constant-last", repeated(-1), (4, 3), dynamic=BATCH)
call("repeat/constant-flat", repeated(), (3, 1))
call("repeat/constant-size", repeated(0, output_size=5), (3, 4), dynamic={0: {1: "width"}})
call("repeat/one-for-all", lambda x: torch.repeat_interleave(x, torch.tensor([2]), 1), (3, 4))
call("repeat/number-for-all", lambda x: torch.repeat_interleave(x, torch.tensor(2), 0), (3, 4))
call("repeat/int32", lambda x: torch.repeat_interleave(x, REPEATS.int(), 0), ((3, 4), torch.bool))
call("repeat/input", lambda x, n: torch.repeat_interleave(x, n, 0, output_size=5), (3, 4), REPEATS)
call("repeat/input-flat", lambda x, n: torch.repeat_interleave(x, n, output_size=5), (3,), REPEATS)
call("repeat/input-all-zero-but-one", lambda x, n: torch.repeat_interleave(x, n, 0, output_size=2), (3, 4),
     torch.tensor([0, 0, 2]))
call("repeat/input-int32", lambda x, n: torch.repeat_interleave(x, n, 0, output_size=5), (3, 4), REPEATS.int())
call("repeat/numbers", lambda n: torch.repeat_interleave(n, output_size=5), REPEATS)
call("repeat/numbers-int32", lambda n: torch.repeat_interleave(n, output_size=5), REPEATS.int())

# ---- aten::_grouped_mm -------------------------------------------------------------------------------


def grouped(x, y, ends):
    return torch._grouped_mm(x, y, offs=ends)


def ends_of(*ends):
    return torch.tensor(ends, dtype=torch.int32)


for dtype in (torch.float32, torch.bfloat16, torch.float16):
    name = str(dtype).removeprefix("torch.")
    call(f"grouped/rows-{name}", grouped, ((8, 16), dtype), ((4, 16, 8), dtype), ends_of(2, 2, 7, 8), needs=GROUPED)
    call(f"grouped/columns-{name}", grouped, ((3, 4, 16), dtype), ((16, 8), dtype), ends_of(0, 5, 8), needs=GROUPED)
    call(f"grouped/inner-{name}", grouped, ((8, 16), dtype), ((16, 8), dtype), ends_of(0, 4, 16), needs=GROUPED)
    call(f"grouped/batch-{name}", lambda x, y: torch._grouped_mm(x, y), ((3, 4, 16), dtype), ((3, 16, 8), dtype),
         needs=GROUPED)
call("grouped/one", grouped, (8, 16), (1, 16, 8), ends_of(8), needs=GROUPED)
call("grouped/transposed-weight", lambda x, w, e: torch._grouped_mm(x, w.transpose(1, 2), offs=e), (8, 16), (3, 8, 16),
     ends_of(1, 4, 8), needs=GROUPED)
call("grouped/tail", lambda x, w, e: torch._grouped_mm(x, w, offs=e)[:5], (8, 16), (3, 16, 8), ends_of(1, 4, 5),
     needs=GROUPED)
call("grouped/dynamic", lambda x, w, e: torch._grouped_mm(x, w, offs=e)[:4], (8, 16), (3, 16, 8), ends_of(1, 3, 4),
     dynamic={0: {0: "tokens"}}, needs=GROUPED)


class Experts(nn.Module):
    """Every token goes to its best experts, sorted by expert."""

    def __init__(self, experts=4, chosen=2):
        super().__init__()
        self.router = nn.Linear(8, experts, bias=False)
        self.up = nn.Parameter(torch.empty(experts, 16, 8))
        self.down = nn.Parameter(torch.empty(experts, 8, 16))
        self.experts, self.chosen = experts, chosen

    def forward(self, x):
        weights, experts = torch.topk(self.router(x).softmax(-1), self.chosen)
        order_of, perm = torch.sort(experts.reshape(-1))
        rows = x[perm // self.chosen]
        counts = torch.histc(order_of.float(), bins=self.experts, min=0, max=self.experts - 1)
        ends = torch.cumsum(counts, 0, dtype=torch.int32)
        rows = torch._grouped_mm(rows, self.up.transpose(-2, -1), offs=ends)
        rows = torch._grouped_mm(torch.relu(rows), self.down.transpose(-2, -1), offs=ends)
        rows = rows * weights.reshape(-1)[perm].unsqueeze(-1)
        inverse = torch.empty_like(perm)
        inverse[perm] = torch.arange(perm.size(0))
        return rows[inverse].view(x.size(0), self.chosen, 8).sum(1)


layer("grouped/experts", Experts, (6, 8), dynamic={0: {0: "tokens"}}, needs=GROUPED)
