"""Short options, the words `help` and `export`, suggestions for misspelt ones, and files that are not there."""

import json
import shutil

from harness import (
    EXIT_BAD_INPUT, EXIT_OK, EXIT_USAGE, ROOT, case, case_for_each, exported, run, scratch,
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
    assert run("help").stdout == run("export", "--help").stdout == run("--help").stdout
    assert json.loads(run("help", "--json").stdout) == json.loads(run("--help", "--json").stdout)
    check_line(run("help", "slect"), EXIT_USAGE, "there is no command slect; did you mean select?")
    check_line(run("help", "breakfast"), EXIT_USAGE, "see htp-trace --help")
    with scratch() as folder:
        result = run("export", BERT, "--out", "x.onnx", "--quiet", cwd=folder)
        assert result.returncode == EXIT_OK and (folder / "x.onnx").exists(), result.stderr


@case_for_each([
    (["inspct", "model.onnx"], "did you mean inspect?"),
    (["comapre", "a.onnx", "b.onnx"], "did you mean compare?"),
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
