/*
 * Cleans up after dead runs.
 *
 * Before a run replaces a model, it records the data files that it will place and remove, with
 * their inodes, in the lock file of the folder. If it dies, the next run with the lock removes
 * those that no model refers to.
 */
#ifndef HTP_ONNX_LEFTOVERS_H
#define HTP_ONNX_LEFTOVERS_H

#include "onnx/files/temporary.h"

#include <stddef.h>
#include <sys/types.h>

/** The record of a run. */
typedef struct htp_journal {
    size_t used;
    char bytes[1 << 15];
} htp_journal;

/** Adds the file at @p path, or the one open as @p fd (-1: none) that will be moved there. */
void htp_journal_add(htp_journal *journal, const char *path, int fd);

/** Writes it into the lock file and syncs it. @return errno */
int htp_journal_write(const htp_journal *journal, int lock_fd);

/** As htp_temporary_lock_folder(); removes the data files that the last holder of the lock left. */
htp_temporary *htp_leftovers_lock(const char *path, int *fd);

/**
 * Removes the temporary files of dead runs in the folder of @p path: unlocked regular files with
 * such names, of this user or of @p owner. Links are not followed. Time grows with the files in the
 * folder.
 */
void htp_leftovers_remove(const char *path, uid_t owner);

#endif
