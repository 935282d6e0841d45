"""Inputs that another process changes during a run, at any of its calls: see tests/faults/acts.h."""

import functools
import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy
import onnxruntime

import faulty
from harness import EXIT_BAD_INPUT, EXIT_OK, once_in_a_run, quick_scratch, run as run_program

CHANGES = ("cut", "grow", "touch")
PAST = 1_000_000_000  # when inputs were written, in seconds: any change is later

# Changes that a command need not see: it compares the size of a file whose contents it does not read.
UNSEEN = {("validate", "m.onnx.data"): ("grow", "touch")}

# A row for each command: the files of files() that it reads, the first of which change, and its arguments.
COMMANDS = {
    "export": (["m.pt"], 1, "m.pt --out out/m.onnx --external-data always"),
    "export_whole": (["m.pt"], 1, "m.pt --out out/m.onnx --external-data never"),
    "export_inputs": (["x.npz", "m.pt"], 1, "m.pt --inputs x.npz --out out/m.onnx"),
    "export_json": (["x.json", "x.npy", "m.pt"], 2, "m.pt --inputs x.json --out out/m.onnx"),
    "exported": (["m.pt2"], 1, "m.pt2 --out out/m.onnx --external-data always"),
    "inspect": (["m.onnx", "m.onnx.data"], 1, "inspect m.onnx --json"),
    "select": (["m.onnx", "m.onnx.data"], 1, "select m.onnx --module first"),
    "select_verified": (["report.json", "m.onnx", "m.onnx.data"], 1,
                        "select m.onnx --verify report.json --worse-than 0"),
    "extract": (["m.onnx", "m.onnx.data"], 2, "extract m.onnx --module first --out out/part.onnx"),
    "split": (["m.onnx", "m.onnx.data"], 2, "split m.onnx --depth 1 --out-dir out/parts"),
    "split_shared": (["m.onnx", "m.onnx.data"], 2, "split m.onnx --depth 1 --share-weights --out-dir out/parts"),
    "inspect_sidecar": (["plain_hierarchy.json", "plain.onnx"], 1, "inspect plain.onnx --json"),
    "extract_sidecar": (["plain_hierarchy.json", "plain.onnx"], 1, "extract plain.onnx --module first --out out/part.onnx"),
    "graph_sidecar": (["plain_hierarchy.json", "plain.onnx"], 1, "graph plain.onnx --out out/m.dot"),
    "sidecar_sidecar": (["plain_hierarchy.json", "plain.onnx"], 1, "sidecar plain.onnx --out out/m.json"),
    "replace": (["m.onnx", "m.onnx.data"], 2, "replace m.onnx --module first --op my.domain:First --out out/m.onnx"),
    "replace_by": (["part.onnx", "m.onnx", "m.onnx.data"], 3,
                   "replace m.onnx --module first --by part.onnx --out out/m.onnx"),
    "strip": (["m.onnx", "m.onnx.data"], 2, "strip m.onnx --out out/m.onnx"),
    "retag": (["m.onnx", "like.onnx", "m.onnx.data"], 2, "retag m.onnx --like like.onnx --out out/m.onnx"),
    "compare": (["m.onnx", "m.onnx.data", "like.onnx"], 3, "compare m.onnx like.onnx"),
    "validate": (["m.onnx", "m.onnx.data"], 2, "validate m.onnx"),
    "validate_sidecar": (["m_hierarchy.json", "m.onnx", "m.onnx.data"], 1, "validate m.onnx --sidecar"),
    "sidecar": (["m.onnx", "m.onnx.data"], 1, "sidecar m.onnx --out out/m.json"),
    "graph": (["m.onnx", "m.onnx.data"], 1, "graph m.onnx --out out/m.dot"),
    "profile": (["profile.json", "m.onnx", "m.onnx.data"], 2, "profile profile.json m.onnx --json"),
    "quality": (["m.onnx", "m.onnx.data"], 1, "quality m.onnx --csv out/q.csv"),
    "quality_sidecar": (["m_hierarchy.json", "m.onnx", "m.onnx.data"], 2, "quality m.onnx --sidecar --csv out/q.csv"),
    "quality_profile": (["profile.json", "m.onnx", "m.onnx.data"], 1,
                        "quality m.onnx --profile profile.json --csv out/q.csv"),
    "quality_reference_sidecar": (["plain_hierarchy.json", "like.onnx"], 1,
                                  "quality like.onnx --reference plain_hierarchy.json --json"),
    "quality_reference": (["m.pt", "m.onnx", "m.onnx.data"], 2, "quality m.onnx --reference m.pt --csv out/q.csv"),
    "verify": (["m.onnx", "m.onnx.data", "like.onnx"], 3, "verify m.onnx like.onnx --onnxruntime runtime"),
    "verify_inputs": (["x.npz", "m.onnx", "m.onnx.data", "like.onnx"], 1,
                      "verify m.onnx like.onnx --inputs x.npz --onnxruntime runtime"),
    "verify_program": (["x.npz", "m.pt", "like.onnx"], 1,
                       "verify m.pt like.onnx --inputs x.npz --onnxruntime runtime"),
    "verify_values": (["values.npz", "x.npz", "like.onnx"], 2,
                      "verify like.onnx --values values.npz --inputs x.npz --onnxruntime runtime"),
}


# Further commands, for other faults: inputs change in the same way as in the rows above.
MORE = {
    "export_sidecar": (["m.pt"], 1, "m.pt --out out/m.onnx --functions --sidecar --state-out out/state.npz"),
    "exported_sidecar": (["m.pt2"], 1, "m.pt2 --out out/m.onnx --functions --sidecar"),
    "exported_json": (["m.pt2"], 1, "m.pt2 --out out/m.onnx --json"),
    "exported_report": (["m.pt2"], 1, "m.pt2 --out out/m.onnx --json out/report.json"),
    "strip_json": (["m.onnx", "m.onnx.data"], 2, "strip m.onnx --out out/m.onnx --json"),
    "sidecar_json": (["m.onnx", "m.onnx.data"], 1, "sidecar m.onnx --json out/report.json"),
    "inspect_cost": (["m.onnx", "m.onnx.data"], 1,
                     "inspect m.onnx --cost --sizes n=2,t=3 --json --node-data out/nodes.json"),
    "inline": (["functions.onnx"], 1, "inline functions.onnx --out out/m.onnx"),
    "inspect_functions": (["functions.onnx"], 1, "inspect functions.onnx --json"),
    "split_time": (["profile.json", "m.onnx", "m.onnx.data"], 1,
                   "split m.onnx --into 2 --by time --profile profile.json --out-dir out/parts"),
    "verify_save": (["m.onnx", "m.onnx.data", "like.onnx"], 1,
                    "verify m.onnx like.onnx --onnxruntime runtime --save out/saved --html out/page.html"),
}
ROWS = {**COMMANDS, **MORE}


def make_files(folder: Path) -> None:
    folder.mkdir()
    made = faulty.inputs()
    shutil.copy(made["pt"], folder / "m.pt")
    shutil.copy(made["large"], folder / "m.pt2")
    x = numpy.ones((2, 3, 6), numpy.float32)
    numpy.savez(folder / "x.npz", x=x)
    numpy.save(folder / "x.npy", x)
    (folder / "x.json").write_text(json.dumps({"x": "@x.npy"}))

    def ask(*arguments):
        result = run_program(*arguments, cwd=folder)
        assert result.returncode == EXIT_OK, (arguments, result.stderr)
        return result

    axes = ["--input", "x:float32[n=2,t=3,6]", "--include-torch-nn", "--quiet"]
    ask("m.pt", "--out", "m.onnx", "--external-data", "always", *axes)
    ask("m.pt", "--out", "like.onnx", "--external-data", "never", *axes)
    ask("extract", "m.onnx", "--module", "first", "--out", "part.onnx", "--external-data", "never")
    ask("sidecar", "m.onnx", "--out", "m_hierarchy.json")
    ask("strip", "like.onnx", "--out", "plain.onnx")
    ask("sidecar", "like.onnx", "--out", "plain_hierarchy.json")
    ask("m.pt", "--out", "functions.onnx", "--functions", "--quiet")
    report = ask("verify", "m.onnx", "like.onnx", "--onnxruntime", made["runtime"], "--json").stdout
    (folder / "report.json").write_text(report)
    options = onnxruntime.SessionOptions()
    options.enable_profiling, options.profile_file_prefix = True, str(folder / "profile")
    session = onnxruntime.InferenceSession(str(folder / "m.onnx"), options)
    results = session.run(None, {"x": x})
    numpy.savez(folder / "values.npz", **dict(zip([output.name for output in session.get_outputs()], results)))
    Path(session.end_profiling()).rename(folder / "profile.json")


@functools.cache
def files() -> dict:
    """The contents of all inputs, by name."""
    folder = once_in_a_run(Path(os.environ["HTP_TEST_OUTPUT"]) / "changing", make_files)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


# ---- runs ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Answer:
    """What a run says and leaves."""

    code: int
    printed: str
    told: tuple
    left: tuple

    @property
    def is_usual(self):
        return (self.code, self.printed, self.left)


def restore(folder: Path, names: list) -> None:
    """Puts the inputs of a run in place, and removes its outputs."""
    shutil.rmtree(folder / faulty.OUT, ignore_errors=True)
    (folder / faulty.OUT).mkdir()
    for name in names:
        (folder / name).write_bytes(files()[name])
        os.utime(folder / name, (PAST, PAST))


def run_command(command: str, folder: Path, order: str = "") -> tuple:
    """Runs a command on the inputs in a folder: faulty.run_program()."""
    runtime = str(faulty.inputs()["runtime"])
    return faulty.run_program([runtime if word == "runtime" else word for word in ROWS[command][2].split()], folder,
                              order)


def run_fresh(command: str, folder: Path, order: str = "") -> tuple:
    """The same on fresh inputs."""
    restore(folder, ROWS[command][0])
    return run_command(command, folder, order)


def run(command: str, folder: Path, order: str = "") -> tuple:
    """Runs a command on fresh inputs, but for the changed ones that are there already. @return its answer, and its
    report"""
    result, report = run_command(command, folder, order)
    left = tuple(sorted(faulty.contents(folder).items()))
    return Answer(result.returncode, result.stdout, tuple(result.stderr.splitlines()), left), report


def change(path: Path, how: str) -> None:
    """The same as acts.c, before the run."""
    size = path.stat().st_size
    if how != "touch":
        os.truncate(path, size // 2 if how == "cut" else size + 4096)


@functools.cache
def usual(command: str) -> Answer:
    names = COMMANDS[command][0]
    with quick_scratch() as folder:
        restore(folder, names)
        run(command, folder)  # what only the first run does
        restore(folder, names)
        answer, _ = run(command, folder)
        assert answer.code == EXIT_OK, answer
        return answer


@functools.cache
def answer_to_changed(command: str, name: str, how: str) -> Answer:
    """What a run says if the file was changed before."""
    with quick_scratch() as folder:
        restore(folder, COMMANDS[command][0])
        change(folder / name, how)
        return run(command, folder)[0]


@functools.cache
def calls(command: str) -> list:
    """The places of all calls that read or change files."""
    with quick_scratch() as folder:
        restore(folder, COMMANDS[command][0])
        return [place for place in run(command, folder, "list")[1] if place.call not in faulty.ALLOCATIONS]


SAID = ("was changed while it was read", "were changed while they were read", "was cut short while it was read",
        "cannot be read any more", "are cut short")


@dataclass(frozen=True)
class Verdict:
    """On a run during which an input changed: what is wrong with it, and whether the program saw the change."""

    wrong: str
    is_refused: bool


def judge(command: str, name: str, how: str, place: faulty.Place, folder: Path) -> Verdict:
    """It ends as usual if that is before or behind all reading."""
    restore(folder, COMMANDS[command][0])
    answer, acted = run(command, folder, f"at:{place.name}:{how}:{folder / name}")
    told = [line for line in answer.told if line not in usual(command).told]
    is_told = len(told) == 1 and any(text in told[0] for text in SAID)
    is_refused = answer.code == EXIT_BAD_INPUT and is_told and answer.left in ((), usual(command).left)
    before = answer_to_changed(command, name, how)
    is_right = len(acted) == 1 and (is_refused or answer.is_usual in (usual(command).is_usual, before.is_usual))
    wrong = "" if is_right else f"{command}, {how} {name} at {place}: {len(acted)} changes, exit code {answer.code}, " \
        f"{answer.told[:20]}, {[name for name, _ in answer.left]}"
    return Verdict(wrong, is_refused)


def rows() -> list:
    """Each command with each of its files that change."""
    return [(command, name) for command, (names, count, _) in COMMANDS.items() for name in names[:count]]


def chosen(command: str, count: int) -> list:
    """So many calls of a command, and those at which an input or an output is open; all if the count is 0."""
    found = calls(command)
    some = [place for place in found if count and place.call in ("mapped", "open")]
    return [*faulty.evenly(found, count), *some]


def check(command: str, name: str, count: int = 0) -> None:
    """An input changes at so many calls of a command; at all if the count is 0."""
    with quick_scratch() as folder:
        for how in CHANGES:
            verdicts = [judge(command, name, how, place, folder) for place in chosen(command, count)]
            found = [verdict.wrong for verdict in verdicts if verdict.wrong]
            assert not found, f"{len(found)} of {len(verdicts)}\n" + "\n".join(found[:40])
            is_seen = any(verdict.is_refused for verdict in verdicts)
            is_sample = not count and len(verdicts) < len(calls(command))  # may miss the calls that read the file
            assert is_sample or is_seen == (how not in UNSEEN.get((command, name), ())), f"{command}, {how} {name}: {is_seen}"
