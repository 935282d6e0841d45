/*
 * Walks a box of strided elements in row-major order.
 */
#ifndef HTP_ONNX_STRIDED_H
#define HTP_ONNX_STRIDED_H

#include <htp/types.h>
#include <stdbool.h>
#include <stdint.h>

/** A walk. Its elements are a sequence of runs that are contiguous in memory. */
typedef struct htp_strided {
    const unsigned char *first; /* first byte of the box */
    uint64_t run_bytes;         /* of one run */
    uint64_t runs_left;
    uint64_t offset; /* of the next run, from `first` */
    uint64_t reach;  /* bytes from the first one to the end of the last */
    uint32_t rank;   /* number of dims over which runs repeat, innermost last */
    uint64_t sizes[HTP_MAX_RANK];
    uint64_t steps[HTP_MAX_RANK]; /* bytes */
    uint64_t index[HTP_MAX_RANK]; /* of the next run */
} htp_strided;

/**
 * Begins a walk over elements of @p element bytes. Dims of size 1 are dropped, adjacent dims are
 * merged if possible, and a contiguous innermost dim becomes the run.
 * @param strides  in elements, not negative. All elements must be in memory.
 */
void htp_strided_begin(htp_strided *strided, const void *first, uint64_t element, uint32_t rank,
                       const int64_t *dims, const int64_t *strides);

/** Returns the next run in place and skips it, if it is long enough not to be copied. */
bool htp_strided_next_run(htp_strided *strided, const unsigned char **bytes, uint64_t *count);

/** Copies the next runs to @p to, as many as @p capacity bytes hold. Not for runs that
 * htp_strided_next_run() returns. @return bytes; 0 at the end */
uint64_t htp_strided_gather(htp_strided *strided, unsigned char *to, uint64_t capacity);

/** Copies all that is left to @p to. */
void htp_strided_copy(htp_strided *strided, unsigned char *to);

/** The block size with which htp_strided_transpose() is fast; 0 if none is needed: the axis of
 * stride 1 is the innermost, or there is none. */
uint64_t htp_strided_block(const htp_strided *strided);

/** Like htp_strided_gather() for layouts that need a block: fills it with as many whole rows as
 * fit, reading each cache line once; 0 if it is too small. */
uint64_t htp_strided_transpose(htp_strided *strided, unsigned char *block, uint64_t capacity);

#endif
