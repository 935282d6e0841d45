/*
 * An input file that stays open, watched for changes.
 *
 * A mapping follows the file: truncated parts raise SIGBUS, and new contents mix with those read
 * before. A file that is replaced by rename stays unchanged for those who have it open.
 */
#ifndef HTP_BASE_INPUT_FILE_H
#define HTP_BASE_INPUT_FILE_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

typedef struct htp_input_file {
    bool is_open;
    int fd;
    uint64_t bytes; /* these are from the time when it was opened */
    struct timespec modified;
    uint64_t device, inode;
} htp_input_file;

/** Opens the file and notes its identity. @return HTP_CODE_BAD_INPUT with the path */
HTP_MUST_USE htp_status htp_input_file_open(htp_input_file *file, const char *path);

/** Opens a stream, which the caller closes, and notes the identity of its file. @return errno; 0:
 * it is open */
int htp_input_file_stream(htp_input_file *file, const char *path, FILE **stream);

/** The code of a failed attempt to open or map a file: HTP_CODE_INTERNAL without memory, which is
 * no fault of the file, else @p otherwise. @param error  from errno */
htp_code htp_input_file_code(int error, htp_code otherwise);

/** Maps a file that is not empty, for reading. @return NULL: errno says why it failed */
const void *htp_input_file_map(const htp_input_file *file);

/** Gives back the memory of those pages of a mapping that lie wholly in a range. They are read
 * again when they are used again. Small ranges are not worth a system call. */
void htp_input_file_drop(const void *begin, uint64_t bytes);

/** Whether the file has become shorter: its mapped bytes must not be touched then. */
bool htp_input_file_is_cut(const htp_input_file *file);

/** @return HTP_CODE_BAD_INPUT, without the path, if the file was truncated or written to. A pipe
 * has nothing to change. */
HTP_MUST_USE htp_status htp_input_file_check(const htp_input_file *file);

/** Replaces @p status, which it frees, by a failure if the file was changed while it was read.
 * @return else @p status */
HTP_MUST_USE htp_status htp_input_file_judge(const htp_input_file *file, const char *path,
                                             htp_status status);

/** As htp_input_file_check(), and checks that @p path is still that file, before it is opened again
 * by name. */
HTP_MUST_USE htp_status htp_input_file_check_path(const htp_input_file *file, const char *path);

/** Recognises a placeholder, such as a Git LFS pointer, by its first bytes. @return a static text:
 * its kind, and how to get the file; NULL: it is the file itself */
const char *htp_input_file_placeholder(const void *head, size_t count);

/** Closes the file, if it is open. */
void htp_input_file_close(htp_input_file *file);

#endif
