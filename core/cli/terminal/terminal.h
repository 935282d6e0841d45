/*
 * Progress on stderr: a line for each stage, and a bar while a stage takes long.
 */
#ifndef HTP_CLI_TERMINAL_H
#define HTP_CLI_TERMINAL_H

#include <htp/htp.h>

typedef struct htp_cli_terminal {
    bool shows_stages;
    bool shows_bar;
    bool has_color;
    double drawn_at; /* seconds of the stage when the bar was drawn last */
} htp_cli_terminal;

/** Inspects stderr: stages are shown on a terminal, or when @p verbose, unless @p quiet. It has
 * colour if it is a terminal that has it, and NO_COLOR is not set. */
void htp_cli_terminal_init(htp_cli_terminal *terminal, bool quiet, bool verbose);

/** Shows a report of progress. */
void htp_cli_terminal_progress(htp_cli_terminal *terminal, const htp_progress *progress);

/** Erases the bar before something else is printed. Async-signal-safe. */
void htp_cli_terminal_clear(void);

#endif
