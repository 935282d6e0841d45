#include "source/torchscript/shim_loader.h"

#include "interpret/meta/kernels.h"
#include "source/program/program.h"
#include "source/torchscript/shims.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define WITHOUT_LIBTORCH "or save a program of torch.export (.pt2), which needs no libtorch"

static pthread_mutex_t shim_mutex = PTHREAD_MUTEX_INITIALIZER;
static const htp_shim *shim_opened;
static htp_shim shim_renamed; /* shim_opened, if its libtorch is not the one it was built with */

/* ---- opening ---- */

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

/* Opens libtorch, so that its shim finds it open: a shim does not search for one. */
static htp_status open_both(htp_arena *arena, const htp_libtorch *libtorch,
                            const htp_shim_file *file, const htp_shim **shim)
{
    if (!dlopen(libtorch->path, RTLD_LAZY | RTLD_LOCAL)) {
        return htp_status_make(HTP_CODE_INTERNAL,
                               "cannot read TorchScript: %s cannot be loaded: %s", libtorch->path,
                               dlerror());
    }
    HTP_TRY(open_shim(file->path, shim));
    if (libtorch->version.text && strcmp((*shim)->libtorch_version, libtorch->version.text) != 0) {
        shim_renamed = **shim;
        shim_renamed.libtorch_version = strdup(libtorch->version.text);
        if (!shim_renamed.libtorch_version) {
            htp_arena_exhaust(arena);
        }
        *shim = &shim_renamed;
    }
    return HTP_OK;
}

/* ---- choosing ---- */

static htp_status no_shim(const htp_shims *shims)
{
    return htp_status_make(HTP_CODE_INTERNAL,
                           "cannot read TorchScript: no libhtp-shim-VERSION.so found (tried %s); "
                           "build with libtorch (make LIBTORCH=DIR), " WITHOUT_LIBTORCH,
                           shims->tried ? shims->tried : "nowhere");
}

/* No libtorch that is there has a shim. */
static htp_status none_fits(htp_arena *arena, const htp_libtorches *found, const htp_shims *shims)
{
    const char *served = htp_shims_versions(arena, shims);
    if (found->count == 0) {
        return htp_status_make(
            HTP_CODE_INTERNAL,
            "cannot read TorchScript: no libtorch found; install PyTorch (python3 -m pip install "
            "torch; there are shims for %s), name the folder of one (--libtorch "
            "DIR), " WITHOUT_LIBTORCH,
            served);
    }
    const htp_libtorch *first = &found->items[0];
    const char *version =
        htp_arena_printf(arena, "%u.%u", first->version.major, first->version.minor);
    return htp_status_make(
        HTP_CODE_INTERNAL,
        "cannot read TorchScript: there is no shim for libtorch %s (%s), but for %s; name the "
        "folder of one of these (--libtorch DIR), " WITHOUT_LIBTORCH,
        first->version.text         ? first->version.text
        : first->version.major != 0 ? version
                                    : "of unknown version",
        first->path, served);
}

static htp_status find_guarded(htp_arena *arena, const char *chosen, const htp_shim **shim)
{
    const char *named = secure_getenv("HTP_SHIM");
    htp_libtorches found;
    if (htp_arena_recover(arena) != 0) {
        return htp_status_make(HTP_CODE_INTERNAL, "out of memory");
    }
    if (named && *named) {
        return open_shim(named, shim);
    }
    htp_shims shims = htp_shims_find(arena);
    if (!shims.folder) {
        return no_shim(&shims);
    }
    HTP_TRY(htp_libtorch_list(arena, chosen, shims.folder, &found));
    for (size_t i = 0; i < found.count; i++) {
        const htp_shim_file *file = htp_shims_pick(&shims, &found.items[i].version);
        if (file) {
            return open_both(arena, &found.items[i], file, shim);
        }
    }
    return none_fits(arena, &found, &shims);
}

htp_status htp_shim_load(const char *libtorch, const htp_shim **shim)
{
    htp_status status = HTP_OK;
    htp_arena arena;
    (void)pthread_mutex_lock(&shim_mutex);
    if (!shim_opened) {
        htp_arena_init(&arena);
        status = find_guarded(&arena, libtorch, &shim_opened);
        htp_arena_free(&arena);
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
