#include "onnx/files/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MAX_LINKS = 40,    /* links in a chain, the system's own limit */
    WAITING = 8 << 20, /* bytes that may wait for the disk */
};

htp_status htp_output_cannot_write(const char *path, int error)
{
    static const struct {
        int error;
        const char *advice;
    } advices[] = {
        {ENOENT, "create the folder first"},
        {ENOTDIR, "a part of the path is no folder"},
        {EISDIR, "give the name of a file"},
        {EACCES, "choose another path"},
        {EPERM, "choose another path"},
        {EROFS, "choose another path"},
        {ENOSPC, "free some space or choose another disk"},
        {EDQUOT, "free some space or choose another disk"},
        {EFBIG, "choose another disk, or raise the limit of file sizes (ulimit -f)"},
    };
    const char *advice = "";
    for (size_t i = 0; i < sizeof(advices) / sizeof(advices[0]); i++) {
        advice = advices[i].error == error ? advices[i].advice : advice;
    }
    return htp_status_make(HTP_CODE_CANNOT_WRITE, "cannot write '%s': %s%s%s", path,
                           strerror(error), *advice ? ": " : "", advice);
}

static void append_packed(ProtobufCBuffer *buffer, size_t length, const uint8_t *data)
{
    htp_output_append((htp_output *)buffer, data, length);
}

static htp_status begin(htp_output *output, const char *path)
{
    output->base.append = append_packed;
    output->fd = -1;
    output->failure = 0;
    output->position = 0;
    output->written = 0;
    output->begun = 0;
    output->used = 0;
    output->temporary = NULL;
    output->is_direct = false;
    output->is_private = false;
    output->owner = geteuid();
    size_t length = strlen(path);
    if (length >= sizeof(output->path)) {
        return htp_output_cannot_write(path, ENAMETOOLONG);
    }
    memcpy(output->path, path, length + 1);
    return HTP_OK;
}

/* Replaces the path of a symbolic link by its target, which may not exist. @return errno */
static int follow_link(char *path)
{
    char target[PATH_MAX];
    ssize_t bytes = readlink(path, target, sizeof(target) - 1);
    if (bytes < 0) {
        return errno;
    }
    target[bytes] = '\0';
    const char *slash = strrchr(path, '/');
    size_t folder = *target != '/' && slash ? (size_t)(slash - path) + 1 : 0;
    if (folder + (size_t)bytes >= PATH_MAX) {
        return ENAMETOOLONG;
    }
    memcpy(path + folder, target, (size_t)bytes + 1);
    return 0;
}

/* Follows links. The system has followed them before, so they are valid. */
static htp_status follow_links(htp_output *output)
{
    struct stat facts;
    int error = 0;
    for (int i = 0; i < MAX_LINKS && error == 0; i++) {
        if (lstat(output->path, &facts) != 0 || !S_ISLNK(facts.st_mode)) {
            return HTP_OK;
        }
        error = follow_link(output->path);
    }
    return htp_output_cannot_write(output->path, error ? error : ELOOP);
}

/* Resolves links in the file's path. @return false if it has none: the file behind /dev/stdout may
 * be unlinked. */
static bool resolve(htp_output *output, const char *path, const struct stat *facts)
{
    struct stat found;
    char own[PATH_MAX];
    if (lstat(path, &found) == 0 && !S_ISLNK(found.st_mode)) {
        return true;
    }
    if (!realpath(path, own) || stat(own, &found) != 0 || found.st_dev != facts->st_dev ||
        found.st_ino != facts->st_ino) {
        return false;
    }
    memcpy(output->path, own, strlen(own) + 1);
    return true;
}

bool htp_output_is_same(const char *a, const char *b)
{
    struct stat first;
    struct stat second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

/* Splits off the folder of a path, with its slash. @return the name */
static const char *split_path(const char *path, char folder[PATH_MAX])
{
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    length = length < PATH_MAX ? length : 0;
    memcpy(folder, length > 0 ? path : ".", length > 0 ? length : 1);
    folder[length > 0 ? length : 1] = '\0';
    return slash ? slash + 1 : path;
}

bool htp_output_are_one(const char *a, const char *b)
{
    char folders[2][PATH_MAX];
    const char *first = split_path(a, folders[0]);
    const char *second = split_path(b, folders[1]);
    return strcmp(first, second) == 0 && htp_output_is_same(folders[0], folders[1]);
}

/* The temporary file is made in the folder, whether or not the file exists. */
static htp_status check_folder(const htp_output *output)
{
    char folder[PATH_MAX];
    (void)split_path(output->path, folder);
    if (output->is_direct || access(folder, W_OK | X_OK) == 0) {
        return HTP_OK;
    }
    return errno == ENOENT || errno == ENOTDIR
               ? htp_output_cannot_write(output->path, errno)
               : htp_status_make(HTP_CODE_CANNOT_WRITE,
                                 "cannot write '%s': folder '%s': %s: choose another path",
                                 output->path, folder, strerror(errno));
}

htp_status htp_output_find(htp_output *output, const char *path)
{
    struct stat facts;
    HTP_TRY(begin(output, path));
    if (stat(path, &facts) != 0) {
        HTP_TRY(errno == ENOENT ? follow_links(output) : htp_output_cannot_write(path, errno));
        return check_folder(output);
    }
    if (S_ISDIR(facts.st_mode)) {
        return htp_output_cannot_write(path, EISDIR);
    }
    if (S_ISSOCK(facts.st_mode)) { /* cannot be opened, which is told before anything is written */
        return htp_output_cannot_write(path, ENXIO);
    }
    if (access(path, W_OK) != 0) {
        return htp_output_cannot_write(path, errno);
    }
    output->is_direct = !S_ISREG(facts.st_mode) || !resolve(output, path, &facts);
    output->is_private = !output->is_direct;
    output->owner = facts.st_uid;
    return check_folder(output);
}

htp_status htp_output_find_beside(htp_output *output, const htp_output *file, const char *path)
{
    struct stat facts;
    HTP_TRY(begin(output, path));
    output->is_private = file->is_private || (lstat(path, &facts) == 0 && S_ISREG(facts.st_mode));
    return HTP_OK;
}

htp_status htp_output_open(htp_output *output, uint64_t bytes)
{
    if (output->is_direct) {
        output->fd = open(output->path, O_WRONLY | O_CLOEXEC);
    } else {
        /* The umask and the folder decide the mode of a new file from the start. */
        output->temporary =
            htp_temporary_create(output->path, output->is_private ? 0600 : 0666, &output->fd);
        output->fd = output->temporary ? output->fd : -1;
    }
    if (output->fd < 0) {
        return htp_output_cannot_write(output->path, errno);
    }
    if (output->is_direct || bytes == 0) {
        return HTP_OK;
    }
    if (bytes > INT64_MAX) {
        return htp_output_cannot_write(output->path, EFBIG);
    }
    /* On file systems without reservation, writing will report a full disk. */
    if (fallocate(output->fd, 0, 0, (off_t)bytes) != 0 &&
        (errno == ENOSPC || errno == EDQUOT || errno == EFBIG)) {
        return htp_output_cannot_write(output->path, errno);
    }
    return HTP_OK;
}

/* Lets the disk begin with what was written, so that less is left when the file is synced. */
static void begin_writing_back(htp_output *output)
{
    if (!output->is_direct && output->written - output->begun >= WAITING) {
        (void)sync_file_range(output->fd, (off_t)output->begun,
                              (off_t)(output->written - output->begun), SYNC_FILE_RANGE_WRITE);
        output->begun = output->written;
    }
}

static void write_all(htp_output *output, const unsigned char *data, size_t bytes)
{
    while (bytes > 0 && output->failure == 0) {
        ssize_t written = write(output->fd, data, bytes);
        if (written > 0) {
            data += written;
            bytes -= (size_t)written;
            output->written += (uint64_t)written;
        } else if (written == 0 || errno != EINTR) {
            output->failure = written == 0 ? EIO : errno;
        }
    }
    begin_writing_back(output);
}

static void flush_buffer(htp_output *output)
{
    write_all(output, output->buffer, output->used);
    output->used = 0;
}

void htp_output_append(htp_output *output, const void *data, size_t bytes)
{
    if (bytes >= sizeof(output->buffer)) {
        htp_output_copy(output, data, bytes);
        return;
    }
    if (bytes > sizeof(output->buffer) - output->used) {
        flush_buffer(output);
    }
    output->position += bytes;
    if (bytes > 0) {
        memcpy(output->buffer + output->used, data, bytes);
        output->used += bytes;
    }
}

void htp_output_copy(htp_output *output, const void *data, size_t bytes)
{
    flush_buffer(output);
    write_all(output, data, bytes);
    output->position += bytes;
}

/* Syncs the file, if its file system can. */
static void synchronize(htp_output *output)
{
    while (output->failure == 0 && fsync(output->fd) != 0 && errno != EINVAL && errno != ENOSYS &&
           errno != EOPNOTSUPP) {
        output->failure = errno == EINTR ? 0 : errno;
    }
}

htp_status htp_output_finish(htp_output *output)
{
    flush_buffer(output);
    if (!output->is_direct) {
        synchronize(output);
    } else {
        if (close(output->fd) != 0 && errno != EINTR && output->failure == 0) {
            output->failure = errno;
        }
        output->fd = -1;
    }
    if (output->failure == EFAULT) {
        return htp_status_make(HTP_CODE_BAD_INPUT,
                               "a weight cannot be read any more: the file was cut short, or its "
                               "disk has failed");
    }
    return output->failure ? htp_output_cannot_write(output->path, output->failure) : HTP_OK;
}

void htp_output_discard(htp_output *output)
{
    htp_temporary_remove(output->temporary);
    output->temporary = NULL;
    if (output->fd >= 0) {
        (void)close(output->fd);
        output->fd = -1;
    }
}
