#include "onnx/files/leftovers.h"

#include "onnx/files/external.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The folder of a path as a prefix of other paths: "" or "DIR/". @return whether it fits */
static bool get_folder(const char *path, char *folder)
{
    const char *slash = strrchr(path, '/');
    int length =
        snprintf(folder, PATH_MAX, "%.*s", slash ? (int)(slash - path) + 1 : 0, slash ? path : "");
    return length >= 0 && length < PATH_MAX;
}

/* ---- the journal: entries "INODE NAME", each ended by a NUL ---- */

void htp_journal_add(htp_journal *journal, const char *path, int fd)
{
    struct stat facts;
    if ((fd >= 0 ? fstat(fd, &facts) : lstat(path, &facts)) != 0) {
        return;
    }
    const char *slash = strrchr(path, '/');
    size_t left = sizeof(journal->bytes) - journal->used;
    int length = snprintf(journal->bytes + journal->used, left, "%" PRIuMAX " %s",
                          (uintmax_t)facts.st_ino, slash ? slash + 1 : path);
    if (length > 0 && (size_t)length < left) {
        journal->used += (size_t)length + 1;
    }
}

int htp_journal_write(const htp_journal *journal, int lock_fd)
{
    for (size_t done = 0; done < journal->used;) {
        ssize_t written = pwrite(lock_fd, journal->bytes + done, journal->used - done, (off_t)done);
        if (written == 0 || (written < 0 && errno != EINTR)) {
            return written == 0 ? ENOSPC : errno;
        }
        done += written > 0 ? (size_t)written : 0;
    }
    (void)fsync(lock_fd);
    return 0;
}

/* Removes one file if it is still the recorded one and no model needs it. */
static void settle_entry(const char *folder, const char *entry)
{
    char path[PATH_MAX];
    char *name;
    struct stat facts;
    uintmax_t inode = strtoumax(entry, &name, 10);
    if (*name != ' ' || strchr(name, '/')) {
        return;
    }
    int length = snprintf(path, sizeof(path), "%s%s", folder, name + 1);
    if (length > 0 && (size_t)length < sizeof(path) && lstat(path, &facts) == 0 &&
        S_ISREG(facts.st_mode) && (uintmax_t)facts.st_ino == inode &&
        htp_external_is_unused(folder, name + 1)) {
        (void)unlink(path);
    }
}

static void settle(const char *path, int lock_fd)
{
    char folder[PATH_MAX];
    struct stat facts;
    htp_journal journal;
    if (fstat(lock_fd, &facts) != 0 || facts.st_size == 0) {
        return;
    }
    ssize_t bytes = pread(lock_fd, journal.bytes, sizeof(journal.bytes), 0);
    if (bytes > 0 && facts.st_uid == geteuid() && get_folder(path, folder)) {
        const char *entry = journal.bytes;
        const char *end = entry + bytes;
        for (const char *next = memchr(entry, '\0', (size_t)bytes); next;
             next = memchr(entry, '\0', (size_t)(end - entry))) {
            settle_entry(folder, entry);
            entry = next + 1;
        }
    }
    (void)!ftruncate(lock_fd, 0);
}

htp_temporary *htp_leftovers_lock(const char *path, int *fd)
{
    htp_temporary *lock = htp_temporary_lock_folder(path, fd);
    if (lock) {
        settle(path, *fd);
    }
    return lock;
}

/* ---- temporary files ---- */

/* Finds the temporary files of dead runs, and with @p removes deletes them. @return whether there
 * was one */
static bool look(DIR *names, uid_t owner, bool removes)
{
    bool is_any = false;
    rewinddir(names);
    for (const struct dirent *entry = readdir(names); entry && (removes || !is_any);
         entry = readdir(names)) {
        int fd = htp_temporary_is_name(entry->d_name)
                     ? htp_temporary_open_left(dirfd(names), entry->d_name, owner)
                     : -1;
        if (fd < 0) {
            continue;
        }
        is_any = true;
        if (removes) {
            (void)unlinkat(dirfd(names), entry->d_name, 0);
        }
        (void)close(fd);
    }
    return is_any;
}

void htp_leftovers_remove(const char *path, uid_t owner)
{
    char folder[PATH_MAX];
    DIR *names = get_folder(path, folder) ? opendir(*folder ? folder : ".") : NULL;
    if (!names) {
        return;
    }
    if (look(names, owner, false)) {
        int fd = -1;
        htp_temporary *lock = htp_leftovers_lock(path, &fd);
        (void)look(names, owner, true);
        if (lock) {
            htp_temporary_remove(lock);
            (void)close(fd);
        }
    }
    (void)closedir(names);
}
