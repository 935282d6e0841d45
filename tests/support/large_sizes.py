"""Operator cases at realistic sizes: tests/operators/large_sizes.txt has a line for each, with the inputs of an export
whose free axes are all named and large.

    large_sizes.py --record    rewrites the table: of the cases that use a row of the table of lowerings,
                               those with the most free axes

The table is made with PyTorch 2, whose files contain their traced inputs.
"""

import json
import os
import sys
import zipfile
from collections import defaultdict
from pathlib import Path

import harness
import operator_files
import size_oracle

TABLE = Path(__file__).resolve().parents[1] / "operators" / "large_sizes.txt"
HINTS = "htp_inputs.json"
OPSET = 18
# By rank, the sizes to which axes grow: 8x512x768, 1x64x224x224, 1x3x16x112x112.
LARGE = {1: (65536,), 2: (512, 768), 3: (8, 512, 768), 4: (2, 64, 224, 224), 5: (2, 4, 16, 112, 112)}


def with_inputs(source: Path, target: Path, inputs: dict | None) -> None:
    """A copy of an archive with other recorded inputs, or without any."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        root = old.namelist()[0].split("/")[0]
        for name in old.namelist():
            if not name.endswith(f"/extra/{HINTS}"):
                new.writestr(name, old.read(name))
        if inputs is not None:
            new.writestr(f"{root}/extra/{HINTS}", json.dumps(inputs))


def hints_of(file: Path) -> dict:
    """The inputs that an archive records."""
    with zipfile.ZipFile(file) as archive:
        name = next(name for name in archive.namelist() if name.endswith(f"/extra/{HINTS}"))
        return json.loads(archive.read(name))


def export(files: list, out: Path, log: Path, opset: int = OPSET, compares: bool = False) -> dict:
    """Exports files, and compares meta kernels with kernels if requested. The program's answers, by stem."""
    out.mkdir(exist_ok=True)
    environment = {**size_oracle.environment(log), "HTP_ORACLE_COMPARES": str(int(compares))}
    flags = ["--out-dir", out, "--opset", opset, "--quiet", "--json"]
    result = harness.run(*files, *flags, timeout=1800, env=environment)
    told = [json.loads(line) for line in result.stdout.splitlines()]
    assert len(told) == len(files), f"told of {len(told)} of {len(files)}: {result.stderr[-2000:]}"
    return {Path(one["model"]).stem: one for one in told}


# ---- the table -----------------------------------------------------------------------------------------


def table() -> dict:
    """The inputs of each case, by group/name."""
    lines = [line.split("\t") for line in TABLE.read_text().splitlines() if not line.startswith("#")]
    return {name: dict(part.split("=", 1) for part in parts) for name, *parts in lines}


def grown(size: int, rank: int, axis: int) -> int:
    """A multiple of a size, so that its divisors stay divisors."""
    wanted = LARGE.get(rank, (2,) * (rank - 3) + (16, 64, 64))[axis]
    return max(size, 1) * max(-(-wanted // max(size, 1)), 1)


def enlarged(inputs: list) -> dict:
    """Inputs as in --json, with large free axes. An axis has the same size everywhere."""
    sizes = {}
    for one in inputs:
        for axis, (size, name) in enumerate(zip(one["dims"], one["axes"])):
            if name is not None:
                sizes[name] = max(sizes.get(name, 0), grown(size, len(one["dims"]), axis))
    return {one["name"]: specification(one, sizes) for one in inputs}


def specification(one: dict, sizes: dict) -> str:
    dims = [f"{name}={sizes[name]}" if name else str(size) for size, name in zip(one["dims"], one["axes"])]
    return f"{one['dtype']}[{','.join(dims)}]"


# ---- how it is made ------------------------------------------------------------------------------------


def candidates(folder: Path) -> dict:
    """Cases with a free axis: their inputs at large sizes, and their operators."""
    found = {}
    known = operator_files.cases()
    for group in sorted({name.split("/")[0] for name in known}):
        source, entries = operator_files.made(group)
        names = {entry["number"]: name for name, entry in entries.items()
                 if "failure" not in entry and not known[name].get("refused")}
        small = folder / group
        small.mkdir()
        for number in names:
            with_inputs(source / f"{number}.pt", small / f"{number}.pt", None)
        log = folder / f"{group}.log"
        told = export(sorted(small.glob("*.pt")), small / "out", log)
        ran = size_oracle.Log().read(log).ran
        for number, answer in told.items():
            inputs = answer.get("inputs") or []
            if answer["status"] == "ok" and any(name for one in inputs for name in one["axes"]):
                operators = ran.get(str(small / f"{number}.pt"), set())
                found[names[number]] = (enlarged(inputs), operators)
        print(f"{group}: {len(told)} cases", file=sys.stderr, flush=True)
    return found


def exported_large(folder: Path, cases: dict) -> dict:
    """Exports cases with these inputs. @return the program's answers"""
    groups = defaultdict(dict)
    for name, inputs in cases.items():
        groups[name.split("/")[0]][name] = inputs
    answers = {}
    for group, members in groups.items():
        source, entries = operator_files.made(group)
        large = folder / f"large-{group}"
        large.mkdir()
        names = {entries[name]["number"]: name for name in members}
        for number, name in names.items():
            with_inputs(source / f"{number}.pt", large / f"{number}.pt", members[name])
        told = export(sorted(large.glob("*.pt")), large / "out", folder / "large.log")
        answers.update({names[number]: answer for number, answer in told.items()})
    return answers


def axes_of(inputs: dict) -> int:
    return sum(text.count("=") for text in inputs.values())


def chosen(found: dict, rows: set, answers: dict) -> tuple:
    """For each row, the case with most axes that exports at large sizes; and rows without."""
    by_row = defaultdict(list)
    for name, (inputs, operators) in found.items():
        for operator in operators:
            row = operator if operator in rows else operator.rstrip("_")
            if row in rows:
                by_row[row].append((-axes_of(inputs), len(operators), name))
    picked, failing = set(), {}
    for row, cases in by_row.items():
        taken = [name for *_, name in sorted(cases) if answers[name]["status"] == "ok"]
        if taken:
            picked.add(taken[0])
        else:
            failing[row] = sorted(cases)[0][-1]
    return picked, failing


def record() -> None:
    rows = set(harness.run("ops").stdout.split())
    with harness.scratch() as folder:
        found = candidates(folder)
        answers = exported_large(folder, {name: inputs for name, (inputs, _) in found.items()})
        picked, failing = chosen(found, rows, answers)
        for row, name in sorted(failing.items()):
            print(f"{row}: {name}: {answers[name].get('error')} {answers[name].get('details')}")
    lines = ["\t".join([name, *(f"{key}={text}" for key, text in found[name][0].items())])
             for name in sorted(picked)]
    TABLE.write_text("# Cases at large sizes; made by large_sizes.py --record.\n" + "\n".join(lines) + "\n")


if __name__ == "__main__":
    os.environ.setdefault("HTP_TEST_OUTPUT", "/tmp")
    if sys.argv[1:] != ["--record"]:
        sys.exit(__doc__)
    record()
