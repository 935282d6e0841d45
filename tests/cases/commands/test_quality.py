"""`htp-trace quality`: planted faults are found by the right metrics, as often as they were planted, and by no others;
our own exports have none."""

import onnx

from harness import case, case_for_each, case_for_each_model, exported, scratch, skip_unless_loadable
from models.table import ALL, FIDELITY
from quality_measured import CALLS, METRICS, measured, wrong
from quality_mutations import SAMPLES, SOME, TABLE, Mutation
from retag import drop_properties


# ---- our own exports -------------------------------------------------------------------------------

# Metrics that must be perfect; cohesion is a property of the network, too.
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


# ---- unknown values --------------------------------------------------------------------------


@case
def untagged():
    """A file without modules has no values, except obvious ones: no node has a tag."""
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
    """Tags are equally good wherever they are written."""
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
    """Weights with meaningless names are not judged."""
    with scratch() as folder:
        model = onnx.load(exported(ALL["bert-tiny"]))
        names = {weight.name: f"w{i}" for i, weight in enumerate(model.graph.initializer)}
        for weight in model.graph.initializer:
            weight.name = names[weight.name]
            drop_properties(weight, ("htp.parameter",))
        for node in model.graph.node:
            node.input[:] = [names.get(name, name) for name in node.input]
        onnx.save(model, folder / "renamed.onnx")
        (found,) = measured(folder / "renamed.onnx")
    for name in ("weights", "contamination.weights"):
        assert found["metrics"][name]["percent"] is None, found["metrics"][name]
