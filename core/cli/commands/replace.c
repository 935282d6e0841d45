#include "cli/commands/commands.h"
#include "cli/output/written.h"

static htp_status replace(htp_model *opened, const htp_cli_arguments *arguments,
                          const htp_write_options *options, char **text, char **json)
{
    htp_replacing replacing = arguments->replacing;
    replacing.modules = arguments->selection.modules;
    replacing.module_count = arguments->selection.module_count;
    replacing.call = arguments->call;
    replacing.progress = options->progress;
    replacing.user = options->user;
    return htp_model_replace(opened, &replacing, arguments->out, text, json);
}

htp_status htp_cli_replace(const htp_cli_arguments *arguments, const char *model,
                           const htp_write_options *options)
{
    return htp_cli_report(arguments, model, options, replace);
}
