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

/** A file under way. Begins with what protobuf-c packs into; NULL in `temporary`: none yet. */
typedef struct htp_output {
    ProtobufCBuffer base;
    char path[PATH_MAX]; /* where the file appears; symbolic links are resolved */
    bool is_direct;      /* `path` is written without a temporary file */
    bool is_private;     /* nobody but the owner may open it before it is published */
    uid_t owner;         /* of the file that lies there; otherwise this user */
    htp_temporary *temporary;
    int fd;      /* -1: not open */
    int failure; /* errno of the first failure, from which on nothing is written; 0: none */
    uint64_t position;
    size_t used; /* bytes of the buffer */
    unsigned char buffer[1 << 16];
} htp_output;

/** A status for a path that cannot be written, with advice. */
HTP_MUST_USE htp_status htp_output_cannot_write(const char *path, int error);

/** Finds out what @p path is, following symbolic links, and whether it may be written. To be
 * called first. @return HTP_CODE_CANNOT_WRITE for a folder, or for what may not be written. */
HTP_MUST_USE htp_status htp_output_find(htp_output *output, const char *path);

/** In place of htp_output_find(): a file that is to appear in the folder of @p file, under a name
 * that is chosen when it is published; until then messages call it @p path. */
HTP_MUST_USE htp_status htp_output_find_beside(htp_output *output, const htp_output *file,
                                               const char *path);

/** Opens the temporary file and reserves @p bytes bytes on the disk, so that a full one is found
 * before anything is written. */
HTP_MUST_USE htp_status htp_output_open(htp_output *output, uint64_t bytes);

/** Appends bytes; a failure is kept and returned by htp_output_finish(). */
void htp_output_append(htp_output *output, const void *data, size_t bytes);

/** Appends bytes that may be gone when they are read, as those of a mapped file that was cut: the
 * system copies them, and fails where this process would be sent a signal. */
void htp_output_copy(htp_output *output, const void *data, size_t bytes);

/** Writes what is buffered. A direct output is closed, any other one is on the disk then.
 * @return the first failure: HTP_CODE_BAD_INPUT where bytes were gone. */
HTP_MUST_USE htp_status htp_output_finish(htp_output *output);

/** Closes the file and removes the temporary one, if there still is one. */
void htp_output_discard(htp_output *output);

#endif
