#include "cli/command_help.h"
#include "cli/commands.h"

#include "cli/print.h"

/* In pieces: C99 compilers need not take longer strings. */
static const char exports[] =
    "htp-trace turns TorchScript models into ONNX models in which every node says which\n"
    "nn.Module of the original model it belongs to.\n"
    "\n"
    "usage: htp-trace MODEL.pt --out MODEL.onnx [options]\n"
    "       htp-trace A.pt B.pt ... --out-dir DIR [options]\n"
    "       htp-trace MODEL.pt --dump-graph\n"
    "       htp-trace COMMAND FILE [options]\n"
    "       htp-trace COMMAND --help\n"
    "\n"
    "commands\n"
    "  inspect               what there is to know of a TorchScript or ONNX model\n"
    "  select                names of the nodes or weights of some modules\n"
    "  extract               some modules as a model of their own\n"
    "  split                 a model as parts that follow each other\n"
    "  validate              what is wrong with a model and with its tags\n"
    "  compare               how two models differ, by structure\n"
    "  strip                 the model without its tags\n"
    "  retag                 what another program made of a model, with the model's tags\n"
    "  inline                the flat model of one with functions\n"
    "  sidecar               what a model says of its modules, as JSON\n"
    "  graph                 a picture, modules as nested clusters\n"
    "  profile               how long modules ran in ONNX Runtime\n"
    "  quality               how good tags are, per model, depth and layer\n"
    "  ops                   the operators that can be exported, one a line; the in-place\n"
    "                        variant of a listed one (add_ of add) can be, too\n"
    "\n"
    "A model is a file made by torch.jit.trace(...).save(...) or torch.jit.script(...).save(...).\n"
    "\n"
    "output\n"
    "  --out FILE            write the ONNX model to FILE\n"
    "  --out-dir DIR         write each model to DIR under its own name with .onnx; goes on past "
    "a\n"
    "                        model that fails\n"
    "  --opset N             ONNX opset, 17 to 23 (default: the lowest from 18 on that it needs)\n"
    "  --ir-version N        a later ONNX IR version than the lowest that goes with the opset and\n"
    "                        the types (17, 18: 8; 19, 20: 9; 21, 22: 10; 23: 11); runtimes "
    "refuse\n"
    "                        later ones than they know\n"
    "  --functions [SELECTORS]\n"
    "                        calls of these modules are calls of ONNX functions, see below\n"
    "  --functions-per WHAT  body (the default): modules with equal bodies share a function;\n"
    "                        instance: each module has one of its own\n"
    "  --sidecar [FILE.json] what there is to know of modules, operations and tensors, as JSON\n"
    "                        beside the model (default MODEL_hierarchy.json)\n"
    "  --external-data WHEN  weights in FILE.data beside the model: auto (over 2 GiB), always, "
    "never.\n"
    "                        In FILE.1.data where the model that is replaced has its weights in\n"
    "                        FILE.data: that goes when the new model is in its place\n"
    "\n";

static const char inputs[] =
    "inputs of forward()\n"
    "  --input NAME:DTYPE[DIMS]\n"
    "                        one argument, to be repeated: --input 'ids:int64[2,8]'. A dim "
    "written\n"
    "                        as batch=2 is dynamic, and its axis is called batch. A formula of\n"
    "                        such axes is a dim, too: 'mask:int64[batch,past+sequence]'. Numbers "
    "are\n"
    "                        steps:int=3, scale:float=0.5, causal:bool=true; steps:int without a "
    "value\n"
    "                        stays an input of the model, a scalar: int64, float64 or bool.\n"
    "                        Without a name, inputs go by position: ':float32[1,3,224,224]'.\n"
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
    "  --module PATH         this module of the model as a model of its own; tags and names of\n"
    "                        weights begin as in the whole. \"inspect\" lists the paths\n"
    "  Without either, inputs are taken from the archive (htp_inputs.json, bundled inputs,\n"
    "  or those it was traced with) or derived from the graph; what was assumed is printed.\n"
    "  Every axis of such inputs that the model does not fix is dynamic, but for the extra file.\n"
    "  --static              they keep their sizes: no axis is dynamic\n"
    "\n"
    "training mode\n"
    "  --eval                a model that was saved in training mode is exported as after eval():\n"
    "                        nothing is dropped, norms use their running statistics. Traced "
    "files,\n"
    "                        too: but a branch on self.training was taken when they were made\n"
    "\n";

static const char the_rest[] =
    "state: attributes that a call changes and the next one reads\n"
    "  They are inputs state.NAME and outputs state.NAME.next of the model; what the first call "
    "is\n"
    "  given is printed. Each call is given what the one before gave.\n"
    "  --state-out FILE.npz  writes what the first call is given, as numpy.savez() does\n"
    "  --state-defaults      the inputs have it as defaults, which ONNX Runtime hides and others "
    "take\n"
    "                        for constants\n"
    "  --freeze-state        none of it: each call does what the first one does\n"
    "\n"
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
    "modules as ONNX functions\n"
    "  SELECTORS are separated by commas. One is an ADDRESS of modules (htp-trace select --help), "
    "as\n"
    "  BertLayer, torch.nn.LayerNorm, 'encoder.layer.*', and means these modules themselves; or\n"
    "  depth=N, the modules that have N modules with tags above them. %2C is a comma in a name.\n"
    "  Without any, every module that is called and whose class is not torch.nn's. A word behind\n"
    "  the option is its SELECTORS unless it is an option or a file; --functions=SELECTORS always\n"
    "  is. Given several times, all of them count.\n"
    "\n"
    "weights\n"
    "  They are written as their readers take them: transposed for products of matrices.\n"
    "  --untie               one that is read in several layouts, as an embedding that is the "
    "output\n"
    "                        layer, too, is written in each; otherwise it is stored once, and\n"
    "                        quantisers pass over the product behind its Transpose\n"
    "  --no-fold             norms stay apart from the convolutions and linear layers that they\n"
    "                        follow, and what is computed of weights alone stays in the graph\n"
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

static const char exit_codes[] =
    "exit codes (of several models: that of the first failure)\n"
    "  0    done\n"
    "  1    internal error, or libhtp-shim.so, libtorch or graphviz is missing\n"
    "  2    wrong usage, inputs that do not fit the model, an ADDRESS that names nothing, or what\n"
    "       cannot be cut out alone\n"
    "  3    a file that is not readable, or not what it should be\n"
    "  4    an operator or construct that cannot be exported\n"
    "  5    the output cannot be written\n"
    "  6    validate or compare looked, and found something; quality, what is worse than it may "
    "be\n"
    "  130  interrupted\n";

static const char environment[] =
    "\n"
    "environment\n"
    "  HTP_SHIM              path of libhtp-shim.so, the part that needs libtorch\n";

static const char addresses[] =
    "\n"
    "An ADDRESS is a tag (/BertModel/BertEncoder/BertLayer.0), the end of one\n"
    "(BertEncoder/BertLayer.0), an attribute path (encoder.layer.0), a class (BertLayer, or\n"
    "torch.nn.LayerNorm: behind a beginning of its package) or a segment (BertLayer.0). * is any\n"
    "part of a segment, ** any number of segments. It means these modules and all below them.\n";

int htp_cli_help(htp_cli_command about)
{
    const htp_cli_command_help *help = htp_cli_help_of(about);
    if (help) {
        (void)printf("usage: htp-trace %s\n\n%s", help->usage, help->text);
        (void)fputs(help->takes_addresses ? addresses : "", stdout);
        (void)printf("\n%s", exit_codes);
    } else {
        (void)fputs(exports, stdout);
        (void)fputs(inputs, stdout);
        (void)fputs(the_rest, stdout);
        (void)fputs(exit_codes, stdout);
        (void)fputs(environment, stdout);
    }
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
