#include "cli/terminal/budget.h"

#include "cli/terminal/terminal.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* Memory is looked at so often: libtorch may take gigabytes in a second. */
enum {
    MEMORY_INTERVAL_MICROSECONDS = 20000,
    TICK_MICROSECONDS = 250000, /* between two looks at the time, or lines of progress */
    TEXT_ROOM = 256,
};

static int limits[HTP_CLI_BUDGET_COUNT];
static bool is_running; /* the timer */
static struct timespec deadline;
static int statistics = -1; /* /proc/self/statm */
static pid_t process;       /* that it is of; 0: none */
static uint64_t page_bytes;

void htp_cli_budget_set(int seconds, int mebibytes)
{
    limits[HTP_CLI_BUDGET_TIME] = seconds;
    limits[HTP_CLI_BUDGET_MEMORY] = mebibytes;
}

int htp_cli_budget_of(htp_cli_budget budget)
{
    return limits[budget];
}

static bool needs_timer(void)
{
    return limits[HTP_CLI_BUDGET_TIME] > 0 || limits[HTP_CLI_BUDGET_MEMORY] > 0 ||
           htp_cli_terminal_wants_ticks();
}

void htp_cli_budget_start(void)
{
    suseconds_t interval = TICK_MICROSECONDS;
    (void)clock_gettime(CLOCK_MONOTONIC, &deadline);
    deadline.tv_sec += limits[HTP_CLI_BUDGET_TIME];
    if (limits[HTP_CLI_BUDGET_MEMORY] > 0) {
        if (process != getpid()) { /* a parent's shows the parent; a sandbox opens none */
            (void)close(statistics);
            statistics = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
            process = getpid();
        }
        page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
        interval = MEMORY_INTERVAL_MICROSECONDS;
    }
    is_running = needs_timer();
    if (is_running) {
        const struct itimerval timer = {{0, interval}, {0, interval}};
        (void)setitimer(ITIMER_REAL, &timer, NULL);
    }
}

void htp_cli_budget_stop(void)
{
    static const struct itimerval off;
    if (is_running) {
        (void)setitimer(ITIMER_REAL, &off, NULL);
    }
    is_running = false;
}

static bool is_late(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec > deadline.tv_sec ||
           (now.tv_sec == deadline.tv_sec && now.tv_nsec >= deadline.tv_nsec);
}

static uint64_t read_digits(const char **at)
{
    uint64_t number = 0;
    while (**at == ' ') {
        ++*at;
    }
    while (**at >= '0' && **at <= '9') {
        number = number * 10 + (uint64_t)(*(*at)++ - '0');
    }
    return number;
}

/* Pages: size, resident, those of files and shared memory among them. */
static uint64_t held_bytes(void)
{
    char text[TEXT_ROOM] = "";
    if (statistics < 0 || pread(statistics, text, sizeof(text) - 1, 0) <= 0) {
        return 0;
    }
    const char *at = text;
    (void)read_digits(&at);
    uint64_t resident = read_digits(&at);
    uint64_t shared = read_digits(&at);
    return resident > shared ? (resident - shared) * page_bytes : 0;
}

htp_cli_budget htp_cli_budget_check(void)
{
    if (limits[HTP_CLI_BUDGET_TIME] > 0 && is_late()) {
        return HTP_CLI_BUDGET_TIME;
    }
    uint64_t most = (uint64_t)limits[HTP_CLI_BUDGET_MEMORY] << 20;
    return most > 0 && held_bytes() > most ? HTP_CLI_BUDGET_MEMORY : HTP_CLI_BUDGET_COUNT;
}
