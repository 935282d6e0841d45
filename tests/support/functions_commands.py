"""Commands give the same answers for a file with functions as for the flat one."""

import json
import subprocess
from pathlib import Path

import onnx

import harness
from functions_files import MODEL, Files
from functions_match import match
from functions_reading import properties, read


def ask(folder: Path, *arguments) -> str:
    """A command's answer about a model, from its own folder."""
    result = subprocess.run([str(harness.PROGRAM), *map(str, arguments)], cwd=folder,
                            capture_output=True, text=True, timeout=harness.TIMEOUT)
    assert result.returncode == 0, f"{arguments}: {result.returncode} {result.stderr[-500:]}"
    assert result.stderr == "", f"{arguments}: {result.stderr[-500:]}"
    return result.stdout


def addresses_of(model) -> list:
    """A few modules that have nodes: the outermost, a deep one, the last."""
    tree = json.loads(properties(model)["htp.module_tree"])["modules"]
    found = [m["tag"] for m in tree if m["nodes"]["total"] > 0 and m["path"] and not m["is_torch_nn"]]
    deepest = max(found, key=lambda tag: tag.count("/"), default="")
    return sorted({tag for tag in (*found[:1], deepest, *found[-1:]) if tag})


def questions(files: Files) -> list:
    whole = [
        ("inspect", MODEL, "--json"), ("inspect", MODEL), ("quality", MODEL, "--json"),
        ("graph", MODEL, "--format", "graphml"), ("graph", MODEL, "--format", "dot", "--depth", 2),
        ("validate", MODEL), ("select", MODEL, "--module", "**"),
        ("select", MODEL, "--module", "**", "--weights"),
    ]
    parts = [
        question for tag in addresses_of(files.flat_model) for question in (
            ("inspect", MODEL, "--module", tag, "--json"),
            ("select", MODEL, "--module", tag, "--format", "ort-exclude"),
            ("select", MODEL, "--module", tag, "--format", "json"))]
    return [*whole, *parts]


def check_answers(files: Files) -> None:
    """Commands print the same for both files."""
    for question in questions(files):
        mine, flat = (ask(path.parent, *question) for path in (files.nested, files.flat))
        if mine != flat:
            lines = [(a, b) for a, b in zip(mine.splitlines(), flat.splitlines()) if a != b]
            raise AssertionError(f"{' '.join(map(str, question))}: {len(lines)} lines differ: "
                                 f"{[tuple(x[:300] for x in pair) for pair in lines[:2]]}")


def check_sidecar(files: Files) -> None:
    """Sidecars are equal, except for facts about the file; each is right for both files."""
    documents = []
    for path in (files.nested, files.flat):
        ask(path.parent, "sidecar", MODEL, "--out", "s.json")
        documents.append(json.loads((path.parent / "s.json").read_text()))
        ask(path.parent, "validate", MODEL, "--sidecar", "s.json")
    mine, flat = documents
    for document in documents:
        del document["export"]["opsets"], document["export"]["ir_version"]
    for part in flat:
        if mine[part] != flat[part]:
            keys = [k for k in flat[part] if isinstance(flat[part], dict)
                    and mine[part].get(k) != flat[part][k]]
            raise AssertionError(f"sidecar, {part}: {keys[:3]} of {len(keys)}")


def check_compare(files: Files) -> None:
    told = json.loads(ask(files.folder, "compare", f"nested/{MODEL}", f"flat/{MODEL}", "--json"))
    assert told, "compare tells nothing"


def check_parts(files: Files) -> None:
    """An extracted part is the same from either file."""
    for path in addresses_of(files.flat_model):
        parts = []
        for file in (files.nested, files.flat):
            result = subprocess.run(
                [str(harness.PROGRAM), "extract", MODEL, "--module", path, "--out", "part.onnx"],
                cwd=file.parent, capture_output=True, text=True, timeout=harness.TIMEOUT)
            part = onnx.load(file.parent / "part.onnx") if result.returncode == 0 else None
            parts.append((result.returncode, result.stderr, part))
        (code, words, mine), (wanted, flat_words, flat) = parts
        assert (code, words) == (wanted, flat_words), f"{path}: {words or code}, not {flat_words}"
        if flat is not None:
            match(read(mine), read(flat))
            assert [n.name for n in mine.graph.node] == [n.name for n in flat.graph.node], path
            assert mine.graph.input == flat.graph.input, f"{path}: inputs"
            assert mine.graph.output == flat.graph.output, f"{path}: outputs"


def first_difference(mine, flat) -> str:
    """Describes the first field of the graph, or of the model, that differs."""
    for what, ours, theirs in (("model", mine, flat), ("graph", mine.graph, flat.graph)):
        for field, _ in [*theirs.ListFields(), *ours.ListFields()]:
            if field.name == "graph" or getattr(ours, field.name) == getattr(theirs, field.name):
                continue
            if not field.is_repeated:
                return f"{what}, {field.name}"
            pairs = zip(getattr(ours, field.name), getattr(theirs, field.name))
            found = [(a, b) for a, b in pairs if a != b]
            return f"{what}, {field.name}: {found[:1] or 'there are more, or fewer'}"
    return "the order of fields"


def check_bytes(files: Files) -> None:
    """Two runs write equal files; stripping gives the export without tags, inlining the flat one."""
    again = files.export("again", *files.functions)
    assert again.read_bytes() == files.nested.read_bytes(), "another run writes something else"
    untagged = files.export("untagged", *files.functions, "--tags", "none")
    ask(files.nested.parent, "strip", MODEL, "--out", "stripped.onnx")
    stripped = files.nested.parent / "stripped.onnx"
    assert stripped.read_bytes() == untagged.read_bytes(), "without tags it is another file"
    ask(files.nested.parent, "inline", MODEL, "--out", "flat.onnx")
    flat = files.nested.parent / "flat.onnx"
    assert flat.read_bytes() == files.flat.read_bytes(), \
        f"inlined, it is another file: {first_difference(onnx.load(flat), files.flat_model)}"
