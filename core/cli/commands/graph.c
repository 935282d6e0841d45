#include "cli/commands/commands.h"

#include "base/status.h"
#include "cli/output/written.h"
#include "cli/terminal/print.h"

#include <string.h>
#include <strings.h>

static bool print(void *user, const void *bytes, size_t count)
{
    (void)user;
    htp_cli_print_bytes(bytes, count);
    return true;
}

static const char *ending_of(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    const char *name = slash ? slash + 1 : path;
    return name ? strrchr(name, '.') : NULL;
}

/* The format that the ending of a file name stands for; dot without an ending; negative if it
 * stands for none. */
static int find_format(const char *path)
{
    static const struct {
        const char *ending;
        htp_drawing_format format;
    } rows[] = {
        {".dot", HTP_DRAW_DOT},         {".gv", HTP_DRAW_DOT},          {".txt", HTP_DRAW_DOT},
        {".graphml", HTP_DRAW_GRAPHML}, {".mermaid", HTP_DRAW_MERMAID}, {".mmd", HTP_DRAW_MERMAID},
        {".svg", HTP_DRAW_SVG},
    };
    const char *ending = ending_of(path);
    for (size_t i = 0; ending && i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (strcasecmp(ending, rows[i].ending) == 0) {
            return (int)rows[i].format;
        }
    }
    return ending ? -1 : (int)HTP_DRAW_DOT;
}

static int choose_format(const htp_cli_arguments *arguments)
{
    return arguments->format < 0 ? find_format(arguments->out) : arguments->format;
}

bool htp_cli_graph_is_svg(const htp_cli_arguments *arguments)
{
    return arguments->command == HTP_CLI_GRAPH && choose_format(arguments) == (int)HTP_DRAW_SVG;
}

static htp_status draw(htp_model *opened, const htp_cli_arguments *arguments,
                       const htp_write_options *options)
{
    htp_drawing drawing = arguments->drawing;
    int format = choose_format(arguments);
    if (format < 0) {
        return htp_status_make(HTP_CODE_USAGE,
                               "%s: no format has the ending %s; end the name in .dot, .graphml, "
                               ".mermaid or .svg, or pass --format",
                               arguments->out, ending_of(arguments->out));
    }
    drawing.module = arguments->modules[0];
    drawing.format = (htp_drawing_format)format;
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
