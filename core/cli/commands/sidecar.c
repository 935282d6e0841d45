#include "cli/commands/commands.h"

#include "cli/terminal/failure.h"
#include "cli/terminal/print.h"
#include "cli/terminal/signals.h"

#include <stdio.h>

htp_status htp_cli_sidecar(const htp_cli_arguments *arguments, const char *model,
                           const htp_write_options *options)
{
    htp_model *opened = NULL;
    htp_cli_signals_asking();
    htp_status status = htp_model_open(model, &opened);
    if (!status) {
        status = htp_model_sidecar(opened, arguments->out, options);
    }
    if (!status && arguments->json) {
        char *path = arguments->out ? NULL : htp_sidecar_path(model);
        const char *made = path ? path : arguments->out;
        status = htp_cli_print_json(made ? htp_cli_success_json(model, made) : NULL);
        htp_string_free(path);
    }
    htp_model_free(opened);
    return status;
}
