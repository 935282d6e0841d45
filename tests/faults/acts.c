#include "acts.h"

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

typedef enum action { NOTHING, SIGNAL, CUT, GROW, TOUCH } action;

static action action_wanted;
static int signal_wanted;
static uint64_t place_wanted;
static long long delay_wanted; /* in microseconds; 0: at a place */
static int input;              /* opened before the program gives up the right to */
static off_t input_bytes;
static char input_middle;

/* By system calls: the C library's functions are hooked. Async-signal-safe. */
static void act(void)
{
    long failed = 0;
    switch (action_wanted) {
    case SIGNAL:
        failed = syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), signal_wanted);
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
    case NOTHING:
        break;
    }
    if (failed != 0) {
        abort();
    }
}

void htp_acts_before(uint64_t place)
{
    if (action_wanted != NOTHING && place == place_wanted) {
        act();
    }
}

static void on_time(int signal)
{
    (void)signal;
    act();
}

static bool set_timer(long long microseconds)
{
    const int raised = action_wanted == SIGNAL ? signal_wanted : SIGRTMIN;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = raised};
    const struct itimerspec delay = {
        .it_value = {.tv_sec = microseconds / MICROSECONDS,
                     .tv_nsec = microseconds % MICROSECONDS * NANOSECONDS + 1}};
    const struct sigaction handler = {.sa_handler = on_time, .sa_flags = SA_ONSTACK | SA_RESTART};
    timer_t timer;
    return (action_wanted == SIGNAL || sigaction(SIGRTMIN, &handler, NULL) == 0) &&
           timer_create(CLOCK_MONOTONIC, &event, &timer) == 0 &&
           timer_settime(timer, 0, &delay, NULL) == 0;
}

void htp_acts_forked(void)
{
    (void)(delay_wanted > 0 && set_timer(delay_wanted));
}

static bool open_input(const char *path)
{
    struct stat facts;
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
    } actions[] = {{"signal:", SIGNAL}, {"cut:", CUT}, {"grow:", GROW}, {"touch:", TOUCH}};
    for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
        const size_t length = strlen(actions[i].word);
        if (strncmp(text, actions[i].word, length) == 0) {
            action_wanted = actions[i].action;
            signal_wanted = action_wanted == SIGNAL ? (int)strtol(text + length, NULL, 10) : 0;
            return action_wanted == SIGNAL || open_input(text + length);
        }
    }
    return false;
}

bool htp_acts_take(const char *order)
{
    char when[8] = "";
    int read = 0;
    unsigned long long number = 0;
    if (sscanf(order, "%6[a-z]:%llu:%n", when, &number, &read) != 2 || !take_action(order + read)) {
        return false;
    }
    if (strcmp(when, "at") == 0) {
        place_wanted = number;
        return true;
    }
    delay_wanted = (long long)number + 1;
    return set_timer(delay_wanted);
}
