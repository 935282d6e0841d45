#include "cli/commands/commands.h"
#include "cli/output/written.h"

static htp_status extract(htp_model *opened, const htp_cli_arguments *arguments,
                          const htp_write_options *options, char **text, char **json)
{
    htp_extraction extraction;
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
    return htp_model_extract(opened, &extraction, arguments->out, text, json);
}

htp_status htp_cli_extract(const htp_cli_arguments *arguments, const char *model,
                           const htp_write_options *options)
{
    return htp_cli_report(arguments, model, options, extract);
}
