"""Hooks of eager runs record the module of every operator: an oracle that knows neither tracing nor the file. Computing
operators must have these modules' full tags, in this order."""

import math

import onnx
import torch
from torch import nn
from torch.nn import functional
from torch.utils._python_dispatch import TorchDispatchMode

import onnx_facts as facts
from compiled import input_flags, save
from eager_steps import COMPARED, step_by_step
from harness import case_for_each, export, libtorch_version, scratch

NODES = {"Gemm": "MatMul"}  # the same by other names


class Recorder(TorchDispatchMode):
    """Runs a module, and lists [operator, modules that were running, outermost first]."""

    def __init__(self, net: nn.Module):
        super().__init__()
        self.running, self.ran = [], []
        self.hooks = []
        for module in net.modules():
            self.hooks.append(module.register_forward_pre_hook(self.enter))
            self.hooks.append(module.register_forward_hook(self.leave))

    def enter(self, module, _):
        self.running.append(module)

    def leave(self, module, *_):
        assert self.running.pop() is module

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        name = function.overloadpacket.__name__
        if name in COMPARED:
            self.ran.append((COMPARED[name], list(self.running)))
        return function(*args, **(kwargs or {}))


def record_run(net: nn.Module, inputs: tuple) -> list:
    recorder = Recorder(net)
    with torch.no_grad(), recorder:
        net(*inputs)
    for hook in recorder.hooks:
        hook.remove()
    return recorder.ran


# ---- models ----------------------------------------------------------------------------------------


class Block(nn.Module):
    def __init__(self, width: int = 4):
        super().__init__()
        self.up = nn.Linear(width, width)
        self.down = nn.Linear(width, width)

    def forward(self, x):
        return torch.tanh(self.down(torch.relu(self.up(x))))


class Nested(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Linear(4, 4), nn.Sequential(Block(), nn.Tanh()), Block())
        self.layers = nn.ModuleList(Block() for _ in range(3))
        self.heads = nn.ModuleDict({"a": nn.Linear(4, 4), "b": Block()})

    def forward(self, x):
        x = self.stem(x)
        for layer in self.layers:
            x = layer(x)
        return self.heads["b"](self.heads["a"](x)) + torch.sin(x)


class Repeated(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()
        self.norm = nn.LayerNorm(4)

    def forward(self, x):
        for _ in range(3):
            x = self.norm(self.block(x))
        return torch.cos(x)


class User(nn.Module):
    """Calls a block that is also its parent's."""

    def __init__(self, block: nn.Module):
        super().__init__()
        self.used = block
        self.own = Block()

    def forward(self, x):
        return torch.sigmoid(self.own(self.used(x)))


class Shared(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()
        self.user = User(self.block)
        self.twice = nn.ModuleList([self.block, Block(), self.block])

    def forward(self, x):
        x = self.user(x)
        for layer in self.twice:
            x = layer(x)
        return torch.relu(x)


class Functional(nn.Module):
    """Uses a weight of one module in the forward() of another."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(4, 4, bias=False)
        self.block = Block()

    def forward(self, x):
        x = self.block(self.embed(x))
        return functional.linear(torch.tanh(x), self.embed.weight) + self.block.up(x)


class Half(nn.Module):
    def forward(self, x):
        return torch.sin(x) * 0.5


class Parametrized(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        nn.utils.parametrize.register_parametrization(self.linear, "weight", Half())
        self.block = Block()

    def forward(self, x):
        return self.block(torch.relu(self.linear(x)))


class Convolutional(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Conv2d(4, 4, 3), nn.Sigmoid())

    def forward(self, x):
        return torch.tanh(self.features(x))


class Attention(nn.Module):
    def __init__(self, width: int, heads: int):
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))
        self.dense = nn.Linear(width, width)

    def split(self, x):
        return x.view(x.size(0), x.size(1), self.heads, self.size).transpose(1, 2)

    def forward(self, x):
        query, key = self.split(self.query(x)), self.split(self.key(x))
        scores = torch.softmax(query @ key.transpose(-1, -2) / math.sqrt(self.size), -1)
        mixed = (scores @ self.split(self.value(x))).transpose(1, 2)
        return self.dense(mixed.reshape(x.size(0), x.size(1), self.heads * self.size))


class EncoderLayer(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.attention, self.before = Attention(width, 2), nn.LayerNorm(width)
        self.inner, self.outer = nn.Linear(width, 16), nn.Linear(16, width)
        self.after = nn.LayerNorm(width)

    def forward(self, x):
        x = self.before(x + self.attention(x))
        return self.after(x + self.outer(torch.relu(self.inner(x))))


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.word = nn.Embedding(11, 8)
        self.layer = nn.ModuleList(EncoderLayer(8) for _ in range(2))
        self.pooler = nn.Sequential(nn.Linear(8, 8), nn.Tanh())

    def forward(self, ids):
        x = self.word(ids)
        for layer in self.layer:
            x = layer(x)
        return self.pooler(x[:, 0])


class Whole(nn.Module):
    """torch.nn's own transformer, step by step."""

    def __init__(self):
        super().__init__()
        self.body = nn.Transformer(8, 2, 1, 1, 16, dropout=0.0, batch_first=True)

    def forward(self, x):
        return torch.tanh(self.body(x, x))


def floats(*dims):
    return lambda: (torch.randn(*dims),)


BOTH, TRACED = ("traced", "scripted"), ("traced",)
MODELS = {
    "nested": (Nested, floats(2, 4), BOTH),
    "repeated": (Repeated, floats(2, 4), BOTH),
    "shared": (Shared, floats(2, 4), BOTH),
    "functional": (Functional, floats(2, 4), BOTH),
    "parametrized": (Parametrized, floats(2, 4), TRACED),
    "convolutional": (Convolutional, floats(2, 3, 9, 9), BOTH),
    "encoder": (Encoder, lambda: (torch.randint(0, 11, (2, 5)),), BOTH),
    "transformer": (Whole, floats(2, 5, 8), TRACED),
}
NEEDS_SDPA = ("transformer",)  # an operator of PyTorch 2
CASES = [(name, mode) for name, (_, _, modes) in MODELS.items() for mode in modes
         if name not in NEEDS_SDPA or libtorch_version() >= (2, 0)]


# ---- comparison ------------------------------------------------------------------------------------


def names_of(net: nn.Module) -> dict:
    """Every attribute path of every instance."""
    names = {}
    for path, module in net.named_modules(remove_duplicate=False):
        names.setdefault(module, []).append(path)
    return names


def compare(model, net: nn.Module, ran: list) -> None:
    names, records = names_of(net), {m["path"]: m for m in facts.module_tree(model)}
    kept = [n for n in model.graph.node if NODES.get(n.op_type, n.op_type) in COMPARED.values()]
    got = [NODES.get(node.op_type, node.op_type) for node in kept]
    assert got == [operator for operator, _ in ran], (got, [operator for operator, _ in ran])
    for node, (_, chain) in zip(kept, ran):
        paths = facts.chain_of(node)
        wanted = [names[module] for module in chain]
        assert len(paths) == len(wanted), (node.name, paths, wanted)
        assert all(p in w for p, w in zip(paths, wanted)), (node.name, paths, wanted)
        record = records[paths[-1]]
        assert facts.properties(node)["full_tag"] == record["full_tag"], node.name
        if any(True for _ in chain[-1].parameters()):
            assert {record["path"], *record["aliases"]} == set(names[chain[-1]]), record


@case_for_each(CASES, name="/".join)
def full_tags(case):
    name, mode = case
    make, make_inputs, _ = MODELS[name]
    torch.manual_seed(3)
    net, inputs = make().eval(), make_inputs()
    with step_by_step():
        ran = record_run(net, inputs)
        with scratch() as folder:
            pt = save(net, inputs, mode, folder / "model.pt")
            export(pt, folder / "model.onnx", "--no-fold", *input_flags(*inputs))
            model = onnx.load(str(folder / "model.onnx"))
    facts.check_names(model)
    facts.check_counts(model)
    compare(model, net, ran)
