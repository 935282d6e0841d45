/*
 * Writing a model: structure packed with protobuf-c, weight bytes streamed from where they lie.
 */
#ifndef HTP_ONNX_WRITER_H
#define HTP_ONNX_WRITER_H

#include "base/status.h"
#include "onnx/annotate.h"
#include "onnx/model.h"

typedef struct htp_writer_options {
    htp_external_data external_data;
    htp_progress_fn progress; /* or NULL; called with HTP_STAGE_WRITTEN and bytes, not finished */
    void *user;
} htp_writer_options;

typedef struct htp_writer_result {
    uint64_t model_bytes;
    uint64_t external_bytes; /* 0: no external file */
} htp_writer_result;

/**
 * Writes @p model to @p path, by way of a temporary file in the same folder that is renamed when
 * complete; on failure nothing is left and existing files are untouched. Over 2 GiB, or when
 * asked, initializers of at least 1 KiB go to PATH.data beside it at offsets that are multiples
 * of 64; the two files are replaced together. A symbolic link is followed; a device or a pipe is
 * written directly, and can have no file beside it.
 * @param annotations  tags and metadata, or NULL for none.
 * @param result       set on success.
 * @return HTP_CODE_CANNOT_WRITE with the path and the reason, HTP_CODE_BAD_INPUT for a weight that
 *         reaches beyond its storage, HTP_CODE_UNSUPPORTED for a dtype that cannot be written,
 *         HTP_CODE_INTERRUPTED when @p options->progress asked to stop.
 */
HTP_MUST_USE htp_status htp_model_write(const htp_model *model, const htp_annotations *annotations,
                                        const char *path, const htp_writer_options *options,
                                        htp_writer_result *result);

/** Removes the temporary files of writes that are under way; async-signal-safe. */
void htp_model_write_abandon(void);

#endif
