"""Limits of what an ONNX file may cost: a few bytes that ask for any amount of work. They are refused by every command."""

from bounded_runs import check_bounded
from harness import EXIT_BAD_INPUT, case_for_each, scratch
from written_onnx import BOOL, FLOAT, branch, function, graph, model, node, value

BORDER = {"inputs": (value("x", FLOAT), value("c", BOOL)), "outputs": (value("y", FLOAT),)}


def chain(count: int, calls: int) -> bytes:
    """Functions, each of which calls the one before so many times."""
    functions = [function("f0", "net", [node("Neg", ["a"], ["b"])])]
    for i in range(1, count + 1):
        names = ["a", *(f"v{k}" for k in range(calls - 1)), "b"]
        functions.append(function(f"f{i}", "net", [
            node(f"f{i - 1}", [names[k]], [names[k + 1]], "net") for k in range(calls)]))
    return model(graph([node(f"f{count}", ["x"], ["y"], "net")], **BORDER), functions, ("", "net"))


def branches(count: int) -> bytes:
    """Branches in each other."""
    inner = graph([node("Neg", ["x"], ["y"])], outputs=(value("y", FLOAT),))
    for _ in range(count):
        inner = graph([node("If", ["c"], ["y"], attributes=[branch("then_branch", inner)])], outputs=(value("y", FLOAT),))
    return model(graph([node("If", ["c"], ["y"], attributes=[branch("then_branch", inner)])], **BORDER))


FILES = {
    "calls that double": (chain(40, 2), "call each other so often"),
    "calls in calls": (chain(5000, 1), "more than 256 functions call each other"),
    "branches in branches": (branches(10_000), "more than 100 bodies in each other"),
}
COMMANDS = {
    "inspect": ("inspect", "FILE"), "cost": ("inspect", "FILE", "--cost"), "validate": ("validate", "FILE"),
    "quality": ("quality", "FILE"), "compare": ("compare", "FILE", "FILE"), "verify": ("verify", "FILE", "FILE"),
    "graph": ("graph", "FILE", "--out", "OUT.dot"), "strip": ("strip", "FILE", "--out", "OUT.onnx"),
    "select": ("select", "FILE", "--module", "/"),
    "extract": ("extract", "FILE", "--module", "/", "--out", "OUT.onnx"),
}


@case_for_each(FILES)
def refused_by_every_command(what):
    content, words = FILES[what]
    with scratch() as folder:
        (folder / "m.onnx").write_bytes(content)
        for command in COMMANDS.values():
            arguments = [part.replace("FILE", str(folder / "m.onnx")).replace("OUT", str(folder / "out")) for part in command]
            check_bounded(folder, words, *arguments, code=EXIT_BAD_INPUT)
