/*
 * Functions of one operand that are accurate near zero; and in float64 those for which runtimes
 * only have float32 kernels: tangents, hyperbolic functions and their inverses, composed of exp,
 * log, sqrt, sin and cos.
 */
#include "lower/compose/elementary.h"

#include "lower/compose/formula.h"
#include "lower/emit/ort_dtypes.h"

#include <math.h>
#include <string.h>

/* ---- exact near zero ---- */

/** @p near where |x| < 0.5, or x itself where @p is_lost; @p far elsewhere. */
static htp_tensor_id near_zero(htp_lowering *l, htp_dtype dtype, htp_tensor_id x,
                               htp_tensor_id is_lost, htp_tensor_id near, htp_tensor_id far)
{
    htp_tensor_id is_near =
        htp_typed_predicate_scalar(l, "Less", dtype, htp_typed_unary(l, "Abs", dtype, x), 0.5);
    near = htp_typed_where(l, dtype, is_lost, x, near);
    return htp_typed_where(l, dtype, is_near, near, far);
}

/** Near zero the result is multiplied by x / ((1 + x) - 1), which undoes the rounding of 1 + x. */
htp_tensor_id htp_emit_log1p(htp_lowering *l, htp_dtype dtype, htp_tensor_id x)
{
    htp_tensor_id sum = htp_typed_scalar(l, "Add", dtype, x, 1);
    htp_tensor_id logarithm = htp_typed_unary(l, "Log", dtype, sum);
    htp_tensor_id rounded = htp_typed_scalar(l, "Sub", dtype, sum, 1);
    htp_tensor_id near = htp_typed_binary(l, "Div", dtype, x, rounded);
    near = htp_typed_binary(l, "Mul", dtype, logarithm, near);
    htp_tensor_id is_lost = htp_typed_predicate_scalar(l, "Equal", dtype, rounded, 0);
    return near_zero(l, dtype, x, is_lost, near, logarithm);
}

/** Near zero the result is multiplied by x / log(exp(x)), which undoes the rounding of exp(x). */
htp_tensor_id htp_emit_expm1(htp_lowering *l, htp_dtype dtype, htp_tensor_id x)
{
    htp_tensor_id power = htp_typed_unary(l, "Exp", dtype, x);
    htp_tensor_id difference = htp_typed_scalar(l, "Sub", dtype, power, 1);
    htp_tensor_id logarithm = htp_typed_unary(l, "Log", dtype, power);
    htp_tensor_id near = htp_typed_binary(l, "Div", dtype, x, logarithm);
    near = htp_typed_binary(l, "Mul", dtype, difference, near);
    htp_tensor_id is_lost = htp_typed_predicate_scalar(l, "Equal", dtype, difference, 0);
    return near_zero(l, dtype, x, is_lost, near, difference);
}

/* ---- arcs and hyperbolic functions in float64 ---- */

typedef htp_tensor_id (*function)(const htp_formula *f, htp_tensor_id x);

/** @p x, of 0 and above, with the sign of @p signed_one. */
static htp_tensor_id with_sign(const htp_formula *f, htp_tensor_id x, htp_tensor_id signed_one)
{
    return htp_step_where(f, htp_step_compare_scalar(f, "Less", signed_one, 0),
                          htp_step_unary(f, "Neg", x), x);
}

static htp_tensor_id emit_tan(const htp_formula *f, htp_tensor_id x)
{
    htp_tensor_id sine = htp_step_unary(f, "Sin", x);
    return htp_step_binary(f, "Div", sine, htp_step_unary(f, "Cos", x));
}

/* ---- arcs ---- */

/**
 * atan(x) of |x| <= 0.66: x + x³ · P(x²) / Q(x²), with a relative error of 2e-17.
 * Source of the coefficients: Moshier, Methods and Programs for Mathematical Functions (1989).
 */
static htp_tensor_id atan_near_zero(const htp_formula *f, htp_tensor_id x)
{
    static const double above[] = {-6.485021904942025371773e1, -1.228866684490136173410e2,
                                   -7.500855792314704667340e1, -1.615753718733365076637e1,
                                   -8.750608600031904122785e-1};
    static const double below[] = {1.945506571482613964425e2, 4.853903996359136964868e2,
                                   4.328810604912902668951e2, 1.650270098316988542046e2,
                                   2.485846490142306297962e1, 1};
    htp_tensor_id square = htp_step_binary(f, "Mul", x, x);
    htp_tensor_id ratio = htp_step_binary(f, "Div", htp_step_polynomial(f, square, above, 5),
                                          htp_step_polynomial(f, square, below, 6));
    htp_tensor_id cube = htp_step_binary(f, "Mul", square, ratio);
    return htp_step_binary(f, "Add", x, htp_step_binary(f, "Mul", x, cube));
}

/** Range reduction: large arguments by π/2, medium ones by π/4. */
static htp_tensor_id emit_atan(const htp_formula *f, htp_tensor_id x)
{
    const double right = acos(0);
    const double lost = 6.123233995736765886130e-17; /* of π/2, by its rounding */
    htp_tensor_id z = htp_step_unary(f, "Abs", x);
    htp_tensor_id is_far = htp_step_compare_scalar(f, "Greater", z, 2.41421356237309504880);
    htp_tensor_id is_near = htp_step_compare_scalar(f, "LessOrEqual", z, 0.66);
    htp_tensor_id far = htp_step_unary(f, "Neg", htp_step_unary(f, "Reciprocal", z));
    htp_tensor_id middle =
        htp_step_binary(f, "Div", htp_step_scalar(f, "Sub", z, 1), htp_step_scalar(f, "Add", z, 1));
    htp_tensor_id turned = htp_step_where(f, is_near, x, htp_step_where(f, is_far, far, middle));
    htp_tensor_id near = atan_near_zero(f, turned);
    htp_tensor_id whole = htp_step_scalar(f, "Add", htp_step_scalar(f, "Add", near, lost), right);
    htp_tensor_id half =
        htp_step_scalar(f, "Add", htp_step_scalar(f, "Add", near, lost / 2), right / 2);
    htp_tensor_id outer = htp_step_where(f, is_far, whole, half);
    return htp_step_where(f, is_near, near, with_sign(f, outer, x));
}

/** atan(x / sqrt((1 - x) · (1 + x))) */
static htp_tensor_id emit_asin(const htp_formula *f, htp_tensor_id x)
{
    htp_tensor_id rest =
        htp_step_binary(f, "Mul", htp_step_from(f, 1, "Sub", x), htp_step_from(f, 1, "Add", x));
    return emit_atan(f, htp_step_binary(f, "Div", x, htp_step_unary(f, "Sqrt", rest)));
}

/** 2 · atan(sqrt((1 - x) / (1 + x))) */
static htp_tensor_id emit_acos(const htp_formula *f, htp_tensor_id x)
{
    htp_tensor_id ratio =
        htp_step_binary(f, "Div", htp_step_from(f, 1, "Sub", x), htp_step_from(f, 1, "Add", x));
    htp_tensor_id half = emit_atan(f, htp_step_unary(f, "Sqrt", ratio));
    return htp_step_binary(f, "Add", half, half);
}

/* ---- hyperbolic functions ---- */

/** exp(z) / 2 for z >= 0, also where exp(z) overflows but half of it does not. */
static htp_tensor_id half_power(const htp_formula *f, htp_tensor_id z)
{
    htp_tensor_id root = htp_step_unary(f, "Exp", htp_step_scalar(f, "Mul", z, 0.5));
    htp_tensor_id halved = htp_step_binary(f, "Mul", htp_step_scalar(f, "Mul", root, 0.5), root);
    htp_tensor_id direct = htp_step_scalar(f, "Mul", htp_step_unary(f, "Exp", z), 0.5);
    return htp_step_where(f, htp_step_compare_scalar(f, "Greater", z, 700), halved, direct);
}

/** exp(-z) / 2 */
static htp_tensor_id half_rest(const htp_formula *f, htp_tensor_id z)
{
    return htp_step_scalar(f, "Mul", htp_step_unary(f, "Exp", htp_step_unary(f, "Neg", z)), 0.5);
}

static htp_tensor_id emit_cosh(const htp_formula *f, htp_tensor_id x)
{
    htp_tensor_id z = htp_step_unary(f, "Abs", x);
    return htp_step_binary(f, "Add", half_power(f, z), half_rest(f, z));
}

/** Up to 1 by its series, whose terms are x, x³ / 3!, x⁵ / 5!, ... */
static htp_tensor_id emit_sinh(const htp_formula *f, htp_tensor_id x)
{
    enum { TERMS = 10 };
    double series[TERMS] = {1};
    for (int i = 1; i < TERMS; i++) {
        series[i] = series[i - 1] / (2.0 * i * (2.0 * i + 1));
    }
    htp_tensor_id z = htp_step_unary(f, "Abs", x);
    htp_tensor_id square = htp_step_binary(f, "Mul", x, x);
    htp_tensor_id near =
        htp_step_binary(f, "Mul", x, htp_step_polynomial(f, square, series, TERMS));
    htp_tensor_id far = htp_step_binary(f, "Sub", half_power(f, z), half_rest(f, z));
    return htp_step_where(f, htp_step_compare_scalar(f, "LessOrEqual", z, 1), near,
                          with_sign(f, far, x));
}

/* ---- and their inverses ---- */

/** From here on x² + 1 rounds to x². */
#define LARGE 1e9

/** log(2 · z) where z >= LARGE, @p otherwise elsewhere. */
static htp_tensor_id log_of_twice(const htp_formula *f, htp_tensor_id z, htp_tensor_id otherwise)
{
    htp_tensor_id far = htp_step_scalar(f, "Add", htp_step_unary(f, "Log", z), M_LN2);
    return htp_step_where(f, htp_step_compare_scalar(f, "Greater", z, LARGE), far, otherwise);
}

/** log1p(z + z² / (1 + sqrt(z² + 1))) */
static htp_tensor_id emit_asinh(const htp_formula *f, htp_tensor_id x)
{
    htp_tensor_id z = htp_step_unary(f, "Abs", x);
    htp_tensor_id square = htp_step_binary(f, "Mul", z, z);
    htp_tensor_id root = htp_step_unary(f, "Sqrt", htp_step_scalar(f, "Add", square, 1));
    htp_tensor_id more = htp_step_binary(f, "Div", square, htp_step_scalar(f, "Add", root, 1));
    htp_tensor_id near = htp_emit_log1p(f->l, f->dtype, htp_step_binary(f, "Add", z, more));
    return with_sign(f, log_of_twice(f, z, near), x);
}

/** log1p(t + sqrt(t) · sqrt(t + 2)) of t = x - 1 */
static htp_tensor_id emit_acosh(const htp_formula *f, htp_tensor_id x)
{
    htp_tensor_id t = htp_step_scalar(f, "Sub", x, 1);
    htp_tensor_id root =
        htp_step_binary(f, "Mul", htp_step_unary(f, "Sqrt", t),
                        htp_step_unary(f, "Sqrt", htp_step_scalar(f, "Add", t, 2)));
    htp_tensor_id near = htp_emit_log1p(f->l, f->dtype, htp_step_binary(f, "Add", t, root));
    return log_of_twice(f, x, near);
}

/** log1p(2 · z / (1 - z)) / 2 */
static htp_tensor_id emit_atanh(const htp_formula *f, htp_tensor_id x)
{
    htp_tensor_id z = htp_step_unary(f, "Abs", x);
    htp_tensor_id ratio =
        htp_step_binary(f, "Div", htp_step_binary(f, "Add", z, z), htp_step_from(f, 1, "Sub", z));
    htp_tensor_id twice = htp_emit_log1p(f->l, f->dtype, ratio);
    return with_sign(f, htp_step_scalar(f, "Mul", twice, 0.5), x);
}

/** Composes ONNX operator @p op on float64 @p x if runtimes compute it in float32 only; HTP_NONE
 * for other operators. */
static htp_tensor_id emit_elementary(htp_lowering *l, const char *op, htp_tensor_id x)
{
    static const struct {
        const char *op;
        function emit;
    } functions[] = {{"Acos", emit_acos},   {"Acosh", emit_acosh}, {"Asin", emit_asin},
                     {"Asinh", emit_asinh}, {"Atan", emit_atan},   {"Atanh", emit_atanh},
                     {"Cosh", emit_cosh},   {"Sinh", emit_sinh},   {"Tan", emit_tan}};
    const htp_formula f = {l, HTP_DTYPE_FLOAT64, HTP_DTYPE_FLOAT64};
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        if (strcmp(op, functions[i].op) == 0) {
            return functions[i].emit(&f, x);
        }
    }
    return HTP_NONE;
}

/* ---- operators of one operand ---- */

htp_tensor_id htp_typed_unary(htp_lowering *l, const char *op, htp_dtype dtype, htp_tensor_id x)
{
    htp_tensor_id composed = dtype == HTP_DTYPE_FLOAT64 ? emit_elementary(l, op, x) : HTP_NONE;
    return composed == HTP_NONE ? htp_emit_typed(l, op, dtype, HTP_IN(x), HTP_NO_AT) : composed;
}

htp_tensor_id htp_step_unary(const htp_formula *f, const char *op, htp_tensor_id x)
{
    return htp_step_end(f, op, htp_typed_unary(f->l, op, f->dtype, x));
}
