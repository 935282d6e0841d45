#include "cli/terminal/terminal.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BAR_WIDTH = 30 };

static const double bar_after_seconds = 1.0;
static const double bar_interval_seconds = 0.1;

/* There is one stderr. */
static volatile sig_atomic_t is_bar_drawn;

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value && *value;
}

void htp_cli_terminal_init(htp_cli_terminal *terminal, bool quiet, bool verbose)
{
    bool is_terminal = isatty(STDERR_FILENO) == 1;
    const char *kind = getenv("TERM");
    bool is_dumb = !kind || strcmp(kind, "dumb") == 0;
    *terminal = (htp_cli_terminal){
        .shows_stages = !quiet && (is_terminal || verbose),
        .shows_bar = !quiet && is_terminal && !is_dumb,
        .has_color = is_terminal && !is_dumb && !is_set("NO_COLOR"),
    };
}

void htp_cli_terminal_clear(void)
{
    static const char erase[] = "\r\033[K";
    if (is_bar_drawn) {
        is_bar_drawn = 0;
        ssize_t written = write(STDERR_FILENO, erase, sizeof(erase) - 1);
        (void)written; /* there is nowhere to report to */
    }
}

static void format_amount(char text[32], const char *label, uint64_t amount)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
    size_t unit = 0;
    double scaled = (double)amount;
    if (strcmp(label, units[0]) == 0) {
        for (; scaled >= 1000 && unit + 1 < sizeof(units) / sizeof(units[0]); unit++) {
            scaled /= 1000;
        }
    }
    if (unit > 0) {
        (void)snprintf(text, 32, "%8.1f %-7s", scaled, units[unit]);
    } else {
        int length = (int)strlen(label) - (amount == 1); /* labels are plural */
        (void)snprintf(text, 32, "%8" PRIu64 " %-7.*s", amount, length, label);
    }
}

static void draw_bar(htp_cli_terminal *terminal, const htp_progress *progress)
{
    bool is_due = !is_bar_drawn || progress->seconds - terminal->drawn_at >= bar_interval_seconds;
    if (!terminal->shows_bar || progress->seconds < bar_after_seconds || !is_due) {
        return;
    }
    char amount[32];
    format_amount(amount, progress->label, progress->done);
    (void)fprintf(stderr, "\r\033[K%-8s%s", htp_stage_name(progress->stage), amount);
    if (progress->total > 0) {
        double share = (double)progress->done / (double)progress->total;
        int filled = (int)((share < 1 ? share : 1) * BAR_WIDTH);
        (void)fputs("  [", stderr);
        for (int i = 0; i < BAR_WIDTH; i++) {
            (void)fputc(i < filled ? '#' : '.', stderr);
        }
        (void)fputc(']', stderr);
    }
    (void)fflush(stderr);
    is_bar_drawn = 1;
    terminal->drawn_at = progress->seconds;
}

void htp_cli_terminal_progress(htp_cli_terminal *terminal, const htp_progress *progress)
{
    if (!progress->finished) {
        draw_bar(terminal, progress);
        return;
    }
    htp_cli_terminal_clear();
    if (!terminal->shows_stages) {
        return;
    }
    char amount[32];
    format_amount(amount, progress->label, progress->done);
    (void)fprintf(stderr, "%s%-8s%s%s %7.2f s\n", terminal->has_color ? "\033[32m" : "",
                  htp_stage_name(progress->stage), terminal->has_color ? "\033[0m" : "", amount,
                  progress->seconds);
}
