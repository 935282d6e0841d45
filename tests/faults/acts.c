#include "acts.h"

#include "report.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MICROSECONDS = 1000000, NANOSECONDS = 1000, GROWTH = 4096 };

typedef enum action { NOTHING, SIGNAL, SIGNALS, CUT, GROW, TOUCH, REPLACE } action;

static action action_wanted;
static int signal_wanted; /* 0: none */
static uint64_t place_wanted;
static bool is_timed;          /* the delay begins at the place */
static long long delay_wanted; /* in microseconds */
static int input;              /* opened before the program gives up the right to */
static off_t input_bytes;
static char input_middle;
static char *input_path, *other_path;

/* What would come of a signal. */
static const char *disposition(int signal)
{
    struct sigaction action;
    const bool is_known = sigaction(signal, NULL, &action) == 0;
    return !is_known || action.sa_handler == SIG_DFL ? "default"
           : action.sa_handler == SIG_IGN            ? "ignored"
                                                     : "handled";
}

static long raise_signal(void)
{
    return syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), signal_wanted);
}

/* By system calls: the C library's functions are hooked. Async-signal-safe. */
static void act(void)
{
    long failed = 0;
    htp_report_add(place_wanted, signal_wanted ? disposition(signal_wanted) : "changed", NULL);
    switch (action_wanted) {
    case SIGNALS:
        failed = raise_signal();
        failed = failed ? failed : raise_signal();
        break;
    case SIGNAL:
        failed = raise_signal();
        break;
    case CUT:
        failed = syscall(SYS_ftruncate, input, input_bytes / 2);
        break;
    case GROW:
        failed = syscall(SYS_ftruncate, input, input_bytes + GROWTH);
        break;
    case TOUCH:
        failed = syscall(SYS_pwrite64, input, &input_middle, 1, input_bytes / 2) != 1;
        break;
    case REPLACE:
        failed = syscall(SYS_renameat2, AT_FDCWD, other_path, AT_FDCWD, input_path, 0);
        break;
    case NOTHING:
        break;
    }
    if (failed != 0) {
        abort();
    }
}

static void on_time(int signal)
{
    (void)signal;
    act();
}

/* SA_RESTART: as the program's own handlers. */
static void set_timer(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN};
    const struct itimerspec delay = {
        .it_value = {.tv_sec = delay_wanted / MICROSECONDS,
                     .tv_nsec = delay_wanted % MICROSECONDS * NANOSECONDS + 1}};
    const struct sigaction handler = {.sa_handler = on_time, .sa_flags = SA_ONSTACK | SA_RESTART};
    timer_t timer;
    if (sigaction(SIGRTMIN, &handler, NULL) != 0 ||
        timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 ||
        timer_settime(timer, 0, &delay, NULL) != 0) {
        abort();
    }
}

void htp_acts_before(uint64_t place)
{
    if (place != place_wanted) {
        return;
    }
    if (is_timed) {
        set_timer();
    } else {
        act();
    }
}

/* @param paths  of the input, and behind a colon of another file to put in its place */
static bool open_input(const char *paths)
{
    struct stat facts;
    const char *path = input_path = strdup(paths);
    char *colon = input_path ? strchr(input_path, ':') : NULL;
    if (colon) {
        *colon = '\0';
        other_path = colon + 1;
    }
    if (!path || (action_wanted == REPLACE) != (other_path != NULL)) {
        return false;
    }
    input = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
    if (input < 0 || stat(path, &facts) != 0) {
        return false;
    }
    input_bytes = facts.st_size;
    return syscall(SYS_pread64, input, &input_middle, 1, input_bytes / 2) == 1;
}

static bool take_action(const char *text)
{
    static const struct {
        const char *word;
        action action;
    } actions[] = {{"signal:", SIGNAL}, {"signals:", SIGNALS}, {"cut:", CUT},
                   {"grow:", GROW},     {"touch:", TOUCH},     {"replace:", REPLACE}};
    for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
        const size_t length = strlen(actions[i].word);
        if (strncmp(text, actions[i].word, length) == 0) {
            action_wanted = actions[i].action;
            const bool is_signal = action_wanted == SIGNAL || action_wanted == SIGNALS;
            if (!is_signal) {
                return open_input(text + length);
            }
            signal_wanted = (int)strtol(text + length, NULL, 10);
            /* A campaign in the background ignores some, and so would the program. */
            (void)signal(signal_wanted, SIG_DFL);
            return true;
        }
    }
    return false;
}

bool htp_acts_take(const char *order)
{
    int at = 0, after = 0;
    unsigned long long place = 0;
    (void)sscanf(order, "at:%llx:%n", &place, &at);
    if (at == 0) {
        (void)sscanf(order, "after:%llx:%lld:%n", &place, &delay_wanted, &after);
    }
    place_wanted = place;
    is_timed = after > 0;
    return at + after > 0 && take_action(order + at + after);
}
