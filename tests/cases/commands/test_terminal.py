"""What a terminal gets: tables that fit its columns. Pipes get whole names."""

import fcntl
import os
import pty
import struct
import termios
import threading
import time

from harness import EXIT_USAGE, PROGRAM, ROOT, case, case_for_each, exported, run, scratch
from models.table import ALL
from test_bad_input import check_line
from test_verify import PACKAGE


def on_terminal(*words, columns: int = 80, kind: str = "xterm", **variables) -> str:
    """What a command prints on a terminal, which is its stdout and its stderr."""
    pid, terminal = pty.fork()
    if pid == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
        os.execve(str(PROGRAM), [str(PROGRAM), *map(str, words)], {**environment, "TERM": kind, **variables})
    printed = bytearray()
    while True:
        try:
            got = os.read(terminal, 1 << 16)
        except OSError:  # the other end is closed
            break
        if not got:
            break
        printed += got
    os.close(terminal)
    os.waitpid(pid, 0)
    return printed.decode().replace("\r\n", "\n")


def compared() -> list:
    return ["compare", exported(ALL["bert-tiny"]), exported(ALL["resnet18"])]


def table(text: str, title: str) -> list:
    """The rows below a head that begins with a word."""
    return [line for block in text.split("\n\n") if block.startswith(title) for line in block.splitlines()[1:] if line]


@case
def pipes_get_whole_names():
    """compare, split, select's regions, quality: nothing is cut, and no two rows read the same."""
    tags = [line.split()[0] for line in table(run(*compared()).stdout, "module")]
    assert len(set(tags)) == len(tags) > 12 and not any("..." in tag for tag in tags), tags
    onnx = exported(ALL["bert-tiny"])
    with scratch() as folder:
        parts = run("split", onnx, "--depth", 3, "--out-dir", folder / "parts").stdout
    modules = [line.split()[-1] for line in parts.splitlines()[1:] if line.split()[-1] != "(between)"]
    assert "..." not in parts and len(set(modules)) == len(modules) >= 6, parts
    for words in ["inspect"], ["inspect", "--module", "encoder.layer.0"], ["quality", "--verbose"], ["inspect", "--cost"]:
        assert "..." not in run(words[0], onnx, *words[1:]).stdout, words


@case
def what_takes_long_shows_how_far_it_is():
    onnx = exported(ALL["bert-tiny"])
    words = ["verify", onnx, onnx, "--sizes", "batch=16,sequence=512", "--memory", 64, "--onnxruntime", PACKAGE[0]]
    told, _, report = on_terminal(*words).rpartition("\r\033[K")
    assert "tensors" in told and "[#" in told and "\n" not in told and report.startswith("A  "), (told, report)
    assert "\r" not in on_terminal(*words[:3], *words[-2:]), "a short run has a bar"


@case_for_each(["quality --csv", "graph --format dot --out", "sidecar --out", "strip --out"], name=str)
def what_does_not_report_shows_its_seconds(command):
    """Here a pipe as the output has no reader for two seconds."""
    word, *options = command.split()
    with scratch() as folder:
        pipe = folder / "pipe"
        for flags in [], ["--quiet"]:
            os.mkfifo(pipe)
            reader = threading.Thread(target=lambda: (time.sleep(2), pipe.read_bytes()))
            reader.start()
            printed = on_terminal(word, exported(ALL["bert-tiny"]), *options, pipe, *flags)
            reader.join()
            pipe.unlink()
            assert (f"\r\033[K{word}  1 s" in printed) == (not flags), printed
            assert " s" not in printed.rpartition("\r\033[K")[2].split("\n")[0], printed


@case_for_each([40, 60, 100, 200], name=str)
def tables_fit_a_terminal(columns):
    """Names are cut in the middle if the terminal is narrower; never so that two read the same."""
    whole = [line.split()[0] for line in table(run(*compared()).stdout, "module")]
    rows = [line.split() for line in table(on_terminal(*compared(), columns=columns), "module")]
    shown = [row[0] for row in rows]
    assert len(shown) == len(set(shown)) == len(whole), shown
    for name, tag in zip(shown, whole):
        before, _, after = name.partition("...")
        assert name == tag or (tag.startswith(before) and tag.endswith(after) and "..." in name), (name, tag)
    if columns >= 100:
        assert shown == whole
    else:
        assert any("..." in name for name in shown)


@case
def columns_stay_aligned():
    lines = on_terminal("inspect", exported(ALL["bert-tiny"]), columns=50)
    rows = [line for line in lines.split("\n\n")[1].splitlines() if line]
    assert any("..." in line for line in rows) and len({len(line) for line in rows}) == 1, lines


# ---- colour, progress -------------------------------------------------------------------------------

BERT = ROOT / "models" / "bert-tiny.pt"
GREEN = "\033[32m"


@case_for_each([
    ([], {}, True), (["--color"], {}, True), (["--color=auto"], {}, True), (["--color=never"], {}, False),
    ([], {"NO_COLOR": "1"}, False), ([], {"NO_COLOR": ""}, True), (["--color", "always"], {"NO_COLOR": "1"}, True),
    ([], {"kind": "dumb"}, False),
], name=str)
def colour(row):
    flags, variables, is_green = row
    with scratch() as folder:
        printed = on_terminal(BERT, "-o", folder / "x.onnx", *flags, **variables)
    assert "written" in printed and (GREEN in printed) == is_green, printed


@case
def pipes_have_no_colour():
    """Neither do they have progress, unless asked for."""
    with scratch() as folder:
        for flags in [], ["--verbose"], ["--verbose", "--color=auto"]:
            result = run(BERT, "-o", folder / "x.onnx", *flags)
            assert "\033" not in result.stdout + result.stderr, result.stderr
            assert ("written" in result.stderr) == ("--verbose" in flags)
        assert GREEN in run(BERT, "-o", folder / "x.onnx", "--verbose", "--color=always").stderr
        check_line(run(BERT, "-o", folder / "x.onnx", "--color=red"), EXIT_USAGE, "--color takes always, auto or never")
