"""Completion for bash, zsh and fish. A value is one of the option's words, an address of the model on the line, a folder,
a file, or free."""

import re

BASH = """\
# bash completion of htp-trace. Made by "make docs" of core/cli/arguments.

# The addresses of the first model of the line: tags, then attribute paths.
_htp_trace_addresses()
{{
    local file
    for file in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
        # As the shell would read the word.
        [[ $file == [\\"\\']*[\\"\\'] ]] && file=${{file:1:-1}}
        file=${{file//\\\\/}} file=${{file/#\\~\\//$HOME/}}
        if [[ $file == *.onnx && -f $file ]]; then
            "${{COMP_WORDS[0]/#\\~\\//$HOME/}}" inspect "$file" --json 2>/dev/null |
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
    # --NAME=VALUE is three words here.
    [[ $word == = ]] && word=
    [[ $before == = ]] && before=${{COMP_WORDS[COMP_CWORD-2]}}
    case $command:$before in
{values}
    help:*)
        mapfile -t COMPREPLY < <(compgen -W '{words}' -- "$word")
        return
        ;;
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
        # As the shell would read the word.
        file=${{${{(Q)file}}/#\\~\\//$HOME/}}
        if [[ $file == *.onnx && -f $file ]]; then
            ${{~words[1]}} inspect $file --json 2>/dev/null |
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
        command=${{words[2]#export}}
    fi
    if [[ $PREFIX == --*=* ]]; then
        before=${{PREFIX%%=*}}
        compset -P '*='
    fi
    case $command:$before in
{values}
    help:*)
        _describe command commands
        return
        ;;
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

FISH = """\
# fish completion of htp-trace. Made by "make docs" of core/cli/arguments.

# Whether the line is of one of these commands.
function __htp_trace_in
    set -l words (commandline -opc)
    set -l command export
    if set -q words[2]; and contains -- $words[2] {words}
        set command $words[2]
    end
    contains -- $command $argv
end

function __htp_trace_first
    test (count (commandline -opc)) -eq 1
end

# The addresses of the first model of the line: tags, then attribute paths.
function __htp_trace_addresses
    set -l words (commandline -opc)
    for word in $words[2..-1]
        set -l file (string replace -r '^~/' "$HOME/" -- $word)
        if string match -q -- '*.onnx' $file; and test -f $file
            set -l program (string replace -r '^~/' "$HOME/" -- $words[1])
            $program inspect $file --json 2>/dev/null |
                string match -r -a -g '"(?:tag|path)": "([^"\\\\ ]+)"' | sort -u
            return
        end
    end
end

{commands}
{options}
"""


# An address is no file, though it looks like one.
BASH_ADDRESSES = """\
        compopt +o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -W '$(_htp_trace_addresses)' -- "$word")"""


# Words that are no commands of the table.
MORE_COMMANDS = {"export": "export a model, as without a command", "help": "print the help of a command"}


def commands_of(table: dict) -> dict:
    """The words of commands, and what they do."""
    return {**{command["name"]: command["summary"] for command in table["commands"] if command["name"]}, **MORE_COMMANDS}


def taken_by(command: dict, table: dict) -> list:
    """The options of a command, including those that it shares with an export."""
    exports = {option["name"]: option for option in table["commands"][0]["options"]}
    return command["options"] + [exports[name] for name in command["options_of_exports"]]


def kind_of(option: dict) -> str:
    """What its value is."""
    argument = option["argument"] or ""
    if option["words"]:
        return "words"
    if argument in ("ADDRESS", "DIR"):
        return {"ADDRESS": "addresses", "DIR": "folders"}[argument]
    return "files" if re.fullmatch(r"FILE|[A-Z]+\.[a-z]+", argument) else "nothing"


def sentence(text: str) -> str:
    """The first sentence, without markup, in single quotes of the shell."""
    return text.split(". ")[0].removesuffix(".").replace("`", "").replace("'", "'\\''")


def values(table: dict, actions: dict) -> str:
    """A case per option with a required value; commands with equal cases share one."""
    lines = {}
    for command in table["commands"]:
        for option in taken_by(command, table):
            if not option["argument"] or option["argument_is_optional"] and not option["words"]:
                continue
            action = actions[kind_of(option)].format(" ".join(option["words"]))
            names = [f"--{option['name']}", *([f"-{option['letter']}"] if option["letter"] else [])]
            patterns = [f"{command['name'] or ''}:{name}" for name in names]
            lines.setdefault((option["name"], action), []).extend(patterns)
    return "\n".join(f"    {' | '.join(patterns)})\n{action}\n        return\n        ;;"
                     for (_, action), patterns in lines.items())


def bash(table: dict) -> str:
    names = list(commands_of(table))
    offered = []
    for command in table["commands"]:
        taken = " ".join(f"--{option['name']}" for option in taken_by(command, table))
        offered.append(f"    {command['name'] or repr('')}) options='{taken}' ;;")
    reply = "        mapfile -t COMPREPLY < <(compgen {} -- \"$word\")"
    actions = {"words": reply.format("-W '{}'"), "addresses": BASH_ADDRESSES, "folders": reply.format("-d"),
               "files": reply.format("-f"), "nothing": "        COMPREPLY=()"}
    return BASH.format(commands=" | *:".join(name for name in names if name != "export"), words=" ".join(names),
                       options="\n".join(offered), values=values(table, actions))


def zsh(table: dict) -> str:
    def described(name: str, text: str) -> str:
        """An item for _describe: the word, a colon, and one sentence."""
        return f"        '{name}:{sentence(text)}'"

    offered = []
    for command in table["commands"]:
        items = "\n".join(described(f"--{option['name']}", option["help"]) for option in taken_by(command, table))
        offered.append(f"    {command['name'] or repr('')}) options=(\n{items}\n        ) ;;")
    actions = {"words": "        compadd {}", "addresses": "        compadd -- ${{(f)\"$(_htp_trace_addresses)\"}}",
               "folders": "        _files -/", "files": "        _files", "nothing": "        :"}
    return ZSH.format(commands="\n".join(described(*item) for item in commands_of(table).items()),
                      options="\n".join(offered), values=values(table, actions))


FISH_VALUES = {"words": " -x -a '{}'", "addresses": " -x -a '(__htp_trace_addresses)'",
               "folders": " -x -a '(__fish_complete_directories (commandline -ct))'", "files": " -r -F", "nothing": " -x"}


def fish(table: dict) -> str:
    lines = {}
    for command in table["commands"]:
        for option in taken_by(command, table):
            letter = f" -s {option['letter']}" if option["letter"] else ""
            value = FISH_VALUES[kind_of(option)].format(" ".join(option["words"])) if option["argument"] else ""
            if option["argument_is_optional"]:  # after "=" alone
                value = value.removeprefix(" -x").removeprefix(" -r")
            line = f"{letter} -l {option['name']}{value} -d '{sentence(option['help'])}'"
            lines.setdefault(line, []).append(command["name"] or "export")
    commands = [f"complete -c htp-trace -n __htp_trace_first -a {name} -d '{sentence(summary)}'\n"
                f"complete -c htp-trace -n '__htp_trace_in help' -f -a {name} -d '{sentence(summary)}'"
                for name, summary in commands_of(table).items()]
    return FISH.format(words=" ".join(commands_of(table)), commands="\n".join(commands), options="\n".join(
        f"complete -c htp-trace -n '__htp_trace_in {' '.join(names)}'{line}" for line, names in lines.items()))
