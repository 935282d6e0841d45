#include "cli/commands.h"

#include "cli/signals.h"

#include <stdio.h>

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
    if (!status) {
        (void)printf("%s%s", result, arguments->json ? "\n" : "");
    }
    *has_findings = count > 0;
    htp_string_free(result);
    return status;
}
