#include "cli/output/written.h"

#include "cli/terminal/failure.h"
#include "cli/terminal/print.h"
#include "cli/terminal/signals.h"

#include <stdio.h>

void htp_cli_answer_begin(htp_cli_answer *answer, const htp_cli_arguments *arguments, bool has_text)
{
    bool is_replaced = arguments->json && !arguments->json_file;
    *answer = (htp_cli_answer){0};
    answer->text_place = has_text && !is_replaced ? &answer->text : NULL;
    answer->json_place = arguments->json ? &answer->json : NULL;
}

htp_status htp_cli_answer_print(htp_cli_answer *answer, htp_status status)
{
    htp_cli_print_answer(status, answer->text);
    if (status || !answer->json) {
        htp_string_free(answer->json);
        return status;
    }
    return htp_cli_print_json(answer->json);
}

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
        status = htp_cli_print_json(htp_cli_success_json(model, arguments->out));
    }
    htp_model_free(opened);
    return status;
}

static htp_status ask_model(const htp_cli_arguments *arguments, const char *model,
                            const htp_write_options *options, htp_cli_ask_fn ask, bool has_text)
{
    htp_model *opened = NULL;
    htp_cli_answer answer;
    htp_cli_answer_begin(&answer, arguments, has_text);
    htp_cli_signals_asking();
    htp_status status = htp_model_open(model, &opened);
    if (!status) {
        status = ask(opened, arguments, options, answer.text_place, answer.json_place);
    }
    status = htp_cli_answer_print(&answer, status);
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
