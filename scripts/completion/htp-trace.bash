# bash completion of htp-trace. Made by "make docs" of core/cli/arguments.

# The addresses of the first model of the line: tags, then attribute paths.
_htp_trace_addresses()
{
    local file
    for file in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
        # As the shell would read the word.
        [[ $file == [\"\']*[\"\'] ]] && file=${file:1:-1}
        file=${file//\\/} file=${file/#\~\//$HOME/}
        if [[ $file == *.onnx && -f $file ]]; then
            "${COMP_WORDS[0]/#\~\//$HOME/}" inspect "$file" --json 2>/dev/null |
                grep -oE '"(tag|path)": "[^"\ ]+"' | cut -d '"' -f 4 | sort -u
            return
        fi
    done
}

_htp_trace()
{
    local word=$2 before=$3 command='' options
    case ${COMP_CWORD}:${COMP_WORDS[1]} in
    1:*) ;;
    *:inspect | *:select | *:extract | *:split | *:replace | *:validate | *:compare | *:verify | *:quality | *:strip | *:retag | *:inline | *:sidecar | *:graph | *:profile | *:ops | *:help) command=${COMP_WORDS[1]} ;;
    esac
    # --NAME=VALUE is three words here.
    [[ $word == = ]] && word=
    [[ $before == = ]] && before=${COMP_WORDS[COMP_CWORD-2]}
    case $command:$before in
    :--out | :-o | extract:--out | extract:-o | replace:--out | replace:-o | strip:--out | strip:-o | retag:--out | retag:-o | inline:--out | inline:-o | sidecar:--out | sidecar:-o | graph:--out | graph:-o)
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        return
        ;;
    :--out-dir | split:--out-dir)
        mapfile -t COMPREPLY < <(compgen -d -- "$word")
        return
        ;;
    :--jobs)
        COMPREPLY=()
        return
        ;;
    :--opset | inspect:--opset | verify:--opset | quality:--opset)
        COMPREPLY=()
        return
        ;;
    :--ir-version | inspect:--ir-version)
        COMPREPLY=()
        return
        ;;
    :--external-data | inspect:--external-data | extract:--external-data | split:--external-data)
        mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$word")
        return
        ;;
    :--functions-per)
        mapfile -t COMPREPLY < <(compgen -W 'body instance' -- "$word")
        return
        ;;
    :--share)
        mapfile -t COMPREPLY < <(compgen -W 'all module' -- "$word")
        return
        ;;
    :--input | inspect:--input | verify:--input | quality:--input)
        COMPREPLY=()
        return
        ;;
    :--inputs | inspect:--inputs | verify:--inputs | quality:--inputs)
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        return
        ;;
    :--method | inspect:--method | verify:--method | quality:--method)
        COMPREPLY=()
        return
        ;;
    :--module | verify:--module | quality:--module)
        COMPREPLY=()
        return
        ;;
    :--model | inspect:--model | verify:--model | quality:--model)
        COMPREPLY=()
        return
        ;;
    :--state-out)
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        return
        ;;
    :--libtorch | inspect:--libtorch | verify:--libtorch | quality:--libtorch)
        mapfile -t COMPREPLY < <(compgen -d -- "$word")
        return
        ;;
    :--load-library | inspect:--load-library | verify:--load-library | quality:--load-library)
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        return
        ;;
    :--custom-op | inspect:--custom-op | verify:--custom-op | quality:--custom-op)
        COMPREPLY=()
        return
        ;;
    :--limit | inspect:--limit | select:--limit | extract:--limit | split:--limit | replace:--limit | validate:--limit | compare:--limit | verify:--limit | quality:--limit | strip:--limit | retag:--limit | inline:--limit | sidecar:--limit | graph:--limit | profile:--limit)
        COMPREPLY=()
        return
        ;;
    :--time-limit | inspect:--time-limit | select:--time-limit | extract:--time-limit | split:--time-limit | replace:--time-limit | validate:--time-limit | compare:--time-limit | verify:--time-limit | quality:--time-limit | strip:--time-limit | retag:--time-limit | inline:--time-limit | sidecar:--time-limit | graph:--time-limit | profile:--time-limit)
        COMPREPLY=()
        return
        ;;
    :--memory-limit | inspect:--memory-limit | select:--memory-limit | extract:--memory-limit | split:--memory-limit | replace:--memory-limit | validate:--memory-limit | compare:--memory-limit | verify:--memory-limit | quality:--memory-limit | strip:--memory-limit | retag:--memory-limit | inline:--memory-limit | sidecar:--memory-limit | graph:--memory-limit | profile:--memory-limit)
        COMPREPLY=()
        return
        ;;
    :--tags | inspect:--tags)
        mapfile -t COMPREPLY < <(compgen -W 'attribute metadata doc-string layer-ann none' -- "$word")
        return
        ;;
    :--tag-attribute-prefix | inspect:--tag-attribute-prefix)
        COMPREPLY=()
        return
        ;;
    :--color | inspect:--color | select:--color | extract:--color | split:--color | replace:--color | validate:--color | compare:--color | verify:--color | quality:--color | strip:--color | retag:--color | inline:--color | sidecar:--color | graph:--color | profile:--color)
        mapfile -t COMPREPLY < <(compgen -W 'always auto never' -- "$word")
        return
        ;;
    :--dump-after)
        mapfile -t COMPREPLY < <(compgen -W 'trace aliases constants dead-code' -- "$word")
        return
        ;;
    inspect:--module | select:--module | extract:--module | replace:--module | graph:--module | profile:--module)
        compopt +o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -W '$(_htp_trace_addresses)' -- "$word")
        return
        ;;
    inspect:--depth | split:--depth | verify:--depth | graph:--depth | profile:--depth)
        COMPREPLY=()
        return
        ;;
    inspect:--node-data | verify:--node-data | quality:--node-data | profile:--node-data)
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        return
        ;;
    inspect:--sizes | split:--sizes | verify:--sizes | graph:--sizes | profile:--sizes)
        COMPREPLY=()
        return
        ;;
    select:--except | extract:--except)
        compopt +o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -W '$(_htp_trace_addresses)' -- "$word")
        return
        ;;
    select:--verify | graph:--verify)
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        return
        ;;
    select:--worse-than)
        COMPREPLY=()
        return
        ;;
    select:--worst)
        COMPREPLY=()
        return
        ;;
    select:--op | replace:--op)
        COMPREPLY=()
        return
        ;;
    select:--format)
        mapfile -t COMPREPLY < <(compgen -W 'names json ort-exclude trtexec' -- "$word")
        return
        ;;
    select:--precision)
        COMPREPLY=()
        return
        ;;
    extract:--call | replace:--call)
        COMPREPLY=()
        return
        ;;
    split:--at)
        compopt +o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -W '$(_htp_trace_addresses)' -- "$word")
        return
        ;;
    split:--into)
        COMPREPLY=()
        return
        ;;
    split:--by)
        mapfile -t COMPREPLY < <(compgen -W 'cost weights time' -- "$word")
        return
        ;;
    split:--profile | quality:--profile | graph:--profile)
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        return
        ;;
    split:--optimized | graph:--optimized | profile:--optimized)
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        return
        ;;
    replace:--by)
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        return
        ;;
    verify:--tolerance)
        COMPREPLY=()
        return
        ;;
    verify:--onnxruntime)
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        return
        ;;
    verify:--html | quality:--html)
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        return
        ;;
    verify:--save)
        mapfile -t COMPREPLY < <(compgen -d -- "$word")
        return
        ;;
    verify:--values)
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        return
        ;;
    verify:--level)
        COMPREPLY=()
        return
        ;;
    verify:--memory)
        COMPREPLY=()
        return
        ;;
    quality:--reference)
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        return
        ;;
    quality:--against)
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        return
        ;;
    quality:--csv)
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        return
        ;;
    quality:--fail-under)
        COMPREPLY=()
        return
        ;;
    strip:--keep)
        mapfile -t COMPREPLY < <(compgen -W 'attribute metadata doc-string layer-ann none' -- "$word")
        return
        ;;
    retag:--like)
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        return
        ;;
    graph:--color-by)
        mapfile -t COMPREPLY < <(compgen -W 'cost time quality error' -- "$word")
        return
        ;;
    graph:--format)
        mapfile -t COMPREPLY < <(compgen -W 'dot graphml svg mermaid' -- "$word")
        return
        ;;
    help:*)
        mapfile -t COMPREPLY < <(compgen -W 'inspect select extract split replace validate compare verify quality strip retag inline sidecar graph profile ops export help' -- "$word")
        return
        ;;
    esac
    if [[ $word != -* ]]; then
        mapfile -t COMPREPLY < <(compgen -f -- "$word")
        if ((COMP_CWORD == 1)); then
            mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -W 'inspect select extract split replace validate compare verify quality strip retag inline sidecar graph profile ops export help' -- "$word")
        fi
        return
    fi
    case $command in
    '') options='--out --out-dir --jobs --opset --ir-version --external-data --sidecar --functions --functions-per --share --input --inputs --method --module --model --static --eval --state-out --state-defaults --freeze-state --untie --no-fold --libtorch --load-library --custom-op --limit --time-limit --memory-limit --no-sandbox --tags --tag-attribute-prefix --include-torch-nn --print-tree --json --color --dump-graph --dump-after --quiet --verbose --version --help' ;;
    inspect) options='--limit --time-limit --memory-limit --no-sandbox --module --own --depth --node-data --cost --borders --sizes --json --color --quiet --verbose --version --help --opset --ir-version --external-data --input --inputs --method --model --static --eval --freeze-state --libtorch --load-library --custom-op --tags --tag-attribute-prefix --include-torch-nn' ;;
    select) options='--limit --time-limit --memory-limit --no-sandbox --module --except --verify --worse-than --worst --own --op --weights --format --precision --json --color --quiet --verbose --version --help' ;;
    extract) options='--out --external-data --limit --time-limit --memory-limit --no-sandbox --module --except --own --call --json --color --quiet --verbose --version --help' ;;
    split) options='--out-dir --external-data --limit --time-limit --memory-limit --no-sandbox --at --depth --into --by --profile --sizes --share-weights --optimized --json --color --quiet --verbose --version --help' ;;
    replace) options='--out --limit --time-limit --memory-limit --no-sandbox --module --call --op --by --json --color --quiet --verbose --version --help' ;;
    validate) options='--limit --time-limit --memory-limit --no-sandbox --sidecar --json --color --quiet --verbose --version --help' ;;
    compare) options='--limit --time-limit --memory-limit --no-sandbox --json --color --quiet --verbose --version --help' ;;
    verify) options='--limit --time-limit --memory-limit --no-sandbox --depth --node-data --tolerance --onnxruntime --html --sizes --save --values --level --memory --json --color --quiet --verbose --version --help --opset --input --inputs --method --module --model --static --eval --freeze-state --untie --no-fold --libtorch --load-library --custom-op --include-torch-nn' ;;
    quality) options='--limit --time-limit --memory-limit --no-sandbox --reference --against --profile --node-data --csv --html --sidecar --fail-under --json --color --quiet --verbose --version --help --opset --input --inputs --method --module --model --static --eval --freeze-state --libtorch --load-library --custom-op' ;;
    strip) options='--out --limit --time-limit --memory-limit --no-sandbox --keep --json --color --quiet --verbose --version --help' ;;
    retag) options='--out --limit --time-limit --memory-limit --no-sandbox --like --json --color --quiet --verbose --version --help' ;;
    inline) options='--out --limit --time-limit --memory-limit --no-sandbox --json --color --quiet --verbose --version --help' ;;
    sidecar) options='--out --limit --time-limit --memory-limit --no-sandbox --json --color --quiet --verbose --version --help' ;;
    graph) options='--out --limit --time-limit --memory-limit --no-sandbox --module --own --depth --color-by --verify --profile --sizes --format --optimized --json --color --quiet --verbose --version --help' ;;
    profile) options='--limit --time-limit --memory-limit --no-sandbox --module --own --depth --node-data --sizes --optimized --json --color --quiet --verbose --version --help' ;;
    ops) options='--version --help' ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
}

complete -o filenames -F _htp_trace htp-trace
