#include "cli/output/written.h"

#include "cli/terminal/failure.h"
#include "cli/terminal/signals.h"

#include <stdio.h>

htp_status htp_cli_write(const htp_cli_arguments *arguments, const char *model,
                         const htp_write_options *options, htp_cli_write_fn write)
{
    htp_model *opened = NULL;
    htp_cli_signals_asking();
    htp_status status = htp_model_open(model, &opened);
    if (!status) {
        status = write(opened, arguments, options);
    }
    if (!status && arguments->json) {
        char *json = htp_cli_success_json(model, arguments->out);
        (void)fputs(json ? json : "", stdout);
        htp_string_free(json);
    }
    htp_model_free(opened);
    return status;
}
