"""Makes scripted models with data-dependent control flow and sizes.

Usage: scripted.py DIR [vision]   Run by the Python whose torch is to make the files; with "vision",
those of torchvision alone.

Writes DIR/NAME.pt; DIR/NAME.json, the flags that it is exported with; DIR/NAME.npz, several inputs with different
branches and trip counts, and libtorch's results.
"""

import json
import sys
import warnings
from pathlib import Path
from typing import Dict, List, Optional, Tuple

import numpy
import torch
from torch import nn

sys.path.append(str(Path(__file__).resolve().parents[1] / "operators"))

from building import leaves  # noqa: E402  (needs the path above)

warnings.filterwarnings("ignore")


class Gate(nn.Module):
    def forward(self, x):
        if bool(x.sum() > 0):
            return x
        return -x


class GatedCell(nn.Module):
    """The cell of PyTorch's introduction to TorchScript."""

    def __init__(self, gate):
        super().__init__()
        self.gate = gate
        self.linear = nn.Linear(4, 4)

    def forward(self, x, h):
        h = torch.tanh(self.gate(self.linear(x)) + h)
        return h, h


class Unrolled(nn.Module):
    """And its loop."""

    def __init__(self):
        super().__init__()
        self.cell = GatedCell(Gate())

    def forward(self, xs):
        h, y = torch.zeros(3, 4), torch.zeros(3, 4)
        for i in range(xs.size(0)):
            y, h = self.cell(xs[i], h)
        return y, h


class RecurrentCell(nn.Module):
    def __init__(self, features: int, size: int):
        super().__init__()
        self.of_input = nn.Linear(features, 4 * size)
        self.of_state = nn.Linear(size, 4 * size)

    def forward(self, x, state: Tuple[torch.Tensor, torch.Tensor]):
        h, c = state
        i, f, g, o = (self.of_input(x) + self.of_state(h)).chunk(4, 1)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        return o.sigmoid() * c.tanh(), c


class Recurrent(nn.Module):
    """An LSTM in both directions, with loops over time in Python."""

    def __init__(self):
        super().__init__()
        self.forth, self.back = RecurrentCell(4, 3), RecurrentCell(4, 3)

    def forward(self, x):
        zeros = torch.zeros(x.size(1), 3)
        state = (zeros, zeros)
        forth: List[torch.Tensor] = []
        for i in range(x.size(0)):
            state = self.forth(x[i], state)
            forth += [state[0]]
        state = (zeros, zeros)
        back: List[torch.Tensor] = []
        for i in range(x.size(0)):
            state = self.back(x[x.size(0) - 1 - i], state)
            back.append(state[0])
        back.reverse()
        return torch.cat([torch.stack(forth), torch.stack(back)], -1), state[1]


def backwards(tensors: List[torch.Tensor]) -> List[torch.Tensor]:
    return tensors[::-1]


class Direction(nn.Module):
    def __init__(self, features: int, size: int, is_back: bool):
        super().__init__()
        self.cell = RecurrentCell(features, size)
        self.is_back = is_back

    def forward(self, x, state: Tuple[torch.Tensor, torch.Tensor]):
        steps = x.unbind(0)
        if self.is_back:
            steps = backwards(steps)
        outs = torch.jit.annotate(List[torch.Tensor], [])
        for i in range(len(steps)):
            state = self.cell(steps[i], state)
            outs += [state[0]]
        if self.is_back:
            outs = backwards(outs)
        return torch.stack(outs), state


class BothDirections(nn.Module):
    def __init__(self, features: int, size: int):
        super().__init__()
        self.directions = nn.ModuleList([Direction(features, size, False),
                                         Direction(features, size, True)])

    def forward(self, x, states: List[Tuple[torch.Tensor, torch.Tensor]]):
        outs: List[torch.Tensor] = []
        last: List[Tuple[torch.Tensor, torch.Tensor]] = []
        for i, direction in enumerate(self.directions):
            out, state = direction(x, states[i])
            outs.append(out)
            last.append(state)
        return torch.cat(outs, -1), last


class Layers(nn.Module):
    """Layers of an LSTM in both directions as in PyTorch's examples: over lists of steps."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([BothDirections(4, 3), BothDirections(6, 3)])

    def forward(self, x, states: List[List[Tuple[torch.Tensor, torch.Tensor]]]):
        last: List[List[Tuple[torch.Tensor, torch.Tensor]]] = []
        for i, layer in enumerate(self.layers):
            x, state = layer(x, states[i])
            last.append(state)
        return x, last


class Language(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(9, 6)
        self.mix = nn.Linear(6, 6)
        self.head = nn.Linear(6, 9)

    def forward(self, tokens):
        seen = self.embedding(tokens).cumsum(1)
        return self.head(torch.tanh(self.mix(seen)))


class Greedy(nn.Module):
    """Appends the best token until it is the last one."""

    def __init__(self):
        super().__init__()
        self.model = Language()

    def forward(self, tokens):
        length = 0
        scores: List[float] = []
        while length < 8:
            logits = self.model(tokens)[0, -1]
            best = logits.argmax()
            scores.append(float(logits.max()))
            tokens = torch.cat([tokens, best.reshape(1, 1)], 1)
            length += 1
            if int(best) == 3:
                break
        return tokens, torch.tensor(scores)

    @torch.jit.export
    def rank(self, tokens, count: int = 2):
        """Scores of the next token."""
        if bool(tokens[0, 0] == 0):
            return self.model(tokens)[:, -1].topk(count)[1]
        return self.model(tokens * 1)[:, 0].topk(count)[1]


class Beams(nn.Module):
    """Beam search: keeps the best continuations in each step."""

    def __init__(self):
        super().__init__()
        self.model = Language()

    def forward(self, tokens, steps):
        beams = tokens.repeat(3, 1)
        scores = torch.tensor([0.0, -1e9, -1e9])
        done = torch.zeros(3, dtype=torch.bool)
        for _ in range(int(steps)):
            new = torch.log_softmax(self.model(beams)[:, -1], -1)
            new = torch.where(done.unsqueeze(1), torch.full_like(new, -5.0), new)
            scores, index = (scores.unsqueeze(1) + new).flatten().topk(3)
            beam = torch.div(index, 9, rounding_mode="floor")
            token = index % 9
            beams = torch.cat([beams[beam], token.unsqueeze(1)], 1)
            done = done[beam] | (token == 3)
            if bool(done.all()):
                break
        return beams, scores


class Expert(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        return torch.relu(self.layer(x))


class Experts(nn.Module):
    """Tokens go to their two best experts; one without tokens does not run."""

    def __init__(self):
        super().__init__()
        self.router = nn.Linear(4, 3)
        self.experts = nn.ModuleList(Expert() for _ in range(3))

    def forward(self, x):
        weights, chosen = torch.softmax(self.router(x), -1).topk(2)
        result = torch.zeros_like(x)
        for i, expert in enumerate(self.experts):
            rows, slots = torch.where(chosen == i)
            if rows.numel() > 0:
                result.index_add_(0, rows, expert(x[rows]) * weights[rows, slots].unsqueeze(1))
        return result


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.query, self.key, self.value = nn.Linear(8, 8), nn.Linear(8, 8), nn.Linear(8, 8)

    def split(self, x):
        return x.view(x.size(0), x.size(1), 2, 4).transpose(1, 2)

    def forward(self, x, mask: Optional[torch.Tensor]):
        scores = self.split(self.query(x)) @ self.split(self.key(x)).transpose(-1, -2) / 2.0
        if mask is not None:
            scores = scores.masked_fill(mask[:, None, None] == 0, -1e4)
        mixed = torch.softmax(scores, -1) @ self.split(self.value(x))
        return mixed.transpose(1, 2).flatten(2)


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = Attention()
        self.norm = nn.LayerNorm(8)
        self.feed = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 8))

    def forward(self, x, mask: Optional[torch.Tensor]):
        x = self.norm(x + self.attention(x, mask))
        return x + self.feed(x)


class Encoder(nn.Module):
    """Like BERT, with an early exit if a layer changes little."""

    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(11, 8), nn.Embedding(16, 8)
        self.layers = nn.ModuleList(Layer() for _ in range(3))

    def forward(self, ids, mask: Optional[torch.Tensor] = None) -> Dict[str, torch.Tensor]:
        if mask is None:
            mask = (ids != 0).long()
        x = self.words(ids) + self.places(torch.arange(ids.size(1)))
        assert x.dim() == 3, f"{x.dim()} dims"
        states = [x]
        moves = True
        for layer in self.layers:
            if moves:
                y = layer(x, mask)
                moves = bool((y - x).abs().mean() > 1.4)
                x = y
                states.append(x)
        return {"last": x, "mean": torch.stack([state.mean(1) for state in states]).mean(0)}


def ids(*rows):
    return torch.tensor(rows)


def models():
    yield ("gated-loop", Unrolled(), ["xs:float32[time=4,3,4]"],
           [(torch.randn(n, 3, 4) * n,) for n in (4, 1, 7)])
    yield ("lstm-loop", Recurrent(), ["x:float32[time=5,batch=2,4]"],
           [(torch.randn(*shape, 4),) for shape in ((5, 2), (1, 1), (9, 3))])
    places = [f"states.{layer}.{direction}.{part}"
              for layer in (0, 1) for direction in (0, 1) for part in (0, 1)]
    yield ("lstm-layers", Layers(),
           ["x:float32[time=5,batch=2,4]", *(f"{place}:float32[batch=2,3]" for place in places)],
           [(torch.randn(time, batch, 4),
             [[(torch.randn(batch, 3), torch.randn(batch, 3)) for _ in range(2)] for _ in range(2)])
            for time, batch in ((5, 2), (1, 1), (9, 3))])
    yield ("greedy", Greedy(), ["tokens:int64[1,length=3]"],
           [(ids(row),) for row in ([1, 2, 4], [0], [5, 5, 7, 8, 8], [3, 1])])
    yield ("greedy-rank", Greedy(), ["tokens:int64[1,length=3]", "count:int=2", "--method=rank"],
           [(ids(row),) for row in ([1, 2, 4], [0, 3], [5, 5, 7, 8, 8])])
    yield ("beams", Beams(), ["tokens:int64[1,length=3]", "steps:int64[]"],
           [(ids(row), torch.tensor(n))
            for row, n in (([1, 2, 4], 4), ([0], 0), ([5, 5], 9), ([8, 3, 3], 1))])
    yield ("experts", Experts(), ["x:float32[tokens=6,4]"],
           [(torch.randn(n, 4) * 2,) for n in (6, 1, 2, 20)])
    yield ("encoder", Encoder(), ["ids:int64[batch=2,length=5]", "mask:int64[batch=2,length=5]"],
           [(torch.randint(0, 11, shape), torch.randint(0, 2, shape) | torch.eye(*shape).long())
            for shape in ((2, 5), (1, 9), (3, 2))])


def vision_models():
    import torchvision
    from torchvision.models.detection import FasterRCNN, rpn

    backbone = nn.Sequential(nn.Conv2d(3, 16, 3, 4, 1), nn.ReLU(), nn.Conv2d(16, 16, 3, 4, 1),
                             nn.ReLU())
    backbone.out_channels = 16
    anchors = rpn.AnchorGenerator(((16, 32),), ((0.5, 1.0, 2.0),))
    model = FasterRCNN(backbone, 4, rpn_anchor_generator=anchors, min_size=64, max_size=96,
                       box_roi_pool=torchvision.ops.MultiScaleRoIAlign(["0"], 3, 2),
                       box_detections_per_img=8, rpn_post_nms_top_n_test=20,
                       rpn_pre_nms_top_n_test=50)
    with torch.no_grad():
        model.roi_heads.box_predictor.cls_score.weight.mul_(30)
    images = [torch.rand(3, 70, 64) * scale - shift
              for scale, shift in ((1, 0), (3, 1), (0.2, 2), (9, 4))]
    yield "faster-rcnn", model, ["images.0:float32[3,70,64]"], [([image],) for image in images]
    yield ("resnet18", torchvision.models.resnet18(), ["x:float32[batch=2,3,64,64]"],
           [(torch.randn(n, 3, 64, 64),) for n in (2, 1, 3)])
    yield ("googlenet", torchvision.models.googlenet(init_weights=False), ["x:float32[1,3,64,64]"],
           [(torch.randn(1, 3, 64, 64),)])


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    torch.set_grad_enabled(False)
    for name, model, flags, inputs in vision_models() if sys.argv[2:] else models():
        torch.manual_seed(len(name))
        for parameter in model.parameters():
            if not sys.argv[2:]:
                parameter.copy_(torch.randn_like(parameter) * 0.6)
        scripted = torch.jit.script(model.eval())
        chosen = [flag.partition("=")[2] for flag in flags if flag.startswith("--method")]
        method = chosen[0] if chosen else "forward"
        arrays = {}
        for number, arguments in enumerate(inputs):
            outputs = getattr(scripted, method)(*arguments)
            for kind, value in (("input", arguments), ("output", outputs)):
                for i, leaf in enumerate(leaves(value)):
                    arrays[f"{number}/{kind}/{i:03}"] = numpy.asarray(leaf)
        torch.jit.save(scripted, str(folder / f"{name}.pt"))
        numpy.savez(folder / f"{name}.npz", **arrays)
        (folder / f"{name}.json").write_text(json.dumps(flags))


main()
