"""Limits of what an ONNX file may cost: a few bytes that ask for any amount of work. They are refused by every command."""

import re

from bounded_runs import check_bounded
from harness import EXIT_BAD_INPUT, ROOT, case, case_for_each, scratch
from hostile_onnx import bodies, calls, doubling, line
from written_onnx import model

FILES = {
    "calls that double": (calls(doubling(40)), "call each other so often"),
    "calls in calls": (calls(line(5000)), "more than 256 functions call each other"),
    "branches in branches": (model(bodies(200)), "more than 100 bodies in each other"),
}
COMMANDS = {
    "inspect": ("inspect", "FILE"), "cost": ("inspect", "FILE", "--cost"), "validate": ("validate", "FILE"),
    "quality": ("quality", "FILE"), "compare": ("compare", "FILE", "FILE"), "verify": ("verify", "FILE", "FILE"),
    "graph": ("graph", "FILE", "--out", "OUT.dot"), "strip": ("strip", "FILE", "--out", "OUT.onnx"),
    "select": ("select", "FILE", "--module", "/"), "sidecar": ("sidecar", "FILE"),
    "extract": ("extract", "FILE", "--module", "/", "--out", "OUT.onnx"),
    "split": ("split", "FILE", "--into", "2", "--out-dir", "OUT"),
    "replace": ("replace", "FILE", "--module", "/", "--op", "net:F", "--out", "OUT.onnx"),
    "retag": ("retag", "FILE", "--like", "FILE", "--out", "OUT.onnx"),
    "inline": ("inline", "FILE", "--out", "OUT.onnx"), "profile": ("profile", "PROFILE", "FILE"),
}
OF_NO_ONNX_FILE = {"an export", "ops"}


@case
def every_command_is_listed():
    table = (ROOT / "core" / "cli" / "arguments" / "commands.def").read_text()
    named = set(re.findall(r'^COMMAND\(\w+, "([^"]+)"', table, re.M))
    assert named - OF_NO_ONNX_FILE == {command[0] for command in COMMANDS.values()}


@case_for_each(FILES)
def refused_by_every_command(what):
    content, words = FILES[what]
    with scratch() as folder:
        places = {"FILE": folder / "m.onnx", "PROFILE": folder / "p.json", "OUT": folder / "out"}
        places["FILE"].write_bytes(content)
        places["PROFILE"].write_text("[]")
        for command in COMMANDS.values():
            arguments = [re.sub("FILE$|PROFILE|OUT", lambda found: str(places[found[0]]), part) for part in command]
            check_bounded(folder, words, *arguments, code=EXIT_BAD_INPUT)
