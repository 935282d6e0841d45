#include "cli/commands/commands.h"
#include "cli/terminal/print.h"
#include "cli/terminal/signals.h"

htp_status htp_cli_retag(const htp_cli_arguments *arguments, const char *model,
                         const htp_write_options *options)
{
    htp_model *like = NULL;
    char *result = NULL;
    char **text = arguments->json || arguments->quiet ? NULL : &result;
    char **json = arguments->json ? &result : NULL;
    htp_cli_signals_asking();
    htp_status status = htp_model_open(arguments->like, &like);
    if (!status) {
        status = htp_retag_model(model, like, arguments->out, options, text, json);
    }
    htp_cli_print_answer(status, result, arguments->json);
    htp_model_free(like);
    return status;
}
