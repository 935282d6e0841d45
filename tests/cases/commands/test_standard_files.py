"""`-` is standard input or output."""

import json
import os
import subprocess

from harness import (
    EXIT_BAD_INPUT, EXIT_CANNOT_WRITE, EXIT_OK, EXIT_USAGE, PROGRAM, ROOT, case, case_for_each, exported, scratch,
)
from models.table import ALL
from test_bad_input import check_line

BERT = ROOT / "models" / "bert-tiny.pt"


def piped(*words, given: bytes = b"", **options) -> subprocess.CompletedProcess:
    """A run whose standard input is a pipe; stderr is text."""
    result = subprocess.run([PROGRAM, *map(str, words)], input=given, capture_output=True, **options)
    result.stderr = result.stderr.decode()
    return result


@case
def models_through_pipes():
    """The same bytes as from file to file; of a file that is redirected, too."""
    wanted = exported(ALL["bert-tiny"], "--quiet").read_bytes()
    flags = [part for item in ALL["bert-tiny"].inputs for part in ("--input", item.flag(ALL["bert-tiny"].traced))]
    result = piped("-", "--out", "-", "--quiet", *flags, given=BERT.read_bytes())
    assert result.returncode == EXIT_OK and result.stderr == "" and result.stdout == wanted, result.stderr
    with open(BERT, "rb") as file, scratch() as folder:
        made = subprocess.run([PROGRAM, "-", "-o", "x.onnx", "--json", *flags], stdin=file, capture_output=True, cwd=folder)
        assert made.returncode == EXIT_OK and (folder / "x.onnx").read_bytes() == wanted, made.stderr
        assert json.loads(made.stdout)["model"] == "-" and json.loads(made.stdout)["output"] == "x.onnx"


@case
def commands_in_a_row():
    """extract, strip, inspect: what each writes the next reads."""
    whole = exported(ALL["bert-tiny"]).read_bytes()
    part = piped("extract", "-", "--module", "encoder", "--out", "-", given=whole)
    assert part.returncode == EXIT_OK and part.stderr == "", part.stderr
    bare = piped("strip", "-", "-o-", given=part.stdout)
    assert bare.returncode == EXIT_OK and b"source_module" in part.stdout and b"source_module" not in bare.stdout
    shown = json.loads(piped("inspect", "-", "--json", given=part.stdout).stdout)
    assert shown["model"] == "-" and shown["status"] == "ok", shown
    assert piped("inspect", "/dev/stdin", "--json", given=part.stdout).stdout == piped("inspect", "-", "--json",
                                                                                        given=part.stdout).stdout
    compared = piped("compare", exported(ALL["bert-tiny"]), "-", given=whole)
    assert compared.returncode == EXIT_OK, compared
    for words in (["sidecar", "-", "-o", "-"], ["quality", "-", "--csv", "-"], ["graph", "-", "--depth", 1],
                  ["quality", "-", "--json"], ["select", "-", "--module", "encoder"]):
        result = piped(*words, given=whole)
        assert result.returncode == EXIT_OK and result.stderr == "" and result.stdout, (words, result.stderr)


@case_for_each([
    (["inspect", "-"], b"no model", EXIT_BAD_INPUT, "-: "),
    (["-", "--out", "x.onnx"], b"no model", EXIT_BAD_INPUT, "-: not a TorchScript archive"),
    (["-", "--out", "x.onnx"], b"\x08\x0a", EXIT_BAD_INPUT, "-: an ONNX model, not TorchScript"),
    (["inspect", "-"], b"", EXIT_BAD_INPUT, "-: the file is empty"),
    (["compare", "-", "-"], b"", EXIT_USAGE, "standard input is one file"),
    ([BERT, "-o", "-", "--json"], b"", EXIT_USAGE, "--out and --json both write to standard output"),
    ([BERT, "-o", "-", "--sidecar"], b"", EXIT_USAGE, "leave out --sidecar"),
    ([BERT, "-o", "-", "--external-data", "always"], b"", EXIT_USAGE, "leave out --external-data always"),
    ([BERT, "-o", "-", "--state-out", "s.npz"], b"", EXIT_USAGE, "leave out --state-out"),
    (["-", "--out-dir", "."], b"", EXIT_USAGE, "standard input has no name"),
    (["quality", "x.onnx", "--csv", "-", "--html", "-"], b"", EXIT_USAGE, "--csv and --html both write"),
], name=lambda row: f"{'-'.join(str(word).rpartition('/')[2] for word in row[0])}/{len(row[1])}-bytes")
def refusals(row):
    words, given, code, wanted = row
    with scratch() as folder:
        check_line(piped(*words, given=given, cwd=folder), code, wanted)
        assert not list(folder.iterdir())


@case
def spooling():
    """No file is left in TMPDIR, and where none can be made, that is told."""
    model = exported(ALL["bert-tiny"]).read_bytes()
    with scratch() as folder:
        result = piped("inspect", "-", given=model, env={**os.environ, "TMPDIR": str(folder)})
        assert result.returncode == EXIT_OK and not list(folder.iterdir()), result.stderr
        missing = {**os.environ, "TMPDIR": str(folder / "none")}
        check_line(piped("inspect", "-", given=model, env=missing), EXIT_CANNOT_WRITE, "set TMPDIR to a folder")


@case
def readers_that_leave():
    """A closed pipe is no message, of printed and of written results."""
    model = exported(ALL["bert-tiny"])
    for words in (["inspect", model, "--json"], ["graph", model, "-o", "-"], [BERT, "-o", "-", "--quiet"]):
        ends = os.pipe()
        os.close(ends[0])
        for handler in "default", "ignored":
            result = subprocess.run([PROGRAM, *map(str, words)], stdout=ends[1], stderr=subprocess.PIPE,
                                    restore_signals=handler == "default")
            assert result.returncode != EXIT_OK and result.stderr == b"", (words, handler, result)
        os.close(ends[1])


@case
def inputs_through_a_pipe():
    """`--inputs <(…)` of a shell: it can be read once."""
    reader, writer = os.pipe()
    os.write(writer, b'{"input_ids": "int64[3,5]", "attention_mask": "int64[3,5]", "token_type_ids": "int64[3,5]"}')
    os.close(writer)
    with scratch() as folder:
        made = subprocess.run([PROGRAM, BERT, "--inputs", f"/dev/fd/{reader}", "-o", folder / "x.onnx"],
                              capture_output=True, pass_fds=[reader])
        os.close(reader)
        assert made.returncode == EXIT_OK and (folder / "x.onnx").exists(), made.stderr
