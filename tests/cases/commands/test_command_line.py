"""Short options, the words `help` and `export`, suggestions for misspelt ones, and files that are not there."""

import json
import shutil
import subprocess

from harness import (
    EXIT_BAD_INPUT, EXIT_CANNOT_WRITE, EXIT_OK, EXIT_UNSUPPORTED, EXIT_USAGE, PROGRAM, ROOT, case, case_for_each, exported, run,
    scratch,
)
from models.table import ALL
from test_bad_input import check_line

BERT = ROOT / "models" / "bert-tiny.pt"


@case
def short_options():
    """-o, -V and -h are --out, --version and --help; a command without --out takes no -o either."""
    with scratch() as folder:
        for flags in (["--out", "long.onnx"], ["-o", "short.onnx"], ["-ojoined.onnx"]):
            result = run(BERT, *flags, "--quiet", cwd=folder)
            assert result.returncode == EXIT_OK, result.stderr
        made = {path.read_bytes() for path in folder.iterdir()}
        assert len(list(folder.iterdir())) == 3 and len(made) == 1
        part = run("extract", "long.onnx", "--module", "encoder", "-o", "part.onnx", cwd=folder)
        assert part.returncode == EXIT_OK and (folder / "part.onnx").exists(), part.stderr
    assert run("-V").stdout == run("--version").stdout != ""
    for command in [], ["select"]:
        assert run(*command, "-h").stdout == run(*command, "--help").stdout != ""
    check_line(run("inspect", BERT, "-o", "x"), EXIT_USAGE, "--out is no option of inspect")
    check_line(run("extract", BERT, "-o"), EXIT_USAGE, "-o needs a value")
    check_line(run(BERT, "-q"), EXIT_USAGE, "-q is no option")


@case
def help_is_a_word():
    """So is export."""
    for command in "select", "export", "quality":
        assert run("help", command).stdout == run(command, "--help").stdout != ""
    assert run("help").stdout == run("export", "--help").stdout == run("help", "help").stdout == run("--help").stdout
    assert json.loads(run("help", "--json").stdout) == json.loads(run("--help", "--json").stdout)
    check_line(run("help", "slect"), EXIT_USAGE, "there is no command slect; did you mean select?")
    check_line(run("help", "breakfast"), EXIT_USAGE, "see htp-trace --help")
    with scratch() as folder:
        result = run("export", BERT, "--out", "x.onnx", "--quiet", cwd=folder)
        assert result.returncode == EXIT_OK and (folder / "x.onnx").exists(), result.stderr


@case_for_each([
    (["inspct", "model.onnx"], "did you mean inspect?"),
    (["comapre", "a.onnx", "b.onnx"], "did you mean compare?"),
    (["breakfast"], "breakfast is neither a command nor a file; see htp-trace --help"),
    (["inspect", ""], "the name of a model is empty"),
    (["split", "model.onnx", "--depth", "1", "--out-dir", "-"], "--out-dir takes a folder"),
    (["inspect", "model.onnx", "--dpeth", "2"], "did you mean --depth?"),
    (["model.pt", "--opest=17"], "--opest=17 is no option; did you mean --opset?"),
    (["model.pt", "--breakfast"], "--breakfast is no option, or takes no value; see htp-trace --help"),
    (["select", "x.onnx", "--quiet=1"], "or takes no value; see htp-trace select --help"),
    (["graph", "x.onnx", "--opset", "17"], "--opset is no option of graph; see htp-trace graph --help"),
    ([f"--{'x' * 5000}", "model.pt"], "is no option"),
], name=lambda pair: pair[0][0][:12] + pair[1][:20])
def suggestions(pair):
    words, wanted = pair
    check_line(run(*words), EXIT_USAGE, wanted)


@case
def files_are_no_misspelt_commands():
    with scratch() as folder:
        shutil.copy(BERT, folder / "inspct")
        result = run("inspct", "--out", "x.onnx", "--quiet", cwd=folder)
        assert result.returncode == EXIT_OK, result.stderr
        check_line(run("inspct.pt", "--out", "y.onnx", cwd=folder), EXIT_BAD_INPUT, "inspct.pt: No such file")
        check_line(run("nofile", "--out", "y.onnx", cwd=folder), EXIT_BAD_INPUT, "nofile: No such file")


@case_for_each([["inspect"], ["inspect", "--depth", 2], ["inspect", "--own", "--module", "x"], ["inspect", "--json"],
                ["select", "--module", "x"], ["validate"], ["quality"], ["graph", "--depth", 1], ["sidecar"],
                ["split", "--depth", 1, "--out-dir", "parts"], ["export", "--out", "x.onnx", "--opset", 19],
                ["export", "--out-dir", "made"], ["export", "--dump-graph"]], name=lambda words: "-".join(map(str, words)))
def missing_files(words):
    """Exit 3, whatever the options; no folder is left."""
    with scratch() as folder:
        result = run(words[0], "nowhere.pt", *words[1:], cwd=folder)
        assert result.returncode == EXIT_BAD_INPUT, (words, result.stderr)
        assert "nowhere.pt" in result.stderr and "No such file or directory" in result.stderr, result.stderr
        assert not list(folder.iterdir())


@case
def levels_of_the_tree_before_an_export():
    """inspect --depth shows as many levels of a TorchScript model as of an ONNX model."""
    onnx = exported(ALL["bert-tiny"])
    for depth in range(4):
        trees = []
        for file in BERT, onnx:
            lines = run("inspect", file, "--depth", depth).stdout.splitlines()
            trees.append([line.split()[0] for line in lines if line.strip().startswith("/")])
        assert trees[0] == trees[1] and len(trees[0]) >= 1, (depth, trees)
        tags = [module["tag"] for module in json.loads(run("inspect", BERT, "--depth", depth, "--json").stdout)["modules"]]
        assert max(tag.count("/") for tag in tags) == depth + 1, tags


@case
def a_folder_is_created():
    with scratch() as folder:
        result = run(BERT, "--out-dir", folder / "new", "--quiet")
        assert result.returncode == EXIT_OK and (folder / "new" / "bert-tiny.onnx").exists(), result.stderr
        result = run(BERT, "--out-dir", f"{folder}/new//a/b/", "--quiet")
        assert result.returncode == EXIT_OK and (folder / "new/a/b/bert-tiny.onnx").exists(), result.stderr


@case
def folders_without_outputs_are_removed():
    with scratch() as folder:
        (folder / "new").mkdir()
        result = run(folder / "none.pt", "--out-dir", folder / "new/a/b", "--quiet")
        assert result.returncode == EXIT_BAD_INPUT and not list((folder / "new").iterdir()), result.stderr


@case
def formats_of_drawings():
    """--format, else the ending of the file's name, else dot."""
    onnx = exported(ALL["bert-tiny"])
    begins = {"a.svg": b"<?xml", "a.SVG": b"<?xml", "a.graphml": b"<?xml", "a.dot": b"digraph", "a.mmd": b"flowchart",
              "a.mermaid": b"flowchart", "svg": b"digraph", "a.svg.txt": b"digraph"}
    with scratch() as folder:
        for name, begin in begins.items():
            result = run("graph", onnx, "--depth", 1, "--out", folder / name)
            assert result.returncode == EXIT_OK, result.stderr
            assert (folder / name).read_bytes().startswith(begin), name
        assert b"graphml" in (folder / "a.graphml").read_bytes() and b"<svg" in (folder / "a.svg").read_bytes()
        run("graph", onnx, "--depth", 1, "--out", folder / "b.svg", "--format", "dot")
        assert (folder / "b.svg").read_bytes() == (folder / "a.dot").read_bytes()


# ---- JSON -----------------------------------------------------------------------------------------

COMMANDS = {row["name"]: row for row in json.loads(run("--help", "--json").stdout)["commands"]}
PRINTS_JSON = {
    "export": [BERT, "-o", "made.onnx", "--quiet"], "inspect": ["m.onnx"], "select": ["m.onnx", "--module", "encoder"],
    "extract": ["m.onnx", "--module", "encoder", "-o", "made.onnx"], "split": ["m.onnx", "--into", 2, "--by", "weights", "--out-dir", "made"],
    "replace": ["m.onnx", "--module", "encoder.layer.0", "--op", "my:Layer", "-o", "made.onnx"], "validate": ["m.onnx"],
    "compare": ["m.onnx", "m.onnx"], "quality": ["m.onnx"], "strip": ["m.onnx", "-o", "made.onnx"],
    "retag": ["m.onnx", "--like", "m.onnx", "-o", "made.onnx"], "inline": ["m.onnx", "-o", "made.onnx"],
    "sidecar": ["m.onnx", "-o", "made.json"], "graph": ["m.onnx", "-o", "made.dot"],
}
OTHERWISE = {"profile", "verify", "ops"}  # with a profile, with ONNX Runtime; ops has no JSON


@case
def all_commands_print_json():
    assert {name or "export" for name in COMMANDS} == set(PRINTS_JSON) | OTHERWISE
    for row in COMMANDS.values():
        takes = {option["name"]: option["argument_is_optional"] for option in row["options"]}
        assert row["name"] == "ops" or takes["json"], row["name"]


@case_for_each(PRINTS_JSON)
def json_goes_to_a_file(command):
    """--json FILE.json and --json=FILE write what --json prints; the text is what it is without them."""
    with scratch() as folder:
        shutil.copy(exported(ALL["bert-tiny"]), folder / "m.onnx")
        printed = []
        for flags in [], ["--json"], ["--json", "told.json"], ["--json=told"]:
            result = run(command, *PRINTS_JSON[command], *flags, cwd=folder)
            assert result.returncode == EXIT_OK and result.stderr == "", result.stderr
            printed.append(result.stdout)
            for made in folder.glob("made*"):
                shutil.rmtree(made) if made.is_dir() else made.unlink()
        text, told, *beside = printed
        assert beside == [text, text] and isinstance(json.loads(told), dict)
        if command == "export":  # it has durations
            assert json.loads((folder / "told.json").read_text()).keys() == json.loads(told).keys()
        else:
            assert (folder / "told.json").read_text() == (folder / "told").read_text() == told


@case
def json_files_are_no_other_files():
    """A file that is read or written otherwise is refused; a failure is JSON, too."""
    with scratch() as folder:
        shutil.copy(exported(ALL["bert-tiny"]), folder / "m.onnx")
        before = (folder / "m.onnx").read_bytes()
        (folder / "link.json").symlink_to("m.onnx")
        check_line(run("inspect", "m.onnx", "--json", "link.json", cwd=folder), EXIT_USAGE, "is an input itself")
        check_line(run("strip", "m.onnx", "-o", "x", "--json=./x", cwd=folder), EXIT_USAGE, "two outputs are the file")
        check_line(run("sidecar", "m.onnx", "-o", "x", "--json=x", cwd=folder), EXIT_USAGE, "two outputs are the file")
        nowhere = run("inspect", "m.onnx", "--json=no/x.json", cwd=folder)
        check_line(nowhere, EXIT_CANNOT_WRITE, "create the folder first")
        assert nowhere.stdout == "", "it was known before the model was read"
        check_line(run("inspect", "no.onnx", "--json", "x.json", cwd=folder), EXIT_BAD_INPUT, "No such file")
        assert json.loads((folder / "x.json").read_text())["status"] == "failed"
        assert (folder / "m.onnx").read_bytes() == before
        assert sorted(path.name for path in folder.iterdir()) == ["link.json", "m.onnx", "x.json"]


@case
def json_lines_of_several_models_go_to_a_file():
    with scratch() as folder:
        for name in "abc":
            shutil.copy(BERT, folder / f"{name}.pt")
        result = run("a.pt", "b.pt", "no.pt", "c.pt", "--out-dir", "out", "--jobs", 2, "--quiet", "--json", "told.json", cwd=folder)
        assert result.returncode == EXIT_BAD_INPUT and result.stdout == "", result
        told = [json.loads(line) for line in (folder / "told.json").read_text().splitlines()]
        assert {row["model"]: row["status"] for row in told} == {"a.pt": "ok", "b.pt": "ok", "c.pt": "ok", "no.pt": "failed"}


@case
def a_process_that_ends_early_leaves_json():
    """Whoever ends at a limit cannot publish a file; its parent does."""
    with scratch() as folder:
        result = run(BERT, "-o", "x.onnx", "--memory-limit", 1, "--json", "told.json", cwd=folder)
        told = json.loads((folder / "told.json").read_text())
        assert told["code"] == result.returncode == EXIT_UNSUPPORTED, result
        assert "--memory-limit" in told["error"] and [path.name for path in folder.iterdir()] == ["told.json"]


# ---- pipes ------------------------------------------------------------------------------


@case
def a_closed_pipe_is_silent():
    with scratch() as folder:
        shutil.copy(exported(ALL["bert-tiny"]), folder / "m.onnx")
        for command, words in PRINTS_JSON.items():
            for flags in [], ["--json"]:
                process = subprocess.Popen([PROGRAM, command, *map(str, words), *flags], cwd=folder, stdout=subprocess.PIPE,
                                           stderr=subprocess.PIPE)
                process.stdout.close()
                error = process.stderr.read()
                assert process.wait() in (EXIT_OK, EXIT_CANNOT_WRITE) and error == b"", (command, error)
                shutil.rmtree(folder / "made", ignore_errors=True)
