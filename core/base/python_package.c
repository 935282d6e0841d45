#include "base/python_package.h"

#include "base/text.h"

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

/* Adds the files below a prefix that are not listed yet. */
static void add_below(htp_arena *arena, const char *prefix, const char *file,
                      htp_package_files *found)
{
    for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
        glob_t matches;
        const char *pattern = htp_arena_printf(arena, "%s/%s/%s", prefix, folders[i], file);
        if (glob(pattern, 0, NULL, &matches) == 0) {
            const char *path = htp_arena_strdup(arena, matches.gl_pathv[matches.gl_pathc - 1]);
            globfree(&matches);
            if (!htp_text_is_one_of(path, found->items, found->count)) {
                HTP_PUSH(arena, found, path);
            }
        }
    }
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

htp_package_files htp_package_find(htp_arena *arena, const char *package, const char *file)
{
    const char *below = htp_arena_join(arena, package, "/", file);
    htp_package_files found = {0};
    const char *environment = secure_getenv("VIRTUAL_ENV");
    const char *python = find_python(arena);
    char real[PATH_MAX];
    if (environment && *environment) {
        add_below(arena, environment, below, &found);
    }
    if (python) {
        add_below(arena, prefix_of(arena, python), below, &found);
        if (realpath(python, real)) { /* a virtual environment's is a link */
            add_below(arena, prefix_of(arena, real), below, &found);
        }
    }
    return found;
}
