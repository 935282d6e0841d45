"""Output files and texts of `htp-trace quality`, its exit codes, and refusals."""

import csv
import json
import re

from commands import NO_SHIM
from harness import (
    EXIT_BAD_INPUT, EXIT_CANNOT_WRITE, EXIT_FOUND, EXIT_OK, EXIT_USAGE, case, case_for_each, exported, run, scratch,
    torchscript,
)
from models.table import ALL
from quality_measured import METRICS
from quality_mutations import SAMPLES, Mutation, move_reader, swap
from test_bad_input import check_line


# ---- outputs ---------------------------------------------------------------------------------------


@case
def csv_rows():
    """Rows agree with the JSON document."""
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
        layers = [line.split()[0] for line in lines if line.startswith("/")]
        assert layers and not any("..." in tag for tag in layers), layers
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


# ---- refusals -------------------------------------------------------------------------------

USAGE = {
    "no value": ["--fail-under", "coverage"],
    "no number": ["--fail-under", "coverage=all"],
    "too much": ["--fail-under", "coverage=101"],
    "negative": ["--fail-under", "coverage=-1"],
    "not a number": ["--fail-under", "coverage=nan"],
    "no metric": ["--fail-under", "speed=1"],
    "one file twice": ["--csv", "OUT/a", "--json=OUT/./a"],
    "the model itself": ["--json=MODEL"],
    "standard output twice": ["--csv", "-", "--html", "-"],
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
        assert sorted(path.name for path in folder.iterdir()) == ["no.json", "no.onnx", "q.json"]
        assert json.loads((folder / "q.json").read_text())["code"] == EXIT_BAD_INPUT
        check_line(run("quality", model, model, "--profile", folder / "no.json", env=NO_SHIM),
                   EXIT_USAGE)


@case
def unwritable():
    model = exported(ALL["bert-tiny"])
    with scratch() as folder:
        for flag in ("--json", "--csv"):
            result = run("quality", model, f"{flag}={folder}/missing/q", env=NO_SHIM)
            check_line(result, EXIT_CANNOT_WRITE)
            check_line(run("quality", model, f"{flag}={folder}", env=NO_SHIM), EXIT_CANNOT_WRITE)
        assert not list(folder.iterdir())
