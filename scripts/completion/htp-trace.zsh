#compdef htp-trace
# zsh completion of htp-trace: commands and options are those that --help tells of.

_htp_trace()
{
    local program=$words[1] command=$words[2] before=$words[CURRENT-1]
    local -a commands options
    commands=(${(f)"$($program --help 2>/dev/null | sed -n '/^commands$/,/^$/s/^  \([a-z][a-z]*\) .*/\1/p')"})
    case $before in
    --format)
        if [[ $command == graph ]]; then
            compadd dot graphml svg
        else
            compadd names json ort-exclude trtexec
        fi
        return
        ;;
    --external-data) compadd auto always never && return ;;
    --functions-per) compadd body instance && return ;;
    --tags|--keep) compadd attribute metadata doc-string layer-ann none && return ;;
    esac
    if [[ $PREFIX == -* ]]; then
        ((CURRENT > 2 && ${commands[(Ie)$command]})) || command=
        options=(${(f)"$($program $command --help 2>/dev/null | sed -n 's/^  \(--[a-z-]*\).*/\1/p')"})
        compadd -- $options --help
        return
    fi
    ((CURRENT == 2)) && compadd -- $commands
    _files
}

_htp_trace "$@"
