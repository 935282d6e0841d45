/*
 * Where ONNX Runtime is.
 */
#include "runtime/runtime.h"

#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where packages are below the prefix of a Python, in the order in which they are looked for. */
static const char *const folders[] = {
    "lib/python3*/site-packages",
    "lib64/python3*/site-packages",
    "lib/python3/dist-packages",
    "local/lib/python3*/dist-packages",
};

/* The library of the package below a prefix; the last one of several. @return NULL: there is none
 */
static const char *find_below(htp_arena *arena, const char *prefix)
{
    const char *found = NULL;
    for (size_t i = 0; i < sizeof(folders) / sizeof(*folders) && !found; i++) {
        glob_t matches;
        const char *pattern = htp_arena_printf(arena, "%s/%s/onnxruntime/capi/libonnxruntime.so*",
                                               prefix, folders[i]);
        if (glob(pattern, 0, NULL, &matches) == 0) {
            found = htp_arena_strdup(arena, matches.gl_pathv[matches.gl_pathc - 1]);
            globfree(&matches);
        }
    }
    return found;
}

/* PREFIX of PREFIX/bin/python3. */
static const char *prefix_of(htp_arena *arena, const char *program)
{
    const char *slash = strrchr(program, '/');
    size_t length = slash ? (size_t)(slash - program) : 0;
    while (length > 0 && program[length - 1] != '/') {
        length--;
    }
    return htp_arena_copy(arena, program, length > 0 ? length - 1 : 0);
}

/* The python3 on PATH; NULL: there is none. */
static const char *find_python(htp_arena *arena)
{
    const char *path = secure_getenv("PATH");
    while (path && *path) {
        size_t length = strcspn(path, ":");
        const char *program = htp_arena_printf(arena, "%.*s/python3", (int)length, path);
        if (*path == '/' && access(program, X_OK) == 0) {
            return program;
        }
        path += length + (path[length] == ':');
    }
    return NULL;
}

const char *htp_runtime_find(htp_arena *arena, const char *file)
{
    const char *environment = secure_getenv("VIRTUAL_ENV");
    const char *found = file;
    if (!found && environment && *environment) {
        found = find_below(arena, environment);
    }
    const char *python = found ? NULL : find_python(arena);
    if (python) {
        char real[PATH_MAX];
        found = find_below(arena, prefix_of(arena, python)); /* a virtual environment's is a link */
        if (!found && realpath(python, real)) {
            found = find_below(arena, prefix_of(arena, real));
        }
    }
    return found ? found : "libonnxruntime.so";
}
