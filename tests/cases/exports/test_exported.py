"""Programs of torch.export (.pt2): numbers at three choices of sizes, tags, and no libtorch at all.

tests/exported/ makes them: strict and not, before and after run_decompositions(). Files of other versions of PyTorch
are in tests/exported/versions. tests/support/exported_differences.py lists the differences; an unneeded row fails.
"""

import json
import os
import re
import subprocess
from pathlib import Path

import numpy
import onnx

import exported_differences as differences
import onnx_facts as facts
from commands import NO_SHIM
from exported_files import FOLDER, files
from harness import EXIT_OK, EXIT_UNSUPPORTED, PROGRAM, case, case_for_each, export, libtorch_version, run, scratch
from numbers_check import assert_close, session

VERSIONS = FOLDER / "versions"
SETS = ("plain_programs", "memory_programs", "control_programs", "detection_programs", "idiom_programs",
        "native_programs", "quantized_programs", "size_programs", "transformer_programs", "weight_programs")
KINDS = {"Gemm": "MatMul"}  # the same by other names


def listed() -> list:
    """(set, program, mode) of all programs, from their sources."""
    found = []
    for name in SETS if libtorch_version() >= (2, 13) else ():
        text = (FOLDER / f"{name}.py").read_text()
        choices = dict(re.findall(r"^([A-Z]+) = \((\".*)\)", text, re.M))
        for program in re.findall(r"^    Program\((\"(?:.|\n)*?)(?=^    Program|^\))", text, re.M):
            modes = ("plain", "strict", "decomposed", "strict-decomposed")
            if choice := re.search(r"modes=([A-Z]+)", program):
                modes = tuple(re.findall(r'"([\w-]+)"', choices[choice[1]]))
            found.extend((name, re.match(r'"(\w+)"', program)[1], mode) for mode in modes)
    return found


# ---- numbers ---------------------------------------------------------------------------------------


def run_at(runner, numbers, place: int) -> list:
    """ONNX Runtime's results for one choice of sizes: states left out, sequences element by element."""
    given = [numbers[key] for key in sorted(numbers) if key.startswith(f"{place}/input/")]
    names = [argument.name for argument in runner.get_inputs()]
    assert len(names) == len(given), f"inputs {names}, {len(given)} expected"
    outputs = [output.name for output in runner.get_outputs() if not output.name.startswith("state.")]
    got = []
    for value in runner.run(outputs, dict(zip(names, given))):
        got.extend(value if isinstance(value, list) else [value])
    return got


def check_numbers(model: Path, folder: Path, levels=(True, False)) -> None:
    numbers = dict(numpy.load(folder / "numbers.npz"))
    for level in levels:
        runner = session(model, level)
        for place in range(3):
            wanted = [numbers[key] for key in sorted(numbers) if key.startswith(f"{place}/output/")]
            assert_close(run_at(runner, numbers, place), wanted, f"sizes {place}, optimised: {level}")


# ---- tags ------------------------------------------------------------------------------------------


def check_hooks(model, folder: Path) -> None:
    """Operators seen by hooks of an eager run are in the modules that ran them, and no others are."""
    names, ran = {}, {}
    for kind, paths in json.loads((folder / "hooks.json").read_text()):
        ran.setdefault(kind, set()).add(paths[0])
        names.update(dict.fromkeys(paths, paths[0]))
    for node in facts.nodes_of(model.graph):
        kind = KINDS.get(node.op_type, node.op_type)
        if kind in ran and facts.chain_of(node)[-1] in names:
            assert names[facts.chain_of(node)[-1]] in ran[kind], (node.name, kind, sorted(ran[kind]))


def check_twin(model, program: str, mode: str, folder: Path) -> None:
    """The tags of modules in which something runs are those of the TorchScript file."""
    twin = folder / "twin.pt"
    if not twin.exists():
        return
    with scratch() as there:
        export(twin, there / "twin.onnx", "--no-fold")
        other = onnx.load(str(there / "twin.onnx"))
    tags, others = ({facts.tag_of(node) for node in facts.nodes_of(one.graph)} for one in (model, other))
    is_told = differences.of(differences.OTHER_TAGS, program, mode) is not None
    assert (tags != others) == is_told, (sorted(tags - others), sorted(others - tags))


# ---- what is folded without libtorch ----------------------------------------------------------------


def check_folded(pt2: Path, folder: Path) -> None:
    """Values that depend only on constants and weights are computed, except those reported as too large."""
    with scratch() as there:
        result = run(pt2, "--out", there / "model.onnx", "--state-defaults", env=NO_SHIM)
        assert result.returncode == EXIT_OK, result.stderr
        check_numbers(there / "model.onnx", folder, levels=(False,))
        model = onnx.load(str(there / "model.onnx"))
    left = [node.op_type for node in facts.reading_constants_alone(model)]
    kept = result.stderr.count("is computed of weights alone")
    assert len(left) <= kept and (kept > 0) == (folder.name == "large"), (left, result.stderr)
    facts.check_every_node_has_one_tag(model)


# ---- cases -----------------------------------------------------------------------------------------


def check_refused(pt2: Path, words: str) -> None:
    result = run(pt2, "--out", "/dev/null", env=NO_SHIM)
    assert result.returncode == EXIT_UNSUPPORTED, result
    assert words in result.stderr and "first in " in result.stderr, result.stderr


def exported(pt2: Path):
    with scratch() as there:
        result = run(pt2, "--out", there / "model.onnx", "--state-defaults", "--no-fold", env=NO_SHIM)
        assert result.returncode == EXIT_OK, result.stderr
        check_numbers(there / "model.onnx", pt2.parent)
        return onnx.load(str(there / "model.onnx"))


def check_model(model, folder: Path) -> None:
    onnx.checker.check_model(model, full_check=True)
    facts.check_every_node_has_one_tag(model)
    facts.check_names(model)
    facts.check_counts(model)
    check_hooks(model, folder)


@case
def rows_of_the_side_table_are_of_programs():
    known = {key for _, program, mode in listed() for key in (program, f"{program}/{mode}")}
    others = {pt2.parent.name for pt2 in VERSIONS.glob("*/*/*.pt2")}
    tables = (differences.REFUSED, differences.NOT_MADE, differences.OTHER_TAGS)
    unknown = {key for table in tables for key in table} - known - others
    assert not unknown or not known, unknown


@case
def libtorch_is_not_opened() -> None:
    """Neither without libtorch nor with one."""
    if not listed():
        return
    pt2 = files("plain_programs", "mlp") / "plain.pt2"
    told = subprocess.run(["ldd", PROGRAM], capture_output=True, text=True, check=True).stdout
    linked = [line.split()[0] for line in told.splitlines()]  # without addresses
    assert not [name for name in linked if "torch" in name or "c10" in name], linked
    for shim in ({}, {"HTP_SHIM": NO_SHIM["HTP_SHIM"]}):
        result = run(pt2, "--out", "/dev/null", env={**os.environ, **shim, "LD_DEBUG": "files"})
        assert result.returncode == EXIT_OK, result.stderr[-2000:]
        opened = [line for line in result.stderr.splitlines() if "libtorch" in line or "libhtp-shim" in line]
        assert "libc.so" in result.stderr and not opened, opened


@case
def what_is_overwritten_with_itself_is_no_state() -> None:
    """A buffer that forward() sets to its own value."""
    if not listed():
        return
    for mode in ("plain", "decomposed"):
        with scratch() as there:
            export(files("idiom_programs", "table") / f"{mode}.pt2", there / "model.onnx")
            model = onnx.load(str(there / "model.onnx"))
        assert [given.name for given in model.graph.input] == ["x"], (mode, model.graph.input)
        assert len(model.graph.output) == 1, (mode, model.graph.output)


HANDED = {  # program: a buffer whose value another module reads, and that module
    "handed_on": ("sines.frequencies", "/HandedOn/Turned"),
    "handed_size": ("padded.padding", "/HandedSizes/Counted"),
}


@case_for_each(HANDED if listed() else {})
def values_that_modules_hand_on_contaminate_nothing(name) -> None:
    """Folded ones, which are made of the buffers of another module."""
    with scratch() as there:
        export(files("weight_programs", name) / "plain.pt2", there / "model.onnx")
        model = onnx.load(str(there / "model.onnx"))
        told = run("quality", there / "model.onnx", "--json", there / "quality.json")
        assert told.returncode == EXIT_OK, told.stderr
        metrics = json.loads((there / "quality.json").read_text())["models"][0]["metrics"]
    buffer, reader = HANDED[name]
    made_of = {one.name: facts.parameters_of(one) for one in model.graph.initializer}
    readers = {facts.tag_of(node) for node in model.graph.node for read in node.input if made_of.get(read) == [buffer]}
    assert reader in readers, readers
    found = metrics["contamination.weights"]
    assert found["count"] == 0 < found["of"], found


@case_for_each(listed(), name=lambda one: "/".join(one[1:]))
def program(one):
    name, program_name, mode = one
    folder = files(name, program_name)
    pt2, missing = folder / f"{mode}.pt2", differences.of(differences.NOT_MADE, program_name, mode)
    assert pt2.exists() == (missing is None), (folder / f"{mode}.txt").read_text()
    words = differences.of(differences.REFUSED, program_name, mode)
    if missing or words:
        return None if missing else check_refused(pt2, words)
    model = exported(pt2)
    check_model(model, folder)
    check_twin(model, program_name, mode, folder)
    if not mode.startswith("strict"):
        check_folded(pt2, folder)


@case_for_each(sorted(VERSIONS.glob("*/tied/plain.pt2")), name=lambda pt2: pt2.parts[-3])
def weights_stay_tied(pt2):
    sizes = [numpy.prod(one.dims) for one in exported(pt2).graph.initializer]
    assert sizes.count(11 * 8) == 1, sizes


@case_for_each(sorted(VERSIONS.glob("*/*/*.pt2")), name=lambda pt2: f"{pt2.relative_to(VERSIONS).with_suffix('')}")
def version(pt2):
    """Files of other versions of PyTorch."""
    words = differences.of(differences.REFUSED, pt2.parent.name, pt2.stem)
    if words:
        return check_refused(pt2, words)
    check_model(exported(pt2), pt2.parent)
