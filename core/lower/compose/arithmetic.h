/*
 * Arithmetic for which ONNX operators differ from PyTorch's. Private to core/lower.
 */
#ifndef HTP_LOWER_ARITHMETIC_H
#define HTP_LOWER_ARITHMETIC_H

#include "lower/emit/lowering.h"

/** The quotient rounded to minus infinity: Python's //. */
htp_tensor_id htp_emit_floor_divide(htp_lowering *l, htp_dtype dtype, htp_tensor_id a,
                                    htp_tensor_id b);

/** The remainder with the sign of the divisor: Python's %. */
htp_tensor_id htp_emit_remainder(htp_lowering *l, htp_dtype dtype, htp_tensor_id a,
                                 htp_tensor_id b);

/** Rounding to zero; integers stay. */
htp_tensor_id htp_emit_truncate(htp_lowering *l, htp_dtype dtype, htp_tensor_id x);

/** x to a constant power. Integers are multiplied, because ONNX Runtime's Pow computes them in
 * double. */
htp_tensor_id htp_emit_power(htp_lowering *l, htp_dtype dtype, htp_tensor_id x, double exponent);

/** "And", "Or" or "Xor" of bools, or of the bits of integers. */
htp_tensor_id htp_emit_bitwise(htp_lowering *l, const char *op, htp_dtype dtype, htp_tensor_id a,
                               htp_tensor_id b);

/** x shifted to the left, or to the right with its sign, by a count from 0 to 64; all are int64. */
htp_tensor_id htp_emit_left_shift(htp_lowering *l, htp_tensor_id x, htp_tensor_id count);
htp_tensor_id htp_emit_right_shift(htp_lowering *l, htp_tensor_id x, htp_tensor_id count);

#endif
