#include "cli/commands/commands.h"
#include "cli/output/written.h"

#include <stdio.h>

/* A failure of stdout is reported at the end, as always. */
static bool print(void *user, const void *bytes, size_t count)
{
    (void)user;
    (void)fwrite(bytes, 1, count, stdout);
    return true;
}

static htp_status draw(htp_model *opened, const htp_cli_arguments *arguments,
                       const htp_write_options *options)
{
    htp_drawing drawing = arguments->drawing;
    drawing.module = arguments->modules[0];
    drawing.own = arguments->selection.own;
    drawing.depth = arguments->depth;
    drawing.write = print;
    drawing.progress = options->progress;
    drawing.user = options->user;
    return htp_model_draw(opened, &drawing, arguments->out);
}

htp_status htp_cli_graph(const htp_cli_arguments *arguments, const char *model,
                         const htp_write_options *options)
{
    return htp_cli_write(arguments, model, options, draw);
}
