#include "cli/output/batch.h"

#include "base/files/descriptor.h"
#include "cli/terminal/print.h"
#include "cli/terminal/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    NOT_DONE = -1,
    TAKEN = -2, /* a worker is at it */
    MOST_LANES = 256,
    NO_LANE = -1,
};

/* What a worker reports: that it has taken a model, or its exit code. */
typedef struct report {
    uint32_t model;
    int32_t code;
} report;

/* A place for one worker after the other. */
typedef struct lane {
    pid_t process; /* 0: none */
    int reports;   /* the end of its pipe to read from */
    int spool;     /* what it prints on stdout for one model; NO_LANE: stdout itself */
    size_t model;  /* that it has taken; `count`: none */
} lane;

struct batch {
    const char *const *models;
    size_t count;
    size_t lane_count;
    int *codes;            /* by model */
    _Atomic size_t *taken; /* by workers, in memory that all processes share */
    int turn;              /* locked by the process that copies to stdout; NO_LANE: one worker */
    lane lanes[MOST_LANES];
    bool is_stopped; /* a worker was interrupted */
    const htp_cli_batch_work *work;
};

static volatile sig_atomic_t worker_processes[MOST_LANES];
static volatile sig_atomic_t pending_signal;

/* The terminal signals workers itself; forward the signals sent to this process. */
static void on_signal(int signal, siginfo_t *information, void *context)
{
    (void)context;
    pending_signal = signal;
    for (size_t i = 0; i < MOST_LANES && information->si_code <= 0; i++) {
        if (worker_processes[i] > 0) {
            (void)kill((pid_t)worker_processes[i], signal);
        }
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

/* ---- the output of several workers ---- */

/* Moves what a worker has printed for a model to @p out, in one piece. */
static bool pass_on(const struct batch *batch, int spool, int out)
{
    char block[1 << 14];
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    bool is_written = true;
    off_t at = 0;
    ssize_t got = 0;
    while (fcntl(batch->turn, F_SETLKW, &lock) != 0 && errno == EINTR) {
    }
    while (is_written && (got = pread(spool, block, sizeof(block), at)) > 0) {
        is_written = htp_descriptor_write_all(out, block, (size_t)got);
        at += got;
    }
    lock.l_type = F_UNLCK;
    (void)fcntl(batch->turn, F_SETLK, &lock);
    return ftruncate(spool, 0) == 0 && lseek(spool, 0, SEEK_SET) == 0 && is_written;
}

/* ---- in a worker ---- */

static bool tell(int reports, size_t model, int code)
{
    const report told = {(uint32_t)model, code};
    return htp_descriptor_write_all(reports, &told, sizeof(told));
}

static int run_model(const struct batch *batch, size_t model)
{
    return htp_cli_signals_stop() ? HTP_CODE_INTERRUPTED
                                  : batch->work->run(batch->work->user, model);
}

/* Works on one model after the other until all are taken. */
_Noreturn static void run_rest(const struct batch *batch, const lane *own, int reports)
{
    int out = own->spool == NO_LANE ? NO_LANE : dup(STDOUT_FILENO);
    if (own->spool != NO_LANE && (out < 0 || dup2(own->spool, STDOUT_FILENO) < 0)) {
        _exit(HTP_CODE_INTERNAL);
    }
    int code = HTP_CODE_OK;
    size_t i = 0;
    while (code != HTP_CODE_INTERRUPTED && (i = (*batch->taken)++) < batch->count) {
        if (!tell(reports, i, TAKEN)) {
            _exit(HTP_CODE_INTERNAL);
        }
        code = run_model(batch, i);
        if (out != NO_LANE && !pass_on(batch, own->spool, out) && code == HTP_CODE_OK) {
            code = HTP_CODE_CANNOT_WRITE;
        }
        if (!tell(reports, i, code)) {
            _exit(HTP_CODE_INTERNAL);
        }
    }
    _exit(HTP_CODE_OK);
}

/* Works on all models, or on the only one, whose code is that of the process. */
_Noreturn static void work(const struct batch *batch, const lane *own, int reports)
{
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    htp_cli_signals_install();
    if (batch->count == 1) {
        _exit(run_model(batch, 0));
    }
    run_rest(batch, own, reports);
}

/* ---- in the supervisor ---- */

/* Starts a worker. @return false, after a line on stderr, if that is not possible */
static bool start(struct batch *batch, size_t index)
{
    lane *started = &batch->lanes[index];
    int ends[2];
    pid_t process = -1;
    if (pipe2(ends, O_CLOEXEC) == 0) {
        process = fork();
        if (process == 0) {
            (void)close(ends[0]);
            work(batch, started, ends[1]);
        }
        (void)close(ends[1]);
        if (process < 0) {
            (void)close(ends[0]);
        }
    }
    if (process < 0) {
        htp_cli_print_message("cannot start a process: %s", strerror(errno));
        return false;
    }
    started->process = process;
    started->reports = ends[0];
    started->model = batch->count == 1 ? (*batch->taken)++ : batch->count;
    worker_processes[index] = (sig_atomic_t)process;
    if (pending_signal) {
        (void)kill(process, pending_signal);
    }
    return true;
}

/* A worker ended. A model that it left unfinished was reported by its handlers, unless it was
 * killed; the only model is finished with it. */
static void judge_end(struct batch *batch, size_t index)
{
    lane *ended = &batch->lanes[index];
    int state = 0;
    (void)close(ended->reports);
    while (waitpid(ended->process, &state, 0) < 0 && errno == EINTR) {
    }
    ended->process = 0;
    worker_processes[index] = 0;
    if (ended->spool != NO_LANE) {
        (void)pass_on(batch, ended->spool, STDOUT_FILENO);
    }
    if (ended->model == batch->count || (pending_signal && !WIFEXITED(state))) {
        return;
    }
    if (WIFSIGNALED(state)) {
        batch->work->report_killed(batch->work->user, ended->model, WTERMSIG(state));
    }
    int code = WIFEXITED(state) ? WEXITSTATUS(state) : HTP_CODE_INTERNAL;
    batch->codes[ended->model] = code;
    batch->is_stopped = batch->is_stopped || code == HTP_CODE_INTERRUPTED;
}

/* Reads one report. @return false if the worker has ended */
static bool collect(struct batch *batch, lane *from)
{
    report told;
    ssize_t got = read(from->reports, &told, sizeof(told));
    if (got < 0 && errno == EINTR) {
        return true;
    }
    if (got != (ssize_t)sizeof(told) || told.model >= batch->count) {
        return false;
    }
    from->model = told.code == TAKEN ? told.model : batch->count;
    batch->codes[told.model] = told.code == TAKEN ? NOT_DONE : told.code;
    batch->is_stopped = batch->is_stopped || told.code == HTP_CODE_INTERRUPTED;
    return true;
}

static bool is_interrupted(const struct batch *batch)
{
    return batch->is_stopped || pending_signal != 0;
}

/* Waits for a report or an end. @return false if no worker is left */
static bool wait_for_any(struct batch *batch)
{
    struct pollfd waited[MOST_LANES];
    size_t lanes[MOST_LANES];
    nfds_t count = 0;
    for (size_t i = 0; i < batch->lane_count; i++) {
        if (batch->lanes[i].process > 0) {
            lanes[count] = i;
            waited[count++] = (struct pollfd){.fd = batch->lanes[i].reports, .events = POLLIN};
        }
    }
    if (count > 0 && poll(waited, count, -1) > 0) {
        for (nfds_t i = 0; i < count; i++) {
            if (waited[i].revents && !collect(batch, &batch->lanes[lanes[i]])) {
                judge_end(batch, lanes[i]);
            }
        }
    }
    return count > 0;
}

/* Works until all models are done, or nothing more can be. @return false if no process could be
 * started */
static bool supervise(struct batch *batch)
{
    bool runs = true;
    do {
        for (size_t i = 0; i < batch->lane_count && runs; i++) {
            if (batch->lanes[i].process == 0 && *batch->taken < batch->count &&
                !is_interrupted(batch)) {
                runs = start(batch, i);
            }
        }
    } while (wait_for_any(batch));
    return runs;
}

/* Memory and files that the processes share. */
static bool prepare(struct batch *batch)
{
    void *shared = mmap(NULL, sizeof(*batch->taken), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    batch->codes = calloc(batch->count, sizeof(*batch->codes));
    batch->turn = batch->lane_count > 1 ? memfd_create("htp-trace", MFD_CLOEXEC) : NO_LANE;
    bool is_ready =
        shared != MAP_FAILED && batch->codes && (batch->lane_count == 1 || batch->turn >= 0);
    batch->taken = shared;
    for (size_t i = 0; i < batch->lane_count && is_ready; i++) {
        batch->lanes[i].spool =
            batch->lane_count > 1 ? memfd_create("htp-trace", MFD_CLOEXEC) : NO_LANE;
        is_ready = batch->lane_count == 1 || batch->lanes[i].spool >= 0;
    }
    return is_ready;
}

/* @param is_told  why not all were done. @return the code of the first failure */
static int list_failures(const struct batch *batch, bool is_told)
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
    if (batch->count == 1 && (first != NOT_DONE || is_told)) {
        return first; /* which it has reported itself */
    }
    htp_cli_print_message("%zu of %zu models failed:", failures, batch->count);
    for (size_t i = 0; i < batch->count; i++) {
        if (batch->codes[i] == NOT_DONE) {
            htp_cli_print_detail("%s: not done", batch->models[i]);
        } else if (batch->codes[i] != HTP_CODE_OK) {
            htp_cli_print_detail("%s: exit code %d", batch->models[i], batch->codes[i]);
        }
    }
    return first == NOT_DONE ? HTP_CODE_INTERNAL : first;
}

int htp_cli_batch_run(const char *const *models, size_t count, size_t jobs,
                      const htp_cli_batch_work *work)
{
    static struct batch batch; /* once in a process, which ends soon */
    size_t lanes = jobs < count ? jobs : count;
    batch = (struct batch){.models = models,
                           .count = count,
                           .lane_count = lanes < MOST_LANES ? lanes : MOST_LANES,
                           .work = work};
    if (!prepare(&batch)) {
        htp_cli_print_message("out of memory");
        return HTP_CODE_INTERNAL;
    }
    for (size_t i = 0; i < count; i++) {
        batch.codes[i] = NOT_DONE;
    }
    watch_signals();
    bool runs = supervise(&batch);
    int first = list_failures(&batch, !runs || is_interrupted(&batch));
    bool is_done = count == 1 && batch.codes[0] != NOT_DONE; /* before the signal, or by it */
    if (is_interrupted(&batch) && !is_done) {
        first = HTP_CODE_INTERRUPTED;
    } else if (!runs) {
        first = HTP_CODE_INTERNAL;
    }
    free(batch.codes);
    return first;
}
