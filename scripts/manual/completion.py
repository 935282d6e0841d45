"""Completion for bash and zsh. A value is one of the option's words, an address of the model on the line, a folder, a
file, or free."""

BASH = """\
# bash completion of htp-trace. Made by "make docs" of core/cli/arguments.

# The addresses of the first model of the line: tags, then attribute paths.
_htp_trace_addresses()
{{
    local file
    for file in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
        if [[ $file == *.onnx && -f $file ]]; then
            "${{COMP_WORDS[0]}}" inspect "$file" --json 2>/dev/null |
                grep -oE '"(tag|path)": "[^"\\ ]+"' | cut -d '"' -f 4 | sort -u
            return
        fi
    done
}}

_htp_trace()
{{
    local word=$2 before=$3 command='' options
    case ${{COMP_CWORD}}:${{COMP_WORDS[1]}} in
    1:*) ;;
    *:{commands}) command=${{COMP_WORDS[1]}} ;;
    esac
    case $command:$before in
{values}
    esac
    if [[ $word != -* ]]; then
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        if ((COMP_CWORD == 1)); then
            mapfile -t -O "${{#COMPREPLY[@]}}" COMPREPLY < <(compgen -W '{words}' -- "$word")
        fi
        return
    fi
    case $command in
{options}
    esac
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
}}

complete -o filenames -F _htp_trace htp-trace
"""

ZSH = """\
#compdef htp-trace
# zsh completion of htp-trace. Made by "make docs" of core/cli/arguments.

# The addresses of the first model of the line: tags, then attribute paths.
_htp_trace_addresses()
{{
    local file
    for file in $words[2,CURRENT-1]; do
        if [[ $file == *.onnx && -f $file ]]; then
            $words[1] inspect $file --json 2>/dev/null |
                grep -oE '"(tag|path)": "[^"\\ ]+"' | cut -d '"' -f 4 | sort -u
            return
        fi
    done
}}

_htp_trace()
{{
    local command='' before=$words[CURRENT-1]
    local -a commands options
    commands=(
{commands}
    )
    if ((CURRENT > 2)) && [[ ${{commands[(r)$words[2]:*]}} == $words[2]:* ]]; then
        command=$words[2]
    fi
    case $command:$before in
{values}
    esac
    if [[ $PREFIX != -* ]]; then
        ((CURRENT == 2)) && _describe command commands
        _files
        return
    fi
    case $command in
{options}
    esac
    _describe -o option options
}}

_htp_trace "$@"
"""


# An address is no file, though it looks like one.
ADDRESSES = """\
        compopt +o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -W '$(_htp_trace_addresses)' -- "$word")"""


def taken_by(command: dict, table: dict) -> list:
    """The options of a command, including those that it shares with an export."""
    exports = {option["name"]: option for option in table["commands"][0]["options"]}
    return command["options"] + [exports[name] for name in command["options_of_exports"]]


def values(table: dict, words: str, addresses: str, folders: str, files: str, nothing: str) -> str:
    """A case per option with a required value; commands with equal cases share one."""
    lines = {}
    for command in table["commands"]:
        for option in taken_by(command, table):
            if not option["argument"] or option["argument_is_optional"] and not option["words"]:
                continue
            if option["words"]:
                action = words.format(" ".join(option["words"]))
            elif option["argument"] == "ADDRESS":
                action = addresses
            elif "DIR" in option["argument"].split():
                action = folders
            else:
                action = files if "FILE" in option["argument"].split(".") else nothing
            names = [f"--{option['name']}", *([f"-{option['letter']}"] if option["letter"] else [])]
            patterns = [f"{command['name'] or ''}:{name}" for name in names]
            lines.setdefault((option["name"], action), []).extend(patterns)
    return "\n".join(f"    {' | '.join(patterns)})\n{action}\n        return\n        ;;"
                     for (_, action), patterns in lines.items())


def bash(table: dict) -> str:
    names = [command["name"] for command in table["commands"] if command["name"]]
    offered = []
    for command in table["commands"]:
        taken = " ".join(f"--{option['name']}" for option in taken_by(command, table))
        offered.append(f"    {command['name'] or repr('')}) options='{taken}' ;;")
    reply = "        mapfile -t COMPREPLY < <(compgen {} -- \"$word\")"
    return BASH.format(
        commands=" | *:".join(names), words=" ".join(names), options="\n".join(offered),
        values=values(table, reply.format("-W '{}'"), ADDRESSES, reply.format("-d"), reply.format("-f"), "        COMPREPLY=()"))


def described(name: str, text: str) -> str:
    """An item for _describe: the word, a colon, and one sentence without markup."""
    sentence = text.split(". ")[0].removesuffix(".").replace("`", "").replace("'", "'\\''")
    return f"        '{name}:{sentence}'"


def zsh(table: dict) -> str:
    offered = []
    for command in table["commands"]:
        items = "\n".join(described(f"--{option['name']}", option["help"]) for option in taken_by(command, table))
        offered.append(f"    {command['name'] or repr('')}) options=(\n{items}\n        ) ;;")
    commands = "\n".join(described(command["name"], command["summary"])
                         for command in table["commands"] if command["name"])
    return ZSH.format(
        commands=commands, options="\n".join(offered),
        values=values(table, "        compadd {}",
                      "        compadd -- ${(f)\"$(_htp_trace_addresses)\"}", "        _files -/", "        _files", "        :"))
