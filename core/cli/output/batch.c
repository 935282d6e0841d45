#include "cli/output/batch.h"

#include "cli/terminal/print.h"
#include "cli/terminal/signals.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOT_DONE = -1 };

struct batch {
    const char *const *models;
    size_t count;
    size_t next; /* the first model without an exit code */
    int *codes;  /* by model */
    const htp_cli_batch_work *work;
};

static volatile sig_atomic_t worker_process;
static volatile sig_atomic_t pending_signal;

/* The terminal signals the worker itself; forward the signals sent to this process. */
static void on_signal(int signal, siginfo_t *information, void *context)
{
    (void)context;
    pending_signal = signal;
    if (worker_process > 0 && information->si_code <= 0) {
        (void)kill((pid_t)worker_process, signal);
    }
}

static void watch_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
    (void)sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
        struct sigaction before;
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
            (void)sigaction(signals[i], &action, NULL);
        }
    }
}

/* In the worker: sends each code through the pipe at once. */
_Noreturn static void run_rest(const struct batch *batch, int report)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    htp_cli_signals_install();
    int code = HTP_CODE_OK;
    for (size_t i = batch->next; i < batch->count && code != HTP_CODE_INTERRUPTED; i++) {
        code =
            htp_cli_signals_stop() ? HTP_CODE_INTERRUPTED : batch->work->run(batch->work->user, i);
        const unsigned char byte = (unsigned char)code;
        if (write(report, &byte, 1) != 1) {
            _exit(HTP_CODE_INTERNAL);
        }
    }
    _exit(HTP_CODE_OK);
}

static void collect(struct batch *batch, int report)
{
    unsigned char byte = 0;
    for (;;) {
        ssize_t got = read(report, &byte, 1);
        if (got == 1 && batch->next < batch->count) {
            batch->codes[batch->next++] = byte;
        } else if (got == 0 || errno != EINTR) {
            return;
        }
    }
}

/* The worker ended. A model that it left unfinished was reported by its handlers, unless it was
 * killed. */
static void judge_end(struct batch *batch, int state)
{
    if (batch->next == batch->count || pending_signal) {
        return;
    }
    if (WIFSIGNALED(state)) {
        batch->work->report_killed(batch->work->user, batch->next, strsignal(WTERMSIG(state)));
    }
    batch->codes[batch->next++] = WIFEXITED(state) ? WEXITSTATUS(state) : HTP_CODE_INTERNAL;
}

/* Runs one worker until it finishes or crashes. */
static bool run_worker(struct batch *batch)
{
    int ends[2];
    if (pipe(ends) != 0) {
        htp_cli_print_message("cannot start a process: %s", strerror(errno));
        return false;
    }
    pid_t process = fork();
    if (process == 0) {
        (void)close(ends[0]);
        run_rest(batch, ends[1]);
    }
    (void)close(ends[1]);
    if (process < 0) {
        htp_cli_print_message("cannot start a process: %s", strerror(errno));
        (void)close(ends[0]);
        return false;
    }
    worker_process = (sig_atomic_t)process;
    if (pending_signal) {
        (void)kill(process, pending_signal);
    }
    collect(batch, ends[0]);
    (void)close(ends[0]);
    int state = 0;
    while (waitpid(process, &state, 0) < 0 && errno == EINTR) {
    }
    worker_process = 0;
    judge_end(batch, state);
    return true;
}

static bool is_interrupted(const struct batch *batch)
{
    return pending_signal ||
           (batch->next > 0 && batch->codes[batch->next - 1] == HTP_CODE_INTERRUPTED);
}

static int list_failures(const struct batch *batch)
{
    int first = HTP_CODE_OK;
    size_t failures = 0;
    for (size_t i = 0; i < batch->count; i++) {
        failures += batch->codes[i] != HTP_CODE_OK;
        first = first == HTP_CODE_OK ? batch->codes[i] : first;
    }
    if (failures == 0) {
        return HTP_CODE_OK;
    }
    htp_cli_print_message("%zu of %zu models failed:", failures, batch->count);
    for (size_t i = 0; i < batch->count; i++) {
        if (batch->codes[i] == NOT_DONE) {
            htp_cli_print_detail("%s: not done", batch->models[i]);
        } else if (batch->codes[i] != HTP_CODE_OK) {
            htp_cli_print_detail("%s: exit code %d", batch->models[i], batch->codes[i]);
        }
    }
    return first;
}

int htp_cli_batch_run(const char *const *models, size_t count, const htp_cli_batch_work *work)
{
    struct batch batch = {
        .models = models, .count = count, .codes = calloc(count, sizeof(int)), .work = work};
    if (!batch.codes) {
        htp_cli_print_message("out of memory");
        return HTP_CODE_INTERNAL;
    }
    for (size_t i = 0; i < count; i++) {
        batch.codes[i] = NOT_DONE;
    }
    watch_signals();
    bool runs = true;
    while (runs && batch.next < count && !is_interrupted(&batch)) {
        runs = run_worker(&batch);
    }
    int first = list_failures(&batch);
    if (is_interrupted(&batch)) {
        first = HTP_CODE_INTERRUPTED;
    } else if (!runs) {
        first = HTP_CODE_INTERNAL;
    }
    free(batch.codes);
    return first;
}
