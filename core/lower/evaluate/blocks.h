/*
 * Blocks of numbers, computed element by element. Private to core/lower/evaluate.
 */
#ifndef HTP_LOWER_BLOCKS_H
#define HTP_LOWER_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Computes @p count numbers; an operand that is omitted is NULL. Integers are declined where the
 * result does not fit, or is not told. */
typedef bool (*htp_block_ints_fn)(const int64_t *const *x, size_t count, int64_t *y);
typedef void (*htp_block_floats_fn)(const double *const *x, size_t count, double *y);

/** What a row of elementwise.def says. */
typedef struct htp_elementwise {
    const char *op;
    unsigned least, most; /* operands */
    bool is_truth;        /* the result is bool */
    bool is_rounded;      /* more than IEEE 754 rounds: of float32 and float64 alone */
    htp_block_ints_fn ints;
    htp_block_floats_fn floats;
} htp_elementwise;

/** The row of an operator of ONNX; NULL where it has none. */
const htp_elementwise *htp_elementwise_find(const char *op_type);

#endif
