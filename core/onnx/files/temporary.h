/*
 * Temporary files beside an output: .htp-trace-PROCESS-NUMBER.tmp in its folder.
 *
 * A run holds a lock (flock) on its files as long as it lives. So a file with such a name that can
 * be locked belongs to a dead run, whatever its host or process namespace. Names are in static
 * memory, so that a signal handler can remove the files.
 */
#ifndef HTP_ONNX_TEMPORARY_H
#define HTP_ONNX_TEMPORARY_H

#include <stdbool.h>
#include <sys/types.h>

typedef struct htp_temporary htp_temporary;

/** A new name in the folder of @p beside; the file is not created. @return NULL with errno: EMFILE
 * if this process has too many, ENAMETOOLONG */
htp_temporary *htp_temporary_name(const char *beside);

/**
 * Creates a file under a new name, and locks it. @param mode  of open(); the umask applies.
 * @return NULL with errno. The caller closes @p fd after htp_temporary_remove().
 */
htp_temporary *htp_temporary_create(const char *beside, mode_t mode, int *fd);

/** Creates a folder under a new name. Its files have no folders among them. @return NULL with
 * errno; the caller removes the folder before htp_temporary_release() */
htp_temporary *htp_temporary_create_folder(const char *beside);

/** Locks a new temporary file or folder that is open, if the file system supports locks. Until then
 * another run may take it for what a dead run left. @return whether it is still there */
bool htp_temporary_lock(const htp_temporary *temporary, int fd);

/** The lock under which processes examine and replace files in the folder of @p beside; it is a
 * temporary file, too. Waits for the lock. @return NULL if locks are not supported; @p fd, for
 * reading and writing, as for htp_temporary_create(). */
htp_temporary *htp_temporary_lock_folder(const char *beside, int *fd);

/** Its path. */
const char *htp_temporary_path(const htp_temporary *temporary);

/** Makes htp_temporary_abandon() keep the file, which records what the next run must remove. */
void htp_temporary_keep(htp_temporary *temporary);

/** Forgets the name, whose file was renamed or never made. NULL is accepted. */
void htp_temporary_release(htp_temporary *temporary);

/** Removes the file, if there still is one, and forgets the name. NULL is accepted. */
void htp_temporary_remove(htp_temporary *temporary);

/** Removes the files and folders that this process is writing; async-signal-safe. */
void htp_temporary_abandon(void);

/** Whether a file name, without its folder, is a temporary file's. */
bool htp_temporary_is_name(const char *name);

/** Opens a temporary file that a dead run left, without following links: an unlocked regular file
 * of this user, or of @p owner. @return a descriptor with the lock, or -1 */
int htp_temporary_open_left(int folder, const char *name, uid_t owner);

#endif
