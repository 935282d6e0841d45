#include "source/torchscript/shim_loader.h"

#include "interpret/meta/kernels.h"
#include "source/program/program.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SHIM_FILE "libhtp-shim.so"

enum { CANDIDATE_LIMIT = 5 };

/* Candidate paths of the shim, in order. */
struct candidates {
    char paths[CANDIDATE_LIMIT][PATH_MAX];
    size_t count;
};

static pthread_mutex_t shim_mutex = PTHREAD_MUTEX_INITIALIZER;
static const htp_shim *shim_opened;

/* Adds @p tail in the folder of @p file. A name without a folder is ignored: code is never loaded
 * from the working directory. */
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

/* A path in the environment is the only candidate. */
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
                           "cannot read TorchScript: " SHIM_FILE " not found (tried %s); build "
                           "with libtorch (make LIBTORCH=DIR), set HTP_SHIM to its path, or save "
                           "a program of torch.export (.pt2), which needs neither",
                           paths);
}

/* Adds meta kernels of currently known operators. */
static htp_status add_meta_kernels(const htp_shim *shim, const char *path)
{
    htp_error error = {{0}};
    htp_shim_code code = shim->add_meta_kernels(htp_meta_kernels_all(), &error);
    return htp_status_prefix(htp_program_status(code, &error), path);
}

static htp_status open_shim(const char *path, const htp_shim **shim)
{
    /* Lazy binding: libtorch calls few of its own 40,000 functions. The shim was linked to bind
     * now. */
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

/* The first candidate that exists decides: if it is broken, that is an error. */
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

htp_status htp_shim_load(const htp_shim **shim)
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

htp_status htp_shim_load_library(const htp_shim *shim, const char *path)
{
    htp_error error = {{0}};
    htp_status status = htp_program_status(shim->load_library(path, &error), &error);
    if (!status) {
        return add_meta_kernels(shim, path);
    }
    htp_status refusal =
        htp_status_make(HTP_CODE_USAGE, "%s: cannot be loaded as a library of operators: %s", path,
                        htp_status_message(status));
    htp_status_free(status);
    return refusal;
}
