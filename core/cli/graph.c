#include "cli/commands.h"

#include "cli/failure.h"
#include "cli/signals.h"

#include <stdio.h>

/* Whether stdout took it is told at the end, as always. */
static bool print(void *user, const void *bytes, size_t count)
{
    (void)user;
    (void)fwrite(bytes, 1, count, stdout);
    return true;
}

htp_status htp_cli_graph(const htp_cli_arguments *arguments, const char *model,
                         const htp_write_options *options)
{
    htp_drawing drawing = arguments->drawing;
    htp_model *opened = NULL;
    htp_cli_signals_asking();
    drawing.module = arguments->modules[0];
    drawing.own = arguments->selection.own;
    drawing.depth = arguments->depth;
    drawing.write = print;
    drawing.progress = options->progress;
    drawing.user = options->user;
    htp_status status = htp_model_open(model, &opened);
    if (!status) {
        status = htp_model_draw(opened, &drawing, arguments->out);
    }
    if (!status && arguments->json) {
        char *json = htp_cli_success_json(model, arguments->out);
        (void)fputs(json ? json : "", stdout);
        htp_string_free(json);
    }
    htp_model_free(opened);
    return status;
}
