"""What bash, zsh and fish offer for a line, in these shells."""

import json
import os
import re
import shutil
import subprocess

from harness import PROGRAM, ROOT, TESTS, case, case_for_each, exported, run, scratch, skip_unless
from models.table import ALL

TABLE = json.loads(run("--help", "--json").stdout)
COMMANDS = [row["name"] for row in TABLE["commands"] if row["name"]]
SCRIPTS = ROOT / "scripts" / "completion"
# Reads the words as readline passes them to the function: as they are written, and split at "=".
BASH = ('. "$0" && mapfile -t COMP_WORDS && COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) && '
        '_htp_trace htp-trace "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}" && printf "%s\\n" "${COMPREPLY[@]}"')


def words_of(line: str) -> list:
    return re.findall(r"=|(?:\\.|[^\s=])+", line) + [""] * line.endswith(" ")


def completed(shell: str, line: str, folder) -> list:
    """The words that a shell offers for the end of a line."""
    if shell == "bash":
        command, text = ["bash", "-c", BASH, SCRIPTS / "htp-trace.bash"], "\n".join(words_of(line)) + "\n"
    elif shell == "zsh":
        shutil.copy(SCRIPTS / "htp-trace.zsh", folder / ".functions" / "_htp-trace")
        command, text = ["zsh", "-f", TESTS / "support" / "completed.zsh", folder / ".functions", line], None
    else:
        command, text = ["fish", "--no-config", "-c", 'source $argv[1]; complete -C $argv[2]', SCRIPTS / "htp-trace.fish", line], None
    path = f"{PROGRAM.parent}:{os.environ['PATH']}"
    result = subprocess.run(command, input=text, capture_output=True, text=True, cwd=folder, timeout=60,
                            env={**os.environ, "PATH": path, "HOME": str(folder), "TERM": "dumb"})
    assert not result.stderr, (line, result.stderr)
    return sorted({word.split("\t")[0] for word in result.stdout.splitlines()} - {""})


def taken_by(row: dict) -> set:
    return {f"--{name}" for name in [*(option["name"] for option in row["options"]), *row["options_of_exports"]]}


@case_for_each(["bash", "zsh", "fish"])
def completion_offers_addresses(shell):
    """Of the model on the line: tags and attribute paths."""
    skip_unless(shell)
    with scratch() as folder:
        (folder / ".functions").mkdir()
        (folder / "my models").mkdir()
        for name in "m.onnx", "my models/m.onnx":
            shutil.copy(exported(ALL["bert-tiny"]), folder / name)
        modules = json.loads(run("inspect", folder / "m.onnx", "--json").stdout)["modules"]
        known = {module["tag"] for module in modules} | {module["path"] for module in modules if module["path"]}
        lines = ("select m.onnx --module ", "extract m.onnx --own --except ", "split my\\ models/m.onnx --at ",
                 "inspect ~/m.onnx --module ")
        for line in lines[-2:] if shell == "zsh" else lines:  # which takes half a second to start
            assert completed(shell, f"htp-trace {line}", folder) == sorted(known), (shell, line)
        below = sorted(path for path in known if path.startswith("encoder.layer.1.out"))
        assert completed(shell, "htp-trace select m.onnx --module encoder.layer.1.out", folder) == below
        value = completed(shell, "htp-trace select m.onnx --module=/BertModel/BertP", folder)
        assert [word.removeprefix("--module=") for word in value] == ["/BertModel/BertPooler"], value
        for line in ["select no.onnx --module ", "select --module "][shell == "zsh":]:
            assert completed(shell, f"htp-trace {line}", folder) == [], (shell, line)


@case_for_each(["bash", "zsh", "fish"])
def completion_offers_words(shell):
    """Commands, options and their values, and files."""
    skip_unless(shell)
    with scratch() as folder:
        (folder / ".functions").mkdir()
        (folder / "export").mkdir()
        (folder / "exact.pt").touch()
        for line, offered in {
            "ext": ["extract"],
            "model.pt --opset ": [],
            "model.pt --out-dir ex": ["export"],
            "model.pt --out ex": ["exact.pt", "export"],
            "replace m.onnx --by ex": ["exact.pt", "export"],
            "graph m.onnx --format ": ["dot", "graphml", "mermaid", "svg"],
            "select m.onnx --format o": ["ort-exclude"],
            "graph m.onnx --color-by ": ["cost", "error", "quality", "time"],
            "export model.pt --functions-per ": ["body", "instance"],
            "help ": sorted([*COMMANDS, "export", "help"]),
        }.items():
            found = completed(shell, f"htp-trace {line}", folder)
            assert sorted(word.rstrip("/") for word in found) == offered, (shell, line, found)
        assert {"export", "exact.pt"} <= {word.rstrip("/") for word in completed(shell, "htp-trace ex", folder)}
        for row in TABLE["commands"] if shell == "bash" else TABLE["commands"][:3]:
            found = completed(shell, f"htp-trace {row['name'] or 'model.pt'} --", folder)
            options = {word.rstrip("=") for word in found}
            assert options == taken_by(row), (shell, row["name"], options ^ taken_by(row))
