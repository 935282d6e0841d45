#include "synced.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MAX_FILES = 1024 };

static struct changed {
    dev_t device;
    ino_t number; /* 0: on disk */
    bool is_folder;
} changed[MAX_FILES];

/* By system calls: the C library's functions are hooked. @return false if it is neither a file nor
 * a folder */
static bool look_at(int folder, const char *path, int flags, struct stat *facts)
{
    return syscall(SYS_newfstatat, folder, path, facts, flags) == 0 &&
           (S_ISREG(facts->st_mode) || S_ISDIR(facts->st_mode));
}

/* @return the entry of the file, or else a free one */
static struct changed *find(const struct stat *facts)
{
    struct changed *unused = NULL;
    for (size_t i = 0; i < MAX_FILES; i++) {
        if (changed[i].number == facts->st_ino && changed[i].device == facts->st_dev) {
            return &changed[i];
        }
        unused = changed[i].number == 0 && !unused ? &changed[i] : unused;
    }
    if (!unused) {
        abort();
    }
    return unused;
}

void htp_synced_change(int file)
{
    struct stat facts;
    if (look_at(file, "", AT_EMPTY_PATH, &facts)) {
        *find(&facts) = (struct changed){facts.st_dev, facts.st_ino, .is_folder = false};
    }
}

void htp_synced_done(int file)
{
    struct stat facts;
    if (look_at(file, "", AT_EMPTY_PATH, &facts)) {
        find(&facts)->number = 0;
    }
}

bool htp_synced_is(const char *path)
{
    struct stat facts;
    return !look_at(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, &facts) || find(&facts)->number == 0;
}

/* ---- names ---- */

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* @return false if the name is a temporary one, or its folder is not there */
static bool look_at_folder(const char *path, struct stat *facts)
{
    static const char temporary[] = ".htp-trace-";
    char folder[PATH_MAX];
    const char *name = name_of(path);
    (void)snprintf(folder, sizeof(folder), "%.*s.", (int)(name - path), path);
    return strncmp(name, temporary, strlen(temporary)) != 0 && look_at(AT_FDCWD, folder, 0, facts);
}

void htp_synced_name(const char *path)
{
    struct stat facts;
    if (look_at_folder(path, &facts)) {
        *find(&facts) = (struct changed){facts.st_dev, facts.st_ino, .is_folder = true};
    }
}

bool htp_synced_are_names(const char *path)
{
    struct stat facts;
    return !look_at_folder(path, &facts) || find(&facts)->number == 0;
}

bool htp_synced_are_all_names(void)
{
    for (size_t i = 0; i < MAX_FILES; i++) {
        if (changed[i].number != 0 && changed[i].is_folder) {
            return false;
        }
    }
    return true;
}
