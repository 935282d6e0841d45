#include "cli/commands/commands.h"
#include "cli/output/written.h"

static htp_status profile(htp_model *opened, const htp_cli_arguments *arguments,
                          const htp_write_options *options, char **text, char **json)
{
    htp_profiling profiling = arguments->profiling;
    (void)options;
    profiling.module = arguments->modules[0];
    profiling.own = arguments->selection.own;
    profiling.depth = arguments->depth;
    profiling.sizes = arguments->sizes;
    profiling.node_data = arguments->node_data;
    return htp_model_profile(opened, &profiling, text, json);
}

htp_status htp_cli_profile(const htp_cli_arguments *arguments, const char *model)
{
    return htp_cli_ask(arguments, model, NULL, profile);
}
