"""`split --into N`: the largest part is as small as contiguous cuts between modules allow, by trying all of them."""

import itertools
import json
import random
from pathlib import Path

import numpy
import onnx
from onnx import TensorProto, helper

from harness import EXIT_BAD_INPUT, EXIT_USAGE, case, case_for_each, exported, run, scratch
from models.make import example_inputs
from models.table import ALL
from test_bad_input import check_line
from test_extract import arrays_of, inputs_of, network, node, save
from test_split import check, split

MEASURES = ("cost", "weights", "time")
WIDTHS = (4, 8, 16)


def made(rng: random.Random, folder: Path) -> tuple:
    """A chain of products and negations in random modules. Some products share their weight.
    @return the file, a profile of it, and for each node its module, multiply-adds, weight and microseconds"""
    weights, nodes, facts = {}, [], []
    width, value, layer = rng.choice(WIDTHS), "x", 0
    first = width
    for number in range(rng.randint(6, 14)):
        layer += rng.random() < 0.6
        name, out, time = f"n{number}", f"v{number}", rng.randint(0, 50)
        tag = f"/Net/Layer.{layer}"
        if rng.random() < 0.3:
            nodes.append(node("Neg", [value], [out], tag, name=name))
            facts.append((tag, 0, None, time))
        else:
            wide = rng.choice(WIDTHS)
            weight = f"w{width}x{wide}.{rng.randint(0, 1)}"
            weights[weight] = numpy.full((width, wide), 0.1, numpy.float32)
            nodes.append(node("MatMul", [value, weight], [out], tag, name=name))
            facts.append((tag, 2 * width * wide, weight, time))
            width = wide
        value = out
    file = save(folder / "m.onnx", nodes, [("x", TensorProto.FLOAT, [2, first])],
                [(value, TensorProto.FLOAT, [2, width])],
                initializer=[onnx.numpy_helper.from_array(a, n) for n, a in weights.items()])
    events = [{"cat": "Node", "tid": 1, "ts": 100 * i, "dur": f[3], "name": f"n{i}_kernel_time", "args": {}}
              for i, f in enumerate(facts)]
    (folder / "p.json").write_text(json.dumps(events))
    return file, folder / "p.json", facts, {n: a.nbytes for n, a in weights.items()}


def size_of(part: list, by: str, bytes_of: dict) -> int:
    if by == "weights":
        return sum(bytes_of[w] for w in {weight for _, _, weight, _ in part} - {None})
    return sum(f[1 if by == "cost" else 3] for f in part)


def smallest(facts: list, parts: int, by: str, bytes_of: dict) -> int:
    borders = [i for i in range(1, len(facts)) if facts[i][0] != facts[i - 1][0]]
    return min(max(size_of(facts[a:b], by, bytes_of) for a, b in itertools.pairwise([0, *cuts, len(facts)]))
               for cuts in itertools.combinations(borders, parts - 1))


@case_for_each(MEASURES)
def no_other_cuts_are_better(by):
    rng = random.Random(by)
    for number in range(12):
        with scratch() as folder:
            file, profile, facts, bytes_of = made(rng, folder)
            parts = rng.randint(1, len({f[0] for f in facts}))
            more = ("--profile", profile) if by == "time" else ()
            told = split(file, folder / "parts", "--into", str(parts), "--by", by, *more)
            sizes = [p["size"] for p in told["parts"]]
            assert told["by"] == by and len(sizes) == parts
            assert max(sizes) == smallest(facts, parts, by, bytes_of), (number, sizes, facts)
            begin = 0
            for part, size in zip(told["parts"], sizes):
                model = onnx.load(folder / "parts" / part["file"])
                of_part = facts[begin:begin + len(model.graph.node)]
                assert [n.name for n in model.graph.node] == [f"n{begin + i}" for i in range(len(of_part))]
                assert (part["from"], part["to"]) == (of_part[0][0], of_part[-1][0])
                assert size == size_of(of_part, by, bytes_of)
                if by == "weights":
                    assert size == sum(len(t.raw_data) for t in model.graph.initializer)
                begin += len(of_part)
            assert begin == len(facts)


@case
def equal_layers_make_equal_parts():
    """Not two full parts and a rest, where the largest cannot be smaller."""
    nodes = [node("MatMul", [f"v{i}" if i else "x", "w"], [f"v{i + 1}"], f"/Net/Layer.{i}") for i in range(12)]
    weight = onnx.numpy_helper.from_array(numpy.eye(4, dtype=numpy.float32), "w")
    with scratch() as folder:
        wide = lambda name: (name, TensorProto.FLOAT, [1, 4])
        file = save(folder / "m.onnx", nodes, [wide("x")], [wide("v12")], initializer=[weight])
        told = split(file, folder / "parts", "--into", "5")
        assert sorted(p["size"] for p in told["parts"]) == [32, 32, 32, 48, 48], told


@case_for_each(("bert-tiny", "gpt2-sdpa"))
def parts_in_order_are_the_whole(name):
    """Also where they copy masks, read weights that others read, and have weights in one file."""
    model = ALL[name]
    file = exported(model)
    feeds = inputs_of(file, [t.numpy() for t in example_inputs(model, model.others[-1], seed=5)])
    for options in (("--into", "3", "--sizes", "batch=2,sequence=6"), ("--into", "4", "--by", "weights", "--share-weights"),
                    ("--into", "2", "--by", "weights", "--depth", "2")):
        told = check(file, feeds, *options)
        assert len(told["parts"]) == int(options[1]) and told["parts"][0]["file"] == "00-part.onnx"


@case
def bytes_are_those_of_the_files():
    """Copies of masks and constants, and tensors in bodies, included."""
    for name in ("gpt2-sdpa", "transformer-scripted"):
        file = exported(ALL[name])
        with scratch() as folder:
            for part in split(file, folder / "parts", "--into", "3", "--by", "weights")["parts"]:
                graph = onnx.load(folder / "parts" / part["file"]).graph
                assert part["size"] == sum(map(bytes_in, [graph])), part


def bytes_in(graph) -> int:
    of_nodes = [(a.t, [a.g, *a.graphs]) for n in graph.node for a in n.attribute]
    own = sum(onnx.numpy_helper.to_array(t).nbytes for t in [*graph.initializer, *(t for t, _ in of_nodes)]
              if t.data_type)
    return own + sum(bytes_in(g) for _, bodies in of_nodes for g in bodies)


@case_for_each(("twice", "control", "t5"))
def networks(name):
    """Calls of one module, bodies, and weights of encoder and decoder."""
    with scratch() as folder:
        file = network(name, folder)
        check(file, inputs_of(file, arrays_of(name)), "--into", "2", "--by", "weights")


@case
def borders_that_are_chosen():
    """With --at and --depth, other modules stay whole."""
    file = exported(ALL["bert-tiny"])
    with scratch() as folder:
        for number, border in enumerate((("--at", "BertLayer"), ("--depth", "2"))):
            told = split(file, folder / str(number), "--into", "3", "--sizes", "batch=1,sequence=8", *border)
            ends = [(part["from"], part["to"]) for part in told["parts"]]
            first, second = (f"/BertModel/BertEncoder/BertLayer.{i}" for i in (0, 1))
            assert ends[0][1] == first and ends[1] == (second, second) and len(ends) == 3, ends
        result = run("split", file, "--into", "8", "--sizes", "batch=1,sequence=8", "--at", "BertLayer",
                     "--out-dir", folder / "x")
        check_line(result, EXIT_USAGE, "4 pieces", "too few for 8")


@case
def refused():
    file = exported(ALL["bert-tiny"])
    with scratch() as folder:
        (folder / "p.json").write_text("[]")
        for options, code, words in (
                (("--into", "2"), EXIT_USAGE, "pass their sizes"),
                (("--into", "2", "--sizes", "batch=1"), EXIT_USAGE, "sequence"),
                (("--into", "2", "--by", "time"), EXIT_USAGE, "pass one"),
                (("--into", "2", "--by", "time", "--profile", folder / "p.json"), EXIT_BAD_INPUT, "p.json"),
                (("--into", "2", "--profile", folder / "p.json"), EXIT_USAGE, "by their time"),
                (("--into", "2", "--by", "weights", "--sizes", "batch=1"), EXIT_USAGE, "by their cost"),
                (("--depth", "1", "--by", "weights"), EXIT_USAGE, "number of parts"),
                (("--into", "0"), EXIT_USAGE, "--into"),
                (("--into", "10001", "--by", "weights"), EXIT_USAGE, "10000"),
                (("--into", "9000", "--by", "weights"), EXIT_USAGE, "too few for 9000"),
                (("--into", "2", "--at", "BertLayer", "--depth", "1"), EXIT_USAGE, "either --at")):
            check_line(run("split", file, *options, "--out-dir", folder / "x"), code, words)
        assert [p.name for p in folder.iterdir()] == ["p.json"]


@case
def unknown_costs_are_refused():
    nodes = [node("Neg", ["x"], ["a"], "/Net/A"), helper.make_node("Odd", ["a"], ["y"], domain="my")]
    with scratch() as folder:
        wide = lambda name: (name, TensorProto.FLOAT, [2])
        file = save(folder / "m.onnx", nodes, [wide("x")], [wide("y")], inner="a")
        model = onnx.load(file)
        model.opset_import.append(helper.make_opsetid("my", 1))
        onnx.save(model, file)
        check_line(run("split", file, "--into", "2", "--out-dir", folder / "x"), EXIT_USAGE, "are not known")
