"""docs/COMMANDS.md."""

import textwrap

from manual.source import Page, groups_of, help_of

WIDTH = 110
HEAD = """\
<!-- Made by "make docs" of core/cli/arguments and docs/manual. -->
# Commands

`htp-trace help COMMAND` prints the short form of each section, `man htp-trace-COMMAND` the whole.
`htp-trace --help --json` prints all commands, options and exit codes as one JSON object.

"""


def wrapped(text: str, first: str = "", rest: str = "") -> str:
    return textwrap.fill(text, WIDTH, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False,
                         break_long_words=False)


def blocks(found: list) -> str:
    text = ""
    for place, block in enumerate(found):
        if block.kind == "code":
            text += f"```{block.language}\n{block.text}```\n\n"
        elif block.kind == "item":
            is_last = place + 1 == len(found) or found[place + 1].kind != "item"
            text += wrapped(block.text, "- ", "  ") + ("\n\n" if is_last else "\n")
        else:
            text += wrapped(block.text) + "\n\n"
    return text


def cell(text: str) -> str:
    return text.replace("|", "\\|")


def option_cell(option: dict) -> str:
    argument = option["argument"]
    if argument and option["argument_is_optional"]:
        argument = f"[{argument}]"
    letter = f"-{option['letter']}, " if option["letter"] else ""
    return cell(f"`{letter}--{option['name']}{' ' + argument if argument else ''}`")


def options(page: Page, table: dict) -> str:
    text = ""
    for title, intro, rows in groups_of(page, table):
        text += f"#### {title[0].upper()}{title[1:]}\n\n" if title else ""
        text += wrapped(intro) + "\n\n" if intro else ""
        text += "| option | |\n| --- | --- |\n"
        text += "".join(f"| {option_cell(row)} | {cell(help_of(row, page))} |\n" for row in rows) + "\n"
    names = [f"`--{name}`" for name in page.command["options_of_exports"]]
    if names:
        text += wrapped(f"As [an export](#export) takes them: {', '.join(names)}.") + "\n\n"
    return text


def exits(page: Page) -> str:
    rows = [f"| {row['code']} | {cell(row['meaning'])} |\n" for row in page.command["exit_codes"]]
    return "| exit code | |\n| --- | --- |\n" + "".join(rows) + "\n"


def chapter(page: Page, table: dict) -> str:
    command = page.command
    usage = "\n".join(f"htp-trace {line}" for line in command["usage"].split("\n"))
    text = f"## {page.name}\n\n```text\n{usage}\n```\n\n"
    text += "".join(f"{wrapped(part)}\n\n" for part in command["description"].split("\n"))
    text += blocks(page.lead) + "### Options\n\n" + options(page, table)
    if command["has_addresses"]:
        text += "An ADDRESS names modules, see [Addresses](#addresses).\n\n"
    for title, found in page.sections.items():
        text += f"### {title}\n\n{blocks(found)}"
    return text + exits(page)


def write(pages: list, table: dict) -> str:
    rows = [f"| [{page.name}](#{page.name}) | {cell(page.command['summary'])} |\n" for page in pages]
    variables = [f"| `{row['name']}` | {cell(row['meaning'])} |\n" for row in table["environment"]]
    return "".join([
        HEAD, "| command | |\n| --- | --- |\n", *rows, "\n",
        "An export is what `htp-trace` does without the name of a command.\n\n",
        *(chapter(page, table) for page in pages),
        "## Addresses\n\n", wrapped(table["addresses"]), "\n\n",
        "## Environment\n\n| variable | |\n| --- | --- |\n", *variables,
    ])
