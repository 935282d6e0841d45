/*
 * The error function, on which others are built. Private to core/lower.
 */
#ifndef HTP_LOWER_ERROR_FUNCTION_H
#define HTP_LOWER_ERROR_FUNCTION_H

#include "lower/compose/formula.h"

/** erf(x) of a floating-point dtype. */
htp_tensor_id htp_emit_erf(htp_lowering *l, htp_dtype dtype, htp_tensor_id x);

/** exp(z²) · erfc(z) for z >= 0, to the precision of the formula's dtype. */
htp_tensor_id htp_emit_scaled_tail(const htp_formula *f, htp_tensor_id z);

#endif
