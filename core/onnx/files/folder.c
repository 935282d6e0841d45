#include "onnx/files/folder.h"

#include "base/files/descriptor.h"
#include "onnx/files/output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- looking ---- */

static bool is_dot(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* @return errno; ENOTEMPTY if it is not empty */
static int check_empty(const char *path)
{
    DIR *names = opendir(path);
    int error = names ? 0 : errno;
    for (const struct dirent *entry = names ? readdir(names) : NULL; entry && !error;
         entry = readdir(names)) {
        error = is_dot(entry->d_name) ? 0 : ENOTEMPTY;
    }
    if (names) {
        (void)closedir(names);
    }
    return error;
}

/* The absolute path of a folder that does not exist yet; its parent must exist. */
static bool resolve(const char *path, char resolved[PATH_MAX])
{
    char above[PATH_MAX];
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') {
        length--;
    }
    const char *slash = memrchr(path, '/', length);
    const char *name = slash ? slash + 1 : path;
    int name_length = (int)(path + length - name);
    int above_length = slash ? (int)(slash - path) + 1 : 1;
    if (length >= PATH_MAX || name_length == 0) {
        errno = name_length == 0 ? ENOENT : ENAMETOOLONG;
        return false;
    }
    (void)snprintf(above, sizeof(above), "%.*s", above_length, slash ? path : ".");
    char *folder = realpath(above, NULL);
    if (!folder) {
        return false;
    }
    int total = snprintf(resolved, PATH_MAX, "%s%s%.*s", folder, strcmp(folder, "/") ? "/" : "",
                         name_length, name);
    free(folder);
    errno = ENAMETOOLONG;
    return total < PATH_MAX;
}

/* @return errno */
static int find(htp_folder *folder, const char *path)
{
    char *there = realpath(path, NULL);
    if (there) {
        bool fits = strlen(there) < PATH_MAX;
        (void)snprintf(folder->path, PATH_MAX, "%s", there);
        free(there);
        return fits ? check_empty(folder->path) : ENAMETOOLONG;
    }
    if (errno != ENOENT || !resolve(path, folder->path)) {
        return errno;
    }
    return 0;
}

static htp_status cannot_write(const char *path, int error)
{
    return error == ENOTEMPTY || error == EEXIST
               ? htp_status_make(HTP_CODE_CANNOT_WRITE,
                                 "cannot write '%s': there are files in it already; choose another "
                                 "folder, or empty this one",
                                 path)
               : htp_output_cannot_write(path, error);
}

/* ---- what dead runs left ---- */

/* Removes the files in a folder. Subfolders stay, and then the folder, too. */
static void remove_files(DIR *names)
{
    rewinddir(names);
    for (const struct dirent *entry = readdir(names); entry; entry = readdir(names)) {
        if (!is_dot(entry->d_name)) {
            (void)unlinkat(dirfd(names), entry->d_name, 0);
        }
    }
}

/* Opens a folder for its names. @return NULL: errno says why */
static DIR *open_names(int above, const char *name)
{
    int fd = openat(above, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *names = fd < 0 ? NULL : fdopendir(fd);
    if (fd >= 0 && !names) {
        int error = errno;
        (void)close(fd);
        errno = error;
    }
    return names;
}

static void remove_left(int above, const char *name)
{
    struct stat facts;
    DIR *names = open_names(above, name);
    if (!names) {
        return;
    }
    if (fstat(dirfd(names), &facts) == 0 && facts.st_uid == geteuid() &&
        flock(dirfd(names), LOCK_EX | LOCK_NB) == 0) {
        remove_files(names);
        (void)unlinkat(above, name, AT_REMOVEDIR);
    }
    (void)closedir(names);
}

static void remove_all_left(const char *path)
{
    char above[PATH_MAX];
    const char *slash = strrchr(path, '/');
    (void)snprintf(above, sizeof(above), "%.*s", (int)(slash - path) + 1, path);
    DIR *names = opendir(above);
    for (const struct dirent *entry = names ? readdir(names) : NULL; entry;
         entry = readdir(names)) {
        if (htp_temporary_is_name(entry->d_name)) {
            remove_left(dirfd(names), entry->d_name);
        }
    }
    if (names) {
        (void)closedir(names);
    }
}

/* ---- the steps ---- */

/* Makes and locks a temporary folder. @return errno; ENOENT if another run has removed it */
static int make_one(htp_folder *folder)
{
    folder->temporary = htp_temporary_create_folder(folder->path);
    if (!folder->temporary) {
        return errno;
    }
    folder->names = open_names(AT_FDCWD, htp_temporary_path(folder->temporary));
    int error = folder->names ? 0 : errno;
    if (!error && !htp_temporary_lock(folder->temporary, dirfd(folder->names))) {
        error = ENOENT;
    }
    if (error) {
        htp_folder_discard(folder);
    }
    return error;
}

/* @return errno */
static int make(htp_folder *folder)
{
    enum { MOST_TRIES = 1000 };
    int error = make_one(folder);
    for (int i = 1; i < MOST_TRIES && error == ENOENT; i++) {
        error = make_one(folder);
    }
    return error;
}

htp_status htp_folder_begin(htp_folder *folder, const char *path)
{
    memset(folder, 0, sizeof(*folder));
    int error = find(folder, path);
    if (!error) {
        remove_all_left(folder->path);
        error = make(folder);
    }
    return error ? cannot_write(path, error) : HTP_OK;
}

bool htp_folder_file(const htp_folder *folder, const char *name, char path[PATH_MAX])
{
    int length = snprintf(path, PATH_MAX, "%s/%s", htp_temporary_path(folder->temporary), name);
    return length > 0 && length < PATH_MAX;
}

htp_status htp_folder_publish(htp_folder *folder)
{
    struct stat facts;
    int error = htp_descriptor_sync_folder(dirfd(folder->names));
    if (error) {
        return cannot_write(folder->path, error);
    }
    if (stat(folder->path, &facts) == 0) {
        (void)fchmod(dirfd(folder->names), facts.st_mode & (mode_t)0777);
    }
    if (rename(htp_temporary_path(folder->temporary), folder->path) != 0) {
        return cannot_write(folder->path, errno);
    }
    (void)htp_descriptor_sync_folder_of(folder->path); /* there is no way back */
    htp_temporary_release(folder->temporary);
    folder->temporary = NULL;
    (void)closedir(folder->names);
    folder->names = NULL;
    return HTP_OK;
}

void htp_folder_discard(htp_folder *folder)
{
    if (!folder->temporary) {
        return;
    }
    if (folder->names) {
        remove_files(folder->names);
        (void)closedir(folder->names);
        folder->names = NULL;
    }
    (void)rmdir(htp_temporary_path(folder->temporary));
    htp_temporary_release(folder->temporary);
    folder->temporary = NULL;
}
