"""Man pages."""

import re

from manual.source import Page, groups_of, help_of


def name_of(page: Page) -> str:
    return f"htp-trace-{page.command['name']}" if page.command["name"] else "htp-trace"


def escaped(text: str) -> str:
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.MULTILINE)


def inline(text: str) -> str:
    """One sentence per line; code is bold, emphasis is italic."""
    spans = re.split(r"(`[^`]+`|\*[^*`]+\*)", text)
    font = {"`": "B", "*": "I"}
    marked = "".join(f"\\f{font[span[0]]}{escaped(span[1:-1])}\\fR" if place % 2 else escaped(span)
                     for place, span in enumerate(spans))
    return re.sub(r"(?<=[.:]) (?=[A-Z])", "\n", marked)


def blocks(found: list) -> str:
    lines = []
    for place, block in enumerate(found):
        if block.kind == "code":
            lines += [".PP", ".nf", ".RS", escaped(block.text.rstrip("\n")), ".RE", ".fi"]
        elif block.kind == "item":
            lines += [".IP \\(bu 2", inline(block.text)]
        else:
            lines += [".PP"] * (place > 0) + [inline(block.text)]
    return "".join(f"{line}\n" for line in lines)


def section(title: str, body: str) -> str:
    return f".SH {title.upper()}\n{body}" if body else ""


def synopsis(page: Page) -> str:
    """The synopsis; placeholders are italic."""
    lines = []
    for usage in page.command["usage"].split("\n"):
        words = [f"\\fI{escaped(word)}\\fR" if re.search("[A-Z]|^\\[", word) else f"\\fB{escaped(word)}\\fR"
                 for word in usage.split()]
        lines.append(" ".join(["\\fBhtp\\-trace\\fR", *words]))
    return "\n.br\n".join(lines) + "\n"


def paragraphs(text: str) -> str:
    return "\n.PP\n".join(inline(part) for part in text.split("\n")) + "\n"


def option_head(option: dict) -> str:
    names = [f"-{option['letter']}"] * bool(option["letter"]) + [f"--{option['name']}"]
    head = ", ".join(f"\\fB{escaped(name)}\\fR" for name in names)
    if not option["argument"]:
        return head
    argument = f"\\fI{escaped(option['argument'])}\\fR"
    return f"{head} [{argument}]" if option["argument_is_optional"] else f"{head} {argument}"


def options(page: Page, table: dict) -> str:
    text = ""
    for title, intro, rows in groups_of(page, table):
        text += f".SS {title[0].upper()}{title[1:]}\n" if title else ""
        text += f"{inline(intro)}\n" if intro else ""
        text += "".join(f".TP\n{option_head(row)}\n{inline(help_of(row, page))}\n" for row in rows)
    names = [f"\\fB{escaped('--' + name)}\\fR" for name in page.command["options_of_exports"]]
    if names:
        text += f".TP\n{', '.join(names)}\nAs for an export, see\n.BR htp\\-trace (1).\n"
    return text


def tagged(rows: list, key: str, text: str) -> str:
    return "".join(f".TP\n.B {row[key]}\n{inline(row[text])}\n" for row in rows)


def commands(table: dict) -> str:
    rows = [row for row in table["commands"] if row["name"]]
    return "Each has a page of its own.\n" + tagged(rows, "name", "summary")


def see_also(page: Page) -> str:
    names = ["htp-trace"] * bool(page.command["name"]) + [f"htp-trace-{name}" for name in page.see]
    return ",\n".join(f".BR {escaped(name)} (1)" for name in names) + "\n"


def write(page: Page, table: dict) -> str:
    command = page.command
    lead = blocks(page.lead)
    others = {title: found for title, found in page.sections.items() if title != "Examples"}
    return "".join([
        '.\\" Made by "make docs" of core/cli/arguments and docs/manual.\n',
        f'.TH {name_of(page).upper()} 1 "" "htp-trace {table["version"]}" "htp-trace"\n',
        section("name", f"{escaped(name_of(page))} \\- {escaped(command['summary'])}\n"),
        section("synopsis", synopsis(page)),
        section("description", paragraphs(command["description"]) + (f".PP\n{lead}" if lead else "")),
        section("commands", "" if command["name"] else commands(table)),
        section("options", options(page, table)),
        *(section(title, blocks(found)) for title, found in others.items()),
        section("addresses", f"{inline(table['addresses'])}\n" if command["has_addresses"] else ""),
        section("exit status", tagged(command["exit_codes"], "code", "meaning")),
        section("environment", "" if command["name"] else tagged(table["environment"], "name", "meaning")),
        section("examples", blocks(page.sections.get("Examples", []))),
        section("see also", see_also(page)),
    ])
