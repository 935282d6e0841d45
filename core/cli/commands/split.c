#include "cli/commands/commands.h"
#include "cli/output/written.h"

static htp_status split(htp_model *opened, const htp_cli_arguments *arguments,
                        const htp_write_options *options, char **text, char **json)
{
    htp_splitting splitting;
    htp_splitting_init(&splitting);
    splitting.at = arguments->selection.modules;
    splitting.at_count = arguments->selection.module_count;
    splitting.depth = arguments->depth;
    splitting.into = arguments->into;
    splitting.by = arguments->split_by;
    splitting.sizes = arguments->sizes;
    splitting.profile = arguments->profiling.profile;
    splitting.optimized = arguments->profiling.optimized;
    splitting.share_weights = arguments->share_weights;
    splitting.external_data = arguments->options.external_data;
    splitting.progress = options->progress;
    splitting.user = options->user;
    return htp_model_split(opened, &splitting, arguments->out_folder, text, json);
}

htp_status htp_cli_split(const htp_cli_arguments *arguments, const char *model,
                         const htp_write_options *options)
{
    return htp_cli_report(arguments, model, options, split);
}
