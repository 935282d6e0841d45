#include "base/status.h"
#include "cli/commands/commands.h"
#include "cli/output/written.h"
#include "cli/terminal/print.h"
#include "cli/terminal/signals.h"

#include <unistd.h>

static htp_status inspect_onnx(htp_model *opened, const htp_cli_arguments *arguments,
                               const htp_write_options *options, char **text, char **json)
{
    htp_inspect_options inspected;
    (void)options;
    htp_inspect_options_init(&inspected);
    inspected.module = arguments->modules[0];
    inspected.own = arguments->selection.own;
    inspected.depth = arguments->depth;
    inspected.cost = arguments->cost;
    inspected.borders = arguments->borders;
    inspected.sizes = arguments->sizes;
    inspected.node_data = arguments->node_data;
    return htp_model_inspect(opened, &inspected, text, json);
}

/* The cost of what an export would write. */
static htp_status inspect_export(const htp_cli_arguments *arguments, const char *path,
                                 const htp_options *options)
{
    htp_model *opened = NULL;
    htp_cli_answer answer;
    htp_cli_answer_begin(&answer, arguments, true);
    htp_options whole = *options;
    whole.module = NULL; /* --module is an address in the exported model */
    htp_status status = htp_model_open_export(path, &whole, &opened);
    if (!status) {
        htp_cli_signals_asking();
        status = inspect_onnx(opened, arguments, NULL, answer.text_place, answer.json_place);
    }
    status = htp_cli_answer_print(&answer, status);
    htp_model_free(opened);
    return status;
}

static htp_status inspect_torchscript(const htp_cli_arguments *arguments, const char *path,
                                      const htp_options *options)
{
    htp_cli_answer answer;
    htp_cli_answer_begin(&answer, arguments, true);
    if (arguments->selection.own && access(path, F_OK) == 0) {
        return htp_status_make(HTP_CODE_USAGE,
                               "%s: --own is for ONNX models, and this is another file", path);
    }
    if (arguments->borders && access(path, F_OK) == 0) {
        return htp_status_make(HTP_CODE_USAGE,
                               "%s: --borders is for ONNX models, and this is another file", path);
    }
    if ((arguments->sizes || arguments->node_data) && access(path, F_OK) == 0) {
        return htp_status_make(HTP_CODE_USAGE, "sizes and node data are for the cost: pass --cost");
    }
    htp_options shown = *options;
    shown.tree_depth = arguments->depth;
    htp_status status = htp_inspect(path, &shown, answer.text_place, answer.json_place);
    return htp_cli_answer_print(&answer, status);
}

htp_status htp_cli_inspect(const htp_cli_arguments *arguments, const char *model,
                           const htp_options *options)
{
    if (htp_file_find_kind(model) == HTP_FILE_ONNX) {
        return htp_cli_ask(arguments, model, NULL, inspect_onnx);
    }
    return arguments->cost ? inspect_export(arguments, model, options)
                           : inspect_torchscript(arguments, model, options);
}
