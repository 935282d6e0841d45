#include "cli/commands/commands.h"
#include "cli/output/written.h"
#include "cli/terminal/print.h"
#include "cli/terminal/signals.h"

htp_status htp_cli_validate(const htp_cli_arguments *arguments, const char *model,
                            bool *has_findings)
{
    htp_cli_answer answer;
    uint64_t count = 0;
    htp_validate_options options;
    htp_validate_options_init(&options);
    options.sidecar = arguments->sidecar;
    htp_cli_answer_begin(&answer, arguments, true);
    htp_cli_signals_asking();
    htp_status status =
        htp_validate_model(model, &options, answer.text_place, answer.json_place, &count);
    *has_findings = count > 0;
    return htp_cli_answer_print(&answer, status);
}
