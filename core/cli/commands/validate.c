#include "cli/commands/commands.h"
#include "cli/terminal/print.h"
#include "cli/terminal/signals.h"

htp_status htp_cli_validate(const htp_cli_arguments *arguments, const char *model,
                            bool *has_findings)
{
    char *result = NULL;
    char **text = arguments->json ? NULL : &result;
    char **json = arguments->json ? &result : NULL;
    uint64_t count = 0;
    htp_validate_options options;
    htp_validate_options_init(&options);
    options.sidecar = arguments->sidecar;
    htp_cli_signals_asking();
    htp_status status = htp_validate_model(model, &options, text, json, &count);
    *has_findings = count > 0;
    htp_cli_print_answer(status, result, arguments->json);
    return status;
}
