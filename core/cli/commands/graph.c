#include "cli/commands/commands.h"
#include "cli/output/written.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* A failure of stdout is reported at the end, as always. */
static bool print(void *user, const void *bytes, size_t count)
{
    (void)user;
    (void)fwrite(bytes, 1, count, stdout);
    return true;
}

/* The format that the ending of a file name stands for; dot if it stands for none. */
static htp_drawing_format find_format(const char *path)
{
    static const struct {
        const char *ending;
        htp_drawing_format format;
    } rows[] = {
        {".graphml", HTP_DRAW_GRAPHML},
        {".mermaid", HTP_DRAW_MERMAID},
        {".mmd", HTP_DRAW_MERMAID},
        {".svg", HTP_DRAW_SVG},
    };
    const char *dot = path ? strrchr(path, '.') : NULL;
    for (size_t i = 0; dot && i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (strcasecmp(dot, rows[i].ending) == 0) {
            return rows[i].format;
        }
    }
    return HTP_DRAW_DOT;
}

static htp_drawing_format choose_format(const htp_cli_arguments *arguments)
{
    return arguments->format < 0 ? find_format(arguments->out)
                                 : (htp_drawing_format)arguments->format;
}

bool htp_cli_graph_is_svg(const htp_cli_arguments *arguments)
{
    return arguments->command == HTP_CLI_GRAPH && choose_format(arguments) == HTP_DRAW_SVG;
}

static htp_status draw(htp_model *opened, const htp_cli_arguments *arguments,
                       const htp_write_options *options)
{
    htp_drawing drawing = arguments->drawing;
    drawing.module = arguments->modules[0];
    drawing.format = choose_format(arguments);
    drawing.own = arguments->selection.own;
    drawing.depth = arguments->depth;
    drawing.sizes = arguments->sizes;
    drawing.profile = arguments->profiling.profile;
    drawing.optimized = arguments->profiling.optimized;
    drawing.verify = arguments->selection.verify;
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
