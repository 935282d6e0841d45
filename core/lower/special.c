/*
 * Special functions of one tensor: aten::erfc, aten::sinc, and those of torch.special that
 * elementary operators make up.
 */
#include "lower/special.h"

#include "lower/arithmetic.h"
#include "lower/compose.h"
#include "lower/kernels.h"
#include "lower/promote.h"
#include "lower/table.h"

#include <math.h>

/** How 16-bit floats are rounded: once, or after every step. */
static htp_formula kernel_of_self(htp_lowering *l)
{
    return htp_formula_of_kernel(l, htp_promote_to_float(htp_arg_dtype(l, "self")));
}

static htp_formula steps_of_self(htp_lowering *l)
{
    return htp_formula_of_steps(l, htp_promote_to_float(htp_arg_dtype(l, "self")));
}

htp_tensor_id htp_emit_sign_bit(const htp_formula *f, htp_tensor_id x)
{
    htp_tensor_id is_negative = htp_step_compare_scalar(f, "Less", x, 0);
    if (!htp_dtype_is_float(f->dtype)) {
        return is_negative;
    }
    htp_tensor_id inverse = htp_step_unary(f, "Reciprocal", x);
    htp_tensor_id is_below = htp_step_compare_scalar(f, "Equal", inverse, -INFINITY);
    return htp_emit_binary(f->l, "Or", is_negative, is_below);
}

/** aten::signbit */
void htp_lower_signbit(htp_lowering *l)
{
    htp_dtype dtype = htp_arg_dtype(l, "self");
    htp_formula f = htp_formula_of_kernel(l, dtype == HTP_DTYPE_BOOL ? HTP_DTYPE_UINT8 : dtype);
    htp_bind(l, 0, htp_emit_sign_bit(&f, htp_step_arg(&f, "self")));
}

htp_tensor_id htp_emit_xlogy(const htp_formula *f, htp_tensor_id a, htp_tensor_id b, bool plus_one)
{
    htp_tensor_id log = plus_one ? htp_step_round(f, htp_emit_log1p(f->l, f->dtype, b))
                                 : htp_step_unary(f, "Log", b);
    htp_tensor_id product = htp_step_binary(f, "Mul", a, log);
    htp_tensor_id is_zero = htp_step_compare_scalar(f, "Equal", a, 0);
    product = htp_step_where_number(f, is_zero, 0, product);
    return htp_step_where_number(f, htp_step_is_nan(f, b), NAN, product);
}

/** aten::sinc: sin(πx) / πx */
void htp_lower_sinc(htp_lowering *l)
{
    htp_formula f = kernel_of_self(l);
    htp_tensor_id x = htp_step_arg(&f, "self");
    htp_tensor_id angle = htp_step_scalar(&f, "Mul", x, acos(-1));
    htp_tensor_id ratio = htp_step_binary(&f, "Div", htp_step_unary(&f, "Sin", angle), angle);
    htp_tensor_id is_zero = htp_step_compare_scalar(&f, "Equal", x, 0);
    htp_formula_bind(&f, 0, htp_step_where_number(&f, is_zero, 1, ratio));
}

/** aten::special_entr: -x · log(x); 0 of 0, minus infinity of what is below */
void htp_lower_entropy(htp_lowering *l)
{
    htp_formula f = steps_of_self(l);
    htp_tensor_id x = htp_step_arg(&f, "self");
    htp_tensor_id log = htp_step_unary(&f, "Log", x);
    htp_tensor_id product = htp_step_binary(&f, "Mul", htp_step_unary(&f, "Neg", x), log);
    htp_tensor_id is_zero = htp_step_compare_scalar(&f, "Equal", x, 0);
    htp_tensor_id is_below = htp_step_compare_scalar(&f, "Less", x, 0);
    product = htp_step_where_number(&f, is_zero, 0, product);
    htp_formula_bind(&f, 0, htp_step_where_number(&f, is_below, -INFINITY, product));
}

/* ---- the complementary error function ---- */

/* Source: Press et al., Numerical Recipes, 2nd edition, 6.2: a Chebyshev fit with a relative error
 * below 1.2e-7. */
htp_tensor_id htp_emit_scaled_tail(const htp_formula *f, htp_tensor_id z)
{
    static const double coefficients[] = {0.17087277, -0.82215223, 1.48851587, -1.13520398,
                                          0.27886807, -0.18628806, 0.09678418, 0.37409196,
                                          1.00002368, -1.26551223};
    htp_tensor_id t = htp_step_scalar(f, "Add", htp_step_scalar(f, "Mul", z, 0.5), 1);
    t = htp_step_unary(f, "Reciprocal", t);
    htp_tensor_id sum = htp_step_number(f, coefficients[0]);
    for (size_t i = 1; i < sizeof(coefficients) / sizeof(*coefficients); i++) {
        sum = htp_step_scalar(f, "Add", htp_step_binary(f, "Mul", sum, t), coefficients[i]);
    }
    return htp_step_binary(f, "Mul", t, htp_step_unary(f, "Exp", sum));
}

/** The same as a result of its own, which has to have all digits. */
static htp_tensor_id scaled_tail(const htp_formula *f, htp_tensor_id z)
{
    if (f->dtype == HTP_DTYPE_FLOAT64) {
        htp_lower_fail(f->l, "runtimes do not compute the error function in float64");
    }
    return htp_emit_scaled_tail(f, z);
}

/** exp(-x²) and, where @p grows, exp(x²) */
static htp_tensor_id gauss(const htp_formula *f, htp_tensor_id x, bool grows)
{
    htp_tensor_id square = htp_step_binary(f, "Mul", x, x);
    return htp_step_unary(f, "Exp", grows ? square : htp_step_unary(f, "Neg", square));
}

/** 1 - erf(x), also where erf(x) is nearly 1 */
static htp_tensor_id emit_erfc(const htp_formula *f, htp_tensor_id x)
{
    htp_tensor_id z = htp_step_unary(f, "Abs", x);
    htp_tensor_id tail = htp_step_binary(f, "Mul", scaled_tail(f, z), gauss(f, z, false));
    return htp_step_where(f, htp_step_compare_scalar(f, "Less", x, 0),
                          htp_step_from(f, 2, "Sub", tail), tail);
}

/** exp(x²) · erfc(x) */
static htp_tensor_id emit_erfcx(const htp_formula *f, htp_tensor_id x)
{
    htp_tensor_id tail = scaled_tail(f, htp_step_unary(f, "Abs", x));
    htp_tensor_id whole = htp_step_scalar(f, "Mul", gauss(f, x, true), 2);
    return htp_step_where(f, htp_step_compare_scalar(f, "Less", x, 0),
                          htp_step_binary(f, "Sub", whole, tail), tail);
}

/** aten::erfc */
void htp_lower_erfc(htp_lowering *l)
{
    htp_formula f = kernel_of_self(l);
    htp_formula_bind(&f, 0, emit_erfc(&f, htp_step_arg(&f, "self")));
}

/** aten::special_erfcx */
void htp_lower_erfcx(htp_lowering *l)
{
    htp_formula f = kernel_of_self(l);
    htp_formula_bind(&f, 0, emit_erfcx(&f, htp_step_arg(&f, "self")));
}

/** aten::special_ndtr: the normal distribution, erfc(-x / √2) / 2 */
void htp_lower_normal_distribution(htp_lowering *l)
{
    htp_formula f = kernel_of_self(l);
    htp_tensor_id x = htp_step_scalar(&f, "Mul", htp_step_arg(&f, "self"), -M_SQRT1_2);
    htp_formula_bind(&f, 0, htp_step_scalar(&f, "Mul", emit_erfc(&f, x), 0.5));
}

/** aten::special_log_ndtr: its logarithm, also where it is nearly 0 */
void htp_lower_log_normal_distribution(htp_lowering *l)
{
    htp_formula f = kernel_of_self(l);
    htp_tensor_id x = htp_step_arg(&f, "self");
    htp_tensor_id t = htp_step_scalar(&f, "Mul", x, M_SQRT1_2);
    htp_tensor_id scaled =
        htp_step_scalar(&f, "Mul", emit_erfcx(&f, htp_step_unary(&f, "Neg", t)), 0.5);
    htp_tensor_id left = htp_step_binary(&f, "Sub", htp_step_unary(&f, "Log", scaled),
                                         htp_step_binary(&f, "Mul", t, t));
    htp_tensor_id right = htp_step_scalar(&f, "Mul", emit_erfc(&f, t), -0.5);
    right = htp_emit_log1p(l, f.dtype, right);
    htp_tensor_id is_left = htp_step_compare_scalar(&f, "Less", x, -1);
    htp_formula_bind(&f, 0, htp_step_where(&f, is_left, left, right));
}

/* ---- of real numbers ---- */

/** aten::angle: 0 or π, and NaN of NaN */
void htp_lower_angle(htp_lowering *l)
{
    htp_formula f = kernel_of_self(l);
    htp_tensor_id x = htp_step_arg(&f, "self");
    htp_tensor_id zero = htp_step_number(&f, 0);
    htp_tensor_id angle =
        htp_step_where_number(&f, htp_step_compare_scalar(&f, "Less", x, 0), acos(-1), zero);
    htp_formula_bind(&f, 0, htp_step_where(&f, htp_step_is_nan(&f, x), x, angle));
}

/** aten::isreal: always true */
void htp_lower_isreal(htp_lowering *l)
{
    if (htp_dtype_is_complex(htp_arg_dtype(l, "self"))) {
        htp_lower_fail(l, "complex numbers are not supported");
    }
    htp_tensor_id x = htp_arg_tensor(l, "self");
    htp_tensor_id shape = htp_emit_shape(l, x, htp_arg_rank(l, "self"), htp_arg_dims(l, "self"));
    htp_tensor_id yes = htp_emit_scalar_int(l, HTP_DTYPE_BOOL, 1);
    htp_bind(l, 0, htp_typed_expand(l, HTP_DTYPE_BOOL, yes, shape));
}
