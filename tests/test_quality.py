"""`htp-trace quality`: what was planted is found by the metrics that should find it, as often as it
was planted, and by no other; our own exports are without fault."""

import csv
import json
import re
from dataclasses import dataclass

import onnx

from commands import NO_SHIM
from harness import (
    EXIT_BAD_INPUT, EXIT_CANNOT_WRITE, EXIT_OK, EXIT_USAGE, case, case_for_each,
    case_for_each_model, exported, run, scratch, skip_unless_loadable, torchscript,
)
from models.table import ALL, FIDELITY
from onnx_facts import properties, tags_of
from retag import Retagged
from test_bad_input import check_line
from test_validate import EXIT_FOUND

METRICS = ("coverage", "contamination.weights", "contamination.calls", "contamination.structure",
           "specificity", "scope", "tensors", "weights", "cohesion", "separation", "injectivity",
           "consistency")


def unique(pairs: list) -> dict:
    """An object, none of whose keys comes twice."""
    assert len(dict(pairs)) == len(pairs), [key for key, _ in pairs]
    return dict(pairs)


def measured(*arguments) -> list:
    """The models of the JSON document, checked against themselves."""
    result = run("quality", *arguments, "--json", "-", env=NO_SHIM)
    assert result.returncode == EXIT_OK and result.stderr == "", result
    document = json.loads(result.stdout, object_pairs_hook=unique)
    assert document["htp_quality"] == 1
    for model in document["models"]:
        check_sums(model)
    return document["models"]


def check_measure(measure: dict) -> None:
    assert 0 <= measure["count"] <= measure["of"], measure
    if measure["of"] == 0:
        assert measure["percent"] is None and measure.get("reason"), measure
    else:
        assert abs(measure["percent"] - 100 * measure["count"] / measure["of"]) < 1e-9, measure


def check_sums(model: dict) -> None:
    """All that is counted in several ways is counted alike."""
    metrics, rows = model["metrics"], model["nodes_table"]["rows"]
    assert tuple(metrics) == METRICS
    assert len(model["modules"]) == model["module_count"]
    for measure in metrics.values():
        check_measure(measure)
    assert len(rows) == model["nodes"] and sum(model["scopes"].values()) == model["nodes"]
    assert sum(model["specificity"].values()) == metrics["specificity"]["of"]
    for name in METRICS:
        found = sum(name in row[6] for row in rows)
        if name.startswith("contamination"):
            assert found == metrics[name]["count"], name
        elif name in ("coverage", "specificity"):
            assert found == metrics[name]["of"] - metrics[name]["count"], name
    assert sum(module["own"] for module in model["modules"] if module["has_tag"]) == sum(
        row[2] is not None for row in rows)
    for depth in model["depths"]:
        for name in ("coverage", "cohesion"):
            whole = sum(d["metrics"].get(name, {"count": 0})["count"] for d in model["depths"])
            assert whole == metrics[name]["count"], (name, depth)
    for layer in model["layers"]:
        for matrix in layer["confusion"].values():
            assert len(matrix["columns"]) == len(matrix["rows"]) + 1
            assert all(len(row) == len(matrix["columns"]) for row in matrix["counts"])


def wrong(model: dict, name: str):
    """How much a metric has found."""
    measure = model["metrics"][name]
    is_bad = name.startswith("contamination")
    return measure["count"] if is_bad else measure["of"] - measure["count"]


# ---- our own exports -------------------------------------------------------------------------------

# What must be perfect; cohesion is a property of the network, too.
PERFECT = tuple(name for name in METRICS if name != "cohesion")


@case_for_each_model([m for m in FIDELITY if m.name not in ("gpt2", "vit-b-16", "resnet50")])
def exports(model):
    skip_unless_loadable(model)
    path = exported(model, "--sidecar")
    sidecar = path.with_name(path.stem + "_hierarchy.json")
    (found,) = measured(path, "--reference", sidecar)
    assert found["reference"]["matched"] == found["nodes"], found["reference"]
    for name in PERFECT:
        nodes = [row for row in found["nodes_table"]["rows"] if name in row[6]]
        assert found["metrics"][name]["of"] > 0, (name, found["metrics"][name])
        assert wrong(found, name) == 0, (name, found["metrics"][name], nodes[:3])


# ---- mutations -------------------------------------------------------------------------------------

SOME = "some"  # one at least; how many depends on the modules around
MOVED = "moved"  # as many as nodes were given to other modules
READERS = "readers"  # those of them that read a weight
WEIGHTS = "weights"  # which they read
TENSORS = "tensors"  # that a node takes or makes
MERGED = "merged"  # two layers, where others show what one should have
LOST = "lost"  # one, where a node has left its layer


@dataclass(frozen=True)
class Sample:
    name: str
    layers: str  # "%s" stands for a number or a path
    neighbours: tuple  # of some layers, in their order
    far: tuple  # two that are not neighbours
    siblings: tuple  # two modules of one class below one module
    deep: str  # below each of these: a module with a tag; "": none
    count: int  # of layers
    holder: str = ""  # below each of these: a module that holds weights; "": any does


SAMPLES = (
    Sample("bert-16-layers", "encoder.layer.%s", ("4", "5"), ("1", "10"),
           ("encoder.layer.2", "encoder.layer.7"), ".attention.self", 16),
    Sample("distilbert", "transformer.layer.%s", ("0", "1"), ("0", "2"),
           ("transformer.layer.0", "transformer.layer.2"), ".attention", 3),
    Sample("llama", "model.layers.%s", ("0", "1"), ("0", "1"),
           ("model.layers.0.input_layernorm", "model.layers.0.post_attention_layernorm"),
           ".self_attn", 2, ".mlp"),
    Sample("mobilenet-v3-small", "features.%s", ("5", "6"), ("5", "6"),
           ("features.10", "features.11"), ".block.2", 3, ".block.2"),
    Sample("resnet18", "%s", ("layer3.1", "layer4.1"), ("layer2.1", "layer4.1"),
           ("layer2.0", "layer4.0"), "", 5),
)


class Mutation:
    """What was changed, and how much."""

    def __init__(self, sample: Sample):
        self.sample = sample
        self.file = Retagged(exported(ALL[sample.name]))
        self.moved = []
        self.readers = 0
        self.weights = set()
        self.tensors = 0

    def layer(self, name: str) -> str:
        return self.sample.layers % name

    def note(self, node) -> None:
        weights = self.file.weights_of(node)
        self.moved.append(node.name)
        self.readers += bool(weights)
        self.weights.update(weights)

    def give(self, node, path: str) -> None:
        self.note(node)
        self.file.give(node, path)

    def pick(self, layer: str, reads: bool = False):
        below = self.sample.holder if reads else self.sample.deep
        return self.file.pick(self.layer(layer) + below, reads, self.layer(layer))

    def counts(self) -> dict:
        return {MERGED: min(2, self.sample.count - 1), LOST: int(not self.sample.deep), MOVED: len(self.moved), READERS: self.readers, WEIGHTS: len(self.weights),
                TENSORS: self.tensors}


def carry(path: str, source: str, target: str) -> str:
    return target + path[len(source):]


def move(m: Mutation, reads: bool = False) -> None:
    """One node to the same place in the next layer."""
    source, target = map(m.layer, m.sample.neighbours)
    node = m.pick(m.sample.neighbours[0], reads)
    m.give(node, carry(m.file.path_of(node), source, target))


def move_reader(m: Mutation) -> None:
    move(m, reads=True)


def exchange(m: Mutation, source: str, target: str, both: bool) -> None:
    """All nodes of a module to another one, and perhaps the other way round."""
    pairs = [(source, target)] + [(target, source)] * both
    todo = [(node, a, b) for a, b in pairs for node in m.file.nodes_of(a)]
    for node, a, b in todo:
        tags = tags_of(node)
        below = {m.file.tag(a): m.file.tag(b), m.file.tag(b): m.file.tag(a)}
        if len(tags) == 1:
            m.note(node)
        m.file.give(node, carry(m.file.path_of(node), a, b))
        if len(tags) > 1:
            changed = [next((new + t[len(old):] for old, new in below.items()
                             if t == old or t.startswith(old + "/")), t) for t in tags]
            m.file.set_tags(node, list(dict.fromkeys(changed)))


def swap(m: Mutation) -> None:
    exchange(m, *map(m.layer, m.sample.far), both=True)


def merge(m: Mutation) -> None:
    source, target = map(m.layer, m.sample.neighbours)
    exchange(m, target, source, both=False)


def coarsen(m: Mutation) -> None:
    node = m.pick(m.sample.neighbours[0])
    m.give(node, m.file.parent_path(m.file.path_of(node)))


def to_root(m: Mutation) -> None:
    m.give(m.pick(m.sample.neighbours[0]), "")


def drop(m: Mutation) -> None:
    node = m.pick(m.sample.neighbours[0])
    m.tensors = len({name for name in (*node.input, *node.output) if name})
    m.note(node)
    m.file.drop(node)


def to_sibling(m: Mutation) -> None:
    source, target = m.sample.siblings
    node = m.file.pick(source, False, source)
    m.give(node, carry(m.file.path_of(node), source, target))


def exchange_owners(m: Mutation) -> None:
    """The names of two weights, wherever they are."""
    source, target = map(m.layer, m.sample.neighbours)
    node = m.pick(m.sample.neighbours[0], reads=True)
    first = m.file.weights_of(node)[0]
    names = {first: carry(first, source, target)}
    names |= {new: old for old, new in names.items()}
    scopes = {name: properties(m.file.weights[name])["name_scopes"] for name in names}
    for node in m.file.nodes:
        if any(name in names for name in node.input):
            m.readers += 1
            node.input[:] = [names.get(name, name) for name in node.input]
    for name in names:
        weight = m.file.weights[name]
        weight.name = names[name]
        for entry in weight.metadata_props:
            if entry.key == "name_scopes":
                entry.value = scopes[names[name]]
    m.weights = set(names)
    m.file.weights = {weight.name: weight for weight in m.file.model.graph.initializer}


def break_name(m: Mutation) -> None:
    """A name that tells of a module before, in whose nodes' scope it is."""
    source, target = map(m.layer, m.sample.neighbours)
    node = m.pick(m.sample.neighbours[1])
    m.note(node)
    m.file.rename(node, carry(m.file.path_of(node), target, source))


def break_metadata(m: Mutation) -> None:
    target = m.layer(m.sample.neighbours[1])
    node = m.pick(m.sample.neighbours[0])
    m.note(node)
    for entry in node.metadata_props:
        if entry.key == "source_module":
            entry.value = m.file.tag(target)


def nothing(m: Mutation) -> None:
    pass


CALLS, STRUCTURE = "contamination.calls", "contamination.structure"
READ = "contamination.weights"

# Mutation, and what each metric finds; those that are not there find nothing.
TABLE = {
    nothing: {},
    move: {CALLS: MOVED, STRUCTURE: MOVED, "separation": 2, "cohesion": SOME},
    move_reader: {CALLS: MOVED, STRUCTURE: MOVED, READ: READERS, "weights": WEIGHTS,
                  "separation": 2, "cohesion": SOME},
    swap: {CALLS: MOVED, READ: READERS, "weights": WEIGHTS},
    coarsen: {"specificity": MOVED, STRUCTURE: MOVED, "separation": LOST, "cohesion": SOME},
    to_root: {"specificity": MOVED, STRUCTURE: MOVED, "separation": 1, "cohesion": SOME},
    drop: {"coverage": MOVED, "scope": MOVED, "tensors": TENSORS, "separation": 1,
           "cohesion": SOME},
    to_sibling: {CALLS: MOVED, STRUCTURE: MOVED, "separation": 2, "cohesion": SOME},
    exchange_owners: {READ: READERS, "weights": WEIGHTS},
    merge: {CALLS: MOVED, READ: READERS, "weights": WEIGHTS, "separation": MERGED,
            "injectivity": SOME, "cohesion": SOME},
    break_name: {"consistency": MOVED},
    break_metadata: {"consistency": MOVED},
}


def compare(found: dict, expected: dict, counts: dict, before: dict) -> list:
    broken = []
    for name in METRICS:
        wanted = counts.get(expected.get(name, 0), expected.get(name, 0))
        got = wrong(found, name) - wrong(before, name)
        if not (got > 0 if wanted == SOME else got == wanted):
            broken.append(f"{name}: {got}, not {wanted}: {found['metrics'][name]}")
    return broken


@case_for_each([(s, m) for s in SAMPLES for m in TABLE],
               name=lambda pair: f"{pair[0].name}/{pair[1].__name__}")
def mutations(pair):
    sample, mutate = pair
    mutation = Mutation(sample)
    mutate(mutation)
    expected = TABLE[mutate]
    with scratch() as folder:
        mutation.file.save(folder / "mutated.onnx")
        before, found = measured(exported(ALL[sample.name]), "--against", folder / "mutated.onnx")
        (alone,) = measured(folder / "mutated.onnx")
    assert found["reference"]["unmatched"] == 0, found["reference"]
    broken = compare(found, expected, mutation.counts(), before)
    assert not broken, broken
    without = {name: value for name, value in expected.items() if name != CALLS}
    broken = compare(alone, without, mutation.counts(), before)
    assert not broken, f"without a reference: {broken}"


# ---- what cannot be known --------------------------------------------------------------------------


@case
def untagged():
    """A file that tells nothing of modules has no value but for what is plain: no node has a tag."""
    (found,) = measured(exported(ALL["bert-tiny"], "--tags", "none"))
    with scratch() as folder:
        model = onnx.load(exported(ALL["bert-tiny"], "--tags", "none"))
        for number, node in enumerate(model.graph.node):
            node.name = f"n{number}"
        onnx.save(model, folder / "bare.onnx")
        (bare,) = measured(folder / "bare.onnx")
    assert bare["metrics"]["coverage"]["percent"] == 0
    for name in METRICS:
        assert name == "coverage" or bare["metrics"][name]["percent"] is None, name
    names = ("consistency", "specificity", "contamination.calls")
    assert all(found["metrics"][name]["percent"] is None for name in names), found["metrics"]
    assert found["scopes"]["name"] == found["nodes"] - found["scopes"]["none"]


@case_for_each(("attribute", "metadata", "doc-string", "layer-ann"))
def places(where):
    """Wherever tags are written, they are as good."""
    whole = exported(ALL["bert-tiny"])
    path = exported(ALL["bert-tiny"], "--tags", where)
    first, found = measured(whole, "--against", path)
    assert found["reference"]["kind"] == "model" and found["reference"]["unmatched"] == 0
    for name in METRICS:
        if found["metrics"][name]["percent"] is not None and name != "contamination.calls":
            assert found["metrics"][name]["percent"] == first["metrics"][name]["percent"], name
    assert found["metrics"]["contamination.calls"]["of"] == found["nodes"]


@case
def renamed_weights():
    """Weights whose names tell nothing are not judged."""
    with scratch() as folder:
        model = onnx.load(exported(ALL["bert-tiny"]))
        names = {weight.name: f"w{i}" for i, weight in enumerate(model.graph.initializer)}
        for weight in model.graph.initializer:
            weight.name = names[weight.name]
        for node in model.graph.node:
            node.input[:] = [names.get(name, name) for name in node.input]
        onnx.save(model, folder / "renamed.onnx")
        (found,) = measured(folder / "renamed.onnx")
    for name in ("weights", "contamination.weights"):
        assert found["metrics"][name]["percent"] is None, found["metrics"][name]


# ---- outputs ---------------------------------------------------------------------------------------


@case
def csv_rows():
    """Rows say what the JSON document says."""
    path = exported(ALL["llama"])
    with scratch() as folder:
        files = ("--csv", folder / "q.csv", "--json", folder / "q.json")
        result = run("quality", path, *files, env=NO_SHIM)
        assert result.returncode == EXIT_OK, result
        rows = list(csv.DictReader((folder / "q.csv").open()))
        (model,) = json.loads((folder / "q.json").read_text())["models"]
    whole = {row["metric"]: row for row in rows if row["level"] == "model"}
    assert tuple(whole) == METRICS
    for name, measure in model["metrics"].items():
        assert int(whole[name]["count"]) == measure["count"], name
        assert bool(whole[name]["percent"]) == (measure["percent"] is not None), name
    members = {(row["member"], row["metric"]): row for row in rows if row["level"] == "member"}
    for layer in model["layers"]:
        for member in layer["members"]:
            tag = model["modules"][member["module"]]["tag"]
            for name, measure in member["metrics"].items():
                assert int(members[tag, name]["of"]) == measure["of"], (tag, name)


@case
def text():
    for flags in ([], ["--verbose"]):
        result = run("quality", exported(ALL["llama"]), exported(ALL["bert-tiny"]), *flags,
                     env=NO_SHIM)
        assert result.returncode == EXIT_OK and result.stderr == "", result
        lines = result.stdout.splitlines()
        assert all(len(line) <= 80 for line in lines), max(lines, key=len)
        assert sum(line.startswith("contamination.calls") for line in lines) == 2


@case
def worst_nodes():
    """Nodes with problems are listed with their source lines."""
    mutation = Mutation(SAMPLES[0])
    swap(mutation)
    with scratch() as folder:
        mutation.file.save(folder / "mutated.onnx")
        short = run("quality", folder / "mutated.onnx", env=NO_SHIM).stdout
        long = run("quality", folder / "mutated.onnx", "--verbose", env=NO_SHIM).stdout
    assert re.search(r"^    source +\S+\.py:\d+$", short, re.MULTILINE), short
    assert "--verbose lists them" in short, short
    listed = [line for line in long.splitlines() if line == "    contamination.weights"]
    assert len(listed) == mutation.readers and "--verbose" not in long


FAILING = {
    "coverage=100": [], "contamination=0": [], "contamination.weights=0": [], "weights=99.5": [],
    "contamination.calls=5": ["contamination.calls is n/a: there is no reference"],
}


@case_for_each(FAILING)
def fail_under(threshold):
    result = run("quality", exported(ALL["bert-tiny"]), "--fail-under", threshold, env=NO_SHIM)
    wanted = FAILING[threshold]
    assert result.returncode == (EXIT_FOUND if wanted else EXIT_OK), result
    assert len(result.stderr.splitlines()) == len(wanted), result.stderr
    assert all(line in result.stderr for line in wanted), result.stderr


@case
def fail_under_is_told():
    mutation = Mutation(SAMPLES[0])
    move_reader(mutation)
    with scratch() as folder:
        mutation.file.save(folder / "mutated.onnx")
        result = run("quality", folder / "mutated.onnx", "--fail-under", "contamination=0",
                     "--fail-under", "coverage=100", "--json", folder / "q.json", env=NO_SHIM)
        assert (folder / "q.json").exists(), "what was measured is written all the same"
    assert result.returncode == EXIT_FOUND, result
    (line,) = result.stderr.splitlines()
    assert "contamination.weights" in line and "more than 0 %" in line, line


# ---- what is refused -------------------------------------------------------------------------------

USAGE = {
    "no value": ["--fail-under", "coverage"],
    "no number": ["--fail-under", "coverage=all"],
    "too much": ["--fail-under", "coverage=101"],
    "negative": ["--fail-under", "coverage=-1"],
    "not a number": ["--fail-under", "coverage=nan"],
    "no metric": ["--fail-under", "speed=1"],
    "one file twice": ["--csv", "OUT/a", "--json", "OUT/./a"],
    "the model itself": ["--json", "MODEL"],
    "standard output": ["--csv", "-"],
    "standard output of a page": ["--html", "-"],
}


@case_for_each(USAGE)
def usage(name):
    model = exported(ALL["bert-tiny"])
    before = model.read_bytes()
    with scratch() as folder:
        flags = [flag.replace("OUT", str(folder)).replace("MODEL", str(model))
                 for flag in USAGE[name]]
        check_line(run("quality", model, *flags, env=NO_SHIM), EXIT_USAGE)
        assert not list(folder.iterdir())
    assert model.read_bytes() == before


@case
def bad_input():
    model = exported(ALL["bert-tiny"])
    with scratch() as folder:
        (folder / "no.onnx").write_bytes(b"\x08\x08no model")
        (folder / "no.json").write_text("{}")
        for path in (folder / "no.onnx", folder / "missing.onnx", torchscript(ALL["bert-tiny"])):
            flags = ("--json", folder / "q.json", "--csv", folder / "q.csv")
            check_line(run("quality", path, *flags, env=NO_SHIM), EXIT_BAD_INPUT)
            check_line(run("quality", model, "--against", path, *flags, env=NO_SHIM),
                       EXIT_BAD_INPUT)
        for reference in (folder / "no.json", folder / "missing.json"):
            check_line(run("quality", model, "--reference", reference, *flags, env=NO_SHIM),
                       EXIT_BAD_INPUT)
        check_line(run("quality", model, "--profile", folder / "no.json", *flags, env=NO_SHIM),
                   EXIT_BAD_INPUT)
        assert sorted(path.name for path in folder.iterdir()) == ["no.json", "no.onnx"]
        check_line(run("quality", model, model, "--profile", folder / "no.json", env=NO_SHIM),
                   EXIT_USAGE)


@case
def unwritable():
    model = exported(ALL["bert-tiny"])
    with scratch() as folder:
        for flag in ("--json", "--csv"):
            result = run("quality", model, flag, folder / "missing" / "q", env=NO_SHIM)
            check_line(result, EXIT_CANNOT_WRITE)
            check_line(run("quality", model, flag, folder, env=NO_SHIM), EXIT_CANNOT_WRITE)
        assert not list(folder.iterdir())
