#include "cli/commands.h"

#include "cli/print.h"

/* In pieces: C99 compilers need not take longer strings. */
static const char help_of_exports[] =
    "htp-trace turns TorchScript models into ONNX models in which every node says which\n"
    "nn.Module of the original model it belongs to.\n"
    "\n"
    "usage: htp-trace MODEL.pt --out MODEL.onnx [options]\n"
    "       htp-trace A.pt B.pt ... --out-dir DIR [options]\n"
    "       htp-trace inspect MODEL.pt|MODEL.onnx [--json]\n"
    "       htp-trace select MODEL.onnx --module ADDRESS [options]\n"
    "       htp-trace strip MODEL.onnx --out FILE.onnx\n"
    "       htp-trace graph MODEL.onnx --format svg --out FILE.svg\n"
    "       htp-trace profile PROFILE.json MODEL.onnx\n"
    "       htp-trace validate MODEL.onnx\n"
    "       htp-trace compare A.onnx B.onnx [--json]\n"
    "       htp-trace sidecar MODEL.onnx [--out FILE.json]\n"
    "       htp-trace extract MODEL.onnx --module ADDRESS --out PART.onnx\n"
    "       htp-trace split MODEL.onnx --at ADDRESS|--depth N --out-dir DIR\n"
    "       htp-trace MODEL.pt --dump-graph\n"
    "       htp-trace ops\n"
    "\n"
    "A model is a file made by torch.jit.trace(...).save(...) or torch.jit.script(...).save(...).\n"
    "\n"
    "output\n"
    "  --out FILE            write the ONNX model to FILE\n"
    "  --out-dir DIR         write each model to DIR under its own name with .onnx; goes on past "
    "a\n"
    "                        model that fails\n"
    "  --opset N             ONNX opset, 17 to 23 (default 18)\n"
    "  --sidecar [FILE.json] what there is to know of modules, operations and tensors, as JSON\n"
    "                        beside the model (default MODEL_hierarchy.json)\n"
    "  --external-data WHEN  weights in FILE.data beside the model: auto (over 2 GiB), always, "
    "never.\n"
    "                        In FILE.1.data where the model that is replaced has its weights in\n"
    "                        FILE.data: that goes when the new model is in its place\n"
    "\n"
    "inputs of forward()\n"
    "  --input NAME:DTYPE[DIMS]\n"
    "                        one argument, to be repeated: --input 'ids:int64[2,8]'. A dim "
    "written\n"
    "                        as batch=2 is dynamic, and its axis is called batch. Numbers are\n"
    "                        steps:int=3, scale:float=0.5, causal:bool=true. Without a name, "
    "inputs\n"
    "                        go by position: --input ':float32[1,3,224,224]'.\n"
    "                        Parts of tuples, lists and dicts have names with dots:\n"
    "                        past.0:float32[2,8], features.image:uint8[3,8,8]; the length of a\n"
    "                        list and the keys of a dict are those that are given, x:[] is empty.\n"
    "                        ids:@FILE.npy takes dtype and dims from a NumPy file.\n"
    "                        =VALUE behind the dims (0, 1, arange, @FILE.npy) is checked, but\n"
    "                        changes nothing: a model holds for whatever its inputs hold.\n"
    "  --inputs FILE.json    the same from a file: {\"ids\": \"int64[batch=2,8]\"} or\n"
    "                        {\"ids\": {\"dtype\": \"int64\", \"shape\": [{\"batch\": 2}, 8]}};\n"
    "                        parts nested as they are: {\"past\": [\"float32[2,8]\"]}\n"
    "  --inputs FILE.npz     dtypes and dims of the arrays in a file of numpy.savez()\n"
    "  --method NAME         another method of the model than forward(), such as one with\n"
    "                        @torch.jit.export\n"
    "  Without either, inputs are taken from the archive (htp_inputs.json, bundled inputs,\n"
    "  or those it was traced with) or derived from the graph; what was assumed is printed.\n"
    "  Every axis of such inputs that the model does not fix is dynamic, but for the extra file.\n"
    "  --static              they keep their sizes: no axis is dynamic\n"
    "\n";

static const char help_of_the_rest[] =
    "operators that are not PyTorch's own\n"
    "  --load-library FILE.so\n"
    "                        opens a library that registers operators, as\n"
    "                        torch.ops.load_library() does; may be repeated. Its code runs.\n"
    "  --custom-op NS::NAME=DOMAIN:OP\n"
    "                        writes operator NS::NAME as OP of an ONNX domain; may be repeated.\n"
    "                        DOMAIN@2:OP asks for version 2 of the domain; 1 if left out.\n"
    "                        Tensors are inputs, constants are attributes named as in the schema.\n"
    "\n"
    "tags\n"
    "  --tags LIST           where tags are written: attribute, metadata, doc-string, layer-ann\n"
    "                        (by which ONNX Runtime places layers on devices), or none\n"
    "                        (default attribute,metadata)\n"
    "  --tag-attribute-prefix PREFIX\n"
    "                        what tag attributes begin with (default __); checkers refuse names\n"
    "                        that begin otherwise\n"
    "  --include-torch-nn    classes of torch.nn are part of tags, too\n"
    "\n"
    "what is printed\n"
    "  --print-tree          after the export, the module tree with node counts\n"
    "  --json                a JSON object on one line for each model\n"
    "  --dump-graph          only the graph before it becomes ONNX: types, scopes, source lines\n"
    "  --dump-after PASS     the same after a pass: trace, aliases, constants or dead-code\n"
    "  --quiet               no notes, no progress: only errors\n"
    "  --verbose             progress even where stderr is no terminal, and what fixes the axes\n"
    "                        that are not dynamic\n"
    "  --version             versions of htp-trace and of libtorch\n"
    "  --help                this text\n"
    "  Results go to stdout, everything else to stderr. NO_COLOR turns colour off.\n"
    "\n";

static const char help_of_commands[] =
    "commands\n"
    "  inspect MODEL.pt      what there is to know before an export: the method's signature, the\n"
    "                        inputs that it would assume, modules with their parameters, and the\n"
    "                        operators that the code names, those marked that no export supports.\n"
    "                        Nothing is run but what __setstate__ computes. --json: one object\n"
    "  inspect MODEL.onnx    its module tree, with nodes, parameters and sizes: of our tags, or "
    "of\n"
    "                        what PyTorch's exporters leave in a file. libtorch is not needed\n"
    "    --depth N           levels of the tree below the root\n"
    "    --module ADDRESS    of these modules instead: what crosses their border, where it comes\n"
    "                        from and goes to, their nodes with source lines, their weights\n"
    "  select MODEL.onnx --module ADDRESS\n"
    "                        the names of the nodes of these modules, one a line; may be repeated\n"
    "    --except ADDRESS    leaves these out; may be repeated\n"
    "    --op GLOB           nodes of these op types alone: MatMul, 'Conv*'\n"
    "    --own               these modules themselves, without those below them\n"
    "    --weights           the initializers that these nodes read\n"
    "    --format FORMAT     names; json; ort-exclude: nodes_to_exclude of\n"
    "                        onnxruntime.quantization; trtexec: --layerPrecisions=... for\n"
    "                        TensorRT, with --precision P (default fp32)\n"
    "  strip MODEL.onnx --out FILE.onnx\n"
    "                        the model without what tells of modules; all else keeps its bytes\n"
    "  validate MODEL.onnx   what is wrong with a model, one finding a line: its structure, and\n"
    "                        what it says of modules, where it has tags of ours\n"
    "    --sidecar [FILE.json]\n"
    "                        and where its sidecar says otherwise (default MODEL_hierarchy.json)\n"
    "  compare A.onnx B.onnx how two models differ, by their structure and not by names: which\n"
    "                        nodes correspond and which do not, operators, modules, constants,\n"
    "                        metadata, and where tags of corresponding nodes disagree\n"
    "  sidecar MODEL.onnx    writes the sidecar of a model to --out FILE.json\n"
    "                        (default MODEL_hierarchy.json)\n";

static const char help_of_more_commands[] =
    "  graph MODEL.onnx      a picture: modules as nested clusters, dtypes and dims on what flows\n"
    "    --format FORMAT     dot (the default), graphml; svg, which graphviz draws\n"
    "    --depth N           modules N levels down are one box each\n"
    "    --module ADDRESS    these modules alone; --out FILE: not to standard output\n"
    "  profile PROFILE.json MODEL.onnx\n"
    "                        a profile of ONNX Runtime as milliseconds of modules: with those "
    "below\n"
    "                        them and own, share, calls of kernels; --depth N\n"
    "    --optimized FILE    the optimised model (optimized_model_filepath): what fusion renamed\n"
    "    --module ADDRESS    the kernels of these modules, the longest first\n"
    "  extract MODEL.onnx --module ADDRESS --out PART.onnx\n"
    "                        these modules as a model: what crosses their border are its inputs "
    "and\n"
    "                        outputs; names, types and tags stay those of the whole. A node that\n"
    "                        serves several modules belongs to the first\n"
    "    --except, --own     as for select\n"
    "    --call N            one call of a module that runs several times, from 0 on\n"
    "    --external-data WHEN\n"
    "                        as for an export\n"
    "  split MODEL.onnx --at ADDRESS --out-dir DIR\n"
    "                        these modules as parts that follow each other, and so what lies "
    "between\n"
    "                        them; may be repeated. DIR, new or empty, has index.json as well\n"
    "    --depth N           the modules at this level of the tree instead\n"
    "    --share-weights     large weights go to one file, weights.data, and to no part\n"
    "    --external-data WHEN\n"
    "                        as for an export, of each part\n";

static const char help_of_addresses[] =
    "  An ADDRESS is a tag (/BertModel/BertEncoder/BertLayer.0), the end of one\n"
    "  (BertEncoder/BertLayer.0), an attribute path (encoder.layer.0), a class (BertLayer) or a\n"
    "  segment (BertLayer.0). * is any part of a segment, ** any number of segments. It means\n"
    "  these modules and all below them.\n"
    "  ops                   lists the operators that can be exported, one a line; the in-place\n"
    "                        variant of a listed one (add_ of add) can be, too\n"
    "\n"
    "exit codes (of several models: that of the first failure)\n"
    "  0    done\n"
    "  1    internal error, or libhtp-shim.so or libtorch is missing\n"
    "  2    wrong usage, inputs that do not fit the model, an ADDRESS that names nothing, or what\n"
    "       cannot be cut out alone\n"
    "  3    a model that is not readable, or neither TorchScript nor ONNX\n"
    "  4    an operator or construct that cannot be exported\n"
    "  5    the output cannot be written\n"
    "  6    validate or compare looked, and found something\n"
    "  130  interrupted\n"
    "\n"
    "environment\n"
    "  HTP_SHIM              path of libhtp-shim.so, the part that needs libtorch\n";

int htp_cli_help(void)
{
    (void)fputs(help_of_exports, stdout);
    (void)fputs(help_of_the_rest, stdout);
    (void)fputs(help_of_commands, stdout);
    (void)fputs(help_of_more_commands, stdout);
    (void)fputs(help_of_addresses, stdout);
    return htp_cli_flush_stdout() ? HTP_CODE_OK : HTP_CODE_CANNOT_WRITE;
}

int htp_cli_version(void)
{
    const char *libtorch = NULL;
    htp_status status = htp_libtorch_version(&libtorch);
    (void)printf("htp-trace %s\n", htp_version());
    if (status) {
        (void)printf("libtorch not available: %s\n", htp_status_message(status));
        htp_status_free(status);
    } else {
        (void)printf("libtorch %s\n", libtorch);
    }
    return htp_cli_flush_stdout() ? HTP_CODE_OK : HTP_CODE_CANNOT_WRITE;
}

int htp_cli_operators(void)
{
    for (size_t i = 0; i < htp_operator_count(); i++) {
        (void)puts(htp_operator_name(i));
    }
    return htp_cli_flush_stdout() ? HTP_CODE_OK : HTP_CODE_CANNOT_WRITE;
}
