#include "cli/output/written.h"

#include "cli/terminal/failure.h"
#include "cli/terminal/print.h"
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
        htp_cli_print_answer(HTP_OK, json, false);
    }
    htp_model_free(opened);
    return status;
}

static htp_status ask_model(const htp_cli_arguments *arguments, const char *model,
                            const htp_write_options *options, htp_cli_ask_fn ask, bool has_text)
{
    htp_model *opened = NULL;
    char *answer = NULL;
    char **text = arguments->json || !has_text ? NULL : &answer;
    char **json = arguments->json ? &answer : NULL;
    htp_cli_signals_asking();
    htp_status status = htp_model_open(model, &opened);
    if (!status) {
        status = ask(opened, arguments, options, text, json);
    }
    htp_cli_print_answer(status, answer, arguments->json);
    htp_model_free(opened);
    return status;
}

htp_status htp_cli_ask(const htp_cli_arguments *arguments, const char *model,
                       const htp_write_options *options, htp_cli_ask_fn ask)
{
    return ask_model(arguments, model, options, ask, true);
}

htp_status htp_cli_report(const htp_cli_arguments *arguments, const char *model,
                          const htp_write_options *options, htp_cli_ask_fn ask)
{
    return ask_model(arguments, model, options, ask, !arguments->quiet);
}
