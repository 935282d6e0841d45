#include "cli/commands/commands.h"
#include "cli/terminal/print.h"
#include "cli/terminal/signals.h"

htp_status htp_cli_extract(const htp_cli_arguments *arguments, const char *model,
                           const htp_write_options *options)
{
    htp_model *opened = NULL;
    char *result = NULL;
    char **text = arguments->json || arguments->quiet ? NULL : &result;
    char **json = arguments->json ? &result : NULL;
    htp_extraction extraction;
    htp_cli_signals_asking();
    htp_extraction_init(&extraction);
    extraction.modules = arguments->selection.modules;
    extraction.module_count = arguments->selection.module_count;
    extraction.except = arguments->selection.except;
    extraction.except_count = arguments->selection.except_count;
    extraction.own = arguments->selection.own;
    extraction.call = arguments->call;
    extraction.external_data = arguments->options.external_data;
    extraction.progress = options->progress;
    extraction.user = options->user;
    htp_status status = htp_model_open(model, &opened);
    if (!status) {
        status = htp_model_extract(opened, &extraction, arguments->out, text, json);
    }
    htp_cli_print_answer(status, result, arguments->json);
    htp_model_free(opened);
    return status;
}
