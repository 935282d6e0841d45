#include "cli/terminal/signals.h"

#include "cli/terminal/budget.h"
#include "cli/terminal/failure.h"
#include "cli/terminal/print.h"
#include "cli/terminal/terminal.h"
#include "onnx/serialize/writer.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    ALTERNATE_STACK_BYTES = 1 << 16,
    GRACE_SECONDS = 2,
};

/* Texts are prepared in advance, since a handler may only write. */
struct last_words {
    char *line;
    char *json;
};

static const struct crash {
    int signal;
    const char *name;
} crashes[] = {
    {SIGSEGV, "SIGSEGV"}, {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},
    {SIGILL, "SIGILL"},   {SIGABRT, "SIGABRT"},
};

enum { CRASH_COUNT = sizeof(crashes) / sizeof(crashes[0]) };

/* The current phase. */
enum phase {
    PHASE_READING,
    PHASE_TRACING,
    PHASE_EXPORTING,
    PHASE_ASKING,
    PHASE_COUNT,
};

/* The meaning of a crash. */
struct verdict {
    const char *format; /* takes the model and the signal */
    int code;
};

static struct last_words last_words[PHASE_COUNT][CRASH_COUNT];
static struct last_words exceeded[HTP_CLI_BUDGET_COUNT];
static struct last_words overflowed;
static const char *stack_end; /* of the main thread; NULL: it has none */
static volatile sig_atomic_t phase_now;
static volatile sig_atomic_t stop_requests;
static volatile sig_atomic_t is_reported;
static atomic_flag is_ending = ATOMIC_FLAG_INIT;

/* A crash proves nothing about the file. But a mapping whose end is gone raises SIGBUS, with a code
 * of its own: it is that of a file that was cut short. */
static struct verdict judge(enum phase phase, int signal)
{
    static const char *const formats[PHASE_COUNT] = {
        [PHASE_READING] =
            "%s: libtorch or htp-trace crashed (%s) while reading it; please report it",
        [PHASE_TRACING] = "%s: libtorch or htp-trace crashed (%s) while tracing it; please "
                          "report it",
        [PHASE_EXPORTING] = "%s: crashed (%s) after tracing it; this is a defect of htp-trace, "
                            "please report it",
        [PHASE_ASKING] = "%s: crashed (%s); this is a defect of htp-trace, please report it",
    };
    if (signal == SIGBUS) {
        return (struct verdict){"%s: the file was cut short while it was read (%s)",
                                HTP_CODE_BAD_INPUT};
    }
    return (struct verdict){formats[phase], HTP_CODE_INTERNAL};
}

static void write_all(int descriptor, const char *text)
{
    size_t length = text ? strlen(text) : 0;
    while (length > 0) {
        ssize_t written = write(descriptor, text, length);
        if (written <= 0) {
            return;
        }
        text += written;
        length -= (size_t)written;
    }
}

/* Only one thread ends the process. */
_Noreturn static void end(const struct last_words *words, int code)
{
    while (atomic_flag_test_and_set(&is_ending)) {
        (void)pause();
    }
    htp_builder_write_abandon();
    htp_cli_terminal_clear();
    write_all(STDERR_FILENO, words->line);
    write_all(htp_cli_json_descriptor(), words->json);
    _exit(code);
}

/* Whether an address lies where the stack ends. Beyond it is a gap of 1 MiB. */
static bool is_beyond_stack(const void *address)
{
    enum { NEAR = 1 << 20 };
    return stack_end && (const char *)address < stack_end + NEAR &&
           (const char *)address > stack_end - NEAR;
}

static void on_crash(int signal, siginfo_t *information, void *context)
{
    (void)context;
    if (signal == SIGSEGV && is_beyond_stack(information->si_addr)) {
        end(&overflowed, HTP_CODE_UNSUPPORTED);
    }
    enum phase phase = (enum phase)phase_now;
    bool is_cut = signal == SIGBUS && information->si_code == BUS_ADRERR;
    int judged = signal == SIGBUS && !is_cut ? SIGSEGV : signal;
    size_t i = 0;
    while (i + 1 < CRASH_COUNT && crashes[i].signal != judged) {
        i++;
    }
    end(&last_words[phase][i], judge(phase, judged).code);
}

_Noreturn static void end_interrupted(void)
{
    static char line[] = "htp-trace: interrupted\n";
    end(&(struct last_words){.line = line}, HTP_CODE_INTERRUPTED);
}

static void on_stop(int signal)
{
    (void)signal;
    if (is_reported) {
        return;
    }
    if (stop_requests > 0) {
        end_interrupted();
    }
    stop_requests = 1;
    (void)alarm(GRACE_SECONDS);
}

/* The timer: of a budget and of progress, or of the grace after a request to stop. */
static void on_alarm(int signal)
{
    const int error = errno; /* of the code that is interrupted */
    (void)signal;
    if (is_reported) {
        return;
    }
    if (stop_requests > 0) {
        end_interrupted();
    }
    htp_cli_budget exceeded_budget = htp_cli_budget_check();
    if (exceeded_budget != HTP_CLI_BUDGET_COUNT) {
        end(&exceeded[exceeded_budget], HTP_CODE_UNSUPPORTED);
    }
    htp_cli_terminal_tick();
    errno = error;
}

/* A signal that is ignored at start (nohup) stays ignored. No tick comes between a request and its
 * grace. */
static void install_stop(int signal)
{
    struct sigaction action = {.sa_handler = on_stop, .sa_flags = SA_ONSTACK | SA_RESTART};
    struct sigaction before;
    (void)sigemptyset(&action.sa_mask);
    (void)sigaddset(&action.sa_mask, SIGALRM);
    if (sigaction(signal, NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
        (void)sigaction(signal, &action, NULL);
    }
}

/* The timer is this program's own, whatever the one that started it did with its signal. */
static void install_alarm(void)
{
    struct sigaction action = {.sa_handler = on_alarm, .sa_flags = SA_ONSTACK | SA_RESTART};
    sigset_t signals;
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGALRM, &action, NULL);
    (void)sigemptyset(&signals);
    (void)sigaddset(&signals, SIGALRM);
    (void)sigprocmask(SIG_UNBLOCK, &signals, NULL);
}

static rlim_t find_stack_limit(void)
{
    struct rlimit limit;
    bool is_known = getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return is_known ? limit.rlim_cur : 0;
}

static void find_stack_end(void)
{
    const char *here = __builtin_frame_address(0);
    rlim_t bytes = find_stack_limit();
    stack_end = bytes > 0 && bytes < (uintptr_t)here ? here - bytes : NULL;
}

void htp_cli_signals_install(void)
{
    find_stack_end();
    static char alternate_stack[ALTERNATE_STACK_BYTES];
    const stack_t stack = {.ss_sp = alternate_stack, .ss_size = sizeof(alternate_stack)};
    (void)sigaltstack(&stack, NULL);
    struct sigaction action = {.sa_sigaction = on_crash, .sa_flags = SA_ONSTACK | SA_SIGINFO};
    (void)sigfillset(&action.sa_mask);
    for (size_t i = 0; i < CRASH_COUNT; i++) {
        (void)sigaction(crashes[i].signal, &action, NULL);
    }
    install_stop(SIGINT);
    install_stop(SIGTERM);
    install_stop(SIGHUP);
    install_alarm();
}

/* Replaces last words. @p error is freed. */
static void set_words(struct last_words *words, const char *model, bool json, int code, char *error)
{
    struct last_words before = *words;
    words->line = error ? htp_cli_message_line("%s", error) : NULL;
    words->json = error && json ? htp_cli_failure_json(model, code, error, HTP_OK) : NULL;
    free(before.line);
    free(before.json);
    free(error);
}

__attribute__((format(printf, 1, 2))) static char *write_text(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = NULL;
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    return length < 0 ? NULL : text;
}

static void set_budget_words(const char *model, bool json)
{
    char *time = write_text("%s: takes more than %d seconds; --time-limit raises this limit", model,
                            htp_cli_budget_of(HTP_CLI_BUDGET_TIME));
    set_words(&exceeded[HTP_CLI_BUDGET_TIME], model, json, HTP_CODE_UNSUPPORTED, time);
    char *memory =
        write_text("%s: takes more than %d MiB of memory; --memory-limit raises this limit", model,
                   htp_cli_budget_of(HTP_CLI_BUDGET_MEMORY));
    set_words(&exceeded[HTP_CLI_BUDGET_MEMORY], model, json, HTP_CODE_UNSUPPORTED, memory);
    char *stack = write_text("%s: is nested too deep for a stack of %llu kB (ulimit -s raises this "
                             "limit)",
                             model, (unsigned long long)find_stack_limit() / 1024);
    set_words(&overflowed, model, json, HTP_CODE_UNSUPPORTED, stack);
}

void htp_cli_signals_begin(const char *model, bool json)
{
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        for (size_t i = 0; i < CRASH_COUNT; i++) {
            struct verdict verdict = judge((enum phase)phase, crashes[i].signal);
            set_words(&last_words[phase][i], model, json, verdict.code,
                      write_text(verdict.format, model, crashes[i].name));
        }
    }
    phase_now = PHASE_READING;
    set_budget_words(model, json);
    htp_cli_budget_start();
}

void htp_cli_signals_finished(htp_stage stage)
{
    if (stage == HTP_STAGE_LOADED) {
        phase_now = PHASE_TRACING;
    } else if (stage == HTP_STAGE_TRACED) {
        phase_now = PHASE_EXPORTING;
    }
}

void htp_cli_signals_asking(void)
{
    phase_now = PHASE_ASKING;
}

bool htp_cli_signals_stop(void)
{
    return stop_requests > 0;
}

void htp_cli_signals_report_stop(void)
{
    is_reported = 1;
    (void)alarm(0);
    while (atomic_flag_test_and_set(&is_ending)) {
        (void)pause();
    }
}
