#include "source/torchscript/shims.h"

#include "base/text.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PREFIX "libhtp-shim-"
#define SUFFIX ".so"

static const struct {
    unsigned major, minor, last;
} bands[] = {
#define BAND(major, minor, last) {major, minor, last},
#include "source/torchscript/bands.def"
};

static const char own_library; /* its address is in this library */

/* ---- finding ---- */

static bool read_name(htp_arena *arena, const char *name, htp_shim_file *shim)
{
    size_t length = strlen(name), around = strlen(PREFIX) + strlen(SUFFIX);
    htp_libtorch_number version;
    if (length <= around || strcmp(name + length - strlen(SUFFIX), SUFFIX) != 0) {
        return false;
    }
    const char *number = htp_arena_copy(arena, name + strlen(PREFIX), length - around);
    if (!htp_libtorch_number_read(arena, number, &version)) {
        return false;
    }
    *shim = (htp_shim_file){.major = version.major, .minor = version.minor, .last = version.minor};
    for (size_t i = 0; i < sizeof(bands) / sizeof(*bands); i++) {
        if (bands[i].major == shim->major && bands[i].minor == shim->minor) {
            shim->last = bands[i].last;
        }
    }
    return true;
}

static int compare_shims(const void *first, const void *second)
{
    const htp_shim_file *a = first, *b = second;
    return a->major != b->major ? (a->major > b->major) - (a->major < b->major)
                                : (a->minor > b->minor) - (a->minor < b->minor);
}

/* Looks at @p tail below the folder of @p file. A name without a folder is ignored: code is never
 * loaded from the working directory. */
static void look_beside(htp_arena *arena, const char *file, const char *tail, htp_shims *shims)
{
    const char *slash = strrchr(file, '/');
    if (!slash || shims->folder) {
        return;
    }
    const char *folder = htp_arena_printf(arena, "%.*s%s", (int)(slash - file), file, tail);
    htp_file_names names = htp_libtorch_files(arena, folder, PREFIX);
    shims->tried = shims->tried ? htp_arena_join(arena, shims->tried, ", ", folder) : folder;
    for (size_t i = 0; i < names.count; i++) {
        htp_shim_file shim;
        if (read_name(arena, names.items[i], &shim)) {
            shim.path = htp_arena_join(arena, folder, "/", names.items[i]);
            shims->folder = folder;
            HTP_PUSH(arena, &shims->files, shim);
        }
    }
    if (shims->files.count > 1) {
        qsort(shims->files.items, shims->files.count, sizeof(*shims->files.items), compare_shims);
    }
}

htp_shims htp_shims_find(htp_arena *arena)
{
    htp_shims shims = {0};
    char executable[PATH_MAX];
    Dl_info library;
    if (dladdr(&own_library, &library) != 0 && library.dli_fname) {
        look_beside(arena, library.dli_fname, "", &shims);
        look_beside(arena, library.dli_fname, "/htp", &shims);
    }
    ssize_t length = readlink("/proc/self/exe", executable, sizeof(executable) - 1);
    if (length > 0) {
        executable[length] = '\0';
        look_beside(arena, executable, "", &shims);
        look_beside(arena, executable, "/../lib/htp", &shims);
    }
    look_beside(arena, HTP_SHIM_FOLDER "/", "", &shims);
    return shims;
}

/* ---- choosing ---- */

const htp_shim_file *htp_shims_pick(const htp_shims *shims, const htp_libtorch_number *version)
{
    const htp_shim_file *picked = NULL; /* the latest that serves it, so the one built with it */
    for (size_t i = 0; i < shims->files.count; i++) {
        const htp_shim_file *shim = &shims->files.items[i];
        if (shim->major == version->major && shim->minor <= version->minor &&
            version->minor <= shim->last) {
            picked = shim;
        }
    }
    return picked;
}

const char *htp_shims_versions(htp_arena *arena, const htp_shims *shims)
{
    htp_text text = {.arena = arena};
    for (size_t i = 0; i < shims->files.count;) {
        const htp_shim_file *shim = &shims->files.items[i];
        unsigned last = shim->last;
        for (i++; i < shims->files.count && shims->files.items[i].major == shim->major &&
                  shims->files.items[i].minor <= last + 1;
             i++) {
            last = shims->files.items[i].last > last ? shims->files.items[i].last : last;
        }
        htp_text_addf(&text, "%s%u.%u", text.length > 0 ? ", " : "", shim->major, shim->minor);
        if (last > shim->minor) {
            htp_text_addf(&text, " to %u.%u", shim->major, last);
        }
    }
    return htp_text_string(&text);
}
