#include "base/files/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

bool htp_descriptor_write_all(int fd, const void *bytes, size_t count)
{
    const char *at = bytes;
    while (count > 0) {
        ssize_t written = write(fd, at, count);
        if (written < 0 && errno != EINTR) {
            return false;
        }
        at += written > 0 ? written : 0;
        count -= written > 0 ? (size_t)written : 0;
    }
    return true;
}

int htp_descriptor_sync_folder(int folder)
{
    int error = 0;
    do {
        error = fsync(folder) != 0 ? errno : 0;
    } while (error == EINTR);
    return error == EIO || error == ENOSPC || error == EDQUOT ? error : 0;
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
