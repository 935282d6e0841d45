/*
 * Inverses of distribution functions: aten::erfinv, special_ndtri.
 *
 * Source: Wichura, Algorithm AS 241: The Percentage Points of the Normal Distribution, Applied
 * Statistics 37 (1988): rational functions with a relative error about 1e-16. Computed in float64
 * and rounded once.
 */
#include "lower/compose/formula.h"
#include "lower/emit/rows.h"

#include <math.h>

enum { TERMS = 8 };

/** Numerator and denominator. */
typedef struct rational {
    double above[TERMS];
    double below[TERMS];
} rational;

static const rational middle = {
    {3.3871328727963666080, 1.3314166789178437745e+2, 1.9715909503065514427e+3,
     1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
     3.3430575583588128105e+4, 2.5090809287301226727e+3},
    {1, 4.2313330701600911252e+1, 6.8718700749205790830e+2, 5.3941960214247511077e+3,
     2.1213794301586595867e+4, 3.9307895800092710610e+4, 2.8729085735721942674e+4,
     5.2264952788528545610e+3}};

static const rational near_tail = {
    {1.42343711074968357734, 4.63033784615654529590, 5.76949722146069140550, 3.64784832476320460504,
     1.27045825245236838258, 2.41780725177450611770e-1, 2.27238449892691845833e-2,
     7.74545014278341407640e-4},
    {1, 2.05319162663775882187, 1.67638483018380384940, 6.89767334985100004550e-1,
     1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
     1.05075007164441684324e-9}};

static const rational far_tail = {
    {6.65790464350110377720, 5.46378491116411436990, 1.78482653991729133580,
     2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
     2.71155556874348757815e-5, 2.01033439929228813265e-7},
    {1, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
     7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
     2.04426310338993978564e-15}};

static htp_tensor_id emit_rational(const htp_formula *f, htp_tensor_id x, const rational *r)
{
    return htp_step_binary(f, "Div", htp_step_polynomial(f, x, r->above, TERMS),
                           htp_step_polynomial(f, x, r->below, TERMS));
}

/** The quantile of the normal distribution, given the probability as its distance @p tail from the
 * nearer end and @p offset from the middle: infinite at the ends, NaN beyond. */
static htp_tensor_id emit_inverse(const htp_formula *f, htp_tensor_id offset, htp_tensor_id tail)
{
    htp_tensor_id square = htp_step_binary(f, "Mul", offset, offset);
    htp_tensor_id inner = emit_rational(f, htp_step_from(f, 0.180625, "Sub", square), &middle);
    inner = htp_step_binary(f, "Mul", inner, offset);
    htp_tensor_id depth = htp_step_unary(f, "Neg", htp_step_unary(f, "Log", tail));
    depth = htp_step_unary(f, "Sqrt", depth);
    htp_tensor_id is_near = htp_step_compare_scalar(f, "LessOrEqual", depth, 5);
    htp_tensor_id near = emit_rational(f, htp_step_scalar(f, "Sub", depth, 1.6), &near_tail);
    htp_tensor_id far = emit_rational(f, htp_step_scalar(f, "Sub", depth, 5), &far_tail);
    htp_tensor_id outer = htp_step_where(f, is_near, near, far);
    outer = htp_step_where_number(f, htp_step_compare_scalar(f, "Equal", tail, 0), INFINITY, outer);
    outer = htp_step_binary(f, "Mul", outer, htp_step_unary(f, "Sign", offset));
    htp_tensor_id size = htp_step_unary(f, "Abs", offset);
    htp_tensor_id is_inner = htp_step_compare_scalar(f, "LessOrEqual", size, 0.425);
    return htp_step_where(f, is_inner, inner, outer);
}

static htp_formula in_double(htp_lowering *l)
{
    return (htp_formula){l, HTP_DTYPE_FLOAT64, HTP_DTYPE_FLOAT64};
}

/** aten::erfinv, special_erfinv: erf(x / √2) is twice the offset. */
void htp_lower_inverse_error_function(htp_lowering *l)
{
    htp_formula f = in_double(l);
    htp_tensor_id x = htp_step_arg(&f, "self");
    htp_tensor_id tail = htp_step_from(&f, 1, "Sub", htp_step_unary(&f, "Abs", x));
    htp_tensor_id inverse =
        emit_inverse(&f, htp_step_scalar(&f, "Mul", x, 0.5), htp_step_scalar(&f, "Mul", tail, 0.5));
    htp_formula_bind(&f, 0, htp_step_scalar(&f, "Mul", inverse, M_SQRT1_2));
}

/** aten::special_ndtri */
void htp_lower_inverse_normal(htp_lowering *l)
{
    htp_formula f = in_double(l);
    htp_tensor_id x = htp_step_arg(&f, "self");
    htp_tensor_id is_lower = htp_step_compare_scalar(&f, "Less", x, 0.5);
    htp_tensor_id tail = htp_step_where(&f, is_lower, x, htp_step_from(&f, 1, "Sub", x));
    htp_formula_bind(&f, 0, emit_inverse(&f, htp_step_scalar(&f, "Sub", x, 0.5), tail));
}
