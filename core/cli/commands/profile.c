#include "cli/commands/commands.h"
#include "cli/terminal/print.h"
#include "cli/terminal/signals.h"

htp_status htp_cli_profile(const htp_cli_arguments *arguments, const char *model)
{
    htp_profiling profiling = arguments->profiling;
    htp_model *opened = NULL;
    char *result = NULL;
    char **text = arguments->json ? NULL : &result;
    char **json = arguments->json ? &result : NULL;
    htp_cli_signals_asking();
    profiling.module = arguments->modules[0];
    profiling.own = arguments->selection.own;
    profiling.depth = arguments->depth;
    htp_status status = htp_model_open(model, &opened);
    if (!status) {
        status = htp_model_profile(opened, &profiling, text, json);
    }
    htp_cli_print_answer(status, result, arguments->json);
    htp_model_free(opened);
    return status;
}
