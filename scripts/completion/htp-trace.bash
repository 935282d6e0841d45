# bash completion of htp-trace: commands and options are those that --help tells of.

_htp_trace()
{
    local program=$1 word=$2 before=$3 command='' i
    for ((i = 1; i < COMP_CWORD; i++)); do
        [[ ${COMP_WORDS[i]} == -* ]] || { command=${COMP_WORDS[i]} && break; }
    done
    case $before in
    --format)
        if [[ $command == graph ]]; then
            mapfile -t COMPREPLY < <(compgen -W 'dot graphml svg' -- "$word")
        else
            mapfile -t COMPREPLY < <(compgen -W 'names json ort-exclude trtexec' -- "$word")
        fi
        return
        ;;
    --external-data)
        mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$word")
        return
        ;;
    --functions-per)
        mapfile -t COMPREPLY < <(compgen -W 'body instance' -- "$word")
        return
        ;;
    --tags | --keep)
        mapfile -t COMPREPLY < <(compgen -W 'attribute metadata doc-string layer-ann none' -- "$word")
        return
        ;;
    esac
    local commands
    commands=$("$program" --help 2>/dev/null | sed -n '/^commands$/,/^$/s/^  \([a-z][a-z]*\) .*/\1/p')
    if [[ $word == -* ]]; then
        grep -qx -e "$command" <<<"$commands" || command=''
        mapfile -t COMPREPLY < <(compgen -W "$("$program" ${command:+"$command"} --help 2>/dev/null |
            sed -n 's/^  \(--[a-z-]*\).*/\1/p') --help" -- "$word")
        return
    fi
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
    if ((COMP_CWORD == 1)); then
        mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W "$commands" -- "$word")
    fi
}

complete -o filenames -F _htp_trace htp-trace
