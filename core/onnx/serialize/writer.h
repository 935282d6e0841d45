/*
 * Writes a model: structure is packed with protobuf-c, weight bytes are streamed from their source.
 */
#ifndef HTP_ONNX_WRITER_H
#define HTP_ONNX_WRITER_H

#include "base/input_file.h"
#include "base/status.h"
#include "onnx/builder/builder.h"
#include "onnx/metadata/annotate.h"

typedef struct htp_writer_options {
    htp_external_data external_data;
    htp_progress_fn
        progress; /* or NULL; called with HTP_STAGE_WRITTEN and bytes, except at the end */
    void *user;
    const htp_input_file *source; /* the file with the mapped weights; or NULL */
    const char *source_location;  /* the model's name for that file: weights of at least 1 KiB that
                                     are stored there in ONNX's form stay there; NULL: none */
} htp_writer_options;

typedef struct htp_writer_result {
    uint64_t model_bytes;
    uint64_t external_bytes;   /* 0: no external file */
    unsigned external_number;  /* 0: it is PATH.data */
    const char *external_path; /* its path in the model's arena, or NULL */
} htp_writer_result;

/**
 * Writes @p model to @p path, through a temporary file in the same folder that is synced and then
 * renamed. On failure nothing is left and existing files are untouched. Leftovers of dead runs are
 * removed. Files keep the permissions of those that they replace.
 *
 * Over 2 GiB, or when asked, initializers of at least 1 KiB go to PATH.data beside it at offsets
 * that are multiples of 64; to PATH.1.data, and so on, if the existing model refers to that name:
 * at every instant the old model or the new one is complete. Data files of a replaced model that
 * this program made are removed. Symbolic links are followed; a device or a pipe is written
 * directly, without a data file.
 * @param annotations  tags and metadata, or NULL for none.
 * @param result       set on success.
 * @return HTP_CODE_CANNOT_WRITE with the path and the reason, HTP_CODE_BAD_INPUT for a weight
 *         beyond its storage or a changed source, HTP_CODE_UNSUPPORTED for a dtype that cannot be
 *         written, HTP_CODE_INTERRUPTED if @p options->progress asked to stop.
 */
HTP_MUST_USE htp_status htp_builder_write(const htp_builder *model,
                                          const htp_annotations *annotations, const char *path,
                                          const htp_writer_options *options,
                                          htp_writer_result *result);

/** Removes the temporary files of unfinished writes; async-signal-safe. */
void htp_builder_write_abandon(void);

#endif
