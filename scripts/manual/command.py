"""Writes the man pages, docs/COMMANDS.md and the completion scripts, from the program's option tables and
docs/manual:

    make docs

The tables are core/cli/arguments; `htp-trace --help --json` prints them. A file docs/manual/COMMAND.md has the text
that only the long documents contain. Its paragraphs follow the description of the command. A `### --NAME` below
`## Options` continues the table's row of that option. All other sections follow the options. Examples in "```console"
are run by tests/cases/commands/test_manual.py; `make docs DOCS=--examples` updates their output.
"""

import argparse
import json
import subprocess
import tempfile
from pathlib import Path

from manual import completion, examples, man, markdown, source

ROOT = Path(__file__).resolve().parent.parent.parent
MANUAL = ROOT / "docs" / "manual"


def told_by(program: Path) -> dict:
    """The program's description of its commands and options."""
    result = subprocess.run([program, "--help", "--json"], check=True, capture_output=True, text=True)
    return json.loads(result.stdout)


def documents(table: dict) -> dict:
    """The text of each document, by its path below the root of the repository."""
    pages = source.read_all(table, MANUAL)
    made = {f"docs/man/{man.name_of(page)}.1": man.write(page, table) for page in pages}
    made["docs/COMMANDS.md"] = markdown.write(pages, table)
    for shell in completion.bash, completion.zsh, completion.fish:
        made[f"scripts/completion/htp-trace.{shell.__name__}"] = shell(table)
    return made


def renew_examples(program: Path) -> None:
    for file in MANUAL.glob("*.md"):
        with tempfile.TemporaryDirectory() as folder:
            if file.stem != source.EXPORT:
                subprocess.run([program.resolve(), ROOT / "models" / "bert-tiny.pt", "--out", "bert-tiny.onnx", "--quiet"],
                               cwd=folder, check=True)
            text = file.read_text()
            file.write_text(examples.renew(text, examples.run(text, program, Path(folder))))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path, help="htp-trace, as it was built")
    parser.add_argument("--examples", action="store_true", help="first writes what examples print now")
    arguments = parser.parse_args()
    if arguments.examples:
        renew_examples(arguments.program)
    made = documents(told_by(arguments.program))
    for page in (ROOT / "docs" / "man").glob("*.1"):
        if f"docs/man/{page.name}" not in made:
            page.unlink()
    for path, text in made.items():
        (ROOT / path).write_text(text)
    print(f"{len(made)} files")
    return 0

