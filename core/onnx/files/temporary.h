/*
 * Temporary files beside an output: .htp-trace-PROCESS-NUMBER.tmp in its folder.
 *
 * Who makes one holds a lock (flock) on it for as long as it lives: a file of such a name that can
 * be locked was left behind by a run that died, on whatever host and in whatever namespace of
 * process numbers that was. The names lie in static memory, so that a signal handler may remove
 * the files.
 */
#ifndef HTP_ONNX_TEMPORARY_H
#define HTP_ONNX_TEMPORARY_H

#include <stdbool.h>
#include <sys/types.h>

typedef struct htp_temporary htp_temporary;

/** A new name in the folder of @p beside, for a file that is not made yet. @return NULL with errno:
 * EMFILE where there are too many in this process, ENAMETOOLONG */
htp_temporary *htp_temporary_name(const char *beside);

/** Makes a file under a new name, and locks it. @param mode  of open(); the umask applies.
 * @return NULL with errno. @p fd is closed by the caller, behind htp_temporary_remove(). */
htp_temporary *htp_temporary_create(const char *beside, mode_t mode, int *fd);

/** The lock that processes hold in turn while they look at the files in the folder of @p beside
 * and replace them: a file of such a name, too. Waits for it. @return NULL where there can be no
 * lock, as on file systems that have none; @p fd, for reading and writing, as for
 * htp_temporary_create(). */
htp_temporary *htp_temporary_lock_folder(const char *beside, int *fd);

/** Its path. */
const char *htp_temporary_path(const htp_temporary *temporary);

/** From now on htp_temporary_abandon() leaves the file: it tells the next run what to remove. */
void htp_temporary_keep(htp_temporary *temporary);

/** Forgets the name, whose file was renamed or never made. NULL is accepted. */
void htp_temporary_release(htp_temporary *temporary);

/** Removes the file, if there still is one, and forgets the name. NULL is accepted. */
void htp_temporary_remove(htp_temporary *temporary);

/** Removes the files that this process is writing; async-signal-safe. */
void htp_temporary_abandon(void);

/** Whether a name, without its folder, is one of a temporary file. */
bool htp_temporary_is_name(const char *name);

/** Opens a file of such a name without following links, where it was left behind by a run that
 * died: a regular file of this user, or of @p owner, that nobody locks. @return a descriptor that
 * holds the lock, or -1 */
int htp_temporary_open_left(int folder, const char *name, uid_t owner);

#endif
