/*
 * The bytes of an initializer as ONNX stores them, contiguous and in order, read where they lie:
 * in the mapped archive, in any strides. Nothing is copied.
 */
#ifndef HTP_ONNX_PAYLOAD_H
#define HTP_ONNX_PAYLOAD_H

#include "base/status.h"
#include "onnx/draft.h"

/** A reader of an initializer's bytes. They are a sequence of runs that are contiguous in memory;
 * long runs are handed out where they lie, short ones are gathered. */
typedef struct htp_payload {
    uint64_t run_bytes; /* of one run */
    uint64_t runs_left;
    bool is_mapped;             /* pages may be dropped once they are read */
    const unsigned char *first; /* byte of the initializer */
    uint64_t offset;            /* of the next run, from there */
    uint32_t rank;              /* of the dims that the runs are counted by, innermost last */
    uint64_t sizes[HTP_SHIM_MAX_RANK];
    uint64_t steps[HTP_SHIM_MAX_RANK]; /* bytes */
    uint64_t index[HTP_SHIM_MAX_RANK]; /* of the next run */
    unsigned char gathered[1 << 14];
} htp_payload;

/**
 * Checks an initializer of @p model, or one that may become one, and counts its bytes.
 *
 * Dims, strides and offset come from a hostile file: all are checked against the bytes that the
 * storage has. @return HTP_CODE_BAD_INPUT where they do not fit, HTP_CODE_UNSUPPORTED for a dtype
 * that cannot be written; both name the initializer.
 */
HTP_MUST_USE htp_status htp_payload_check(const htp_draft *model,
                                          const htp_initializer *initializer, uint64_t *bytes);

/** Begins to read an initializer that was checked. */
void htp_payload_begin(htp_payload *payload, const htp_draft *model,
                       const htp_initializer *initializer);

/** The next bytes, valid until the next call. @return how many; 0 at the end. */
uint64_t htp_payload_next(htp_payload *payload, const unsigned char **bytes);

#endif
