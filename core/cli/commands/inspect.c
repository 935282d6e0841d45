#include "base/status.h"
#include "cli/commands/commands.h"
#include "cli/terminal/print.h"
#include "cli/terminal/signals.h"

static htp_status inspect_onnx(const htp_cli_arguments *arguments, const char *path, char **text,
                               char **json)
{
    htp_model *model = NULL;
    htp_cli_signals_asking();
    htp_status status = htp_model_open(path, &model);
    if (!status) {
        htp_inspect_options options;
        htp_inspect_options_init(&options);
        options.module = arguments->modules[0];
        options.own = arguments->selection.own;
        options.depth = arguments->depth;
        status = htp_model_inspect(model, &options, text, json);
    }
    htp_model_free(model);
    return status;
}

static htp_status inspect_torchscript(const htp_cli_arguments *arguments, const char *path,
                                      const htp_options *options, char **text, char **json)
{
    if (arguments->depth >= 0 || arguments->selection.own) {
        return htp_status_make(HTP_CODE_USAGE,
                               "%s: --depth and --own are for ONNX models, and this is none", path);
    }
    return htp_inspect(path, options, text, json);
}

htp_status htp_cli_inspect(const htp_cli_arguments *arguments, const char *model,
                           const htp_options *options)
{
    char *result = NULL;
    char **text = arguments->json ? NULL : &result;
    char **json = arguments->json ? &result : NULL;
    htp_status status = htp_file_find_kind(model) == HTP_FILE_ONNX
                            ? inspect_onnx(arguments, model, text, json)
                            : inspect_torchscript(arguments, model, options, text, json);
    htp_cli_print_answer(status, result, arguments->json);
    return status;
}
