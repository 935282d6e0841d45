/*
 * A file that is read for a while, watched for changes.
 *
 * What is mapped follows the file: a part that is cut off cannot be touched any more (SIGBUS), and
 * what is written into it mixes with what was read before. A file that is replaced under its name
 * stays what it was for those who have it open.
 */
#ifndef HTP_BASE_INPUT_FILE_H
#define HTP_BASE_INPUT_FILE_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>
#include <time.h>

typedef struct htp_input_file {
    bool is_open;
    int fd;
    uint64_t bytes; /* when it was opened, as all below */
    struct timespec modified;
    uint64_t device, inode;
} htp_input_file;

/** Opens the file and notes what it is. @return HTP_CODE_BAD_INPUT with the path */
HTP_MUST_USE htp_status htp_input_file_open(htp_input_file *file, const char *path);

/** Whether the file is shorter than it was: its mapped bytes must not be touched. */
bool htp_input_file_is_cut(const htp_input_file *file);

/** @return HTP_CODE_BAD_INPUT, without the path, where the file was cut or written to. */
HTP_MUST_USE htp_status htp_input_file_check(const htp_input_file *file);

/** The same, and that it is what lies at @p path: for who opens it anew by its name. */
HTP_MUST_USE htp_status htp_input_file_check_path(const htp_input_file *file, const char *path);

/** What stands in the place of a file, told from its first bytes: a Git LFS pointer, and how to get
 * what it points to. NULL where it is the file itself. */
const char *htp_input_file_placeholder(const void *head, size_t count);

/** Closes the file; one that is not open is accepted. */
void htp_input_file_close(htp_input_file *file);

#endif
