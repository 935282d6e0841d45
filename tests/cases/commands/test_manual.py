"""Help, man pages, docs/COMMANDS.md and completion agree with the parser, and their examples work."""

import json
import re
import shutil
import subprocess
import sys

from harness import EXIT_OK, EXIT_USAGE, PROGRAM, ROOT, case, case_for_each, exported, run, scratch
from models.table import ALL

sys.path.insert(0, str(ROOT / "scripts"))

from manual import command, examples, source  # noqa: E402  (needs the path above)

TABLE = json.loads(run("--help", "--json").stdout)
PAGES = source.read_all(TABLE, command.MANUAL)
COMMANDS = {page.name: page.command for page in PAGES}
EXPORTS = {option["name"]: option for option in COMMANDS[source.EXPORT]["options"]}
NAMES = sorted({option["name"] for row in COMMANDS.values() for option in row["options"]})
STOPS = ("help", "version")  # nothing after them is read


def taken_by(row: dict) -> dict:
    """The options of a command by name, including those that it shares with an export."""
    return {**{name: EXPORTS[name] for name in row["options_of_exports"]},
            **{option["name"]: option for option in row["options"]}}


def given(option: dict) -> str:
    """A valid use of an option."""
    if not option["argument"]:
        return f"--{option['name']}"
    return f"--{option['name']}={option['words'][0] if option['words'] else '20'}"


def word_of(row: dict) -> list:
    return [row["name"]] if row["name"] else []


# ---- the parser ------------------------------------------------------------------------------------


@case_for_each(COMMANDS.values(), name=lambda row: row["name"] or source.EXPORT)
def the_parser_takes_what_is_told(row):
    """It takes all options together, and no others."""
    flags = [given(option) for name, option in taken_by(row).items() if name not in STOPS]
    result = run(*word_of(row), *flags, "--help")
    assert result.returncode == EXIT_OK and result.stdout, result.stderr
    for name in set(NAMES) - set(taken_by(row)):
        result = run(*word_of(row), f"--{name}", "--help")
        assert result.returncode == EXIT_USAGE and "no option" in result.stderr, (name, result)


@case
def words_are_those_that_are_told():
    for row in COMMANDS.values():
        for option in row["options"]:
            if not option["words"] or option["name"] == "dump-after":  # its passes are the library's
                continue
            for word in (*option["words"], "lunch"):
                flag = f"--{option['name']}={word}"
                result = run(*word_of(row), flag, "--help")
                assert (result.returncode == EXIT_OK) == (word != "lunch"), (option, word, result.stderr)
            assert all(word in result.stderr for word in option["words"]), result.stderr


@case
def limits_are_those_of_the_table():
    """--limit lists the names of limits.def, in its order."""
    rows = re.findall(r'^LIMIT\(\w+, "([\w-]+)"', (ROOT / "core/base/limits/limits.def").read_text(), re.MULTILINE)
    assert rows and re.findall(r"`([\w-]+)`", EXPORTS["limit"]["help"]) == rows


@case
def repeated_options():
    """Repeatable options are; a second module is refused where one is expected."""
    for row in COMMANDS.values():
        for option in row["options"]:
            flag = given(option)
            result = run(*word_of(row), flag, flag, "--help")
            is_one = option["name"] == "module" and not option["repeats"]
            assert (result.returncode == EXIT_OK) != is_one, (row["name"], flag, result.stderr)


# ---- generated texts --------------------------------------------------------------------


@case_for_each(sorted(command.documents(TABLE)))
def documents_are_those_of_the_tables(path):
    """`make docs` writes them."""
    assert (ROOT / path).read_text() == command.documents(TABLE)[path], f"{path}: run make docs"


@case
def no_other_man_page():
    made = {path for path in command.documents(TABLE) if path.endswith(".1")}
    assert {f"docs/man/{page.name}" for page in (ROOT / "docs" / "man").iterdir()} == made


@case_for_each(COMMANDS.values(), name=lambda row: row["name"] or source.EXPORT)
def help_tells_of_each_option_once(row):
    text = run(*word_of(row), "--help").stdout
    listed = re.findall(r"^  (?:-\w, )?--([a-z-]+)", text, re.MULTILINE)
    assert sorted(listed) == sorted(option["name"] for option in row["options"]), listed
    assert all(re.search(rf"--{name}\b", text) for name in row["options_of_exports"])
    assert all(len(line) <= 100 for line in text.splitlines()), [line for line in text.splitlines() if len(line) > 100]
    codes = re.findall(r"^  (\d+) ", text, re.MULTILINE)
    assert codes == [str(code["code"]) for code in row["exit_codes"]], codes


# ---- examples --------------------------------------------------------------------------------------


@case_for_each(PAGES, name=lambda page: page.name)
def examples_hold(page):
    """Each command in "```console", and its output; `make docs DOCS=--examples` rewrites it."""
    with scratch() as folder:
        if page.name != source.EXPORT:
            shutil.copy(exported(ALL["bert-tiny"]), folder / "bert-tiny.onnx")
        steps = examples.run((command.MANUAL / f"{page.name}.md").read_text(), PROGRAM, folder)
    wrong = [f"{step.command}{step.printed}" for step in steps if not step.holds]
    assert not wrong, wrong[0]
    assert steps or page.name in ("profile", "verify")


@case
def examples_are_written_anew():
    text = "```console\n$ echo a; echo b; echo c\na\n...\nd\n$ echo a; echo b\n...\nb\n```\n\n```console\n$ true\nx\n```\n"
    with scratch() as folder:
        steps = examples.run(text, PROGRAM, folder)
    assert [step.holds for step in steps] == [False, True, False]
    assert examples.renew(text, steps) == text.replace("d\n", "c\n").replace("true\nx\n", "true\n")
