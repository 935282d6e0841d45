#include "cli/terminal/terminal.h"

#include <inttypes.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    BAR_WIDTH = 30,
    SECOND = 1000, /* milliseconds */
    CLOCK_ROOM = 80,
};

static const double bar_after_seconds = 1.0;
static const double bar_interval_seconds = 0.1;

/* What the last line of stderr shows. There is one stderr. */
enum drawn { NOTHING, BAR, CLOCK };

static volatile sig_atomic_t drawn;
static const char *volatile at_work; /* the command; NULL: ticks show nothing */
static _Atomic int64_t begun_at;     /* milliseconds */
static _Atomic int64_t quiet_since;

static const char erase[] = "\r\033[K";

static int64_t now(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * SECOND + time.tv_nsec / 1000000;
}

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

void htp_cli_terminal_begin(const htp_cli_terminal *terminal, const char *name)
{
    begun_at = now();
    quiet_since = begun_at;
    at_work = terminal->shows_bar ? name : NULL;
}

bool htp_cli_terminal_wants_ticks(void)
{
    return at_work != NULL;
}

static void write_stderr(const char *text, size_t length)
{
    ssize_t written = write(STDERR_FILENO, text, length);
    (void)written; /* there is nowhere to report to */
}

/* Appends what fits. */
static size_t append(char text[CLOCK_ROOM], size_t at, const char *added, size_t length)
{
    length = length < CLOCK_ROOM - at ? length : CLOCK_ROOM - at;
    memcpy(text + at, added, length);
    return at + length;
}

void htp_cli_terminal_tick(void)
{
    const char *name = at_work;
    int64_t time = now();
    if (!name || drawn == BAR || time - quiet_since < SECOND) {
        return;
    }
    char digits[20];
    size_t first = sizeof(digits);
    int64_t seconds = (time - begun_at) / SECOND;
    do {
        digits[--first] = (char)('0' + seconds % 10);
        seconds /= 10;
    } while (seconds > 0);
    char text[CLOCK_ROOM];
    size_t length = append(text, 0, erase, sizeof(erase) - 1);
    length = append(text, length, name, strlen(name));
    length = append(text, length, "  ", 2);
    length = append(text, length, digits + first, sizeof(digits) - first);
    length = append(text, length, " s", 2);
    drawn = CLOCK;
    write_stderr(text, length);
}

void htp_cli_terminal_clear(void)
{
    quiet_since = now(); /* before the line is free: no tick draws meanwhile */
    if (drawn != NOTHING) {
        drawn = NOTHING;
        write_stderr(erase, sizeof(erase) - 1);
    }
}

void htp_cli_terminal_end(void)
{
    at_work = NULL;
    htp_cli_terminal_clear();
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
    bool is_due = drawn != BAR || progress->seconds - terminal->drawn_at >= bar_interval_seconds;
    if (!terminal->shows_bar || progress->seconds < bar_after_seconds || !is_due) {
        return;
    }
    char amount[32];
    format_amount(amount, progress->label, progress->done);
    drawn = BAR; /* before it is: no tick erases it */
    (void)fprintf(stderr, "%s%-8s%s", erase, htp_stage_name(progress->stage), amount);
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
