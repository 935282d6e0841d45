#compdef htp-trace
# zsh completion of htp-trace. Made by "make docs" of core/cli/arguments.

# The addresses of the first model of the line: tags, then attribute paths.
_htp_trace_addresses()
{
    local file
    for file in $words[2,CURRENT-1]; do
        # As the shell would read the word.
        file=${${(Q)file}/#\~\//$HOME/}
        if [[ $file == *.onnx && -f $file ]]; then
            ${~words[1]} inspect $file --json 2>/dev/null |
                grep -oE '"(tag|path)": "[^"\ ]+"' | cut -d '"' -f 4 | sort -u
            return
        fi
    done
}

_htp_trace()
{
    local command='' before=$words[CURRENT-1]
    local -a commands options
    commands=(
        'inspect:show the module tree of an ONNX model, or what an export would do'
        'select:list the nodes or weights of modules, for quantisers and TensorRT'
        'extract:cut modules out as a model of their own'
        'split:cut a model into parts that run one after the other'
        'replace:put a custom operator, or another model, in the place of modules'
        'validate:check a model and its tags'
        'compare:diff two models by structure, not by names'
        'verify:run two models side by side: in which module they part'
        'quality:measure tags: per model, depth and layer'
        'strip:remove the tags'
        'retag:restore the tags after another tool changed the model'
        'inline:inline the functions of a model'
        'sidecar:write modules, operations and tensors as JSON'
        'graph:draw the model, modules as nested clusters'
        'profile:attribute a profile of ONNX Runtime to modules'
        'ops:list the operators that can be exported'
        'export:export a model, as without a command'
        'help:print the help of a command'
    )
    if ((CURRENT > 2)) && [[ ${commands[(r)$words[2]:*]} == $words[2]:* ]]; then
        command=${words[2]#export}
    fi
    if [[ $PREFIX == --*=* ]]; then
        before=${PREFIX%%=*}
        compset -P '*='
    fi
    case $command:$before in
    :--out | :-o | extract:--out | extract:-o | replace:--out | replace:-o | strip:--out | strip:-o | retag:--out | retag:-o | inline:--out | inline:-o | sidecar:--out | sidecar:-o | graph:--out | graph:-o)
        _files
        return
        ;;
    :--out-dir | split:--out-dir)
        _files -/
        return
        ;;
    :--jobs)
        :
        return
        ;;
    :--opset | inspect:--opset | verify:--opset | quality:--opset)
        :
        return
        ;;
    :--ir-version | inspect:--ir-version)
        :
        return
        ;;
    :--external-data | inspect:--external-data | extract:--external-data | split:--external-data)
        compadd auto always never
        return
        ;;
    :--functions-per)
        compadd body instance
        return
        ;;
    :--share)
        compadd all module
        return
        ;;
    :--input | inspect:--input | verify:--input | quality:--input)
        :
        return
        ;;
    :--inputs | inspect:--inputs | verify:--inputs | quality:--inputs)
        _files
        return
        ;;
    :--method | inspect:--method | verify:--method | quality:--method)
        :
        return
        ;;
    :--module | verify:--module | quality:--module)
        :
        return
        ;;
    :--model | inspect:--model | verify:--model | quality:--model)
        :
        return
        ;;
    :--state-out)
        _files
        return
        ;;
    :--libtorch | inspect:--libtorch | verify:--libtorch | quality:--libtorch)
        _files -/
        return
        ;;
    :--load-library | inspect:--load-library | verify:--load-library | quality:--load-library)
        _files
        return
        ;;
    :--custom-op | inspect:--custom-op | verify:--custom-op | quality:--custom-op)
        :
        return
        ;;
    :--limit | inspect:--limit | select:--limit | extract:--limit | split:--limit | replace:--limit | validate:--limit | compare:--limit | verify:--limit | quality:--limit | strip:--limit | retag:--limit | inline:--limit | sidecar:--limit | graph:--limit | profile:--limit)
        :
        return
        ;;
    :--time-limit | inspect:--time-limit | select:--time-limit | extract:--time-limit | split:--time-limit | replace:--time-limit | validate:--time-limit | compare:--time-limit | verify:--time-limit | quality:--time-limit | strip:--time-limit | retag:--time-limit | inline:--time-limit | sidecar:--time-limit | graph:--time-limit | profile:--time-limit)
        :
        return
        ;;
    :--memory-limit | inspect:--memory-limit | select:--memory-limit | extract:--memory-limit | split:--memory-limit | replace:--memory-limit | validate:--memory-limit | compare:--memory-limit | verify:--memory-limit | quality:--memory-limit | strip:--memory-limit | retag:--memory-limit | inline:--memory-limit | sidecar:--memory-limit | graph:--memory-limit | profile:--memory-limit)
        :
        return
        ;;
    :--tags | inspect:--tags)
        compadd attribute metadata doc-string layer-ann none
        return
        ;;
    :--tag-attribute-prefix | inspect:--tag-attribute-prefix)
        :
        return
        ;;
    :--color | inspect:--color | select:--color | extract:--color | split:--color | replace:--color | validate:--color | compare:--color | verify:--color | quality:--color | strip:--color | retag:--color | inline:--color | sidecar:--color | graph:--color | profile:--color)
        compadd always auto never
        return
        ;;
    :--dump-after)
        compadd trace aliases constants dead-code
        return
        ;;
    inspect:--module | select:--module | extract:--module | replace:--module | graph:--module | profile:--module)
        compadd -- ${(f)"$(_htp_trace_addresses)"}
        return
        ;;
    inspect:--depth | split:--depth | verify:--depth | graph:--depth | profile:--depth)
        :
        return
        ;;
    inspect:--node-data | verify:--node-data | quality:--node-data | profile:--node-data)
        _files
        return
        ;;
    inspect:--sizes | split:--sizes | verify:--sizes | graph:--sizes | profile:--sizes)
        :
        return
        ;;
    select:--except | extract:--except)
        compadd -- ${(f)"$(_htp_trace_addresses)"}
        return
        ;;
    select:--verify | graph:--verify)
        _files
        return
        ;;
    select:--worse-than)
        :
        return
        ;;
    select:--worst)
        :
        return
        ;;
    select:--op | replace:--op)
        :
        return
        ;;
    select:--format)
        compadd names json ort-exclude trtexec
        return
        ;;
    select:--precision)
        :
        return
        ;;
    extract:--call | replace:--call)
        :
        return
        ;;
    split:--at)
        compadd -- ${(f)"$(_htp_trace_addresses)"}
        return
        ;;
    split:--into)
        :
        return
        ;;
    split:--by)
        compadd cost weights time
        return
        ;;
    split:--profile | quality:--profile | graph:--profile)
        _files
        return
        ;;
    split:--optimized | graph:--optimized | profile:--optimized)
        _files
        return
        ;;
    replace:--by)
        _files
        return
        ;;
    verify:--tolerance)
        :
        return
        ;;
    verify:--onnxruntime)
        _files
        return
        ;;
    verify:--html | quality:--html)
        _files
        return
        ;;
    verify:--save)
        _files -/
        return
        ;;
    verify:--values)
        _files
        return
        ;;
    verify:--level)
        :
        return
        ;;
    verify:--memory)
        :
        return
        ;;
    quality:--reference)
        _files
        return
        ;;
    quality:--against)
        _files
        return
        ;;
    quality:--csv)
        _files
        return
        ;;
    quality:--fail-under)
        :
        return
        ;;
    strip:--keep)
        compadd attribute metadata doc-string layer-ann none
        return
        ;;
    retag:--like)
        _files
        return
        ;;
    graph:--color-by)
        compadd cost time quality error
        return
        ;;
    graph:--format)
        compadd dot graphml svg mermaid
        return
        ;;
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
    '') options=(
        '--out:Writes the ONNX model to FILE, complete or not at all'
        '--out-dir:Writes each model to DIR under its own name with .onnx'
        '--jobs:Exports several models in N processes, each of which opens libtorch once'
        '--opset:Sets the ONNX opset, 17 to 23'
        '--ir-version:Asks for a later ONNX IR version'
        '--external-data:Stores weights in FILE.data beside the model: auto (over 2 GiB), always or never'
        '--sidecar:Also writes modules, operations and tensors as JSON beside the model'
        '--functions:Writes calls of these modules as calls of ONNX functions'
        '--functions-per:Decides which modules share a function: body, those with equal bodies; instance, none'
        '--share:Merges equal nodes that compute sizes, positions and masks: all, in the whole model, or in the body of a function; module, within one call of a module'
        '--input:Specifies one argument: ids:int64[2,8]'
        '--inputs:Specifies inputs by a JSON file, {"ids": "int64[batch=2,8]"}, or by the arrays of a numpy.savez() file'
        '--method:Exports another method, such as one with @torch.jit.export'
        '--module:Exports this module alone'
        '--model:Takes this model of an archive of torch.export that holds several'
        '--static:Keeps the sizes of inputs that were not given: no axis is dynamic'
        '--eval:Exports a model that was saved in training mode as after eval(): no dropout, running statistics for norms'
        '--state-out:Writes the initial state as numpy.savez() does'
        '--state-defaults:Makes the initial state the default of the state inputs'
        '--freeze-state:Exports no state: every call does what the first one does'
        '--untie:Stores a weight that is read in several layouts once for each, such as an embedding that is also the output layer'
        '--no-fold:Keeps norms apart from the convolutions and linear layers before them, and arithmetic on weights in the graph'
        '--libtorch:Names the libtorch that reads TorchScript: the folder of a torch package of Python, of a libtorch distribution, or a prefix such as /usr'
        '--load-library:Loads a library that registers operators, as torch.ops.load_library() does'
        '--custom-op:Lowers operator NS::NAME to OP of an ONNX domain'
        '--limit:Raises or lowers a limit of what a model may cost: code-bytes, code-operations, code-values, code-exits, class-members, program-bytes, program-values, inputs, steps, call-depth, operators, values, elements, characters, text-work, known-bytes, restored-elements, nodes, names, node-fields, name-bytes, constant-bytes, repeated-bytes, all of which docs/LIMITS.md lists with their defaults'
        '--time-limit:Ends with exit code 4 once a model has taken so many seconds'
        '--memory-limit:Ends with exit code 4 once the process holds so many MiB of memory beside mapped files'
        '--no-sandbox:Gives up nothing'
        '--tags:Selects where tags are written: attribute, metadata, doc-string, layer-ann (by which ONNX Runtime places layers on devices), or none'
        '--tag-attribute-prefix:Begins the names of tag attributes'
        '--include-torch-nn:Makes classes of torch.nn part of tags'
        '--print-tree:Prints the module tree with node counts'
        '--json:Prints one JSON object for each model, one per line, or writes them to FILE'
        '--color:Uses colour always, which is meant without WHEN; never; or auto, on a terminal alone and not with NO_COLOR'
        '--dump-graph:Prints the aten graph before lowering instead: types, scopes, source lines'
        '--dump-after:Prints it after a pass: trace, aliases, constants or dead-code'
        '--quiet:Prints errors alone: no notes, no progress'
        '--verbose:Prints progress even if stderr is not a terminal, and why axes are not dynamic'
        '--version:Prints the versions of htp-trace and libtorch'
        '--help:Prints this text; with --json, all commands and options as one JSON object'
        ) ;;
    inspect) options=(
        '--limit:Raises or lowers a limit of what a model may cost: code-bytes, code-operations, code-values, code-exits, class-members, program-bytes, program-values, inputs, steps, call-depth, operators, values, elements, characters, text-work, known-bytes, restored-elements, nodes, names, node-fields, name-bytes, constant-bytes, repeated-bytes, all of which docs/LIMITS.md lists with their defaults'
        '--time-limit:Ends with exit code 4 once a model has taken so many seconds'
        '--memory-limit:Ends with exit code 4 once the process holds so many MiB of memory beside mapped files'
        '--no-sandbox:Gives up nothing'
        '--module:Shows these modules instead of the tree: values that cross their border, nodes with source lines, weights'
        '--own:Takes these modules without those below them'
        '--depth:Shows N levels of the tree below the root'
        '--node-data:Writes the values of nodes for Model Explorer, as node data: multiply-adds, the microseconds of a profile, or the error that nodes add'
        '--cost:Shows what modules, operators and nodes cost instead: multiply-adds, bytes of weights and of activations, and the most memory that values take at once; as formulas of the dynamic axes'
        '--borders:Shows the values that cross the border of each module instead: their types, and where they come from and go to'
        '--sizes:Gives the axes sizes, so that costs are numbers: batch=1,sequence=128'
        '--json:Prints one JSON object instead of text, or writes it to FILE beside the text'
        '--color:Uses colour always, which is meant without WHEN; never; or auto, on a terminal alone and not with NO_COLOR'
        '--quiet:Prints errors alone: no notes, no progress'
        '--verbose:Prints progress even if stderr is not a terminal'
        '--version:Prints the versions of htp-trace and libtorch'
        '--help:Prints this text; with --json, all commands and options as one JSON object'
        '--opset:Sets the ONNX opset, 17 to 23'
        '--ir-version:Asks for a later ONNX IR version'
        '--external-data:Stores weights in FILE.data beside the model: auto (over 2 GiB), always or never'
        '--input:Specifies one argument: ids:int64[2,8]'
        '--inputs:Specifies inputs by a JSON file, {"ids": "int64[batch=2,8]"}, or by the arrays of a numpy.savez() file'
        '--method:Exports another method, such as one with @torch.jit.export'
        '--model:Takes this model of an archive of torch.export that holds several'
        '--static:Keeps the sizes of inputs that were not given: no axis is dynamic'
        '--eval:Exports a model that was saved in training mode as after eval(): no dropout, running statistics for norms'
        '--freeze-state:Exports no state: every call does what the first one does'
        '--libtorch:Names the libtorch that reads TorchScript: the folder of a torch package of Python, of a libtorch distribution, or a prefix such as /usr'
        '--load-library:Loads a library that registers operators, as torch.ops.load_library() does'
        '--custom-op:Lowers operator NS::NAME to OP of an ONNX domain'
        '--tags:Selects where tags are written: attribute, metadata, doc-string, layer-ann (by which ONNX Runtime places layers on devices), or none'
        '--tag-attribute-prefix:Begins the names of tag attributes'
        '--include-torch-nn:Makes classes of torch.nn part of tags'
        ) ;;
    select) options=(
        '--limit:Raises or lowers a limit of what a model may cost: code-bytes, code-operations, code-values, code-exits, class-members, program-bytes, program-values, inputs, steps, call-depth, operators, values, elements, characters, text-work, known-bytes, restored-elements, nodes, names, node-fields, name-bytes, constant-bytes, repeated-bytes, all of which docs/LIMITS.md lists with their defaults'
        '--time-limit:Ends with exit code 4 once a model has taken so many seconds'
        '--memory-limit:Ends with exit code 4 once the process holds so many MiB of memory beside mapped files'
        '--no-sandbox:Gives up nothing'
        '--module:Takes these modules'
        '--except:Leaves these modules out'
        '--verify:Takes the modules whose own error in a report of verify --json is larger than --worse-than: the innermost, beside those of --module'
        '--worse-than:Sets the limit of their errors, relative to the largest element of a tensor'
        '--worst:Takes the N modules with the largest errors alone'
        '--own:Takes these modules without those below them'
        '--op:Takes nodes of these op types alone: MatMul, Conv*'
        '--weights:Prints the initializers that these nodes read instead'
        '--format:Prints names, json, ort-exclude (nodes_to_exclude of onnxruntime.quantization) or trtexec (--layerPrecisions of TensorRT)'
        '--precision:Sets the precision for trtexec'
        '--json:Prints one JSON object instead of text, or writes it to FILE beside the text'
        '--color:Uses colour always, which is meant without WHEN; never; or auto, on a terminal alone and not with NO_COLOR'
        '--quiet:Prints errors alone: no notes, no progress'
        '--verbose:Prints progress even if stderr is not a terminal'
        '--version:Prints the versions of htp-trace and libtorch'
        '--help:Prints this text; with --json, all commands and options as one JSON object'
        ) ;;
    extract) options=(
        '--out:Writes the model to FILE, complete or not at all'
        '--external-data:Stores weights in FILE.data beside the model: auto (over 2 GiB), always or never'
        '--limit:Raises or lowers a limit of what a model may cost: code-bytes, code-operations, code-values, code-exits, class-members, program-bytes, program-values, inputs, steps, call-depth, operators, values, elements, characters, text-work, known-bytes, restored-elements, nodes, names, node-fields, name-bytes, constant-bytes, repeated-bytes, all of which docs/LIMITS.md lists with their defaults'
        '--time-limit:Ends with exit code 4 once a model has taken so many seconds'
        '--memory-limit:Ends with exit code 4 once the process holds so many MiB of memory beside mapped files'
        '--no-sandbox:Gives up nothing'
        '--module:Takes these modules'
        '--except:Leaves these modules out'
        '--own:Takes these modules without those below them'
        '--call:Takes one call of a module that runs several times, counted from 0'
        '--json:Prints one JSON object instead of text, or writes it to FILE beside the text'
        '--color:Uses colour always, which is meant without WHEN; never; or auto, on a terminal alone and not with NO_COLOR'
        '--quiet:Prints errors alone: no notes, no progress'
        '--verbose:Prints progress even if stderr is not a terminal'
        '--version:Prints the versions of htp-trace and libtorch'
        '--help:Prints this text; with --json, all commands and options as one JSON object'
        ) ;;
    split) options=(
        '--out-dir:Writes the parts to DIR'
        '--external-data:Stores weights in FILE.data beside the model: auto (over 2 GiB), always or never'
        '--limit:Raises or lowers a limit of what a model may cost: code-bytes, code-operations, code-values, code-exits, class-members, program-bytes, program-values, inputs, steps, call-depth, operators, values, elements, characters, text-work, known-bytes, restored-elements, nodes, names, node-fields, name-bytes, constant-bytes, repeated-bytes, all of which docs/LIMITS.md lists with their defaults'
        '--time-limit:Ends with exit code 4 once a model has taken so many seconds'
        '--memory-limit:Ends with exit code 4 once the process holds so many MiB of memory beside mapped files'
        '--no-sandbox:Gives up nothing'
        '--at:Makes these modules parts'
        '--depth:Makes the modules N levels below the root parts'
        '--into:Makes N parts of which the largest is as small as possible'
        '--by:Measures the parts of --into by cost, their multiply-adds; weights, the bytes of those that they read; or time, that of their kernels in --profile'
        '--profile:Names the ONNX Runtime profile for time'
        '--sizes:Gives the axes sizes, so that costs are numbers: batch=1,sequence=128'
        '--share-weights:Stores weights of 1 KiB and more in one file, weights.data, that all parts refer to'
        '--optimized:Names the optimised model (optimized_model_filepath), through which fused kernels are traced back'
        '--json:Prints one JSON object instead of text, or writes it to FILE beside the text'
        '--color:Uses colour always, which is meant without WHEN; never; or auto, on a terminal alone and not with NO_COLOR'
        '--quiet:Prints errors alone: no notes, no progress'
        '--verbose:Prints progress even if stderr is not a terminal'
        '--version:Prints the versions of htp-trace and libtorch'
        '--help:Prints this text; with --json, all commands and options as one JSON object'
        ) ;;
    replace) options=(
        '--out:Writes the model to FILE, complete or not at all'
        '--limit:Raises or lowers a limit of what a model may cost: code-bytes, code-operations, code-values, code-exits, class-members, program-bytes, program-values, inputs, steps, call-depth, operators, values, elements, characters, text-work, known-bytes, restored-elements, nodes, names, node-fields, name-bytes, constant-bytes, repeated-bytes, all of which docs/LIMITS.md lists with their defaults'
        '--time-limit:Ends with exit code 4 once a model has taken so many seconds'
        '--memory-limit:Ends with exit code 4 once the process holds so many MiB of memory beside mapped files'
        '--no-sandbox:Gives up nothing'
        '--module:Replaces these modules'
        '--call:Takes one call of a module that runs several times, counted from 0'
        '--op:Names the operator: my.domain:Layer, or my.domain:Layer@2 for version 2 of the domain'
        '--by:Puts copies of this model'\''s nodes in the place of each module instead: one with the same inputs and outputs'
        '--json:Prints one JSON object instead of text, or writes it to FILE beside the text'
        '--color:Uses colour always, which is meant without WHEN; never; or auto, on a terminal alone and not with NO_COLOR'
        '--quiet:Prints errors alone: no notes, no progress'
        '--verbose:Prints progress even if stderr is not a terminal'
        '--version:Prints the versions of htp-trace and libtorch'
        '--help:Prints this text; with --json, all commands and options as one JSON object'
        ) ;;
    validate) options=(
        '--limit:Raises or lowers a limit of what a model may cost: code-bytes, code-operations, code-values, code-exits, class-members, program-bytes, program-values, inputs, steps, call-depth, operators, values, elements, characters, text-work, known-bytes, restored-elements, nodes, names, node-fields, name-bytes, constant-bytes, repeated-bytes, all of which docs/LIMITS.md lists with their defaults'
        '--time-limit:Ends with exit code 4 once a model has taken so many seconds'
        '--memory-limit:Ends with exit code 4 once the process holds so many MiB of memory beside mapped files'
        '--no-sandbox:Gives up nothing'
        '--sidecar:Also checks the sidecar against the model'
        '--json:Prints one JSON object instead of text, or writes it to FILE beside the text'
        '--color:Uses colour always, which is meant without WHEN; never; or auto, on a terminal alone and not with NO_COLOR'
        '--quiet:Prints errors alone: no notes, no progress'
        '--verbose:Prints progress even if stderr is not a terminal'
        '--version:Prints the versions of htp-trace and libtorch'
        '--help:Prints this text; with --json, all commands and options as one JSON object'
        ) ;;
    compare) options=(
        '--limit:Raises or lowers a limit of what a model may cost: code-bytes, code-operations, code-values, code-exits, class-members, program-bytes, program-values, inputs, steps, call-depth, operators, values, elements, characters, text-work, known-bytes, restored-elements, nodes, names, node-fields, name-bytes, constant-bytes, repeated-bytes, all of which docs/LIMITS.md lists with their defaults'
        '--time-limit:Ends with exit code 4 once a model has taken so many seconds'
        '--memory-limit:Ends with exit code 4 once the process holds so many MiB of memory beside mapped files'
        '--no-sandbox:Gives up nothing'
        '--json:Prints one JSON object instead of text, or writes it to FILE beside the text'
        '--color:Uses colour always, which is meant without WHEN; never; or auto, on a terminal alone and not with NO_COLOR'
        '--quiet:Prints errors alone: no notes, no progress'
        '--verbose:Prints progress even if stderr is not a terminal'
        '--version:Prints the versions of htp-trace and libtorch'
        '--help:Prints this text; with --json, all commands and options as one JSON object'
        ) ;;
    verify) options=(
        '--limit:Raises or lowers a limit of what a model may cost: code-bytes, code-operations, code-values, code-exits, class-members, program-bytes, program-values, inputs, steps, call-depth, operators, values, elements, characters, text-work, known-bytes, restored-elements, nodes, names, node-fields, name-bytes, constant-bytes, repeated-bytes, all of which docs/LIMITS.md lists with their defaults'
        '--time-limit:Ends with exit code 4 once a model has taken so many seconds'
        '--memory-limit:Ends with exit code 4 once the process holds so many MiB of memory beside mapped files'
        '--no-sandbox:Gives up nothing'
        '--depth:Shows N levels of the tree below the root'
        '--node-data:Writes the values of nodes for Model Explorer, as node data: multiply-adds, the microseconds of a profile, or the error that nodes add'
        '--tolerance:Accepts differences up to X times the largest element of a tensor'
        '--onnxruntime:Names the library of ONNX Runtime, libonnxruntime.so'
        '--html:Writes a page for browsers: modules, coloured by their error, and nodes'
        '--sizes:Runs at these sizes alone: batch=2,sequence=128'
        '--save:Writes what modules return to a new folder: an .npz for each, with the tensors of both models in all runs, and index.json'
        '--values:Takes the tensors of the second model from a file, by name, such as those that another runtime computed for the first'
        '--level:Optimises B in ONNX Runtime at this level, up to 3'
        '--memory:Keeps about so many MiB of tensors at a time; the models run once for each slice'
        '--json:Prints one JSON object instead of text, or writes it to FILE beside the text'
        '--color:Uses colour always, which is meant without WHEN; never; or auto, on a terminal alone and not with NO_COLOR'
        '--quiet:Prints errors alone: no notes, no progress'
        '--verbose:Prints progress even if stderr is not a terminal'
        '--version:Prints the versions of htp-trace and libtorch'
        '--help:Prints this text; with --json, all commands and options as one JSON object'
        '--opset:Sets the ONNX opset, 17 to 23'
        '--input:Specifies one argument: ids:int64[2,8]'
        '--inputs:Specifies inputs by a JSON file, {"ids": "int64[batch=2,8]"}, or by the arrays of a numpy.savez() file'
        '--method:Exports another method, such as one with @torch.jit.export'
        '--module:Exports this module alone'
        '--model:Takes this model of an archive of torch.export that holds several'
        '--static:Keeps the sizes of inputs that were not given: no axis is dynamic'
        '--eval:Exports a model that was saved in training mode as after eval(): no dropout, running statistics for norms'
        '--freeze-state:Exports no state: every call does what the first one does'
        '--untie:Stores a weight that is read in several layouts once for each, such as an embedding that is also the output layer'
        '--no-fold:Keeps norms apart from the convolutions and linear layers before them, and arithmetic on weights in the graph'
        '--libtorch:Names the libtorch that reads TorchScript: the folder of a torch package of Python, of a libtorch distribution, or a prefix such as /usr'
        '--load-library:Loads a library that registers operators, as torch.ops.load_library() does'
        '--custom-op:Lowers operator NS::NAME to OP of an ONNX domain'
        '--include-torch-nn:Makes classes of torch.nn part of tags'
        ) ;;
    quality) options=(
        '--limit:Raises or lowers a limit of what a model may cost: code-bytes, code-operations, code-values, code-exits, class-members, program-bytes, program-values, inputs, steps, call-depth, operators, values, elements, characters, text-work, known-bytes, restored-elements, nodes, names, node-fields, name-bytes, constant-bytes, repeated-bytes, all of which docs/LIMITS.md lists with their defaults'
        '--time-limit:Ends with exit code 4 once a model has taken so many seconds'
        '--memory-limit:Ends with exit code 4 once the process holds so many MiB of memory beside mapped files'
        '--no-sandbox:Gives up nothing'
        '--reference:Says where nodes ran: the PyTorch model, which is exported again and whose calls are followed independently, or the sidecar of an export'
        '--against:Also measures this model, judged by the first'
        '--profile:Adds the milliseconds of modules from an ONNX Runtime profile'
        '--node-data:Writes how many metrics found a problem of each node, as Model Explorer'\''s node data'
        '--csv:Writes a row for each metric of each model, depth, layer and member'
        '--html:Writes a page for browsers: modules, layers, nodes'
        '--sidecar:Puts the numbers into the model'\''s sidecar, and writes one if there is none'
        '--fail-under:Exits with 6 if a metric is worse than VALUE percent, or n/a'
        '--json:Prints one JSON object instead of text, or writes it to FILE beside the text'
        '--color:Uses colour always, which is meant without WHEN; never; or auto, on a terminal alone and not with NO_COLOR'
        '--quiet:Prints errors alone: no notes, no progress'
        '--verbose:Prints all layers and all nodes with problems'
        '--version:Prints the versions of htp-trace and libtorch'
        '--help:Prints this text; with --json, all commands and options as one JSON object'
        '--opset:Sets the ONNX opset, 17 to 23'
        '--input:Specifies one argument: ids:int64[2,8]'
        '--inputs:Specifies inputs by a JSON file, {"ids": "int64[batch=2,8]"}, or by the arrays of a numpy.savez() file'
        '--method:Exports another method, such as one with @torch.jit.export'
        '--module:Exports this module alone'
        '--model:Takes this model of an archive of torch.export that holds several'
        '--static:Keeps the sizes of inputs that were not given: no axis is dynamic'
        '--eval:Exports a model that was saved in training mode as after eval(): no dropout, running statistics for norms'
        '--freeze-state:Exports no state: every call does what the first one does'
        '--libtorch:Names the libtorch that reads TorchScript: the folder of a torch package of Python, of a libtorch distribution, or a prefix such as /usr'
        '--load-library:Loads a library that registers operators, as torch.ops.load_library() does'
        '--custom-op:Lowers operator NS::NAME to OP of an ONNX domain'
        ) ;;
    strip) options=(
        '--out:Writes the model to FILE, complete or not at all'
        '--limit:Raises or lowers a limit of what a model may cost: code-bytes, code-operations, code-values, code-exits, class-members, program-bytes, program-values, inputs, steps, call-depth, operators, values, elements, characters, text-work, known-bytes, restored-elements, nodes, names, node-fields, name-bytes, constant-bytes, repeated-bytes, all of which docs/LIMITS.md lists with their defaults'
        '--time-limit:Ends with exit code 4 once a model has taken so many seconds'
        '--memory-limit:Ends with exit code 4 once the process holds so many MiB of memory beside mapped files'
        '--no-sandbox:Gives up nothing'
        '--keep:Keeps tags in these places: attribute, metadata, doc-string, layer-ann'
        '--json:Prints one JSON object instead of text, or writes it to FILE beside the text'
        '--color:Uses colour always, which is meant without WHEN; never; or auto, on a terminal alone and not with NO_COLOR'
        '--quiet:Prints errors alone: no notes, no progress'
        '--verbose:Prints progress even if stderr is not a terminal'
        '--version:Prints the versions of htp-trace and libtorch'
        '--help:Prints this text; with --json, all commands and options as one JSON object'
        ) ;;
    retag) options=(
        '--out:Writes the model to FILE, complete or not at all'
        '--limit:Raises or lowers a limit of what a model may cost: code-bytes, code-operations, code-values, code-exits, class-members, program-bytes, program-values, inputs, steps, call-depth, operators, values, elements, characters, text-work, known-bytes, restored-elements, nodes, names, node-fields, name-bytes, constant-bytes, repeated-bytes, all of which docs/LIMITS.md lists with their defaults'
        '--time-limit:Ends with exit code 4 once a model has taken so many seconds'
        '--memory-limit:Ends with exit code 4 once the process holds so many MiB of memory beside mapped files'
        '--no-sandbox:Gives up nothing'
        '--like:Names the tagged model that the other one was made from'
        '--json:Prints one JSON object instead of text, or writes it to FILE beside the text'
        '--color:Uses colour always, which is meant without WHEN; never; or auto, on a terminal alone and not with NO_COLOR'
        '--quiet:Prints errors alone: no notes, no progress'
        '--verbose:Prints progress even if stderr is not a terminal'
        '--version:Prints the versions of htp-trace and libtorch'
        '--help:Prints this text; with --json, all commands and options as one JSON object'
        ) ;;
    inline) options=(
        '--out:Writes the model to FILE, complete or not at all'
        '--limit:Raises or lowers a limit of what a model may cost: code-bytes, code-operations, code-values, code-exits, class-members, program-bytes, program-values, inputs, steps, call-depth, operators, values, elements, characters, text-work, known-bytes, restored-elements, nodes, names, node-fields, name-bytes, constant-bytes, repeated-bytes, all of which docs/LIMITS.md lists with their defaults'
        '--time-limit:Ends with exit code 4 once a model has taken so many seconds'
        '--memory-limit:Ends with exit code 4 once the process holds so many MiB of memory beside mapped files'
        '--no-sandbox:Gives up nothing'
        '--json:Prints one JSON object instead of text, or writes it to FILE beside the text'
        '--color:Uses colour always, which is meant without WHEN; never; or auto, on a terminal alone and not with NO_COLOR'
        '--quiet:Prints errors alone: no notes, no progress'
        '--verbose:Prints progress even if stderr is not a terminal'
        '--version:Prints the versions of htp-trace and libtorch'
        '--help:Prints this text; with --json, all commands and options as one JSON object'
        ) ;;
    sidecar) options=(
        '--out:Writes the document to FILE'
        '--limit:Raises or lowers a limit of what a model may cost: code-bytes, code-operations, code-values, code-exits, class-members, program-bytes, program-values, inputs, steps, call-depth, operators, values, elements, characters, text-work, known-bytes, restored-elements, nodes, names, node-fields, name-bytes, constant-bytes, repeated-bytes, all of which docs/LIMITS.md lists with their defaults'
        '--time-limit:Ends with exit code 4 once a model has taken so many seconds'
        '--memory-limit:Ends with exit code 4 once the process holds so many MiB of memory beside mapped files'
        '--no-sandbox:Gives up nothing'
        '--json:Prints one JSON object instead of text, or writes it to FILE beside the text'
        '--color:Uses colour always, which is meant without WHEN; never; or auto, on a terminal alone and not with NO_COLOR'
        '--quiet:Prints errors alone: no notes, no progress'
        '--verbose:Prints progress even if stderr is not a terminal'
        '--version:Prints the versions of htp-trace and libtorch'
        '--help:Prints this text; with --json, all commands and options as one JSON object'
        ) ;;
    graph) options=(
        '--out:Writes the drawing to FILE, in the format that its name ends with'
        '--limit:Raises or lowers a limit of what a model may cost: code-bytes, code-operations, code-values, code-exits, class-members, program-bytes, program-values, inputs, steps, call-depth, operators, values, elements, characters, text-work, known-bytes, restored-elements, nodes, names, node-fields, name-bytes, constant-bytes, repeated-bytes, all of which docs/LIMITS.md lists with their defaults'
        '--time-limit:Ends with exit code 4 once a model has taken so many seconds'
        '--memory-limit:Ends with exit code 4 once the process holds so many MiB of memory beside mapped files'
        '--no-sandbox:Gives up nothing'
        '--module:Draws these modules alone'
        '--own:Takes these modules without those below them'
        '--depth:Draws modules N levels down as one box each'
        '--color-by:Colours boxes by cost, their multiply-adds; by time, that of their kernels in --profile; by quality, the problems that its metrics find; or by error, what they add in the report of --verify'
        '--verify:Names the report of verify --json for error'
        '--profile:Names the ONNX Runtime profile for time'
        '--sizes:Gives the axes sizes, so that costs are numbers: batch=1,sequence=128'
        '--format:Writes dot, graphml, mermaid, or svg, which graphviz draws'
        '--optimized:Names the optimised model (optimized_model_filepath), through which fused kernels are traced back'
        '--json:Prints one JSON object instead of text, or writes it to FILE beside the text'
        '--color:Uses colour always, which is meant without WHEN; never; or auto, on a terminal alone and not with NO_COLOR'
        '--quiet:Prints errors alone: no notes, no progress'
        '--verbose:Prints progress even if stderr is not a terminal'
        '--version:Prints the versions of htp-trace and libtorch'
        '--help:Prints this text; with --json, all commands and options as one JSON object'
        ) ;;
    profile) options=(
        '--limit:Raises or lowers a limit of what a model may cost: code-bytes, code-operations, code-values, code-exits, class-members, program-bytes, program-values, inputs, steps, call-depth, operators, values, elements, characters, text-work, known-bytes, restored-elements, nodes, names, node-fields, name-bytes, constant-bytes, repeated-bytes, all of which docs/LIMITS.md lists with their defaults'
        '--time-limit:Ends with exit code 4 once a model has taken so many seconds'
        '--memory-limit:Ends with exit code 4 once the process holds so many MiB of memory beside mapped files'
        '--no-sandbox:Gives up nothing'
        '--module:Lists the kernels of these modules, the longest first'
        '--own:Takes these modules without those below them'
        '--depth:Shows N levels of the tree below the root'
        '--node-data:Writes the values of nodes for Model Explorer, as node data: multiply-adds, the microseconds of a profile, or the error that nodes add'
        '--sizes:Gives the axes sizes, so that costs are numbers: batch=1,sequence=128'
        '--optimized:Names the optimised model (optimized_model_filepath), through which fused kernels are traced back'
        '--json:Prints one JSON object instead of text, or writes it to FILE beside the text'
        '--color:Uses colour always, which is meant without WHEN; never; or auto, on a terminal alone and not with NO_COLOR'
        '--quiet:Prints errors alone: no notes, no progress'
        '--verbose:Prints progress even if stderr is not a terminal'
        '--version:Prints the versions of htp-trace and libtorch'
        '--help:Prints this text; with --json, all commands and options as one JSON object'
        ) ;;
    ops) options=(
        '--version:Prints the versions of htp-trace and libtorch'
        '--help:Prints this text; with --json, all commands and options as one JSON object'
        ) ;;
    esac
    _describe -o option options
}

_htp_trace "$@"
