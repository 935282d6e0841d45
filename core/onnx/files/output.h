/*
 * Output files that appear complete or not at all: written under a temporary name in the same
 * folder (onnx/files/temporary.h), renamed when complete (onnx/files/publication.h). A device, a
 * pipe or a socket is written directly.
 */
#ifndef HTP_ONNX_OUTPUT_H
#define HTP_ONNX_OUTPUT_H

#include "base/status.h"
#include "onnx/files/temporary.h"

#include <limits.h>
#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>
#include <stdint.h>

/** An output file. Begins with protobuf-c's buffer; `temporary` is NULL until it exists. */
typedef struct htp_output {
    ProtobufCBuffer base;
    char path[PATH_MAX]; /* the final path; symbolic links are resolved */
    bool is_direct;      /* `path` is written without a temporary file */
    bool is_private;     /* only the owner may open it before it is published */
    uid_t owner;         /* of the file to be replaced; otherwise this user */
    htp_temporary *temporary;
    int fd;      /* -1: not open */
    int failure; /* errno of the first failure, from which on nothing is written; 0: none */
    uint64_t position;
    uint64_t written,
        begun;   /* bytes given to the system, and those of them on their way to the disk */
    size_t used; /* bytes in the buffer */
    unsigned char buffer[1 << 16];
} htp_output;

/** Whether two paths lead to one file or folder that exists. */
bool htp_output_is_same(const char *a, const char *b);

/** Whether two paths name one file, which need not exist: the same name in the same folder. */
bool htp_output_are_one(const char *a, const char *b);

/** A status for a path that cannot be written, with advice. */
HTP_MUST_USE htp_status htp_output_cannot_write(const char *path, int error);

/** Examines @p path, following symbolic links, and whether it may be written. Call it first.
 * @return HTP_CODE_CANNOT_WRITE for a folder, or a file that may not be written, or whose folder
 * may not. */
HTP_MUST_USE htp_status htp_output_find(htp_output *output, const char *path);

/** In place of htp_output_find(), for a file in the folder of @p file whose name is chosen when it
 * is published. Until then messages call it @p path. */
HTP_MUST_USE htp_status htp_output_find_beside(htp_output *output, const htp_output *file,
                                               const char *path);

/** Opens the temporary file and reserves @p bytes bytes on the disk, so that a full disk is noticed
 * before anything is written. */
HTP_MUST_USE htp_status htp_output_open(htp_output *output, uint64_t bytes);

/** Appends bytes; a failure is kept and returned by htp_output_finish(). */
void htp_output_append(htp_output *output, const void *data, size_t bytes);

/** Appends bytes that may vanish while they are read, such as those of a mapped file that is
 * truncated. The system copies them: that fails, where reading them here would raise a signal. */
void htp_output_copy(htp_output *output, const void *data, size_t bytes);

/**
 * Flushes the buffer. A direct output is closed, any other one is synced.
 * @return the first failure: HTP_CODE_BAD_INPUT if source bytes vanished.
 */
HTP_MUST_USE htp_status htp_output_finish(htp_output *output);

/** Closes the file and removes the temporary one, if there still is one. */
void htp_output_discard(htp_output *output);

#endif
