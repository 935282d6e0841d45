/*
 * Files in memory.
 */
#include "base/files/descriptor.h"
#include "base/status.h"

#include <htp/memory.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct htp_memory_file {
    int fd;
    char path[32];
};

htp_status htp_memory_file_make(const void *bytes, size_t count, htp_memory_file **file)
{
    if (!file || (!bytes && count > 0)) {
        return htp_status_make(HTP_CODE_USAGE, "there are no bytes, or no place for the file");
    }
    *file = NULL;
    htp_memory_file *made = calloc(1, sizeof(*made));
    if (!made) {
        return htp_status_make(HTP_CODE_INTERNAL, "out of memory");
    }
    made->fd = memfd_create("htp-trace", MFD_CLOEXEC);
    if (made->fd < 0 || !htp_descriptor_write_all(made->fd, bytes, count)) {
        int error = errno;
        htp_memory_file_free(made);
        return htp_status_make(HTP_CODE_INTERNAL, "no room for a file of %zu bytes in memory: %s",
                               count, strerror(error));
    }
    (void)snprintf(made->path, sizeof(made->path), "/proc/self/fd/%d", made->fd);
    *file = made;
    return HTP_OK;
}

const char *htp_memory_file_path(const htp_memory_file *file)
{
    return file ? file->path : NULL;
}

void htp_memory_file_free(htp_memory_file *file)
{
    if (file && file->fd >= 0) {
        (void)close(file->fd);
    }
    free(file);
}
