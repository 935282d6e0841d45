/*
 * Arithmetic that ONNX operators do not do as PyTorch does. Private to core/lower.
 */
#ifndef HTP_LOWER_ARITHMETIC_H
#define HTP_LOWER_ARITHMETIC_H

#include "lower/lowering.h"

/** The quotient rounded to minus infinity: Python's //. */
htp_tensor_id htp_emit_floor_divide(htp_lowering *l, htp_dtype dtype, htp_tensor_id a,
                                    htp_tensor_id b);

/** The remainder with the sign of the divisor: Python's %. */
htp_tensor_id htp_emit_remainder(htp_lowering *l, htp_dtype dtype, htp_tensor_id a,
                                 htp_tensor_id b);

/** Rounding to zero; integers stay. */
htp_tensor_id htp_emit_truncate(htp_lowering *l, htp_dtype dtype, htp_tensor_id x);

/** x to a constant power: integers by multiplication, where ONNX Pow goes by way of double. */
htp_tensor_id htp_emit_power(htp_lowering *l, htp_dtype dtype, htp_tensor_id x, double exponent);

/** log(1 + x) of floating-point numbers, exact near zero. */
htp_tensor_id htp_emit_log1p(htp_lowering *l, htp_dtype dtype, htp_tensor_id x);

#endif
