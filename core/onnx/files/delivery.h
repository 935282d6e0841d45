/*
 * Writes a model and its data file to disk. Bytes are counted first, then written under temporary
 * names. Both are published together (onnx/files/publication.h) once they are complete, synced, and
 * the sources are unchanged. On failure nothing is left.
 */
#ifndef HTP_ONNX_DELIVERY_H
#define HTP_ONNX_DELIVERY_H

#include "base/arena.h"
#include "onnx/files/output.h"

/** How writing ended. */
typedef enum htp_delivery_end {
    HTP_DELIVERY_DONE,
    HTP_DELIVERY_STOPPED, /* the caller stopped it */
    HTP_DELIVERY_CUT,     /* the source of the bytes was truncated, or cannot be read */
} htp_delivery_end;

typedef struct htp_delivery_sizes {
    uint64_t model_bytes;
    uint64_t data_bytes; /* 0: there is no data file */
} htp_delivery_sizes;

/** A delivery. Its functions may allocate, but in the arena alone: without memory, files are closed
 * and removed before the jump. */
typedef struct htp_delivery {
    void *user;

    /** Counts the bytes, given the data file's name in the model, @p location. Called with a
     * forecast of that name and, if there is a data file, again with the final name. */
    htp_status (*lay_out)(void *user, const char *location, htp_delivery_sizes *sizes);

    /** Write the bytes that were counted. They stop if output->failure is not 0. put_data() may be
     * NULL if there is no data file. */
    htp_delivery_end (*put_model)(void *user, htp_output *output);
    htp_delivery_end (*put_data)(void *user, htp_output *output);

    /** HTP_CODE_BAD_INPUT if the sources changed. */
    htp_status (*check_sources)(void *user);
} htp_delivery;

typedef struct htp_delivered {
    htp_delivery_sizes sizes;
    unsigned data_number;  /* 0: the data file is PATH.data */
    const char *data_path; /* the data file's path, in the arena; or NULL */
} htp_delivered;

/** The largest model that protobuf's readers accept. */
#define HTP_DELIVERY_LARGEST_MODEL ((uint64_t)INT32_MAX)

/**
 * Delivers to @p path, as htp_builder_write() describes.
 * @return HTP_CODE_CANNOT_WRITE, HTP_CODE_INTERRUPTED, or the result of a callback.
 */
HTP_MUST_USE htp_status htp_deliver(htp_arena *arena, const htp_delivery *delivery,
                                    const char *path, htp_delivered *delivered);

#endif
