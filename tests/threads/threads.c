/*
 * Threads on the C API, for ThreadSanitizer: each exports programs of torch.export, which needs no
 * libtorch, and inspects, extracts from and measures the results, on files of its own and on those
 * that all threads use. Every answer must be that of one thread alone.
 *
 *     threads FOLDER ROUNDS MODEL.pt2...
 *
 * FOLDER gets the files. Started by tests/threads/run.
 */
#include <htp/htp.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 8, PATH_BYTES = 4096 };

/* What all threads read. */
static struct {
    const char *folder;
    long rounds;
    const char *const *models;
    size_t model_count;
    char **inspected; /* by model: the answer of one thread */
} shared;

typedef struct worker {
    pthread_t thread;
    size_t number;
    size_t failures;
} worker;

static bool succeeds(htp_status status, const char *what)
{
    if (!status) {
        return true;
    }
    (void)fprintf(stderr, "%s: %s\n", what, htp_status_message(status));
    htp_status_free(status);
    return false;
}

/* FOLDER/NAME-NUMBER.onnx */
static void make_path(char *path, const char *name, size_t number)
{
    (void)snprintf(path, PATH_BYTES, "%s/%s-%zu.onnx", shared.folder, name, number);
}

static bool export_model(const char *model, const char *path)
{
    htp_options options;
    htp_options_init(&options);
    htp_result *result = NULL;
    bool is_done = succeeds(htp_export(model, path, &options, &result), "export");
    is_done = is_done && htp_result_node_count(result) > 0;
    htp_result_free(result);
    return is_done;
}

/* The module tree of a model as JSON without its path; NULL on failure. */
static char *inspect(const char *path)
{
    htp_model *model = NULL;
    char *text = NULL;
    char *tree = NULL;
    if (succeeds(htp_model_open(path, &model), "open") &&
        succeeds(htp_model_inspect(model, NULL, &text, NULL), "inspect")) {
        const char *end_of_path = strchr(text, '\n');
        tree = strdup(end_of_path ? end_of_path : text);
    }
    htp_string_free(text);
    htp_model_free(model);
    return tree;
}

static bool extract(const char *path, const char *part)
{
    static const char *const modules[] = {"**"};
    htp_extraction extraction;
    htp_extraction_init(&extraction);
    extraction.modules = modules;
    extraction.module_count = 1;
    htp_model *model = NULL;
    bool is_done = succeeds(htp_model_open(path, &model), "open") &&
                   succeeds(htp_model_extract(model, &extraction, part, NULL, NULL), "extract");
    htp_model_free(model);
    return is_done;
}

static bool measure(const char *path)
{
    htp_quality_options options;
    htp_quality_options_init(&options);
    char *text = NULL;
    char *json = NULL;
    bool is_done = succeeds(htp_measure_quality(&path, 1, &options, &text, &json, NULL), "quality");
    htp_string_free(text);
    htp_string_free(json);
    return is_done;
}

static bool answers_alike(const char *path, size_t model)
{
    char *answer = inspect(path);
    bool is_alike = answer && strcmp(answer, shared.inspected[model]) == 0;
    if (answer && !is_alike) {
        (void)fprintf(stderr, "%s: another answer than that of one thread\n", path);
    }
    free(answer);
    return is_alike;
}

/* One round: the export of a model to a file of this thread, or to one that others write, too; and
 * queries of it, or of one that others read. */
static bool run_round(const worker *w, size_t round)
{
    const size_t model = (w->number + round) % shared.model_count;
    const bool is_common = round % 2 == 1;
    char own[PATH_BYTES];
    char common[PATH_BYTES];
    char part[PATH_BYTES];
    make_path(own, is_common ? "written-by-all" : "own", is_common ? model : w->number);
    make_path(common, "read-by-all", model);
    make_path(part, "part", w->number);
    const char *asked = is_common ? common : own;
    return export_model(shared.models[model], own) && answers_alike(own, model) &&
           answers_alike(asked, model) && extract(asked, part) && measure(asked);
}

static void *run_worker(void *argument)
{
    worker *w = argument;
    for (long round = 0; round < shared.rounds; round++) {
        w->failures += !run_round(w, (size_t)round);
    }
    return NULL;
}

/* The files that all threads read, and one thread's answers. */
static bool prepare(void)
{
    char path[PATH_BYTES];
    shared.inspected = calloc(shared.model_count, sizeof(*shared.inspected));
    for (size_t i = 0; shared.inspected && i < shared.model_count; i++) {
        make_path(path, "read-by-all", i);
        shared.inspected[i] = export_model(shared.models[i], path) ? inspect(path) : NULL;
        if (!shared.inspected[i]) {
            return false;
        }
    }
    return shared.inspected != NULL;
}

int main(int argc, char **argv)
{
    static worker workers[THREADS];
    size_t failures = 0;
    if (argc < 4) {
        (void)fprintf(stderr, "usage: threads FOLDER ROUNDS MODEL.pt2...\n");
        return EXIT_FAILURE;
    }
    shared.folder = argv[1];
    shared.rounds = strtol(argv[2], NULL, 10);
    shared.models = (const char *const *)argv + 3;
    shared.model_count = (size_t)argc - 3;
    if (!prepare()) {
        return EXIT_FAILURE;
    }
    for (size_t i = 0; i < THREADS; i++) {
        workers[i].number = i;
        if (pthread_create(&workers[i].thread, NULL, run_worker, &workers[i]) != 0) {
            (void)fprintf(stderr, "a thread cannot be started\n");
            return EXIT_FAILURE;
        }
    }
    for (size_t i = 0; i < THREADS; i++) {
        (void)pthread_join(workers[i].thread, NULL);
        failures += workers[i].failures;
    }
    for (size_t i = 0; i < shared.model_count; i++) {
        free(shared.inspected[i]);
    }
    free(shared.inspected);
    (void)printf("%d threads, %ld rounds each: %zu failed\n", THREADS, shared.rounds, failures);
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
