/*
 * Finding and opening the shim, and opening models with it.
 */
#include "source/torchscript.h"

#include "source/devices.h"

#include "interpret/meta/kernels.h"
#include "interpret/operators/message.h"
#include "interpret/operators/operand_checks.h"
#include "interpret/restore/restore.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SHIM_FILE "libhtp-shim.so"

enum { CANDIDATE_LIMIT = 5 };

/* Paths where a shim may lie, in order. */
struct candidates {
    char paths[CANDIDATE_LIMIT][PATH_MAX];
    size_t count;
};

static pthread_mutex_t shim_mutex = PTHREAD_MUTEX_INITIALIZER;
static const htp_shim *shim_opened;

/* Adds @p tail in the folder of @p file. A name without a folder says nothing: code is never
 * loaded from the working directory. */
static void add_beside(struct candidates *candidates, const char *file, const char *tail)
{
    const char *slash = strrchr(file, '/');
    if (!slash) {
        return;
    }
    char *path = candidates->paths[candidates->count];
    int written = snprintf(path, PATH_MAX, "%.*s/%s", (int)(slash - file), file, tail);
    if (written < 0 || written >= PATH_MAX) {
        return;
    }
    for (size_t i = 0; i < candidates->count; i++) {
        if (strcmp(candidates->paths[i], path) == 0) {
            return;
        }
    }
    candidates->count++;
}

static void add_path(struct candidates *candidates, const char *path)
{
    int written = snprintf(candidates->paths[candidates->count], PATH_MAX, "%s", path);
    candidates->count += written >= 0 && written < PATH_MAX;
}

/* A path in the environment is a decision; nothing else is tried then. */
static void list_candidates(struct candidates *candidates)
{
    const char *chosen = secure_getenv("HTP_SHIM");
    if (chosen && *chosen) {
        add_path(candidates, chosen);
        return;
    }
    char executable[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", executable, sizeof(executable) - 1);
    if (length > 0) {
        executable[length] = '\0';
        add_beside(candidates, executable, SHIM_FILE);
        add_beside(candidates, executable, "../lib/htp/" SHIM_FILE);
    }
    Dl_info library;
    if (dladdr(&shim_mutex, &library) != 0 && library.dli_fname) {
        add_beside(candidates, library.dli_fname, SHIM_FILE);
        add_beside(candidates, library.dli_fname, "htp/" SHIM_FILE);
    }
    add_path(candidates, HTP_SHIM_PATH);
}

static htp_status no_shim(const struct candidates *candidates)
{
    char paths[CANDIDATE_LIMIT * (PATH_MAX + 2)];
    size_t length = 0;
    paths[0] = '\0';
    for (size_t i = 0; i < candidates->count; i++) {
        length += (size_t)snprintf(paths + length, sizeof(paths) - length, "%s%s", i ? ", " : "",
                                   candidates->paths[i]);
    }
    return htp_status_make(HTP_CODE_INTERNAL,
                           "cannot read TorchScript: " SHIM_FILE " not found (tried %s); install "
                           "it, or set HTP_SHIM to its path",
                           paths);
}

/* Of operators that libtorch knows by now. */
static htp_status add_meta_kernels(const htp_shim *shim, const char *path)
{
    htp_shim_error error = {{0}};
    htp_shim_code code = shim->add_meta_kernels(htp_meta_kernels_all(), &error);
    return htp_torchscript_status(path, code, &error);
}

static htp_status open_shim(const char *path, const htp_shim **shim)
{
    /* libtorch calls few of its own 40,000 functions; the shim's are bound now, as it was linked.
     */
    void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (!library) {
        return htp_status_make(HTP_CODE_INTERNAL,
                               "cannot read TorchScript: %s cannot be loaded (%s); is the libtorch "
                               "that it was built with installed?",
                               path, dlerror());
    }
    /* ISO C has no conversion between object and function pointers; POSIX defines this one. */
    const htp_shim *(*shim_open)(uint32_t) = NULL;
    *(void **)&shim_open = dlsym(library, "htp_shim_open");
    const htp_shim *opened = shim_open ? shim_open(HTP_SHIM_ABI) : NULL;
    if (!opened || opened->abi != HTP_SHIM_ABI) {
        (void)dlclose(library);
        return htp_status_make(
            HTP_CODE_INTERNAL,
            "cannot read TorchScript: %s is not a shim of this version (ABI %u); "
            "install both from one build",
            path, HTP_SHIM_ABI);
    }
    HTP_TRY(add_meta_kernels(opened, path));
    *shim = opened;
    return HTP_OK;
}

/* The first candidate that exists decides: a broken one is an error, not a reason to go on. */
static htp_status find_shim(const htp_shim **shim)
{
    struct candidates *candidates = calloc(1, sizeof(*candidates));
    if (!candidates) {
        return htp_status_make(HTP_CODE_INTERNAL, "out of memory");
    }
    list_candidates(candidates);
    htp_status status = HTP_OK;
    size_t i = 0;
    while (i < candidates->count && access(candidates->paths[i], F_OK) != 0) {
        i++;
    }
    if (i < candidates->count) {
        status = open_shim(candidates->paths[i], shim);
    } else {
        status = no_shim(candidates);
    }
    free(candidates);
    return status;
}

htp_status htp_torchscript_shim(const htp_shim **shim)
{
    htp_status status = HTP_OK;
    (void)pthread_mutex_lock(&shim_mutex);
    if (!shim_opened) {
        status = find_shim(&shim_opened);
    }
    *shim = shim_opened;
    (void)pthread_mutex_unlock(&shim_mutex);
    return status;
}

htp_status htp_torchscript_status(const char *path, htp_shim_code code, const htp_shim_error *error)
{
    static const htp_code codes[] = {
        [HTP_SHIM_OK] = HTP_CODE_OK,
        [HTP_SHIM_INTERNAL] = HTP_CODE_INTERNAL,
        [HTP_SHIM_NOT_MODEL] = HTP_CODE_BAD_INPUT,
        [HTP_SHIM_BAD_INPUTS] = HTP_CODE_USAGE,
        [HTP_SHIM_UNSUPPORTED] = HTP_CODE_UNSUPPORTED,
    };
    if (code == HTP_SHIM_OK) {
        return HTP_OK;
    }
    return htp_status_make(codes[code], "%s: %s", path, error->message);
}

htp_status htp_torchscript_load_library(const htp_shim *shim, const char *path)
{
    htp_shim_error error = {{0}};
    if (shim->load_library(path, &error) == HTP_SHIM_OK) {
        return add_meta_kernels(shim, path);
    }
    htp_message_shorten(&error);
    return htp_status_make(HTP_CODE_USAGE, "%s: cannot be loaded as a library of operators: %s",
                           path, error.message);
}

bool htp_watch_tick(void *user, uint64_t done, uint64_t total)
{
    htp_watch *watch = user;
    const htp_progress progress = {
        .stage = watch->stage, .done = done, .total = total, .label = watch->label};
    if (watch->progress && !watch->progress(watch->user, &progress)) {
        watch->is_interrupted = true;
    }
    return !watch->is_interrupted;
}

/* libtorch's reason, and what to do where the file needs an operator that nobody registered. */
static void explain_refusal(htp_shim_error *error)
{
    static const char *const unknown = "Unknown builtin op: ";
    const char *found = strstr(error->message, unknown);
    if (!found) {
        return;
    }
    bool is_own = strncmp(found + strlen(unknown), "aten::", 6) == 0;
    size_t length = strlen(error->message);
    while (length > 0 && error->message[length - 1] == '.') {
        length--;
    }
    (void)snprintf(error->message + length, sizeof(error->message) - length, "%s",
                   is_own ? ": this libtorch does not have it; a newer one may"
                          : ": pass the library that registers it with --load-library");
}

/* An archive that is being read, with the records that were read so far and all that there are. */
typedef struct reading {
    htp_watch watch;
    uint64_t done;
    uint64_t total;
    double text_work;
    htp_devices devices;
} reading;

static bool note_records(void *user, uint64_t done, uint64_t total)
{
    reading *now = user;
    now->done = done;
    now->total = total;
    return htp_watch_tick(&now->watch, done, total);
}

/* No record is read while an object is restored. */
static bool note_steps(void *user, uint64_t done, uint64_t total)
{
    reading *now = user;
    (void)done;
    (void)total;
    return htp_watch_tick(&now->watch, now->done, now->total);
}

static bool may_run(void *user, const htp_shim_operation *operation, htp_shim_error *reason)
{
    reading *now = user;
    return htp_operation_may_run(operation, &now->text_work, reason);
}

/* A status as libtorch's reader is told of it. */
static htp_shim_code tell(htp_status status, htp_shim_error *error)
{
    static const struct {
        htp_code code;
        htp_shim_code told;
    } codes[] = {
        {HTP_CODE_OK, HTP_SHIM_OK},
        {HTP_CODE_BAD_INPUT, HTP_SHIM_NOT_MODEL},
        {HTP_CODE_UNSUPPORTED, HTP_SHIM_UNSUPPORTED},
    };
    htp_shim_code told = HTP_SHIM_INTERNAL;
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        told = codes[i].code == htp_status_code(status) ? codes[i].told : told;
    }
    (void)snprintf(error->message, sizeof(error->message), "%s", htp_status_message(status));
    htp_status_free(status);
    return told;
}

static htp_shim_code restore(void *user, const htp_program *program, const htp_runner *runner,
                             uint32_t object, const htp_operand *state, htp_shim_error *error)
{
    const reading *now = user;
    const htp_restoring of = {.program = program,
                              .runner = runner,
                              .object = object,
                              .state = state,
                              .devices = now->devices,
                              .tick = note_steps,
                              .user = user};
    return tell(htp_restore(&of), error);
}

htp_status htp_torchscript_open(const htp_shim *shim, const char *path, const htp_archive *archive,
                                htp_progress_fn progress, void *user, htp_shim_model **model)
{
    reading now = {.watch = {.stage = HTP_STAGE_LOADED,
                             .label = "records",
                             .progress = progress,
                             .user = user},
                   .devices = htp_devices_of(archive)};
    htp_shim_error error = {{0}};
    *model = NULL;
    const htp_shim_contents contents = {
        .records = archive->records,
        .record_count = archive->record_count,
        .made = archive->made.items,
        .made_count = (uint32_t)archive->made.count,
        .given = archive->given.items,
        .given_count = (uint32_t)archive->given.count,
    };
    const htp_shim_host host = {.user = &now,
                                .tick = note_records,
                                .is_checked = htp_operation_is_checked,
                                .may_run = may_run,
                                .restore = restore};
    htp_shim_code code = shim->open(path, &contents, &host, model, &error);
    if (code != HTP_SHIM_OK) {
        htp_message_shorten(&error);
    }
    if (code == HTP_SHIM_NOT_MODEL) {
        explain_refusal(&error);
    }
    return now.watch.is_interrupted ? htp_status_make(HTP_CODE_INTERRUPTED, "interrupted")
                                    : htp_torchscript_status(path, code, &error);
}
