"""`quality --sidecar` adds the numbers of `quality --json` to sidecars, and changes nothing else."""

import json
import os

from commands import NO_SHIM, facts
from exporters import foreign, ours
from harness import (
    EXIT_BAD_INPUT, EXIT_CANNOT_WRITE, EXIT_OK, EXIT_USAGE, case, case_for_each,
    case_for_each_model, exported, run, scratch, skip_unless_loadable, torchscript,
)
from models.table import ALL
from quality_mutations import Mutation, SAMPLES as RETAGGED, move_reader
from test_bad_input import check_line
from test_sidecar import findings_with, make, read, stripped

SAMPLES = [ALL[name] for name in ("bert-tiny", "resnet18", "transformer-scripted")]
LEFT_OUT = ("file", "role", "hierarchy", "modules", "nodes_table")


def measure(file, *flags) -> dict:
    """Measures with --sidecar; returns the model's part of the JSON document."""
    result = run("quality", file, *flags, "--json", env=NO_SHIM)
    assert result.returncode == EXIT_OK and result.stderr == "", result
    return json.loads(result.stdout)["models"][0]


def expected(model: dict) -> dict:
    """The expected contents of the sidecar."""
    part = {key: value for key, value in model.items() if key not in LEFT_OUT}
    if part["reference"]:
        part["reference"]["file"] = part["reference"]["file"].rpartition("/")[2]
    return part


def put(folder, name: str):
    """A model with a unique name, so that only its sidecar is beside it."""
    path = folder / f"{name}.onnx"
    path.write_bytes(exported(ALL[name]).read_bytes())
    return path


# ---- contents -----------------------------------------------------------------------------------


@case_for_each_model(SAMPLES)
def a_new_one(model):
    skip_unless_loadable(model)
    with scratch() as folder:
        file = put(folder, model.name)
        told = measure(file, "--sidecar")
        document = read(folder / f"{model.name}_hierarchy.json")
        assert document["quality"] == expected(told)
        assert [m["full_tag"] for m in document["modules"]] == [
            m["full_tag"] for m in told["modules"]], "indices of layers are of this list"
        assert findings_with(file, None) == []
        del document["quality"]
        assert document == make(file, folder / "alone.json")


@case
def one_that_lies_there():
    """Its other bytes stay, whoever wrote it; earlier results are replaced."""
    with scratch() as folder:
        file = put(folder, "bert-tiny")
        sidecar = folder / "bert-tiny_hierarchy.json"
        make(file, sidecar)
        plain = sidecar.read_text()
        measure(file, "--sidecar")
        first = sidecar.read_text()
        sidecar.unlink()
        measure(file, "--sidecar")
        assert sidecar.read_text() == first, "written anew it is the same"
        assert first.startswith(plain[:-3]) and first.endswith("\n}\n")
        make(file, folder / "reference.json")
        told = measure(file, "--sidecar", "--reference", folder / "reference.json")
        assert read(sidecar)["quality"] == expected(told)
        assert read(sidecar)["quality"]["reference"]["file"] == "reference.json"
        measure(file, "--sidecar")
        assert sidecar.read_text() == first
        mine = json.loads(plain)
        mine.update(quality={"a": 1}, mine=[None], export=mine.pop("export"))
        for spaces in (None, 3):
            sidecar.write_text(json.dumps(mine, indent=spaces))
            measure(file, "--sidecar")
            found = json.loads(sidecar.read_text())
            assert list(found) == list(mine)
            assert found == {**mine, "quality": json.loads(first)["quality"]}
        assert run("sidecar", file, env=NO_SHIM).returncode == EXIT_OK
        assert sidecar.read_text() == plain, "a sidecar that is written anew has no results"


@case
def what_an_export_alone_knows_stays():
    with scratch() as folder:
        result = run(torchscript(ALL["bert-tiny"]), "--out", folder / "m.onnx", "--sidecar", "--quiet")
        assert result.returncode == EXIT_OK, result
        before = read(folder / "m_hierarchy.json")
        measure(folder / "m.onnx", "--sidecar")
        after = read(folder / "m_hierarchy.json")
        assert after.pop("quality") and after == before and "seconds" in after["export"]


@case
def by_the_sidecar_itself():
    """A sidecar may be the reference, and the source of modules."""
    with scratch() as folder:
        file = stripped(folder, exported(ALL["bert-tiny"]))
        sidecar = folder / "m_hierarchy.json"
        before = read(sidecar)
        told = measure(file, "--sidecar", "--reference", sidecar)
        assert told["reference"]["kind"] == "sidecar" and told["reference"]["unmatched"] == 0
        after = read(sidecar)
        assert after.pop("quality") == expected(told) and after == before
        assert facts("inspect", file)["hierarchy"] == "sidecar m_hierarchy.json"
        assert findings_with(file, None) == []


@case_for_each(("older", "newer", "external"))
def of_foreign_models(name):
    with scratch() as folder:
        told = measure(foreign(name), "--sidecar", folder / "s.json")
        assert read(folder / "s.json")["quality"] == expected(told)
        assert findings_with(foreign(name), folder / "s.json") == []


@case
def of_several_models():
    with scratch() as folder:
        files = [put(folder, name) for name in ("bert-tiny", "resnet18")]
        other = folder / "other.onnx"
        other.write_bytes(files[0].read_bytes())
        result = run("quality", *files, "--sidecar", "--quiet", env=NO_SHIM)
        assert result.returncode == EXIT_OK and result.stdout == result.stderr == "", result
        for file in files:
            nodes = read(folder / f"{file.stem}_hierarchy.json")["quality"]["nodes"]
            assert nodes == measure(file)["nodes"]
        measure(files[0], "--against", other, "--sidecar")
        assert not (folder / "other_hierarchy.json").exists(), "it is measured by another"


@case
def where_tags_are_wrong():
    """Results are printed for any exit code."""
    with scratch() as folder:
        mutation = Mutation(RETAGGED[0])
        move_reader(mutation)
        mutation.file.save(folder / "m.onnx")
        result = run("quality", folder / "m.onnx", "--sidecar", "--fail-under", "contamination=0",
                     env=NO_SHIM)
        assert result.returncode == 6, result
        quality = read(folder / "m_hierarchy.json")["quality"]
        assert quality["metrics"]["contamination.weights"]["count"] > 0
        assert any(layer["score"] < 100 for layer in quality["layers"]), quality["layers"]


# ---- refusals -----------------------------------------------------------------------------------


def refused(arguments, sidecar, code: int, part: str) -> None:
    """One line, and neither the sidecar nor another output is touched."""
    before = sidecar.read_bytes() if sidecar.is_file() else None
    others = sorted(path.name for path in sidecar.parent.iterdir())
    csv = ("--csv", sidecar.parent / "q.csv")
    check_line(run("quality", *arguments, *csv, env=NO_SHIM), code, part)
    assert (sidecar.read_bytes() if sidecar.is_file() else None) == before
    assert sorted(path.name for path in sidecar.parent.iterdir()) == others


@case
def what_is_not_the_models_sidecar():
    with scratch() as folder:
        file = put(folder, "bert-tiny")
        sidecar = folder / "bert-tiny_hierarchy.json"
        whole = make(file, sidecar)
        operation = next(iter(whole["operations"]))
        texts = {
            "": "empty", "my notes": "no", "{}": 'no "export"', sidecar.read_text()[:-3]: "byte",
            json.dumps({**whole, "version": 2}): "version",
            json.dumps({**whole, "quality": [1]}): '"quality" is no object',
            sidecar.read_text()[:-3] + ', "quality": {}, "quality": {}}': '"quality" twice',
            json.dumps({**whole, "operations": {
                **whole["operations"], operation: {**whole["operations"][operation], "tags": []},
            }}): operation,
            json.dumps(make(ours(folder), folder / "other.json")): "belongs to another model than",
        }
        for text, part in texts.items():
            sidecar.write_text(text)
            refused((file, "--sidecar"), sidecar, EXIT_BAD_INPUT, part)
        sidecar.unlink()
        sidecar.mkdir()
        refused((file, "--sidecar"), sidecar, EXIT_CANNOT_WRITE, "bert-tiny_hierarchy.json")


@case
def where_it_cannot_go():
    with scratch() as folder:
        file = put(folder, "bert-tiny")
        other = put(folder, "resnet18")
        sidecar = folder / "s.json"
        make(file, sidecar)
        (folder / "model.json").write_bytes(file.read_bytes())
        (folder / "link.json").symlink_to(folder / "nowhere" / "s.json")
        os.mkfifo(folder / "pipe.json")
        place = f"--sidecar={folder}/"
        refused((file, other, "--sidecar", sidecar), sidecar, EXIT_USAGE, "one model")
        refused((file, file, "--sidecar"), sidecar, EXIT_USAGE, "two outputs")
        refused((file, f"--sidecar={file}"), sidecar, EXIT_USAGE, "input itself")
        refused((file, "--sidecar", sidecar, "--json", f"{folder}/./s.json"), sidecar, EXIT_USAGE,
                "two outputs")
        refused((file, "--sidecar", folder / "model.json"), sidecar, EXIT_BAD_INPUT, "no sidecar")
        refused((file, place + "resnet18.onnx"), sidecar, EXIT_BAD_INPUT, "no sidecar")
        refused((file, place + "pipe.json"), sidecar, EXIT_USAGE, "no file")
        refused((file, "--sidecar=/dev/stdout"), sidecar, EXIT_USAGE, "no file")
        refused((file, place + "no/s.json"), sidecar, EXIT_CANNOT_WRITE, "no")
        refused((file, place + "link.json"), sidecar, EXIT_CANNOT_WRITE, "nowhere")
        refused((file, "--sidecar", sidecar, "--fail-under", "x=1"), sidecar, EXIT_USAGE, "x")


# ---- validate ------------------------------------------------------------------------------------------


def set_at(*place, to):
    def change(quality):
        for name in place[:-1]:
            quality = quality[name]
        quality[place[-1]] = to
    return change


def drop(name):
    return lambda quality: quality["metrics"].pop(name)


PLANTED = {
    "more than there are": set_at("metrics", "coverage", "count", to=1000),
    "negative": set_at("metrics", "cohesion", "count", to=-1),
    "no whole number": set_at("metrics", "tensors", "of", to=0.5),
    "no number": set_at("metrics", "scope", "of", to="145"),
    "endless": set_at("metrics", "scope", "of", to=1e300),
    "another percentage": set_at("metrics", "coverage", "percent", to=99),
    "no percentage": set_at("metrics", "coverage", "percent", to=None),
    "a percentage of nothing": set_at("metrics", "contamination.calls", "percent", to=0),
    "no measure": set_at("metrics", "weights", to=100),
    "no metrics": set_at("metrics", to=[]),
    "a metric less": drop("separation"),
    "nodes": set_at("nodes", to=146),
    "modules": set_at("module_count", to=0),
    "scopes": set_at("scopes", "name", to=1),
    "no scopes": set_at("scopes", to=None),
    "specificity": set_at("specificity", "root", to=-2),
    "depths": set_at("depths", to={}),
    "a depth": set_at("depths", 1, "metrics", "coverage", "percent", to=101),
    "a depth's metrics": set_at("depths", 1, to=7),
    "layers": set_at("layers", to=1),
    "a layer": set_at("layers", 0, to=None),
    "a layer's parent": set_at("layers", 0, "parent", to=1000),
    "a layer's score": set_at("layers", 0, "score", to=100.5),
    "a layer's members": set_at("layers", 0, "members", to={}),
    "a member": set_at("layers", 0, "members", 1, "module", to=-1),
    "a member's score": set_at("layers", 0, "members", 1, "score", to=True),
    "a member's measure": set_at("layers", 0, "members", 1, "metrics", "coverage", "count", to=-3),
}


@case_for_each(PLANTED)
def what_is_planted_is_found(name):
    with scratch() as folder:
        file = put(folder, "bert-tiny")
        measure(file, "--sidecar", folder / "s.json")
        document = read(folder / "s.json")
        PLANTED[name](document["quality"])
        (folder / "s.json").write_text(json.dumps(document))
        found = findings_with(file, folder / "s.json")
        assert found and all(line.startswith("sidecar: quality") for line in found), found
        assert len(found) <= 2, found
        measure(file, "--sidecar", folder / "s.json")
        assert findings_with(file, folder / "s.json") == [], "it was measured anew"
