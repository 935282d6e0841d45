#include "cli/command_help.h"

#include <stddef.h>

static const htp_cli_command_help helps[] = {
    {HTP_CLI_INSPECT,
     "inspect MODEL.onnx [--depth N] [--module ADDRESS] [--json]\n"
     "       htp-trace inspect MODEL.pt [--json]",
     "What there is to know of a model. Of an ONNX model its module tree, with nodes, parameters "
     "and\n"
     "sizes: of our tags, or of what PyTorch's exporters leave in a file, or of a sidecar beside "
     "it.\n"
     "libtorch is not needed. Of a TorchScript model what an export would do: the method's "
     "signature,\n"
     "the inputs that it would assume, modules with their parameters, and the operators that the "
     "code\n"
     "names, those marked that no export supports. Nothing is run but what __setstate__ computes.\n"
     "\n"
     "  --depth N             levels of the tree below the root\n"
     "  --module ADDRESS      of these modules instead: what crosses their border, where it comes "
     "from\n"
     "                        and goes to, their nodes with source lines, their weights;\n"
     "                        of a TorchScript model the module that an export would take\n"
     "  --own                 these modules themselves, without those below them\n"
     "  --json                one JSON object\n",
     true},
    {HTP_CLI_SELECT, "select MODEL.onnx --module ADDRESS [options]",
     "The names of the nodes of some modules, one a line.\n"
     "\n"
     "  --module ADDRESS      these modules; may be repeated\n"
     "  --except ADDRESS      leaves these out; may be repeated\n"
     "  --op GLOB             nodes of these op types alone: MatMul, 'Conv*'\n"
     "  --own                 these modules themselves, without those below them\n"
     "  --weights             the initializers that these nodes read\n"
     "  --format FORMAT       names; json; ort-exclude: nodes_to_exclude of "
     "onnxruntime.quantization;\n"
     "                        trtexec: --layerPrecisions=... for TensorRT\n"
     "  --precision P         of trtexec (default fp32)\n",
     true},
    {HTP_CLI_EXTRACT, "extract MODEL.onnx --module ADDRESS --out PART.onnx [options]",
     "Some modules as a model: what crosses their border are its inputs and outputs; names, types "
     "and\n"
     "tags stay those of the whole. A node that serves several modules belongs to the first.\n"
     "\n"
     "  --module ADDRESS      these modules; may be repeated\n"
     "  --except ADDRESS      leaves these out; may be repeated\n"
     "  --own                 these modules themselves, without those below them\n"
     "  --call N              one call of a module that runs several times, from 0 on\n"
     "  --out FILE            where the model goes\n"
     "  --external-data WHEN  weights in FILE.data beside it: auto (over 2 GiB), always, never\n"
     "  --json                one JSON object\n",
     true},
    {HTP_CLI_SPLIT, "split MODEL.onnx --at ADDRESS|--depth N --out-dir DIR [options]",
     "Some modules as parts that follow each other, and so what lies between them. DIR, new or "
     "empty,\n"
     "gets index.json as well: parts, files, inputs and outputs.\n"
     "\n"
     "  --at ADDRESS          these modules; may be repeated\n"
     "  --depth N             the modules at this level of the tree instead\n"
     "  --out-dir DIR         where the parts go\n"
     "  --share-weights       large weights go to one file, weights.data, and to no part\n"
     "  --external-data WHEN  weights of each part beside it: auto (over 2 GiB), always, never\n"
     "  --json                one JSON object\n",
     true},
    {HTP_CLI_VALIDATE, "validate MODEL.onnx... [--sidecar [FILE.json]] [--json]",
     "What is wrong with a model, one finding a line: its structure; operators, operands and "
     "attributes\n"
     "that its opset does not have; types and dims that cannot meet; and what it says of modules, "
     "where\n"
     "it has tags of ours.\n"
     "\n"
     "  --sidecar [FILE.json] and where its sidecar says otherwise (default MODEL_hierarchy.json)\n"
     "  --json                one JSON object\n",
     false},
    {HTP_CLI_COMPARE, "compare A.onnx B.onnx [--json]",
     "How two models differ, by their structure and not by names: which nodes correspond and which "
     "do\n"
     "not, operators, modules, constants, metadata, and where tags of corresponding nodes "
     "disagree.\n"
     "\n"
     "  --json                one JSON object\n",
     false},
    {HTP_CLI_STRIP, "strip MODEL.onnx --out FILE.onnx [--keep LIST]",
     "The model without what tells of modules; all else keeps its bytes.\n"
     "\n"
     "  --out FILE            where the model goes\n"
     "  --keep LIST           tags that stay: attribute, metadata, doc-string, layer-ann. With "
     "metadata\n"
     "                        alone, for programs that take no unknown attribute, tags of "
     "attributes\n"
     "                        go there\n",
     false},
    {HTP_CLI_RETAG, "retag CHANGED.onnx --like TAGGED.onnx --out FILE.onnx [--json]",
     "What an optimiser, a quantiser or a converter made of a model, with the model's tags: by "
     "what "
     "it\n"
     "kept of them, by names of nodes and tensors, by structure; a new node by what it reads and "
     "feeds.\n"
     "The metadata htp.retagged of a node say by what, where its tag was lost.\n"
     "\n"
     "  --like FILE           the model that it was made of, with tags\n"
     "  --out FILE            where the model goes\n"
     "  --json                one JSON object, with the nodes whose tag was lost\n",
     false},
    {HTP_CLI_INLINE, "inline MODEL.onnx --out FILE.onnx",
     "The flat model of one with functions: their nodes in the places of calls, under names and "
     "tags of\n"
     "the instance. Of an export with --functions it is the export without, byte for byte.\n"
     "\n"
     "  --out FILE            where the model goes\n",
     false},
    {HTP_CLI_SIDECAR, "sidecar MODEL.onnx [--out FILE.json]",
     "What a model says of its modules, operations and tensors as one JSON document.\n"
     "\n"
     "  --out FILE            where it goes (default MODEL_hierarchy.json)\n",
     false},
    {HTP_CLI_GRAPH,
     "graph MODEL.onnx [--format FORMAT] [--depth N] [--module ADDRESS] [--out FILE]",
     "A picture: modules as nested clusters, dtypes and dims on what flows.\n"
     "\n"
     "  --format FORMAT       dot (the default); graphml; svg, which graphviz draws\n"
     "  --depth N             modules N levels down are one box each\n"
     "  --module ADDRESS      these modules alone\n"
     "  --own                 these modules themselves, without those below them\n"
     "  --out FILE            not to standard output\n",
     true},
    {HTP_CLI_PROFILE, "profile PROFILE.json MODEL.onnx [options]",
     "A profile of ONNX Runtime as milliseconds of modules: with those below them and own, share, "
     "calls\n"
     "of kernels.\n"
     "\n"
     "  --optimized FILE      the optimised model (optimized_model_filepath): what fusion renamed\n"
     "  --depth N             levels of the tree below the root\n"
     "  --module ADDRESS      the kernels of these modules, the longest first\n"
     "  --own                 these modules themselves, without those below them\n"
     "  --json                one JSON object\n",
     true},
    {HTP_CLI_QUALITY, "quality MODEL.onnx... [options]",
     "How good the tags of models are, whoever wrote them: of the whole, of each depth of the "
     "module\n"
     "tree, and of each layer. What cannot be known is n/a, with the reason.\n"
     "\n"
     "  --reference FILE      where nodes ran: the TorchScript model, which is exported anew and\n"
     "                        followed on another path, or the sidecar of an export\n"
     "  --input, --inputs, --method, --module, --opset, --static, --eval, --load-library,\n"
     "  --custom-op           how such a TorchScript model is exported, as htp-trace takes them\n"
     "  --against FILE        measures this model, too, by what is known of the first: nodes are\n"
     "                        matched by structure; may be repeated\n"
     "  --profile FILE        a profile of ONNX Runtime: milliseconds of modules, in JSON\n"
     "  --json FILE           all of it as one JSON object; - is standard output\n"
     "  --csv FILE            a row for each metric of each model, depth, layer and member\n"
     "  --html FILE           a page for browsers: modules, layers, nodes; it loads nothing\n"
     "  --sidecar [FILE.json] puts the numbers into the model's sidecar (default "
     "MODEL_hierarchy.json),\n"
     "                        which is written where there is none\n"
     "  --fail-under METRIC=VALUE\n"
     "                        exit code 6 where a metric is worse than so many percent, or n/a;\n"
     "                        may be repeated\n"
     "  --verbose             all layers and all nodes with problems\n"
     "\n"
     "Metrics, best at 100 %: coverage, specificity, scope, tensors, weights, cohesion, "
     "separation,\n"
     "injectivity, consistency; best at 0 %: contamination.weights, contamination.calls,\n"
     "contamination.structure, and contamination for those of the three that apply.\n",
     false},
    {HTP_CLI_OPERATORS, "ops",
     "The operators that can be exported, one a line; the in-place variant of a listed one (add_ "
     "of add)\n"
     "can be, too.\n",
     false},
};

const htp_cli_command_help *htp_cli_help_of(htp_cli_command command)
{
    for (size_t i = 0; i < sizeof(helps) / sizeof(helps[0]); i++) {
        if (helps[i].command == command) {
            return &helps[i];
        }
    }
    return NULL;
}
