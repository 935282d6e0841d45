/*
 * File descriptors: reads, writes, and temporary files without a name.
 */
#ifndef HTP_BASE_DESCRIPTOR_H
#define HTP_BASE_DESCRIPTOR_H

#include <stdbool.h>
#include <stddef.h>

/** Writes all bytes to a file descriptor, without the signals of writes (base/write_signals.h).
 * @return false: errno says why it failed */
bool htp_descriptor_write_all(int fd, const void *bytes, size_t count);

/** Puts the entries of a folder on disk. @return errno if its disk refuses; 0 also if its file
 * system cannot */
int htp_descriptor_sync_folder(int folder);

/** The same with the folder that a path names an entry of; 0 also if it cannot be opened. */
int htp_descriptor_sync_folder_of(const char *path);

/** Reads so many bytes from a file descriptor. @return false: it ends before, or errno says why it
 * failed */
bool htp_descriptor_read_all(int fd, void *bytes, size_t count);

/** Opens a temporary file without a name, in $TMPDIR or /tmp. @return -1: errno says why */
int htp_descriptor_open_unnamed(void);

/** Opens up to @p count of them for later calls of htp_descriptor_open_unnamed(), which may then
 * not be able to. For processes of one thread. */
void htp_descriptor_keep_unnamed(size_t count);

#endif
