#include "onnx/output.h"

#include "onnx/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Names of temporary files, in static memory so that a signal handler may read them. */
typedef struct htp_temporary {
    atomic_int state;
    char path[PATH_MAX];
} htp_temporary;

enum { TEMPORARY_FREE, TEMPORARY_TAKEN, TEMPORARY_EXISTS };

static htp_temporary temporaries[256];
static atomic_uint temporary_number;

static htp_status cannot_write(const char *path, int error)
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
        {EFBIG, "choose another disk"},
    };
    const char *advice = "";
    for (size_t i = 0; i < sizeof(advices) / sizeof(advices[0]); i++) {
        advice = advices[i].error == error ? advices[i].advice : advice;
    }
    return htp_status_make(HTP_CODE_CANNOT_WRITE, "cannot write '%s': %s%s%s", path,
                           strerror(error), *advice ? ": " : "", advice);
}

static htp_temporary *take_temporary(void)
{
    for (size_t i = 0; i < sizeof(temporaries) / sizeof(temporaries[0]); i++) {
        int free_state = TEMPORARY_FREE;
        if (atomic_compare_exchange_strong(&temporaries[i].state, &free_state, TEMPORARY_TAKEN)) {
            return &temporaries[i];
        }
    }
    return NULL;
}

static void release_temporary(htp_output *output)
{
    if (output->temporary) {
        atomic_store(&output->temporary->state, TEMPORARY_FREE);
        output->temporary = NULL;
    }
}

/* A new name in the folder of @p path. @return whether it fits. */
static bool make_temporary_path(const char *path, char *temporary)
{
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash - path) + 1 : 0;
    int length = snprintf(temporary, PATH_MAX, "%.*s.htp-trace-%ld-%u.tmp", folder, path,
                          (long)getpid(), atomic_fetch_add(&temporary_number, 1));
    return length > 0 && length < PATH_MAX;
}

void htp_model_write_abandon(void)
{
    for (size_t i = 0; i < sizeof(temporaries) / sizeof(temporaries[0]); i++) {
        if (atomic_load(&temporaries[i].state) == TEMPORARY_EXISTS) {
            (void)unlink(temporaries[i].path);
        }
    }
}

static void append_packed(ProtobufCBuffer *buffer, size_t length, const uint8_t *data)
{
    htp_output_append((htp_output *)buffer, data, length);
}

htp_status htp_output_find(htp_output *output, const char *path)
{
    output->base.append = append_packed;
    output->fd = -1;
    output->failure = 0;
    output->position = 0;
    output->used = 0;
    output->temporary = NULL;
    output->is_direct = false;
    size_t length = strlen(path);
    if (length >= sizeof(output->path)) {
        return cannot_write(path, ENAMETOOLONG);
    }
    memcpy(output->path, path, length + 1);
    struct stat facts;
    if (stat(path, &facts) != 0) {
        return errno == ENOENT ? HTP_OK : cannot_write(path, errno);
    }
    if (S_ISDIR(facts.st_mode)) {
        return cannot_write(path, EISDIR);
    }
    if (access(path, W_OK) != 0) {
        return cannot_write(path, errno);
    }
    output->is_direct = !S_ISREG(facts.st_mode);
    if (!output->is_direct && lstat(path, &facts) == 0 && S_ISLNK(facts.st_mode) &&
        !realpath(path, output->path)) {
        return cannot_write(path, errno);
    }
    return HTP_OK;
}

/* Creates the temporary file. @return a file descriptor, or -1 with errno. */
static int create_temporary(htp_output *output)
{
    output->temporary = take_temporary();
    if (!output->temporary) {
        errno = EMFILE;
        return -1;
    }
    int fd;
    do {
        if (!make_temporary_path(output->path, output->temporary->path)) {
            errno = ENAMETOOLONG;
            return -1;
        }
        /* A signal between the two calls must find the name. */
        atomic_store(&output->temporary->state, TEMPORARY_EXISTS);
        fd = open(output->temporary->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0) {
            atomic_store(&output->temporary->state, TEMPORARY_TAKEN);
        }
    } while (fd < 0 && errno == EEXIST);
    return fd;
}

htp_status htp_output_open(htp_output *output, uint64_t bytes)
{
    output->fd =
        output->is_direct ? open(output->path, O_WRONLY | O_CLOEXEC) : create_temporary(output);
    if (output->fd < 0) {
        return cannot_write(output->path, errno);
    }
    if (output->is_direct || bytes == 0) {
        return HTP_OK;
    }
    if (bytes > INT64_MAX) {
        return cannot_write(output->path, EFBIG);
    }
    /* Where a file system cannot reserve, writing will tell. */
    if (fallocate(output->fd, 0, 0, (off_t)bytes) != 0 &&
        (errno == ENOSPC || errno == EDQUOT || errno == EFBIG)) {
        return cannot_write(output->path, errno);
    }
    return HTP_OK;
}

static void write_all(htp_output *output, const unsigned char *data, size_t bytes)
{
    while (bytes > 0 && output->failure == 0) {
        ssize_t written = write(output->fd, data, bytes);
        if (written > 0) {
            data += written;
            bytes -= (size_t)written;
        } else if (written == 0 || errno != EINTR) {
            output->failure = written == 0 ? EIO : errno;
        }
    }
}

static void flush_buffer(htp_output *output)
{
    write_all(output, output->buffer, output->used);
    output->used = 0;
}

void htp_output_append(htp_output *output, const void *data, size_t bytes)
{
    output->position += bytes;
    if (bytes > sizeof(output->buffer) - output->used) {
        flush_buffer(output);
    }
    if (bytes >= sizeof(output->buffer)) {
        write_all(output, data, bytes);
    } else if (bytes > 0) {
        memcpy(output->buffer + output->used, data, bytes);
        output->used += bytes;
    }
}

htp_status htp_output_finish(htp_output *output)
{
    flush_buffer(output);
    if (close(output->fd) != 0 && errno != EINTR && output->failure == 0) {
        output->failure = errno;
    }
    output->fd = -1;
    return output->failure ? cannot_write(output->path, output->failure) : HTP_OK;
}

static htp_status publish_one(htp_output *output)
{
    if (!output->is_direct && rename(output->temporary->path, output->path) != 0) {
        return cannot_write(output->path, errno);
    }
    release_temporary(output);
    return HTP_OK;
}

/* The file beside goes first; what it replaces is kept until the other is in its place, too. */
static htp_status publish_two(htp_output *output, htp_output *beside)
{
    char kept[PATH_MAX];
    if (!make_temporary_path(beside->path, kept)) {
        return cannot_write(beside->path, ENAMETOOLONG);
    }
    bool keeps = rename(beside->path, kept) == 0;
    if (!keeps && errno != ENOENT) {
        return cannot_write(beside->path, errno);
    }
    htp_status status = publish_one(beside);
    bool placed = status == HTP_OK;
    if (placed) {
        status = publish_one(output);
    }
    if (keeps && status == HTP_OK) {
        (void)unlink(kept);
    } else if (keeps) {
        (void)rename(kept, beside->path);
    } else if (placed && status != HTP_OK) {
        (void)unlink(beside->path);
    }
    return status;
}

htp_status htp_output_publish(htp_output *output, htp_output *beside)
{
    if (!beside) {
        return publish_one(output);
    }
    sigset_t all, before; /* an interruption between the renames would leave a mixed pair */
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, &before);
    htp_status status = publish_two(output, beside);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

void htp_output_discard(htp_output *output)
{
    if (output->fd >= 0) {
        (void)close(output->fd);
        output->fd = -1;
    }
    if (output->temporary && atomic_load(&output->temporary->state) == TEMPORARY_EXISTS) {
        (void)unlink(output->temporary->path);
    }
    release_temporary(output);
}
