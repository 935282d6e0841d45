/*
 * Special functions of one tensor: aten::sinc, signbit, angle, and those of torch.special that are
 * composed of elementary operators.
 */
#include "lower/pointwise/special.h"

#include "lower/compose/elementary.h"
#include "lower/emit/ort_dtypes.h"
#include "lower/emit/promote.h"
#include "lower/emit/rows.h"

#include <math.h>

/** Formulas that round 16-bit floats once, or after every step. */
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

/** aten::special_entr: -x · log(x); 0 at 0, minus infinity below */
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

htp_tensor_id htp_emit_atan2(const htp_formula *f, htp_tensor_id y, htp_tensor_id x)
{
    htp_tensor_id height = htp_step_unary(f, "Abs", y);
    htp_tensor_id width = htp_step_unary(f, "Abs", x);
    htp_tensor_id ratio = htp_step_binary(f, "Div", height, width);
    /* 0 / 0 and infinity / infinity are NaN. */
    htp_tensor_id is_same = htp_step_compare(f, "Equal", height, width);
    htp_tensor_id is_zero = htp_step_compare_scalar(f, "Equal", height, 0);
    htp_tensor_id one = htp_step_number(f, 1);
    ratio = htp_step_where(f, is_same, htp_step_where_number(f, is_zero, 0, one), ratio);
    htp_tensor_id angle = htp_step_unary(f, "Atan", ratio);
    htp_tensor_id mirrored = htp_step_from(f, acos(-1), "Sub", angle);
    angle = htp_step_where(f, htp_emit_sign_bit(f, x), mirrored, angle);
    htp_tensor_id below = htp_step_unary(f, "Neg", angle);
    return htp_step_where(f, htp_emit_sign_bit(f, y), below, angle);
}

htp_tensor_id htp_emit_hypot(const htp_formula *f, htp_tensor_id x, htp_tensor_id y)
{
    htp_tensor_id a = htp_step_unary(f, "Abs", x);
    htp_tensor_id b = htp_step_unary(f, "Abs", y);
    htp_tensor_id larger = htp_step_binary(f, "Max", a, b);
    htp_tensor_id ratio = htp_step_binary(f, "Div", htp_step_binary(f, "Min", a, b), larger);
    htp_tensor_id square = htp_step_binary(f, "Mul", ratio, ratio);
    htp_tensor_id root = htp_step_unary(f, "Sqrt", htp_step_scalar(f, "Add", square, 1));
    htp_tensor_id length = htp_step_binary(f, "Mul", larger, root);
    length = htp_step_where_number(f, htp_step_compare_scalar(f, "Equal", larger, 0), 0, length);
    htp_tensor_id is_infinite =
        htp_emit_binary(f->l, "Or", htp_step_compare_scalar(f, "Equal", a, INFINITY),
                        htp_step_compare_scalar(f, "Equal", b, INFINITY));
    return htp_step_where_number(f, is_infinite, INFINITY, length);
}
