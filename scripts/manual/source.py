"""docs/manual/*.md: the supported kinds of Markdown, and the text of each option."""

import re
from dataclasses import dataclass, field
from pathlib import Path

EXPORT = "export"  # the file of the command without a name


@dataclass
class Block:
    """A paragraph, an item of a list, or the lines between fences."""

    kind: str  # "text", "item" or "code"
    text: str
    language: str = ""


@dataclass
class Page:
    """The manual of a command."""

    command: dict  # the program's own description
    lead: list = field(default_factory=list)  # blocks after the description
    options: dict = field(default_factory=dict)  # by name, text that follows the help
    sections: dict = field(default_factory=dict)  # by title, blocks
    see: list = field(default_factory=list)  # names of commands

    @property
    def name(self) -> str:
        return self.command["name"] or EXPORT


def blocks_of(text: str) -> list:
    """The blocks between two headings."""
    blocks = []
    fences = re.split(r"^```(\w*)\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    for place, part in enumerate(fences):
        if place % 3 == 2:
            blocks.append(Block("code", part, fences[place - 1]))
        elif place % 3 == 0:
            for paragraph in re.split(r"\n\s*\n|\n(?=- )", part.strip()):
                joined = " ".join(paragraph.split())
                if joined:
                    blocks.append(Block("item", joined[2:]) if joined.startswith("- ") else Block("text", joined))
    return blocks


def options_of(text: str, page: Page) -> None:
    known = {option["name"] for option in page.command["options"]}
    for name, body in re.findall(r"^### --([\w-]+)\n(.*?)(?=^### |\Z)", text, re.MULTILINE | re.DOTALL):
        blocks = blocks_of(body)
        if name not in known or any(block.kind != "text" for block in blocks):
            raise ValueError(f"docs/manual/{page.name}.md: --{name} is no option, or told of in more than paragraphs")
        page.options[name] = " ".join(block.text for block in blocks)


def read(command: dict, folder: Path) -> Page:
    page = Page(command)
    lead, *sections = re.split(r"^## (.+)\n", (folder / f"{page.name}.md").read_text(), flags=re.MULTILINE)
    page.lead = blocks_of(lead)
    for title, body in zip(sections[::2], sections[1::2]):
        if title == "Options":
            options_of(body, page)
        elif title == "See also":
            page.see = body.replace(",", " ").split()
        else:
            page.sections[title] = blocks_of(body)
    return page


def read_all(table: dict, folder: Path) -> list:
    """The pages of all commands, in the order of the table."""
    return [read(command, folder) for command in table["commands"]]


def help_of(option: dict, page: Page) -> str:
    """All sentences of an option."""
    parts = [option["help"], page.options.get(option["name"], "")]
    if option["default"]:
        parts.append(f"Default: {option['default']}.")
    if option["repeats"]:
        parts.append("May be repeated.")
    return " ".join(part for part in parts if part)


def groups_of(page: Page, table: dict) -> list:
    """(title, text, options) of each section of options; the title is empty where there are no sections."""
    options = page.command["options"]
    if page.command["name"]:
        return [("", None, options)]
    return [(group["title"], group["text"], [option for option in options if option["group"] == group["title"]])
            for group in table["groups"]]
