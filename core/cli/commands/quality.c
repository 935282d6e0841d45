#include "base/status.h"
#include "cli/commands/commands.h"
#include "cli/output/written.h"
#include "cli/terminal/print.h"
#include "cli/terminal/signals.h"

#include <string.h>

/* Prints the metrics that fail, a line each. */
static void print_failures(char *failures)
{
    for (char *line = failures; line;) {
        char *end = strchr(line, '\n');
        if (end) {
            *end = '\0';
        }
        htp_cli_print_message("%s", line);
        line = end ? end + 1 : NULL;
    }
    htp_string_free(failures);
}

htp_status htp_cli_quality(const htp_cli_arguments *arguments, bool *is_worse)
{
    htp_quality_options options = arguments->quality;
    htp_cli_answer answer;
    char *failures = NULL;
    htp_cli_answer_begin(&answer, arguments, !arguments->quiet);
    htp_cli_signals_asking();
    options.lists_all = arguments->options.details;
    options.export_options = &arguments->options;
    options.sidecar = arguments->sidecar;
    htp_status status = htp_measure_quality(arguments->models, arguments->model_count, &options,
                                            answer.text_place, answer.json_place, &failures);
    *is_worse = failures != NULL;
    status = htp_cli_answer_print(&answer, status);
    print_failures(failures);
    return status;
}
