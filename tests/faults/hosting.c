#include "hosting.h"

#include <htp/htp.h>

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static const int signals[] = {SIGXFSZ, SIGPIPE};
enum { SIGNALS = sizeof(signals) / sizeof(signals[0]) };

/* ---- what it does ---- */

static htp_status export_to(const char *model, const char *output)
{
    htp_options options;
    htp_options_init(&options);
    return htp_export(model, output, &options, NULL);
}

static htp_status export_pair(const char *model, const char *output)
{
    htp_options options;
    htp_options_init(&options);
    options.external_data = HTP_EXTERNAL_ALWAYS;
    options.sidecar = "";
    return htp_export(model, output, &options, NULL);
}

/* A model that is read from memory. */
static htp_status export_memory(const char *model, const char *output)
{
    struct stat facts;
    htp_memory_file *file = NULL;
    const int input = open(model, O_RDONLY | O_CLOEXEC);
    if (input < 0 || fstat(input, &facts) != 0) {
        abort();
    }
    const size_t bytes = (size_t)facts.st_size;
    void *mapped = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, input, 0);
    if (mapped == MAP_FAILED) {
        abort();
    }
    htp_status status = htp_memory_file_make(mapped, bytes, &file);
    status = status ? status : export_to(htp_memory_file_path(file), output);
    htp_memory_file_free(file);
    (void)munmap(mapped, bytes);
    (void)close(input);
    return status;
}

/* To a pipe that nobody reads. */
static htp_status export_pipe(const char *model, const char *output)
{
    char path[32];
    int ends[2];
    (void)output;
    if (pipe(ends) != 0 || close(ends[0]) != 0) {
        abort();
    }
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", ends[1]);
    htp_status status = export_to(model, path);
    (void)close(ends[1]);
    return status;
}

static htp_status split(const char *model, const char *output)
{
    htp_model *opened = NULL;
    htp_splitting splitting;
    htp_splitting_init(&splitting);
    splitting.depth = 1;
    htp_status status = htp_model_open(model, &opened);
    status = status ? status : htp_model_split(opened, &splitting, output, NULL, NULL);
    htp_model_free(opened);
    return status;
}

static htp_status draw(const char *model, const char *output)
{
    htp_model *opened = NULL;
    htp_drawing drawing;
    htp_drawing_init(&drawing);
    htp_status status = htp_model_open(model, &opened);
    status = status ? status : htp_model_draw(opened, &drawing, output);
    htp_model_free(opened);
    return status;
}

static htp_status strip(const char *model, const char *output)
{
    htp_model *opened = NULL;
    htp_status status = htp_model_open(model, &opened);
    status = status ? status : htp_model_strip(opened, output, NULL);
    htp_model_free(opened);
    return status;
}

/* With itself. */
static htp_status compare(const char *model, const char *output)
{
    htp_model *opened = NULL;
    (void)output;
    htp_status status = htp_model_open(model, &opened);
    status = status ? status : htp_model_compare(opened, opened, NULL, NULL, NULL);
    htp_model_free(opened);
    return status;
}

/* ---- asking again ---- */

enum { ANSWERS = 4 };

typedef htp_status (*ask_fn)(htp_model *opened, const char *output, char **answer);

static htp_status inspect(htp_model *opened, const char *output, char **answer)
{
    htp_inspect_options options;
    htp_inspect_options_init(&options);
    options.borders = true;
    (void)output;
    return htp_model_inspect(opened, &options, NULL, answer);
}

static htp_status select_all(htp_model *opened, const char *output, char **answer)
{
    static const char *const modules[] = {"**"};
    htp_selection selection;
    htp_selection_init(&selection);
    selection.modules = modules;
    selection.module_count = 1;
    (void)output;
    return htp_model_select(opened, &selection, answer);
}

static htp_status compare_with_itself(htp_model *opened, const char *output, char **answer)
{
    (void)output;
    return htp_model_compare(opened, opened, NULL, answer, NULL);
}

static htp_status extract_first(htp_model *opened, const char *output, char **answer)
{
    static const char *const modules[] = {"first"};
    htp_extraction extraction;
    htp_extraction_init(&extraction);
    extraction.modules = modules;
    extraction.module_count = 1;
    return htp_model_extract(opened, &extraction, output, NULL, answer);
}

static void expect_ok(htp_status status)
{
    if (status) {
        (void)fprintf(stderr, "%s\n", htp_status_message(status));
        abort();
    }
}

/* A fault comes once, so that a second attempt succeeds. */
static htp_model *open_again(const char *model)
{
    htp_model *opened = NULL;
    htp_status status = htp_model_open(model, &opened);
    if (status) {
        htp_status_free(status);
        expect_ok(htp_model_open(model, &opened));
    }
    return opened;
}

static void ask_all(htp_model *opened, const char *output, char **answers)
{
    static const ask_fn asks[ANSWERS] = {inspect, select_all, compare_with_itself, extract_first};
    for (size_t i = 0; i < ANSWERS; i++) {
        htp_status status = asks[i](opened, output, &answers[i]);
        if (status) {
            htp_status_free(status);
            expect_ok(asks[i](opened, output, &answers[i]));
        }
    }
}

/* A call that fails without memory leaves the model as it was: the answers of a model that is asked
 * twice, and of a new one, are equal. */
static htp_status ask_again(const char *model, const char *output)
{
    htp_model *const opened[] = {open_again(model), open_again(model)};
    htp_model *const asked[] = {opened[0], opened[0], opened[1]};
    char *answers[3][ANSWERS];
    for (size_t i = 0; i < 3; i++) {
        ask_all(asked[i], output, answers[i]);
    }
    for (size_t k = 0; k < ANSWERS; k++) {
        for (size_t i = 1; i < 3; i++) {
            if (strcmp(answers[i][k], answers[0][k]) != 0) {
                (void)fprintf(stderr, "%s\n%s\n", answers[0][k], answers[i][k]);
                abort();
            }
            htp_string_free(answers[i][k]);
        }
        htp_string_free(answers[0][k]);
    }
    htp_model_free(opened[0]);
    htp_model_free(opened[1]);
    return NULL;
}

static const struct {
    const char *word;
    htp_status (*work)(const char *model, const char *output);
} works[] = {{"export", export_to},
             {"export_pair", export_pair},
             {"export_memory", export_memory},
             {"export_pipe", export_pipe},
             {"split", split},
             {"draw", draw},
             {"strip", strip},
             {"compare", compare},
             {"ask_again", ask_again}};

/* ---- the signals ---- */

/* How the process handles them. */
struct handling {
    bool is_default[SIGNALS], is_blocked[SIGNALS], is_pending[SIGNALS];
};

static struct handling find_handling(void)
{
    struct handling found;
    sigset_t blocked, pending;
    memset(&found, 0, sizeof(found));
    (void)pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    (void)sigpending(&pending);
    for (size_t i = 0; i < SIGNALS; i++) {
        struct sigaction action;
        (void)sigaction(signals[i], NULL, &action);
        found.is_default[i] = action.sa_handler == SIG_DFL;
        found.is_blocked[i] = sigismember(&blocked, signals[i]) == 1;
        found.is_pending[i] = sigismember(&pending, signals[i]) == 1;
    }
    return found;
}

static void handle_all(void (*handler)(int))
{
    for (size_t i = 0; i < SIGNALS; i++) {
        (void)signal(signals[i], handler);
    }
}

int htp_hosting_run(int count, char **words)
{
    enum { WORK, MODEL, OUTPUT, WORDS };
    htp_status status = NULL;
    bool is_known = false;
    handle_all(SIG_DFL);
    const struct handling before = find_handling();
    for (size_t i = 0; i < sizeof(works) / sizeof(works[0]) && count == WORDS; i++) {
        if (strcmp(words[WORK], works[i].word) == 0) {
            is_known = true;
            status = works[i].work(words[MODEL], words[OUTPUT]);
        }
    }
    const struct handling after = find_handling();
    handle_all(SIG_IGN); /* the message may be too long for the limit */
    int code = (int)htp_status_code(status);
    if (!is_known || memcmp(&before, &after, sizeof(before)) != 0) {
        code = HTP_HOSTING_CHANGED;
    }
    if (status) {
        (void)fprintf(stderr, "htp-trace: %s\n", htp_status_message(status));
    }
    htp_status_free(status);
    return code;
}
