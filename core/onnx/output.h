/*
 * Output files that appear complete or not at all: written under a temporary name in the same
 * folder, renamed when complete. A device, a pipe or a socket is written directly.
 */
#ifndef HTP_ONNX_OUTPUT_H
#define HTP_ONNX_OUTPUT_H

#include "base/status.h"

#include <limits.h>
#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>
#include <stdint.h>

/** A file under way. Begins with what protobuf-c packs into; NULL in `temporary`: none yet. */
typedef struct htp_output {
    ProtobufCBuffer base;
    char path[PATH_MAX]; /* where the file appears; symbolic links are resolved */
    bool is_direct;      /* `path` is written without a temporary file */
    struct htp_temporary *temporary;
    int fd;      /* -1: not open */
    int failure; /* errno of the first failure, from which on nothing is written; 0: none */
    uint64_t position;
    size_t used; /* bytes of the buffer */
    unsigned char buffer[1 << 16];
} htp_output;

/** Finds out what @p path is, following symbolic links, and whether it may be written. To be
 * called first. @return HTP_CODE_CANNOT_WRITE for a folder, or for what may not be written. */
HTP_MUST_USE htp_status htp_output_find(htp_output *output, const char *path);

/** Opens the temporary file and reserves @p bytes bytes on the disk, so that a full one is found
 * before anything is written. */
HTP_MUST_USE htp_status htp_output_open(htp_output *output, uint64_t bytes);

/** Appends bytes; a failure is kept and returned by htp_output_finish(). */
void htp_output_append(htp_output *output, const void *data, size_t bytes);

/** Writes what is buffered and closes the file. @return the first failure. */
HTP_MUST_USE htp_status htp_output_finish(htp_output *output);

/** Renames finished files to their places, both or none: on failure the files that were there
 * before are there again. @p beside may be NULL. */
HTP_MUST_USE htp_status htp_output_publish(htp_output *output, htp_output *beside);

/** Closes the file and removes the temporary one, if there still is one. */
void htp_output_discard(htp_output *output);

#endif
