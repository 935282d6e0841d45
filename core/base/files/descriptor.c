#include "base/files/descriptor.h"

#include "base/write_signals.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

bool htp_descriptor_write_all(int fd, const void *bytes, size_t count)
{
    htp_write_signals before;
    const char *at = bytes;
    bool is_written = true;
    htp_write_signals_hold(&before);
    while (count > 0 && is_written) {
        ssize_t written = write(fd, at, count);
        is_written = written >= 0 || errno == EINTR;
        at += written > 0 ? written : 0;
        count -= written > 0 ? (size_t)written : 0;
    }
    htp_write_signals_release(&before);
    return is_written;
}

int htp_descriptor_sync_folder(int folder)
{
    int error = 0;
    do {
        error = fsync(folder) != 0 ? errno : 0;
    } while (error == EINTR);
    return error == EIO || error == ENOSPC || error == EDQUOT ? error : 0;
}

int htp_descriptor_sync_folder_of(const char *path)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    (void)snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - path) + 1 : 1,
                   slash ? path : ".");
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int error = fd >= 0 ? htp_descriptor_sync_folder(fd) : 0;
    if (fd >= 0) {
        (void)close(fd);
    }
    return error;
}

bool htp_descriptor_read_all(int fd, void *bytes, size_t count)
{
    char *at = bytes;
    while (count > 0) {
        ssize_t got = read(fd, at, count);
        if (got == 0 || (got < 0 && errno != EINTR)) {
            return false;
        }
        at += got > 0 ? got : 0;
        count -= got > 0 ? (size_t)got : 0;
    }
    return true;
}

static int open_unnamed(void)
{
    const char *folder = getenv("TMPDIR");
    char *path = NULL;
    folder = folder && *folder ? folder : "/tmp";
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || asprintf(&path, "%s/htp-trace-XXXXXX", folder) < 0) {
        return fd;
    }
    fd = mkostemp(path, O_CLOEXEC); /* not all file systems have unnamed files */
    if (fd >= 0) {
        (void)unlink(path);
    }
    free(path);
    return fd;
}

enum { MOST_KEPT = 16 };

static int kept[MOST_KEPT]; /* open, for those who ask next */
static size_t kept_count;

void htp_descriptor_keep_unnamed(size_t count)
{
    while (kept_count < count && kept_count < MOST_KEPT) {
        int fd = open_unnamed();
        if (fd < 0) {
            return;
        }
        kept[kept_count++] = fd;
    }
}

int htp_descriptor_open_unnamed(void)
{
    return kept_count > 0 ? kept[--kept_count] : open_unnamed();
}
