/*
 * Progress on stderr: a line for each stage, and a bar while a stage takes long. Where nothing is
 * reported for a second, the command and its seconds are shown.
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

/** A command begins. @param name  kept */
void htp_cli_terminal_begin(const htp_cli_terminal *terminal, const char *name);

/** Whether htp_cli_terminal_tick() is to be called now and then. */
bool htp_cli_terminal_wants_ticks(void);

/** Shows the seconds of the command, unless a bar is drawn. Async-signal-safe. */
void htp_cli_terminal_tick(void);

/** Erases the bar before something else is printed. Async-signal-safe. */
void htp_cli_terminal_clear(void);

/** The same before the answer is printed: ticks show nothing any more. */
void htp_cli_terminal_end(void);

#endif
