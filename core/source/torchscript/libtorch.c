#include "source/torchscript/libtorch.h"

#include "base/python_package.h"

#include <dirent.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIBRARY "libtorch_cpu.so"

enum {
    VERSION_BYTES = 4096, /* in which a file tells its version */
    HIGHEST_NUMBER = 9999,
};

/* Where libraries are below a folder. */
static const char *const library_folders[] = {
    "/lib", "/lib64", "/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu", "",
};

static const char *const system_folders[] = {"/usr/local", "/usr"};

/* Files above the folder of libraries that tell a version, and the word before it. */
static const struct {
    const char *file;
    const char *word;
} version_files[] = {
    {"version.py", "__version__"},
    {"build-version", ""},
};

/* ---- versions ---- */

static bool read_number(const char **at, unsigned *number)
{
    char *end = NULL;
    if (**at < '0' || **at > '9') {
        return false;
    }
    unsigned long value = strtoul(*at, &end, 10);
    *at = end;
    *number = (unsigned)value;
    return value <= HIGHEST_NUMBER;
}

bool htp_libtorch_number_read(htp_arena *arena, const char *text, htp_libtorch_number *version)
{
    const char *at = text;
    unsigned patch = 0;
    *version = (htp_libtorch_number){0};
    if (!read_number(&at, &version->major) || *at++ != '.' || !read_number(&at, &version->minor)) {
        *version = (htp_libtorch_number){0};
        return false;
    }
    if (*at == '.' && (at++, read_number(&at, &patch))) {
        version->text = htp_arena_printf(arena, "%u.%u.%u", version->major, version->minor, patch);
    }
    return true;
}

/* The version that a file tells. */
static bool read_version_file(htp_arena *arena, const char *path, const char *word,
                              htp_libtorch_number *version)
{
    char text[VERSION_BYTES + 1];
    FILE *file = fopen(path, "re");
    if (!file) {
        return false;
    }
    size_t count = fread(text, 1, VERSION_BYTES, file);
    (void)fclose(file);
    text[count] = '\0';
    for (const char *at = strstr(text, word); at; at = strstr(at + 1, word)) {
        const char *after = at + strlen(word);
        after += strspn(after, " ='\"");
        if (htp_libtorch_number_read(arena, after, version)) {
            return true;
        }
        if (!*word) {
            break;
        }
    }
    return false;
}

/* The folder of a file by its name alone: the folder of libraries may be a link. */
static const char *folder_of(htp_arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? htp_arena_copy(arena, path, (size_t)(slash - path)) : ".";
}

/* libtorch_cpu.so.1.13 of a distribution tells in its name, where the third number is not always
 * that of the release. */
static void find_version(htp_arena *arena, htp_libtorch *libtorch)
{
    char real[PATH_MAX];
    const char *above = folder_of(arena, folder_of(arena, libtorch->path));
    for (size_t i = 0; i < sizeof(version_files) / sizeof(*version_files); i++) {
        const char *path = htp_arena_join(arena, above, "/", version_files[i].file);
        if (read_version_file(arena, path, version_files[i].word, &libtorch->version)) {
            return;
        }
    }
    const char *name = realpath(libtorch->path, real) ? strstr(real, LIBRARY ".") : NULL;
    if (name) {
        (void)htp_libtorch_number_read(arena, name + strlen(LIBRARY "."), &libtorch->version);
        libtorch->version.text = NULL;
    }
}

/* ---- places ---- */

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

htp_file_names htp_libtorch_files(htp_arena *arena, const char *folder, const char *prefix)
{
    htp_file_names names = {0};
    DIR *listed = opendir(folder);
    const struct dirent *entry;
    while (listed && (entry = readdir(listed))) {
        if (strncmp(entry->d_name, prefix, strlen(prefix)) == 0) {
            HTP_PUSH(arena, &names, htp_arena_strdup(arena, entry->d_name));
        }
    }
    if (listed) {
        (void)closedir(listed);
    }
    if (names.count > 1) {
        qsort(names.items, names.count, sizeof(*names.items), compare_names);
    }
    return names;
}

bool htp_libtorch_in(htp_arena *arena, const char *folder, htp_libtorch *libtorch)
{
    for (size_t i = 0; i < sizeof(library_folders) / sizeof(*library_folders); i++) {
        const char *libraries = htp_arena_join(arena, folder, "", library_folders[i]);
        htp_file_names names = htp_libtorch_files(arena, libraries, LIBRARY);
        if (names.count > 0) {
            *libtorch =
                (htp_libtorch){.path = htp_arena_join(arena, libraries, "/", names.items[0])};
            find_version(arena, libtorch);
            return true;
        }
    }
    return false;
}

/* Stops at the libtorch of the process. */
static int find_open(struct dl_phdr_info *object, size_t size, void *user)
{
    const char **path = user;
    const char *slash = strrchr(object->dlpi_name, '/');
    (void)size;
    if (!slash || strncmp(slash + 1, LIBRARY, strlen(LIBRARY)) != 0) {
        return 0;
    }
    *path = object->dlpi_name;
    return 1;
}

static void add(htp_arena *arena, const char *path, htp_libtorches *found)
{
    htp_libtorch libtorch = {.path = path};
    find_version(arena, &libtorch);
    HTP_PUSH(arena, found, libtorch);
}

static void add_in(htp_arena *arena, const char *folder, htp_libtorches *found)
{
    htp_libtorch libtorch;
    if (htp_libtorch_in(arena, folder, &libtorch)) {
        HTP_PUSH(arena, found, libtorch);
    }
}

htp_status htp_libtorch_list(htp_arena *arena, const char *chosen, const char *shims,
                             htp_libtorches *found)
{
    const char *open_path = NULL;
    *found = (htp_libtorches){0};
    (void)dl_iterate_phdr(find_open, &open_path);
    if (open_path) {
        add(arena, htp_arena_strdup(arena, open_path), found);
        return HTP_OK;
    }
    chosen = chosen && *chosen ? chosen : secure_getenv("HTP_LIBTORCH");
    if (chosen && *chosen) {
        add_in(arena, chosen, found);
        return found->count > 0
                   ? HTP_OK
                   : htp_status_make(HTP_CODE_USAGE, "%s: there is no libtorch (lib/" LIBRARY ")",
                                     chosen);
    }
    add_in(arena, htp_arena_join(arena, shims, "/", "libtorch"), found);
    htp_package_files packages = htp_package_find(arena, "torch", "lib/" LIBRARY);
    for (size_t i = 0; i < packages.count; i++) {
        add(arena, packages.items[i], found);
    }
    for (size_t i = 0; i < sizeof(system_folders) / sizeof(*system_folders); i++) {
        add_in(arena, system_folders[i], found);
    }
    return HTP_OK;
}
