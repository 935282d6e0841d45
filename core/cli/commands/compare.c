#include "cli/commands/commands.h"
#include "cli/output/written.h"
#include "cli/terminal/print.h"
#include "cli/terminal/signals.h"

htp_status htp_cli_compare(const htp_cli_arguments *arguments, bool *is_different)
{
    htp_model *models[2] = {NULL, NULL};
    htp_cli_answer answer;
    htp_cli_answer_begin(&answer, arguments, true);
    htp_cli_signals_asking();
    htp_status status = HTP_OK;
    for (int i = 0; i < 2 && !status; i++) {
        status = htp_model_open(arguments->models[i], &models[i]);
    }
    if (!status) {
        status = htp_model_compare(models[0], models[1], answer.text_place, answer.json_place,
                                   is_different);
    }
    status = htp_cli_answer_print(&answer, status);
    htp_model_free(models[0]);
    htp_model_free(models[1]);
    return status;
}
