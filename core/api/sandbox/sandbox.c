/*
 * Opens what is needed, then gives up the rest.
 */
#include "api/options.h"
#include "api/queries/graphviz.h"
#include "api/readers.h"
#include "api/reference/reference.h"
#include "base/files/descriptor.h"
#include "base/limits/limits.h"
#include "base/sandbox/landlock.h"
#include "base/sandbox/seccomp.h"
#include "onnx/files/output.h"
#include "runtime/runtime.h"
#include "source/torchscript/shim_loader.h"
#include "source/torchscript/torchscript.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What libraries read once they are open: the processor's cores and caches. */
static const char *const read_by_libraries[] = {
    "/dev/null",
    "/dev/urandom",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/self/environ",
    "/sys/devices/system/cpu",
    "/sys/devices/system/node",
};

void htp_sandbox_options_init(htp_sandbox_options *options)
{
    if (options) {
        *options = (htp_sandbox_options){.struct_size = sizeof(*options)};
    }
}

/* ---- before ---- */

/* The format of a model; NULL: it is no archive. */
static const htp_reader *find_reader(const char *path)
{
    const htp_reader *reader = NULL;
    htp_archive archive = {.file = NULL};
    htp_arena arena; /* of the archive's opening alone */
    htp_arena_init(&arena);
    if (htp_arena_recover(&arena) == 0) {
        htp_status_free(htp_reader_find(htp_readers, path, &archive, &reader));
    }
    htp_archive_close(&archive);
    htp_arena_free(&arena);
    return reader;
}

/* @return false if something is missing */
static bool open_libtorch(const htp_sandbox_options *options)
{
    const htp_shim *shim = NULL;
    htp_status status = htp_shim_load(options->libtorch, &shim);
    for (size_t i = 0; i < options->library_count && !status; i++) {
        status = htp_shim_load_library(shim, options->libraries[i]);
    }
    bool is_open = !status;
    htp_status_free(status);
    return is_open;
}

/* A verification runs the operators of programs of torch.export, too. */
static bool needs_libtorch(const htp_sandbox_options *options)
{
    bool is_needed = false;
    for (size_t i = 0; i < options->model_count && !is_needed; i++) {
        const htp_reader *reader = find_reader(options->models[i]);
        is_needed = reader == &htp_torchscript_reader || (reader && options->verifies);
    }
    return is_needed;
}

static bool open_libraries(const htp_sandbox_options *options)
{
    bool is_complete = !needs_libtorch(options) || open_libtorch(options);
    if (options->verifies) {
        is_complete = htp_runtime_preload(options->onnxruntime) && is_complete;
        htp_descriptor_keep_unnamed(HTP_PROGRAM_CANDIDATES); /* for what the operators compute */
    }
    if (options->draws_svg) {
        htp_graphviz_start();
    }
    return is_complete;
}

/* ---- rules ---- */

/* The folder of a path; the caller frees it. NULL: no memory, or it is not there */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? strndup(path, slash > path ? (size_t)(slash - path) : 1) : strdup(".");
}

static void allow_folder(const htp_landlock *landlock, const char *path, htp_landlock_use use)
{
    char *folder = path ? folder_of(path) : NULL;
    if (folder) {
        htp_landlock_allow(landlock, folder, use);
    }
    free(folder);
}

/* A folder in the place of a file is opened, too, before it is refused. */
static void allow_input(const htp_landlock *landlock, const char *path)
{
    struct stat facts;
    bool is_folder = stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
    htp_landlock_allow(landlock, path, is_folder ? HTP_LANDLOCK_LIST : HTP_LANDLOCK_READ);
}

static void allow_model(const htp_landlock *landlock, const char *path)
{
    allow_input(landlock, path);
    if (!find_reader(path)) {
        char *real = realpath(path, NULL);
        allow_folder(landlock, real, HTP_LANDLOCK_LIST);
        free(real);
    }
}

static bool is_empty(const char *folder)
{
    DIR *names = opendir(folder);
    size_t count = 0;
    while (names && count <= 2 && readdir(names)) {
        count++; /* with "." and ".." */
    }
    if (names) {
        (void)closedir(names);
    }
    return names && count == 2;
}

/* A folder that is there. An empty one may be replaced by a new one, which is made beside it. */
static void allow_output_folder(const htp_landlock *landlock, const char *path)
{
    char *real = realpath(path, NULL);
    htp_landlock_allow(landlock, path, HTP_LANDLOCK_WRITE);
    if (real && is_empty(real)) {
        allow_folder(landlock, real, HTP_LANDLOCK_WRITE);
    }
    free(real);
}

static void allow_output(const htp_landlock *landlock, const char *path)
{
    struct stat facts;
    if (stat(path, &facts) == 0 && S_ISDIR(facts.st_mode)) {
        allow_output_folder(landlock, path);
        return;
    }
    htp_output *output = malloc(sizeof(*output));
    htp_status status = output ? htp_output_find(output, path) : HTP_OK;
    if (output && !status && output->is_direct) {
        htp_landlock_allow(landlock, output->path, HTP_LANDLOCK_WRITE);
    } else if (output && !status) {
        allow_folder(landlock, output->path, HTP_LANDLOCK_WRITE);
    }
    htp_status_free(status);
    free(output);
}

static void allow_all(const htp_landlock *landlock, const htp_sandbox_options *options)
{
    for (size_t i = 0; i < sizeof(read_by_libraries) / sizeof(read_by_libraries[0]); i++) {
        htp_landlock_allow(landlock, read_by_libraries[i], HTP_LANDLOCK_LIST);
    }
    for (size_t i = 0; i < options->model_count; i++) {
        allow_model(landlock, options->models[i]);
    }
    for (size_t i = 0; i < options->input_count; i++) {
        allow_input(landlock, options->inputs[i]);
    }
    for (size_t i = 0; i < options->output_count; i++) {
        allow_output(landlock, options->outputs[i]);
    }
}

htp_status htp_sandbox_enter(const htp_sandbox_options *given, htp_walls *walls)
{
    htp_sandbox_options options;
    htp_walls standing = {.calls = false};
    htp_sandbox_options_init(&options);
    HTP_TRY(htp_given_copy(&options, sizeof(options), given, "the options of a sandbox were",
                           "htp_sandbox_options_init"));
    (void)htp_stack_is_low(); /* which finds the stack */
    bool is_complete = open_libraries(&options);
    htp_landlock landlock = htp_landlock_begin(!is_complete, options.draws_svg);
    allow_all(&landlock, &options);
    if (htp_seccomp_give_up_privileges()) {
        standing.writing = htp_landlock_end(&landlock);
        standing.reading = standing.writing && is_complete;
        standing.calls = htp_seccomp_enforce();
    }
    if (walls) {
        *walls = standing;
    }
    return HTP_OK;
}
