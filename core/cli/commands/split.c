#include "cli/commands/commands.h"
#include "cli/terminal/print.h"
#include "cli/terminal/signals.h"

htp_status htp_cli_split(const htp_cli_arguments *arguments, const char *model,
                         const htp_write_options *options)
{
    htp_model *opened = NULL;
    char *result = NULL;
    char **text = arguments->json || arguments->quiet ? NULL : &result;
    char **json = arguments->json ? &result : NULL;
    htp_splitting splitting;
    htp_cli_signals_asking();
    htp_splitting_init(&splitting);
    splitting.at = arguments->selection.modules;
    splitting.at_count = arguments->selection.module_count;
    splitting.depth = arguments->depth;
    splitting.share_weights = arguments->share_weights;
    splitting.external_data = arguments->options.external_data;
    splitting.progress = options->progress;
    splitting.user = options->user;
    htp_status status = htp_model_open(model, &opened);
    if (!status) {
        status = htp_model_split(opened, &splitting, arguments->out_folder, text, json);
    }
    htp_cli_print_answer(status, result, arguments->json);
    htp_model_free(opened);
    return status;
}
