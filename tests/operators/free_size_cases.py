"""Windows, shuffles, norms and heads whose numbers follow from sizes that are dynamic."""

import torch
import torch.nn.functional as F

from building import Cases

CASES = Cases()
call, script = CASES.call, CASES.script
ALL = {0: {0: "batch", 1: "channels", 2: "height", 3: "width"}}
PLANE = {0: {2: "height", 3: "width"}}
SERIES = {0: {0: "batch", 1: "channels", 2: "length"}}
VOLUME = {0: {0: "batch", 1: "channels", 2: "depth", 3: "height", 4: "width"}}


def sizes(*shapes):
    """Other arguments: tensors of these sizes."""
    return lambda: [[torch.randn(shape)] for shape in shapes]


ODD = sizes((1, 1, 1, 1), (1, 3, 7, 1), (3, 2, 1, 6), (2, 5, 13, 8))
EVEN = sizes((1, 1, 2, 2), (1, 3, 7, 2), (3, 2, 2, 6), (2, 5, 13, 8))

# ---- the whole plane ----------------------------------------------------------------------------------


def average(x):
    return F.avg_pool2d(x, x.size()[2:])


def largest(x):
    return F.max_pool2d(x, x.size()[2:])


def first_largest(x):
    return F.max_pool2d(x, x.size()[2:], return_indices=True)


def one_side(x):
    return F.max_pool2d(x, [x.size(2), 1]), F.avg_pool2d(x, [1, x.size(3)])


def of_another(x):
    """The sizes of its operand."""
    y = x.clamp(min=1e-6).pow(3)
    return F.avg_pool2d(y, [x.size(2), x.size(3)]).pow(1 / 3)


def with_numbers(x):
    """A stride that does not matter, ceil_mode, and a divisor."""
    y = F.avg_pool2d(x, [x.size(2), x.size(3)], stride=[2, 3], ceil_mode=True)
    return y, F.avg_pool2d(x, [x.size(2), x.size(3)], divisor_override=5)


for name, function in {"average": average, "largest": largest, "indices": first_largest, "side": one_side,
                       "another": of_another, "numbers": with_numbers}.items():
    call(f"pool-whole/{name}", function, (2, 3, 5, 6), dynamic=ALL, others=ODD)
    script(f"pool-whole/{name}/scripted", function, (2, 3, 5, 6), dynamic=ALL, others=ODD)
for dtype in (torch.float64, torch.float16, torch.bfloat16):
    call(f"pool-whole/average/{dtype}", average, ((2, 3, 5, 6), dtype), dynamic=ALL)
for dtype in (torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.uint8):
    call(f"pool-whole/indices/{dtype}", first_largest, ((2, 3, 5, 6), dtype), dynamic=ALL)
call("pool-whole/average/int64", average, ((2, 3, 5, 6), torch.int64), dynamic=ALL,
     refused="it is not supported for int64")
call("pool-whole/unbatched", lambda x: F.max_pool2d(x, x.size()[1:], return_indices=True), (3, 5, 6),
     dynamic={0: {0: "channels", 1: "height", 2: "width"}})
call("pool-whole/1d", lambda x: (F.avg_pool1d(x, x.size()[2:]), F.max_pool1d(x, x.size()[2:])), (2, 3, 5),
     dynamic=SERIES)
call("pool-whole/1d-unbatched", lambda x: F.avg_pool1d(x, x.size()[1:]), (3, 5), dynamic={0: {1: "length"}})
call("pool-whole/3d", lambda x: (F.avg_pool3d(x, x.size()[2:]), F.max_pool3d(x, x.size()[2:])), (2, 3, 4, 5, 6),
     dynamic=VOLUME)
call("pool-whole/3d-indices", lambda x: F.max_pool3d(x, x.size()[2:], return_indices=True), (2, 3, 4, 5, 6),
     dynamic=VOLUME)

# ---- formulas of a size ---------------------------------------------------------------------------------


def halves(x):
    h, w = x.size(2) // 2, x.size(3) // 2
    return F.avg_pool2d(x, [h, w]), F.max_pool2d(x, [h, w])


def overlapping(x):
    """Windows of two thirds that slide by a third."""
    h, w = x.size(2) // 3 + 1, x.size(3) // 3 + 1
    y, index = F.max_pool2d(x, [2 * h - 1, 2 * w - 1], stride=[h, w], return_indices=True)
    return F.avg_pool2d(x, [2 * h - 1, 2 * w - 1], stride=[h, w]), y, index


def padded(x):
    """Padding of a quarter around windows of a half."""
    h, w = x.size(2) // 4, x.size(3) // 4
    y, index = F.max_pool2d(x, [2 * h + 1, 2 * w + 1], stride=[1, 2], padding=[h, w], return_indices=True)
    counted = F.avg_pool2d(x, [2 * h + 1, 2 * w + 1], stride=[1, 2], padding=[h, w])
    return y, index, counted, F.avg_pool2d(x, [2 * h + 1, 2 * w + 1], stride=[1, 2], padding=[h, w],
                                           count_include_pad=False)


def dilated(x):
    return F.max_pool2d(x, 2, stride=1, dilation=[x.size(2) // 2, x.size(3) // 2])


def mixed(x):
    """One axis whole, one in windows of three with padding."""
    y = F.avg_pool2d(x, [x.size(2), 3], stride=[1, 2], padding=[0, 1], count_include_pad=False)
    return y, F.max_pool2d(x, [x.size(2), 3], stride=[1, 2], padding=[0, 1])


for name, function in {"halves": halves, "overlapping": overlapping, "padded": padded, "dilated": dilated,
                       "mixed": mixed}.items():
    others = EVEN if name in ("halves", "dilated") else ODD
    call(f"pool-formula/{name}", function, (2, 3, 8, 9), dynamic=ALL, others=others)
    script(f"pool-formula/{name}/scripted", function, (2, 3, 8, 9), dynamic=PLANE)
call("pool-formula/quarters-1d", lambda x: F.max_pool1d(x, [x.size(2) // 4], stride=[2]), (2, 3, 12), dynamic=SERIES)
call("pool-formula/ceil", lambda x: F.max_pool2d(x, [x.size(2) // 2, x.size(3) // 2], ceil_mode=True),
     (2, 3, 8, 9), dynamic=PLANE, refused="ceil_mode is not supported with a window that depends on the input")

# ---- pixels and channels ----------------------------------------------------------------------------------


def doubled(x, dims):
    for dim in dims:
        x = torch.cat([x, x + 1], dim)
    return x


call("channel_shuffle", lambda x: F.channel_shuffle(doubled(x, [1]), 2), (2, 3, 4, 5), dynamic=ALL, others=ODD)
call("channel_shuffle/series", lambda x: F.channel_shuffle(doubled(x, [1]), 2), (2, 3, 4), dynamic=SERIES)
call("pixel_unshuffle", lambda x: F.pixel_unshuffle(doubled(x, [2, 3]), 2), (2, 3, 4, 5), dynamic=ALL, others=ODD)
call("pixel_unshuffle/unbatched", lambda x: F.pixel_unshuffle(doubled(x, [1, 2]), 2), (3, 4, 5),
     dynamic={0: {0: "channels", 1: "height"}})
call("pixel_shuffle", lambda x: F.pixel_shuffle(doubled(x, [1, 1]), 2), (2, 3, 4, 5), dynamic=ALL, others=ODD)

# ---- windows as columns, and back ---------------------------------------------------------------------------


def there_and_back(x):
    columns = F.unfold(x, (2, 3), padding=(1, 2), stride=(1, 2))
    return F.fold(columns, (x.size(2), x.size(3)), (2, 3), padding=(1, 2), stride=(1, 2))


def widened(x):
    """Overlap-add of columns."""
    n = x.size(2)
    return F.fold(x, (1, (n - 1) * 2 + 4), (1, 4), stride=(1, 2)).squeeze(2)


for dtype in (torch.float32, torch.float16, torch.float64):
    call(f"unfold/{dtype}", lambda x: F.unfold(x, (2, 3), padding=(1, 2)), ((2, 3, 5, 6), dtype), dynamic=ALL,
         others=lambda: [] if dtype != torch.float32 else ODD())
    call(f"fold/{dtype}", there_and_back, ((2, 3, 5, 6), dtype), dynamic=ALL, roundings=2)
    script(f"fold/widened/{dtype}", widened, ((2, 8, 5), dtype), dynamic={0: {0: "batch", 2: "windows"}},
           roundings=2)
script("fold/scripted", there_and_back, (2, 3, 5, 6), dynamic=ALL, others=ODD)

# ---- norms and heads ----------------------------------------------------------------------------------------


def scaled_norm(x, weight, bias):
    return F.instance_norm(x, weight=weight, bias=bias, eps=1e-3)


WEIGHTS = {0: {0: "batch", 1: "channels", 2: "height", 3: "width"}, 1: {0: "channels"}, 2: {0: "channels"}}
for dtype in (torch.float32, torch.float16, torch.float64):
    call(f"instance_norm/{dtype}", lambda x: F.instance_norm(x), ((2, 3, 5, 6), dtype), dynamic=ALL, roundings=2)
    call(f"instance_norm/affine/{dtype}", scaled_norm, ((2, 3, 5, 6), dtype), ((3,), dtype), ((3,), dtype),
         dynamic=WEIGHTS, roundings=2)
call("instance_norm/statistics", lambda x, m, v: F.instance_norm(x, m, v.abs() + 1, use_input_stats=False),
     (2, 3, 5, 6), (3,), (3,), dynamic=WEIGHTS)
call("instance_norm/1d", lambda x: F.instance_norm(x), (2, 3, 5), dynamic=SERIES)
call("instance_norm/3d", lambda x: F.instance_norm(x), (2, 3, 4, 5, 6), dynamic=VOLUME)
call("batch_norm/batch", lambda x: F.batch_norm(x, None, None, training=True), (2, 3, 5, 6), dynamic=ALL)

HEADS = {0: {0: "batch", 1: "heads", 2: "rows", 3: "features"}, 1: {0: "batch", 1: "heads", 2: "keys", 3: "features"},
         2: {0: "batch", 1: "heads", 2: "keys", 3: "values"}}


def attention(**options):
    return lambda q, k, v: F.scaled_dot_product_attention(q, k, v, **options)


for name, options in {"plain": {}, "causal": {"is_causal": True}, "scale": {"scale": 0.3},
                      "scale-zero": {"scale": 0.0}}.items():
    for dtype in (torch.float32, torch.float64, torch.float16):
        call(f"attention/{name}/{dtype}", attention(**options), ((2, 4, 3, 8), dtype), ((2, 4, 5, 8), dtype),
             ((2, 4, 5, 6), dtype), dynamic=HEADS, needs=(2, 1), roundings=2)
GROUPS = {0: {0: "batch", 2: "rows", 3: "features"}, 1: {0: "batch", 2: "keys", 3: "features"},
          2: {0: "batch", 2: "keys", 3: "values"}}
call("attention/grouped", attention(enable_gqa=True), (2, 6, 3, 8), (2, 2, 5, 8), (2, 2, 5, 7), dynamic=GROUPS,
     needs=(2, 5))
call("attention/grouped/free",
     lambda q, k, v: F.scaled_dot_product_attention(doubled(q, [1]), k, v, enable_gqa=True),
     (2, 3, 3, 8), (2, 3, 5, 8), (2, 3, 5, 7), dynamic=HEADS, needs=(2, 5))

# ---- parts --------------------------------------------------------------------------------------------------


def halves_of(x):
    n = x.size(2) // 2
    first, second = x.split([n, x.size(2) - n], 2)
    return first.mean(2) - second.mean(2)


def rounded_halves(x):
    first, second = x.split((x.size(2) + 1) // 2, 2)
    return first.sum(2) - second.sum(2)


def first_and_last(x):
    """The first half, and the rest after the second half of an odd size."""
    parts = x.split(x.size(2) // 2, 2)
    return parts[0] * 2, parts[-1] * 3


def split_at(x):
    n = x.size(2)
    a, b, c = torch.tensor_split(x, [n // 3, -(n // 4)], 2)
    return a.mean(2), b, c.sum(2)


def split_evenly(x):
    a, b, c = torch.tensor_split(x, 3, 2)
    return a, b.mean(2), c.sum(2)


def classes_of(x):
    return F.one_hot(x.argmax(1), x.size(1)).sum(1)


LONG = sizes((1, 1, 2, 1), (1, 3, 7, 1), (3, 2, 12, 6), (2, 5, 13, 8))
for name, function in {"halves": halves_of, "rounded-halves": rounded_halves, "at": split_at,
                       "evenly": split_evenly, "classes": classes_of}.items():
    script(f"split/{name}", function, (2, 3, 8, 5), dynamic=ALL, others=LONG)
call("split/at/traced", split_at, (2, 3, 8, 5), dynamic=ALL, others=LONG)
call("split/evenly/traced", split_evenly, (2, 3, 8, 5), dynamic=ALL, others=LONG)
script("split/first-and-last", first_and_last, (2, 3, 8, 5), dynamic=ALL, others=LONG)
call("split/hsplit", lambda x: doubled(x, [1]).hsplit(2)[1], (2, 3, 5), dynamic={0: {0: "batch", 1: "length"}})
