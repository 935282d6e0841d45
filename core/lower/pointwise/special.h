/*
 * Special functions on which other operators are built. Private to core/lower.
 */
#ifndef HTP_LOWER_SPECIAL_H
#define HTP_LOWER_SPECIAL_H

#include "lower/compose/formula.h"

/** Whether a number's sign bit is set, as for -0. ONNX cannot read a NaN's sign, which counts as
 * not set. */
htp_tensor_id htp_emit_sign_bit(const htp_formula *f, htp_tensor_id x);

/** a · log(b), or of b + 1; 0 where a is 0, unless b is NaN: aten::xlogy, aten::special_xlog1py. */
htp_tensor_id htp_emit_xlogy(const htp_formula *f, htp_tensor_id a, htp_tensor_id b, bool plus_one);

/** The arctangent of y / x in the quadrant given by their signs: aten::atan2. */
htp_tensor_id htp_emit_atan2(const htp_formula *f, htp_tensor_id y, htp_tensor_id x);

/** √(x² + y²): the larger one times √(1 + ratio²), so that squares do not overflow. */
htp_tensor_id htp_emit_hypot(const htp_formula *f, htp_tensor_id x, htp_tensor_id y);

/** log |Γ(x)|, in a formula of float64. */
htp_tensor_id htp_emit_log_gamma(const htp_formula *f, htp_tensor_id x);

/** The modified Bessel function I0 of a float64 vector. The node's output must have one dim,
 * too. */
htp_tensor_id htp_emit_bessel_i0(const htp_formula *f, htp_tensor_id x);

/** @p steps evenly spaced numbers, at least 2, from @p start to @p end, which are 0-d:
 * aten::linspace. */
htp_tensor_id htp_emit_linspace(const htp_formula *f, htp_tensor_id start, htp_tensor_id end,
                                int64_t steps);

#endif
