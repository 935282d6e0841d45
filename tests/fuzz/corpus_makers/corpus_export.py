"""The initial corpus of whole exports: programs that PyTorch itself wrote, with the weights that the fuzzer provides, w
of sizes (2,) and b of (3, 2). It needs PyTorch."""

import io
import json
import math
import zipfile

from corpus_exported import programs

DROPPED = {"stack_trace", "torch_fn", "from_node"}


def without(value, names: set):
    if isinstance(value, dict):
        return {key: without(item, names) for key, item in value.items() if key not in names}
    return [without(item, names) for item in value] if isinstance(value, list) else value


def saved(torch, forward, args, dynamic=None, kwargs=None, decomposed=False) -> bytes:
    """The JSON of a module with this forward(), without what the fuzzer would only lose time with."""
    def init(self):
        torch.nn.Module.__init__(self)
        self.w = torch.nn.Parameter(torch.tensor([1., 2.]))
        self.register_buffer("b", torch.arange(6.).reshape(3, 2) + 1)

    net = type("Net", (torch.nn.Module,), {"__init__": init, "forward": forward})()
    program = torch.export.export(net, args, kwargs, dynamic_shapes=dynamic)
    file = io.BytesIO()
    torch.export.save(program.run_decompositions() if decomposed else program, file)
    with zipfile.ZipFile(file) as archive:
        text = archive.read(next(name for name in archive.namelist() if "/models/" in name))
    return json.dumps(without(json.loads(text), DROPPED), separators=(",", ":")).encode()


def in_place(x):
    y = x.clone()
    y[:, 0].fill_(3.)
    y.transpose(0, 1).mul_(2)
    y.diagonal(0, 1, 2).zero_()
    return y


def parts_in_place(x):
    y = x.clone()
    for part in y.split(1, 1):
        part.add_(1)
    y.unbind(0)[0].neg_()
    y.chunk(2, 2)[1].exp_()
    return y


def turned_in_place(x):
    y = x.clone()
    y[:, 1:, 0].narrow(1, -1, 1).add_(1)
    y.permute(2, 0, 1)[..., ::2].mul_(2)
    y.swapaxes(0, 1)[0].neg_()
    return y


def reshaped_in_place(x):
    y = x.clone()
    y.view(4, 6).unsqueeze(0).squeeze(0)[0].sub_(1)
    y.view(2, 2, 3, 2).detach()[0].mul_(3)
    y.unflatten(0, (2, 2))[1, 0].exp_()
    return y


def turned_whole(x):
    y = x.clone()[0]
    y.add_(1)
    return y.t_()


def complex_in_place(torch, x):
    y = torch.view_as_complex(x.clone())
    torch.view_as_real(y)[..., 0].add_(1)
    z = x.clone()
    torch.view_as_complex(z)[0].mul_(2)
    return y.real, z


def made_by_pytorch() -> dict:
    import torch
    from functorch.experimental.control_flow import map as mapped
    from torch._higher_order_ops.scan import scan
    from torch._higher_order_ops.while_loop import while_loop
    from torch.nn import functional as F

    def item(self, x, n):
        k = n.item()
        torch._check(k >= 0)
        torch._check(k <= 4)
        return x[:k] * self.w

    def autocast(self, x):
        with torch.autocast("cpu", torch.bfloat16):
            return x @ self.w

    def state(self, x):
        self.b.add_(1)
        return x * self.b

    def given(self, x, *, k=None, d=None, f=1.5):
        return {"a": x * f, "b": (d["q"][0], x.shape[0])}

    def gru(self, x):
        return torch.gru(x, torch.zeros(1, 3, 2), [torch.ones(6, 2), torch.ones(6, 2)], False, 1, 0., False, False, False)

    def counted(self, x):
        return while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * self.w + x), (x[0, 0, 0].long(), x))

    def data_sizes(self, x):
        found = x[x > 0]
        part = found[: found.shape[0] // 2]
        return torch.cat([part, x.repeat_interleave(torch.arange(4), dim=0).flatten(), x.nonzero().sum(1)])

    def two_changed(self, x, y):
        z = x.clone()
        torch.frexp(y, out=(z, torch.empty(0, dtype=torch.int32)))
        return z

    def formats(self, x):
        y = x[None].contiguous(memory_format=torch.channels_last).to(torch.float32).type_as(x)
        a, b = torch.meshgrid(y[0, 0, 0], y[0, 0, 1], indexing="ij")
        return F.pixel_shuffle(y.transpose(1, 2).reshape(1, 4, 3, 2)[:, :, :2], 2), a + b, torch.atleast_2d(x[0, 0])

    def symbols(self, x):
        n = torch.sym_max(x.shape[0], x.shape[1]) + torch.sym_min(x.shape[0], 3) - (-x.shape[1]) // 2
        return x * math.sqrt(n) + x.new_ones(x.shape[0] * 2 % 7 + 2, 1, 1).sum() + x.shape[0] / 2

    def kept(self, x):
        y = F.dropout(x.contiguous(), 0.5, False)
        y[0].add_(1)
        return y

    x = torch.ones(4, 3, 2)
    size, other = torch.export.Dim("s", min=2, max=64), torch.export.Dim("t", min=2)
    auto = torch.export.Dim.AUTO
    rows = {
        "args": (given, (x,), None, {"k": None, "d": {"q": [x, 2]}, "f": 2.5}),
        "strided": (lambda self, x: x.as_strided((2, 2), (1, 2), 1) + self.w.as_strided((2, 2), (0, 1)), (x,)),
        "autocast": (autocast, (x,)),
        "changed": (two_changed, (x, x)),
        "complex": (lambda self, x: torch.view_as_real(torch.fft.rfft(torch.view_as_complex(x).real, dim=1) * 2j), (x,)),
        "complex_in_place": (lambda self, x: complex_in_place(torch, x), (x,)),
        "cond": (lambda self, x: torch.cond(x.sum() > 0, lambda x: x + self.w, lambda x: x - self.w, (x,)), (x,)),
        "conv": (lambda self, x: F.conv1d(x, self.b[None, :, :1].repeat(2, 1, 1), None, 1, 1).softmax(-1), (x,), ({0: size},)),
        "data_sizes": (data_sizes, (x,)),
        "decomposed": (lambda self, x: F.batch_norm(x, self.b[:, 0], self.b[:, 1].abs()), (x,), None, None, True),
        "divided": (lambda self, x: x.reshape(x.shape[0] // 2, 2, 3, 2).mean((1, 2)), (x,),
                    ({0: 2 * torch.export.Dim("h", min=1, max=9)},)),
        "dropout": (lambda self, x: F.dropout(x, 0.5, True) + torch.rand_like(x), (x,)),
        "dtypes": (lambda self, x: (x.half().int().bool(), x.to(torch.float64), x.to(torch.uint8)), (x,)),
        "dynamic": (lambda self, x: (x + self.b).reshape(-1, 2) * self.w, (x,), ({0: size},)),
        "einsum": (lambda self, x: torch.einsum("abc,c->ab", x, self.w), (x,), ({0: size},), None, True),
        "flat": (lambda self, x: torch.cat([x, x], 0).flatten(0, 1)[1::2], (x,), ({0: size, 1: other},)),
        "formats": (formats, (x,)),
        "gru": (gru, (x,)),
        "guards": (lambda self, x: x if x.shape[0] % 3 == 1 and x.shape[1] < 9 else x * 2, (x,), ({0: auto, 1: auto},)),
        "in_place": (lambda self, x: in_place(x), (x,)),
        "interpolate": (lambda self, x: F.interpolate(x, scale_factor=2.0, mode="linear"), (x,), ({2: size, 0: other},)),
        "kept": (kept, (x,)),
        "item": (item, (x, torch.tensor(2))),
        "list": (lambda self, xs: torch.stack(xs).sum(0), ([x, x + 1],)),
        "map": (lambda self, x: mapped(lambda a, w: a.sin() * w, x, self.w), (x,)),
        "nonzero": (lambda self, x: x[x > 0].sum() + x.nonzero().size(0), (x,)),
        "norm": (lambda self, x: F.batch_norm(F.layer_norm(x, (2,), self.w), self.b[:, 0], self.b[:, 1].abs(), training=True), (x,)),
        "numbers": (lambda self, x: x * (x.shape[0] ** 0.5) + x.shape[1] / 2, (x,), ({0: size, 1: other},)),
        "padded": (lambda self, x: F.pad(x, (0, (-x.shape[2]) % 4, 0, 0)), (x,), ({2: size},)),
        "parts": (lambda self, x: parts_in_place(x), (x,)),
        "reshaped": (lambda self, x: reshaped_in_place(x), (x,)),
        "scan": (lambda self, x: scan(lambda c, v: (c + v, (c * v).clone()), torch.zeros(3, 2), x), (x,)),
        "sdpa": (lambda self, x: F.scaled_dot_product_attention(x, x, x, is_causal=True), (x,), ({1: size},)),
        "size": (lambda self, x, n: x.new_zeros(n, 2) + self.w, (x, 3), ({}, torch.export.Dim.DYNAMIC)),
        "state": (state, (x,)),
        "symbols": (symbols, (x,), ({0: size, 1: other},)),
        "turned": (lambda self, x: turned_in_place(x), (x,)),
        "whole": (lambda self, x: turned_whole(x), (x,)),
        "while": (counted, (x,)),
    }
    return {name: saved(torch, *row) for name, row in rows.items()}


def returning_nothing(text: bytes) -> bytes:
    """A program whose last body of an operator with bodies returns nothing."""
    document = json.loads(text)
    arguments = [given["arg"] for node in document["graph_module"]["graph"]["nodes"] for given in node["inputs"]]
    bodies = [argument["as_graph"]["graph"] for argument in arguments if "as_graph" in argument]
    bodies[-1]["outputs"] = []
    return json.dumps(document, separators=(",", ":")).encode()


def of_other_rank(text: bytes) -> bytes:
    """A program whose slice has fewer dims than the dim that it cuts."""
    document = json.loads(text)
    document["graph_module"]["graph"]["tensor_values"]["slice_1"]["sizes"][1:] = []
    return json.dumps(document, separators=(",", ":")).encode()


def write_exports(folder):
    made = made_by_pytorch()
    damaged = {"returns_nothing": returning_nothing(made["while"]), "of_other_rank": of_other_rank(made["conv"])}
    for name, text in (programs() | made | damaged).items():
        (folder / name).write_bytes(text)
