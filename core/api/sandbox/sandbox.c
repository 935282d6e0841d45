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
#include <errno.h>
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

/* @param reader  receives the format of a model; NULL: it is no archive.
 * @return HTP_CODE_INTERNAL if memory ran out, else HTP_OK */
static htp_status find_reader(const char *path, const htp_reader **reader)
{
    htp_archive archive = {.file = NULL};
    *reader = NULL;
    htp_status status = htp_reader_find(htp_readers, path, &archive, reader);
    htp_archive_close(&archive);
    if (htp_status_code(status) == HTP_CODE_INTERNAL) {
        return status;
    }
    htp_status_free(status);
    return HTP_OK;
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
static htp_status find_needs(const htp_sandbox_options *options, bool *needs_libtorch)
{
    *needs_libtorch = false;
    for (size_t i = 0; i < options->model_count && !*needs_libtorch; i++) {
        const htp_reader *reader = NULL;
        HTP_TRY(find_reader(options->models[i], &reader));
        *needs_libtorch = reader == &htp_torchscript_reader || (reader && options->verifies);
    }
    return HTP_OK;
}

/* @return whether all that are needed are open */
static bool open_libraries(const htp_sandbox_options *options, bool needs_libtorch)
{
    bool is_complete = !needs_libtorch || open_libtorch(options);
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

/* A path that is left out would be refused later, for a wrong reason. */
static htp_status check_memory(const void *made, int error)
{
    return made || error != ENOMEM ? HTP_OK : htp_status_make(HTP_CODE_INTERNAL, "out of memory");
}

/* A path without links; the caller frees it. @param real  receives NULL if there is none */
static htp_status find_real(const char *path, char **real)
{
    errno = 0;
    *real = realpath(path, NULL);
    return check_memory(*real, errno);
}

/* @param path  NULL: nothing is allowed */
static htp_status allow_folder(const htp_landlock *landlock, const char *path, htp_landlock_use use)
{
    if (!path) {
        return HTP_OK;
    }
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, slash > path ? (size_t)(slash - path) : 1) : strdup(".");
    htp_status status = check_memory(folder, ENOMEM);
    if (folder) {
        htp_landlock_allow(landlock, folder, use);
    }
    free(folder);
    return status;
}

/* A folder in the place of a file is opened, too, before it is refused. */
static void allow_input(const htp_landlock *landlock, const char *path)
{
    struct stat facts;
    bool is_folder = stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
    htp_landlock_allow(landlock, path, is_folder ? HTP_LANDLOCK_LIST : HTP_LANDLOCK_READ);
}

static htp_status allow_model(const htp_landlock *landlock, const char *path)
{
    const htp_reader *reader = NULL;
    char *real = NULL;
    allow_input(landlock, path);
    HTP_TRY(find_reader(path, &reader));
    if (reader) {
        return HTP_OK;
    }
    HTP_TRY(find_real(path, &real));
    htp_status status = allow_folder(landlock, real, HTP_LANDLOCK_LIST);
    free(real);
    return status;
}

static htp_status find_emptiness(const char *folder, bool *is_empty)
{
    errno = 0;
    DIR *names = opendir(folder);
    HTP_TRY(check_memory(names, errno));
    size_t count = 0;
    while (names && count <= 2 && readdir(names)) {
        count++; /* with "." and ".." */
    }
    if (names) {
        (void)closedir(names);
    }
    *is_empty = names && count == 2;
    return HTP_OK;
}

/* A folder that is there. An empty one may be replaced by a new one, which is made beside it. */
static htp_status allow_output_folder(const htp_landlock *landlock, const char *path)
{
    bool is_empty = false;
    char *real = NULL;
    htp_landlock_allow(landlock, path, HTP_LANDLOCK_WRITE);
    HTP_TRY(find_emptiness(path, &is_empty));
    if (!is_empty) {
        return HTP_OK;
    }
    HTP_TRY(find_real(path, &real));
    htp_status status = allow_folder(landlock, real, HTP_LANDLOCK_WRITE);
    free(real);
    return status;
}

/* What cannot be written is refused later. */
static htp_status allow_output(const htp_landlock *landlock, const char *path)
{
    struct stat facts;
    if (stat(path, &facts) == 0 && S_ISDIR(facts.st_mode)) {
        return allow_output_folder(landlock, path);
    }
    htp_output *output = malloc(sizeof(*output));
    HTP_TRY(check_memory(output, ENOMEM));
    htp_status status = htp_output_find(output, path);
    bool is_found = !status;
    if (htp_status_code(status) != HTP_CODE_INTERNAL) {
        htp_status_free(status);
        status = HTP_OK;
    }
    if (is_found && output->is_direct) {
        htp_landlock_allow(landlock, output->path, HTP_LANDLOCK_WRITE);
    } else if (is_found) {
        status = allow_folder(landlock, output->path, HTP_LANDLOCK_WRITE);
    }
    free(output);
    return status;
}

static htp_status allow_all(const htp_landlock *landlock, const htp_sandbox_options *options)
{
    for (size_t i = 0; i < sizeof(read_by_libraries) / sizeof(read_by_libraries[0]); i++) {
        htp_landlock_allow(landlock, read_by_libraries[i], HTP_LANDLOCK_LIST);
    }
    for (size_t i = 0; i < options->model_count; i++) {
        HTP_TRY(allow_model(landlock, options->models[i]));
    }
    for (size_t i = 0; i < options->input_count; i++) {
        allow_input(landlock, options->inputs[i]);
    }
    for (size_t i = 0; i < options->output_count; i++) {
        HTP_TRY(allow_output(landlock, options->outputs[i]));
    }
    return HTP_OK;
}

htp_status htp_sandbox_enter(const htp_sandbox_options *given, htp_walls *walls)
{
    htp_sandbox_options options;
    htp_walls standing = {.calls = false};
    htp_sandbox_options_init(&options);
    HTP_TRY(htp_given_copy(&options, sizeof(options), given, "the options of a sandbox were",
                           "htp_sandbox_options_init"));
    bool needs_libtorch = false;
    HTP_TRY(find_needs(&options, &needs_libtorch));
    bool is_complete = open_libraries(&options, needs_libtorch);
    (void)htp_stack_is_low(); /* which finds the stack */
    htp_landlock landlock = htp_landlock_begin(!is_complete, options.draws_svg);
    htp_status status = allow_all(&landlock, &options);
    if (status) {
        htp_landlock_abandon(&landlock);
        return status;
    }
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
