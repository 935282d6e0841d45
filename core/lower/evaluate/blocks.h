/*
 * Blocks of numbers, computed element by element. Private to core/lower/evaluate.
 */
#ifndef HTP_LOWER_BLOCKS_H
#define HTP_LOWER_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Computes @p count numbers; an omitted operand is NULL. Integer functions return false where a
 * result overflows or is undefined. */
typedef bool (*htp_block_ints_fn)(const int64_t *const *x, size_t count, int64_t *y);
typedef void (*htp_block_floats_fn)(const double *const *x, size_t count, double *y);

/** A row of elementwise.def. */
typedef struct htp_elementwise {
    const char *op;
    unsigned least, most; /* operands */
    bool is_truth;        /* the result is bool */
    bool is_rounded; /* not correctly rounded by IEEE 754: computed only for float32 and float64 */
    htp_block_ints_fn ints;
    htp_block_floats_fn floats;
} htp_elementwise;

/** The row of an ONNX operator, or NULL. */
const htp_elementwise *htp_elementwise_find(const char *op_type);

#endif
