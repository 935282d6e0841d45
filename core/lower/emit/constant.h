/*
 * Numbers of any dtype as bytes: reading, rounding as PyTorch's casts round, and making constants
 * of them. Private to core/lower.
 */
#ifndef HTP_LOWER_CONSTANT_H
#define HTP_LOWER_CONSTANT_H

#include "lower/emit/lowering.h"

/** An integer or a floating-point number. */
typedef struct htp_number {
    bool is_float;
    int64_t i;
    double f;
} htp_number;

static inline htp_number htp_number_int(int64_t value)
{
    return (htp_number){.i = value};
}

static inline htp_number htp_number_float(double value)
{
    return (htp_number){.is_float = true, .f = value};
}

/** Reads an element; false for complex and other dtypes. */
bool htp_number_read(htp_dtype dtype, const void *bytes, htp_number *number);

/** Writes a number as @p dtype (htp_dtype_size() bytes): floats are truncated to integers,
 * integers wrap, narrow floats round half to even. False for complex and other dtypes. */
bool htp_number_write(htp_dtype dtype, htp_number number, void *bytes);

/** A constant of @p rank dims. Fails for complex and other dtypes. */
htp_tensor_id htp_emit_numbers(htp_lowering *l, htp_dtype dtype, uint32_t rank, const int64_t *dims,
                               const htp_number *numbers);

/** The least and the greatest value of @p dtype, 0-d: infinities if it is a floating-point
 * dtype. */
htp_tensor_id htp_emit_lowest(htp_lowering *l, htp_dtype dtype);
htp_tensor_id htp_emit_highest(htp_lowering *l, htp_dtype dtype);

/** A 1-d constant with @p count times @p value. */
htp_tensor_id htp_emit_fill(htp_lowering *l, htp_dtype dtype, int64_t count, double value);

#endif
