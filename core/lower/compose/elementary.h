/*
 * Functions of one operand, composed where runtimes have no kernel. Private to core/lower.
 */
#ifndef HTP_LOWER_ELEMENTARY_H
#define HTP_LOWER_ELEMENTARY_H

#include "lower/emit/lowering.h"

/** htp_emit_typed() of lower/emit/ort_dtypes.h for operators of one operand without attributes.
 * Operators that runtimes only have in float32 are composed in float64. */
htp_tensor_id htp_typed_unary(htp_lowering *l, const char *op, htp_dtype dtype, htp_tensor_id x);

/** log(1 + x) and exp(x) - 1 of floating-point numbers, exact near zero. */
htp_tensor_id htp_emit_log1p(htp_lowering *l, htp_dtype dtype, htp_tensor_id x);
htp_tensor_id htp_emit_expm1(htp_lowering *l, htp_dtype dtype, htp_tensor_id x);

#endif
