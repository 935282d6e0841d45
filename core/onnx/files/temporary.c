#include "onnx/files/temporary.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BEGIN ".htp-trace-"
#define END ".tmp"

/* Process 0 does not exist. */
#define LOCK_NAME BEGIN "0-0" END

enum { LIMIT = 256 };

enum {
    STATE_FREE,
    STATE_NAMED,  /* no file, or one that stays */
    STATE_EXISTS, /* removed when the process ends */
    STATE_FOLDER, /* the same, with the files in it */
    STATE_LOCKED, /* the same, unless another process holds the lock on it */
};

struct htp_temporary {
    atomic_int state;
    atomic_int lock; /* of STATE_LOCKED: the descriptor */
    char path[PATH_MAX];
};

static htp_temporary temporaries[LIMIT];
static atomic_uint next_number;

static htp_temporary *take(void)
{
    for (size_t i = 0; i < LIMIT; i++) {
        int free_state = STATE_FREE;
        if (atomic_compare_exchange_strong(&temporaries[i].state, &free_state, STATE_NAMED)) {
            return &temporaries[i];
        }
    }
    errno = EMFILE;
    return NULL;
}

/* Sets the path to @p name in the folder of @p beside. */
static bool set_path(htp_temporary *temporary, const char *beside, const char *name)
{
    const char *slash = strrchr(beside, '/');
    int folder = slash ? (int)(slash - beside) + 1 : 0;
    int length = snprintf(temporary->path, PATH_MAX, "%.*s%s", folder, beside, name);
    return length > 0 && length < PATH_MAX;
}

static bool set_new_path(htp_temporary *temporary, const char *beside)
{
    char name[64];
    (void)snprintf(name, sizeof(name), BEGIN "%ld-%u" END, (long)getpid(),
                   atomic_fetch_add(&next_number, 1));
    return set_path(temporary, beside, name);
}

htp_temporary *htp_temporary_name(const char *beside)
{
    htp_temporary *temporary = take();
    if (temporary && !set_new_path(temporary, beside)) {
        htp_temporary_release(temporary);
        errno = ENAMETOOLONG;
        return NULL;
    }
    return temporary;
}

static bool is_still_at(const char *path, int fd)
{
    struct stat named, locked;
    return fstat(fd, &locked) == 0 && lstat(path, &named) == 0 && named.st_dev == locked.st_dev &&
           named.st_ino == locked.st_ino;
}

bool htp_temporary_lock(const htp_temporary *temporary, int fd)
{
    const bool is_taken = flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    return !is_taken && is_still_at(temporary->path, fd);
}

htp_temporary *htp_temporary_create(const char *beside, mode_t mode, int *fd)
{
    htp_temporary *temporary = htp_temporary_name(beside);
    while (temporary) {
        /* A signal between the two calls must find the name set. */
        atomic_store(&temporary->state, STATE_EXISTS);
        *fd = open(temporary->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (*fd >= 0 && htp_temporary_lock(temporary, *fd)) {
            return temporary;
        }
        int error = *fd >= 0 ? EEXIST : errno;
        if (*fd >= 0) {
            (void)close(*fd);
        }
        htp_temporary_release(temporary);
        temporary = error == EEXIST ? htp_temporary_name(beside) : NULL;
        errno = error;
    }
    return NULL;
}

htp_temporary *htp_temporary_create_folder(const char *beside)
{
    htp_temporary *temporary = htp_temporary_name(beside);
    while (temporary) {
        atomic_store(&temporary->state, STATE_FOLDER);
        if (mkdir(temporary->path, (mode_t)0777) == 0) {
            return temporary;
        }
        int error = errno;
        htp_temporary_release(temporary);
        temporary = error == EEXIST ? htp_temporary_name(beside) : NULL;
        errno = error;
    }
    return NULL;
}

/* Waits for the lock on a file that its holders remove at the end. */
static bool lock_shared(const char *path, int fd)
{
    while (flock(fd, LOCK_EX) != 0) {
        if (errno != EINTR) {
            (void)unlink(path);
            return false;
        }
    }
    return true;
}

/* A signal finds no lock, or its descriptor. */
static int open_lock(htp_temporary *lock)
{
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, &before);
    int fd = open(lock->path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, (mode_t)0600);
    atomic_store(&lock->lock, fd);
    atomic_store(&lock->state, fd >= 0 ? STATE_LOCKED : STATE_NAMED);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return fd;
}

htp_temporary *htp_temporary_lock_folder(const char *beside, int *fd)
{
    htp_temporary *lock = take();
    bool may_lock = lock && set_path(lock, beside, LOCK_NAME);
    while (may_lock && (*fd = open_lock(lock)) >= 0) {
        struct stat facts;
        may_lock =
            fstat(*fd, &facts) == 0 && S_ISREG(facts.st_mode) && lock_shared(lock->path, *fd);
        if (may_lock && is_still_at(lock->path, *fd)) {
            return lock;
        }
        atomic_store(&lock->state, STATE_NAMED);
        (void)close(*fd);
    }
    htp_temporary_release(lock);
    return NULL;
}

const char *htp_temporary_path(const htp_temporary *temporary)
{
    return temporary->path;
}

void htp_temporary_keep(htp_temporary *temporary)
{
    atomic_store(&temporary->state, STATE_NAMED);
}

void htp_temporary_release(htp_temporary *temporary)
{
    if (temporary) {
        atomic_store(&temporary->state, STATE_FREE);
    }
}

void htp_temporary_remove(htp_temporary *temporary)
{
    if (temporary) {
        (void)unlink(temporary->path);
        htp_temporary_release(temporary);
    }
}

/* Removes the files in a folder, and then the folder. A signal handler may not call readdir(). */
static void abandon_folder(const char *path)
{
    enum { BLOCK_BYTES = 4096 };
    _Alignas(struct dirent64) char block[BLOCK_BYTES];
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    long bytes = 0;
    while (fd >= 0 && (bytes = syscall(SYS_getdents64, fd, block, sizeof(block))) > 0) {
        const struct dirent64 *entry;
        for (long at = 0; at < bytes; at += entry->d_reclen) {
            entry = (const struct dirent64 *)(const void *)(block + at);
            (void)unlinkat(fd, entry->d_name, 0); /* refuses folders */
        }
    }
    if (fd >= 0) {
        (void)close(fd);
    }
    (void)rmdir(path);
}

/* Removes the file if this process has the lock, or gets it at once. */
static void abandon_lock(const htp_temporary *lock)
{
    const int fd = atomic_load(&lock->lock);
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 && is_still_at(lock->path, fd)) {
        (void)unlink(lock->path);
    }
}

void htp_temporary_abandon(void)
{
    for (size_t i = 0; i < LIMIT; i++) {
        int state = atomic_load(&temporaries[i].state);
        if (state == STATE_EXISTS) {
            (void)unlink(temporaries[i].path);
        } else if (state == STATE_FOLDER) {
            abandon_folder(temporaries[i].path);
        } else if (state == STATE_LOCKED) {
            abandon_lock(&temporaries[i]);
        }
    }
}

/* Skips digits up to the character @p end. */
static const char *skip_number(const char *text, char end)
{
    const char *at = text;
    while (isdigit((unsigned char)*at)) {
        at++;
    }
    return at > text && *at == end ? at : NULL;
}

bool htp_temporary_is_name(const char *name)
{
    if (strncmp(name, BEGIN, strlen(BEGIN)) != 0) {
        return false;
    }
    const char *at = skip_number(name + strlen(BEGIN), '-');
    at = at ? skip_number(at + 1, '.') : NULL;
    return at && strcmp(at, END) == 0;
}

int htp_temporary_open_left(int folder, const char *name, uid_t owner)
{
    struct stat facts, named;
    int flags = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    if (fstatat(folder, name, &facts, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(facts.st_mode) ||
        (facts.st_uid != geteuid() && facts.st_uid != owner)) {
        return -1;
    }
    int fd = openat(folder, name, O_WRONLY | flags); /* NFS requires write access for locks */
    fd = fd < 0 ? openat(folder, name, O_RDONLY | flags) : fd;
    if (fd < 0) {
        return -1;
    }
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) &&
        fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 && named.st_dev == facts.st_dev &&
        named.st_ino == facts.st_ino) {
        return fd;
    }
    (void)close(fd);
    return -1;
}
