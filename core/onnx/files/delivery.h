/*
 * How a model and its data file come to the disk, whoever makes their bytes: counted first, written
 * under temporary names, published together (onnx/files/publication.h) when they are complete, on
 * the disk, and what they were made of is still what it was. On failure nothing is left.
 */
#ifndef HTP_ONNX_DELIVERY_H
#define HTP_ONNX_DELIVERY_H

#include "base/arena.h"
#include "onnx/files/output.h"

/** What putting bytes ended with. */
typedef enum htp_delivery_end {
    HTP_DELIVERY_DONE,
    HTP_DELIVERY_STOPPED, /* the caller asked to */
    HTP_DELIVERY_CUT,     /* what the bytes are taken from was cut */
} htp_delivery_end;

typedef struct htp_delivery_sizes {
    uint64_t model_bytes;
    uint64_t data_bytes; /* 0: there is no data file */
} htp_delivery_sizes;

/** What is to be delivered. Nothing is allocated in the arena once files are open: only the first
 * lay_out() may. */
typedef struct htp_delivery {
    void *user;

    /** Counts, for a data file that the model calls @p location. Called once with a forecast of
     * that name and, where there is a data file, again when the name is sure. */
    htp_status (*lay_out)(void *user, const char *location, htp_delivery_sizes *sizes);

    /** Put the bytes that were counted. They stop where output->failure is not 0.
     * put_data() may be NULL where there is no data file. */
    htp_delivery_end (*put_model)(void *user, htp_output *output);
    htp_delivery_end (*put_data)(void *user, htp_output *output);

    /** HTP_CODE_BAD_INPUT where what the bytes are taken from was changed. */
    htp_status (*check_sources)(void *user);
} htp_delivery;

typedef struct htp_delivered {
    htp_delivery_sizes sizes;
    unsigned data_number;  /* 0: the data file is called PATH.data */
    const char *data_path; /* of that file, in the arena; or NULL */
} htp_delivered;

/** The largest model that protobuf's readers take. */
#define HTP_DELIVERY_LARGEST_MODEL ((uint64_t)INT32_MAX)

/**
 * Delivers to @p path, as htp_builder_write() describes.
 * @return HTP_CODE_CANNOT_WRITE, HTP_CODE_INTERRUPTED, or what the functions return.
 */
HTP_MUST_USE htp_status htp_deliver(htp_arena *arena, const htp_delivery *delivery,
                                    const char *path, htp_delivered *delivered);

#endif
