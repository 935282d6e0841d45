#include "cli/commands/commands.h"

#include "cli/terminal/signals.h"

#include <stdio.h>

htp_status htp_cli_select(const htp_cli_arguments *arguments, const char *model)
{
    htp_selection selection = arguments->selection;
    htp_model *opened = NULL;
    char *list = NULL;
    htp_cli_signals_asking();
    selection.format = arguments->json ? HTP_SELECT_JSON : selection.format;
    htp_status status = htp_model_open(model, &opened);
    if (!status) {
        status = htp_model_select(opened, &selection, &list);
    }
    if (!status) {
        (void)fputs(list, stdout);
    }
    htp_string_free(list);
    htp_model_free(opened);
    return status;
}
