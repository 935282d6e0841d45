#include "cli/commands/commands.h"
#include "cli/output/written.h"

#include "cli/terminal/signals.h"

#include <stdio.h>

htp_status htp_cli_select(const htp_cli_arguments *arguments, const char *model)
{
    const htp_selection text = arguments->selection;
    htp_selection json = arguments->selection;
    htp_cli_answer answer;
    htp_model *opened = NULL;
    htp_cli_answer_begin(&answer, arguments, true);
    htp_cli_signals_asking();
    json.format = HTP_SELECT_JSON;
    htp_status status = htp_model_open(model, &opened);
    if (!status && answer.text_place) {
        status = htp_model_select(opened, &text, answer.text_place);
    }
    if (!status && answer.json_place) {
        status = htp_model_select(opened, &json, answer.json_place);
    }
    status = htp_cli_answer_print(&answer, status);
    htp_model_free(opened);
    return status;
}
